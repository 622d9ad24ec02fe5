"""The Convert page of one lead: which account and contact it becomes, with which opportunity (CRM-2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import request

from ...kit.errors import Conflict, FieldError, Forbidden, Invalid
from ...kit.posted import Meant, meant
from ...kit.session import read, run
from ...kit.web import (
    FieldSection,
    Form,
    FormField,
    Link,
    MenuItem,
    Option,
    PageHeader,
    RelatedItem,
    RelatedList,
    read_lookup,
)
from .drawing import anyway, doubled, exact, named_record, partly, token
from .going import back_or, back_pair, go, page
from .reading import is_readable, posted_version
from .routing import blueprint
from .specs import PAGES, record_href

_PAGES = PAGES["lead"]
NEW, NONE, OTHER = "new", "none", "other"
_MOST = 8  # suggestions of a kind; the lookup finds the rest
TARGETS = ("account", "contact", "opportunity")


@dataclass
class Chosen:
    """What the form says: the arguments of the command, and what is wrong with them by field."""

    values: dict[str, Any] = field(default_factory=dict)
    faults: list[FieldError] = field(default_factory=list)


def choices_of(lead_id: str) -> dict[str, Any]:
    """What a lead may become. Raises Forbidden for one that the person may not change."""
    choices: dict[str, Any] = read("crm.conversion_choices", {"ids": [lead_id]})[0]
    if choices["refusal"] and not choices["results"]:
        raise Forbidden(choices["refusal"])
    return choices


def options(choices: Mapping[str, Any], target: str) -> tuple[Option, ...]:
    """Suggestions, and a new record; of an opportunity also none."""
    return (*(suggested(target, row) for row in choices[_LISTS[target]][:_MOST]), *_plain_options(choices, target))


_LISTS: Mapping[str, str] = {"account": "accounts", "contact": "contacts", "opportunity": "opportunities"}


def suggested(target: str, row: Mapping[str, Any]) -> Option:
    """A suggestion with what tells it apart and why it is one."""
    if target == "opportunity":
        return Option(row["id"], row["name"], f"{row['account']}, {row['stage']}")
    return Option(row["id"], row["name"], ", ".join(part for part in (row["detail"], row["reason"]) if part))


def _plain_options(choices: Mapping[str, Any], target: str) -> tuple[Option, ...]:
    if target == "opportunity":
        return (Option(NEW, "Create an opportunity"), Option(NONE, "No opportunity"))
    name = choices["company"] if target == "account" else choices["name"]
    return (Option(NEW, f"Create a new {target}", name),)


def _lookup(target: str, lead_id: str, error: str, label: str) -> FormField:
    """The lookup for a record that is not suggested."""
    name = f"{target}_{OTHER}"
    shown = Option("", "")
    candidates: tuple[Option, ...] = ()
    if f"{name}__text" in request.form:
        choice = read_lookup(request.form, name)
        shown = named_record(choice) if choice.id else Option("", choice.text)
        candidates = _meant(target).candidates if error else ()
    return FormField(
        name=name,
        label=label,
        kind="lookup",
        value=shown.value,
        value_label=shown.label,
        error=error,
        candidates=candidates,
        lookup_url=f"/crm/lookup/{target}",
    )


def _meant(target: str) -> Meant:
    return meant(
        f"{target}_{OTHER}", request.form, lambda _, text: exact(target, text), lambda _, text: partly(target, text)
    )


def _section(choices: Mapping[str, Any], target: str, errors: Mapping[str, str]) -> FieldSection:
    other = Option(OTHER, f"Another {target}", "name it below")
    chosen = request.form.get(target) or choices[target]
    radio = FormField(
        name=target,
        label=f"Choose the {target}",
        kind="radio",
        required=True,
        value=chosen,
        options=(*options(choices, target), other),
        error=errors.get(target, ""),
        wide=True,
    )
    lookup = _lookup(target, choices["lead_id"], errors.get(f"{target}_{OTHER}", ""), f"Another {target}")
    fields = [radio, lookup]
    if target == "opportunity":
        name = request.form.get("opportunity_name", choices["opportunity_name"])
        fields.append(
            FormField(
                name="opportunity_name",
                label="Opportunity name",
                value=name,
                max_length=120,
                help="Of a new one.",
                error=errors.get("opportunity_name", ""),
            )
        )
    return FieldSection(target.capitalize(), tuple(fields), columns=1)


def _ending(choices: Mapping[str, Any], errors: Mapping[str, str]) -> FieldSection:
    """The converted status, and who owns what is new."""
    owner = Option(choices["owner_id"], choices["owner"])
    if "owner_id__text" in request.form:
        choice = read_lookup(request.form, "owner_id")
        owner = named_record(choice) if choice.id else Option("", choice.text)
    status = FormField(
        name="status",
        label="Converted status",
        kind="select",
        required=True,
        value=request.form.get("status", choices["statuses"][0]),
        options=tuple(Option(name, name) for name in choices["statuses"]),
        error=errors.get("status", ""),
    )
    lookup = FormField(
        name="owner_id",
        label="Owner of the new records",
        kind="lookup",
        required=True,
        value=owner.value,
        value_label=owner.label,
        help="Another owner also gets the open activities of the lead's owner.",
        error=errors.get("owner", ""),
        lookup_url="/crm/lookup/user",
    )
    return FieldSection("Status and owner", (status, lookup))


def _shown_errors(faults: tuple[FieldError, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Messages by the field where they stand, and those that belong to none."""
    placed: dict[str, str] = {}
    loose = []
    for fault in faults:
        name = str(fault.field or "").partition(".")[0]
        if name in (*TARGETS, *(f"{one}_{OTHER}" for one in TARGETS), "opportunity_name", "status", "owner"):
            placed[name] = f"{placed[name]}; {fault.shown}" if name in placed else fault.shown
        else:
            loose.append(fault.shown)
    return placed, tuple(loose)


def _page(choices: Mapping[str, Any], error: Invalid | None = None, conflict: str = "") -> Any:
    errors, loose = _shown_errors(error.errors if error else ())
    more = doubled(error)
    loose = more.pop("errors", loose)
    errors = {} if more else errors
    loose = (*loose, *((conflict,) if conflict else ()))
    url = f"{_PAGES.url}/{choices['lead_id']}"
    title = f"Convert {choices['name']}"
    version = choices["row_version"]
    form = Form(
        id="convert-lead",
        title=title,
        action=f"{url}/convert",
        submit_label="Convert lead",
        cancel_href=back_or(url),
        sections=(*(_section(choices, target, errors) for target in TARGETS), _ending(choices, errors)),
        intro=f"{choices['name']} of {choices['company']} becomes a contact at an account. Of records that exist only "
        "blank fields are filled. This cannot be undone.",
        token=token("convert", choices["lead_id"], version),
        row_version=version,
        hidden=back_pair(),
        errors=loose,
        guard=False,
        **more,
    )
    return page(
        "kit/form_page.html",
        409 if conflict else 422 if error else 200,
        title=f"{title} · Leads",
        header=PageHeader(title=title, kicker="Leads", icon=_PAGES.icon),
        form=form,
        crumbs=[Link("Leads", _PAGES.url), Link(choices["name"], url)],
        crumb_here="Convert",
        toasts=(),
    )


@blueprint.get("/leads/<record_id>/convert")
def ask_convert(record_id: str) -> Any:
    """The form of a conversion; of a lead that was converted before, its page with what it became."""
    choices = choices_of(record_id)
    return refused(choices) if choices["refusal"] else _page(choices)


def refused(choices: Mapping[str, Any], status: int = 200) -> Any:
    """A second conversion is refused, with working links to what the first one made (CRM-2.8)."""
    url = f"{_PAGES.url}/{choices['lead_id']}"
    title = f"{choices['name']} was converted before"
    items = tuple(
        RelatedItem(name=row["name"], href=record_href(row["id"]), facts=(("", row["object"].capitalize()),))
        for row in choices["results"]
    )
    return page(
        "crm/converted.html",
        status,
        heading=f"{title} · Leads",
        converted_header=PageHeader(
            title=title,
            kicker="Leads",
            icon=_PAGES.icon,
            subtitle="A lead is converted once. Nothing was changed.",
            actions=(MenuItem(label="Go to the lead", href=url),),
        ),
        became=RelatedList(id="became", title="What it became", total=len(items), items=items, icon="arrow-left-right"),
        crumbs=[Link("Leads", _PAGES.url), Link(choices["name"], url)],
        crumb_here="Convert",
        toasts=(),
    )


def _read_target(target: str, said: Chosen) -> None:
    wanted, found = request.form.get(target, ""), _meant(target)
    has_text = bool(read_lookup(request.form, f"{target}_{OTHER}").text)
    if wanted != OTHER:
        if has_text:
            message = f'choose "Another {target}" above for this one, or empty the field'
            said.faults.append(FieldError(f"{target}_{OTHER}", message))
        if not wanted:
            said.faults.append(FieldError(target, f"choose the {target}"))
        said.values[target] = wanted
    elif found.fault or not found.id:
        said.faults.append(FieldError(f"{target}_{OTHER}", found.fault or f"name the {target}"))
    else:
        said.values[target] = found.id


def _read(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the command; what equals the default is left out. Raises Invalid."""
    said = Chosen()
    for target in TARGETS:
        _read_target(target, said)
    name = " ".join(request.form.get("opportunity_name", "").split())
    if said.values.get("opportunity") == NEW and name and name != choices["opportunity_name"]:
        said.values["opportunity_name"] = name
    status = request.form.get("status", "")
    if status and status != choices["statuses"][0]:
        said.values["status"] = status
    owner = meant("owner_id", request.form, lambda _, text: exact("user", text), lambda _, text: partly("user", text))
    if owner.fault or not owner.id:
        said.faults.append(FieldError("owner", owner.fault or "name the owner"))
    elif owner.id != choices["owner_id"]:
        said.values["owner"] = owner.id
    if said.faults:
        raise Invalid(said.faults)
    return said.values


@blueprint.post("/leads/<record_id>/convert")
def convert(record_id: str) -> Any:
    """Convert the lead: `convert_lead`. A second post of the same form answers like the first."""
    choices = choices_of(record_id)
    version = posted_version()
    try:
        chosen = _read(choices)
        done = run("crm.convert_lead", {"lead_id": record_id, "row_version": version, **chosen, **anyway()})
    except Invalid as error:
        fresh = choices_of(record_id)
        return refused(fresh, 422) if fresh["refusal"] else _page(fresh, error)
    except Conflict as error:
        return _page(choices_of(record_id), conflict=error.message)
    shown = next((done[f"{name}_id"] for name in ("contact", "account") if is_readable(done[f"{name}_id"])), "")
    return go(f"{_PAGES.url}/{record_id}", "converted", **({"id": shown} if shown else {}))
