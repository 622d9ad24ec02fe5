"""Wishlists: several lists with notes and dates; saving from a card or a listing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.entry import read_date
from ...kit.errors import FieldError, Invalid, NotFound, ServiceError
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, FormField, Link, Option
from ..pictures import picture_url
from .cards import card_of, named
from .faces import counted, span
from .routing import blueprint, field_errors, form_page, may_be_mended, page, status_of, to, token
from .shell import toasts

WISHLISTS = "/stays/wishlists"
_PLAIN = {"name": "name", "note": "note", "checkin": "checkin", "checkout": "checkout", "listing": "list", "id": "list"}


def back_or(default: str) -> str:
    """Where the person came from: a path of this app, else the default."""
    wanted = request.values.get("back", "")
    return wanted if wanted.startswith("/stays/") and "\\" not in wanted and "\n" not in wanted else default


@blueprint.get("/wishlists")
def wishlists() -> tuple[str, int]:
    """Own wishlists."""
    found = read("stays.wishlists")
    lists = [
        {
            "name": row["name"],
            "href": f"{WISHLISTS}/{row['id']}",
            "count": counted(row["count"], "place"),
            "dates": span(row["checkin"], row["checkout"]) if row["checkin"] else "",
            "is_shared": not row["is_private"],
            "photo": picture_url(row["photos"][0]["room"], row["photos"][0]["seed"])
            if row["photos"]
            else picture_url("view", len(row["name"])),
        }
        for row in found["rows"]
    ]
    return page("stays/wishlists.html", lists=lists, toasts=toasts())


@blueprint.get("/wishlists/<wishlist_id>")
def wishlist(wishlist_id: str) -> tuple[str, int]:
    """One wishlist with its places and notes."""
    found = read("stays.wishlist_items", {"id": wishlist_id})
    rows = found["rows"]
    names = named(rows)
    stay = {"checkin": found["checkin"], "checkout": found["checkout"]} if found["checkin"] else {}
    items = []
    for row in rows:
        card = card_of({**row, "saved": found["is_own"]}, names[row["id"]], stay, f"{WISHLISTS}/{wishlist_id}")
        state = "" if row["available"] is None else "Available" if row["available"] else "Not available on these dates"
        items.append({"card": card, "note": row["note"], "state": state, "id": row["id"], "name": names[row["id"]]})
    return page(
        "stays/wishlist.html",
        found=found,
        items=items,
        link=request.base_url,
        dates=span(found["checkin"], found["checkout"]) if found["checkin"] else "",
        token=token("wishlist", wishlist_id, found["row_version"]),
        toasts=toasts(),
    )


def _command(arguments: dict[str, Any]) -> Any:
    return run("stays.wishlist", arguments)


@blueprint.get("/wishlists/save")
def save_form() -> tuple[str, int]:
    """Which list a listing goes to."""
    return _save_page(request.args, None)


@blueprint.post("/wishlists/save")
def save() -> Response | tuple[str, int]:
    """Add a listing to a list, or to a new one."""
    form = request.form
    note = {"note": form["note"].strip()} if form.get("note", "").strip() else {}
    try:
        if form.get("list"):
            _command({"action": "add", "id": form["list"], "listing": form.get("listing", ""), **note})
        else:
            _command(
                {"action": "create", "name": form.get("name", "").strip(), "listing": form.get("listing", ""), **note}
            )
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _save_page(form, error)
    return to(back_or(f"/stays/listings/{form.get('listing', '')}"), done="saved")


def _save_page(source: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.listing", {"id": source.get("listing", "")})
    lists = read("stays.wishlists")["rows"]
    held = set(found["wishlists"])
    options = (
        *(
            Option(row["id"], row["name"], "saved already" if row["id"] in held else counted(row["count"], "place"))
            for row in lists
        ),
        Option("", "A new wishlist"),
    )
    usual = next((row["id"] for row in lists if row["id"] not in held), "")
    errors, loose = field_errors(error, _PLAIN)
    fields = (
        FormField(
            name="list",
            label="Wishlist",
            kind="radio",
            options=options,
            value=source.get("list", usual),
            error=errors.get("list", ""),
        ),
        FormField(
            name="name",
            label="Name of a new wishlist",
            value=source.get("name", ""),
            error=errors.get("name", ""),
            max_length=50,
        ),
        FormField(
            name="note", label="Note", value=source.get("note", ""), error=errors.get("note", ""), max_length=250
        ),
    )
    back = back_or(f"/stays/listings/{found['id']}")
    form = Form(
        action=f"{WISHLISTS}/save",
        sections=(FieldSection("", fields, columns=1, is_fixed=True),),
        submit_label="Save place",
        cancel_href=back,
        token=token("save", found["id"]),
        hidden=(("listing", found["id"]), ("back", back)),
        errors=loose,
        id="save",
        title=f"Save {found['title']}",
    )
    return form_page(form, form.title, kicker="Wishlists", icon="heart", status=status_of(error))


@blueprint.get("/wishlists/new")
def new_form() -> tuple[str, int]:
    """A new, empty list."""
    return _list_page("", {}, None)


@blueprint.post("/wishlists/new")
def create_list() -> Response | tuple[str, int]:
    """Make the list."""
    try:
        done = _command({"action": "create", "name": request.form.get("name", "").strip(), **_dates()})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _list_page("", request.form, error)
    return to(f"{WISHLISTS}/{done['id']}", done="wishlist")


def _own(wishlist_id: str) -> dict[str, Any]:
    """A list that the person may change. Raises NotFound for one that somebody shares with them."""
    found: dict[str, Any] = read("stays.wishlist_items", {"id": wishlist_id})
    if not found["is_own"]:
        raise NotFound(f"you have no wishlist {wishlist_id}")
    return found


def _dates() -> dict[str, str]:
    """Dates of the posted form. Raises Invalid for text that is none."""
    found: dict[str, str] = {}
    faults = []
    for name in ("checkin", "checkout"):
        text = request.form.get(name, "").strip()
        if text:
            try:
                found[name] = read_date(text, filler().locale)
            except ValueError as error:
                faults.append(FieldError(name, str(error)))
    if faults:
        raise Invalid(faults)
    return found


def _list_page(
    what: str, typed: Mapping[str, str], error: ServiceError | None, wishlist_id: str = ""
) -> tuple[str, int]:
    """The form of a list: new (``""``), rename or dates."""
    held: dict[str, Any] = (
        _own(wishlist_id) if wishlist_id else {"name": "", "checkin": "", "checkout": "", "row_version": None}
    )
    errors, loose = field_errors(error, _PLAIN)

    def box(name: str, label: str, kind: Any, required: bool = False) -> FormField:
        return FormField(
            name=name,
            label=label,
            kind=kind,
            required=required,
            value=typed.get(name, held[name] or ""),
            error=errors.get(name, ""),
            max_length=50 if name == "name" else None,
        )

    fields = []
    if what != "dates":
        fields.append(box("name", "Name", "text", True))
    if what != "rename":
        fields += [box("checkin", "Check-in", "date"), box("checkout", "Check-out", "date")]
    title = {"": "New wishlist", "rename": f"Rename {held['name']}", "dates": f"Dates of {held['name']}"}[what]
    form = Form(
        action=f"{WISHLISTS}/{wishlist_id}/{what}" if what else f"{WISHLISTS}/new",
        sections=(FieldSection("", tuple(fields), columns=1, is_fixed=True),),
        submit_label={"": "Create wishlist", "rename": "Rename wishlist", "dates": "Save dates"}[what],
        cancel_href=f"{WISHLISTS}/{wishlist_id}" if wishlist_id else WISHLISTS,
        token=token(f"wishlist-{what}", wishlist_id, held["row_version"]),
        row_version=held["row_version"],
        errors=loose,
        id="wishlist",
        title=title,
    )
    return form_page(
        form, title, kicker="Wishlists", icon="heart", crumbs=(Link("Wishlists", WISHLISTS),), status=status_of(error)
    )


@blueprint.get("/wishlists/<wishlist_id>/<any(rename, dates):what>")
def list_form(wishlist_id: str, what: str) -> tuple[str, int]:
    """Another name, or dates."""
    return _list_page(what, {}, None, wishlist_id)


@blueprint.post("/wishlists/<wishlist_id>/<any(rename, dates):what>")
def edit_list(wishlist_id: str, what: str) -> Response | tuple[str, int]:
    """Change the list."""
    version = request.form.get("row_version", "")
    more: dict[str, Any] = {"row_version": int(version)} if version.isascii() and version.isdigit() else {}
    try:
        more |= {"name": request.form.get("name", "").strip()} if what == "rename" else _dates()
        _command({"action": what, "id": wishlist_id, **more})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _list_page(what, request.form, error, wishlist_id)
    return to(f"{WISHLISTS}/{wishlist_id}", done="wishlist")


@blueprint.post("/wishlists/<wishlist_id>/<any(share, unshare):action>")
def share(wishlist_id: str, action: str) -> Response:
    """Let whoever has the address read the list, or end that."""
    _command({"action": action, "id": wishlist_id})
    return to(f"{WISHLISTS}/{wishlist_id}", done="shared" if action == "share" else "unshared")


@blueprint.post("/wishlists/<wishlist_id>/remove")
def remove(wishlist_id: str) -> Response:
    """Take a listing from the list."""
    _command({"action": "remove", "id": wishlist_id, "listing": request.form.get("listing", "")})
    return to(f"{WISHLISTS}/{wishlist_id}", done="unsaved")


@blueprint.post("/wishlists/<wishlist_id>/note")
def note(wishlist_id: str) -> Response:
    """Write a note beside a listing; an empty one takes it away."""
    _command(
        {
            "action": "note",
            "id": wishlist_id,
            "listing": request.form.get("listing", ""),
            "note": request.form.get("note", "").strip()[:250],
        }
    )
    return to(f"{WISHLISTS}/{wishlist_id}", done="note")


@blueprint.get("/wishlists/<wishlist_id>/delete")
def delete_form(wishlist_id: str) -> tuple[str, int]:
    """Ask before a list goes."""
    found = _own(wishlist_id)
    form = Form(
        action=f"{WISHLISTS}/{wishlist_id}/delete",
        sections=(),
        submit_label="Delete wishlist",
        cancel_href=f"{WISHLISTS}/{wishlist_id}",
        token=token("wishlist-delete", wishlist_id, found["row_version"]),
        id="delete",
        title=f"Delete {found['name']}?",
        intro=f"The list and its {counted(found['total'], 'place')} go; the places themselves stay on Harbourstay.",
        danger=True,
    )
    return form_page(form, form.title, kicker="Wishlists", icon="heart")


@blueprint.post("/wishlists/<wishlist_id>/delete")
def delete_list(wishlist_id: str) -> Response:
    """Delete the list."""
    _command({"action": "delete", "id": wishlist_id})
    return to(WISHLISTS, done="wishlist-deleted")
