// Select-only combobox: takes the place of a <select data-combobox> under the same field name.
import { icon, make } from "./dom.js";
import { Listbox } from "./listbox.js";

export function enhance(root) {
  root.querySelectorAll("select[data-combobox]").forEach(upgrade);
}

function upgrade(select) {
  const id = select.id;
  const options = [...select.options].map((o) => ({ value: o.value, label: o.text, name: o.text, detail: "" }));
  const text = make("span", { class: "combobox-text" });
  const trigger = make("button", {
    type: "button", class: "combobox", id, role: "combobox", "aria-haspopup": "listbox", "aria-expanded": "false",
    "aria-controls": `${id}-list`, "aria-labelledby": `${id}-label`,
    "aria-describedby": select.getAttribute("aria-describedby"), "aria-invalid": select.getAttribute("aria-invalid"),
    "aria-required": select.getAttribute("aria-required"),
  }, text, icon("chevron-down"));
  const value = make("input", { type: "hidden", name: select.name, value: select.value });
  const list = make("ul", { class: "listbox", id: `${id}-list`, role: "listbox", popover: "manual", "aria-labelledby": `${id}-label` });
  let index = Math.max(0, select.selectedIndex);

  function choose(next) {
    const changed = next !== index;
    index = next;
    value.value = options[index].value;
    text.textContent = options[index].label;
    box.close();
    if (changed) value.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const box = new Listbox(list, trigger, choose);
  function open(active = index) {
    if (box.open) return;
    trigger.after(list);
    box.draw(options, index);
    box.show(active);
  }

  text.textContent = options[index]?.label ?? "";
  select.replaceWith(trigger, value);
  trigger.addEventListener("click", () => (box.open ? box.close() : open()));
  trigger.addEventListener("blur", () => box.close());
  trigger.addEventListener("keydown", (event) => onKey(event, box, open, choose));
}

let typed = "";
let typedTimer = 0;

function onKey(event, box, open, choose) {
  const last = (box.items.length || 1) - 1;
  const key = event.key;
  if (event.ctrlKey || event.metaKey) return;
  if (key.length === 1 && key !== " ") {
    open();
    typeAhead(box, key);
  } else if (!box.open) {
    if (!["ArrowDown", "ArrowUp", "Enter", " ", "Home", "End"].includes(key)) return;
    open();
    if (key === "Home") box.activate(0);
    if (key === "End") box.activate(box.items.length - 1);
  } else if (key === "ArrowDown") box.move(1);
  else if (key === "ArrowUp") box.move(-1);
  else if (key === "PageDown") box.move(10);
  else if (key === "PageUp") box.move(-10);
  else if (key === "Home") box.activate(0);
  else if (key === "End") box.activate(last);
  else if (key === "Enter" || key === " ") choose(box.active);
  else if (key === "Escape") box.close();
  else if (key === "Tab") {
    choose(box.active);
    return;
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function typeAhead(box, letter) {
  clearTimeout(typedTimer);
  typedTimer = setTimeout(() => { typed = ""; }, 700);
  typed += letter.toLowerCase();
  const same = [...typed].every((one) => one === typed[0]);
  const sought = same ? typed[0] : typed;
  const from = same ? box.active + 1 : Math.max(0, box.active);
  for (let step = 0; step < box.items.length; step += 1) {
    const at = (from + step) % box.items.length;
    if (box.items[at].label.toLowerCase().startsWith(sought)) {
      box.activate(at);
      return;
    }
  }
}
