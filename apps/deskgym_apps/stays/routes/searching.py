"""The start page and the results: where, when, who, filters, order, map and pages, all in the address (STAY-8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import Invalid, NotFound
from ...kit.session import read, read_kept
from ...kit.web import Option
from ..maps import Box, Pin, ground, laid_out, spot
from .addresses import pager
from .cards import ROOM_TYPES, card_of, named
from .faces import counted, span
from .languages import language
from .routing import blueprint, field_errors, href, page, round_money, told
from .search_faces import MapFace, SearchFace, place_names, problems_of, weekend_months
from .shell import toasts
from .wishes import Asked, read_amounts, read_numbers, read_stay, read_switches, read_words

SEARCH = "/stays/search"
SORTS = {
    "recommended": "Recommended",
    "price_low": "Price, lowest first",
    "price_high": "Price, highest first",
    "rating": "Best rated",
    "distance": "Distance from the place",
    "newest": "Newest",
}
_SWITCHES = {
    "instant_book": "Instant book",
    "free_cancellation": "Free cancellation",
    "self_checkin": "Self check-in",
    "superhost": "Superhost",
    "step_free": "Step-free access",
    "include_new": "Also new listings without a rating",
}
_BOX = ("south", "west", "north", "east")
_AMOUNTS = ("minPrice", "maxPrice", "min_rating", *_BOX)
_NUMBERS = ("bedrooms", "beds", "baths", "page")
_WORDS = ("location", "placeId", "price_mode", "propertyType", "host_language", "sort", "weekend_in", "currency")
_LISTS = ("amenities", "property_types")


@blueprint.get("/")
def explore() -> tuple[str, int]:
    """The start page: search, places and well-liked listings."""
    found = read("stays.search", {"sort": "rating"})
    rows = found["rows"][:8]
    names = named(rows)
    places = read_kept("stays.choices")["popular_places"]
    return page(
        "stays/explore.html",
        search=SearchFace(places=place_names(), months=weekend_months()),
        cards=[card_of(row, names[row["id"]], {}, "/stays/") for row in rows],
        places=[
            {
                "name": row["name"],
                "detail": row["full_name"],
                "href": href(SEARCH, {"placeId": row["id"], "location": row["full_name"]}),
                "seed": number,
            }
            for number, row in enumerate(places, 1)
        ],
        total=found["total"],
        toasts=toasts(),
    )


def asked_search() -> Asked:
    """What the address asks for."""
    asked = read_stay()
    read_words(asked, *_WORDS)
    read_amounts(asked, *_AMOUNTS)
    read_numbers(asked, *_NUMBERS)
    read_switches(asked, *_SWITCHES)
    for name in _LISTS:
        chosen = [text[:60] for text in request.args.getlist(name) if text][:40]
        if chosen:
            asked.values[name] = chosen
    if asked.values.get("sort") not in (None, *SORTS):
        asked.errors["sort"] = f'there is no order "{asked.values["sort"]}"'
    _forget_old_place(asked)
    return asked


def _forget_old_place(asked: Asked) -> None:
    """A place id counts only while its name stands in the bar, so that typing another name searches there."""
    place_id = asked.values.get("placeId")
    if place_id is None or "location" not in asked.values:
        return
    known = [row["id"] for row in read("stays.places", {"text": asked.values["location"], "limit": 50})["rows"]]
    if place_id not in known:
        del asked.values["placeId"]


@blueprint.get("/search")
def search() -> tuple[str, int]:
    """Results with their filters and map; an address that cannot be read is said so above an empty list."""
    asked = asked_search()
    errors: dict[str, str] = dict(asked.errors)
    loose: tuple[str, ...] = ()
    found = None
    if not errors:
        try:
            found = read("stays.search", asked.values)
        except Invalid as error:
            errors, loose = field_errors(error, {name: name for name in (*asked.typed, *_LISTS)})
        except NotFound as error:
            errors = {"location": told(error.message)}
    return page("stays/results.html", 200 if found else 422, **_results(asked, found, errors, loose))


def _results(asked: Asked, found: Any, errors: dict[str, str], loose: tuple[str, ...]) -> dict[str, Any]:
    rows = found["rows"] if found else []
    state = {name: "1" if value is True else value for name, value in asked.values.items()}
    stay: dict[str, Any] = {
        name: state[name] for name in ("checkin", "checkout", "adults", "children", "infants", "pets") if name in state
    }
    here = href(SEARCH, state)
    names = named(rows)
    cards = [card_of(row, names[row["id"]], stay, here) for row in rows]
    place = found["place"] if found else None
    bar = SearchFace(
        where=asked.values.get("location", place["full_name"] if place else ""),
        checkin=asked.typed.get("checkin", ""),
        checkout=asked.typed.get("checkout", ""),
        guests=asked.guests(),
        errors={
            "where": errors.get("location", ""),
            "checkin": errors.get("checkin", ""),
            "checkout": errors.get("checkout", ""),
            "weekend_in": errors.get("weekend_in", ""),
        },
        weekend_in=asked.typed.get("weekend_in", ""),
        months=weekend_months(asked.typed.get("weekend_in", "")),
        hidden=_kept(state),
        places=place_names(),
    )
    return {
        "search": bar,
        "heading": _heading(found, place, asked),
        "problems": problems_of(errors, loose),
        "cards": cards,
        "found": found,
        "chips": _chips(state),
        "quick": _quick(state),
        "filters": _filters(asked, found, errors),
        "hidden": _without(state, _FILTERS),
        "sort_hidden": _without(state, {"sort", "page"}),
        "sorts": [Option(key, text) for key, text in SORTS.items() if key != "distance" or place],
        "sort": asked.values.get("sort", "recommended"),
        "others": [
            {
                "name": other["full_name"],
                "href": href(SEARCH, state, placeId=other["id"], location=other["name"], page=""),
            }
            for other in (found["others"] if found and "placeId" not in state else [])
        ],
        "place": place,
        "pager": pager(SEARCH, state, found["page"], found["page_size"], found["total"]) if found else None,
        "map": _map(rows, names, place, stay, state) if rows else None,
        "clear_href": href(SEARCH, {name: value for name, value in state.items() if name not in _FILTERS}),
        "box_href": _box_href(rows, state),
        "toasts": toasts(),
    }


_FILTERS = {
    "minPrice", "maxPrice", "price_mode", "propertyType", "property_types", "amenities", "bedrooms", "beds", "baths",
    "host_language", "min_rating", "page", "currency", *_SWITCHES,
}  # fmt: skip


def _pairs(state: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for name, value in state.items():
        pairs += [(name, str(one)) for one in (value if isinstance(value, list) else [value])]
    return tuple(pairs)


def _without(state: Mapping[str, Any], names: set[str]) -> tuple[tuple[str, str], ...]:
    return _pairs({name: value for name, value in state.items() if name not in names})


def _kept(state: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a search from the bar keeps: filters and order, neither the page nor the map's box."""
    gone = {"location", "checkin", "checkout", "adults", "children", "infants", "pets", "page", "weekend_in", *_BOX}
    return _without(state, gone)


def _heading(found: Any, place: Any, asked: Asked) -> str:
    where = f" in {place['name']}" if place else ""
    if any(side in asked.values for side in _BOX):
        where = " in this part of the map"
    if not found:
        return "Stays"
    stays = counted(found["total"], "stay")
    dates = f", {span(*asked.stay)}" if asked.stay else ""
    return f"{stays}{where}{dates}" if found["total"] else f"No stays{where}{dates}"


def _chips(state: Mapping[str, Any]) -> list[dict[str, str]]:
    """What is filtered by, each with the address without it."""
    chips = []
    for name, label in _SWITCHES.items():
        if state.get(name):
            chips.append({"text": label, "href": href(SEARCH, state, **{name: "", "page": ""})})
    for name, label in (
        ("minPrice", "from {}"),
        ("maxPrice", "up to {}"),
        ("min_rating", "rated {} or better"),
        ("bedrooms", "{} or more bedrooms"),
        ("beds", "{} or more beds"),
        ("baths", "{} or more baths"),
        ("host_language", "host speaks {}"),
        ("currency", "prices in {}"),
    ):
        if state.get(name):
            told = language(state[name]) if name == "host_language" else state[name]
            chips.append({"text": label.format(told), "href": href(SEARCH, state, **{name: "", "page": ""})})
    if state.get("propertyType"):
        chips.append(
            {
                "text": ROOM_TYPES.get(state["propertyType"], state["propertyType"]),
                "href": href(SEARCH, state, propertyType="", page=""),
            }
        )
    for name in _LISTS:
        for one in state.get(name, []):
            rest = [other for other in state[name] if other != one]
            chips.append({"text": one.replace("_", " "), "href": href(SEARCH, state, **{name: rest, "page": ""})})
    return chips


def _quick(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The filters that people set most, as links that turn one on or off."""
    quick = [
        {
            "text": _SWITCHES[name],
            "on": bool(state.get(name)),
            "href": href(SEARCH, state, **{name: "" if state.get(name) else "1", "page": ""}),
        }
        for name in ("instant_book", "free_cancellation", "self_checkin", "superhost")
    ]
    entire = state.get("propertyType") == "entire_home"
    quick.insert(
        0,
        {
            "text": "Entire home",
            "on": entire,
            "href": href(SEARCH, state, propertyType="" if entire else "entire_home", page=""),
        },
    )
    for code, text in (("wifi", "Wi-Fi"), ("parking", "Parking"), ("kitchen", "Kitchen")):
        chosen = list(state.get("amenities", []))
        rest = [one for one in chosen if one != code]
        known = {one["code"] for one in read_kept("stays.choices")["amenities"]}
        if code in known:
            quick.append(
                {
                    "text": text,
                    "on": code in chosen,
                    "href": href(SEARCH, state, amenities=rest if code in chosen else [*chosen, code], page=""),
                }
            )
    return quick


def _filters(asked: Asked, found: Any, errors: Mapping[str, str]) -> dict[str, Any]:
    """The sheet of filters: values, choices, faults, and how the prices lie."""
    choices = read_kept("stays.choices")
    counts = (found or {}).get("facets", {})
    buckets = found["histogram"] if found else []
    most = max((bucket["count"] for bucket in buckets), default=1)
    return {
        "values": asked.values,
        "typed": asked.typed,
        "errors": errors,
        "switches": [(name, label, counts.get(name)) for name, label in _SWITCHES.items()],
        "room_types": [(key, label, counts.get("room_type", {}).get(key)) for key, label in ROOM_TYPES.items()],
        "amenities": choices["amenities"],
        "property_types": choices["property_types"],
        "languages": sorted((Option(code, language(code)) for code in choices["languages"]), key=lambda one: one.label),
        "currencies": choices["currencies"],
        "currency": found["currency"] if found else "",
        "histogram": [
            {
                "label": f"{round_money(b['from'])} to {round_money(b['to'])}",
                "count": b["count"],
                "length": b["count"] * 100 // max(1, most),
            }
            for b in buckets
        ],
    }


def e6(degrees: str) -> int:
    """Millionths of a degree of decimal text."""
    sign = -1 if degrees.startswith("-") else 1
    whole, _, part = degrees.lstrip("-").partition(".")
    return sign * (int(whole) * 1_000_000 + int((part + "000000")[:6]))


def _map(
    rows: list[Any], names: Mapping[str, str], place: Any, stay: Mapping[str, Any], state: Mapping[str, Any]
) -> MapFace:
    spots = {row["id"]: (e6(row["lat"]), e6(row["lng"])) for row in rows}
    box = Box(0, 0, 0, 0).around(list(spots.values()))
    pins = []
    for row in rows:
        x, y = spot(box, *spots[row["id"]])
        price = round_money(row["total"] if state.get("price_mode") == "total" and row["total"] else row["nightly"])
        text = re.sub(r"\.\d+", "", price)
        link = href(f"/stays/listings/{row['id']}", stay)
        pins.append(Pin(x, y, text, f"{names[row['id']]}, {price}, on the map", link))
    where = place["name"] if place else "these stays"
    return MapFace(
        label=f"Map of {where}",
        summary=f"{where}: prices of {counted(len(rows), 'stay')} of this page where they are",
        ground=ground(place["full_name"] if place else "everywhere", min(pin.x for pin in pins)),
        pins=laid_out(pins),
        caption="Places are shown roughly. Every price on the map is a stay of the list.",
    )


def _box_href(rows: list[Any], state: Mapping[str, Any]) -> str:
    """The search of the map's part of the world alone."""
    if not rows or any(side in state for side in _BOX):
        return ""
    box = Box(0, 0, 0, 0).around([(e6(row["lat"]), e6(row["lng"])) for row in rows])
    sides = dict(zip(_BOX, (box.s, box.w, box.n, box.e), strict=True))
    texts = {
        side: f"{'-' if value < 0 else ''}{abs(value) // 1_000_000}.{abs(value) % 1_000_000:06d}"
        for side, value in sides.items()
    }
    return href(SEARCH, state, page="", **texts)


__all__ = ["e6", "explore", "search"]
