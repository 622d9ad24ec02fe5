"""The pages of reports (CRM-13): building, running, saving as, deleting, exporting, without scripts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ADA, DANA, INES, KESTREL, LUIS, PRIYA

from deskgym_apps.kit.call import run

from .conftest import Site

URL = "/crm/reports"


def make(site: Site, by: str = DANA, **more: Any) -> str:
    values = {"object": "opportunity", "name": "Pipeline", "rows": [{"field": "stage"}]} | more
    return str(run(site.store, "crm.create_report", values, person_id=by, channel="ui")["id"])


def table(page: str) -> list[list[str]]:
    """The cells of the result's table, row by row."""
    found = re.search(r'<table class="report-table[^"]*">(.*?)</table>', page.split("Show the chart")[-1], re.DOTALL)
    found = found or re.search(r'<table class="report-table[^"]*">(.*?)</table>', page, re.DOTALL)
    assert found
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", found[1], re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]


def lines(answer: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_a_report_is_built_saved_and_run_without_scripts(site: Site) -> None:
    assert 'href="/crm/reports/new?object=opportunity"' in site.get(f"{URL}/new")
    form = site.form(f"{URL}/new?object=opportunity", f"{URL}/new")
    form |= {"name": "By stage", "row1": "stage", "measure1": "count", "measure2": "sum:amount", "folder": "Sales"}
    form |= {"field1": "is_closed", "op1": "equals", "value1": "no", "date_period": "THIS FISCAL QUARTER"}
    answer = site.post(f"{URL}/new", form)
    assert answer.status_code == 303
    assert site.command() == (
        "crm.create_report",
        {
            "object": "opportunity",
            "name": "By stage",
            "folder": "Sales",
            "filters": [{"field": "is_closed", "op": "equals", "value": False}],
            "date_range": {"period": "THIS FISCAL QUARTER"},
            "rows": [{"field": "stage"}],
            "measures": ["count", "sum:amount"],
        },
    )
    page = site.get(answer.location)
    assert "Report saved." in page
    assert table(page)[0] == ["Stage", "Record count", "Sum of amount (≈ USD)"]
    assert table(page)[-1][:2] == ["Total", "2"]


def test_the_form_shows_what_a_report_holds_and_sends_only_what_changed(site: Site) -> None:
    done = {"field": "status", "op": "equals", "value": "Completed"}
    sizes = [{"label": "Small", "below": 500}, {"label": "Large"}]
    report = make(
        site,
        cross_filter={"object": "task", "has": False, "filters": [done]},
        rows=[{"field": "close_date", "by": "month"}, {"field": "amount", "buckets": sizes}],
        measures=["sum:amount"],
        group_order={"by": "sum:amount"},
        top=3,
        chart="bar",
    )
    path = f"{URL}/{report}/edit"
    form = site.form(path)
    assert {name: form[name] for name in ("row1", "row1_by", "row2", "row2_buckets", "order_by", "top", "chart")} == {
        "row1": "close_date",
        "row1_by": "month",
        "row2": "amount",
        "row2_buckets": "Small < 500; Large",
        "order_by": "sum:amount",
        "top": "3",
        "chart": "bar",
    }
    assert (form["cross_has"], form["cross_object"], form["cross_field1"]) == ("without", "task", "task|status")
    before = len(site.commands())
    assert site.post(path, form).status_code == 303
    assert len(site.commands()) == before  # nothing was changed
    form = site.form(path) | {"top": "5", "row1_by": "quarter"}
    assert site.post(path, form).status_code == 303
    name, values = site.commands()[-1]
    assert (name, set(values["values"])) == ("crm.update_report", {"top", "rows"})


def test_the_field_of_the_dates_goes_with_changed_dates(site: Site) -> None:
    report = make(site, date_range={"period": "THIS MONTH"})
    path = f"{URL}/{report}/edit"
    assert site.post(path, site.form(path) | {"date_period": "THIS YEAR"}).status_code == 303
    _, values = site.commands()[-1]
    assert values["values"] == {"date_field": "close_date", "date_range": {"period": "THIS YEAR"}}


def test_x_12_faults_stand_at_their_controls_and_what_was_typed_stays(site: Site) -> None:
    form = site.form(f"{URL}/new?object=opportunity", f"{URL}/new")
    wrong = form | {"name": "", "row1": "stage", "row1_by": "month", "field1": "amount", "op1": "gte", "value1": "lots"}
    answer = site.post(f"{URL}/new", wrong)
    assert answer.status_code == 422
    assert "Nothing was saved" in answer.text
    assert 'value="lots"' in answer.text
    right = form | {"name": "Fine", "field1": "amount", "op1": "gte", "value1": "lots"}
    answer = site.post(f"{URL}/new", right)
    assert answer.status_code == 422
    assert re.search(r'id="report-value1-error"', answer.text)
    answer = site.post(f"{URL}/new", form | {"name": "Fine", "row1": "stage", "row1_by": "month"})
    assert re.search(r'id="report-row1-error"', answer.text)


def test_a_preview_shows_the_result_and_saves_nothing(site: Site) -> None:
    form = site.form(f"{URL}/new?object=opportunity", f"{URL}/new") | {"row1": "stage", "name": "Kept"}
    answer = site.post(f"{URL}/preview", form)
    assert answer.status_code == 200
    assert 'value="Kept"' in answer.text
    assert table(answer.text)[0] == ["Stage", "Record count"]
    assert site.commands() == []
    answer = site.post(f"{URL}/preview", form | {"top": "3"})
    assert answer.status_code == 200
    assert "the top groups need an order" in answer.text


def test_the_page_shows_subtotals_matrix_chart_and_records(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    report = make(
        site, ADA, rows=[{"field": "owner_id"}, {"field": "stage"}], measures=["count", "sum:amount"], chart="column"
    )
    page = site.get(f"{URL}/{report}")
    rows = table(page)
    assert [row[0] for row in rows if row[1] == "3"] == ["Dana Whitcombe"]
    assert 'class="level-2"' in page
    assert "<svg" in page
    assert "style=" not in page
    assert "Show the chart as a table" in page
    assert "Kestrel" not in page
    assert "Kestrel – FY26 renewal" in unescape(site.get(f"{URL}/{report}?details=1"))
    matrix = make(site, ADA, name="Matrix", across=[{"field": "currency"}], measures=["count", "sum:amount"])
    heads = table(site.get(f"{URL}/{matrix}"))[:2]
    assert heads[0] == ["Stage by Currency", "EUR", "JPY", "USD", "Total"]
    assert heads[1] == ["Record count", "Sum of amount (≈ USD)"] * 4


def test_reports_are_listed_by_folder_and_found_by_name(site: Site) -> None:
    make(site, name="Own", folder="Team")
    make(site, LUIS, name="Shared", folder="Sales", visibility="public")
    make(site, LUIS, name="Hidden", folder="Secret")
    page = site.get(URL)
    assert "Own" in page
    assert "Shared" in page
    assert "Hidden" not in page
    assert "Secret" not in page
    folder = site.get(f"{URL}?folder=Sales")
    assert ("Shared" in folder, ">Own<" in folder) == (True, False)
    assert ">Own<" in site.get(f"{URL}?scope=mine")
    assert ">Shared<" in site.get(f"{URL}?q=share")
    assert "No reports match" in site.get(f"{URL}?q=nothing")


def test_x_10_only_those_who_may_are_offered_to_change_a_report(site_of: Callable[[str], Site]) -> None:
    owner = site_of(DANA)
    public = make(owner, visibility="public")
    private = make(owner, name="Private")
    other = site_of(LUIS)
    page = other.get(f"{URL}/{public}")
    assert f"{URL}/{public}/edit" not in page
    assert f"{URL}/{public}/delete" not in page
    assert f"{URL}/new?copy={public}" in page
    other.get(f"{URL}/{public}/edit", 403)
    other.get(f"{URL}/{public}/delete", 403)
    for path in (private, f"{private}/edit", f"{private}/export.csv", "RPT000000000000", "nothing"):
        other.get(f"{URL}/{path}", 404)


def test_saving_as_makes_a_copy_of_ones_own(site_of: Callable[[str], Site]) -> None:
    report = make(site_of(DANA), visibility="public", folder="Sales")
    other = site_of(LUIS)
    form = other.form(f"{URL}/new?copy={report}", f"{URL}/new")
    assert (form["name"], form["visibility"], form["row1"]) == ("Pipeline copy", "private", "stage")
    assert other.post(f"{URL}/new", form).status_code == 303
    rows = list(other.store.select("crm_report", owner_id=LUIS))
    assert [row["name"] for row in rows] == ["Pipeline copy"]
    assert rows[0]["definition"] == other.store.get("crm_report", (report,))["definition"]  # type: ignore[index]


def test_a_report_is_deleted_after_asking(site: Site) -> None:
    report = make(site)
    answer = site.post(f"{URL}/{report}/delete", site.form(f"{URL}/{report}/delete"))
    assert answer.status_code == 303
    assert "Report deleted." in site.get(answer.location)
    assert list(site.store.select("crm_report")) == []


def test_x_7_a_report_changed_meanwhile_is_a_conflict_that_keeps_what_was_typed(site: Site) -> None:
    report = make(site, visibility="editable")
    form = site.form(f"{URL}/{report}/edit") | {"description": "Mine"}
    values = {"id": report, "row_version": 1, "values": {"folder": "Team"}}
    run(site.store, "crm.update_report", values, person_id=LUIS, channel="ui")
    answer = site.post(f"{URL}/{report}/edit", form)
    assert answer.status_code == 409
    assert 'value="Mine"' in answer.text


def test_the_result_and_the_records_are_exported_without_formulas(site_of: Callable[[str], Site]) -> None:
    site = site_of(PRIYA)
    values = {"row_version": 1, "id": KESTREL, "values": {"name": "=HYPERLINK(1)"}}
    run(site.store, "crm.update_opportunity", values, person_id=ADA, channel="ui")
    report = make(site, PRIYA, rows=[{"field": "name"}], across=[{"field": "currency"}], measures=["sum:amount"])
    result = lines(site.client.get(f"{URL}/{report}/export.csv"))
    assert result[0][0] == "Opportunity name"
    assert result[-1][0] == "Total"
    assert [row[0] for row in result if "HYPERLINK" in row[0]] == ["'=HYPERLINK(1)"]
    records = lines(site.client.get(f"{URL}/{report}/export.csv?details=1"))
    assert len(records) - 1 == len(result) - 2
    assert any(row[1] == "'=HYPERLINK(1)" for row in records)


def test_x_10_a_result_is_exported_only_with_the_right_to(site_of: Callable[[str], Site]) -> None:
    report = make(site_of(DANA), visibility="public")
    site = site_of(DANA)
    assert "export.csv" not in site.get(f"{URL}/{report}")
    site.get(f"{URL}/{report}/export.csv", 403)


def test_what_a_profile_hides_is_said_and_left_out(site_of: Callable[[str], Site]) -> None:
    owner = site_of(ADA)
    values = {"rows": [{"field": "region"}], "measures": ["count", "sum:annual_revenue"], "visibility": "public"}
    report = make(owner, ADA, object="account", **values)
    page = site_of(INES).get(f"{URL}/{report}")
    assert "Your profile hides" in page
    assert "12,500,000" not in page
    assert "12,500,000" in owner.get(f"{URL}/{report}")
    blocked = make(
        owner, ADA, object="account", name="Blocked", rows=[{"field": "annual_revenue"}], visibility="public"
    )
    assert "cannot be shown to you" in unescape(site_of(INES).get(f"{URL}/{blocked}", 400))


@pytest.mark.parametrize("kind", ["account", "contact", "opportunity_line", "lead", "case", "task", "event", "quote"])
def test_every_report_type_has_a_builder_and_a_result(site_of: Callable[[str], Site], kind: str) -> None:
    site = site_of(ADA)
    form = site.form(f"{URL}/new?object={kind}", f"{URL}/new") | {"name": f"All {kind}"}
    answer = site.post(f"{URL}/new", form)
    assert answer.status_code == 303
    assert f"All {kind}" in site.get(answer.location)
