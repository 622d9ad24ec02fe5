// Finds the point at which a person would click an element, and says what the element is.
// `subject` is a list with the element, or [] when it is gone, or {x, y} in CSS pixels of the viewport.
// `strict` refuses disabled elements; `pick` returns the element at {x, y} itself.
(subject, { strict, pick }) => {
  const tidy = (text) => (text ?? "").replace(/\s+/g, " ").trim().slice(0, 80);
  const describe = (node) => {
    const role = node.getAttribute("role") ?? node.tagName.toLowerCase();
    const name = tidy(node.getAttribute("aria-label") || node.innerText);
    return name ? `${role} "${name}"` : role;
  };
  const deepest = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const receives = (element, hit) => {
    for (let node = hit; node; node = node.parentNode ?? node.host) if (node === element) return true;
    const label = hit?.closest?.("label");
    return Boolean(label && label.control === element);
  };
  const facts = (element) => ({
    what: describe(element),
    tag: element.tagName.toLowerCase(),
    type: element.tagName === "INPUT" ? element.type : "",
    role: element.getAttribute("role") ?? "",
    editable: element.isContentEditable,
    readonly: Boolean(element.readOnly) || element.getAttribute("aria-readonly") === "true",
    disabled: element.matches(":disabled") || element.closest("[aria-disabled=true]") !== null,
    checked: "checked" in element && element.tagName === "INPUT"
      ? element.checked
      : element.getAttribute("aria-checked") === "true",
    expanded: element.getAttribute("aria-expanded") === "true",
    popup: element.getAttribute("aria-controls") ?? element.getAttribute("aria-owns") ?? "",
  });

  const CONTROLS =
    "input, select, textarea, button, [contenteditable], " +
    "[role=combobox], [role=listbox], [role=checkbox], [role=switch], [role=radio]";
  const control = (hit) => hit?.closest("label")?.control ?? hit?.closest(CONTROLS) ?? hit;

  if (pick) return control(deepest(subject.x, subject.y));
  if (!Array.isArray(subject)) {
    const { x, y } = subject;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) {
      return { fault: "outside", width: innerWidth, height: innerHeight };
    }
    const hit = deepest(x, y);
    if (!hit) return { fault: "nothing" };
    return { x, y, ...facts(control(hit)) };
  }

  const element = subject[0];
  if (!element?.isConnected) return { fault: "stale" };
  const about = facts(element);
  if (window !== window.top) return { fault: "frame", ...about };
  if (strict && about.disabled) return { fault: "disabled", ...about };
  const style = getComputedStyle(element);
  if (style.visibility !== "visible") return { fault: "hidden", ...about };

  // A link over two lines has a box for each: aim at the first one that has an area, inside the viewport.
  const spots = () => {
    for (const box of element.getClientRects()) {
      const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
      const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
      if (right - left < 1 || bottom - top < 1) continue;
      const at = (h, v) => [left + (right - left) * h, top + (bottom - top) * v];
      return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75)];
    }
    return [];
  };
  const hasArea = [...element.getClientRects()].some((box) => box.width >= 1 && box.height >= 1);
  if (!hasArea) return { fault: "hidden", ...about };
  const approaches = [
    () => element.scrollIntoViewIfNeeded(true),
    () => element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" }),
  ];
  let cover = null;
  for (const approach of approaches) {
    approach();
    for (const [x, y] of spots()) {
      const hit = deepest(x, y);
      if (receives(element, hit)) return { x, y, ...about };
      cover ??= hit;
    }
  }
  return { fault: "covered", cover: cover ? describe(cover) : "the edge of the page", ...about };
}
