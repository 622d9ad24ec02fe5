// The list under a combobox: drawing options and moving the active one.
import { hide, make, showBelow } from "./dom.js";

export class Listbox {
  constructor(list, trigger, choose) {
    this.list = list;
    this.trigger = trigger;
    this.choose = choose;
    this.items = [];
    this.active = -1;
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const item = event.target.closest("[role=option]");
      if (item) this.choose(Number(item.dataset.index));
    });
  }

  get open() {
    return this.trigger.getAttribute("aria-expanded") === "true";
  }

  // items: [{name, label, detail}]; selected: index or -1; note: a line that is no option.
  draw(items, selected, note = "") {
    this.items = items;
    const options = items.map((item, index) => {
      const text = make("span", {}, item.label);
      if (item.detail) text.append(" ", make("span", { class: "option-detail" }, item.detail));
      return make("li", {
        class: "option", role: "option", id: `${this.list.id}-${index}`, "data-index": String(index),
        "aria-selected": index === selected ? "true" : "false", "aria-label": item.name,
      }, text);
    });
    if (note) options.push(make("li", { class: "option-note", role: "presentation" }, note));
    this.list.replaceChildren(...options);
    this.activate(-1);
  }

  show(active = -1) {
    this.trigger.setAttribute("aria-expanded", "true");
    showBelow(this.list, this.trigger);
    this.activate(active);
  }

  close() {
    this.trigger.setAttribute("aria-expanded", "false");
    this.activate(-1);
    hide(this.list);
  }

  activate(index) {
    this.list.querySelector(".is-active")?.classList.remove("is-active");
    this.active = index;
    const item = index < 0 ? null : this.list.children[index];
    if (!item) {
      this.trigger.removeAttribute("aria-activedescendant");
      return;
    }
    item.classList.add("is-active");
    this.trigger.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  }

  move(step) {
    const last = this.items.length - 1;
    if (last < 0) return;
    if (this.active < 0) this.activate(step > 0 ? 0 : last);
    else this.activate(Math.min(last, Math.max(0, this.active + step)));
  }
}
