"""New, edit, move, deactivate and delete in the set-up: each form is one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, FieldError, Invalid, NotFound
from ...kit.forms import Typed
from ...kit.operations import Input
from ...kit.session import read, run
from ...kit.web import FieldSection, Form, FormField, Link, Option, PageHeader, RelatedItem, RelatedList
from ..rules_approvals import APPROVABLE, SET_TYPES
from ..rules_setup import MAX_CRITERIA
from ..service.inputs import widgets
from ..service.kinds import RECORDS
from ..service.setup.models import CHANGED, CREATED
from . import filters as filtering
from .drawing import face, named_options, posted_rendered, rendered, token, typed_form
from .going import back_or, back_pair, conflict_page, go, page
from .reading import fields_of, posted_version, whole_number
from .routing import blueprint
from .setup import got_of
from .setup_frame import crumb, need_administrator, setup_page
from .setup_places import BY_KIND, ROOT, WORDS, Place, place_at, word
from .specs import PAGES

_NAMES = {
    "owner_id": "owner_name",
    "approver_id": "approver_name",
    "default_owner_id": "default_owner",
}  # lookups whose name is a field of its own
_GIVEN = ("group_id", "rule_id", "permission_set_id", "person_id", "object", "field")  # what an address may fix
_ROWS = 4
_OF_OBJECT: Mapping[str, tuple[str, ...]] = {"validation_rule": RECORDS, "approval_process": APPROVABLE}


@dataclass(frozen=True)
class Asked:
    """One form of the set-up: its fields, what its address fixes, and the object that criteria are about."""

    place: Place
    model: type[Input]
    names: tuple[str, ...]
    fixed: Mapping[str, str]
    thing: str = ""
    got: Mapping[str, Any] | None = None

    @property
    def has_criteria(self) -> bool:
        """Whether the form asks for criteria."""
        return "criteria" in self.model.model_fields

    @property
    def record(self) -> Mapping[str, Any]:
        """The values that the form begins with."""
        return {} if self.got is None else self.got["record"]


def _names(place: Place, model: type[Input], fixed: Mapping[str, str]) -> tuple[str, ...]:
    wanted = [name for _, names in place.pages.sections for name in names]
    return tuple(name for name in wanted if name in model.model_fields and name not in fixed)


# What must be given of what a new row belongs to: one of these sets
_BELONGS: Mapping[str, tuple[frozenset[str], ...]] = {
    "group_member": (frozenset({"group_id"}),),
    "assignment_entry": (frozenset({"rule_id"}),),
    "permission_set_assignment": (frozenset({"permission_set_id"}), frozenset({"person_id"})),
    "picklist_value": (frozenset({"object", "field"}),),
}


def _new(slug: str) -> Asked:
    need_administrator()
    place = place_at(slug)
    model = CREATED.get(place.pages.kind)
    if model is None:
        raise NotFound(f"{place.title.lower()} are not made here")
    fixed = {name: request.args[name] for name in _GIVEN if request.args.get(name) and name in model.model_fields}
    if place.pages.kind in ("sharing_rule", "queue"):
        fixed = {}
    if not any(needed <= fixed.keys() for needed in _BELONGS.get(place.pages.kind, (frozenset(),))):
        raise NotFound(f"a new {place.pages.noun} begins on the page of what it belongs to")
    thing = fixed.get("object", "") if place.pages.kind in _OF_OBJECT else ""
    if place.pages.kind == "assignment_entry":
        thing = str(read("crm.get", {"id": fixed.get("rule_id", "")})["record"]["object"])
    if thing and thing not in PAGES:
        raise NotFound(f'there is no object "{thing}"')
    return Asked(place, model, _names(place, model, fixed), fixed, thing)


def edited(slug: str, row_id: str) -> Asked:
    """What the edit form of a row asks. Raises NotFound, Forbidden."""
    need_administrator()
    place = place_at(slug)
    model = CHANGED.get(place.pages.kind if place.pages.kind != "group" else "queue")
    if model is None:
        raise NotFound(f"{place.title.lower()} are not changed here")
    got = got_of(place, row_id)
    names = tuple(name for name in _names(place, model, {}) if not (place.pages.kind == "group" and name == "email"))
    thing = str(got["record"].get("object", ""))
    if place.pages.kind == "assignment_entry":
        thing = str(read("crm.get", {"id": got["record"]["rule_id"]})["record"]["object"])
    return Asked(place, model, names, {}, thing, got)


def _options(asked: Asked, item: FormField) -> FormField:
    """Closed sets in the words of pages; fields of an object by their labels."""
    if item.name.rpartition("_")[2] == "field":
        known = [
            (info["name"], info["label"])
            for info in fields_of(asked.thing).values()
            if info["writable"] and (item.name == "field" or info["type"] in SET_TYPES)
        ]
        options = (Option("", "–"), *(Option(name, str(text)) for name, text in known))
        return replace(item, kind="select", options=options)
    if item.kind == "select" and item.name in WORDS:
        options = tuple(replace(one, label=word(item.name, one.value) or one.label) for one in item.options)
        return replace(item, options=options)
    return item


def _shown(asked: Asked) -> dict[str, Option]:
    record = asked.record
    found = dict(named_options(asked.place.pages, record)) if record else {}
    for name, other in _NAMES.items():
        if record.get(name):
            found[name] = Option(str(record[name]), str(record.get(other) or ""))
    if record.get("manager_id"):
        name = read("crm.get", {"id": record["manager_id"], "fields": ["name"]})["name"]
        found["manager_id"] = Option(record["manager_id"], name)
    return found


def _typed_criteria(asked: Asked) -> tuple[filtering.Typed, ...]:
    """Criteria as the posted form says them, or as the row has them."""
    if request.method == "POST":
        return filtering.read_filters(request.form).typed
    return tuple(_as_typed(item) for item in asked.record.get("criteria", ()))


def _as_typed(item: Mapping[str, Any]) -> filtering.Typed:
    value = item.get("value")
    if isinstance(value, list):
        value = ", ".join(str(one) for one in value)
    text = {True: "Yes", False: "No"}[value] if isinstance(value, bool) else "" if value is None else str(value)
    return filtering.Typed(item["field"], item["op"], text)


def _criteria_section(asked: Asked, faults: Sequence[FieldError]) -> FieldSection:
    rows = _typed_criteria(asked)
    said = next((fault.shown for fault in faults if (fault.field or "").startswith("criteria")), "")
    problems = {"field1": said} if said else {}
    fields: list[FormField] = []
    for at in range(1, min(MAX_CRITERIA, max(_ROWS, len(rows) + 2)) + 1):
        row = rows[at - 1] if at <= len(rows) else filtering.Typed("", "equals", "")
        fields += filtering.filter_row(PAGES[asked.thing], at, row, problems)
    note = "All of them hold."
    if asked.place.pages.kind == "validation_rule":
        note = "A record for which all of these hold is refused."
    if asked.place.pages.kind == "approval_process":
        note = "A record for which all of these hold may be submitted."
    return FieldSection("Criteria", tuple(fields), columns=3, note=note, is_fixed=True)


def _criteria(asked: Asked) -> list[dict[str, Any]]:
    """The criteria of the posted form as the service takes them. Raises Invalid."""
    try:
        return filtering.conditions(PAGES[asked.thing], filtering.Filters("", "all", _typed_criteria(asked)))
    except BadQuery as fault:
        raise Invalid(fault.message, field="criteria") from None


def _defaults(asked: Asked) -> dict[str, Any]:
    values = dict(asked.record)
    if asked.got is None:
        values |= {name: True for name in ("is_active",) if name in asked.names}
    return values


def _form_page(
    asked: Asked,
    title: str,
    action: str,
    *,
    typed: Typed | None = None,
    error: Invalid | None = None,
    before: Mapping[str, Any] | None = None,
) -> Any:
    faults = error.errors if error else ()
    values = _defaults(asked)
    drawn = face(
        asked.place.pages,
        asked.model,
        asked.names,
        values,
        _shown(asked),
        typed=request.form if error else None,
        faults=[fault for fault in faults if not (fault.field or "").startswith("criteria")],
        candidates=typed.candidates if error and typed else None,
    )
    fields = tuple(_options(asked, item) for item in drawn.fields.values())
    sections = (FieldSection(asked.place.title, fields),) if fields else ()
    if asked.has_criteria:
        sections = (*sections, _criteria_section(asked, faults))
    version = None if asked.got is None else posted_version() if error else int(asked.record["row_version"])
    hidden = () if asked.got is None else (rendered(asked.names, before or values),)
    form = Form(
        id=f"setup-{asked.place.pages.kind.replace('_', '-')}",
        title=title,
        action=action,
        sections=sections,
        submit_label="Save",
        cancel_href=home_of(asked),
        token=request.form.get("form_token", "") if error else token(action, asked.got["id"] if asked.got else ""),
        row_version=version,
        hidden=(*hidden, *back_pair()),
        errors=drawn.errors,
    )
    crumbs = [Link("Setup", ROOT), crumb(listed_at(asked.place))]
    header = PageHeader(title=title, kicker="Setup", icon=asked.place.pages.icon)
    return page(
        "kit/form_page.html",
        422 if error else 200,
        title=f"{title} · Setup",
        header=header,
        form=form,
        crumbs=crumbs,
        crumb_here=title,
        toasts=(),
    )


def listed_at(place: Place) -> Place:
    """The place in the tree that a part belongs to."""
    whole = {
        "group_member": "group",
        "permission_set_assignment": "permission_set",
        "assignment_entry": "assignment_rule",
    }
    return BY_KIND[whole.get(place.pages.kind, place.pages.kind)]


def home_of(asked: Asked, made: str = "") -> str:
    """Where a form leads: the page of what was saved, or of what it belongs to."""
    values: Mapping[str, Any] = asked.fixed or asked.record
    kind = asked.place.pages.kind
    if kind == "group_member":
        slug = "queues" if read("crm.get", {"id": values["group_id"]})["object"] == "queue" else "groups"
        return f"{ROOT}/{slug}/{values['group_id']}"
    if kind == "assignment_entry":
        return f"{ROOT}/assignment-rules/{values['rule_id']}"
    if kind == "permission_set_assignment":
        if values.get("person_id") and "permission_set_id" not in asked.fixed and asked.got is None:
            return f"{ROOT}/users/{values['person_id']}"
        return f"{ROOT}/permission-sets/{values['permission_set_id']}"
    if kind == "picklist_value":
        return f"{ROOT}/picklists/{values['object']}.{values['field']}"
    row_id = made or (str(asked.got["id"]) if asked.got else "")
    return f"{asked.place.pages.url}/{row_id}" if row_id else asked.place.pages.url


def _which_object(place: Place) -> Any:
    """For which object a new validation rule or approval process is."""
    items = tuple(
        RelatedItem(name=word("object", thing), href=f"{place.pages.url}/new?object={thing}")
        for thing in _OF_OBJECT[place.pages.kind]
    )
    chosen = RelatedList(id="objects", title="Choose the object", total=len(items), items=items)
    header = PageHeader(title=f"New {place.pages.noun}", kicker="Setup", icon=place.pages.icon)
    return setup_page("setup.html", header, crumbs=[crumb(place)], related=(chosen,))


@blueprint.get("/setup/<slug>/new")
def setup_new(slug: str) -> Any:
    """The form of something new in the set-up."""
    asked = _new(slug)
    if asked.place.pages.kind in _OF_OBJECT and not asked.thing:
        return _which_object(asked.place)
    return _form_page(asked, f"New {asked.place.pages.noun}", request.full_path.rstrip("?"))


@blueprint.post("/setup/<slug>/new")
def setup_create(slug: str) -> Any:
    """Create it: `create_<kind>`."""
    asked = _new(slug)
    typed = typed_form(asked.model, asked.names, _defaults(asked))
    try:
        given = typed.created() | dict(asked.fixed) | ({"criteria": _criteria(asked)} if asked.has_criteria else {})
        made = run(f"crm.create_{asked.place.pages.kind}", given)
    except Invalid as error:
        return _form_page(
            asked, f"New {asked.place.pages.noun}", request.full_path.rstrip("?"), typed=typed, error=error
        )
    return go(back_or(home_of(asked, made["id"])), "setup-created")


def _title(asked: Asked) -> str:
    return f"Edit {asked.got['name']}" if asked.got else ""


@blueprint.get("/setup/<slug>/<row_id>/edit")
def setup_edit(slug: str, row_id: str) -> Any:
    """The edit form of something in the set-up."""
    asked = edited(slug, row_id)
    return _form_page(asked, _title(asked), f"{asked.place.pages.url}/{row_id}/edit")


def operation_of(verb: str, place: Place) -> str:
    """The operation that changes or deletes a row of a place."""
    kind = "queue" if place.pages.kind == "group" else place.pages.kind
    return f"crm.{verb}_{kind}"


@blueprint.post("/setup/<slug>/<row_id>/edit")
def setup_update(slug: str, row_id: str) -> Any:
    """Save what was touched: `update_<kind>`."""
    asked = edited(slug, row_id)
    version, before = posted_version(), posted_rendered(list(asked.names))
    names = list(before) or list(asked.names)
    typed = typed_form(asked.model, names, before or dict(asked.record))
    changed: dict[str, Any] = {}
    try:
        changed = typed.changed()
        if asked.has_criteria and "field1" in request.form:
            shown = tuple(_as_typed(item) for item in asked.record["criteria"])
            if _typed_criteria(asked) != shown:
                changed["criteria"] = _criteria(asked)
        if changed:
            run(operation_of("update", asked.place), {"id": row_id, "row_version": version, "values": changed})
    except Invalid as error:
        return _form_page(
            asked, _title(asked), f"{asked.place.pages.url}/{row_id}/edit", typed=typed, error=error, before=before
        )
    except Conflict as error:
        plain = [name for name in changed if name in widgets(asked.model) and name != "criteria"]
        return conflict_page(asked.place.pages, row_id, error, typed, plain)
    return go(back_or(home_of(asked)), "saved")


@blueprint.post("/setup/<slug>/<row_id>/move")
def setup_move(slug: str, row_id: str) -> Any:
    """Move an entry of an assignment rule, or a value of a picklist: `update_<kind>` with its position."""
    asked = edited(slug, row_id)
    position = whole_number(request.form.get("position", ""), "position")
    values = {"id": row_id, "row_version": posted_version(), "values": {"position": position}}
    run(operation_of("update", asked.place), values)
    return go(home_of(asked), "setup-moved")
