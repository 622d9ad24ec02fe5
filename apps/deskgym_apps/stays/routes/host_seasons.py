"""Seasons of a listing: nights with a price of their own (STAY-3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.errors import NotFound, ServiceError
from ...kit.forms import read_form, show_form
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, Link
from ..service.host_inputs import SeasonChanges
from .host_editing import LISTINGS
from .routing import blueprint, faults_of, form_page, may_be_mended, status_of, to, token

_NAMES = ("name", "date_from", "date_to", "adjust_percent", "fixed_price", "priority")
_EMPTY: dict[str, Any] = dict.fromkeys(_NAMES)


def _held(listing_id: str, season_id: str) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """The listing and its season; an empty one for a new season. Raises NotFound."""
    found: Mapping[str, Any] = read("stays.host_listing", {"id": listing_id})
    if not season_id:
        return found, dict(_EMPTY)
    for one in found["seasons"]:
        if one["id"] == season_id:
            price = one["fixed_price"]
            return found, {**one, "fixed_price": price["amount"] if isinstance(price, Mapping) else price}
    raise NotFound(f"this listing has no season {season_id}")


def _page(listing_id: str, season_id: str, error: ServiceError | None) -> tuple[str, int]:
    found, held = _held(listing_id, season_id)
    typed = request.form if error is not None else None
    drawn = show_form(
        SeasonChanges,
        filler(),
        values=held,
        typed=typed,
        faults=faults_of(error),
        only=_NAMES,
        units={"fixed_price": found["currency"], "adjust_percent": "%"},
        required=("name", "date_from", "date_to"),
    )
    title = f"Season {held['name']}" if season_id else f"New season of {found['title']}"
    form = Form(
        action=f"{LISTINGS}/{listing_id}/seasons/{season_id or 'new'}",
        sections=(FieldSection("", tuple(drawn[name] for name in _NAMES)),),
        submit_label="Save season",
        cancel_href=f"{LISTINGS}/{listing_id}/seasons",
        token=token("season", season_id or listing_id, held.get("row_version")),
        row_version=held.get("row_version"),
        errors=drawn.errors,
        id="season",
        title=title,
    )
    crumbs = (Link("Listings", LISTINGS), Link(found["title"], f"{LISTINGS}/{listing_id}/seasons"))
    return form_page(form, title, kicker="Seasons", icon="calendar3", crumbs=crumbs, status=status_of(error))


@blueprint.get("/host/listings/<listing_id>/seasons/<season_id>")
def season_form(listing_id: str, season_id: str) -> tuple[str, int]:
    """A season, or `new`."""
    return _page(listing_id, "" if season_id == "new" else season_id, None)


@blueprint.post("/host/listings/<listing_id>/seasons/<season_id>")
def save_season(listing_id: str, season_id: str) -> Response | tuple[str, int]:
    """Make or change a season."""
    is_new = season_id == "new"
    _, held = _held(listing_id, "" if is_new else season_id)
    try:
        values = read_form(SeasonChanges, request.form, filler(), values=held, only=_NAMES).changed()
        if is_new:
            run("stays.create_season", {"listing": listing_id, **values})
        elif values:
            version = request.form.get("row_version", "")
            number = int(version) if version.isascii() and version.isdigit() else 0
            run("stays.update_season", {"id": season_id, "values": values, "row_version": number})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _page(listing_id, "" if is_new else season_id, error)
    return to(f"{LISTINGS}/{listing_id}/seasons", done="season")


@blueprint.post("/host/listings/<listing_id>/seasons/<season_id>/delete")
def delete_season(listing_id: str, season_id: str) -> Response:
    """Take a season away."""
    version = request.form.get("row_version", "")
    number = int(version) if version.isascii() and version.isdigit() else 0
    run("stays.delete_season", {"id": season_id, "row_version": number})
    return to(f"{LISTINGS}/{listing_id}/seasons", done="season-deleted")
