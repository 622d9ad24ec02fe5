// Forms: no double submit, no accidental Enter, a question before unsaved changes are lost.
import { ask, setOpener } from "./dialogs.js";

const LINES = "input:not([type=hidden], [type=checkbox], [type=radio])";
let leaving = false;

export function start() {
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    leaving = true;
    // After the browser has read the form, or the pressed button's own value would be lost.
    setTimeout(() => event.target.querySelectorAll("button[type=submit]").forEach((one) => { one.disabled = true; }), 0);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches?.(LINES)) return;
    const form = event.target.closest("form[data-form]");
    if (form && form.querySelectorAll(`${LINES}, textarea, select, .combobox`).length > 1) event.preventDefault();
  });
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      const form = event.target.closest?.("form[data-guard]");
      if (form) form.dataset.dirty = "";
    });
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || leaving || link.matches("[data-cancel], [data-dialog-href], [data-edit], [target]")) return;
    if (link.getAttribute("href").startsWith("#") || !document.querySelector("form[data-dirty]")) return;
    event.preventDefault();
    guard(link);
  });
  window.addEventListener("pageshow", () => { leaving = false; });
}

async function guard(link) {
  setOpener(link);
  const leave = await ask("Leave without saving?", "The changes you made in this form are not saved.", "Discard changes", "Keep editing");
  if (!leave) return;
  leaving = true;
  location.assign(link.href);
}
