// A preview beside a form follows what is typed: the page that the form would show is asked for, and its preview taken.
import { debounced, fetchBusy } from "./busy.js";

export function enhance(root) {
  root.querySelectorAll("[data-preview]").forEach((panel) => {
    const form = document.getElementById(panel.dataset.preview);
    if (form) follow(panel, form);
  });
}

function follow(panel, form) {
  let asked = 0;
  const refresh = debounced(async () => {
    const number = (asked += 1);
    const options = { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "text/html" } };
    await fetchBusy(panel.dataset.previewSource, options, async (response) => {
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.querySelector("[data-preview-body]");
      if (fresh && number === asked) panel.querySelector("[data-preview-body]").replaceWith(fresh);
    });
  }, 400);
  form.addEventListener("change", refresh);
}
