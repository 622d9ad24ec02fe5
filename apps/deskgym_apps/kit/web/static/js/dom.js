// Small ways to build elements; text always goes in as text.
let count = 0;

export function uid(prefix) {
  count += 1;
  return `${prefix}-js-${count}`;
}

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children);
  return element;
}

const SHAPES = {
  "chevron-down": "M1.646 4.646a.5.5 0 0 1 .708 0L8 10.293l5.646-5.647a.5.5 0 0 1 .708.708l-6 6a.5.5 0 0 1-.708 0l-6-6a.5.5 0 0 1 0-.708",
  "chevron-left": "M11.354 1.646a.5.5 0 0 1 0 .708L5.707 8l5.647 5.646a.5.5 0 0 1-.708.708l-6-6a.5.5 0 0 1 0-.708l6-6a.5.5 0 0 1 .708 0",
  "chevron-right": "M4.646 1.646a.5.5 0 0 1 .708 0l6 6a.5.5 0 0 1 0 .708l-6 6a.5.5 0 0 1-.708-.708L10.293 8 4.646 2.354a.5.5 0 0 1 0-.708",
  "x-lg": "M2.146 2.854a.5.5 0 1 1 .708-.708L8 7.293l5.146-5.147a.5.5 0 0 1 .708.708L8.707 8l5.147 5.146a.5.5 0 0 1-.708.708L8 8.707l-5.146 5.147a.5.5 0 0 1-.708-.708L7.293 8z",
};

export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  for (const [key, value] of [["class", "icon"], ["viewBox", "0 0 16 16"], ["fill", "currentColor"], ["aria-hidden", "true"]]) {
    svg.setAttribute(key, value);
  }
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

// Shows a popover below `anchor`, above everything else.
export function showBelow(popover, anchor) {
  if (!popover.matches(":popover-open")) popover.showPopover({ source: anchor });
}

export function hide(popover) {
  if (popover.isConnected && popover.matches(":popover-open")) popover.hidePopover();
}

// Sends a form by POST with the given [name, value] pairs, as if it stood in the page.
export function post(action, pairs) {
  const fields = pairs.map(([name, value]) => make("input", { type: "hidden", name, value }));
  const form = make("form", { method: "post", action, hidden: true }, ...fields);
  document.body.append(form);
  form.requestSubmit();
}
