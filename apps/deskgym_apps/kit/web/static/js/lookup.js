// Lookup: an editable combobox that asks the server for matching records.
import { debounced, fetchBusy } from "./busy.js";
import { Listbox } from "./listbox.js";

export function enhance(root) {
  root.querySelectorAll("[data-lookup]:not([data-ready])").forEach(upgrade);
  root.querySelectorAll("button[data-more]").forEach((button) => button.addEventListener("click", (event) => {
    event.preventDefault();
    addOne(button);
  }));
}

// One more empty lookup after the last of its section.
function addOne(button) {
  const grid = button.closest("fieldset").querySelector(".form-grid");
  const count = grid.children.length;
  const field = grid.lastElementChild.cloneNode(true);
  const old = new RegExp(`${button.dataset.more}${count}(?!\\d)`, "g");
  field.classList.remove("has-error");
  field.querySelectorAll(".field-error, .field-candidates").forEach((one) => one.remove());
  for (const one of [field, ...field.querySelectorAll("*")]) {
    for (const attribute of one.attributes) {
      attribute.value = attribute.value.replace(old, `${button.dataset.more}${count + 1}`).replace(`(${count})`, `(${count + 1})`);
    }
  }
  const input = field.querySelector("input[role=combobox]");
  const label = field.querySelector("label");
  label.textContent = label.textContent.replace(`(${count})`, `(${count + 1})`);
  field.querySelectorAll("input").forEach((one) => { one.value = ""; });
  field.querySelector("[data-clear]").hidden = true;
  field.querySelector(".field-choice").textContent = "Type to search";
  field.querySelector("[role=listbox]").replaceChildren();
  for (const name of ["aria-invalid", "aria-activedescendant"]) input.removeAttribute(name);
  delete field.querySelector("[data-lookup]").dataset.ready;
  grid.append(field);
  upgrade(field.querySelector("[data-lookup]"));
  button.hidden = count + 1 >= Number(button.dataset.most);
  input.focus();
}

const fullName = (option) => (option.detail ? `${option.label}, ${option.detail}` : option.label);

function upgrade(wrap) {
  wrap.dataset.ready = "";
  const input = wrap.querySelector("input[role=combobox]");
  const id = wrap.querySelector("[data-id]");
  const label = wrap.querySelector("[data-label]");
  const clear = wrap.querySelector("[data-clear]");
  const note = document.getElementById(`${input.id}-choice`) ?? wrap.nextElementSibling;
  note.setAttribute("aria-live", "polite");
  clear.hidden = input.value === "";
  if (id.value && note.textContent === "Type to search") note.textContent = "Selected";
  const picks = [...(wrap.closest(".field")?.querySelectorAll("[data-pick]") ?? [])];
  let options = [];
  let asked = 0;
  let waiting = false;

  function set(option) {
    id.value = option ? option.id : "";
    label.value = option ? option.label : "";
    note.textContent = option ? option.detail || "Selected" : "Type to search";
    picks.forEach((pick) => { pick.checked = pick.value === id.value; });
    id.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function hold(option) {
    asked += 1;
    waiting = false;
    input.value = option.label;
    clear.hidden = false;
    set(option);
    box.close();
  }
  const choose = (index) => hold(options[index]);
  const box = new Listbox(wrap.querySelector("[role=listbox]"), input, choose);

  function ask(move) {
    asked += 1;
    waiting = true;
    const mine = asked;
    const text = input.value.trim();
    const url = new URL(wrap.dataset.url, document.baseURI);
    url.searchParams.set("q", label.value === text && id.value ? "" : text);
    return fetchBusy(url, { headers: { Accept: "application/json" } }, (response) => show(response, mine, text, move));
  }
  async function show(response, mine, text, move) {
    if (mine !== asked) return;
    const answer = response.ok ? await response.json() : { options: [], more: false };
    if (mine !== asked) return;
    waiting = false;
    options = answer.options;
    const chosen = options.findIndex((option) => option.id === id.value);
    box.draw(options.map((o) => ({ ...o, name: fullName(o) })), chosen, noteFor(answer, response.ok));
    if (document.activeElement === input) box.show(move ? 0 : -1);
    const exact = options.filter((o) => o.label.toLowerCase() === text.toLowerCase());
    if (!id.value && text && exact.length === 1 && !answer.more) set(exact[0]);
    else if (!id.value && text) note.textContent = options.length === 1 ? "1 match" : `${options.length}${answer.more ? " or more" : ""} matches`;
  }
  const askSoon = debounced(() => (waiting ? ask(false) : undefined), 90);
  // Neither an answer on its way nor the question itself opens the list any more.
  function stopAsking() {
    asked += 1;
    waiting = false;
    box.close();
  }

  input.addEventListener("input", () => {
    if (id.value || label.value) set(null);
    clear.hidden = input.value === "";
    if (input.value.trim()) {
      waiting = true;
      askSoon();
    } else {
      stopAsking();
      note.textContent = "Type to search";
    }
  });
  input.addEventListener("blur", () => box.close());
  input.addEventListener("click", () => {
    if (box.open) return;
    if (id.value) input.select();
    ask(false);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") box.open ? box.move(1) : ask(true);
    else if (event.key === "ArrowUp" && box.open) box.move(-1);
    else if (event.key === "Enter" && box.open) box.active >= 0 ? choose(box.active) : box.close();
    else if (event.key === "Escape" && (box.open || waiting)) stopAsking();
    else if (event.key === "Escape" && input.value) empty();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  function empty() {
    input.value = "";
    clear.hidden = true;
    set(null);
    stopAsking();
  }
  for (const pick of picks) {
    pick.addEventListener("change", () => hold({ id: pick.value, label: pick.dataset.name, detail: pick.dataset.detail }));
  }
  clear.addEventListener("click", () => {
    empty();
    input.focus();
  });
}

function noteFor(answer, ok) {
  if (!ok) return "The search did not answer. Try again.";
  if (answer.options.length === 0) return "No records match";
  return answer.more ? "More records match: type more letters" : "";
}
