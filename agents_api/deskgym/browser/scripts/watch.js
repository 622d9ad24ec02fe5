// Runs first in every document. Counts navigations that leave it, so that an observer can tell "nothing happens"
// from "the next page is on its way". Navigations within the document and downloads by attribute do not count.
(() => {
  const state = { leaving: 0 };
  Object.defineProperty(window, Symbol.for("deskgym.watch"), { value: state });
  if (!("navigation" in window)) return;
  window.navigation.addEventListener("navigate", (event) => {
    const stays = event.hashChange || event.downloadRequest !== null || event.destination.sameDocument;
    if (!stays) state.leaving += 1;
  });
})();
