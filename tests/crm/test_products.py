"""Products, price books and prices, and the lines of opportunities (CRM-7, CRM-9 g, I1, I3, I4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deskgym_apps.kit.errors import BadQuery, Conflict, Forbidden, Invalid, NotFound

from .fixture import ADA, DANA, HARBOUR, KESTREL, LUIS, OLGA, PRIYA, YEN, World
from .invariants import broken
from .priced import (
    EURO_GAUGE,
    GAUGE,
    GAUGE_PRICE,
    OLD_BOOK,
    PARTNER,
    RETIRED,
    STANDARD,
    VALVE,
    VISIT_DAY,
    add,
    change_line,
    lines,
    priced,
    remove_line,
    worked_example,
)


@pytest.fixture
def shop(world_with: Callable[..., World]) -> Iterator[World]:
    world = world_with(priced())
    yield world
    assert broken(world.store) == []


def test_crm_7_the_lines_of_the_worked_example_come_to_its_figures(shop: World) -> None:
    worked_example(shop, KESTREL)
    assert [line["total"] for line in lines(shop, KESTREL)] == [134_991, 97_500, 102_000]
    deal = shop.record(KESTREL)
    assert (deal["amount"], deal["pricebook_id"]) == (334_491, STANDARD)


def test_i1_expected_revenue_follows_the_lines(shop: World) -> None:
    worked_example(shop, KESTREL)
    assert shop.record(KESTREL)["expected_revenue"] == 33_449


def test_crm_11_each_change_of_the_sum_is_in_the_history(shop: World) -> None:
    line = add(shop, KESTREL, VALVE, "2")
    change_line(shop, line, quantity="3")
    amounts = [(old, new) for field, old, new in shop.history(KESTREL) if field == "amount"]
    assert amounts == [("1234567", "7800"), ("7800", "11700")]


def test_crm_7_with_lines_the_amount_cannot_be_set_by_hand(shop: World) -> None:
    add(shop, KESTREL, VALVE, "2")
    with pytest.raises(Invalid, match="products"):
        shop.update(KESTREL, {"amount": "5"})


def test_crm_7_removing_the_last_line_sets_0_and_frees_the_amount(shop: World) -> None:
    first, last = add(shop, KESTREL, VALVE, "2"), add(shop, KESTREL, GAUGE, "1")
    remove_line(shop, first)
    assert shop.record(KESTREL)["amount"] == 14_999
    remove_line(shop, last)
    assert shop.record(KESTREL)["amount"] == 0
    shop.update(KESTREL, {"amount": "77.50"})
    assert shop.record(KESTREL)["amount"] == 7_750


def test_crm_9_b_a_late_deal_keeps_its_last_line(shop: World) -> None:
    line = shop.create("opportunity_line", opportunity_id=HARBOUR, product_id=GAUGE, quantity="1", by=LUIS)
    with pytest.raises(Invalid, match="needs an amount above 0"):
        shop.run("delete_opportunity_line", {"id": line}, by=LUIS)
    with pytest.raises(Invalid, match="needs an amount above 0"):
        change_line(shop, line, by=LUIS, unit_price="0")


def test_crm_7_a_later_price_does_not_touch_existing_lines(shop: World) -> None:
    line = add(shop, KESTREL, GAUGE, "1")
    version = shop.row("pricebook_entry", GAUGE_PRICE)["row_version"]
    arguments = {"id": GAUGE_PRICE, "row_version": version, "values": {"unit_price": "155.00"}}
    assert shop.run("update_pricebook_entry", arguments, by=ADA)["row_version"] == 2
    assert shop.row("opportunity_line", line)["list_price"] == 14_999
    assert shop.record(KESTREL)["amount"] == 14_999
    later = add(shop, KESTREL, GAUGE, "1")
    assert shop.row("opportunity_line", later)["list_price"] == 15_500


def test_crm_7_the_currency_of_price_and_deal_must_match(shop: World) -> None:
    with pytest.raises(Invalid, match="has no active price of Pressure gauge in JPY"):
        add(shop, YEN, GAUGE, "1")
    euro = shop.create("opportunity_line", opportunity_id=HARBOUR, product_id=GAUGE, quantity="1", by=LUIS)
    assert shop.row("opportunity_line", euro)["pricebook_entry_id"] == EURO_GAUGE


def test_crm_7_the_first_line_fixes_the_price_book(shop: World) -> None:
    add(shop, KESTREL, GAUGE, "1", pricebook_id=PARTNER)
    assert (shop.record(KESTREL)["pricebook_id"], shop.record(KESTREL)["amount"]) == (PARTNER, 13_000)
    with pytest.raises(Invalid, match="come from Partner Price Book"):
        add(shop, KESTREL, VALVE, "1", pricebook_id=STANDARD)


def test_crm_7_switching_books_needs_the_products_removed(shop: World) -> None:
    add(shop, KESTREL, GAUGE, "1")
    with pytest.raises(Invalid, match="remove them"):
        shop.update(KESTREL, {"pricebook_id": PARTNER})
    before = shop.version(KESTREL)
    shop.update(KESTREL, {"pricebook_id": PARTNER}, remove_products=True)
    deal = shop.record(KESTREL)
    assert (deal["pricebook_id"], deal["amount"], lines(shop, KESTREL)) == (PARTNER, 0, [])
    assert deal["row_version"] == before + 1


def test_a_price_book_out_of_use_cannot_be_chosen(shop: World) -> None:
    with pytest.raises(Invalid, match="out of use"):
        shop.update(KESTREL, {"pricebook_id": OLD_BOOK})
    with pytest.raises(Invalid, match="out of use"):
        add(shop, KESTREL, GAUGE, "1", pricebook_id=OLD_BOOK)


def test_a_product_out_of_use_cannot_be_added(shop: World) -> None:
    with pytest.raises(Invalid, match="no longer sold"):
        add(shop, KESTREL, RETIRED, "1")


def test_crm_9_g_more_than_30_percent_needs_a_vice_presidents_role(shop: World) -> None:
    line = add(shop, KESTREL, GAUGE, "10", "30")
    with pytest.raises(Invalid, match="vice president"):
        change_line(shop, line, discount_percent="30.01")
    with pytest.raises(Invalid, match="vice president"):
        change_line(shop, line, by=ADA, discount_percent="31")
    change_line(shop, line, by=PRIYA, discount_percent="40")
    change_line(shop, line, quantity="11")  # what she gave stands
    assert shop.row("opportunity_line", line)["discount_bp"] == 4_000
    with pytest.raises(Invalid, match="vice president"):
        change_line(shop, line, discount_percent="45")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"quantity": "0"}, "above 0"),
        ({"quantity": "-1"}, "above 0"),
        ({"quantity": "1.2345"}, "at most 3 decimals"),
        ({"quantity": "1", "discount_percent": "100.5"}, "from 0 to 100"),
        ({"quantity": "1", "discount_percent": "5.555"}, "at most 2 decimals"),
        ({"quantity": "1", "unit_price": "1.234"}, "at most 2 decimals"),
        ({"quantity": "1", "unit_price": "-1"}, "0 or more"),
        ({"quantity": "1000000", "unit_price": "9999999999"}, "more than can be kept"),
        ({"quantity": "many"}, "not an amount"),
    ],
)
def test_values_that_no_line_can_have_are_refused(shop: World, values: dict[str, str], says: str) -> None:
    with pytest.raises(Invalid, match=says):
        shop.create("opportunity_line", opportunity_id=KESTREL, product_id=GAUGE, **values)
    assert lines(shop, KESTREL) == []


def test_a_quantity_may_have_three_decimals_and_the_total_is_rounded_half_up(shop: World) -> None:
    line = add(shop, KESTREL, GAUGE, "1.5", "12.5")
    assert shop.row("opportunity_line", line)["total"] == 19_686  # 19,686.1875


def test_x_7_a_line_is_locked_by_the_version_of_its_deal(shop: World) -> None:
    line, read_at = add(shop, KESTREL, GAUGE, "1"), shop.version(KESTREL)
    shop.update(KESTREL, {"next_step": "Call"}, by=PRIYA)
    arguments = {"id": line, "row_version": read_at, "values": {"quantity": "2"}}
    with pytest.raises(Conflict, match="Priya Raman"):
        shop.run("update_opportunity_line", arguments)
    with pytest.raises(Conflict):
        shop.run("delete_opportunity_line", {"id": line, "row_version": read_at})
    with pytest.raises(Conflict):
        add(shop, KESTREL, VALVE, "1", row_version=read_at)


def test_a_change_of_a_lines_text_alone_gives_the_deal_a_new_version(shop: World) -> None:
    line, before = add(shop, KESTREL, GAUGE, "1"), shop.version(KESTREL)
    answer = change_line(shop, line, description="North gate", service_date="2031-05-02")
    assert answer["row_version"] == shop.version(KESTREL) == before + 1
    assert shop.row("opportunity_line", line)["description"] == "North gate"
    assert change_line(shop, line, description="North gate")["row_version"] == shop.version(KESTREL)


def test_x_10_lines_go_with_their_opportunity(shop: World) -> None:
    line = add(shop, KESTREL, GAUGE, "1")
    assert shop.ids("opportunity_line") == [line]
    assert shop.ids("opportunity_line", by=LUIS) == []
    with pytest.raises(NotFound):
        shop.ask("get", id=line, by=LUIS)
    got = shop.ask("get", id=line)
    assert got["record"]["row_version"] == shop.version(KESTREL)
    assert (got["name"], got["record"]["total"], got["record"]["currency"]) == ("Pressure gauge", "149.99", "USD")


def test_lines_are_found_by_product_and_discount(shop: World) -> None:
    worked_example(shop, KESTREL)
    assert len(shop.ids("opportunity_line", ("discount_percent", "gte", 10))) == 2
    assert len(shop.ids("opportunity_line", ("product.family", "equals", "Services"))) == 1
    assert len(shop.ids("opportunity_line", ("quantity", "equals", 25))) == 1
    listed = shop.ask("query", object="opportunity_line", fields=["total", "quantity"])
    assert listed["sums"]["total"]["total"] == "3344.91"
    assert [row["quantity"] for row in listed["rows"]] == ["10", "25", "1"]


def test_crm_10_lines_of_a_deleted_deal_are_not_seen_and_come_back_with_it(shop: World) -> None:
    worked_example(shop, KESTREL)
    shop.delete(KESTREL)
    assert shop.ids("opportunity_line") == []
    shop.undelete(KESTREL)
    assert len(shop.ids("opportunity_line")) == 3


def test_x_10_only_set_up_changes_products(shop: World) -> None:
    with pytest.raises(Forbidden):
        shop.create("product", name="Probe", code="P-9")
    made = shop.create("product", name="Probe", code="P-9", family="Level", by=OLGA)
    assert shop.row("product", made)["is_active"] == 1
    with pytest.raises(Forbidden):
        shop.run("update_product", {"id": made, "row_version": 1, "values": {"name": "Sonde"}}, by=DANA)


def test_codes_and_names_of_price_books_are_given_once(shop: World) -> None:
    with pytest.raises(Invalid, match="belongs to Pressure gauge"):
        shop.create("product", name="Other gauge", code="G-1", by=ADA)
    with pytest.raises(Invalid, match="belongs to Partner Price Book"):
        shop.create("pricebook", name="Partner Price Book", by=ADA)


def test_crm_7_a_custom_book_takes_only_products_with_a_standard_price(shop: World) -> None:
    made = shop.create("product", name="Probe", code="P-9", by=ADA)
    given = {"product_id": made, "currency": "USD", "unit_price": "90"}
    with pytest.raises(Invalid, match="no active standard price in USD"):
        shop.create("pricebook_entry", pricebook_id=PARTNER, **given, by=ADA)
    shop.create("pricebook_entry", pricebook_id=STANDARD, **given, by=ADA)
    with pytest.raises(Invalid, match="no active standard price in EUR"):
        shop.create("pricebook_entry", pricebook_id=PARTNER, **given | {"currency": "EUR"}, by=ADA)
    shop.create("pricebook_entry", pricebook_id=PARTNER, **given | {"unit_price": "81"}, by=ADA)
    with pytest.raises(Invalid, match="already"):
        shop.create("pricebook_entry", pricebook_id=PARTNER, **given, by=ADA)


def test_a_standard_price_stays_while_custom_books_hold_the_product(shop: World) -> None:
    off = {"id": GAUGE_PRICE, "row_version": 1, "values": {"is_active": False}}
    with pytest.raises(Invalid, match="still in Partner Price Book"):
        shop.run("update_pricebook_entry", off, by=ADA)


def test_products_and_prices_are_never_deleted(shop: World) -> None:
    with pytest.raises(NotFound, match="never deleted"):
        shop.tool("delete", {"id": GAUGE}, by=ADA)
    with pytest.raises(BadQuery):
        shop.ids("product", deleted=True)


def test_what_can_be_sold_comes_with_its_price(shop: World) -> None:
    found = shop.read("sellable", {"id": KESTREL})
    assert found["pricebook"] == "Standard Price Book"
    assert [(row["name"], row["unit_price"]) for row in found["rows"]] == [
        ("Ball valve", "39.00"),
        ("Pressure gauge", "149.99"),
        ("Site visit", "1200.00"),
    ]
    assert [row["id"] for row in shop.read("sellable", {"id": KESTREL, "text": "g-1"})["rows"]] == [GAUGE]
    assert [row["id"] for row in shop.read("sellable", {"id": KESTREL, "pricebook_id": PARTNER})["rows"]] == [GAUGE]


def test_products_are_found_by_name_and_code(shop: World) -> None:
    for text in ("ball", "V-1"):
        groups = shop.ask("search", text=text)["groups"]
        assert [row["id"] for group in groups for row in group["rows"]] == [VALVE]
    assert VISIT_DAY in shop.ids("product", ("family", "equals", "Services"))
