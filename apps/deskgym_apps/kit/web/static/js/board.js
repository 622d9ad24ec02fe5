// Kanban: the "Move…" menu, and dragging, which sends the same form.
import { make, post, showBelow, uid } from "./dom.js";
import { openPage, setOpener } from "./dialogs.js";

export function enhance(root) {
  root.querySelectorAll("[data-board]").forEach((board) => {
    const menu = make("div", { class: "menu-list", role: "menu", popover: "auto", id: uid("move") });
    board.after(menu);
    board.addEventListener("click", (event) => {
      const button = event.target.closest("[data-move]");
      if (!button) return;
      event.preventDefault();
      openMenu(board, menu, button);
    });
    board.addEventListener("keydown", (event) => {
      const button = event.target.closest("[data-move]");
      if (!button || event.key !== "ArrowDown") return;
      event.preventDefault();
      openMenu(board, menu, button);
    });
    board.addEventListener("pointerdown", (event) => grab(event, board));
  });
}

function openMenu(board, menu, button) {
  const card = button.closest("[data-card]");
  const here = card.closest("[data-column]");
  const items = [...board.querySelectorAll("[data-column]")].filter((column) => column !== here).map((column) => {
    const item = make("button", { type: "button", class: "menu-item", role: "menuitem" }, column.dataset.label);
    item.addEventListener("click", () => {
      menu.hidePopover();
      move(board, card, column);
    });
    return item;
  });
  menu.setAttribute("aria-label", button.getAttribute("aria-label"));
  menu.source = button;
  menu.replaceChildren(...items);
  showBelow(menu, button);
}

function move(board, card, column) {
  const field = board.dataset.field;
  if (column.dataset.asks !== undefined) {
    const url = new URL(card.dataset.moveHref, document.baseURI);
    url.searchParams.set(field, column.dataset.value);
    setOpener(card.querySelector("[data-move]"));
    openPage(url.href);
    return;
  }
  post(card.dataset.post, [...JSON.parse(card.dataset.fields), [field, column.dataset.value]]);
}

function grab(event, board) {
  const card = event.target.closest("[data-card][data-post]");
  if (!card || event.button !== 0 || event.target.closest("[data-move]")) return;
  const from = { x: event.clientX, y: event.clientY };
  let ghost = null;
  let target = null;

  function lift() {
    ghost = card.cloneNode(true);
    ghost.classList.add("drag-ghost");
    ghost.setAttribute("aria-hidden", "true");
    ghost.inert = true;
    document.body.append(ghost);
    document.body.classList.add("dragging-page");
    card.classList.add("is-dragging");
  }
  function follow(now) {
    if (!ghost && Math.hypot(now.clientX - from.x, now.clientY - from.y) < 6) return;
    now.preventDefault();
    if (!ghost) lift();
    ghost.style.left = `${now.clientX - 20}px`;
    ghost.style.top = `${now.clientY - 16}px`;
    scrollAtEdge(board.parentElement, now.clientX);
    const column = document.elementFromPoint(now.clientX, now.clientY)?.closest("[data-column]") ?? null;
    target?.classList.remove("is-target");
    target = column && board.contains(column) && column !== card.closest("[data-column]") ? column : null;
    target?.classList.add("is-target");
  }
  function stop(drop) {
    document.removeEventListener("pointermove", follow);
    document.removeEventListener("pointerup", release);
    document.removeEventListener("pointercancel", cancel);
    document.removeEventListener("keydown", escape);
    document.body.classList.remove("dragging-page");
    card.classList.remove("is-dragging");
    target?.classList.remove("is-target");
    if (ghost) {
      ghost.remove();
      document.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => document.removeEventListener("click", swallow, { capture: true }), 0);
    }
    if (drop && target) move(board, card, target);
  }
  const release = () => stop(true);
  const cancel = () => stop(false);
  const escape = (key) => { if (key.key === "Escape") stop(false); };
  document.addEventListener("pointermove", follow);
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", cancel);
  document.addEventListener("keydown", escape);
}

// Columns out of sight come into view when the card is held at the edge.
function scrollAtEdge(region, x) {
  const box = region.getBoundingClientRect();
  if (x > box.right - 48) region.scrollLeft += 48;
  else if (x < box.left + 48) region.scrollLeft -= 48;
}

// The click that ends a drag must not follow the card's link.
function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
