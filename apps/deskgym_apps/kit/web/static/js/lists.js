// Lists: selection bar, filter disclosure; tabs; dismissing messages; the stage path.
import { openPage, setOpener } from "./dialogs.js";

export function enhance(root) {
  root.querySelectorAll("[data-selection]").forEach(selection);
  root.querySelectorAll("[role=tablist]").forEach(tabs);
  root.querySelectorAll("[data-path]").forEach(path);
}

export function start() {
  document.addEventListener("click", (event) => {
    const disclose = event.target.closest("[data-disclose]");
    if (disclose) {
      const panel = document.getElementById(disclose.dataset.disclose);
      panel.hidden = !panel.hidden;
      disclose.setAttribute("aria-expanded", panel.hidden ? "false" : "true");
    }
    const dismiss = event.target.closest("[data-dismiss]");
    if (dismiss) {
      dismiss.closest(".message").remove();
      document.getElementById("main").focus();
    }
  });
}

function selection(bar) {
  const list = bar.closest("[data-list]");
  const boxes = [...list.querySelectorAll("tbody .cell-check input")];
  const all = list.querySelector("[data-select-all]");
  const matching = bar.querySelector("[data-select-matching]");
  const none = bar.querySelector("[data-select-none]");
  const scope = bar.querySelector("[data-scope]");
  const words = (count) => `${count.toLocaleString("en")} ${count === 1 ? bar.dataset.noun : bar.dataset.nouns} selected`;

  function refresh() {
    const count = boxes.filter((box) => box.checked).length;
    const whole = scope.value === "all";
    bar.classList.toggle("has-selection", count > 0);
    bar.querySelector("[data-selected]").textContent = whole ? words(Number(matching.dataset.total)) : count ? words(count) : "Nothing selected";
    bar.querySelectorAll(".selection-actions button").forEach((button) => { button.disabled = count === 0; });
    if (matching) matching.hidden = whole || count < boxes.length;
    none.hidden = count === 0;
    if (all) {
      all.checked = count > 0 && count === boxes.length;
      all.indeterminate = count > 0 && count < boxes.length;
    }
  }
  function check(value) {
    boxes.forEach((box) => { box.checked = value; });
    scope.value = "selected";
    refresh();
  }
  boxes.forEach((box) => box.addEventListener("change", () => { scope.value = "selected"; refresh(); }));
  all?.addEventListener("change", () => check(all.checked));
  none.addEventListener("click", () => { check(false); (all ?? boxes[0]).focus(); });
  matching?.addEventListener("click", () => { scope.value = "all"; refresh(); none.focus(); });
  refresh();
}

function tabs(tablist) {
  const items = [...tablist.querySelectorAll("[role=tab]")];
  items.forEach((tab) => { tab.tabIndex = tab.getAttribute("aria-selected") === "true" ? 0 : -1; });
  tablist.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement);
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (event.key === " ") document.activeElement.click();
    else if (event.key in moves) items[(moves[event.key] + items.length) % items.length].focus();
    else return;
    event.preventDefault();
  });
}

function path(form) {
  const button = form.querySelector("button[type=submit]");
  if (!button) return;
  const chosen = () => form.querySelector("input[type=radio]:checked");
  const before = chosen()?.value;
  const refresh = () => { button.disabled = chosen()?.value === before; };
  form.addEventListener("change", refresh);
  form.addEventListener("submit", (event) => {
    const href = chosen()?.dataset.dialogHref;
    if (!href) return;
    event.preventDefault();
    setOpener(button);
    openPage(href);
  });
  refresh();
}
