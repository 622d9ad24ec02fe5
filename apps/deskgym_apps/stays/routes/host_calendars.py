"""The host's calendar: months of one listing, and changes of a range that first say how many nights (STAY-13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.dates import month_end
from ...kit.entry import read_date
from ...kit.errors import FieldError, Invalid, ServiceError
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, FormField, Option
from .addresses import chosen_month
from .faces import Calendar, Night, counted, first_of, month_of, span
from .hosting import HOST, host_page, need_host
from .routing import blueprint, field_errors, href, may_be_mended, round_money, status_of, to, token

CALENDAR = f"{HOST}/calendar"
ACTIONS = (
    Option("block", "Block nights"),
    Option("open", "Open nights"),
    Option("price", "Set price a night"),
    Option("min_nights", "Set minimum nights"),
    Option("note", "Set note"),
)
WEEKDAYS = (
    Option("1234567", "Every day"),
    Option("56", "Friday and Saturday"),
    Option("12347", "Sunday to Thursday"),
    Option("67", "Saturday and Sunday"),
    Option("12345", "Monday to Friday"),
)
_WORDS = {
    "reserved": "reserved",
    "blocked": "blocked",
    "preparation": "kept free for preparation",
    "past": "in the past",
    "free": "open",
}
_NAMES = {name: name for name in ("from", "to", "weekdays", "action", "value", "expected_nights")}


@blueprint.get("/host/calendar")
def host_calendar() -> tuple[str, int]:
    """Two months of the chosen listing, and the form that changes a range."""
    return _page(request.args, None, None)


def _month(source: Mapping[str, str], today: str) -> str:
    month = chosen_month(source)
    return f"{month}-01" if month else first_of(today)


def _typed(source: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The change that a form asks for, and what could not be read."""
    errors: dict[str, str] = {}
    values: dict[str, Any] = {
        "listing": source.get("listing", ""),
        "action": source.get("action", ""),
    }
    if source.get("weekdays", "1234567") != "1234567":
        values["weekdays"] = source["weekdays"]
    for name in ("from", "to"):
        try:
            values[name] = read_date(source.get(name, ""), filler().locale)
        except ValueError as error:
            errors[name] = str(error)
    if values["action"] in ("price", "min_nights", "note"):
        values["value"] = source.get("value", "").strip() or None
    return values, errors


@blueprint.get("/host/calendar/check")
def check_calendar() -> tuple[str, int]:
    """How many nights a change means, before it is made."""
    values, errors = _typed(request.args)
    try:
        if errors:
            raise Invalid([FieldError(name, text) for name, text in errors.items()])
        return _page(request.args, read("stays.host_calendar_count", values), None)
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _page(request.args, None, error)


@blueprint.post("/host/calendar")
def change_calendar() -> Response | tuple[str, int]:
    """Change the nights, with the number that was shown echoed."""
    form = request.form
    values, errors = _typed(form)
    number = form.get("expected_nights", "")
    try:
        if errors:
            raise Invalid([FieldError(name, text) for name, text in errors.items()])
        expected = int(number) if number.isascii() and number.isdigit() and len(number) < 5 else 0
        run("stays.host_calendar", {**values, "expected_nights": expected})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _page(form, None, error)
    return to(href(CALENDAR, {"listing": values["listing"], "month": values["from"][:7]}), done="calendar")


def _page(source: Mapping[str, str], count: Any, error: ServiceError | None) -> tuple[str, int]:
    me = need_host()
    listings = read("stays.host_listings")["rows"]
    chosen = next((row for row in listings if row["id"] == source.get("listing")), listings[0] if listings else None)
    if chosen is None:
        return host_page("stays/host_calendar.html", "calendar", calendar=None, listings=[])
    first = _month(source, me["today"])
    found = read(
        "stays.host_calendar_view", {"listing": chosen["id"], "from": first, "to": month_end(first_of(first, 1))}
    )
    one = found["listings"][0]
    state = {"listing": chosen["id"]}
    nights = {night["night"]: _night(night) for night in one["nights"]}
    calendar = Calendar(
        label=f"Calendar of {chosen['title']}",
        months=tuple(month_of(first_of(first, n), nights, today=one["today"]) for n in (0, 1)),
        back_href=href(CALENDAR, state, month=first_of(first, -2)[:7]),
        on_href=href(CALENDAR, state, month=first_of(first, 2)[:7]),
    )
    return host_page(
        "stays/host_calendar.html",
        "calendar",
        status_of(error),
        calendar=calendar,
        listing=chosen,
        listings=[
            {
                "title": row["title"],
                "href": href(CALENDAR, {"listing": row["id"], "month": first[:7]}),
                "current": row["id"] == chosen["id"],
            }
            for row in listings
        ],
        currency=one["currency"],
        stays_=[{**stay, "dates": span(stay["checkin"], stay["checkout"])} for stay in one["reservations"]],
        form=_form(chosen, source, first, error),
        count=count,
        asked={name: source.get(name, "") for name in ("from", "to", "weekdays", "action", "value")},
        what={option.value: option.label for option in ACTIONS}.get(source.get("action", ""), ""),
        nights=counted(count["nights"], "night") if count else "",
        token=token("host-calendar", chosen["id"]),
    )


def _night(night: Mapping[str, Any]) -> Night:
    price = round_money(night["price"])
    words = [_WORDS[night["status"]]]
    if night["codes"]:
        words.append(" and ".join(night["codes"]))
    words.append(price)
    if night["min_nights"] > 1:
        words.append(f"minimum {counted(night['min_nights'], 'night')}")
    if night["note"]:
        words.append(f"note: {night['note']}")
    state = "free" if night["status"] == "free" else "reserved-own" if night["codes"] else "blocked"
    link = f"/stays/trips/{night['codes'][0]}" if night["codes"] else ""
    return Night(state=state, words=", ".join(words), text=price.split(" ")[0], href=link)


def _form(chosen: Mapping[str, Any], source: Mapping[str, str], first: str, error: ServiceError | None) -> Form:
    errors, loose = field_errors(error, _NAMES)
    fields = (
        FormField(
            name="from",
            label="First night",
            kind="date",
            required=True,
            value=source.get("from", ""),
            error=errors.get("from", ""),
        ),
        FormField(
            name="to",
            label="Last night",
            kind="date",
            required=True,
            value=source.get("to", ""),
            error=errors.get("to", ""),
            help="It is changed too.",
        ),
        FormField(
            name="weekdays",
            label="On",
            kind="select",
            options=WEEKDAYS,
            value=source.get("weekdays", "1234567"),
            error=errors.get("weekdays", ""),
        ),
        FormField(
            name="action",
            label="Change",
            kind="select",
            options=ACTIONS,
            value=source.get("action", "block"),
            error=errors.get("action", ""),
        ),
        FormField(
            name="value",
            label="New price, minimum or note",
            value=source.get("value", ""),
            error=errors.get("value", "") or errors.get("expected_nights", ""),
            help="Empty takes the night's own away. Not needed to block or open.",
        ),
    )
    return Form(
        action=f"{CALENDAR}/check",
        sections=(FieldSection("", fields, columns=1, is_fixed=True),),
        submit_label="Count nights",
        cancel_href=href(CALENDAR, {"listing": chosen["id"], "month": first[:7]}),
        cancel_label="Clear form",
        hidden=(("listing", chosen["id"]), ("month", first[:7])),
        errors=loose,
        id="nights",
        title="Change nights",
    )
