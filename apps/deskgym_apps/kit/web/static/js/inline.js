// Inline edit: the pencil puts the small form in place of the value; Enter saves, Esc cancels.
let enhanceInside = () => {};

export function start(enhance) {
  enhanceInside = enhance;
  document.addEventListener("click", (event) => {
    const pencil = event.target.closest("[data-edit]");
    if (pencil && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      open(pencil);
    }
    const cancel = event.target.closest("[data-inline] [data-cancel]");
    if (cancel && close(cancel.closest("[data-inline]"))) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const editor = event.target.closest?.("[data-inline]");
    if (!editor || event.defaultPrevented || event.target.closest("dialog.calendar")) return;
    if (event.key === "Escape" && close(editor)) event.preventDefault();
    const line = event.target.matches("input") || (event.target.matches("textarea") && event.ctrlKey);
    if (event.key === "Enter" && line) {
      event.preventDefault();
      editor.requestSubmit();
    }
  });
}

function open(pencil) {
  document.querySelectorAll("[data-inline][data-opened]").forEach(close);
  const holder = pencil.closest("[data-editable]");
  const editor = pencil.nextElementSibling.content.firstElementChild.cloneNode(true);
  editor.dataset.opened = "";
  const shown = pencil.parentElement;
  [...shown.children].forEach((child) => { if (child.tagName !== "TEMPLATE") child.hidden = true; });
  shown.append(editor);
  enhanceInside(editor);
  holder.dataset.editing = "";
  const control = editor.querySelector("input:not([type=hidden]), .combobox, select, textarea");
  control.focus();
  control.select?.();
}

// Puts the value back; false where the server drew the editor (then Cancel is a link).
function close(editor) {
  if (editor.dataset.opened === undefined) return false;
  const shown = editor.parentElement;
  editor.remove();
  [...shown.children].forEach((child) => { child.hidden = false; });
  shown.querySelector("[data-edit]").focus();
  return true;
}
