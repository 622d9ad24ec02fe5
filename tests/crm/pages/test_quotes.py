"""Products, lines and quotes in the pages: each form is one command, and what was typed stands after a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crm.fixture import ADA, DANA, KESTREL, LUIS, PRIYA, build_image
from tests.crm.priced import GAUGE, GAUGE_PRICE, PARTNER, STANDARD, VALVE, priced

from deskgym_apps.kit.call import run

from .conftest import Site

DEAL = f"/crm/opportunities/{KESTREL}"


@pytest.fixture(scope="session")
def page_image() -> bytes:
    return build_image(priced())


def command(site: Site, operation: str, by: str = DANA, **arguments: object) -> dict[str, object]:
    made: dict[str, object] = run(site.store, f"crm.{operation}", arguments, person_id=by, channel="ui")
    return made


@pytest.fixture
def deal(site: Site) -> Site:
    command(site, "create_opportunity_line", opportunity_id=KESTREL, product_id=GAUGE, quantity="10")
    return site


@pytest.fixture
def offer(deal: Site) -> tuple[Site, str]:
    made = command(deal, "create_quote", opportunity_id=KESTREL, name="Offer")
    return deal, f"/crm/quotes/{made['id']}"


def _line(site: Site) -> str:
    return str(site.store.all("SELECT id FROM crm_opportunity_line")[0]["id"])


@pytest.mark.parametrize(
    "path",
    ["/crm/quotes", "/crm/products", "/crm/price-books", "/crm/prices", f"/crm/products/{GAUGE}",
     f"/crm/price-books/{PARTNER}", f"/crm/prices/{GAUGE_PRICE}", f"{DEAL}/lines/new", f"{DEAL}/price-book",
     f"/crm/quotes/new?opportunity_id={KESTREL}"],
)  # fmt: skip
def test_the_pages_of_products_and_quotes_open(site: Site, path: str) -> None:
    assert "<h1" in site.get(path)


def test_set_up_pages_are_for_those_who_may_change_them(site_of: Callable[[str], Site]) -> None:
    for path in ("/crm/products/new", "/crm/price-books/new", f"/crm/prices/new?pricebook_id={PARTNER}"):
        site_of(DANA).get(path, 403)
        assert "<form" in site_of(ADA).get(path)
    assert "New product" not in site_of(DANA).get("/crm/products")
    assert "Delete" not in site_of(ADA).get(f"/crm/products/{GAUGE}")


def test_a_product_is_added_to_a_deal_by_its_name(site: Site) -> None:
    form = site.form(f"{DEAL}/lines/new")
    answer = site.post(f"{DEAL}/lines/new", form | {"product_id__text": "Ball valve", "quantity": "25"})
    assert answer.status_code == 303
    name, arguments = site.command()
    assert (name, arguments) == (
        "crm.create_opportunity_line",
        {"opportunity_id": KESTREL, "product_id": VALVE, "quantity": "25", "row_version": 1},
    )
    page = site.get(DEAL)
    assert "Set by its products." in page
    assert "975.00 USD" in page


def test_another_price_book_can_be_chosen_with_the_first_line(site: Site) -> None:
    form = site.form(f"{DEAL}/lines/new")
    book = {"pricebook_id__text": "Partner Price Book", "product_id__text": "G-1", "quantity": "2"}
    assert site.post(f"{DEAL}/lines/new", form | book).status_code == 303
    assert site.command()[1]["pricebook_id"] == PARTNER
    assert "pricebook_id" not in site.form(f"{DEAL}/lines/new")


def test_x_12_a_refused_line_keeps_what_was_typed(site: Site) -> None:
    form = site.form(f"{DEAL}/lines/new")
    typed = {"product_id__text": "Ball valve", "quantity": "0", "discount_percent": "31", "description": "North gate"}
    answer = site.post(f"{DEAL}/lines/new", form | typed)
    assert answer.status_code == 422
    assert "above 0" in answer.text
    assert "vice president" in answer.text
    assert "North gate" in answer.text
    assert site.commands() == []


def test_a_product_that_is_not_in_the_book_is_not_found(site: Site) -> None:
    form = site.form(f"{DEAL}/lines/new")
    answer = site.post(f"{DEAL}/lines/new", form | {"product_id__text": "Old gauge", "quantity": "1"})
    assert answer.status_code == 422
    assert "nothing is called" in answer.text


def test_the_lookup_of_products_shows_code_and_price(site: Site) -> None:
    found = json.loads(site.get(f"{DEAL}/lines/choices?q=ball"))
    assert found["options"] == [{"id": VALVE, "label": "Ball valve", "detail": "V-1, 39.00 USD"}]


def test_editing_a_line_sends_only_what_was_touched(deal: Site) -> None:
    path = f"{DEAL}/lines/{_line(deal)}"
    form = deal.form(path)
    assert deal.post(path, form | {"discount_percent": "12.5"}).status_code == 303
    name, arguments = deal.commands()[-1]
    assert (name, arguments["values"]) == ("crm.update_opportunity_line", {"discount_percent": "12.5"})
    assert "1,312.41 USD" in deal.get(DEAL)


def test_x_7_a_line_of_a_deal_that_changed_is_a_conflict_that_keeps_the_values(deal: Site) -> None:
    path = f"{DEAL}/lines/{_line(deal)}"
    form = deal.form(path)
    values = {"id": KESTREL, "row_version": 2, "values": {"next_step": "Call"}}
    command(deal, "update_opportunity", PRIYA, **values)
    answer = deal.post(path, form | {"quantity": "77"})
    assert answer.status_code == 409
    assert "Priya Raman" in answer.text
    assert 'value="77"' in answer.text


def test_removing_the_last_line_asks_and_says_what_becomes_of_the_amount(deal: Site) -> None:
    path = f"{DEAL}/lines/{_line(deal)}/remove"
    assert "The amount is then 0" in deal.get(path)
    form = deal.form(path)
    assert deal.post(path, form).status_code == 303
    assert deal.post(path, form).status_code == 303  # the same form again answers like the first
    assert deal.commands()[-1][0] == "crm.delete_opportunity_line"
    assert len(deal.commands()) == 2


def test_crm_7_switching_books_asks_before_the_products_go(deal: Site) -> None:
    path = f"{DEAL}/price-book"
    page = deal.get(path)
    assert "Changing the price book removes it" in page
    form = deal.form(path)
    assert deal.post(path, form | {"pricebook_id__text": "Partner Price Book"}).status_code == 303
    name, arguments = deal.commands()[-1]
    assert (name, arguments["remove_products"]) == ("crm.update_opportunity", True)
    assert "No products on this opportunity." in deal.get(DEAL)


def test_a_new_quote_starts_from_the_deals_page(deal: Site) -> None:
    page = deal.get(DEAL)
    assert f"/crm/quotes/new?opportunity_id={KESTREL}" in page
    path = f"/crm/quotes/new?opportunity_id={KESTREL}"
    form = deal.form(path, "/crm/quotes/new")
    answer = deal.post("/crm/quotes/new", form | {"name": "Spring offer", "tax_percent": "8.25"})
    assert answer.status_code == 303
    arguments = deal.commands()[-1][1]
    assert arguments == {"opportunity_id": KESTREL, "name": "Spring offer", "tax_percent": "8.25"}
    assert "Spring offer" in deal.get(DEAL)


def test_a_quotes_page_shows_its_figures_and_prints(offer: tuple[Site, str]) -> None:
    site, path = offer
    form = site.form(f"{path}/edit")
    assert site.post(f"{path}/edit", form | {"tax_percent": "8.25", "shipping": "45"}).status_code == 303
    assert site.commands()[-1][1]["values"] == {"tax_percent": "8.25", "shipping": "45"}
    for shown in (path, f"{path}/print"):
        page = site.get(shown)
        assert "1,668.64 USD" in page  # 1,499.90 + 123.74 + 45.00
        assert "Q-00001" in page
    assert "Aldercroft Ltd" in site.get(f"{path}/print")
    assert "Leeds" in site.get(f"{path}/print")


def test_a_quote_is_moved_along_its_path_and_told_why_not(offer: tuple[Site, str]) -> None:
    site, path = offer
    form = site.form(path, f"{path}/status")
    answer = site.post(f"{path}/status", form | {"status": "Accepted"})
    assert answer.status_code == 422
    assert "it can become Needs Review or Presented" in answer.text
    assert site.post(f"{path}/status", form | {"status": "Presented"}).status_code == 303
    assert site.commands()[-1][1]["status"] == "Presented"
    assert "Fixed while the quote is Presented." in site.get(path)
    assert "lines/new" not in site.get(path)


def test_approving_is_refused_to_the_owner(offer: tuple[Site, str]) -> None:
    site, path = offer
    for status in ("Needs Review", "In Review"):
        form = site.form(path, f"{path}/status")
        site.post(f"{path}/status", form | {"status": status})
    form = site.form(path, f"{path}/status")
    assert site.post(f"{path}/status", form | {"status": "Approved"}).status_code == 403


def test_syncing_is_asked_and_then_ties_both_sides(offer: tuple[Site, str]) -> None:
    site, path = offer
    assert "1 line of this quote" in site.get(f"{path}/sync")
    assert site.post(f"{path}/sync", site.form(f"{path}/sync")).status_code == 303
    line = _line(site)
    form = site.form(f"{DEAL}/lines/{line}")
    site.post(f"{DEAL}/lines/{line}", form | {"quantity": "4"})
    assert "599.96 USD" in site.get(path)
    assert site.post(f"{path}/unsync", site.form(f"{path}/unsync")).status_code == 303
    assert site.store.all("SELECT is_synced FROM crm_quote") == [{"is_synced": 0}]


def test_quote_lines_are_added_changed_and_removed(offer: tuple[Site, str]) -> None:
    site, path = offer
    form = site.form(f"{path}/lines/new")
    site.post(f"{path}/lines/new", form | {"product_id__text": "Site visit", "quantity": "2"})
    name, arguments = site.commands()[-1]
    assert (name, arguments["quantity"]) == ("crm.create_quote_line", "2")
    made = str(site.store.all("SELECT id FROM crm_quote_line ORDER BY sort DESC")[0]["id"])
    site.post(f"{path}/lines/{made}", site.form(f"{path}/lines/{made}") | {"quantity": "3"})
    assert site.commands()[-1][0] == "crm.update_quote_line"
    assert "3,600.00 USD" in site.get(path)
    site.post(f"{path}/lines/{made}/remove", site.form(f"{path}/lines/{made}/remove"))
    assert site.commands()[-1][0] == "crm.delete_quote_line"


def test_x_10_a_colleague_sees_neither_quote_nor_lines(offer: tuple[Site, str], site_of: Callable[[str], Site]) -> None:
    _, path = offer
    other = site_of(LUIS)
    for page in (path, f"{path}/print", f"{path}/lines/new", f"{DEAL}/lines/new", f"{path}/sync"):
        other.get(page, 404)


def test_a_deleted_quote_is_in_the_bin_and_comes_back(offer: tuple[Site, str]) -> None:
    site, path = offer
    assert site.post(f"{path}/delete", site.form(f"{path}/delete")).status_code == 303
    assert "Offer" in site.get("/crm/recycle-bin")
    form = site.form("/crm/recycle-bin")
    assert site.post("/crm/recycle-bin", form).status_code == 303
    assert "Offer" in site.get(path)


def test_products_prices_and_books_are_set_up_in_the_pages(site_of: Callable[[str], Site], tmp_path: Path) -> None:
    site = site_of(ADA)
    form = site.form("/crm/products/new")
    site.post("/crm/products/new", form | {"name": "Probe", "code": "P-9", "family": "Level"})
    name, arguments = site.commands()[-1]
    assert (name, arguments) == ("crm.create_product", {"name": "Probe", "code": "P-9", "family": "Level"})
    probe = str(site.store.all("SELECT id FROM crm_product WHERE code = 'P-9'")[0]["id"])
    form = site.form(f"/crm/prices/new?product_id={probe}", "/crm/prices/new")
    price = {"pricebook_id__text": "Standard Price Book", "currency": "USD", "unit_price": "12.50"}
    assert site.post("/crm/prices/new", form | price).status_code == 303
    assert site.commands()[-1][1]["pricebook_id"] == STANDARD
    entry = str(site.store.all("SELECT id FROM crm_pricebook_entry WHERE product_id = ?", (probe,))[0]["id"])
    form = site.form(f"/crm/prices/{entry}/edit")
    assert site.post(f"/crm/prices/{entry}/edit", form | {"unit_price": "13"}).status_code == 303
    form = site.form(f"/crm/products/{probe}/edit")
    del form["is_active"]
    assert site.post(f"/crm/products/{probe}/edit", form).status_code == 303
    assert site.commands()[-1][1]["values"] == {"is_active": False}
