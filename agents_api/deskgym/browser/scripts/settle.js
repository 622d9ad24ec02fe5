// Waits until the document is loaded and html[data-busy] is 0, until it is being left, or until `limit` ms are over.
// `forget`: earlier departures came to nothing (a download, a refused address).
async ({ forget, limit }) => {
  const state = window[Symbol.for("deskgym.watch")] ?? { leaving: 0 };
  if (forget) state.leaving = 0;
  const pause = (delay) => scheduler.postTask(() => {}, { priority: "background", delay });
  const isCalm = () =>
    document.readyState === "complete" && Number(document.documentElement.dataset.busy ?? 0) === 0;
  await pause(0);
  for (let spent = 0; state.leaving === 0 && !isCalm() && spent < limit; spent += 5) await pause(5);
  return { leaving: state.leaving > 0, calm: isCalm(), url: location.href, title: document.title };
}
