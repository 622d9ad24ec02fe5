"""The set-up's pages: every link leads somewhere for administrators, and nowhere for anybody else."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from tests.crm.fixture import (
    ADA,
    DANA,
    DESK_GROUP,
    HUGO,
    KESTREL,
    LUIS,
    OLGA,
    PRIYA,
    ROLES,
    ROWAN,
    WES,
    build_image,
    ident,
)

from .conftest import Site

SET, RULE = ident("PMS", 1), ident("VRL", 1)
REP = ident("PRF", 4)
PAGES = (
    "/crm/setup",
    *(f"/crm/setup/{place}" for place in ("users", "roles", "groups", "queues", "profiles", "permission-sets")),
    *(f"/crm/setup/{place}" for place in ("sharing-defaults", "sharing-rules", "assignment-rules", "validation-rules")),
    *(f"/crm/setup/{place}/new" for place in ("roles", "groups", "queues", "permission-sets", "sharing-rules")),
    *("/crm/setup/picklists", "/crm/setup/picklists/account.type", "/crm/setup/validation-rules/new?object=lead"),
    *(f"/crm/setup/users/{DANA}{rest}" for rest in ("", "/edit", "/active")),
    *(f"/crm/setup/roles/{ROLES['AE East']}{rest}" for rest in ("", "/edit", "/delete")),
    *(f"/crm/setup/profiles/{REP}{rest}" for rest in ("", "/edit", "/objects/lead")),
    *(f"/crm/setup/permission-sets/{SET}{rest}" for rest in ("", "/edit", "/delete", "/objects/account")),
    *(f"/crm/setup/groups/{DESK_GROUP}{rest}" for rest in ("", "/edit", "/delete")),
    *(f"/crm/setup/validation-rules/{RULE}{rest}" for rest in ("", "/edit", "/delete")),
    f"/crm/setup/members/new?group_id={DESK_GROUP}",
    f"/crm/setup/assignments/new?permission_set_id={SET}",
    f"/crm/setup/assignments/new?person_id={DANA}",
    f"/crm/setup/entries/new?rule_id={ident('ASR', 1)}",
    f"/crm/setup/entries/{ident('ASE', 1)}/edit",
)


@pytest.fixture(scope="session")
def page_image() -> bytes:
    criteria = '[{"field":"amount","op":"gte","type":"money","value":"900000"}]'
    rule = {"id": RULE, "object": "opportunity", "name": "Too big", "criteria": criteria, "message": "Too big."}
    rule |= {"conditions": '[[["from","amount",["number","900000"]]]]', "field": "amount"}
    return build_image({"crm_permset": [{"id": SET, "name": "Closers"}], "crm_validation_rule": [rule]})


@pytest.mark.parametrize("path", PAGES)
def test_x_10_every_page_is_an_administrators_alone(site_of: Callable[[str], Site], path: str) -> None:
    site_of(ADA).get(path)
    for person in (DANA, OLGA):
        page = site_of(person).get(path, 403)
        assert "Setup" not in re.sub(r"<title>.*?</title>", "", page)


@pytest.mark.parametrize("person", [PRIYA, DANA, OLGA, ROWAN, HUGO])
def test_x_10_only_administrators_see_the_entry(site_of: Callable[[str], Site], person: str) -> None:
    assert "/crm/setup" not in site_of(person).get("/crm/")
    assert "/crm/setup" in site_of(ADA).get("/crm/")


def test_x_17_every_link_of_the_set_up_leads_somewhere(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    seen, waiting = set(), ["/crm/setup"]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        page = site.get(path)
        links = re.findall(r'(?:href|data-dialog-href)="(/crm/setup[^"#]*)"', page)
        waiting += [unescape(link) for link in links if unescape(link) not in seen]
    assert len(seen) > 150


def test_a_user_is_deactivated_after_a_hint_what_to_hand_over(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    path = f"/crm/setup/users/{DANA}/active"
    assert "Transfer records first" in site.get(path)
    assert site.post(path, site.form(path)).status_code == 303
    operation, given = site.command()
    assert (operation, given["values"]) == ("crm.update_user", {"is_active": False})
    assert "Deactivate" not in site.get(f"/crm/setup/users/{ADA}")


def test_a_users_role_is_changed_and_a_stale_form_meets_a_conflict(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    path = f"/crm/setup/users/{LUIS}/edit"
    first, second = site.form(path), site.form(path)
    west = {"role_id__text": "AE West", "role_id": "", "role_id__label": ""}
    assert site.post(path, first | west).status_code == 303
    assert site.command()[1]["values"] == {"role_id": ROLES["AE West"]}
    refused = site.post(path, second | {"role_id__text": "Deal Desk", "role_id": "", "role_id__label": ""})
    assert refused.status_code == 409
    assert "Ada Lindqvist" in refused.text


def test_a_refused_form_keeps_what_was_typed(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    path = "/crm/setup/roles/new"
    page = site.post(path, site.form(path) | {"name": "ae east"})
    assert page.status_code == 422
    assert 'value="ae east"' in page.text
    assert "there is another role called" in unescape(page.text)


def test_permissions_of_one_object_are_one_command(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    path = f"/crm/setup/permission-sets/{SET}/objects/account"
    fields = site.form(path) | {"right_read": "1", "right_export": "1", "field_annual_revenue": "read"}
    assert site.post(path, fields).status_code == 303
    assert site.command()[1]["values"] == {
        "object_permissions": [{"object": "account", "read": True, "export": True}],
        "field_permissions": [{"object": "account", "field": "annual_revenue", "access": "read"}],
    }


def test_criteria_of_a_validation_rule_are_rows_of_its_form(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    path = f"/crm/setup/validation-rules/{RULE}/edit"
    fields = site.form(path)
    assert (fields["field1"], fields["op1"], fields["value1"]) == ("amount", "gte", "900000")
    assert site.post(path, fields | {"value1": "lots"}).status_code == 422
    assert site.post(path, fields | {"value1": "500000"}).status_code == 303
    assert site.command()[1]["values"] == {"criteria": [{"field": "amount", "op": "gte", "value": "500000"}]}


def test_an_entry_moves_by_a_button(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    entry = ident("ASE", 2)
    rule = f"/crm/setup/assignment-rules/{ident('ASR', 1)}"
    assert site.post(f"/crm/setup/entries/{entry}/move", site.form(rule, f"/crm/setup/entries/{entry}/move"))
    assert site.command()[1]["values"] == {"position": 1}


def test_crm_3_a_record_is_shared_and_the_share_taken_away_on_its_page(site_of: Callable[[str], Site]) -> None:
    site = site_of(DANA)
    path = f"/crm/opportunities/{KESTREL}/sharing"
    assert "Role above the owner" in unescape(site.get(path))
    fields = site.form(f"{path}/new") | {"grantee__text": "Luis Ortega", "access": "write"}
    assert site.post(f"{path}/new", fields).status_code == 303
    assert site.command()[1] == {"record": KESTREL, "grantee": LUIS, "access": "write"}
    site_of(LUIS).get(f"/crm/opportunities/{KESTREL}")
    site_of(LUIS).get(path, 403)
    away = f"{path}/{LUIS}/remove"
    assert site.post(away, site.form(away)).status_code == 303
    site_of(LUIS).get(f"/crm/opportunities/{KESTREL}", 404)
    site_of(WES).get(path, 404)
    assert site.post(f"{path}/new", site.form(f"{path}/new") | {"grantee__text": "Nobody"}).status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "/crm/setup/shoes",
        "/crm/setup/members",
        f"/crm/setup/roles/{DANA}",
        f"/crm/setup/users/{ident('PRS', 99)}",
        f"/crm/setup/queues/{DESK_GROUP}",
        "/crm/setup/picklists/account.shoes",
        f"/crm/setup/profiles/{REP}/objects/shoes",
        f"/crm/setup/profiles/{REP}/delete",
        "/crm/setup/profiles/new",
        f"/crm/quotes/{KESTREL}/sharing",
    ],
)
def test_addresses_of_nothing_are_not_found(site_of: Callable[[str], Site], path: str) -> None:
    site_of(ADA).get(path, 404)


@pytest.mark.parametrize(
    "target", ["member", "party", "grantee", "owner", "role", "profile", "permission_set", "group"]
)
def test_lookups_of_the_set_up_answer_administrators(site_of: Callable[[str], Site], target: str) -> None:
    assert '"label"' in site_of(ADA).get(f"/crm/lookup/{target}?q=")


@pytest.mark.parametrize("target", ["role", "profile", "permission_set"])
def test_x_10_lookups_of_the_set_up_answer_nobody_else(site_of: Callable[[str], Site], target: str) -> None:
    site_of(DANA).get(f"/crm/lookup/{target}?q=", 400)
    assert "role" not in site_of(DANA).get("/crm/lookup/party?q=AE")


def test_roles_stand_below_those_they_report_to(site_of: Callable[[str], Site]) -> None:
    page = site_of(ADA).get("/crm/setup/roles")
    places = [
        page.index(f">{step}{name}<") for step, name in (("", "VP Sales"), ("\u2003", "AE East"), ("\u2003", "AE West"))
    ]
    assert places == sorted(places)
