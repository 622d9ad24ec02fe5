"""Contact roles of a deal, and further accounts of a contact: forms that are one command each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import Forbidden, Invalid, NotFound
from ...kit.forms import Face, Typed, show_form
from ...kit.operations import Input
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, Link, PageHeader
from ..service.links import AccountContactInput, ContactRoleInput
from .drawing import lookup_urls, token, typed_form
from .going import go, page
from .reading import described
from .routing import blueprint
from .specs import PAGES

_DEALS, _CONTACTS = PAGES["opportunity"], PAGES["contact"]


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


def _page(got: Mapping[str, Any], title: str, form: Form, error: Invalid | None) -> Any:
    pages = PAGES[got["object"]]
    plural = described(pages.kind)["plural"]
    return page(
        "kit/form_page.html",
        422 if error else 200,
        title=f"{title} · {got['name']}",
        header=PageHeader(title=title, kicker=got["name"], icon="people"),
        form=form,
        crumbs=[Link(plural, pages.url), Link(got["name"], f"{pages.url}/{got['id']}")],
        crumb_here=title,
        toasts=(),
    )


def _form(got: Mapping[str, Any], url: str, title: str, drawn: Face, names: Sequence[str], key: str) -> Form:
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
    )


def _role_page(
    got: Mapping[str, Any], row: Mapping[str, Any] | None, typed: Typed | None = None, error: Invalid | None = None
) -> Any:
    names = ["role", "is_primary"] if row else ["contact_id", "role", "is_primary"]
    values = {"role": row["role"], "is_primary": row["is_primary"]} if row else {}
    drawn = _face(ContactRoleInput, names, values, "opportunity", typed, error)
    title = f"Edit role of {row['name']}" if row else "Add contact role"
    url = f"{_DEALS.url}/{got['id']}/contact-roles/{row['id'] if row else 'new'}"
    return _page(got, title, _form(got, url, title, drawn, names, "contact-role"), error)


@blueprint.get("/opportunities/<record_id>/contact-roles/new")
def new_role(record_id: str) -> Any:
    """The form of a new contact role."""
    return _role_page(_holder(record_id, "contact_roles"), None)


@blueprint.post("/opportunities/<record_id>/contact-roles/new")
def add_role(record_id: str) -> Any:
    """`set_contact_role` of a contact that is picked."""
    typed = typed_form(ContactRoleInput, ["contact_id", "role", "is_primary"], {})
    try:
        run("crm.set_contact_role", {"opportunity_id": record_id} | typed.created())
    except Invalid as error:
        return _role_page(_holder(record_id, "contact_roles"), None, typed, _own(error))
    return go(f"{_DEALS.url}/{record_id}", "role")


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
    """`set_contact_role` of a contact that has one."""
    typed = typed_form(ContactRoleInput, ["role", "is_primary"], {})
    given = {name: value for name, value in typed.values.items() if value not in (None, False)}
    try:
        run("crm.set_contact_role", {"opportunity_id": record_id, "contact_id": contact_id} | given)
    except Invalid as error:
        got = _holder(record_id, "contact_roles")
        return _role_page(got, _linked(got, "contact_roles", contact_id), typed, error)
    return go(f"{_DEALS.url}/{record_id}", "role")


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


def _account_page(got: Mapping[str, Any], typed: Typed | None = None, error: Invalid | None = None) -> Any:
    names = ["account_id", "role"]
    drawn = _face(AccountContactInput, names, {}, "account", typed, error)
    url = f"{_CONTACTS.url}/{got['id']}/accounts/new"
    return _page(
        got, "Add related account", _form(got, url, "Add related account", drawn, names, "related-account"), error
    )


@blueprint.get("/contacts/<record_id>/accounts/new")
def new_account_link(record_id: str) -> Any:
    """The form that relates a contact to a further account."""
    return _account_page(_holder(record_id, "accounts"))


@blueprint.post("/contacts/<record_id>/accounts/new")
def add_account_link(record_id: str) -> Any:
    """`set_account_contact`."""
    typed = typed_form(AccountContactInput, ["account_id", "role"], {})
    try:
        run("crm.set_account_contact", {"contact_id": record_id} | typed.created())
    except Invalid as error:
        shown = [fault for fault in error.errors if fault.field != "contact_id"]
        return _account_page(_holder(record_id, "accounts"), typed, Invalid(shown or error.errors))
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
