"""What only a lead's page has: the path of its status, "Mark as read", and what it became."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g, request

from ...kit.errors import BadQuery, Conflict
from ...kit.forms import Typed
from ...kit.session import run
from ...kit.web import MenuItem, Stage, StagePath
from ...kit.web.display import instant
from .. import rules_leads
from ..service.leads import LeadChanges
from .drawing import rendered, token
from .going import back_or, conflict_page, go
from .moving import MARK, movable, path_of
from .reading import described, fields_of, posted_version
from .routing import blueprint
from .specs import PAGES, record_href

_PAGES = PAGES["lead"]
_BECAME = ("account", "contact", "opportunity")
CONVERTED_HIGHLIGHTS = (*(f"converted_{name}_id" for name in _BECAME), "converted_at", "owner_id")


def converted_statuses() -> tuple[str, ...]:
    """The statuses that converting sets."""
    return tuple(described("lead")["converted_statuses"])


def _statuses() -> list[str]:
    """Every status, in the order of the path."""
    known = [*fields_of("lead")["status"]["allowed"], *converted_statuses()]
    return sorted(known, key=lambda name: rules_leads.STATUSES.index(name))


def lead_path(got: Mapping[str, Any]) -> StagePath:
    """The chevrons of a lead: its last steps are converting it and giving it up."""
    record, url = got["record"], f"{_PAGES.url}/{got['id']}"
    order, goals = _statuses(), converted_statuses()
    here = order.index(record["status"])
    drawn = []
    for at, name in enumerate(order):
        state: Any = "open"
        if at == here:
            state = "won" if name in goals else "lost" if name == rules_leads.UNQUALIFIED else "current"
        elif at < here and name not in goals:
            state = "done" if record["status"] != rules_leads.UNQUALIFIED else "open"
        asks = f"{url}/convert" if name in goals and at != here else ""
        drawn.append(Stage(value=name, label=name, state=state, dialog_href=asks))
    return path_of(
        _PAGES, got, "status", drawn, label="Lead status", locked=not got["access"]["edit"], submit_label=MARK
    )


@blueprint.post("/leads/<record_id>/status")
def set_lead_status(record_id: str) -> Any:
    """Move a lead along its path: `update_lead` with the status. A converted one is reached by converting."""
    got = movable(_PAGES, record_id)
    status, version = request.form.get("status", ""), posted_version()
    if status not in _statuses():
        raise BadQuery(f'there is no status "{status}"', field="status", allowed=_statuses())
    if status in converted_statuses():
        return go(f"{_PAGES.url}/{record_id}/convert")
    try:
        if status != got["record"]["status"] or version != got["record"]["row_version"]:
            run("crm.update_lead", {"id": record_id, "row_version": version, "values": {"status": status}})
    except Conflict as error:
        typed = Typed(LeadChanges, {"status": status}, {"status": got["record"]["status"]})
        return conflict_page(_PAGES, record_id, error, typed, ["status"])
    return go(back_or(f"{_PAGES.url}/{record_id}"), "status")


def lead_actions(got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    """Convert, and "Mark as read" of a lead that is unread."""
    if not got["access"]["edit"]:
        return ()
    record, url = got["record"], f"{_PAGES.url}/{got['id']}"
    convert = MenuItem(label="Convert", dialog_href=f"{url}/convert", icon="arrow-left-right", primary=True)
    if not record.get("unread"):
        return (convert,)
    seen = MenuItem(
        label="Mark as read",
        post=f"{url}/edit",
        fields=(
            ("form_token", token("edit", got["id"], record["row_version"])),
            ("row_version", str(record["row_version"])),
            rendered(["unread"], record),
        ),
        icon="envelope-open",
    )
    return (convert, seen)


def lead_subtitle(record: Mapping[str, Any]) -> str:
    """What the header says of a converted lead."""
    if not record.get("is_converted"):
        return ""
    at = instant(record["converted_at"], g.person["tz"])
    return f"Converted on {at}. A converted lead can only be read; work goes on in the records that it became."


def became(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and link of what a converted lead became."""
    return [
        (label, record_href(record[f"converted_{name}_id"]))
        for name, label in zip(_BECAME, ("Account", "Contact", "Opportunity"), strict=True)
        if record.get(f"converted_{name}_id")
    ]
