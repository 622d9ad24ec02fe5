"""Approvals in the pages, without scripts: submit from a record, decide from the list, recall; the set-up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.crm.fixture import ADA, DANA, KESTREL, MEI, PRIYA, WES, build_image
from tests.crm.test_approvals import LARGE, process

from .conftest import Site, Town

DEAL = f"/crm/opportunities/{KESTREL}"


@pytest.fixture(scope="module")
def deal_image() -> bytes:
    return build_image(process())


@pytest.fixture
def enter(town: Town, deal_image: bytes) -> Callable[[str], Site]:
    episode = town.episode(deal_image)
    return lambda person_id: town.enter(episode, person_id)


def submit(site: Site, comment: str = "") -> None:
    path = f"{DEAL}/approval/submit"
    assert "Submit for approval" in site.get(DEAL)
    answer = site.post(path, site.form(path) | {"comment": comment})
    assert answer.status_code == 303


def test_a_deal_is_submitted_and_locked(enter: Callable[[str], Site]) -> None:
    site = enter(DANA)
    submit(site, "60 days")
    assert site.command() == ("crm.submit_approval", {"id": KESTREL, "comment": "60 days"})
    page = site.get(DEAL)
    assert "Recall approval request" in page
    assert f"{DEAL}/edit" not in page
    assert "60 days" in page
    assert site.client.get(f"{DEAL}/edit").status_code == 403


def test_the_approver_decides_from_the_list_though_the_deal_is_not_theirs(enter: Callable[[str], Site]) -> None:
    submit(enter(DANA))
    site = enter(MEI)
    assert f"{DEAL}/approval/approve" in site.get("/crm/approvals")
    path = f"{DEAL}/approval/reject"
    form = site.form(f"{path}?back=/crm/approvals", path)
    answer = site.post(path, form | {"comment": "Too thin"})
    assert (answer.status_code, answer.location.split("?")[0]) == (303, "/crm/approvals")
    assert site.commands()[-1] == (
        "crm.decide_approval",
        {"id": KESTREL, "decision": "reject", "comment": "Too thin"},
    )
    assert "Rejected" in site.get("/crm/approvals?scope=decided")
    assert "Too thin" in enter(DANA).get(DEAL)
    site.get("/crm/approvals?scope=nothing", 404)


def test_what_one_may_not_do_is_refused(enter: Callable[[str], Site]) -> None:
    site = enter(DANA)
    assert site.client.get(f"{DEAL}/approval/recall").status_code == 403
    submit(site)
    for person, verb in ((DANA, "approve"), (PRIYA, "reject"), (DANA, "submit")):
        assert enter(person).client.get(f"{DEAL}/approval/{verb}").status_code == 403
    assert enter(WES).client.get(f"{DEAL}/approval/approve").status_code == 404
    form = site.form(f"{DEAL}/approval/recall")
    assert site.post(f"{DEAL}/approval/recall", form).status_code == 303
    assert site.post(f"{DEAL}/approval/recall", form).status_code == 303  # as the first time


def test_an_administrator_sets_a_process_up_by_its_form(enter: Callable[[str], Site]) -> None:
    site = enter(ADA)
    assert "Deals" in site.get("/crm/setup/approval-processes")
    page = site.get(f"/crm/setup/approval-processes/{LARGE}")
    assert "A record may be submitted if all of these hold" in page
    assert "Mei Tanaka" in page
    assert "object=quote" in site.get("/crm/setup/approval-processes/new")
    path = "/crm/setup/approval-processes/new?object=case"
    form = site.form(path, path)
    typed = {"name": "Goodwill", "approver_kind": "user", "approver_id__text": "Priya Raman",
             "field1": "priority", "op1": "equals", "value1": "High"}  # fmt: skip
    refused = site.post(path, form | typed | {"approve_field": "reason"})
    assert refused.status_code == 422
    assert "a field and a value go together" in refused.text
    assert 'value="Goodwill"' in refused.text
    assert site.post(path, form | typed).status_code == 303
    assert site.command()[0] == "crm.create_approval_process"
