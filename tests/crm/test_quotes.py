"""Quotes: their figures, their way through review, syncing, and the recycle bin (CRM-7, CRM-10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound

from .fixture import ADA, ALDERCROFT, DANA, HARBOUR, KESTREL, LUIS, MARTA, PRIYA, ROWAN, World
from .invariants import broken
from .priced import (
    GAUGE,
    PARTNER,
    VALVE,
    VISIT_DAY,
    add,
    change_line,
    lines,
    new_quote,
    priced,
    quote,
    quote_lines,
    remove_line,
    worked_example,
)


@pytest.fixture
def shop(world_with: Callable[..., World]) -> Iterator[World]:
    world = world_with(priced())
    yield world
    assert broken(world.store) == []


@pytest.fixture
def offer(shop: World) -> str:
    worked_example(shop, KESTREL)
    return new_quote(shop, KESTREL)


def test_crm_7_the_worked_example_to_the_cent(shop: World, offer: str) -> None:
    shop.update(offer, {"tax_percent": "8.25", "shipping": "45"})
    row = shop.record(offer)
    assert (row["subtotal"], row["tax"], row["shipping"], row["grand_total"]) == (334_491, 27_596, 4_500, 366_587)
    quote(shop, "sync", offer)
    assert shop.record(KESTREL)["amount"] == 334_491


def test_a_new_quote_copies_the_lines_and_takes_the_next_number(shop: World, offer: str) -> None:
    assert [line["total"] for line in quote_lines(shop, offer)] == [134_991, 97_500, 102_000]
    second = new_quote(shop, KESTREL, "Second offer")
    assert (shop.record(offer)["number"], shop.record(second)["number"]) == ("Q-00001", "Q-00002")
    row = shop.record(offer)
    assert (row["status"], row["subtotal"], row["currency"], row["is_synced"]) == ("Draft", 334_491, "USD", 0)


def test_numbers_have_no_gap_after_a_refused_quote(shop: World, offer: str) -> None:
    with pytest.raises(Invalid):
        new_quote(shop, KESTREL, expires_on="2031-03-01")
    assert shop.record(new_quote(shop, KESTREL))["number"] == "Q-00002"


def test_a_quote_of_a_deal_without_products_begins_empty(shop: World) -> None:
    made = new_quote(shop, KESTREL)
    assert (quote_lines(shop, made), shop.record(made)["grand_total"]) == ([], 0)
    with pytest.raises(Invalid, match="without lines"):
        quote(shop, "sync", made)


def test_edits_of_an_unsynced_quote_leave_the_deal_alone(shop: World, offer: str) -> None:
    change_line(shop, quote_lines(shop, offer)[1]["id"], quantity="50")
    assert shop.record(offer)["subtotal"] == 334_491 + 97_500
    assert shop.record(KESTREL)["amount"] == 334_491


def test_crm_7_syncing_makes_the_deals_lines_those_of_the_quote(shop: World, offer: str) -> None:
    kept = [line["id"] for line in lines(shop, KESTREL)]
    rows = quote_lines(shop, offer)
    change_line(shop, rows[0]["id"], discount_percent="12")
    remove_line(shop, rows[1]["id"])
    answer = quote(shop, "sync", offer)
    assert answer["amount"] == "2339.91"
    assert [line["id"] for line in lines(shop, KESTREL)] == [kept[0], kept[2]]
    assert [line["total"] for line in lines(shop, KESTREL)] == [131_991, 102_000]


def test_crm_7_after_syncing_edits_on_either_side_mirror(shop: World, offer: str) -> None:
    quote(shop, "sync", offer)
    change_line(shop, lines(shop, KESTREL)[0]["id"], quantity="20")
    assert quote_lines(shop, offer)[0]["qty_milli"] == 20_000
    assert shop.record(offer)["subtotal"] == shop.record(KESTREL)["amount"] == 469_482
    change_line(shop, quote_lines(shop, offer)[0]["id"], quantity="5", unit_price="100")
    assert lines(shop, KESTREL)[0]["total"] == 45_000
    add(shop, KESTREL, VALVE, "1")
    assert len(quote_lines(shop, offer)) == 4
    remove_line(shop, quote_lines(shop, offer)[0]["id"])
    assert len(lines(shop, KESTREL)) == 3
    assert shop.record(offer)["subtotal"] == shop.record(KESTREL)["amount"]


def test_crm_7_at_most_one_quote_is_synced(shop: World, offer: str) -> None:
    second = new_quote(shop, KESTREL, "Second offer")
    quote(shop, "sync", offer)
    quote(shop, "sync", second)
    assert (shop.record(offer)["is_synced"], shop.record(second)["is_synced"]) == (0, 1)
    quote(shop, "unsync", second)
    assert shop.record(second)["is_synced"] == 0
    assert shop.record(KESTREL)["amount"] == 334_491


def test_syncing_a_quote_from_another_price_book_brings_that_book(shop: World) -> None:
    add(shop, KESTREL, GAUGE, "1", pricebook_id=PARTNER)
    offer = new_quote(shop, KESTREL)
    remove_line(shop, lines(shop, KESTREL)[0]["id"])
    add(shop, KESTREL, VALVE, "1", pricebook_id="PBK000000000001")
    quote(shop, "sync", offer)
    assert (shop.record(KESTREL)["pricebook_id"], shop.record(KESTREL)["amount"]) == (PARTNER, 13_000)


def _line(shop: World, offer: str, discount: str, by: str = DANA) -> None:
    change_line(shop, quote_lines(shop, offer)[0]["id"], by=by, discount_percent=discount)


@pytest.mark.parametrize(("discount", "is_free"), [("20", True), ("20.01", False)])
def test_crm_7_a_discount_above_20_percent_forces_approval(
    shop: World, offer: str, discount: str, is_free: bool
) -> None:
    _line(shop, offer, discount)
    if is_free:
        quote(shop, "set_status", offer, status="Presented")
        return
    with pytest.raises(Invalid, match="must be approved"):
        quote(shop, "set_status", offer, status="Presented")
    for status in ("Needs Review", "In Review"):
        quote(shop, "set_status", offer, status=status)
    with pytest.raises(Invalid, match="cannot become Presented"):
        quote(shop, "set_status", offer, status="Presented")
    quote(shop, "set_status", offer, status="Approved", by=PRIYA)
    assert quote(shop, "set_status", offer, status="Presented")["status"] == "Presented"


def test_crm_7_only_a_manager_above_or_a_vice_president_approves(shop: World, offer: str) -> None:
    for status in ("Needs Review", "In Review"):
        quote(shop, "set_status", offer, status=status)
    for status in ("Approved", "Rejected"):
        with pytest.raises(Forbidden, match="manager above"):
            quote(shop, "set_status", offer, status=status)
        with pytest.raises(Forbidden, match="manager above"):
            quote(shop, "set_status", offer, status=status, by=ADA)
    quote(shop, "set_status", offer, status="Rejected", by=PRIYA)
    assert shop.history(offer)[-1] == ("status", "In Review", "Rejected")


def test_crm_7_the_flow_of_statuses(shop: World, offer: str) -> None:
    with pytest.raises(Invalid, match="it can become Needs Review or Presented"):
        quote(shop, "set_status", offer, status="Accepted")
    for status in ("Presented", "Denied", "Draft", "Presented", "Accepted"):
        quote(shop, "set_status", offer, status=status)
    with pytest.raises(Invalid, match="final"):
        quote(shop, "set_status", offer, status="Draft")


def test_what_was_shown_stays_as_it_was(shop: World, offer: str) -> None:
    quote(shop, "sync", offer)
    quote(shop, "set_status", offer, status="Presented")
    line = quote_lines(shop, offer)[0]["id"]
    for attempt in (
        lambda: change_line(shop, line, quantity="1"),
        lambda: remove_line(shop, line),
        lambda: change_line(shop, lines(shop, KESTREL)[0]["id"], quantity="1"),
        lambda: add(shop, KESTREL, VALVE, "1"),
        lambda: shop.update(offer, {"tax_percent": "5"}),
        lambda: shop.update(offer, {"shipping": "5"}),
    ):
        with pytest.raises(Invalid, match="is Presented; set it back to Draft"):
            attempt()
    shop.update(offer, {"name": "Offer, signed"})
    quote(shop, "set_status", offer, status="Draft")
    change_line(shop, line, quantity="1")


def test_crm_9_g_holds_on_quotes(shop: World, offer: str) -> None:
    with pytest.raises(Invalid, match="vice president"):
        _line(shop, offer, "31")
    _line(shop, offer, "31", by=PRIYA)
    quote(shop, "sync", offer)  # what she gave may be carried over
    assert lines(shop, KESTREL)[0]["discount_bp"] == 3_100


def test_expiration_contact_and_tax_are_checked(shop: World, offer: str) -> None:
    with pytest.raises(Invalid, match="expire in the past"):
        shop.update(offer, {"expires_on": "2031-03-13"})
    with pytest.raises(Invalid, match="from 0 to 100"):
        shop.update(offer, {"tax_percent": "101"})
    with pytest.raises(Invalid, match="cannot be negative"):
        shop.update(offer, {"shipping": "-1"})
    shop.update(offer, {"expires_on": "2031-04-13", "contact_id": MARTA, "tax_percent": "19"})
    got = shop.ask("get", id=offer)["record"]
    assert (got["tax_percent"], got["tax"], got["contact.name"]) == ("19", "635.53", "Marta Ilić")


def test_x_7_quotes_are_locked_by_their_version(shop: World, offer: str) -> None:
    shop.update(offer, {"name": "Better offer"}, by=PRIYA)
    for action, more in (("sync", {}), ("unsync", {}), ("set_status", {"status": "Presented"})):
        with pytest.raises(Conflict, match="Priya Raman"):
            quote(shop, action, offer, row_version=1, **more)
    with pytest.raises(Conflict):
        shop.update(offer, {"name": "Mine"}, row_version=1)


def test_x_10_quotes_go_with_their_opportunity(shop: World, offer: str) -> None:
    assert shop.ids("quote") == shop.ids("quote", by=PRIYA) == [offer]
    assert shop.ids("quote", by=LUIS) == []
    with pytest.raises(NotFound):
        quote(shop, "sync", offer, by=LUIS)
    with pytest.raises(Forbidden, match="may not create quotes"):
        new_quote(shop, KESTREL, by=ROWAN)
    assert shop.ids("quote", scope="mine") == [offer]


def test_crm_10_a_deleted_quote_is_no_longer_synced(shop: World, offer: str) -> None:
    quote(shop, "sync", offer)
    shop.delete(offer)
    assert (shop.ids("quote"), shop.record(KESTREL)["amount"]) == ([], 334_491)
    change_line(shop, lines(shop, KESTREL)[0]["id"], quantity="1")
    shop.undelete(offer)
    assert shop.record(offer)["is_synced"] == 0
    assert shop.record(offer)["subtotal"] == 334_491


def test_crm_10_quotes_go_and_come_back_with_their_deal_and_its_account(shop: World, offer: str) -> None:
    quote(shop, "sync", offer)
    alone = new_quote(shop, KESTREL, "Deleted before")
    shop.delete(alone)
    for root in (KESTREL, ALDERCROFT):
        by = DANA if root == KESTREL else ADA
        shop.delete(root, by=by)
        assert shop.record(offer)["delete_batch"] == root
        assert shop.ids("quote") == []
        assert offer in shop.ids("quote", deleted=True, by=by)
        with pytest.raises(Invalid, match="bring that back first"):
            shop.undelete(offer, by=by)
        shop.undelete(root, by=by)
        assert (shop.record(offer)["is_synced"], shop.record(alone)["is_deleted"]) == (1, 1)


def test_i5_a_deleted_contact_is_cleared_from_quotes_and_put_back(shop: World, offer: str) -> None:
    shop.update(offer, {"contact_id": MARTA})
    shop.delete(MARTA)
    assert shop.record(offer)["contact_id"] is None
    shop.undelete(MARTA)
    assert shop.record(offer)["contact_id"] == MARTA


def test_crm_14_quotes_are_found_by_number_name_and_company(shop: World, offer: str) -> None:
    for text in ("Q-00001", "offer", "aldercroft"):
        groups = {group["object"]: group for group in shop.ask("search", text=text)["groups"]}
        assert [row["id"] for row in groups["quote"]["rows"]] == [offer]


def test_crm_11_a_quotes_status_and_total_are_tracked(shop: World, offer: str) -> None:
    change_line(shop, quote_lines(shop, offer)[1]["id"], quantity="26")
    quote(shop, "set_status", offer, status="Presented")
    assert shop.history(offer) == [("grand_total", "334491", "338391"), ("status", "Draft", "Presented")]
    rows = shop.ask("history", id=offer)["rows"]
    assert {row["new"] for row in rows} == {"3383.91 USD", "Presented"}


def test_related_lists_show_quotes_and_lines(shop: World, offer: str) -> None:
    got = shop.ask("get", id=KESTREL, related=["quotes", "products"])["related"]
    assert (got["quotes"]["total"], got["products"]["total"]) == (1, 3)
    assert shop.ask("get", id=ALDERCROFT, related=["quotes"])["related"]["quotes"]["total"] == 1
    rows = shop.ask("get", id=offer, related=["lines"])["related"]["lines"]["rows"]
    assert [(row["code"], row["quantity"], row["discount_percent"], row["total"]) for row in rows] == [
        ("G-1", "10", "10", "1349.91"),
        ("V-1", "25", "0", "975.00"),
        ("S-1", "1", "15", "1020.00"),
    ]


def test_a_deal_in_another_currency_than_its_old_quote_cannot_be_synced(shop: World) -> None:
    line = add(shop, KESTREL, GAUGE, "1")
    offer = new_quote(shop, KESTREL)
    remove_line(shop, line)
    shop.update(KESTREL, {"currency": "EUR"})
    with pytest.raises(Invalid, match="in EUR now"):
        quote(shop, "sync", offer)


def test_the_quote_tool_says_what_an_action_needs(shop: World, offer: str) -> None:
    with pytest.raises(Invalid, match="set_status needs status"):
        shop.tool("quote", {"action": "set_status", "id": offer})
    with pytest.raises(Invalid, match='Did you mean "sync"'):
        shop.tool("quote", {"action": "sink", "id": offer})
    added = {"action": "add_line", "id": offer, "values": {"product_id": VISIT_DAY, "quantity": "2"}}
    line = shop.tool("quote", added)
    assert (line["total"], line["sum"]) == ("2400.00", "5744.91")
    edit = {
        "action": "edit_line",
        "line_id": line["id"],
        "row_version": line["row_version"],
        "values": {"quantity": "1"},
    }
    assert shop.tool("quote", edit)["sum"] == "4544.91"
    assert shop.tool("quote", {"action": "remove_line", "line_id": line["id"]})["sum"] == "3344.91"


def test_a_won_deals_products_cannot_be_left_without_worth(shop: World) -> None:
    assert shop.record(HARBOUR)["stage"] == "Negotiation/Review"
    line = add(shop, HARBOUR, GAUGE, "1", by=LUIS)
    with pytest.raises(Invalid, match="above 0"):
        change_line(shop, line, by=LUIS, unit_price="0")
