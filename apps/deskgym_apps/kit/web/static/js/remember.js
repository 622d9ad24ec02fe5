// What was typed into a form comes back with the browser's Back button: saved, refused or left. The form is put back
// whole, hidden fields too: sent again it is the same form, of the version of the record that it was drawn from.
const FORMS = "main form[data-guard]";

export function start() {
  window.addEventListener("beforeunload", () => {
    const forms = [...document.querySelectorAll(FORMS)].filter((form) => form.dataset.dirty !== undefined);
    if (forms.length > 0) history.replaceState({ typed: Object.fromEntries(forms.map((form) => [form.id, read(form)])) }, "");
  });
}

// Before anything takes the place of the server's controls.
export function restore() {
  const [visit] = performance.getEntriesByType("navigation");
  const typed = visit?.type === "back_forward" ? history.state?.typed : null;
  if (!typed) return;
  document.querySelectorAll(FORMS).forEach((form) => {
    if (typed[form.id]) write(form, typed[form.id]);
  });
}

const controls = (form) => [...form.querySelectorAll("input[name], select[name], textarea[name]")];

function read(form) {
  return controls(form).map((one) => [one.name, one.value, one.checked ?? false]);
}

function write(form, values) {
  const waiting = [...values];
  for (const control of controls(form)) {
    const at = waiting.findIndex(([name, value]) => name === control.name && (control.type !== "radio" || value === control.value));
    if (at < 0) continue;
    const [[, value, checked]] = waiting.splice(at, 1);
    if (control.type === "radio" || control.type === "checkbox") control.checked = checked;
    else control.value = value;
  }
  form.dataset.dirty = "";
}
