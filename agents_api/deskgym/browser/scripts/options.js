// The visible options of a listbox, or of the popup that belongs to a combobox; with `at`, that option itself.
(element, at) => {
  const tidy = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const popups = (element.getAttribute("aria-controls") ?? element.getAttribute("aria-owns") ?? "")
    .split(/\s+/)
    .map((id) => id && document.getElementById(id))
    .filter(Boolean);
  const lists = element.getAttribute("role") === "listbox" ? [element] : popups;
  const options = lists
    .flatMap((list) => [...list.querySelectorAll('[role="option"]')])
    .filter((option) => option.getClientRects().length > 0);
  if (typeof at === "number") return options[at] ?? null;
  return {
    busy: Number(document.documentElement.dataset.busy ?? 0) > 0,
    names: options.map((option) => tidy(option.getAttribute("aria-label") || option.innerText)),
    chosen: options.map((option) => option.getAttribute("aria-selected") === "true"),
  };
}
