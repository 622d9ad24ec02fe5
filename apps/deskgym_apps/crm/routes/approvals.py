"""Approvals (row 27): what waits for the person, and submitting, deciding and recalling from a record's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import g, request

from ...kit.errors import Conflict, Forbidden, Invalid, NotFound
from ...kit.forms import show_form
from ...kit.session import filler, read, run
from ...kit.web import (
    Cell,
    Column,
    FieldSection,
    Form,
    Link,
    MenuItem,
    Page,
    PageHeader,
    RelatedList,
    Row,
    Table,
)
from ...kit.web.display import instant
from ..rules_approvals import APPROVABLE, PENDING
from ..service.approval_inputs import DecideInput, RecallInput, SubmitInput
from ..service.kinds import KINDS, kind_of
from .drawing import token
from .going import back_or, back_pair, go, page
from .home import SIZE, offset
from .reading import access_to
from .routing import blueprint
from .specs import PAGES, Pages, pages_at, record_href

_TITLES = {"waiting": "Waiting for my decision", "sent": "Submitted by me", "decided": "Decided by me"}
_EMPTY = {
    "waiting": "What colleagues submit for your approval appears here.",
    "sent": "Records that you submit for approval appear here.",
    "decided": "What you approved or rejected appears here.",
}
# verb -> title, button, input, what is said
_VERBS: Mapping[str, tuple[str, str, Any, str]] = {
    "submit": (
        "Submit for approval",
        "Submit",
        SubmitInput,
        "{name} goes to {process}. It is locked until the answer.",
    ),
    "approve": ("Approve", "Approve", DecideInput, "{who} submitted {name} to {process}."),
    "reject": ("Reject", "Reject", DecideInput, "{who} submitted {name} to {process}."),
    "recall": ("Recall approval request", "Recall", RecallInput, "{name} is no longer submitted to {process}."),
}
_TONES = {"Approved": "success", "Rejected": "danger", "Pending": "info"}


def approval_items(pages: Pages, got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    """The buttons of a record about its approval."""
    if pages.kind not in APPROVABLE or got["record"].get("is_converted"):
        return ()
    state = read("crm.approval_state", {"id": got["id"]})
    if pages.kind == "quote" and not state["pending"]:
        return ()  # a quote is submitted by its path, from Needs Review to In Review
    return tuple(
        MenuItem(label=_VERBS[verb][0], dialog_href=f"{pages.url}/{got['id']}/approval/{verb}", icon=icon)
        for verb, icon in (
            ("submit", "send"),
            ("approve", "check-lg"),
            ("reject", "x-lg"),
            ("recall", "arrow-return-left"),
        )
        if state[_MAY[verb]]
    )


_MAY = {"submit": "may_submit", "approve": "may_decide", "reject": "may_decide", "recall": "may_recall"}


def approval_list(pages: Pages, got: Mapping[str, Any]) -> RelatedList:
    """The approval requests of a record."""
    found = got["related"]["approvals"]
    columns = (
        Column("status", "Status", kind="badge"),
        Column("process", "Process"),
        Column("sent", "Submitted"),
        Column("by", "Submitted by"),
        Column("approver", "Approver"),
        Column("decided", "Decided"),
        Column("comment", "Comment"),
    )
    rows = tuple(_history_row(row, at) for at, row in enumerate(found["rows"], 1))
    table = Table(
        id="approvals",
        caption="Approvals",
        columns=columns,
        rows=rows,
        url=f"{pages.url}/{got['id']}/related",
        noun=("approval request", "approval requests"),
    )
    return RelatedList(
        id="approvals-list",
        title="Approvals",
        total=found["total"],
        icon="check2-circle",
        table=table if rows else None,
        empty_text="Never submitted for approval.",
    )


def _history_row(row: Mapping[str, Any], at: int) -> Row:
    tz = g.person["tz"]
    said = " · ".join(filter(None, (row["request_comment"], row["comment"])))
    decided = f"{instant(row['decided_at'], tz)}, {row['decided_by_name']}" if row["decided_at"] else "–"
    return Row(
        id=row["id"],
        name=f"Request {at}, {instant(row['submitted_at'], tz)}",
        cells={
            "status": Cell(text=row["status"], tone=_TONES.get(row["status"], "neutral")),
            "process": row["process"],
            "sent": instant(row["submitted_at"], tz),
            "by": row["submitted_by_name"],
            "approver": _approver(row),
            "decided": decided,
            "comment": said,
        },
    )


def _approver(row: Mapping[str, Any]) -> str:
    return row["approver"] or "A manager above the owner"


@blueprint.get("/approvals")
def approvals() -> Any:
    """Requests that wait for the person, and those that they sent or decided."""
    scope = request.args.get("scope", "waiting")
    if scope not in _TITLES:
        raise NotFound(f'there are no approvals called "{scope}"')
    number, first = offset()
    found = read("crm.approvals", {"scope": scope, "limit": SIZE, "offset": first})
    readable = _readable(found["rows"])
    columns = (
        Column("record", "Record"),
        Column("object", "Object"),
        Column("process", "Process"),
        Column("status", "Status", kind="badge"),
        Column("by", "Submitted by"),
        Column("sent", "Submitted"),
        Column("comment", "Comment"),
    )
    url = "/crm/approvals" if scope == "waiting" else f"/crm/approvals?scope={scope}"
    table = Table(
        id="approvals",
        caption=_TITLES[scope],
        columns=columns,
        rows=tuple(_row(row, scope, readable) for row in found["rows"]),
        url=url,
        noun=("approval request", "approval requests"),
        page=Page(number, SIZE, found["total"], (SIZE,)),
        empty_title="No approval requests",
        empty_text=_EMPTY[scope],
    )
    items = tuple(
        MenuItem(label=title, href=f"/crm/approvals?scope={name}", current=name == scope)
        for name, title in _TITLES.items()
    )
    header = PageHeader(title="Approvals", icon="check2-circle")
    views = {"name": _TITLES[scope], "items": items}
    return page("crm/list.html", list_header=header, table=table, heading="Approvals", views=views)


def _readable(rows: Any) -> set[str]:
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        by_kind.setdefault(row["object"], []).append(row["record_id"])
    return {record_id for kind, some in by_kind.items() for record_id in access_to(kind, list(dict.fromkeys(some)))}


def _row(row: Mapping[str, Any], scope: str, readable: set[str]) -> Row:
    when = instant(row["submitted_at"], g.person["tz"])
    href = record_href(row["record_id"])
    label = f"{row['record_name']}, submitted {when}"
    actions = tuple(
        MenuItem(
            label=_VERBS[verb][1],
            name=f"{_VERBS[verb][1]} {label}",
            dialog_href=f"{href}/approval/{verb}?back=/crm/approvals",
            icon=icon,
        )
        for verb, icon in (("approve", "check-lg"), ("reject", "x-lg"))
        if scope == "waiting"
    )
    return Row(
        id=row["id"],
        name=label,
        cells={
            "record": Cell(text=row["record_name"], href=href if row["record_id"] in readable else "", label=label),
            "object": KINDS[row["object"]].label,
            "process": row["process"],
            "status": Cell(text=row["status"], tone=_TONES.get(row["status"], "neutral")),
            "by": row["submitted_by_name"],
            "sent": when,
            "comment": str(row["request_comment"] if row["status"] == PENDING else row["comment"] or ""),
        },
        actions=actions,
    )


def _pages(folder: str, record_id: str) -> Pages:
    pages = pages_at(folder)
    if pages.kind not in APPROVABLE or kind_of(record_id).name != pages.kind:
        raise NotFound(f'there is no {pages.noun} "{record_id}" that can be approved')
    return pages


def _asked(pages: Pages, record_id: str, verb: str, *, refused: bool = False) -> dict[str, Any]:
    """What there is to ask: name, process, and who submitted it. Raises Forbidden unless the form was `refused`."""
    waiting = [row for row in _waiting() if row["record_id"] == record_id]
    if verb in ("approve", "reject") and waiting:
        row = waiting[0]
        return {"name": row["record_name"], "process": row["process"], "who": row["submitted_by_name"]}
    got = read("crm.get", {"id": record_id, "fields": ["id"]})
    state = read("crm.approval_state", {"id": record_id})
    if not state[_MAY[verb]] and not refused:
        raise Forbidden(_why_not(verb, pages, state))
    sender = (state["pending"] or {}).get("submitted_by_name") or "Nobody"
    return {"name": got["name"], "process": state["process"] or "an approval process", "who": sender}


def _waiting() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read("crm.approvals", {"limit": 200})["rows"]
    return found


def _why_not(verb: str, pages: Pages, state: Mapping[str, Any]) -> str:
    if verb == "submit" and state["pending"]:
        return f"the approval of this {pages.noun} is pending already"
    if verb == "submit":
        return f"no active approval process takes this {pages.noun} as it is, or you may not change it"
    if not state["pending"]:
        return f"no approval of this {pages.noun} is pending"
    return "only the approver may do this" if verb != "recall" else "only who submitted this may recall it"


def _form_page(
    pages: Pages, record_id: str, verb: str, asked: Mapping[str, Any], error: Invalid | Conflict | None = None
) -> Any:
    title, button, model, said = _VERBS[verb]
    action = f"{pages.url}/{record_id}/approval/{verb}"
    drawn = show_form(
        model,
        filler(),
        values={},
        typed=request.form if error else None,
        faults=[fault for fault in error.errors if fault.field == "comment"] if isinstance(error, Invalid) else (),
        only=["comment"],
    )
    form = Form(
        id=f"approval-{verb}",
        title=f"{title}: {asked['name']}",
        action=action,
        submit_label=button,
        cancel_href=back_or(f"{pages.url}/{record_id}"),
        sections=(FieldSection("", (replace(drawn["comment"], label="Comment"),), columns=1),),
        intro=said.format(**asked),
        token=token(f"approval-{verb}", record_id),
        hidden=back_pair(),
        danger=verb == "reject",
        errors=(error.message,) if error else (),
    )
    return page(
        "kit/form_page.html",
        error.status if error else 200,
        title=f"{title} · {asked['name']}",
        header=PageHeader(title=title, kicker=str(asked["name"]), icon=PAGES[pages.kind].icon),
        form=form,
        crumbs=[Link(KINDS[pages.kind].plural, pages.url), Link(str(asked["name"]), f"{pages.url}/{record_id}")],
        crumb_here=title,
        toasts=(),
    )


@blueprint.get("/<folder>/<record_id>/approval/<any(submit, approve, reject, recall):verb>")
def ask_approval(folder: str, record_id: str, verb: str) -> Any:
    """Ask for a comment before something is submitted, decided or recalled."""
    pages = _pages(folder, record_id)
    return _form_page(pages, record_id, verb, _asked(pages, record_id, verb))


@blueprint.post("/<folder>/<record_id>/approval/<any(submit, approve, reject, recall):verb>")
def set_approval(folder: str, record_id: str, verb: str) -> Any:
    """`submit_approval`, `decide_approval` or `recall_approval`."""
    pages = _pages(folder, record_id)
    comment = request.form.get("comment", "").replace("\r\n", "\n").strip()
    given = {"id": record_id} | ({"comment": comment} if comment else {})
    if verb in ("approve", "reject"):
        given["decision"] = verb
    operation = "decide" if verb in ("approve", "reject") else verb
    try:
        run(f"crm.{operation}_approval", given)
    except (Invalid, Conflict) as error:
        return _form_page(pages, record_id, verb, _asked(pages, record_id, verb, refused=True), error)
    return go(back_or(f"{pages.url}/{record_id}"), f"approval-{verb}")
