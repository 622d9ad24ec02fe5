"""Lines of opportunities and quotes: add, change, remove; each form is one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.errors import Conflict, Forbidden, Invalid, NotFound
from ...kit.forms import Face, Typed, read_form, show_form
from ...kit.norm import norm
from ...kit.operations import Input
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, Link, Option, PageHeader, lookup_answer
from ..service.line_inputs import DealLineChanges, DealLineInput, QuoteLineChanges, QuoteLineInput
from .drawing import exact, lookup_urls, partly, posted_rendered, rendered, token
from .editing import fields_label
from .going import go, page
from .reading import amount, posted_version
from .routing import blueprint
from .specs import PAGES, Pages

_NEW: Mapping[str, type[Input]] = {"opportunity": DealLineInput, "quote": QuoteLineInput}
_CHANGES: Mapping[str, type[Input]] = {"opportunity": DealLineChanges, "quote": QuoteLineChanges}
_PRICES = ("quantity", "unit_price", "discount_percent")
_MORE = ("service_date", "description")
_FOLDERS = "<any(opportunities, quotes):folder>"
_LONGEST_NAME = 200


def whole_of(folder: str, record_id: str) -> dict[str, Any]:
    """The record whose lines are to change."""
    pages = PAGES["opportunity" if folder == "opportunities" else "quote"]
    name = "products" if pages.kind == "opportunity" else "lines"
    got: dict[str, Any] = read("crm.get", {"id": record_id, "related": [name], "related_limit": 200})
    if got["object"] != pages.kind:
        raise NotFound(f'there is no {pages.noun} "{record_id}"')
    if not got["access"]["edit"]:
        raise Forbidden(f"you may read this {pages.noun} but not change it")
    return got


def lines_in(got: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The lines that came along with their record."""
    found: list[dict[str, Any]] = next(iter(got["related"].values()))["rows"]
    return found


def _line(got: Mapping[str, Any], line_id: str) -> dict[str, Any]:
    for line in lines_in(got):
        if line["id"] == line_id:
            return line
    raise NotFound(f'{got["name"]} has no line "{line_id}"')


def _pages(got: Mapping[str, Any]) -> Pages:
    return PAGES[got["object"]]


def url_of(got: Mapping[str, Any]) -> str:
    """The page of the record whose lines these are."""
    return f"{_pages(got).url}/{got['id']}"


def _option(row: Mapping[str, Any]) -> Option:
    return Option(row["id"], row["name"], f"{row['code']}, {amount(row['unit_price'], row['currency'])}")


def _sold(record_id: str, text: str, book: str | None = None, limit: int = 200) -> list[Option]:
    """What a line of the record can hold, by a text and by the part of it before a comma."""
    if len(text) > _LONGEST_NAME:
        return []
    found: dict[str, Option] = {}
    for part in dict.fromkeys((text, text.split(",")[0])):
        asked = {"id": record_id, "text": part, "limit": limit} | ({"pricebook_id": book} if book else {})
        for row in read("crm.sellable", asked)["rows"] if norm(part) else ():
            found.setdefault(row["id"], _option(row))
    return list(found.values())


def _exact_product(record_id: str, text: str, book: str | None) -> list[Option]:
    whole, found = norm(text), _sold(record_id, text, book)
    told_apart = [option for option in found if whole == norm(f"{option.label}, {option.detail}")]
    return told_apart or [
        option for option in found if whole in (norm(option.label), norm(option.detail.split(",")[0]))
    ]


@blueprint.get(f"/{_FOLDERS}/<record_id>/lines/choices")
def line_choices(folder: str, record_id: str) -> Any:
    """Products for a line, as JSON for the lookup."""
    got = whole_of(folder, record_id)
    found = read("crm.sellable", {"id": got["id"], "text": request.args.get("q", "")[:200]})
    return lookup_answer([_option(row) for row in found["rows"]], more=found["more"])


def form_page(got: Mapping[str, Any], title: str, form: Form, status: int) -> Any:
    """A form about one of the lines of a record."""
    pages = _pages(got)
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · {got['name']}",
        header=PageHeader(title=title, kicker=got["name"], icon="box-seam"),
        form=form,
        crumbs=[Link(fields_label(pages), pages.url), Link(got["name"], url_of(got))],
        crumb_here=title,
        toasts=(),
    )


def drawn_line(
    got: Mapping[str, Any],
    model: type[Input],
    names: Sequence[str],
    values: Mapping[str, Any],
    typed: Typed | None,
    error: Invalid | None,
    shown: Mapping[str, Option] | None = None,
) -> Face:
    """The controls of such a form; products are looked up among those that can be sold."""
    urls = dict(lookup_urls(model)) | {"product_id": f"{url_of(got)}/lines/choices"}
    return show_form(
        model,
        filler(),
        values=values,
        typed=request.form if typed else None,
        faults=error.errors if error else (),
        lookup_urls=urls,
        shown=shown or {},
        units={"unit_price": got["record"]["currency"]},
        candidates=typed.candidates if typed and error else {},
        only=names,
    )


def line_form(
    got: Mapping[str, Any], drawn: Face, names: Sequence[str], key: str, action: str, title: str, **more: Any
) -> Form:
    """Such a form, locked by the version of the record."""
    version, part = got["record"]["row_version"], more.pop("part", "")
    return Form(
        id=key,
        title=title,
        action=action,
        submit_label=more.pop("submit_label", "Save"),
        cancel_href=url_of(got),
        sections=(FieldSection("", tuple(drawn[name] for name in names), columns=1),) if names else (),
        token=request.form.get("form_token", "") or token(key, got["id"] + part, version),
        row_version=more.pop("version", version),
        errors=(*drawn.errors, *more.pop("errors", ())),
        **more,
    )


def _book_fields(got: Mapping[str, Any]) -> tuple[list[str], dict[str, Any], dict[str, Option]]:
    """The price book of the first line, prefilled with what it would be anyway."""
    if got["object"] != "opportunity" or lines_in(got):
        return [], {}, {}
    found = read("crm.sellable", {"id": got["id"], "limit": 1})
    if found["pricebook_id"] is None:
        return ["pricebook_id"], {}, {}
    option = Option(found["pricebook_id"], found["pricebook"])
    return ["pricebook_id"], {"pricebook_id": option.value}, {"pricebook_id": option}


def _new_names(got: Mapping[str, Any]) -> list[str]:
    return ["product_id", *_PRICES, *(_MORE if got["object"] == "opportunity" else ())]


def _new_page(
    got: Mapping[str, Any], typed: Typed | None = None, error: Invalid | None = None, conflict: Conflict | None = None
) -> Any:
    books, before, shown = _book_fields(got)
    names = [*books, *_new_names(got)]
    drawn = drawn_line(got, _NEW[got["object"]], names, before, typed, error, shown)
    found = read("crm.sellable", {"id": got["id"], "limit": 1})
    intro = f"Prices come from {found['pricebook']} in {found['currency']}." if found["pricebook"] else ""
    form = line_form(
        got,
        drawn,
        names,
        "new-line",
        f"{url_of(got)}/lines/new",
        "Add product",
        intro=intro,
        **_again(got, conflict),
    )
    return form_page(got, "Add product", form, 409 if conflict else 422 if error else 200)


def _again(got: Mapping[str, Any], conflict: Conflict | None) -> dict[str, Any]:
    """The form after a conflict: what happened, and the version it would be saved over now."""
    if conflict is None:
        return {"version": int(request.form.get("row_version") or got["record"]["row_version"])}
    return {"errors": (f"{conflict.message}. What you typed is kept: save again to keep it over theirs.",)}


@blueprint.get("/lines/<line_id>")
@blueprint.get("/lines/<line_id>/<any(remove):verb>")
def find_line(line_id: str, verb: str = "") -> Any:
    """Where a line is changed or removed, on the page of the record that it belongs to."""
    record = read("crm.get", {"id": line_id})["record"]
    whole = record.get("opportunity_id") or record.get("quote_id")
    if line_id[:3] not in ("OLI", "QLI") or whole is None:
        raise NotFound(f'there is no line "{line_id}"')
    folder = PAGES["opportunity" if line_id.startswith("OLI") else "quote"].url
    return go(f"{folder}/{whole}/lines/{line_id}" + (f"/{verb}" if verb else ""))


@blueprint.get(f"/{_FOLDERS}/<record_id>/lines/new")
def new_line(folder: str, record_id: str) -> Any:
    """The form of a new line."""
    return _new_page(whole_of(folder, record_id))


@blueprint.post(f"/{_FOLDERS}/<record_id>/lines/new")
def add_line(folder: str, record_id: str) -> Any:
    """`create_opportunity_line` or `create_quote_line`."""
    got, version = whole_of(folder, record_id), posted_version()
    books, before, _ = _book_fields(got)
    model = _NEW[got["object"]]
    names = [*books, *_new_names(got)]
    chosen = request.form.get("pricebook_id") or None

    def resolve(field: str, text: str) -> Sequence[Option]:
        return exact("pricebook", text) if field == "pricebook_id" else _exact_product(record_id, text, chosen)

    def near(field: str, text: str) -> Sequence[Option]:
        return partly("pricebook", text) if field == "pricebook_id" else _sold(record_id, text, chosen)[:10]

    typed = read_form(model, request.form, filler(), values=before, resolve=resolve, near=near, only=names)
    kind = got["object"]
    try:
        given = {f"{kind}_id": record_id, **typed.created(), "row_version": version}
        made = run(f"crm.create_{kind}_line", given)
    except Invalid as error:
        return _new_page(got, typed, _own(error, kind))
    except Conflict as conflict:
        return _new_page(whole_of(folder, record_id), typed, None, conflict)
    return go(url_of(got), "line", id=made["id"])


def _own(error: Invalid, kind: str) -> Invalid:
    """The faults of what the form shows: the record itself is in its address."""
    shown = [fault for fault in error.errors if fault.field not in (f"{kind}_id", "row_version")]
    return Invalid(shown or error.errors)


def _edit_names(got: Mapping[str, Any]) -> list[str]:
    return [*_PRICES, *(_MORE if got["object"] == "opportunity" else ())]


def _edit_page(
    got: Mapping[str, Any],
    line: Mapping[str, Any],
    typed: Typed | None = None,
    error: Invalid | None = None,
    conflict: Conflict | None = None,
) -> Any:
    names, title = _edit_names(got), f"Edit {line['product']}"
    drawn = drawn_line(got, _CHANGES[got["object"]], names, line, typed, error)
    form = line_form(
        got,
        drawn,
        names,
        "edit-line",
        f"{url_of(got)}/lines/{line['id']}",
        title,
        part=line["id"],
        intro=f"List price {amount(line['list_price'], line['currency'])}.",
        hidden=(rendered(names, line),),
        **_again(got, conflict),
    )
    return form_page(got, title, form, 409 if conflict else 422 if error else 200)


@blueprint.get(f"/{_FOLDERS}/<record_id>/lines/<line_id>")
def edit_line(folder: str, record_id: str, line_id: str) -> Any:
    """The form of a line."""
    got = whole_of(folder, record_id)
    return _edit_page(got, _line(got, line_id))


@blueprint.post(f"/{_FOLDERS}/<record_id>/lines/<line_id>")
def change_line(folder: str, record_id: str, line_id: str) -> Any:
    """`update_opportunity_line` or `update_quote_line`: only what was touched is sent."""
    got, version = whole_of(folder, record_id), posted_version()
    line, names = _line(got, line_id), _edit_names(got)
    before = posted_rendered(names) or dict(line)
    typed = read_form(_CHANGES[got["object"]], request.form, filler(), values=before, only=names)
    try:
        changed = typed.changed()
        if changed:
            arguments = {"id": line_id, "row_version": version, "values": changed}
            run(f"crm.update_{got['object']}_line", arguments)
    except Invalid as error:
        return _edit_page(got, line, typed, error)
    except Conflict as conflict:
        return _edit_page(whole_of(folder, record_id), line, typed, None, conflict)
    return go(url_of(got), "line", id=line_id)


def _remove_page(
    got: Mapping[str, Any], line: Mapping[str, Any], status: int = 200, errors: tuple[str, ...] = ()
) -> Any:
    title = f"Remove {line['product']}?"
    last = len(lines_in(got)) == 1 and got["object"] == "opportunity"
    what = f"{line['quantity']} x {amount(line['unit_price'], line['currency'])} leave {got['name']}."
    then = " The amount is then 0 and can be set by hand." if last else ""
    form = line_form(
        got,
        Face({}, ()),
        (),
        "remove-line",
        f"{url_of(got)}/lines/{line['id']}/remove",
        title,
        part=line["id"],
        submit_label="Remove",
        intro=what + then,
        danger=True,
        guard=False,
        errors=errors,
    )
    return form_page(got, title, form, status)


@blueprint.get(f"/{_FOLDERS}/<record_id>/lines/<line_id>/remove")
def ask_remove_line(folder: str, record_id: str, line_id: str) -> Any:
    """Ask before a line is removed."""
    got = whole_of(folder, record_id)
    return _remove_page(got, _line(got, line_id))


@blueprint.post(f"/{_FOLDERS}/<record_id>/lines/<line_id>/remove")
def remove_line(folder: str, record_id: str, line_id: str) -> Any:
    """`delete_opportunity_line` or `delete_quote_line`. A second post of the same form answers like the first."""
    kind = "opportunity" if folder == "opportunities" else "quote"
    try:
        run(f"crm.delete_{kind}_line", {"id": line_id, "row_version": posted_version()})
    except Invalid as error:
        got = whole_of(folder, record_id)
        return _remove_page(got, _line(got, line_id), 422, tuple(fault.message for fault in error.errors))
    except Conflict as conflict:
        got = whole_of(folder, record_id)
        return _remove_page(got, _line(got, line_id), 409, (conflict.message,))
    return go(f"{PAGES[kind].url}/{record_id}", "unline")
