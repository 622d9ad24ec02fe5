// Dialogs: those in the page open by their own button; a[data-dialog-href] shows another page's form.
import { fetchBusy } from "./busy.js";
import { icon, make, uid } from "./dom.js";

let opener = null;
let enhanceInside = () => {};

export function start(enhance) {
  enhanceInside = enhance;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-dialog-href], [data-dialog-open]");
    if (link) opener = lasting(link);
    if (link?.matches("a[data-dialog-href]") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      openPage(link.href);
    }
    const cancel = event.target.closest("dialog [data-cancel]");
    if (cancel && !cancel.closest("[data-inline]")) {
      event.preventDefault();
      cancel.closest("dialog").close();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && event.target.matches?.("a[role=button]")) {
      event.preventDefault();
      event.target.click();
    }
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("dialog:not(.calendar)") && event.newState === "open") focusFirst(event.target);
  }, true);
  document.addEventListener("close", (event) => {
    if (!event.target.matches?.("dialog:not(.calendar)")) return;
    opener?.focus();
    if (event.target.dataset.fetched !== undefined) event.target.remove();
  }, true);
}

// A menu item is gone once its menu closes: focus then goes back to the menu's button.
function lasting(element) {
  const menu = element.closest("[role=menu]");
  return menu ? menu.source ?? document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`) : element;
}

function focusFirst(dialog) {
  const body = dialog.querySelector(".dialog-body");
  const wanted = body?.querySelector(".error-summary, input:not([type=hidden]), .combobox, select, textarea") ?? body?.querySelector("a[href], button");
  wanted?.focus();
}

export function setOpener(element) {
  opener = element;
}

// Shows the form of the page at `href` in a dialog; a page without one is simply opened.
export function openPage(href) {
  document.querySelectorAll("[popover]:popover-open").forEach((one) => one.hidePopover());
  return fetchBusy(href, { headers: { Accept: "text/html" } }, (response) => showPage(href, response));
}

async function showPage(href, response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const form = page.querySelector("main form[data-form]");
  if (!response.ok || !form) {
    location.assign(href);
    return;
  }
  const id = uid("dialog");
  const title = form.dataset.dialogTitle || page.querySelector("h1")?.textContent.trim() || "";
  form.removeAttribute("aria-label");
  form.removeAttribute("data-guard");
  form.action = new URL(form.getAttribute("action"), new URL(href, document.baseURI)).href;
  const close = make("button", { type: "button", class: "btn btn-quiet btn-icon", "aria-label": "Close" }, icon("x-lg"));
  const dialog = make("dialog", { class: "dialog", id, "aria-labelledby": `${id}-title`, "aria-modal": "true", "data-fetched": true },
    make("div", { class: "dialog-head" }, make("h2", { id: `${id}-title` }, title), close),
    make("div", { class: "dialog-body" }, document.adoptNode(form)));
  close.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  enhanceInside(dialog);
  dialog.showModal();
}

// Asks in the page; resolves to true when `yes` is pressed.
export function ask(title, text, yes, no) {
  const id = uid("ask");
  const accept = make("button", { type: "button", class: "btn btn-danger" }, yes);
  const refuse = make("button", { type: "button", class: "btn btn-secondary" }, no);
  const dialog = make("dialog", { class: "dialog", "aria-labelledby": `${id}-title`, "aria-modal": "true", "data-fetched": true },
    make("div", { class: "dialog-head" }, make("h2", { id: `${id}-title` }, title)),
    make("div", { class: "dialog-body" }, make("p", {}, text), make("div", { class: "dialog-actions" }, refuse, accept)));
  document.body.append(dialog);
  return new Promise((resolve) => {
    accept.addEventListener("click", () => { resolve(true); dialog.close(); });
    refuse.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => resolve(false));
    dialog.showModal();
  });
}
