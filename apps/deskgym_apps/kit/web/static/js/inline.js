// Inline edit: the pencil puts the small form of its page in place of the value; Enter saves, Esc cancels.
import { fetchBusy } from "./busy.js";

let enhanceInside = () => {};
let wanted = null;

export function start(enhance) {
  enhanceInside = enhance;
  document.addEventListener("click", (event) => {
    const pencil = event.target.closest("[data-edit]");
    if (pencil && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      ask(pencil);
    }
    const cancel = event.target.closest("[data-inline] [data-cancel]");
    if (cancel) {
      event.preventDefault();
      close(cancel.closest("[data-inline]"));
    }
  });
  document.addEventListener("keydown", (event) => {
    const editor = event.target.closest?.("[data-inline]");
    if (!editor || event.defaultPrevented || event.target.closest("dialog.calendar")) return;
    const line = event.target.matches("input") || (event.target.matches("textarea") && event.ctrlKey);
    if (event.key === "Escape") close(editor);
    else if (event.key === "Enter" && line) editor.requestSubmit();
    else return;
    event.preventDefault();
  });
}

// The last pencil that was pressed is the one whose editor opens.
function ask(pencil) {
  wanted = pencil;
  const url = new URL(pencil.href, document.baseURI);
  url.searchParams.set("inline", "1");
  url.searchParams.set("back", location.pathname + location.search);
  return fetchBusy(url, { headers: { Accept: "text/html" } }, (response) => show(response, pencil));
}

async function show(response, pencil) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (pencil !== wanted) return;
  wanted = null;
  const editor = page.querySelector("form[data-inline]");
  if (response.ok && editor) open(document.adoptNode(editor), pencil);
  else location.assign(pencil.href);
}

function open(editor, pencil) {
  document.querySelectorAll("[data-inline]").forEach(close);
  const shown = pencil.parentElement;
  [...shown.children].forEach((child) => { child.hidden = true; });
  shown.append(editor);
  enhanceInside(editor);
  const control = editor.querySelector("input:not([type=hidden]), .combobox, select, textarea");
  control.focus();
  control.select?.();
}

// Puts the value back.
function close(editor) {
  const shown = editor.parentElement;
  editor.remove();
  [...shown.children].forEach((child) => { child.hidden = false; });
  shown.querySelector("[data-edit]").focus();
}
