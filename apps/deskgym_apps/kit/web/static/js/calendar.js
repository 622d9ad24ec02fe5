// Date picker dialog (APG): a grid of days, arrows by day and week, PageUp/PageDown by month.
// The starting day comes from the field, else from html[data-today]; the browser's clock is never read.
import { icon, make, uid } from "./dom.js";

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export function enhance(root) {
  root.querySelectorAll("[data-date]:not([data-ready])").forEach((wrap) => {
    wrap.dataset.ready = "";
    const button = wrap.querySelector("[data-calendar]");
    button.addEventListener("click", () => new Calendar(wrap.querySelector("input"), button, wrap.dataset.withTime !== undefined).open());
  });
}

const two = (number) => String(number).padStart(2, "0");
const dayOf = (year, month, day) => new Date(Date.UTC(year, month, day));
const isoOf = (day) => `${String(day.getUTCFullYear()).padStart(4, "0")}-${two(day.getUTCMonth() + 1)}-${two(day.getUTCDate())}`;
const shifted = (day, days) => dayOf(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate() + days);

function shiftedMonth(day, months) {
  const last = dayOf(day.getUTCFullYear(), day.getUTCMonth() + months + 1, 0);
  return dayOf(last.getUTCFullYear(), last.getUTCMonth(), Math.min(day.getUTCDate(), last.getUTCDate()));
}

// "2027-05-14" or "14 May 2027" to a day, else null.
function read(text) {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim());
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  const words = /^(\d{1,2}) ([a-z]{3,}) (\d{4})$/i.exec(text.trim());
  const month = words ? MONTHS.findIndex((name) => name.toLowerCase().startsWith(words[2].toLowerCase())) : -1;
  return month < 0 ? null : dayOf(Number(words[3]), month, Number(words[1]));
}

function nameOf(day) {
  return `${DAYS[day.getUTCDay()]} ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

class Calendar {
  constructor(input, button, withTime) {
    this.input = input;
    this.button = button;
    const [, typed, time] = /^(.*?)(?:,?[ T](\d{1,2}:\d{2}))?$/.exec(input.value.trim());
    this.time = withTime ? ` ${time ?? "09:00"}` : "";
    this.today = read(document.documentElement.dataset.today ?? "");
    this.chosen = read(typed);
    this.focused = this.chosen ?? this.today ?? dayOf(2030, 0, 1);
    this.build();
  }

  build() {
    const id = uid("calendar");
    this.month = make("p", { class: "calendar-month", id: `${id}-month`, "aria-live": "polite" });
    this.grid = make("table", { class: "calendar-grid", role: "grid", "aria-labelledby": `${id}-month` });
    this.grid.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (cell) this.pick(read(cell.dataset.day));
    });
    this.grid.addEventListener("keydown", (event) => this.onKey(event));
    const head = make("div", { class: "calendar-head" },
      this.turner("Previous month", "chevron-left", -1), this.month, this.turner("Next month", "chevron-right", 1));
    const cancel = make("button", { type: "button", class: "btn btn-secondary btn-sm" }, "Cancel");
    cancel.addEventListener("click", () => this.dialog.close());
    const foot = make("div", { class: "calendar-foot" }, cancel);
    if (this.today) {
      const today = make("button", { type: "button", class: "btn btn-quiet btn-sm" }, "Go to today");
      today.addEventListener("click", () => this.show(this.today, true));
      foot.prepend(today);
    }
    const close = make("button", { type: "button", class: "btn btn-quiet btn-icon", "aria-label": "Close" }, icon("x-lg"));
    close.addEventListener("click", () => this.dialog.close());
    this.dialog = make("dialog", { class: "dialog calendar", "aria-labelledby": `${id}-title`, "aria-modal": "true" },
      make("div", { class: "dialog-head" }, make("h2", { id: `${id}-title` }, this.button.getAttribute("aria-label")), close),
      make("div", { class: "dialog-body" }, head, this.grid, foot));
    this.dialog.addEventListener("close", () => {
      this.dialog.remove();
      this.button.focus();
    });
  }

  turner(name, picture, months) {
    const button = make("button", { type: "button", class: "btn btn-quiet btn-icon", "aria-label": name }, icon(picture));
    button.addEventListener("click", () => this.show(shiftedMonth(this.focused, months), false));
    return button;
  }

  open() {
    (this.input.closest("dialog") ?? document.body).append(this.dialog);
    this.show(this.focused, false);
    this.dialog.showModal();
    this.grid.querySelector("[tabindex='0']").focus();
  }

  show(day, focus) {
    this.focused = day;
    this.month.textContent = `${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
    const first = dayOf(day.getUTCFullYear(), day.getUTCMonth(), 1);
    const start = shifted(first, -((first.getUTCDay() + 6) % 7));
    const heads = [1, 2, 3, 4, 5, 6, 0].map((n) => make("th", { scope: "col", abbr: DAYS[n], "aria-label": DAYS[n] }, DAYS[n].slice(0, 2)));
    const weeks = [0, 1, 2, 3, 4, 5].map((week) => make("tr", {}, ...[0, 1, 2, 3, 4, 5, 6].map((n) => this.cell(shifted(start, week * 7 + n)))));
    this.grid.replaceChildren(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...weeks));
    if (focus) this.grid.querySelector("[tabindex='0']").focus();
  }

  cell(day) {
    const iso = isoOf(day);
    const classes = [day.getUTCMonth() === this.focused.getUTCMonth() ? "" : "is-outside", this.today && iso === isoOf(this.today) ? "is-today" : ""];
    return make("td", {
      role: "gridcell", "data-day": iso, class: classes.join(" ").trim() || null,
      tabindex: iso === isoOf(this.focused) ? "0" : "-1", "aria-label": nameOf(day),
      "aria-selected": this.chosen && iso === isoOf(this.chosen) ? "true" : "false",
      "aria-current": classes[1] ? "date" : null,
    }, String(day.getUTCDate()));
  }

  onKey(event) {
    const day = this.focused;
    const weekday = (day.getUTCDay() + 6) % 7;
    const moves = {
      ArrowLeft: () => shifted(day, -1), ArrowRight: () => shifted(day, 1),
      ArrowUp: () => shifted(day, -7), ArrowDown: () => shifted(day, 7),
      Home: () => shifted(day, -weekday), End: () => shifted(day, 6 - weekday),
      PageUp: () => shiftedMonth(day, event.shiftKey ? -12 : -1), PageDown: () => shiftedMonth(day, event.shiftKey ? 12 : 1),
    };
    if (event.key === "Enter" || event.key === " ") this.pick(day);
    else if (moves[event.key]) this.show(moves[event.key](), true);
    else return;
    event.preventDefault();
  }

  pick(day) {
    this.input.value = isoOf(day) + this.time;
    this.input.dispatchEvent(new Event("input", { bubbles: true }));
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
    this.dialog.close();
  }
}
