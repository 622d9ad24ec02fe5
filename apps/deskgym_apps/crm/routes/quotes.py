"""What a quote has besides the pages of every record: its status path, syncing, and the printed page (CRM-7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid
from ...kit.forms import show_form
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, Link, MenuItem, Option, PageHeader, Stage, StagePath
from ...kit.web.display import instant, long_date
from ..rules_quotes import ACCEPTED, DENIED, FLOW, IN_REVIEW, REJECTED, STATUSES
from ..service.quote_inputs import QuoteStatusInput
from .drawing import token
from .going import go, page
from .line_table import line_list
from .moving import MARK, path_of
from .reading import amount, posted_version, text_of, whoami
from .routing import blueprint
from .specs import PAGES

_PAGES = PAGES["quote"]
_ORDER = {name: at for at, name in enumerate(STATUSES)}


def quote_path(got: Mapping[str, Any]) -> StagePath:
    """The chevrons of a quote."""
    here = got["record"]["status"]
    return path_of(
        _PAGES,
        got,
        "status",
        [Stage(value=name, label=name, state=_state(name, here)) for name in STATUSES],
        label="Status",
        locked=not FLOW[here] or not _may_move(got),
        submit_label=MARK,
    )


def _state(name: str, here: str) -> Any:
    if name == here:
        return "won" if here == ACCEPTED else "lost" if here in (DENIED, REJECTED) else "current"
    is_passed = _ORDER[name] < _ORDER[here] and name != REJECTED and (here not in (DENIED,) or name != ACCEPTED)
    return "done" if is_passed else "open"


def _may_move(got: Mapping[str, Any]) -> bool:
    """Whether the person moves the quote: of one under review, who decides or may recall it."""
    if got["access"]["edit"]:
        return True
    if got["record"]["status"] != IN_REVIEW:
        return False
    state = read("crm.approval_state", {"id": got["id"]})
    return bool(state["may_decide"] or state["may_recall"])


def quote_actions(got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    """Sync or stop syncing, and the printed page."""
    url, record = f"{_PAGES.url}/{got['id']}", got["record"]
    items = [MenuItem(label="Print view", href=f"{url}/print", icon="printer")]
    if got["access"]["edit"] and record["is_synced"]:
        items.append(MenuItem(label="Stop syncing", dialog_href=f"{url}/unsync", icon="x-lg"))
    elif got["access"]["edit"]:
        items.append(MenuItem(label="Start syncing", dialog_href=f"{url}/sync", icon="arrow-repeat"))
    return tuple(items)


def _changeable(record_id: str) -> dict[str, Any]:
    got: dict[str, Any] = read("crm.get", {"id": record_id, "related": ["lines"], "related_limit": 1})
    if not got["access"]["edit"]:
        raise Forbidden("you may read this quote but not change it")
    return got


def _form_page(got: Mapping[str, Any], title: str, form: Form, status: int) -> Any:
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · {got['name']}",
        header=PageHeader(title=title, kicker=f"{got['record']['number']} · {got['name']}", icon=_PAGES.icon),
        form=form,
        crumbs=[Link("Quotes", _PAGES.url), Link(got["name"], f"{_PAGES.url}/{got['id']}")],
        crumb_here=title,
        toasts=(),
    )


def _status_page(got: Mapping[str, Any], wanted: str, error: Invalid | Conflict) -> Any:
    """Why the quote was not moved, and where it can be moved to."""
    ways = FLOW[got["record"]["status"]]
    drawn = show_form(
        QuoteStatusInput,
        filler(),
        values={"status": wanted if wanted in ways else ""},
        faults=error.errors if isinstance(error, Invalid) else (),
        options={"status": [Option(way, way) for way in ways]},
        only=["status"],
    )
    version = got["record"]["row_version"]
    form = Form(
        id="quote-status",
        title="Change status",
        action=f"{_PAGES.url}/{got['id']}/status",
        submit_label="Save",
        cancel_href=f"{_PAGES.url}/{got['id']}",
        sections=(FieldSection("", (drawn["status"],), columns=1),),
        intro=f"{got['record']['number']} is {got['record']['status']}.",
        token=token("status", got["id"], version),
        row_version=version,
        errors=(*drawn.errors, *((error.message,) if isinstance(error, Conflict) else ())),
    )
    return _form_page(got, "Change status", form, error.status)


@blueprint.post("/quotes/<record_id>/status")
def set_quote_status(record_id: str) -> Any:
    """`set_quote_status`."""
    got = read("crm.get", {"id": record_id})
    if not _may_move(got):
        raise Forbidden("you may read this quote but not change it")
    status, version = request.form.get("status", ""), posted_version()
    if status not in STATUSES:
        raise BadQuery(f'there is no status "{status}"', field="status", allowed=STATUSES)
    try:
        run("crm.set_quote_status", {"id": record_id, "status": status, "row_version": version})
    except (Invalid, Conflict) as error:
        return _status_page(got, status, error)
    return go(f"{_PAGES.url}/{record_id}", "status")


_SYNC = (
    "The products of {deal} are replaced by the {lines} of this quote, and its amount becomes {total}. From then on a "
    "change on either side is made on both. A quote that is synced now no longer is."
)
_UNSYNC = "{deal} and this quote keep the lines they have; changes of one no longer reach the other."


def _sync_page(got: Mapping[str, Any], verb: str, error: Invalid | Conflict | None = None) -> Any:
    record, version = got["record"], got["record"]["row_version"]
    title = "Start syncing" if verb == "sync" else "Stop syncing"
    count = got["related"]["lines"]["total"]
    form = Form(
        id=f"{verb}-quote",
        title=f"{title} {record['number']}?",
        action=f"{_PAGES.url}/{got['id']}/{verb}",
        submit_label=title,
        cancel_href=f"{_PAGES.url}/{got['id']}",
        sections=(),
        intro=(_SYNC if verb == "sync" else _UNSYNC).format(
            deal=record.get("opportunity.name"),
            lines=f"{count} {'line' if count == 1 else 'lines'}",
            total=amount(record["subtotal"], record["currency"]),
        ),
        token=token(verb, got["id"], version),
        row_version=version,
        errors=(error.message,) if error else (),
        guard=False,
    )
    return _form_page(got, title, form, error.status if error else 200)


@blueprint.get("/quotes/<record_id>/<any(sync, unsync):verb>")
def ask_sync(record_id: str, verb: str) -> Any:
    """Ask before a quote and its opportunity are tied together or parted."""
    return _sync_page(_changeable(record_id), verb)


@blueprint.post("/quotes/<record_id>/<any(sync, unsync):verb>")
def sync_quote(record_id: str, verb: str) -> Any:
    """`sync_quote` or `unsync_quote`."""
    try:
        run(f"crm.{verb}_quote", {"id": record_id, "row_version": posted_version()})
    except (Invalid, Conflict) as error:
        return _sync_page(_changeable(record_id), verb, error)
    return go(f"{_PAGES.url}/{record_id}", f"{verb}ed")


def _customer(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The customer's name and address, as on a letter, as far as the person may read it."""
    deal = read("crm.get", {"id": record["opportunity_id"], "fields": ["account_id", "account.name"]})["record"]
    lines = [str(record.get("contact.name") or ""), str(deal.get("account.name") or "")]
    if deal.get("account.name"):
        account = read("crm.get", {"id": deal["account_id"]})["record"]
        place = " ".join(str(account.get(f"bill_{part}") or "") for part in ("postcode", "city", "state"))
        lines += [str(account.get("bill_street") or ""), place.strip(), str(account.get("bill_country") or "")]
    return tuple(line for line in lines if line)


@blueprint.get("/quotes/<record_id>/print")
def print_quote(record_id: str) -> Any:
    """The quote as the customer gets it."""
    got = read("crm.get", {"id": record_id, "related": ["lines"], "related_limit": 200})
    record = got["record"]
    facts = (
        ("Quote number", record["number"]),
        ("Date", instant(record["created_at"], "UTC").rsplit(",", 1)[0]),
        ("Valid until", long_date(record["expires_on"]) if record["expires_on"] else "further notice"),
        ("Prepared by", text_of("quote", "owner_id", record)),
    )
    sums = (
        ("Subtotal", amount(record["subtotal"], record["currency"])),
        (f"Tax ({record['tax_percent']}%)", amount(record["tax"], record["currency"])),
        ("Shipping", amount(record["shipping"], record["currency"])),
    )
    table = line_list(got | {"access": got["access"] | {"edit": False}}, "lines").table
    table = table and replace(table, totals={})
    return page(
        "crm/quote_print.html",
        heading=f"{record['number']} · Quote",
        quote=got["name"],
        company=whoami()["company"],
        state=record["status"],
        customer=_customer(record),
        facts=facts,
        lines=table,
        sums=sums,
        total=amount(record["grand_total"], record["currency"]),
        note=record.get("description") or "",
        crumbs=[Link("Quotes", _PAGES.url), Link(got["name"], f"{_PAGES.url}/{record_id}")],
        crumb_here="Print view",
        toasts=(),
    )
