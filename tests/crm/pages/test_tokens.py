"""X-6: every form is sent with the token it was drawn with, or refused."""

from __future__ import annotations

import pytest
from tests.crm.fixture import ALDERCROFT, BRIGHTMOOR, KESTREL, LEAK, MARTA, OSEI, TODO, ident

from .conftest import Site

LEAD = "LEA000000000001"
POSTS = {
    "create": ("/crm/accounts/new", {"name": "Fenwick Pumps"}),
    "call": ("/crm/calls/new", {"subject": "Renewal"}),
    "edit": (f"/crm/accounts/{ALDERCROFT}/edit", {"row_version": "1", "rendered": "{}", "website": "www.example.com"}),
    "untouched": (f"/crm/accounts/{ALDERCROFT}/edit", {"row_version": "1"}),
    "delete": (f"/crm/tasks/{TODO}/delete", {"row_version": "1"}),
    "stage": (f"/crm/opportunities/{KESTREL}/stage", {"row_version": "1", "stage": "Needs Analysis"}),
    "ask": (f"/crm/opportunities/{KESTREL}/stage", {"row_version": "1", "stage": "Closed Lost"}),
    "role": (f"/crm/opportunities/{KESTREL}/contact-roles/new", {"contact_id__text": "Kofi Osei"}),
    "role of": (f"/crm/opportunities/{KESTREL}/contact-roles/{MARTA}", {"role": "Influencer"}),
    "unrole": (f"/crm/opportunities/{KESTREL}/contact-roles/{MARTA}/remove", {}),
    "relate": (f"/crm/contacts/{MARTA}/accounts/new", {"account_id__text": "Brightmoor Süd GmbH"}),
    "role at": (f"/crm/contacts/{MARTA}/accounts/{ALDERCROFT}", {"role": "Influencer"}),
    "unrelate": (f"/crm/contacts/{OSEI}/accounts/{BRIGHTMOOR}/remove", {}),
    "status": (f"/crm/cases/{LEAK}/status", {"row_version": "1", "status": "Working"}),
    "comment": (f"/crm/cases/{LEAK}/comment", {"body": "Called back."}),
    "lead status": (f"/crm/leads/{LEAD}/status", {"row_version": "1", "status": "Nurturing"}),
    "convert": (f"/crm/leads/{LEAD}/convert", {"row_version": "1", "account": "new"}),
    "choose leads": ("/crm/leads/convert", {"row": LEAD}),
    "convert leads": ("/crm/leads/convert/all", {"lead1": LEAD, "version1": "1", "account1": "new"}),
    "add line": (f"/crm/opportunities/{KESTREL}/lines/new", {"quantity": "1"}),
    "change line": (f"/crm/opportunities/{KESTREL}/lines/{ident('OLI', 1)}", {"quantity": "1"}),
    "remove line": (f"/crm/opportunities/{KESTREL}/lines/{ident('OLI', 1)}/remove", {}),
    "price book": (f"/crm/opportunities/{KESTREL}/price-book", {"row_version": "1"}),
    "quote status": (f"/crm/quotes/{ident('QUO', 1)}/status", {"row_version": "1", "status": "Needs Review"}),
    "sync": (f"/crm/quotes/{ident('QUO', 1)}/sync", {"row_version": "1"}),
    "approval": (f"/crm/opportunities/{KESTREL}/approval/submit", {}),
    "restore": ("/crm/recycle-bin", {"id": TODO}),
    "new view": ("/crm/tasks/views/new", {"name": "Mine", "column1": "subject"}),
    "edit view": ("/crm/tasks/views/LVW000000000001/edit", {"row_version": "1", "name": "Mine"}),
    "delete view": ("/crm/tasks/views/LVW000000000001/delete", {"row_version": "1"}),
    "pin": ("/crm/tasks/views/pin", {"list_view_id": ""}),
    "choose to merge": ("/crm/accounts/merge", {"row": ALDERCROFT}),
    "merge": ("/crm/accounts/merge/run", {"record": ALDERCROFT, "survivor": ALDERCROFT}),
    "import": ("/crm/leads/import/map", {"csv": "a\n1\n"}),
    "check import": ("/crm/leads/import/check", {"csv": "a\n1\n", "map_1": "last_name"}),
    "run import": ("/crm/leads/import/run", {"csv": "a\n1\n", "map_1": "last_name"}),
    "undo import": ("/crm/imports/IMP000000000001/undo", {}),
    "new report": ("/crm/reports/new", {"object": "task", "name": "Mine"}),
    "preview": ("/crm/reports/preview", {"object": "task"}),
    "edit report": ("/crm/reports/RPT000000000001/edit", {"row_version": "1", "name": "Mine"}),
    "delete report": ("/crm/reports/RPT000000000001/delete", {"row_version": "1"}),
    "new dashboard": ("/crm/dashboards/new", {"name": "Mine"}),
    "edit dashboard": ("/crm/dashboards/DSH000000000001/edit", {"row_version": "1", "name": "Mine"}),
    "delete dashboard": ("/crm/dashboards/DSH000000000001/delete", {"row_version": "1"}),
    "share": (f"/crm/accounts/{ALDERCROFT}/sharing/new", {"grantee": MARTA, "access": "read"}),
    "unshare": (f"/crm/accounts/{ALDERCROFT}/sharing/{ident('GRP', 1)}/remove", {}),
    "new in set-up": ("/crm/setup/roles/new", {"name": "AE North"}),
    "edit in set-up": (f"/crm/setup/roles/{ident('ROL', 1)}/edit", {"row_version": "1", "name": "AE North"}),
    "move in set-up": (f"/crm/setup/entries/{ident('ASE', 1)}/move", {"row_version": "1", "position": "1"}),
    "permit": (f"/crm/setup/profiles/{ident('PRF', 2)}/objects/account", {"row_version": "1"}),
    "delete in set-up": (f"/crm/setup/roles/{ident('ROL', 1)}/delete", {"row_version": "1"}),
    "activate": (f"/crm/setup/users/{ident('PRS', 2)}/active", {"row_version": "1"}),
    "many": ("/crm/tasks/bulk/delete", {"row": TODO, "expected_count": "1", "sure": "1"}),
}


@pytest.mark.parametrize("token", [None, "", "x", "0" * 63, "G" * 64])
def test_x_6_a_form_without_its_token_is_refused_with_a_page_that_says_so(site: Site, token: str | None) -> None:
    for path, fields in POSTS.values():
        response = site.post(path, fields | ({} if token is None else {"form_token": token}))
        assert response.status_code == 400, path
        assert "the form came without its token" in response.text
    assert site.commands() == []


def test_x_6_every_address_that_takes_a_post_is_among_them(site: Site) -> None:
    rules = [rule for rule in site.client.application.url_map.iter_rules() if "POST" in (rule.methods or ())]
    taken = {rule.endpoint for rule in rules if rule.endpoint.startswith("crm.")}
    matcher = site.client.application.url_map.bind("localhost")
    assert taken == {matcher.match(path, method="POST")[0] for path, _ in POSTS.values()}
