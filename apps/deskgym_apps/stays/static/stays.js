// Gives Harbourstay's pages their hands: steppers, the words of the guests, a card beneath its pin. Everything reads and
// posts without it.
function number(input) {
  const value = Number.parseInt(input.value, 10);
  return Number.isNaN(value) ? Number(input.closest("[data-stepper]").dataset.least) : value;
}

function show(stepper) {
  const input = stepper.querySelector("input");
  for (const button of stepper.querySelectorAll("[data-step]")) {
    const next = number(input) + Number(button.dataset.step);
    button.disabled = next < Number(stepper.dataset.least) || next > Number(stepper.dataset.most);
  }
}

function counted(count, one) {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

function tell(form) {
  const words = form.querySelector("[data-guest-words]");
  const of = (name) => number(form.elements[name]);
  if (!words || !form.elements.adults) return;
  const parts = [counted(of("adults") + of("children"), "guest")];
  if (of("infants")) parts.push(counted(of("infants"), "infant"));
  if (of("pets")) parts.push(counted(of("pets"), "pet"));
  words.textContent = parts.join(", ");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (button) {
    const stepper = button.closest("[data-stepper]");
    const input = stepper.querySelector("input");
    input.value = String(number(input) + Number(button.dataset.step));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    return;
  }
  for (const open of document.querySelectorAll("details.search-who[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});

document.addEventListener("input", (event) => {
  const stepper = event.target.closest("[data-stepper]");
  if (!stepper) return;
  show(stepper);
  if (event.target.form) tell(event.target.form);
});

document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && event.target.closest("details.search-who[open]");
  if (open) {
    open.open = false;
    open.querySelector("summary").focus();
  }
});

for (const stepper of document.querySelectorAll("[data-stepper]")) show(stepper);
