"""Saved list views in the pages: choosing, saving, editing, copying, pinning, deleting, and the list as a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

from tests.crm.fixture import ADA, DANA, DESK_GROUP, LUIS, MEI, ROWAN

from .conftest import Site

LIST = "/crm/opportunities"
NEW = f"{LIST}/views/new"
FILTERS = urlencode(
    {
        "field1": "is_closed",
        "op1": "equals",
        "value1": "No",
        "field2": "amount",
        "op2": "gte",
        "value2": "1,000",
        "sort": "amount",
        "dir": "desc",
    }
)


def saved(site: Site, query: str = "", **more: str) -> str:
    """Save a view through its form; the id of the view."""
    fields = site.form(f"{NEW}?{query}" if query else NEW, NEW) | {"name": "Large open deals"} | more
    answer = site.post(NEW, fields)
    assert answer.status_code == 303, answer.text[:2000]
    return re.search(r"view=(LVW\w{12})", answer.headers["Location"])[1]  # type: ignore[index]


def test_crm_6_what_a_list_is_filtered_by_is_saved_as_a_view(site: Site) -> None:
    view = saved(site, FILTERS, visibility="groups", **{f"group_{DESK_GROUP}": "1"})
    name, arguments = site.command()
    assert name == "crm.create_list_view"
    assert arguments["filters"] == [
        {"field": "is_closed", "op": "equals", "value": False},
        {"field": "amount", "op": "gte", "value": "1000"},
    ]
    assert arguments["sort"] == [{"field": "amount", "direction": "desc"}]
    assert arguments["group_ids"] == [DESK_GROUP]
    page = site.get(f"{LIST}?view={view}")
    assert '<h1 id="page-title">Large open deals</h1>' in page
    assert "Kestrel" in page
    assert "Aldercroft valves" not in page
    assert page.index("Kestrel") > page.index("Osaka pilot")  # sorted by amount, in each currency as a number


def test_crm_6_columns_of_a_view_stand_in_their_order(site: Site) -> None:
    view = saved(
        site, "", column1="close_date", column2="name", column3="", column4="stage", column5="", column6="", column7=""
    )
    heads = re.findall(r'<a class="sort"[^>]*aria-label="Sort by ([^"]*)"', site.get(f"{LIST}?view={view}"))
    assert heads == ["Close date", "Opportunity name", "Stage"]


def test_crm_6_faults_of_a_view_stand_beside_their_controls_and_what_was_typed_stays(site: Site) -> None:
    answer = site.post(NEW, site.form(NEW) | {"name": " "})
    assert answer.status_code == 422
    assert "Nothing was saved: 1 problem" in answer.text
    typed = {"name": "X", "field1": "amount", "op1": "contains", "value1": "12", "logic": "1 AND 2"}
    answer = site.post(NEW, site.form(NEW) | typed)
    assert answer.status_code == 422
    assert 'value="1 AND 2"' in answer.text
    assert "has no operator" in answer.text
    answer = site.post(NEW, site.form(NEW) | {"name": "X", "field1": "name", "value1": "a", "logic": "1 AND 2"})
    assert answer.status_code == 422
    assert "mentions filter 2" in answer.text
    answer = site.post(NEW, site.form(NEW) | {"name": "X", "visibility": "groups"})
    assert "name at least one group" in answer.text
    assert site.commands() == []


def test_crm_6_a_view_is_edited_and_a_later_editor_is_told(site_of: Callable[[str], Site]) -> None:
    site, admin = site_of(DANA), site_of(ADA)
    view = saved(site, FILTERS, visibility="all")
    edit = f"{LIST}/views/{view}/edit"
    first, second = site.form(edit), admin.form(edit)
    assert site.post(edit, first | {"name": "Renamed", "value2": "2,500.50"}).status_code == 303
    stored = site.store.all("SELECT name, conditions FROM crm_list_view")[0]
    assert stored["name"] == "Renamed"
    assert "2500.5" in stored["conditions"]
    answer = admin.post(edit, second | {"name": "Other"})
    assert answer.status_code == 409
    assert "Dana Whitcombe changed this list view" in answer.text
    assert 'value="Other"' in answer.text


def test_a_view_of_somebody_else_can_be_used_and_copied_but_not_edited(site_of: Callable[[str], Site]) -> None:
    site, other = site_of(DANA), site_of(MEI)
    view = saved(site, FILTERS, visibility="groups", **{f"group_{DESK_GROUP}": "1"})
    page = other.get(f"{LIST}?view={view}")
    assert "Large open deals (Dana Whitcombe)" in page
    assert "Copy view" in page
    assert "Edit view" not in page
    other.get(f"{LIST}/views/{view}/edit", 403)
    copy = other.form(f"{NEW}?copy={view}", NEW)
    assert (copy["name"], copy["visibility"], copy["value2"]) == ("Large open deals copy", "private", "1000")
    site_of(LUIS).get(f"{LIST}?view={view}", 404)


def test_a_pinned_view_opens_with_the_list_until_it_is_unpinned(site: Site) -> None:
    view = saved(site, FILTERS)
    pin = f"{LIST}/views/pin"
    form = site.form(f"{LIST}?view={view}", pin)
    assert site.post(pin, form).headers["Location"].startswith(f"{LIST}?view={view}")
    assert "Large open deals</h1>" in site.get(LIST)
    assert "All opportunities</h1>" in site.get(f"{LIST}?view=all")
    assert "All opportunities</h1>" in site.get(f"{LIST}?q=kestrel")
    assert site.post(pin, site.form(f"{LIST}?view=all", pin)).status_code == 303
    assert "All opportunities</h1>" in site.get(LIST)


def test_a_view_is_deleted_for_good_after_asking(site: Site) -> None:
    view = saved(site, FILTERS)
    ask = f"{LIST}/views/{view}/delete"
    assert "goes for good" in site.get(ask)
    assert site.post(ask, site.form(ask)).status_code == 303
    site.get(f"{LIST}?view={view}", 404)
    site.get(f"{LIST}?view=LVW", 404)


def test_filters_narrow_a_view_and_stay_in_it(site: Site) -> None:
    view = saved(site, FILTERS)
    page = site.get(f"{LIST}?view={view}&q=kestrel")
    assert "Kestrel" in page
    assert "Osaka pilot" not in page
    assert f'name="view" value="{view}"' in page
    assert f'href="{LIST}?view={view}"' in page  # without the filter, still in the view


def test_crm_6_the_file_has_the_rows_columns_and_order_of_the_list(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    view = saved(site, FILTERS)
    answer = site.client.get(f"{LIST}/export.csv?view={view}")
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert "attachment" in answer.headers["Content-Disposition"]
    lines = answer.get_data(as_text=True).lstrip("\ufeff").split("\r\n")
    assert lines[0].startswith("Opportunity name,Account,Stage,Amount,Currency,")
    assert [line.split(",")[0] for line in lines[1:-1]] == ["Osaka pilot", "Kestrel – FY26 renewal"]
    assert ",12345.67,USD," in lines[2]


def test_crm_6_the_file_needs_the_right_to_export(site_of: Callable[[str], Site]) -> None:
    for person in (DANA, ROWAN):
        site = site_of(person)
        assert "Export as CSV" not in site.get(LIST)
        site.get(f"{LIST}/export.csv", 403)


def test_a_text_that_a_spreadsheet_would_run_is_written_as_text(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    form = site.form("/crm/accounts/new")
    for name in ("=1+1", "@SUM(A1)", "-2", "+cmd"):
        site.post(
            "/crm/accounts/new", form | {"name": name, "form_token": site.form("/crm/accounts/new")["form_token"]}
        )
    text = site.client.get("/crm/accounts/export.csv").get_data(as_text=True)
    for name in ("=1+1", "@SUM(A1)", "-2", "+cmd"):
        assert f"\r\n'{name}," in text


def test_twenty_16806_totals_cover_all_that_match_the_view_not_the_page(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    view = saved(site, "field1=currency&op1=equals&value1=USD")
    page = site.get(f"{LIST}?view={view}")
    foot = page[page.index("<tfoot>") : page.index("</tfoot>")]
    assert "22,045.67 USD" in foot  # 12,345.67 + 9,000.00 + 700.00
