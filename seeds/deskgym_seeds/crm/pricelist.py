"""The price list in time: who set it up, which prices rose of late, and the further price books (CRM-7).

A price that rose was last used before it rose, so that every line fits the list of its day.
"""

from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.kit.money import exponent
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text
from ..organisation import Setting
from .deals import ORDER, Deal
from .ledger import Ids, Oracle, Row
from .reference import Catalogue
from .territories import moment_on

_AGE_DAYS: Final = 880
_RISE_DAYS: Final = 24
_RISES: Final = 5
_PARTNER_CURRENCIES: Final = ("EUR", "USD")
_NOTES: Final = {
    "Partner Price Book": "For resellers and system integrators: hardware at the agreed rate.",
    "Framework Agreements": "For customers with a framework agreement; services included.",
    "Price Book of the Year Before": "Kept for reference; replaced by the standard price book.",
}


class PriceList:
    """Completes the rows of the catalogue."""

    def __init__(self, setting: Setting, ids: Ids, catalogue: Catalogue, oracle: Oracle) -> None:
        self._setting, self._ids, self._catalogue, self._oracle = setting, ids, catalogue, oracle
        self._ops = setting.staff["ops"]
        self._stream = setting.stream("crm_pricebook_entry", "list")
        self._opened = moment_on(self._ops, setting.now.date() - timedelta(days=_AGE_DAYS), self._stream)

    def finish(self, deals: list[Deal]) -> None:
        """Trails, further price books, and the prices that rose."""
        for table, rows in self._catalogue.rows.items():
            for row in rows:
                row |= self._trail(self._opened)
                if table != "crm_pricebook_entry":
                    row["name_norm"] = norm(row["name"])
        self._raise_prices(deals)
        self._further_books()

    def _trail(self, at: datetime) -> Row:
        instant = instant_text(at)
        return {"created_at": instant, "created_by": self._ops.id, "updated_at": instant, "updated_by": self._ops.id}

    def _raise_prices(self, deals: list[Deal]) -> None:
        at = moment_on(self._ops, self._setting.now.date() - timedelta(days=_RISE_DAYS), self._stream)
        rows = {row["id"]: row for row in self._catalogue.rows["crm_pricebook_entry"]}
        late = {line["pricebook_entry_id"] for deal in deals if deal.basket and priced_at(deal) >= at
                for line in deal.basket.lines}  # fmt: skip
        used = {line["pricebook_entry_id"] for deal in deals if deal.basket for line in deal.basket.lines}
        codes = [code for code in self._catalogue.products
                 if self._catalogue.entry(code, "USD")[0] in used
                 and not late & {row["id"] for row in self._entries(code, rows)}]  # fmt: skip
        for code in self._stream.sample(codes, min(len(codes), _RISES)):
            percent = self._stream.uniform_int(3, 7)
            for row in self._entries(code, rows):
                unit = int(10 ** exponent(row["currency"]))
                row["unit_price"] = max(1, row["unit_price"] * (100 + percent) // 100 // unit) * unit
                row |= {"updated_at": instant_text(at), "row_version": 2}
                self._oracle.note("price_rose", "crm_pricebook_entry", row["id"],
                                  handling="new lines take the new price; existing lines keep theirs")  # fmt: skip

    def _entries(self, code: str, rows: dict[str, Row]) -> list[Row]:
        wanted = rows[self._catalogue.entry(code, "USD")[0]]["product_id"]
        return [row for row in rows.values() if row["product_id"] == wanted]

    def _further_books(self) -> None:
        standard = list(self._catalogue.rows["crm_pricebook_entry"])
        families = {row["id"]: row["family"] for row in self._catalogue.rows["crm_product"]}
        for name, note in _NOTES.items():
            old = name.startswith("Price Book")
            at = moment_on(self._ops, self._setting.now.date() - timedelta(days=_AGE_DAYS - 30), self._stream)
            book = {"id": self._ids.new("crm_pricebook"), "name": name, "name_norm": norm(name), "description": note,
                    "is_standard": 0, "is_active": int(not old), **self._trail(at)}  # fmt: skip
            self._catalogue.rows["crm_pricebook"].append(book)
            for row in standard:
                if self._takes(name, row, families[row["product_id"]]):
                    self._add(book["id"], row, 96 if old else 88 if name.startswith("Partner") else 92, at)

    def _takes(self, name: str, row: Row, family: str) -> bool:
        if row["currency"] not in _PARTNER_CURRENCIES:
            return False
        if name.startswith("Partner"):
            return family not in ("Services",)
        return bool(row["currency"] == ("EUR" if name.startswith("Framework") else "USD"))

    def _add(self, book_id: str, row: Row, percent: int, at: datetime) -> None:
        price = row["unit_price"] * percent // 100
        entry = {"id": self._ids.new("crm_pricebook_entry"), "pricebook_id": book_id, "product_id": row["product_id"],
                 "currency": row["currency"], "unit_price": price, **self._trail(at)}  # fmt: skip
        self._catalogue.rows["crm_pricebook_entry"].append(entry)


def priced_at(deal: Deal) -> datetime:
    """When a deal with a basket was given its prices; its last step where none shows it."""
    for step in deal.steps[1:]:
        if step.stage in ORDER[3:] or step.stage.startswith("Closed"):
            return step.at
    return deal.steps[-1].at
