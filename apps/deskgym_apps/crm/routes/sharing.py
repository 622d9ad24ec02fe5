"""The sharing of a record: who reaches it and why, and sharing it by hand (CRM-3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import Forbidden, Invalid, NotFound
from ...kit.forms import Typed, show_form
from ...kit.session import filler, read, run
from ...kit.web import Cell, Column, FieldSection, Form, Link, MenuItem, Option, PageHeader, RelatedList, Row, Table
from ..service.kinds import KINDS, SHARED, kind_of
from ..service.sharing import ShareInput
from .drawing import lookup_urls, token, typed_form
from .going import go, page
from .reading import whoami
from .routing import blueprint
from .setup_places import ROOT, word
from .specs import Pages, pages_at

_LEVELS = (Option("read", "Read only"), Option("write", "Read and write"))


def share_items(pages: Pages, got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    """The way to a record's sharing, for those who may share it."""
    if pages.kind not in SHARED or not got["access"]["transfer"]:
        return ()
    return (MenuItem(label="Sharing", href=f"{pages.url}/{got['id']}/sharing", icon="share"),)


def _shareable(folder: str, record_id: str) -> tuple[Pages, dict[str, Any]]:
    pages = pages_at(folder)
    if pages.kind not in SHARED or KINDS[pages.kind].prefix != record_id[:3]:
        raise NotFound(f'there is no {pages.noun} "{record_id}" that can be shared')
    got: dict[str, Any] = read("crm.get", {"id": record_id})
    if not got["access"]["transfer"]:
        raise Forbidden(f"only the owner, roles above and administrators may share this {pages.noun}")
    return pages, got


def _by_hand(pages: Pages, got: Mapping[str, Any], shares: list[dict[str, Any]]) -> Table:
    rows = []
    for item in shares:
        url = f"{pages.url}/{got['id']}/sharing/{item['grantee_id']}/remove"
        away = MenuItem(label="Take away", dialog_href=url, icon="x-lg", danger=True)
        href = _href(item["grantee_kind"], item["grantee_id"])
        cells: dict[str, Cell | str] = {
            "name": Cell(text=item["name"], href=href) if href else item["name"],
            "kind": "User" if item["grantee_kind"] == "user" else "Public group",
            "access": word("access", item["access"]),
            "cause": "By hand" if item["cause"] == "manual" else "Team",
        }
        actions = (away,) if item["cause"] == "manual" else ()
        rows.append(Row(id=f"{item['grantee_id']}-{item['cause']}", name=item["name"], cells=cells, actions=actions))
    return Table(
        id="shares",
        caption="Shared with",
        columns=(
            Column("name", "Shared with"),
            Column("kind", "Kind"),
            Column("access", "Access"),
            Column("cause", "How"),
        ),
        rows=tuple(rows),
        url="",
        noun=("share", "shares"),
        empty_title="Not shared by hand",
        empty_text="Share the record with a user or a public group.",
    )


def _href(kind: str, grantee: str) -> str:
    if not whoami()["is_admin"]:
        return ""
    return f"{ROOT}/{'users' if kind == 'user' else 'groups'}/{grantee}"


def _reached(found: Mapping[str, Any]) -> Table:
    rows = tuple(
        Row(
            id=item["person_id"],
            name=item["name"],
            cells={"name": item["name"], "access": word("access", item["access"]), "why": ", ".join(item["why"])},
        )
        for item in found["access"]
    )
    return Table(
        id="reached",
        caption="Who reaches it",
        columns=(Column("name", "User", kind="person"), Column("access", "Access"), Column("why", "Why")),
        rows=rows,
        url="",
        noun=("user", "users"),
    )


def _card(key: str, title: str, table: Table) -> RelatedList:
    empty = "The record is shared with nobody by hand."
    shown = table if table.rows else None
    return RelatedList(id=key, title=title, total=len(table.rows), icon="share", table=shown, empty_text=empty)


@blueprint.get("/<folder>/<record_id>/sharing")
def sharing(folder: str, record_id: str) -> Any:
    """Who reaches a record, why, and what was shared by hand."""
    pages, got = _shareable(folder, record_id)
    found = read("crm.record_sharing", {"id": record_id})
    url = f"{pages.url}/{record_id}"
    share = MenuItem(label="Share", dialog_href=f"{url}/sharing/new", icon="plus-lg", primary=True)
    header = PageHeader(
        title=f"Sharing of {got['name']}", kicker=KINDS[pages.kind].label, icon="share", actions=(share,)
    )
    return page(
        "crm/sharing.html",
        header=header,
        heading=header.title,
        shares=_card("by-hand", "Shared by hand", _by_hand(pages, got, found["shares"])),
        reached=_card("reach", "Who reaches this record, and why", _reached(found)),
        crumbs=[Link(KINDS[pages.kind].plural, pages.url), Link(got["name"], url)],
        crumb_here="Sharing",
    )


def _share_page(pages: Pages, got: Mapping[str, Any], typed: Typed | None = None, error: Invalid | None = None) -> Any:
    url = f"{pages.url}/{got['id']}/sharing"
    drawn = show_form(
        ShareInput,
        filler(),
        values={"access": "read"},
        typed=request.form if error else None,
        faults=error.errors if error else (),
        options={"access": _LEVELS},
        lookup_urls=lookup_urls(ShareInput),
        candidates=typed.candidates if error and typed else None,
        only=["grantee", "access"],
    )
    title = f"Share {got['name']}"
    form = Form(
        id="share",
        title=title,
        action=f"{url}/new",
        sections=(FieldSection("Share", tuple(drawn.fields.values()), columns=1),),
        submit_label="Share",
        cancel_href=url,
        token=request.form.get("form_token", "") if error else token("share", got["id"]),
        errors=drawn.errors,
    )
    return _form_page(pages, got, title, form, 422 if error else 200)


def _form_page(pages: Pages, got: Mapping[str, Any], title: str, form: Form, status: int) -> Any:
    url = f"{pages.url}/{got['id']}"
    return page(
        "kit/form_page.html",
        status,
        title=title,
        header=PageHeader(title=title, kicker=KINDS[pages.kind].label, icon="share"),
        form=form,
        crumbs=[Link(KINDS[pages.kind].plural, pages.url), Link(got["name"], url), Link("Sharing", f"{url}/sharing")],
        crumb_here=title,
        toasts=(),
    )


@blueprint.get("/<folder>/<record_id>/sharing/new")
def ask_share(folder: str, record_id: str) -> Any:
    """With whom, and how far."""
    return _share_page(*_shareable(folder, record_id))


@blueprint.post("/<folder>/<record_id>/sharing/new")
def share(folder: str, record_id: str) -> Any:
    """`share` a record by hand, or change how far it is shared."""
    pages, got = _shareable(folder, record_id)
    typed = typed_form(ShareInput, ["grantee", "access"], {})
    try:
        run("crm.share", typed.created() | {"record": record_id})
    except Invalid as error:
        return _share_page(pages, got, typed, error)
    return go(f"{pages.url}/{record_id}/sharing", "shared")


@blueprint.get("/<folder>/<record_id>/sharing/<grantee>/remove")
def ask_unshare(folder: str, record_id: str, grantee: str) -> Any:
    """Ask before a share is taken away."""
    pages, got = _shareable(folder, record_id)
    shares = read("crm.record_sharing", {"id": record_id})["shares"]
    item = next((one for one in shares if one["grantee_id"] == grantee and one["cause"] == "manual"), None)
    if item is None:
        raise NotFound("the record is not shared with them by hand")
    title = f"Take the access of {item['name']} away?"
    form = Form(
        id="unshare",
        title=title,
        action=f"{pages.url}/{record_id}/sharing/{grantee}/remove",
        submit_label="Take away",
        cancel_href=f"{pages.url}/{record_id}/sharing",
        sections=(),
        intro=f"The share of {got['name']} ends at once. Who has access for another reason keeps that.",
        danger=True,
        token=token("unshare", record_id + grantee),
        guard=False,
    )
    return _form_page(pages, got, title, form, 200)


@blueprint.post("/<folder>/<record_id>/sharing/<grantee>/remove")
def unshare(folder: str, record_id: str, grantee: str) -> Any:
    """`share` with access none."""
    pages, _ = _shareable(folder, record_id)
    kind_of(grantee)
    run("crm.share", {"record": record_id, "grantee": grantee, "access": "none"})
    return go(f"{pages.url}/{record_id}/sharing", "unshared")
