"""The import wizard without scripts: each step keeps what was given, the last one is the one command (CRM-5)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ADA, DANA, INES, ROWAN, build_image
from tests.crm.lead_rows import lead_rows
from tests.crm.test_duplicates import rule_rows
from werkzeug.test import TestResponse

from .conftest import FORM, Site, fields_of

TEXT = 'Last name;Company;E-mail;Umsatz\nIlic;"Tern; GmbH";i@tern.example;1.234,50\nBad;Firm;bad;1\n'


@pytest.fixture(scope="session")
def page_image() -> bytes:
    return build_image({**lead_rows(), "crm_matching_rule": rule_rows()})


@pytest.fixture
def site(site_of: Callable[[str], Site]) -> Site:
    return site_of(ADA)


def form_in(answer: TestResponse, action: str) -> dict[str, str]:
    for found, body in FORM.findall(answer.text):
        if unescape(found) == action:
            return fields_of(body)
    raise AssertionError(answer.text[:4000])


def uploaded(site: Site, text: str | bytes = TEXT, name: str = "leads.csv") -> TestResponse:
    form: dict[str, Any] = dict(site.form("/crm/leads/import", "/crm/leads/import/map"))
    content = text.encode() if isinstance(text, str) else text
    form["file"] = (io.BytesIO(content), name)
    return site.post("/crm/leads/import/map", form)


def checked(site: Site, **more: str) -> TestResponse:
    form = form_in(uploaded(site), "/crm/leads/import/check")
    return site.post("/crm/leads/import/check", form | {"map_4": "annual_revenue", "numbers": "1.234,50"} | more)


def test_a_file_is_imported_in_three_steps_and_one_command(site: Site) -> None:
    second = uploaded(site)
    assert "2 rows, separated by semicolons" in second.text
    form = form_in(second, "/crm/leads/import/check")
    assert [form[f"map_{at}"] for at in range(1, 5)] == ["last_name", "company", "email", ""]
    assert "First values: Tern; GmbH, Firm" in second.text
    third = checked(site)
    assert third.status_code == 200
    assert "Import the other 1" in third.text
    assert "it needs one @" in third.text
    assert ">1234.50<" in third.text
    assert site.commands() == []
    form = form_in(third, "/crm/leads/import/run")
    answer = site.post("/crm/leads/import/run", form)
    assert answer.status_code == 422
    assert "as it is nothing is imported" in unescape(answer.text)
    assert site.commands() == []
    answer = site.post("/crm/leads/import/run", form | {"others": "1"})
    assert answer.status_code == 303, answer.text
    name, arguments = site.command()
    assert name == "crm.import_records"
    assert arguments == {
        "csv": TEXT,
        "object": "lead",
        "mapping": {"Last name": "last_name", "Company": "company", "E-mail": "email", "Umsatz": "annual_revenue"},
        "numbers": "1.234,50",
        "on_failure": "skip",
        "file_name": "leads.csv",
    }
    page = site.get(answer.headers["Location"])
    assert "The file was imported." in page
    assert "Download 1 failed row" in page
    job = answer.headers["Location"].split("?")[0]
    file = site.client.get(f"{job}/errors.csv")
    assert file.text.startswith("\ufeffLast name;Company;E-mail;Umsatz;_error\r\nBad;Firm;bad;1;")
    assert "leads.csv" in site.get("/crm/imports")


def test_sending_the_last_step_twice_imports_once(site: Site) -> None:
    form = form_in(checked(site), "/crm/leads/import/run") | {"others": "1"}
    first, second = (site.post("/crm/leads/import/run", form) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert len(site.commands()) == 1


def test_columns_and_options_can_be_changed_after_the_check(site: Site) -> None:
    form = form_in(checked(site, duplicate_action="create"), "/crm/leads/import/run")
    again = site.post("/crm/leads/import/run", form | {"back": "1"})
    kept = form_in(again, "/crm/leads/import/check")
    assert (kept["map_4"], kept["numbers"], kept["duplicate_action"]) == ("annual_revenue", "1.234,50", "create")
    assert site.commands() == []


def test_pasted_lines_serve_as_well_as_a_file(site: Site) -> None:
    form = site.form("/crm/leads/import", "/crm/leads/import/map") | {"csv": "Last name,Company\r\nIlic,Tern\r\n"}
    second = form_in(site.post("/crm/leads/import/map", form), "/crm/leads/import/check")
    third = form_in(site.post("/crm/leads/import/check", second), "/crm/leads/import/run")
    assert site.post("/crm/leads/import/run", third).status_code == 303
    assert site.command()[1] == {
        "csv": "Last name,Company\nIlic,Tern\n",
        "object": "lead",
        "mapping": {"Last name": "last_name", "Company": "company"},
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "choose a file, or paste its lines"),
        (b"a\nM\xe4rz\n", "line 2 is not UTF-8"),
        (b'a,b\n1,"2\n', "never closed"),
        (b"PK\x03\x04", "workbook"),
        (b"a\n" + b"x\n" * 100_000, "100,000 rows; at most 2,000"),
        (b"x" * 450_000, "at most 400,000"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_on_its_own_page(site: Site, content: bytes, said: str) -> None:
    answer = uploaded(site, content, "x.csv" if content else "")
    assert answer.status_code == 422
    assert said.casefold() in unescape(answer.text).casefold()


def test_faults_of_the_mapping_stand_on_its_page_with_what_was_chosen(site: Site) -> None:
    answer = checked(site, map_2="", mode="upsert")
    assert answer.status_code == 422
    text = unescape(answer.text)
    assert "Upsert finds a lead by id or email" in text
    assert "map a column to company" in text.replace("Map", "map")
    assert form_in(answer, "/crm/leads/import/check")["map_4"] == "annual_revenue"
    answer = checked(site, map_1="", map_2="", map_3="", map_4="")
    assert "Choose a field for at least one column" in answer.text


def test_an_import_is_undone_after_a_question(site: Site) -> None:
    form = form_in(checked(site), "/crm/leads/import/run") | {"others": "1"}
    job = site.post("/crm/leads/import/run", form).headers["Location"].split("?")[0]
    path = f"{job}/undo"
    assert "The import created 1 lead." in site.get(path)
    answer = site.post(path, site.form(path))
    assert answer.status_code == 303
    page = site.get(answer.headers["Location"])
    assert "Import undone: 1 record moved" in page
    assert "Undo import" not in page
    site.get(path, 403)


def test_only_who_may_import_finds_the_way(site_of: Callable[[str], Site]) -> None:
    dana = site_of(DANA)
    assert "Import leads" in dana.get("/crm/leads")
    assert "Import accounts" not in dana.get("/crm/accounts")
    dana.get("/crm/accounts/import", 403)
    for person in (ROWAN, INES):
        other = site_of(person)
        assert "Import leads" not in other.get("/crm/leads" if person == ROWAN else "/crm/contacts")
        other.get("/crm/leads/import", 403)
        assert "No imports yet" in other.get("/crm/imports")
    dana.get("/crm/cases/import", 403)
    dana.get("/crm/imports/IMP000000000001", 404)


def test_a_name_that_is_markup_stays_text(site: Site) -> None:
    answer = uploaded(site, "<b>x</b>,Company\n<script>alert(1)</script>,C\n", "<i>.csv")
    assert "<script>alert" not in answer.text
    assert "&lt;b&gt;x&lt;/b&gt;" in answer.text
    assert re.search(r'name="file_name" value="&lt;i&gt;.csv"', answer.text)
