"""The price book of a deal: choosing another one takes the products of the former away (CRM-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import Conflict, Invalid
from ...kit.forms import Typed, read_form
from ...kit.session import filler, run
from ...kit.web import Option
from ..service.opportunities import OpportunityChanges
from .drawing import exact, partly
from .going import go
from .line_forms import drawn_line, form_page, line_form, lines_in, url_of, whole_of
from .reading import posted_version
from .routing import blueprint


def _book_page(got: Mapping[str, Any], typed: Typed | None = None, error: Invalid | Conflict | None = None) -> Any:
    record, count = got["record"], len(lines_in(got))
    shown = {"pricebook_id": Option(record["pricebook_id"], record.get("pricebook.name") or "")}
    before = {"pricebook_id": record["pricebook_id"]}
    faults = error if isinstance(error, Invalid) else None
    drawn = drawn_line(
        got, OpportunityChanges, ["pricebook_id"], before, typed, faults, shown if before["pricebook_id"] else {}
    )
    intro = "Choose where the prices of the products come from."
    if count:
        have = f"{count} {'product' if count == 1 else 'products'}"
        intro = f"This opportunity has {have} from {record.get('pricebook.name')}. Changing the price book removes "
        intro += f"{'it' if count == 1 else 'them'}, and the amount is then 0."
    form = line_form(
        got,
        drawn,
        ["pricebook_id"],
        "price-book",
        f"{url_of(got)}/price-book",
        "Change price book",
        submit_label="Remove the products and save" if count else "Save",
        intro=intro,
        danger=bool(count),
        errors=(error.message,) if isinstance(error, Conflict) else (),
    )
    return form_page(got, "Change price book", form, 200 if error is None else error.status)


@blueprint.get("/opportunities/<record_id>/price-book")
def ask_price_book(record_id: str) -> Any:
    """The form of a deal's price book; with products it says that they go."""
    return _book_page(whole_of("opportunities", record_id))


@blueprint.post("/opportunities/<record_id>/price-book")
def set_price_book(record_id: str) -> Any:
    """`update_opportunity` with the price book, and with `remove_products` where there are any."""
    got, version = whole_of("opportunities", record_id), posted_version()
    before = {"pricebook_id": got["record"]["pricebook_id"]}
    typed = read_form(
        OpportunityChanges,
        request.form,
        filler(),
        values=before,
        resolve=lambda _field, text: exact("pricebook", text),
        near=lambda _field, text: partly("pricebook", text),
        only=["pricebook_id"],
    )
    try:
        changed = typed.changed()
        if changed:
            removing = {"remove_products": True} if lines_in(got) and changed["pricebook_id"] else {}
            arguments = {"id": record_id, "row_version": version, "values": changed}
            run("crm.update_opportunity", arguments | removing)
    except (Invalid, Conflict) as error:
        return _book_page(got, typed, error)
    return go(url_of(got), "book")
