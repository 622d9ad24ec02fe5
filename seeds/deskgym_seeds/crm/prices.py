"""Amounts and product lines: lognormal deal sizes by segment, and baskets of products that add up to them."""

from dataclasses import dataclass
from typing import Final

from deskgym_apps.crm.rules import line_total
from deskgym_apps.kit.money import exponent

from ..organisation import CURRENCIES
from ..streams import Stream
from .ledger import Row
from .reference import Catalogue

# Up to so many employees, the median deal is so many dollars.
_SEGMENTS: Final = ((60, 11_000), (250, 19_000), (1_000, 29_000), (4_000, 43_000), (10**9, 62_000))
_SERVICE_MEDIAN: Final = 12_000
_SIGMA_MILLI: Final = 1_100
_DISCOUNTS: Final = ((0, 44), (500, 18), (800, 10), (1_000, 12), (1_200, 8), (1_500, 6), (1_800, 2))
_EXTRAS: Final = ("QA-1001", "QA-1002", "QA-1010", "QA-1020", "QA-1030", "QA-1040", "QS-2001")


@dataclass(slots=True)
class Basket:
    """The lines of a deal: ``lines`` are rows without ids, ``total`` their sum in minor units."""

    pricebook_id: str
    lines: list[Row]
    main: str
    quantity: int
    discount_bp: int

    @property
    def total(self) -> int:
        """Sum of the rounded lines (X-3)."""
        return sum(line["total"] for line in self.lines)


class Pricing:
    """Deal sizes and baskets from the catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def target(self, employees: int, family: str, stream: Stream) -> int:
        """A deal size in whole dollars, lognormal about the median of the segment."""
        median = next(median for limit, median in _SEGMENTS if employees <= limit)
        if family == "Services":
            median = _SERVICE_MEDIAN
        return min(1_400_000, max(900, stream.lognormal(median, _SIGMA_MILLI)))

    def rounded(self, dollars: int, currency: str) -> int:
        """An estimate in minor units of a currency, rounded as people round."""
        units = dollars * 1_000_000 // CURRENCIES[currency]
        size = len(str(units))
        step = int(10 ** max(0, size - 2)) * (5 if size > 4 else 1) // (10 if size > 4 else 1)
        return max(step, (units + step // 2) // step * step) * int(10 ** exponent(currency))

    def tidy(self, amount: int, currency: str, basket: Basket | None) -> int:
        """A first price: whole units for an estimate, the exact sum for a basket."""
        unit = int(10 ** exponent(currency))
        return amount if basket else amount // unit * unit

    def basket(self, dollars: int, family: str, currency: str, stream: Stream) -> Basket:
        """Products worth about so many dollars: the main product, accessories, calibration, perhaps commissioning."""
        main = self._main(dollars, family, stream)
        price = int(self._catalogue.products[main][4])
        quantity = min(240, max(1, dollars * stream.uniform_int(62, 88) // 100 // price))
        discount = stream.weighted(_DISCOUNTS) if quantity > 3 else 0
        wanted = [(main, quantity, discount)]
        for code in stream.sample(_EXTRAS, stream.uniform_int(1, 4)) if family != "Services" else []:
            wanted.append((code, quantity, 0 if code.startswith("QS") else discount))
        if family != "Services" and stream.chance(350):
            wanted.append(("QS-2020", stream.uniform_int(1, 5), 0))
        if family not in ("Services", "Accessories") and stream.chance(220):
            second = stream.choice([code for code in self._catalogue.family(family) if code != main])
            wanted.insert(1, (second, max(1, quantity // stream.uniform_int(2, 6)), discount))
        lines = [
            self._line(code, count, off, currency, sort) for sort, (code, count, off) in enumerate(wanted, start=1)
        ]
        return Basket(self._catalogue.standard, lines, main, quantity, discount)

    def _main(self, dollars: int, family: str, stream: Stream) -> str:
        codes = self._catalogue.family(family)
        fitting = [code for code in codes if 2 <= dollars // int(self._catalogue.products[code][4]) <= 200]
        return stream.choice(fitting or codes)

    def _line(self, code: str, count: int, discount_bp: int, currency: str, sort: int) -> Row:
        entry_id, price = self._catalogue.entry(code, currency)
        return {
            "pricebook_entry_id": entry_id, "qty_milli": count * 1_000, "list_price": price, "unit_price": price,
            "discount_bp": discount_bp, "total": line_total(count * 1_000, price, discount_bp), "sort": sort,
        }  # fmt: skip
