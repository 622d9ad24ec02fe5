"""Checkout on one page: the trip, a coupon, the card, a message, the policy, and one button (STAY-1, 3, 7, 10, 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.errors import Invalid, ServiceError
from ...kit.session import read, run
from .addresses import chosen
from .cards import kind_of, photos_of
from .faces import counted, short_date
from .prices import price_of
from .routing import blueprint, faults_of, field_errors, href, may_be_mended, page, shown_money, status_of, to, token
from .wishes import Asked, read_service_animals, read_stay

_CONTROLS = {
    "payment_method": "payment_method",
    "accept_policy": "accept_policy",
    "message": "message",
    "coupon": "coupon",
}


def asked_stay(source: Mapping[str, str]) -> tuple[Asked, dict[str, Any]]:
    """The stay that an address or a posted form is about, and what a quote of it is asked with."""
    asked = read_stay(source)
    read_service_animals(asked, source)
    wanted = dict(asked.values)
    if source.get("currency") in read("stays.choices")["currencies"]:
        wanted["currency"] = source["currency"]
    plan = chosen("rate_plan", ("standard", "nonrefundable"), given=source)
    if plan == "nonrefundable":
        wanted["rate_plan"] = plan
    if source.get("coupon", "").strip():
        wanted["coupon"] = source["coupon"].strip()[:40]
    if chosen("use_credit", ("1",), given=source):
        wanted["use_credit"] = True
    return asked, wanted


@blueprint.get("/book/<listing_id>")
def checkout(listing_id: str) -> Response | tuple[str, int]:
    """The checkout of the stay that the address names; without dates, the listing."""
    asked, wanted = asked_stay(request.args)
    if asked.errors or asked.stay is None:
        return to(href(f"/stays/listings/{listing_id}", asked.typed))
    return _page(listing_id, wanted, {}, None)


@blueprint.post("/book/<listing_id>")
def book(listing_id: str) -> Response | tuple[str, int]:
    """Book, or ask to."""
    form = request.form
    asked, wanted = asked_stay(form)
    arguments: dict[str, Any] = {
        "quote_id": form.get("quote_id", ""),
        "payment_method": form.get("payment_method", ""),
        "accept_policy": form.get("accept_policy") == "1",
    }
    for name in ("message", "coupon"):
        if form.get(name, "").strip():
            arguments[name] = form[name].replace("\r\n", "\n").strip()
    try:
        _check_ticked(arguments)
        done = run("stays.book", arguments)
    except ServiceError as error:
        if not may_be_mended(error) or asked.stay is None:
            raise
        return _page(listing_id, wanted, form, error)
    told = "booked" if done["status"] == "confirmed" else "requested"
    return to(f"/stays/trips/{done['code']}", done=told)


def _check_ticked(arguments: Mapping[str, Any]) -> None:
    """Say what is missing beside its control before the service is asked."""
    if not arguments["payment_method"]:
        raise Invalid("choose a card", field="payment_method")
    if not arguments["accept_policy"]:
        raise Invalid("tick that you accept the cancellation policy and the house rules", field="accept_policy")


def _page(
    listing_id: str, wanted: dict[str, Any], typed: Mapping[str, str], error: ServiceError | None
) -> tuple[str, int]:
    found = read("stays.listing", {"id": listing_id})
    quote = read("stays.quote", {"listing": listing_id, **wanted})
    errors, loose = field_errors(error, _CONTROLS)
    cards = read("stays.payment_methods")["rows"]
    usual = next((card["id"] for card in cards if card["is_default"]), "")
    state = {**wanted, **({"use_credit": "1"} if wanted.get("use_credit") else {})}
    me = read("stays.whoami")
    problems = [(name, text) for name, text in errors.items()] + [("", text) for text in loose]
    path = f"/stays/book/{listing_id}"
    animals = wanted.get("service_animals", 0)
    plain = {name: value for name, value in state.items() if name != "rate_plan"}
    return page(
        "stays/checkout.html",
        status_of(error),
        listing=found,
        kind=kind_of(found),
        photo=photos_of(found["photos"], found["title"])[0],
        quote=quote,
        price=price_of(quote),
        path=path,
        stay={name: value for name, value in state.items() if name != "coupon"},
        state=state,
        dates=f"{short_date(wanted['checkin'])} – {short_date(wanted['checkout'], year=True)}",
        nights=counted(quote["nights_count"], "night"),
        guests=read_stay({name: str(wanted.get(name, "")) for name in ("adults", "children", "infants", "pets")})
        .guests()
        .words
        + (f", {counted(animals, 'service animal')} among them" if animals else ""),
        currencies=read("stays.choices")["currencies"],
        charged=quote["total"]["currency"],
        change_href=href(
            f"/stays/listings/{listing_id}",
            {
                name: value
                for name, value in state.items()
                if name not in ("coupon", "rate_plan", "use_credit", "currency")
            },
        ),
        plans=[
            {
                "plan": one["rate_plan"],
                "total": shown_money(one["total"]),
                "href": href(path, plain, rate_plan="" if one["rate_plan"] == "standard" else one["rate_plan"]),
            }
            for one in quote["rate_plans"]
        ],
        cards=cards,
        chosen=typed.get("payment_method", usual),
        message=typed.get("message", ""),
        accepted=typed.get("accept_policy") == "1",
        errors=errors,
        problems=problems,
        taken=error is not None
        and any(fault.field in ("checkin", "checkout") for fault in faults_of(error))
        and error.status == 409,
        token=token("book", listing_id),
        credit=me["credit"] if me["credit"]["amount"].strip("0.") else None,
        credit_href=href(path, state, use_credit="" if wanted.get("use_credit") else "1"),
    )
