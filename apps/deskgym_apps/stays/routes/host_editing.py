"""The host's listings and their editor: a step for each tab, prices with a live example (feature 15 and 17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.errors import Conflict, Invalid, NotFound, ServiceError
from ...kit.forms import read_form, show_form
from ...kit.operations import Input
from ...kit.session import filler, read, run
from ...kit.web import Change, FieldSection, Form, FormField, Link, Option
from ...kit.web import Conflict as ConflictFace
from ..pictures import picture_url
from ..service.host_inputs import ListingChanges, PricingChanges, RuleChanges
from .cards import ROOM_TYPES, facts_of, kind_of, photos_of
from .faces import counted, span
from .host_changes import FIELDS, changes_of, number_of, rooms_typed
from .hosting import HOST, host_page, need_host
from .prices import price_of
from .routing import blueprint, faults_of, may_be_mended, page, shown_money, status_of, to, token

LISTINGS = f"{HOST}/listings"
STEPS = (
    ("basics", "Basics"),
    ("rooms", "Rooms"),
    ("photos", "Photos"),
    ("amenities", "Amenities"),
    ("rules", "House rules"),
    ("booking", "Booking and policy"),
    ("pricing", "Pricing"),
    ("seasons", "Seasons"),
)
_MONEY = ("base_price", "weekend_price", "extra_guest_fee", "cleaning_fee", "pet_fee")
_STATUSES = (
    Option("draft", "Draft"),
    Option("listed", "Listed"),
    Option("snoozed", "Snoozed"),
    Option("unlisted", "Unlisted"),
)


@blueprint.get("/host/listings")
def host_listings() -> tuple[str, int]:
    """Own listings as cards."""
    need_host()
    found = read("stays.host_listings")
    cards = [
        {
            "row": row,
            "photo": photos_of(row["photos"], row["title"])[0],
            "facts": f"{kind_of(row)} · {facts_of(row)}",
            "price": shown_money(row["base_price"]),
            "waiting": counted(row["pending"], "request") if row["pending"] else "",
            "href": f"{LISTINGS}/{row['id']}/basics",
        }
        for row in found["rows"]
    ]
    return host_page("stays/host_listings.html", "listings", cards=cards)


def _choices() -> dict[str, Sequence[Option]]:
    found = read("stays.listing_choices")
    return {
        "property_type": [Option(kind, kind.replace("_", " ").capitalize()) for kind in found["property_types"]],
        "room_type": [Option(key, label) for key, label in ROOM_TYPES.items()],
        "policy": [Option(one["code"], one["title"], one["summary"]) for one in found["policies"]],
        "status": _STATUSES,
        "place": [Option(one["id"], one["full_name"], one["currency"]) for one in found["places"]],
    }


def _with_choices(field: FormField, choices: Mapping[str, Sequence[Option]]) -> FormField:
    """A field as the editor shows it: one whose values come from a table is a select; nothing is called null."""
    told = replace(field, help=field.help.replace("Null:", "Empty:").replace("null", "empty"))
    if field.name not in choices or field.kind == "select":
        return told
    return replace(told, kind="select", options=tuple(choices[field.name]))


@blueprint.get("/host/listings/<listing_id>")
def editor(listing_id: str) -> Response:
    """The first step."""
    return to(f"{LISTINGS}/{listing_id}/basics")


@blueprint.get("/host/listings/<listing_id>/<step>")
def edit_form(listing_id: str, step: str) -> tuple[str, int]:
    """One step of the editor."""
    return _step_page(listing_id, step, None)


def _own(listing_id: str, step: str) -> Mapping[str, Any]:
    if step not in dict(STEPS):
        raise NotFound(f"the editor has no step {step}")
    found: Mapping[str, Any] = read("stays.host_listing", {"id": listing_id})
    return found


def _step_page(listing_id: str, step: str, error: ServiceError | None) -> tuple[str, int]:
    found = _own(listing_id, step)
    typed = request.form if error is not None else None
    extra: dict[str, Any] = {}
    if step == "pricing":
        form = _model_form(
            found, step, PricingChanges, tuple(PricingChanges.model_fields), found["pricing"], typed, error
        )
        extra = _example(found)
    elif step == "rules":
        form = _model_form(
            found, step, RuleChanges, tuple(RuleChanges.model_fields), found["values"]["rules"], typed, error
        )
    elif step in FIELDS:
        form = _model_form(found, step, ListingChanges, FIELDS[step], found["values"], typed, error)
    else:
        form = None
        extra = _parts(found, step, typed)
    return host_page(
        "stays/host_editor.html",
        "listings",
        status_of(error),
        listing=found,
        steps=[
            {"key": key, "label": label, "href": f"{LISTINGS}/{listing_id}/{key}", "current": key == step}
            for key, label in STEPS
        ],
        step=step,
        step_label=dict(STEPS)[step],
        form=form,
        problems=[fault.shown for fault in faults_of(error)] if form is None else [],
        token=token(f"listing-{step}", listing_id, found["row_version"]),
        currency=found["currency"],
        **extra,
    )


def _model_form(
    found: Mapping[str, Any],
    step: str,
    model: type[Input],
    names: tuple[str, ...],
    values: Mapping[str, Any],
    typed: Mapping[str, str] | None,
    error: ServiceError | None,
) -> Form:
    choices = _choices()
    drawn = show_form(
        model,
        filler(),
        values=values,
        typed=typed,
        faults=faults_of(error),
        only=names,
        options=choices,
        units=dict.fromkeys(_MONEY, found["currency"]) | {name: "%" for name in names if name.endswith("_percent")},
    )
    fields = tuple(_with_choices(drawn[name], choices) for name in names)
    return Form(
        action=f"{LISTINGS}/{found['id']}/{step}",
        sections=(FieldSection(dict(STEPS)[step], fields),),
        submit_label=f"Save {dict(STEPS)[step].lower()}",
        cancel_href=LISTINGS,
        token=token(f"listing-{step}", found["id"], found["row_version"]),
        row_version=int(typed["row_version"])
        if typed and typed.get("row_version", "").isdigit()
        else found["row_version"],
        errors=drawn.errors,
        id=step,
        title=f"{dict(STEPS)[step]} of {found['title']}",
    )


def _example(found: Mapping[str, Any]) -> dict[str, Any]:
    """What a stay would cost and bring, at the prices saved."""
    wanted: dict[str, Any] = {"listing": found["id"]}
    for name, least, most in (("nights", 1, 365), ("adults", 1, 16)):
        text = request.args.get(name, "")
        if text.isascii() and text.isdigit() and len(text) < 4 and least <= int(text) <= most:
            wanted[name] = int(text)
    quote = read("stays.host_example_quote", wanted)
    return {
        "example": price_of(quote),
        "example_stay": f"{span(quote['checkin'], quote['checkout'])}, {counted(wanted.get('adults', 2), 'adult')}",
        "earnings": shown_money(quote["earnings"]["net"]),
        "host_fee": shown_money(quote["earnings"]["host_fee"]),
        "nights": wanted.get("nights", 3),
        "adults": wanted.get("adults", 2),
    }


def _parts(found: Mapping[str, Any], step: str, typed: Mapping[str, str] | None) -> dict[str, Any]:
    held = found["values"]
    if step == "amenities":
        notes = {one["amenity"]: one["note"] or "" for one in held["amenities"]}
        rows = [
            {
                **one,
                "on": one["code"] in notes if typed is None else typed.get(f"has-{one['code']}") == "1",
                "note": notes.get(one["code"], "") if typed is None else typed.get(f"note-{one['code']}", ""),
            }
            for one in read("stays.listing_choices")["amenities"]
        ]
        return {"amenities": rows}
    if step == "rooms":
        blank = {"name": "", "is_bedroom": True, "double_beds": 0, "single_beds": 0, "sofa_beds": 0}
        return {"rooms": [*held["rooms"], blank] if typed is None else rooms_typed(typed)}
    if step == "photos":
        seeds = {one["pos"]: one["seed"] for one in found["photos"]}
        return {
            "photos": [{**one, "url": picture_url(one["room"], seeds[one["pos"]])} for one in held["photos"]],
            "photo_rooms": read("stays.listing_choices")["photo_rooms"],
        }
    return {"seasons": [{**one, "dates": span(one["date_from"], one["date_to"])} for one in found["seasons"]]}


def _version() -> int:
    text = request.form.get("row_version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@blueprint.post("/host/listings/<listing_id>/<step>")
def edit(listing_id: str, step: str) -> Response | tuple[str, int]:
    """Save a step."""
    found = _own(listing_id, step)
    path = f"{LISTINGS}/{listing_id}/{step}"
    try:
        if step == "pricing":
            values = read_form(PricingChanges, request.form, filler(), values=found["pricing"]).changed()
            if values:
                run("stays.host_pricing", {"listing": listing_id, "values": values, "row_version": _version()})
            return to(path, done="pricing")
        values = changes_of(found, step)
        if values and values != {"rules": {}}:
            run("stays.update_listing", {"listing": listing_id, "values": values, "row_version": _version()})
    except Conflict as error:
        return _conflict(found, path, step, values, error)
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _step_page(listing_id, step, error)
    return to(path, done="listing")


def _conflict(
    found: Mapping[str, Any], path: str, step: str, values: Mapping[str, Any], error: Conflict
) -> tuple[str, int]:
    """What somebody else changed meanwhile, beside what was typed (X-7)."""
    held = found["pricing"] if step == "pricing" else found["values"]
    changes = tuple(
        Change(
            label=name.replace("_", " ").capitalize(),
            theirs=_told(held.get(name)),
            yours=_told(value),
            when=str(error.details.get("changed_at", "")),
        )
        for name, value in values.items()
    )
    kept = tuple((name, value) for name, value in request.form.items(multi=True) if name != "row_version")
    face = ConflictFace(
        record=found["title"],
        record_href=path,
        changes=changes,
        retry_post=path,
        retry_fields=(*kept, ("row_version", str(found["row_version"]))),
        edit_href=path,
    )
    return page("kit/conflict.html", 409, conflict=face, crumbs=(Link("Listings", LISTINGS),))


def _told(value: Any) -> str:
    return "" if value is None else f"{len(value)} entries" if isinstance(value, list | dict) else str(value)


@blueprint.get("/host/listings/new")
def new_listing() -> tuple[str, int]:
    """A new draft."""
    return _new_page({}, None)


@blueprint.post("/host/listings/new")
def create_listing() -> Response | tuple[str, int]:
    """Make the draft."""
    form = request.form
    arguments: dict[str, Any] = {
        name: form.get(name, "").strip()
        for name in ("place", "title", "description", "property_type", "room_type", "base_price")
    }
    arguments["max_guests"] = number_of(form.get("max_guests", "").strip())
    beds = {
        "double_beds": number_of(form.get("double_beds", "").strip()),
        "single_beds": number_of(form.get("single_beds", "").strip()),
    }
    arguments["rooms"] = [{"name": "Bedroom", "is_bedroom": True, **beds}]
    try:
        done = run("stays.create_listing", arguments)
    except Invalid as error:
        return _new_page(form, error)
    return to(f"{LISTINGS}/{done['id']}/basics", done="created")


def _new_page(typed: Mapping[str, str], error: Invalid | None) -> tuple[str, int]:
    need_host()
    choices = _choices()
    errors = {(fault.field or "").split(".")[0]: fault.shown for fault in reversed(faults_of(error))}

    def box(name: str, label: str, kind: Any = "text", **more: Any) -> FormField:
        blank = (Option("", "Choose…"),) if name in choices else ()
        return FormField(
            name=name,
            label=label,
            kind=kind,
            required=True,
            value=typed.get(name, more.pop("usual", "")),
            error=errors.get(name, ""),
            options=(*blank, *choices.get(name, ())),
            **more,
        )

    fields = (
        box("title", "Title", max_length=80),
        box("place", "Place", "select"),
        box("property_type", "Property type", "select"),
        box("room_type", "Type of place", "select"),
        box("max_guests", "Guests at most", "number", usual="2"),
        box("double_beds", "Double beds", "number", usual="1"),
        box("single_beds", "Single beds", "number", usual="0"),
        box("base_price", "Base price", "money", help="A night, in the currency of the place."),
        box("description", "Description", "textarea"),
    )
    known = {field.name for field in fields}
    form = Form(
        action=f"{LISTINGS}/new",
        sections=(FieldSection("The place", fields),),
        submit_label="Create draft",
        cancel_href=LISTINGS,
        token=token("new-listing"),
        errors=tuple(text for name, text in errors.items() if name not in known),
        id="listing",
        title="New listing",
    )
    return host_page("stays/host_form.html", "listings", status_of(error), title="New listing", form=form)
