"""Merging records in the pages: compare them side by side, choose, confirm (CRM-4).

Comparing and confirming are pages to read, whose addresses hold what was chosen; the last form writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import g, request

from ...kit.dates import local_date
from ...kit.errors import BadQuery, Conflict, FieldError, Forbidden, Invalid
from ...kit.session import read, run
from ...kit.web import BulkAction, FieldSection, Form, FormField, Link, PageHeader
from ...kit.web.display import long_date
from ..service.kinds import KINDS
from ..service.merging import FEWEST, MERGED, MOST
from .drawing import token
from .editing import fields_label
from .going import go, page
from .reading import detail_of, fields_of, label_of, may, text_of, whole_number
from .routing import blueprint
from .specs import Pages, pages_at

_CHOOSE, _VERSION = "choose_", "version_"


@dataclass(frozen=True)
class Side:
    """One record of a comparison; `name` is unique among them."""

    id: str
    name: str
    title: str
    short: str
    detail: str
    href: str
    created: str
    related: str
    version: int
    stays: bool
    keep_href: str


def may_merge(pages: Pages) -> bool:
    """Whether the person may merge records of this kind at all."""
    return pages.kind in MERGED and may("delete", pages.kind) and may("edit", pages.kind)


def merge_action(pages: Pages) -> tuple[BulkAction, ...]:
    """The button of the selection bar."""
    return (BulkAction(label="Merge", post=f"{pages.url}/merge"),) if may_merge(pages) else ()


def merge_href(pages: Pages, ids: Sequence[str], survivor: str = "") -> str:
    """Where records are compared."""
    pairs = [("record", record_id) for record_id in ids] + ([("survivor", survivor)] if survivor else [])
    return f"{pages.url}/merge?{urlencode(pairs)}"


def _mergeable(folder: str) -> Pages:
    pages = pages_at(folder)
    if pages.kind not in MERGED:
        raise Forbidden(f"{pages.nouns} cannot be merged")
    if not may_merge(pages):
        raise Forbidden(f"your profile may not merge {pages.nouns}: it needs the right to delete them")
    return pages


@blueprint.post("/<folder>/merge")
def choose_to_merge(folder: str) -> Any:
    """From a selection of a list to the page that compares it; too few or too many are refused, none is dropped."""
    pages = _mergeable(folder)
    ids = list(dict.fromkeys(request.form.getlist("row")))
    if request.form.get("scope") == "all" or not FEWEST <= len(ids) <= MOST:
        return _wrong_number(pages, len(ids))
    return go(merge_href(pages, ids))


def _wrong_number(pages: Pages, count: int) -> Any:
    many = "all that match" if request.form.get("scope") == "all" else f"{count}" if count else "nothing"
    title = f"Select two or three {pages.nouns}"
    form = Form(
        id="merge",
        title=title,
        action=f"{pages.url}/merge",
        submit_label="Merge",
        cancel_href=pages.url,
        sections=(),
        errors=(f"two or three {pages.nouns} can be merged at a time; {many} was selected",),
        token=token("merge-select", pages.kind),
        guard=False,
    )
    header = PageHeader(title=title, kicker=fields_label(pages), icon=pages.icon)
    return page("kit/form_page.html", 422, title=title, header=header, form=form, toasts=())


def _ids() -> list[str]:
    ids = list(dict.fromkeys(request.values.getlist("record")))
    if not FEWEST <= len(ids) <= MOST:
        raise BadQuery(f"two or three records can be merged at a time, not {len(ids)}", field="record")
    return ids


def _compared(pages: Pages) -> dict[str, Any]:
    """The records of the address. Raises Forbidden where no one of them can stay while the others go."""
    found: dict[str, Any] = read("crm.compare_records", {"ids": _ids()})
    if found["object"] != pages.kind:
        raise BadQuery(f"these are no {pages.nouns}", field="record")
    if not _possible(found["records"]):
        raise Forbidden("you may not delete enough of these records to merge them")
    return found


def _possible(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The records that may stay, the oldest first."""
    able = [
        row
        for row in records
        if row["may_keep"] and all(other["may_lose"] for other in records if other["id"] != row["id"])
    ]
    return [row["id"] for row in sorted(able, key=lambda row: (row["created_at"], row["id"]))]


def _survivor(records: Sequence[Mapping[str, Any]]) -> str:
    possible = _possible(records)
    wanted = request.values.get("survivor", "")
    if wanted and wanted not in possible:
        raise BadQuery("this record cannot be the one that stays", field="survivor", allowed=possible)
    return wanted or possible[0]


def _sides(pages: Pages, found: Mapping[str, Any], survivor: str) -> tuple[Side, ...]:
    records = found["records"]
    names: list[str] = []
    possible, ids, titles = _possible(records), [row["id"] for row in records], [row["name"] for row in records]
    for row in records:
        name = ", ".join(part for part in (row["name"], detail_of(row)) if part)
        names.append(f"{name} ({len(names) + 1})" if name in names else name)
    return tuple(
        Side(
            id=row["id"],
            name=name,
            title=row["name"],
            short=row["name"] if titles.count(row["name"]) == 1 else f"{row['name']} ({at})",
            detail=detail_of(row),
            href=f"{pages.url}/{row['id']}",
            created=long_date(local_date(row["created_at"], g.person["tz"])),
            related=_counted(row["related"]),
            version=row["row_version"],
            stays=row["id"] == survivor,
            keep_href=merge_href(pages, ids, row["id"]) if row["id"] in possible and row["id"] != survivor else "",
        )
        for at, (row, name) in enumerate(zip(records, names, strict=True), 1)
    )


def _counted(related: Mapping[str, int]) -> str:
    nouns = [(count, KINDS[kind].label if count == 1 else KINDS[kind].plural) for kind, count in related.items()]
    return ", ".join(f"{count} {noun.lower()}" for count, noun in nouns)


def _values(pages: Pages, names: Sequence[str], sides: Sequence[Side]) -> list[dict[str, Any]]:
    """Label and value of each record, field by field."""
    records = [read("crm.get", {"id": side.id})["record"] for side in sides]
    known = fields_of(pages.kind)
    return [
        {
            "name": name,
            "label": label_of(pages.kind, name),
            "values": [text_of(pages.kind, name, record) for record in records],
        }
        for name in names
        if name in known
    ]


@blueprint.get("/<folder>/merge")
def compare(folder: str) -> Any:
    """Two or three records side by side: which one stays, and whose value of each field."""
    pages = _mergeable(folder)
    found = _compared(pages)
    survivor = _survivor(found["records"])
    sides = _sides(pages, found, survivor)
    title = f"Merge {len(sides)} {pages.nouns}"
    same = [row for row in _values(pages, found["same"], sides) if row["values"][0]]
    return page(
        "crm/merge.html",
        heading=title,
        merge_header=PageHeader(
            title=title,
            kicker=fields_label(pages),
            icon=pages.icon,
            subtitle="One record stays; the others go to the recycle bin, and what belongs to them goes over.",
        ),
        noun=pages.noun,
        action=f"{pages.url}/merge/confirm",
        cancel_href=f"{pages.url}/{survivor}",
        sides=sides,
        survivor=survivor,
        differing=_values(pages, found["differing"], sides),
        same=same,
        crumbs=[Link(fields_label(pages), pages.url)],
        crumb_here=title,
        toasts=(),
    )


def _choices(found: Mapping[str, Any], survivor: str) -> dict[str, str]:
    """The fields whose value is another record's than the survivor's."""
    ids = [row["id"] for row in found["records"]]
    chosen = {name: request.values.get(_CHOOSE + name, survivor) for name in found["differing"]}
    for name, record_id in chosen.items():
        if record_id not in ids:
            raise BadQuery(f'{_CHOOSE}{name} is "{record_id}", which is not among the records', field=_CHOOSE + name)
    return {name: record_id for name, record_id in chosen.items() if record_id != survivor}


def _versions(ids: Sequence[str]) -> dict[str, int]:
    return {one: whole_number(request.values.get(_VERSION + one, ""), _VERSION + one) for one in ids}


@blueprint.get("/<folder>/merge/confirm")
def ask_merge(folder: str) -> Any:
    """Say what the merge will do before it is done."""
    return _confirm(_mergeable(folder))


def _confirm(pages: Pages, errors: Sequence[str] = (), status: int = 200) -> Any:
    found = _compared(pages)
    survivor = _survivor(found["records"])
    sides = _sides(pages, found, survivor)
    ids = [side.id for side in sides]
    chosen, versions = _choices(found, survivor), _versions(ids)
    stays = next(side for side in sides if side.stays)
    title = f"Merge into {stays.title}?"
    carried = [("record", one) for one in ids] + [("survivor", survivor)]
    carried += [(_VERSION + one, str(version)) for one, version in versions.items()]
    carried += [(_CHOOSE + name, record_id) for name, record_id in chosen.items()]
    form = Form(
        id="merge",
        title=title,
        action=f"{pages.url}/merge/run",
        submit_label=f"Merge {pages.nouns}",
        cancel_href=merge_href(pages, ids, survivor),
        cancel_label="Back",
        sections=_summary(pages, sides, chosen),
        intro=f"Whatever belongs to the {pages.nouns} that go belongs to {stays.title} afterwards. A record that is "
        "restored from the recycle bin later comes back alone.",
        danger=True,
        token=token("merge", survivor, versions[survivor]),
        hidden=tuple(carried),
        errors=tuple(errors),
        guard=False,
    )
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · {fields_label(pages)}",
        header=PageHeader(title=title, kicker=fields_label(pages), icon=pages.icon),
        form=form,
        crumbs=[Link(fields_label(pages), pages.url), Link(f"Merge {len(sides)} {pages.nouns}", form.cancel_href)],
        crumb_here="Confirm",
        toasts=(),
    )


def _summary(pages: Pages, sides: Sequence[Side], chosen: Mapping[str, str]) -> tuple[FieldSection, ...]:
    def line(side: Side) -> str:
        return " · ".join(part for part in (side.name, side.related) if part)

    stays = next(side for side in sides if side.stays)
    records = [FormField(name="stays", label="Stays", kind="static", value=line(stays), wide=True)]
    going = [side for side in sides if not side.stays]
    records += [
        FormField(
            name=f"goes{at}",
            label="Goes to the recycle bin" + (f" ({at})" if at > 1 else ""),
            kind="static",
            value=line(side),
            wide=True,
        )
        for at, side in enumerate(going, 1)
    ]
    at = {side.id: place for place, side in enumerate(sides)}
    taken = []
    for row in _values(pages, list(chosen), sides):
        side = sides[at[chosen[row["name"]]]]
        value = row["values"][at[side.id]] or "empty"
        taken.append(
            FormField(
                name=f"take_{row['name']}", label=row["label"], kind="static", value=value, help=f"From {side.name}"
            )
        )
    note = "" if taken else f"{stays.title} keeps all its own values."
    return (
        FieldSection("Records", tuple(records), columns=1, is_fixed=True),
        FieldSection("Values from the others", tuple(taken), note=note),
    )


@blueprint.post("/<folder>/merge/run")
def merge(folder: str) -> Any:
    """Merge the records: `merge_records`. A second post of the same form answers like the first."""
    pages = _mergeable(folder)
    ids, survivor = _ids(), request.form.get("survivor", "")
    names = [name.removeprefix(_CHOOSE) for name in request.form if name.startswith(_CHOOSE)]
    given = {
        "survivor": survivor,
        "losers": [one for one in ids if one != survivor],
        "field_choices": {name: request.form[_CHOOSE + name] for name in names},
        "row_versions": _versions(ids),
    }
    if not given["field_choices"]:
        del given["field_choices"]
    try:
        done = run("crm.merge_records", given)
    except Invalid as error:
        return _confirm(pages, tuple(_said(fault) for fault in error.errors), 422)
    except Conflict as error:
        return _confirm(pages, (f"{error.message}. Go back to compare the records as they are now",), 409)
    return go(f"{pages.url}/{done['id']}", "merged", id=done["id"])


def _said(fault: FieldError) -> str:
    return fault.shown
