// Menu buttons over the popover element: expanded state, arrows, focus in and out.
function buttonOf(menu) {
  return menu.source ?? document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
}

function itemsOf(menu) {
  return [...menu.querySelectorAll("[role=menuitem]")];
}

export function start() {
  document.addEventListener("beforetoggle", (event) => {
    if (!event.target.matches?.("[popover]:not([role=listbox])")) return;
    buttonOf(event.target)?.setAttribute("aria-expanded", event.newState === "open" ? "true" : "false");
  }, true);
  document.addEventListener("toggle", (event) => {
    if (event.newState === "open" && event.target.matches?.("[role=menu]")) itemsOf(event.target)[0]?.focus();
  }, true);
  document.addEventListener("keydown", (event) => {
    const button = event.target.closest?.("[popovertarget][aria-haspopup=menu]");
    const menu = event.target.closest?.("[role=menu]");
    if (menu) inMenu(event, menu);
    else if (button && event.key === "ArrowDown") {
      event.preventDefault();
      document.getElementById(button.getAttribute("popovertarget")).showPopover({ source: button });
    }
  });
}

function inMenu(event, menu) {
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement);
  const go = (index) => items[(index + items.length) % items.length].focus();
  if (event.key === "ArrowDown") go(at + 1);
  else if (event.key === "ArrowUp") go(at < 0 ? -1 : at - 1);
  else if (event.key === "Home") go(0);
  else if (event.key === "End") go(-1);
  else if (event.key === " ") document.activeElement.click();
  else if (event.key === "Tab") {
    const button = buttonOf(menu);
    menu.hidePopover();
    button?.focus();
    return;
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
    const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    const found = order.find((item) => item.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()));
    if (!found) return;
    found.focus();
  } else return;
  event.preventDefault();
}
