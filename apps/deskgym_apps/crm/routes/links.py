"""Contact roles of a deal, and further accounts of a contact: forms that are one command each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import Conflict, Forbidden, Invalid, NotFound, ServiceError
from ...kit.forms import Face, Typed, show_form
from ...kit.operations import Input
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, Link, PageHeader
from ..service.links import AccountContactInput, ContactRoleInput
from .drawing import lookup_urls, posted_rendered, rendered, token, typed_form
from .going import go, page
from .reading import described
from .routing import blueprint
from .specs import PAGES

_DEALS, _CONTACTS = PAGES["opportunity"], PAGES["contact"]
_PART = ("role", "is_primary")


def _holder(record_id: str, related: str) -> dict[str, Any]:
    arguments = {"id": record_id, "related": [related], "related_limit": 200}
    got: dict[str, Any] = read("crm.get", arguments)
    if not got["access"]["edit"]:
        raise Forbidden(f"you may read {got['name']} but not change it")
    return got


def _linked(got: Mapping[str, Any], related: str, other_id: str) -> dict[str, Any]:
    for row in got["related"][related]["rows"]:
        if row["id"] == other_id:
            found: dict[str, Any] = row
            return found
    raise NotFound(f'"{other_id}" is not linked to {got["name"]}')


def _face(
    model: type[Input],
    names: Sequence[str],
    values: Mapping[str, Any],
    kind: str,
    typed: Typed | None,
    error: Invalid | None,
) -> Face:
    return show_form(
        model,
        filler(),
        values=values,
        typed=request.form if error else None,
        faults=error.errors if error else (),
        options={"role": described(kind)["roles"] or ()},
        lookup_urls=lookup_urls(model),
        candidates=typed.candidates if typed else {},
        only=names,
    )


def _page(got: Mapping[str, Any], title: str, form: Form, error: ServiceError | None) -> Any:
    pages = PAGES[got["object"]]
    plural = described(pages.kind)["plural"]
    return page(
        "kit/form_page.html",
        error.status if error else 200,
        title=f"{title} · {got['name']}",
        header=PageHeader(title=title, kicker=got["name"], icon="people"),
        form=form,
        crumbs=[Link(plural, pages.url), Link(got["name"], f"{pages.url}/{got['id']}")],
        crumb_here=title,
        toasts=(),
    )


def _form(
    got: Mapping[str, Any],
    url: str,
    title: str,
    drawn: Face,
    names: Sequence[str],
    key: str,
    hidden: tuple[tuple[str, str], ...] = (),
) -> Form:
    pages = PAGES[got["object"]]
    fields = tuple(
        replace(drawn[name], lookup_url=f"{drawn[name].lookup_url}?account_id={got['record']['account_id']}")
        if name == "contact_id" and got["record"].get("account_id")
        else drawn[name]
        for name in names
    )
    return Form(
        id=key,
        title=title,
        action=url,
        submit_label="Save",
        cancel_href=f"{pages.url}/{got['id']}",
        sections=(FieldSection("", fields, columns=1),),
        token=request.form.get("form_token", "") or token(key, got["id"]),
        errors=drawn.errors,
        hidden=hidden,
    )


def _role_page(
    got: Mapping[str, Any],
    row: Mapping[str, Any] | None,
    typed: Typed | None = None,
    error: Invalid | None = None,
    conflict: Conflict | None = None,
) -> Any:
    names = ["role", "is_primary"] if row else ["contact_id", "role", "is_primary"]
    values = {"role": row["role"], "is_primary": row["is_primary"]} if row else {}
    told = Invalid(conflict.message) if conflict else error
    drawn = _face(ContactRoleInput, names, values, "opportunity", typed, told)
    title = f"Edit role of {row['name']}" if row else "Add contact role"
    url = f"{_DEALS.url}/{got['id']}/contact-roles/{row['id'] if row else 'new'}"
    hidden = (rendered(_PART, row),) if row else ()
    form = _form(got, url, title, drawn, names, "contact-role", hidden)
    return _page(got, title, form, conflict or error)


@blueprint.get("/opportunities/<record_id>/contact-roles/new")
def new_role(record_id: str) -> Any:
    """The form of a new contact role."""
    return _role_page(_holder(record_id, "contact_roles"), None)


@blueprint.post("/opportunities/<record_id>/contact-roles/new")
def add_role(record_id: str) -> Any:
    """`set_contact_role` of a contact that is picked. One that has a role already keeps it (X-7)."""
    typed = typed_form(ContactRoleInput, ["contact_id", "role", "is_primary"], {})
    try:
        given = typed.created()
        _refuse_linked(_holder(record_id, "contact_roles"), "contact_roles", "contact_id", given)
        run("crm.set_contact_role", {"opportunity_id": record_id} | given)
    except Invalid as error:
        return _role_page(_holder(record_id, "contact_roles"), None, typed, _own(error))
    except NotFound as error:
        got = _holder(record_id, "contact_roles")
        return _role_page(got, None, typed, Invalid(error.message, field="contact_id"))
    return go(f"{_DEALS.url}/{record_id}", "role")


def _is_same(row: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    part = (row["role"], row.get("is_primary", False))
    return part == (given.get("role"), given.get("is_primary", False))


def _refuse_linked(got: Mapping[str, Any], related: str, field: str, given: Mapping[str, Any]) -> None:
    """A form for something new changes nothing that is there, unless it is just the same. Raises Invalid."""
    for row in got["related"][related]["rows"]:
        if row["id"] == given[field] and not _is_same(row, given):
            said = f"as {row['role']}" if row["role"] else "without a role"
            raise Invalid(f"{row['name']} is linked already, {said}; change that link instead", field=field)


def _own(error: Invalid) -> Invalid:
    """The faults of what the form shows: the record itself is in its address, not in a field."""
    shown = [fault for fault in error.errors if fault.field not in ("opportunity_id",)]
    return Invalid(shown or error.errors)


@blueprint.get("/opportunities/<record_id>/contact-roles/<contact_id>")
def edit_role(record_id: str, contact_id: str) -> Any:
    """The form of a contact's role."""
    got = _holder(record_id, "contact_roles")
    return _role_page(got, _linked(got, "contact_roles", contact_id))


@blueprint.post("/opportunities/<record_id>/contact-roles/<contact_id>")
def set_role(record_id: str, contact_id: str) -> Any:
    """`set_contact_role` of a contact that has one; a conflict where it is no longer as the form showed it (X-7)."""
    typed = typed_form(ContactRoleInput, list(_PART), {})
    given = {name: value for name, value in typed.values.items() if value not in (None, False)}
    try:
        _refuse_changed(record_id, contact_id, given)
        run("crm.set_contact_role", {"opportunity_id": record_id, "contact_id": contact_id} | given)
    except (Invalid, Conflict) as error:
        got = _holder(record_id, "contact_roles")
        row = _linked(got, "contact_roles", contact_id)
        if isinstance(error, Conflict):
            return _role_page(got, row, typed, conflict=error)
        return _role_page(got, row, typed, error)
    return go(f"{_DEALS.url}/{record_id}", "role")


def _refuse_changed(record_id: str, contact_id: str, given: Mapping[str, Any]) -> None:
    """Raises Conflict where a role is neither as the form showed it nor as it is to be."""
    row = _linked(_holder(record_id, "contact_roles"), "contact_roles", contact_id)
    shown, now = posted_rendered(_PART), {name: row[name] for name in _PART}
    if now in (shown, {"role": None, "is_primary": False, **given}):
        return
    who = read("crm.last_role_change", {"opportunity_id": record_id, "contact_id": contact_id})["name"]
    part = f"{now['role'] or 'no role'}{', primary contact' if now['is_primary'] else ''}"
    raise Conflict(
        f"{who or 'Somebody'} changed this role since you opened it: it is now {part}. Save again to set yours"
    )


def _ask(got: Mapping[str, Any], other: Mapping[str, Any], url: str, what: str) -> Any:
    pages = PAGES[got["object"]]
    title = f"Remove {other['name']}?"
    form = Form(
        id="remove",
        title=title,
        action=url,
        submit_label="Remove",
        cancel_href=f"{pages.url}/{got['id']}",
        sections=(),
        intro=f"{what} Neither record is deleted.",
        danger=True,
        token=token("remove", f"{got['id']}-{other['id']}"),
        guard=False,
    )
    return _page(got, title, form, None)


@blueprint.get("/opportunities/<record_id>/contact-roles/<contact_id>/remove")
def ask_remove_role(record_id: str, contact_id: str) -> Any:
    """Ask before a contact's role ends."""
    got = _holder(record_id, "contact_roles")
    other = _linked(got, "contact_roles", contact_id)
    url = f"{_DEALS.url}/{record_id}/contact-roles/{contact_id}/remove"
    return _ask(got, other, url, f"{other['name']} no longer has a role in {got['name']}.")


@blueprint.post("/opportunities/<record_id>/contact-roles/<contact_id>/remove")
def remove_role(record_id: str, contact_id: str) -> Any:
    """`remove_contact_role`."""
    run("crm.remove_contact_role", {"opportunity_id": record_id, "contact_id": contact_id})
    return go(f"{_DEALS.url}/{record_id}", "unrole")


def _account_page(
    got: Mapping[str, Any],
    row: Mapping[str, Any] | None = None,
    typed: Typed | None = None,
    error: Invalid | None = None,
    conflict: Conflict | None = None,
) -> Any:
    names = ["role"] if row else ["account_id", "role"]
    values = {"role": row["role"]} if row else {}
    told = Invalid(conflict.message) if conflict else error
    drawn = _face(AccountContactInput, names, values, "account", typed, told)
    title = f"Edit role at {row['name']}" if row else "Add related account"
    url = f"{_CONTACTS.url}/{got['id']}/accounts/{row['id'] if row else 'new'}"
    hidden = (rendered(("role",), row),) if row else ()
    return _page(got, title, _form(got, url, title, drawn, names, "related-account", hidden), conflict or error)


@blueprint.get("/contacts/<record_id>/accounts/new")
def new_account_link(record_id: str) -> Any:
    """The form that relates a contact to a further account."""
    return _account_page(_holder(record_id, "accounts"))


@blueprint.post("/contacts/<record_id>/accounts/new")
def add_account_link(record_id: str) -> Any:
    """`set_account_contact`."""
    typed = typed_form(AccountContactInput, ["account_id", "role"], {})
    try:
        given = typed.created()
        _refuse_linked(_holder(record_id, "accounts"), "accounts", "account_id", given)
        run("crm.set_account_contact", {"contact_id": record_id} | given)
    except Invalid as error:
        shown = [fault for fault in error.errors if fault.field != "contact_id"]
        return _account_page(_holder(record_id, "accounts"), None, typed, Invalid(shown or error.errors))
    except NotFound as error:
        fault = Invalid(error.message, field="account_id")
        return _account_page(_holder(record_id, "accounts"), None, typed, fault)
    return go(f"{_CONTACTS.url}/{record_id}", "related")


@blueprint.get("/contacts/<record_id>/accounts/<account_id>")
def edit_account_link(record_id: str, account_id: str) -> Any:
    """The form of a contact's role at an account."""
    got = _holder(record_id, "accounts")
    return _account_page(got, _linked(got, "accounts", account_id))


@blueprint.post("/contacts/<record_id>/accounts/<account_id>")
def set_account_link(record_id: str, account_id: str) -> Any:
    """`set_account_contact` of accounts that are related; a conflict where the role is no longer as shown (X-7)."""
    typed = typed_form(AccountContactInput, ["role"], {})
    given = {"role": typed.values["role"]} if typed.values.get("role") else {}
    row = _linked(_holder(record_id, "accounts"), "accounts", account_id)
    try:
        if row["role"] not in (posted_rendered(("role",)).get("role"), given.get("role")):
            now = row["role"] or "no role"
            raise Conflict(f"this role was changed since you opened it: it is now {now}. Save again to set yours")
        run("crm.set_account_contact", {"contact_id": record_id, "account_id": account_id} | given)
    except Invalid as error:
        return _account_page(_holder(record_id, "accounts"), row, typed, error)
    except Conflict as error:
        return _account_page(_holder(record_id, "accounts"), row, typed, conflict=error)
    return go(f"{_CONTACTS.url}/{record_id}", "related")


@blueprint.get("/contacts/<record_id>/accounts/<account_id>/remove")
def ask_remove_account(record_id: str, account_id: str) -> Any:
    """Ask before a contact's relation to a further account ends."""
    got = _holder(record_id, "accounts")
    other = _linked(got, "accounts", account_id)
    url = f"{_CONTACTS.url}/{record_id}/accounts/{account_id}/remove"
    return _ask(got, other, url, f"{got['name']} is no longer related to {other['name']}.")


@blueprint.post("/contacts/<record_id>/accounts/<account_id>/remove")
def remove_account(record_id: str, account_id: str) -> Any:
    """`remove_account_contact`."""
    run("crm.remove_account_contact", {"contact_id": record_id, "account_id": account_id})
    return go(f"{_CONTACTS.url}/{record_id}", "unrelated")
