"""The page of a listing, its photos and its reviews."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import Invalid
from ...kit.session import read
from ..maps import Box, ground, spot
from .addresses import chosen, chosen_month, page_number, pager
from .calendar_faces import availability
from .cards import facts_of, kind_of, photos_of
from .faces import Bar, counted
from .listing_parts import highlights, policy_words, review_of, rooms_of, rules_of
from .prices import price_of
from .routing import blueprint, field_errors, href, page, round_money
from .search_faces import MapFace
from .searching import e6
from .shell import toasts
from .wishes import Asked, read_service_animals, read_stay

MOST_SERVICE_ANIMALS = 5
_SIZE = 50
_CATEGORIES = ("cleanliness", "accuracy", "checkin", "communication", "location", "value")


@blueprint.get("/listings/<listing_id>")
def listing(listing_id: str) -> tuple[str, int]:
    """A listing with its price for the dates of the address."""
    asked = read_stay()
    read_service_animals(asked, request.args)
    found = read("stays.listing", {"id": listing_id})
    quote, errors = _quote(listing_id, asked)
    state: dict[str, Any] = {**asked.values, "month": chosen_month()}
    path = f"/stays/listings/{listing_id}"
    shown_from = _first_shown(asked)
    photos = photos_of(found["photos"], found["title"])
    stay = {name: value for name, value in state.items() if name != "month"}
    return page(
        "stays/listing.html",
        422 if errors else 200,
        listing=found,
        path=path,
        kind=kind_of(found),
        facts=f"{counted(found['max_guests'], 'guest')} · {facts_of(found)}",
        photos=photos,
        photos_href=href(f"{path}/photos", stay),
        highlights=highlights(found),
        rooms=rooms_of(found),
        rules=rules_of(found),
        policy=policy_words(found, quote),
        bars=bars_of(found),
        reviews=[review_of(one) for one in read("stays.reviews", {"listing": listing_id, "limit": 6})["rows"]],
        reviews_href=href(f"{path}/reviews", stay),
        calendar=availability(path, listing_id, state, shown_from),
        asked=asked,
        guests=asked.guests(limits(found)),
        quote=quote,
        price=price_of(quote) if quote else None,
        per_night=round_money(quote["average_night"] if quote else found["base_price"]),
        errors=errors,
        book_href=href(f"/stays/book/{listing_id}", stay),
        ask_href=href("/stays/messages/new", {"listing": listing_id, **stay}),
        save_href=href("/stays/wishlists/save", {"listing": listing_id, "back": href(path, stay)}),
        map=around(found),
        toasts=toasts(),
    )


def limits(found: Mapping[str, Any]) -> dict[str, int]:
    """How many of each the steppers go to."""
    most, pets = found["max_guests"], max(found["max_pets"], MOST_SERVICE_ANIMALS)
    return {"adults": most, "children": max(0, most - 1), "infants": found["max_infants"], "pets": pets}


def _first_shown(asked: Asked) -> str:
    month = chosen_month()
    if month:
        return f"{month}-01"
    return str(asked.values.get("checkin", ""))


def _quote(listing_id: str, asked: Asked) -> tuple[Any, dict[str, str]]:
    """The price of the stay that the address asks for, where it names both dates."""
    errors = dict(asked.errors)
    wanted = {"listing": listing_id, **asked.values}
    if errors or "checkin" not in wanted or "checkout" not in wanted:
        return None, errors
    try:
        return read("stays.quote", wanted), {}
    except Invalid as error:
        placed, loose = field_errors(error, {name: name for name in asked.typed})
        return None, placed or {"": loose[0]}


def bars_of(found: Mapping[str, Any]) -> list[Bar]:
    """The six categories as bars."""
    ratings = found["categories"]
    bars = []
    for name in _CATEGORIES:
        text = ratings.get(name)
        if text:
            label = "Check-in" if name == "checkin" else name.capitalize()
            whole, _, part = text.partition(".")
            bars.append(Bar(label, text, (int(whole) * 100 + int((part + "00")[:2])) // 5))
    return bars


def around(found: Mapping[str, Any]) -> MapFace:
    """Where the listing is, roughly."""
    lat, lng = e6(found["lat"]), e6(found["lng"])
    box = Box(lat - 9_000, lng - 9_000, lat + 9_000, lng + 9_000)
    return MapFace(
        label="Where you will be",
        summary=f"{found['title']} lies in the marked part of {found['place']}",
        ground=ground(found["place"]),
        circle=spot(box, lat, lng),
        caption=f"{found['place']}. The exact address is shown after booking.",
    )


@blueprint.get("/listings/<listing_id>/photos")
def listing_photos(listing_id: str) -> tuple[str, int]:
    """Every photo, large, with its caption."""
    found = read("stays.listing", {"id": listing_id})
    back = href(f"/stays/listings/{listing_id}", read_stay().values)
    shown = [
        {"photo": photo, "caption": row["caption"]}
        for photo, row in zip(photos_of(found["photos"], found["title"]), found["photos"], strict=False)
    ]
    return page("stays/photos.html", listing=found, photos=shown, back=back)


@blueprint.get("/listings/<listing_id>/reviews")
def listing_reviews(listing_id: str) -> tuple[str, int]:
    """Every review, searched and sorted by the address."""
    found = read("stays.listing", {"id": listing_id})
    number = page_number()
    wanted: dict[str, Any] = {"listing": listing_id, "limit": _SIZE, "offset": (number - 1) * _SIZE}
    if request.args.get("text", "").strip():
        wanted["text"] = request.args["text"].strip()[:100]
    sort = chosen("sort", ("newest", "oldest", "highest", "lowest"), "newest")
    wanted["sort"] = sort
    result = read("stays.reviews", wanted)
    return page(
        "stays/reviews.html",
        listing=found,
        reviews=[review_of(one) for one in result["rows"]],
        total=result["total"],
        pager=pager(
            f"/stays/listings/{listing_id}/reviews",
            {name: request.args.get(name) for name in ("text", "sort")},
            number,
            _SIZE,
            result["total"],
        ),
        text=request.args.get("text", ""),
        sort=sort,
        bars=bars_of(found),
        back=f"/stays/listings/{listing_id}",
    )
