"""Leads on the pages: list, record, path, Convert page, bulk conversion; each change is one command (CRM-2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.crm.fixture import ADA, ALDERCROFT, DANA, KESTREL, LUIS, MARTA, build_image
from tests.crm.lead_rows import IVO, LEAD_TODO, MARTA_AGAIN, NORA, STALE, lead_rows

from .conftest import Site

NEW_FORM = {"account": "new", "contact": "new", "opportunity": "none"}


@pytest.fixture(scope="module")
def page_image() -> bytes:
    return build_image(lead_rows())


def test_the_list_shows_leads_with_status_and_unread_mark(site_of: Callable[[str], Site]) -> None:
    page = site_of(ADA).get("/crm/leads")
    for text in ("Nora Haldane", "Halden Optik GmbH", "Working - Contacted", "Select Ivo Petrov", "Convert leads"):
        assert text in page, text
    assert "New lead" in page


def test_a_lead_is_created_and_edited_by_form(site: Site) -> None:
    fields = site.form("/crm/leads/new") | {"last_name": "Okafor", "company": "Kite Foundry", "rating": "Hot"}
    assert site.post("/crm/leads/new", fields).status_code == 303
    assert site.command() == ("crm.create_lead", {"last_name": "Okafor", "company": "Kite Foundry", "rating": "Hot"})
    assert '<option value="Qualified"' not in site.get("/crm/leads/new")


def test_a_form_with_faults_keeps_what_was_typed(site: Site) -> None:
    fields = site.form("/crm/leads/new") | {"last_name": "Okafor", "email": "none"}
    response = site.post("/crm/leads/new", fields)
    assert response.status_code == 422
    assert 'value="none"' in response.text
    assert site.commands() == []


def test_the_path_moves_a_lead_and_its_converted_step_leads_to_the_convert_page(site: Site) -> None:
    url = f"/crm/leads/{NORA}/status"
    fields = site.form(f"/crm/leads/{NORA}", url)
    assert f'data-dialog-href="/crm/leads/{NORA}/convert"' in site.get(f"/crm/leads/{NORA}")
    response = site.post(url, fields | {"status": "Qualified"})
    assert response.headers["Location"] == f"/crm/leads/{NORA}/convert"
    assert site.commands() == []
    site.post(url, fields | {"status": "Nurturing"})
    assert site.command() == ("crm.update_lead", {"id": NORA, "row_version": 1, "values": {"status": "Nurturing"}})


def test_an_unread_lead_is_marked_as_read_by_its_button(site_of: Callable[[str], Site]) -> None:
    site = site_of(LUIS)
    page = site.get(f"/crm/leads/{IVO}")
    assert "Mark as read" in page
    fields = site.form(f"/crm/leads/{IVO}", f"/crm/leads/{IVO}/edit")
    fields = {name: value for name, value in fields.items() if name in ("form_token", "row_version")}
    site.post(f"/crm/leads/{IVO}/edit", fields | {"rendered": '{"unread": true}'})
    assert site.command() == ("crm.update_lead", {"id": IVO, "row_version": 1, "values": {"unread": False}})
    assert "Mark as read" not in site.get(f"/crm/leads/{IVO}")


def test_the_convert_page_suggests_the_account_and_the_contact(site: Site) -> None:
    page = site.get(f"/crm/leads/{MARTA_AGAIN}/convert")
    assert "same e-mail, same name" in page
    fields = site.form(f"/crm/leads/{MARTA_AGAIN}/convert")
    assert fields["opportunity_name"] == "Aldercroft-"
    for value in (ALDERCROFT, MARTA, KESTREL, "new", "none", "other"):
        assert f'value="{value}"' in page, value


def test_converting_is_one_command_and_leads_to_the_lead_with_its_three_links(site: Site) -> None:
    url = f"/crm/leads/{NORA}/convert"
    fields = site.form(url) | {"account": ALDERCROFT, "contact": "new", "opportunity": KESTREL}
    response = site.post(url, fields)
    assert response.headers["Location"].startswith(f"/crm/leads/{NORA}?done=converted")
    chosen = {"account": ALDERCROFT, "contact": "new", "opportunity": KESTREL}
    assert site.command() == ("crm.convert_lead", {"lead_id": NORA, "row_version": 1, **chosen})
    page = site.get(response.headers["Location"])
    contact = site.store.all("SELECT converted_contact_id AS id FROM crm_lead WHERE id = ?", (NORA,))[0]["id"]
    for href in (f"/crm/accounts/{ALDERCROFT}", f"/crm/contacts/{contact}", f"/crm/opportunities/{KESTREL}"):
        assert f'href="{href}"' in page, href
        site.get(href)
    assert "can only be read" in page
    assert "Log a call" not in page
    assert f"/crm/leads/{NORA}/edit" not in page


def test_x_6_the_same_form_sent_twice_converts_once(site: Site) -> None:
    url = f"/crm/leads/{NORA}/convert"
    fields = site.form(url) | {"account": ALDERCROFT, "contact": "new", "opportunity": "none"}
    first, second = site.post(url, fields), site.post(url, fields)
    assert first.status_code == second.status_code == 303
    assert len(site.commands()) == 1


def test_suitecrm_core_822_a_second_conversion_is_refused_with_links_that_work(site: Site) -> None:
    url = f"/crm/leads/{NORA}/convert"
    fields = site.form(url) | {"account": ALDERCROFT, "contact": "new", "opportunity": "new"}
    site.post(url, fields)
    other = fields | {"account": "new"}
    response = site.post(url, other)
    assert response.status_code == 422
    row = site.store.all("SELECT * FROM crm_lead WHERE id = ?", (NORA,))[0]
    for folder, name in (("accounts", "account"), ("contacts", "contact"), ("opportunities", "opportunity")):
        href = f"/crm/{folder}/{row[f'converted_{name}_id']}"
        assert f'href="{href}"' in response.text
        site.get(href)
    assert "was converted before" in site.get(url)
    assert len(site.commands()) == 1


def test_another_account_is_named_in_the_lookup(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    url = f"/crm/leads/{NORA}/convert"
    typed = {"account": "other", "account_other__text": "Tern Logistics", "contact": "new", "opportunity": "none"}
    assert site.post(url, site.form(url) | typed).status_code == 303
    assert site.command()[1]["account"] == "ACC000000000003"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"account": "other"}, "name the account"),
        ({"account": "other", "account_other__text": "Nobody Ltd"}, "nothing is called"),
        ({"account": "new", "account_other__text": "Tern Logistics"}, "Another account"),
        ({"contact": MARTA, "account": "new"}, "no contact of the chosen account"),
        ({"owner_id__text": ""}, "name the owner"),
        ({"status": "Nurturing"}, "cannot have the status"),
    ],
)
def test_x_12_what_is_wrong_is_said_and_nothing_typed_is_lost(site: Site, typed: dict[str, str], said: str) -> None:
    url = f"/crm/leads/{NORA}/convert"
    response = site.post(url, site.form(url) | NEW_FORM | typed)
    assert response.status_code == 422
    assert said in response.text
    assert site.commands() == []
    if "account_other__text" in typed:
        assert f'value="{typed["account_other__text"]}"' in response.text


def test_crm_2_7_a_refusal_stands_beside_the_record_it_is_about(site: Site) -> None:
    url = f"/crm/leads/{STALE}/convert"
    response = site.post(url, site.form(url) | NEW_FORM)
    assert response.status_code == 422
    assert 'id="convert-lead-account-error"' in response.text
    assert "call reception first" in response.text


def test_x_7_a_lead_that_changed_meanwhile_is_a_conflict(site: Site) -> None:
    url = f"/crm/leads/{NORA}/convert"
    fields = site.form(url) | NEW_FORM
    edited = site.form(f"/crm/leads/{NORA}/edit") | {"title": "Director"}
    site.post(f"/crm/leads/{NORA}/edit", edited)
    response = site.post(url, fields)
    assert response.status_code == 409
    assert "changed this lead" in response.text
    assert len(site.commands()) == 1


def test_crm_2_9_several_leads_are_previewed_converted_and_reported(site: Site) -> None:
    token = "a" * 64
    preview = site.client.post(
        "/crm/leads/convert",
        data={"form_token": token, "scope": "selected", "row": [NORA, STALE]},
        headers={"Origin": "http://localhost"},
    )
    assert preview.status_code == 200
    assert "2 of 2 leads can be converted" in preview.text
    assert site.commands() == []
    sent = {"form_token": token}
    for at, (lead_id, account) in enumerate(((NORA, ALDERCROFT), (STALE, "new")), 1):
        sent |= {f"lead{at}": lead_id, f"version{at}": "1", f"account{at}": account}
        sent |= {f"contact{at}": "new", f"opportunity{at}": "none"}
    response = site.post("/crm/leads/convert/all", sent)
    assert response.status_code == 303
    report = site.get(response.headers["Location"])
    assert "1 of 2 leads were converted; 1 was not" in report
    assert "call reception first" in report
    assert f'href="/crm/accounts/{ALDERCROFT}"' in report
    assert len(site.commands()) == 1
    site.post("/crm/leads/convert/all", sent)
    assert len(site.commands()) == 1


def test_crm_2_9_all_that_match_the_filters_are_previewed(site: Site) -> None:
    filters = '{"field1": "company", "op1": "contains", "value1": "aldercroft"}'
    sent = {"form_token": "b" * 64, "scope": "all", "filters": filters}
    page = site.post("/crm/leads/convert", sent).text
    assert "Nora Haldane" in page
    assert "Marta Ilić" in page
    assert "Unreachable" not in page


def test_crm_2_9_a_preview_says_of_a_converted_lead_why_it_stays(site: Site) -> None:
    url = f"/crm/leads/{NORA}/convert"
    site.post(url, site.form(url) | {"account": ALDERCROFT, "contact": "new", "opportunity": "none"})
    page = site.client.post(
        "/crm/leads/convert",
        data={"form_token": "c" * 64, "row": [NORA, MARTA_AGAIN]},
        headers={"Origin": "http://localhost"},
    ).text
    assert "1 of 2 leads can be converted" in page
    assert "converted before" in page


def test_nothing_selected_goes_back_to_the_list(site: Site) -> None:
    response = site.post("/crm/leads/convert", {"form_token": "d" * 64})
    assert response.status_code == 303
    assert "Nothing was selected" in site.get(response.headers["Location"])


def test_x_10_leads_of_others_are_not_there(site_of: Callable[[str], Site]) -> None:
    site = site_of(LUIS)
    for path in (f"/crm/leads/{NORA}", f"/crm/leads/{NORA}/edit", f"/crm/leads/{NORA}/convert"):
        site.get(path, 404)
    page = site.client.post(
        "/crm/leads/convert", data={"form_token": "e" * 64, "row": [NORA]}, headers={"Origin": "http://localhost"}
    )
    assert page.status_code == 404


def test_an_activity_of_a_lead_names_it_and_links_to_it(site: Site) -> None:
    page = site.get(f"/crm/tasks/{LEAD_TODO}")
    assert f'href="/crm/leads/{NORA}"' in page
    fields = site.form("/crm/tasks/new") | {"subject": "Ask Nora", "who_id__text": "Nora Haldane"}
    assert site.post("/crm/tasks/new", fields).status_code == 303
    assert site.command()[1]["who_id"] == NORA
    assert site.store.get("crm_task", LEAD_TODO)["owner_id"] == DANA  # type: ignore[index]


def test_a_lead_goes_to_the_recycle_bin_and_comes_back(site: Site) -> None:
    site.post(f"/crm/leads/{NORA}/delete", site.form(f"/crm/leads/{NORA}/delete"))
    assert "Nora Haldane was deleted" in site.get(f"/crm/leads/{NORA}", 404)
    assert "Nora Haldane" in site.get("/crm/recycle-bin")
