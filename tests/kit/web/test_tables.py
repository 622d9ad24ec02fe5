"""Lists (accessibility.md Data table, X-9) and what hangs on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, Tag

from deskgym_apps.kit.web import Cell, Column, Page, Row, Table
from deskgym_apps.kit.web.drawn import table_rows

from .naming import name_of

Draw = Callable[[str], BeautifulSoup]


def one(soup: BeautifulSoup | Tag, selector: str) -> Tag:
    found = soup.select(selector)
    assert len(found) == 1, (selector, len(found))
    return found[0]


def table(page: Page, **more: str | bool) -> Table:
    columns = (Column("name", "Name", sortable=True), Column("amount", "Amount", sortable=True, kind="money"))
    return Table(id="t", caption="T", columns=columns, rows=(), url="/t", query=(("q", "å&b"),), page=page, **more)  # type: ignore[arg-type]


def test_a_table_has_a_caption_with_its_count_and_scoped_headers(draw: Draw) -> None:
    soup = draw("/crm/accounts")
    assert one(soup, "caption").get_text() == "All accounts, 131 accounts"
    assert {th["scope"] for th in soup.select("thead th")} == {"col"}
    assert len(soup.select("tbody th[scope=row]")) == len(soup.select("tbody tr")) == 9


def test_the_sorted_column_says_so_and_its_link_turns_the_order_round(draw: Draw) -> None:
    soup = draw("/crm/accounts")
    header = one(soup, "th[aria-sort]")
    assert header["aria-sort"] == "ascending"
    assert header["aria-label"] == "Account name"
    link = one(header, "a")
    assert name_of(soup, link) == "Sort by Account name"
    assert link["href"] == "/crm/accounts?sort=name&dir=desc"


def test_a_row_is_named_its_box_and_menu_too_with_a_disambiguator(draw: Draw) -> None:
    soup = draw("/crm/accounts")
    row = soup.select("tbody tr")[1]
    assert row["aria-label"] == "Aldercroft Ltd, Bristol"
    assert one(row, "input")["aria-label"] == "Select Aldercroft Ltd, Bristol"
    assert name_of(soup, one(row, "th a")) == "Aldercroft Ltd, Bristol"
    assert one(row, "th a").get_text() == "Aldercroft Ltd"
    menu = one(row, "[role=menu]")
    assert name_of(soup, one(row, "button[aria-haspopup=menu]")) == "Actions for Aldercroft Ltd, Bristol"
    assert [item.get_text(strip=True) for item in menu.select("[role=menuitem]")] == ["Edit", "Change owner", "Delete"]


def test_cells_carry_their_column_for_the_narrow_screen(draw: Draw) -> None:
    row = draw("/crm/accounts").select("tbody tr")[0]
    shown = [td["data-label"] for td in row.select("td[data-label]")]
    assert shown == ["City", "Industry", "Annual revenue", "Type", "Last activity", "Owner"]
    assert one(row, "td[data-label='Annual revenue']")["class"] == ["cell-end"]


def test_the_pager_says_where_it_is_and_keeps_sort_and_filters(draw: Draw) -> None:
    soup = draw("/crm/accounts")
    pager = one(soup, "nav.pager")
    assert one(pager, "[aria-current=page]").get_text() == "Page 2 of 15"
    assert {name_of(soup, a): a["href"] for a in pager.select("a")} == {
        "Previous page": "/crm/accounts?sort=name&dir=asc&page=1",
        "Page 1": "/crm/accounts?sort=name&dir=asc&page=1",
        "Page 3": "/crm/accounts?sort=name&dir=asc&page=3",
        "Page 4": "/crm/accounts?sort=name&dir=asc&page=4",
        "Page 15": "/crm/accounts?sort=name&dir=asc&page=15",
        "Next page": "/crm/accounts?sort=name&dir=asc&page=3",
        "Show 25 rows per page": "/crm/accounts?sort=name&dir=asc&size=25&page=1",
        "Show 100 rows per page": "/crm/accounts?sort=name&dir=asc&size=100&page=1",
    }


def test_active_filters_are_words_with_a_link_that_takes_each_away(draw: Draw) -> None:
    soup = draw("/crm/accounts?panel=1")
    chips = one(soup, "ul[aria-label='Active filters']")
    assert [name_of(soup, a) for a in chips.select("a")] == [
        "Remove filter: Industry equals Energy",
        "Remove filter: Owner is me",
    ]
    assert name_of(soup, one(soup, "form.filter-panel")) == "Filter accounts"


def test_an_empty_list_explains_itself_and_offers_the_action(draw: Draw) -> None:
    soup = draw("/crm/accounts?city=Nowhere")
    assert not soup.select("table, nav.pager")
    assert one(soup, ".list-count").get_text().startswith("0 accounts")
    assert one(soup, ".empty-state h2").get_text() == "No accounts match these filters"
    assert one(soup, ".empty-state a").get_text(strip=True) == "New account"


@pytest.mark.parametrize(
    ("page", "count", "first", "last", "near"),
    [
        (Page(1, 25, 0), 1, 0, 0, (1,)),
        (Page(1, 25, 25), 1, 1, 25, (1,)),
        (Page(2, 25, 26), 2, 26, 26, (1, 2)),
        (Page(7, 25, 500), 20, 151, 175, (1, None, 5, 6, 7, 8, 9, None, 20)),
        (Page(20, 25, 500), 20, 476, 500, (1, None, 18, 19, 20)),
    ],
)
def test_paging_arithmetic(page: Page, count: int, first: int, last: int, near: tuple[int | None, ...]) -> None:
    assert (page.count, page.first, page.last, page.near) == (count, first, last, near)


def test_urls_of_a_list_are_encoded_and_keep_an_unusual_page_size() -> None:
    assert table(Page(1, 50, 99)).href(page=2) == "/t?q=%C3%A5%26b&size=50&page=2"
    sorted_down = table(Page(1, 25, 99), sort="amount", descending=True)
    assert sorted_down.sort_href(sorted_down.columns[1]) == "/t?q=%C3%A5%26b&sort=amount&dir=asc"
    assert sorted_down.sort_href(sorted_down.columns[0]) == "/t?q=%C3%A5%26b&sort=name&dir=asc"
    assert [sorted_down.aria_sort(column) for column in sorted_down.columns] == ["none", "descending"]


def test_a_row_without_a_column_is_an_error_not_an_empty_cell() -> None:
    whole = Row(id="1", name="One", cells={"name": "One", "amount": Cell(text="1.00 USD")})
    plain = replace(table(Page(1, 25, 1)), rows=(whole,))
    assert "1.00 USD" in table_rows(plain, str, str)
    short = replace(plain, rows=(replace(whole, cells={"name": "One"}),))
    with pytest.raises(KeyError):
        table_rows(short, str, str)
