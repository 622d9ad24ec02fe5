"""Cases and articles by hand: every form is one command."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.crm.fixture import (
    ADA,
    BILLING_QUEUE,
    DANA,
    HUGO,
    INES,
    INVOICE,
    LEAK,
    NORA,
    ROWAN,
    TRIAGE,
    build_image,
    service_rows,
)

from .conftest import Site

Sites = Callable[[str], Site]


@pytest.fixture(scope="module")
def page_image() -> bytes:
    return build_image(service_rows())


def test_the_page_of_a_case_shows_its_facts_and_its_conversation(site_of: Sites) -> None:
    page = site_of(INES).get(f"/crm/cases/{LEAK}")
    for text in (
        "Leak at the flange",
        "00000001",
        "Ines Falk",
        "Water drips from the flange",
        "Send reply",
        "Add comment",
    ):
        assert text in page
    assert "Accept" not in page


def test_crm_8_closing_asks_for_reason_and_resolution_on_the_record(site_of: Sites) -> None:
    site = site_of(INES)
    path = f"/crm/cases/{LEAK}/status"
    page = site.post(path, {**site.form(f"/crm/cases/{LEAK}", path), "status": "Closed"})
    assert page.status_code == 200
    assert "Close case" in page.text
    fields = site.form(f"{path}?status=Closed", path)
    missing = site.post(path, fields)
    assert missing.status_code == 422
    assert "closed case needs a reason" in missing.text
    assert site.commands() == []
    done = site.post(path, fields | {"reason": "Device Fault", "resolution": "Seal replaced."})
    assert done.status_code == 303
    values = {"status": "Closed", "reason": "Device Fault", "resolution": "Seal replaced."}
    assert site.command() == ("crm.update_case", {"id": LEAK, "row_version": 1, "values": values})


def test_crm_8_closing_in_place_asks_for_reason_and_resolution_and_keeps_the_status(site_of: Sites) -> None:
    site = site_of(INES)
    path = f"/crm/cases/{LEAK}/edit"
    page = site.post(path, {**site.form(f"{path}?field=status", path), "status": "Closed"})
    assert page.status_code == 422
    assert 'name="reason"' in page.text
    assert 'name="resolution"' in page.text
    assert site.commands() == []


def test_a_case_moves_along_its_path_without_a_dialog(site_of: Sites) -> None:
    site = site_of(INES)
    path = f"/crm/cases/{LEAK}/status"
    assert site.post(path, {**site.form(f"/crm/cases/{LEAK}", path), "status": "Working"}).status_code == 303
    assert site.command() == ("crm.update_case", {"id": LEAK, "row_version": 1, "values": {"status": "Working"}})


def test_a_member_accepts_a_case_from_the_queue(site_of: Sites) -> None:
    site = site_of(HUGO)
    page = site.get("/crm/cases")
    assert "Billing – EU" in page
    path = f"/crm/cases/{INVOICE}/edit"
    fields = site.form(f"/crm/cases/{INVOICE}", path)
    assert fields["owner_id"] == HUGO
    assert site.post(path, fields).headers["Location"].startswith(f"/crm/cases/{INVOICE}?done=accepted")
    assert site.command() == ("crm.update_case", {"id": INVOICE, "row_version": 1, "values": {"owner_id": HUGO}})


def test_a_queue_is_typed_into_the_owner_of_a_case(site_of: Sites) -> None:
    site = site_of(NORA)
    fields = site.form("/crm/cases/new")
    assert fields["owner_id__text"] == ""
    fields |= {"subject": "VAT", "owner_id__text": "Billing – EU", "contact_id__text": "Marta Ilić"}
    assert site.post("/crm/cases/new", fields).status_code == 303
    operation, values = site.command()
    assert operation == "crm.create_case"
    assert values["owner_id"] == BILLING_QUEUE


@pytest.mark.parametrize(("word", "operation"), [("comment", "create_case_comment"), ("reply", "send_case_reply")])
def test_what_is_said_in_a_case_is_one_command(site_of: Sites, word: str, operation: str) -> None:
    site = site_of(INES)
    path = f"/crm/cases/{LEAK}/{word}"
    fields = site.form(path)
    empty = site.post(path, fields)
    assert empty.status_code == 422
    assert site.post(path, fields | {"body": "We send a new seal."}).status_code == 303
    assert site.post(path, fields | {"body": "We send a new seal."}).status_code == 303
    assert site.command() == (f"crm.{operation}", {"case_id": LEAK, "body": "We send a new seal."})
    assert "We send a new seal." in site.get(f"/crm/cases/{LEAK}")


def test_a_public_comment_says_so(site_of: Sites) -> None:
    site = site_of(INES)
    path = f"/crm/cases/{LEAK}/comment"
    site.post(path, site.form(path) | {"body": "On its way.", "is_public": "1"})
    assert site.command()[1]["is_public"] is True
    assert "Customer sees it" in site.get(f"/crm/cases/{LEAK}")


def test_x_10_who_only_reads_a_case_gets_no_forms(site_of: Sites) -> None:
    site = site_of(ROWAN)
    page = site.get(f"/crm/cases/{LEAK}")
    assert "Send reply" not in page
    for word in ("reply", "comment", "status", "edit", "delete"):
        site.get(f"/crm/cases/{LEAK}/{word}", 403)


def test_an_article_is_read_as_text_and_written_as_markdown(site_of: Sites) -> None:
    page = site_of(DANA).get(f"/crm/articles/{TRIAGE}")
    assert "<h2>Priority</h2>" in page
    assert "<strong>High</strong>" in page
    assert "That is &lt;all&gt;." in page
    assert "Archive" not in page


def test_an_editor_publishes_and_archives_with_one_button(site_of: Sites) -> None:
    site = site_of(NORA)
    path = f"/crm/articles/{TRIAGE}/edit"
    fields = site.form(f"/crm/articles/{TRIAGE}", path)
    assert fields["status"] == "Archived"
    assert site.post(path, fields).headers["Location"].startswith(f"/crm/articles/{TRIAGE}?done=archived")
    assert site.command() == ("crm.update_article", {"id": TRIAGE, "row_version": 1, "values": {"status": "Archived"}})


def test_every_page_of_cases_and_articles_opens(site_of: Sites) -> None:
    site = site_of(ADA)
    for path in (
        *("/crm/cases", "/crm/cases/new", "/crm/articles", "/crm/articles/new", "/crm/lookup/owner?q=bil"),
        *(f"/crm/cases/{LEAK}{part}" for part in ("", "/related", "/history", "/edit", "/delete", "/status", "/reply")),
        *(f"/crm/articles/{TRIAGE}{part}" for part in ("", "/history", "/edit", "/delete")),
        *("/crm/accounts/ACC000000000001", "/crm/accounts/ACC000000000001/related", "/crm/search?q=leak", "/crm/"),
        *("/crm/lookup/product?q=x", "/crm/lookup/queue?q=", "/crm/lookup/case?q=0000"),
    ):
        site.get(path)
