"""Quotes and products: an offer with given lines, two offers compared, lines of a deal put right (CRM-7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from deskgym_apps.crm.rules import line_total
from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import format_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Comparator, Money, RefTo, TextEq
from deskgym_graders.expected import answer_spec, changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Insert, Submission, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_SEASONS = ("Spring", "Summer", "Autumn", "Winter", "Line", "Plant", "Starter", "Retrofit")
_THINGS = ("bundle", "package", "kit", "set")


@dataclass(frozen=True)
class _Wanted:
    """One line of an offer: a product at its price, how many, and the discount in percent."""

    product: Row
    entry: Row
    quantity: int
    percent: int

    @property
    def total(self) -> int:
        """The line's total in minor units (I4)."""
        return line_total(self.quantity * 1000, self.entry["unit_price"], self.percent * 100)

    @property
    def columns(self) -> dict[str, Any]:
        """What a line of a deal or a quote holds of it."""
        price = self.entry["unit_price"]
        return {
            "pricebook_entry_id": self.entry["id"],
            "qty_milli": self.quantity * 1000,
            "list_price": price,
            "unit_price": price,
            "discount_bp": self.percent * 100,
        }

    @property
    def values(self) -> dict[str, str]:
        """What a tool is given of it."""
        given = {"product_id": self.product["id"], "quantity": str(self.quantity)}
        return given | ({"discount_percent": str(self.percent)} if self.percent else {})


@per_world
def _sold(world: Store, currency: str) -> list[tuple[Row, Row]]:
    """Products named once that are sold at a standard price in a currency, with that price."""
    standard = next(row["id"] for row in picks.every(world, "crm_pricebook") if row["is_standard"])
    prices = {
        row["product_id"]: row
        for row in picks.every(world, "crm_pricebook_entry")
        if row["pricebook_id"] == standard and row["currency"] == currency and row["is_active"]
    }
    rows = [row for row in picks.every(world, "crm_product") if row["is_active"] and row["id"] in prices]
    return [(row, prices[row["id"]]) for row in picks.named_once(world, "crm_product", rows)]


@per_world
def _lines(world: Store) -> dict[str, list[Row]]:
    """The lines of each opportunity, in order."""
    found: dict[str, list[Row]] = {}
    for line in sorted(picks.every(world, "crm_opportunity_line"), key=lambda line: (line["sort"], line["id"])):
        found.setdefault(str(line["opportunity_id"]), []).append(line)
    return found


@per_world
def _bare(world: Store) -> list[Row]:
    """Open deals of active owners that have neither products nor quotes."""
    quoted = {row["opportunity_id"] for row in picks.every(world, "crm_quote")}
    return [row for row in picks.workable(world) if row["id"] not in _lines(world) and row["id"] not in quoted]


def _draw_lines(world: Store, stream: Stream, currency: str, percent: int) -> list[_Wanted]:
    """Three kinds of hardware with the discount, then a service without."""
    sold = _sold(world, currency)
    hardware = [pair for pair in sold if pair[0]["family"] != "Services"]
    services = [pair for pair in sold if pair[0]["family"] == "Services"]
    chosen = [(pair, percent) for pair in stream.sample(hardware, 3)] + [(stream.choice(services), 0)]
    counts = stream.sample(range(2, 60), len(chosen))
    return [_Wanted(*pair, count, off) for (pair, off), count in zip(chosen, counts, strict=True)]


def _listed(lines: Iterable[_Wanted]) -> str:
    return "; ".join(f"{line.quantity} of {line.product['name']}" for line in lines)


def _rows(table: str, holder: Mapping[str, Any], lines: list[_Wanted]) -> tuple[Insert, ...]:
    return tuple(expected_row(table, **holder, **line.columns, sort=at) for at, line in enumerate(lines, start=1))


def _offer(made: Call, lines: list[_Wanted], then: str = "sync") -> tuple[Call, ...]:
    """The quote, its lines one by one, and the syncing."""
    calls, version = [made], Var("q.row_version")
    for at, line in enumerate(lines):
        args = {"action": "add_line", "id": Var("q.id"), "row_version": version, "values": line.values}
        calls.append(Call("crm_quote", args, f"l{at}"))
        version = Var(f"l{at}.row_version")
    if then:
        calls.append(Call("crm_quote", {"action": then, "id": Var("q.id"), "row_version": version}))
    return tuple(calls)


def _by_the_deal(deal: Row, made: Call, lines: list[_Wanted]) -> tuple[Call, ...]:
    """The products on the opportunity first; the quote then takes them over."""
    calls, version = list[Call](), deal["row_version"]
    for at, line in enumerate(lines):
        values = {"opportunity_id": deal["id"], "row_version": version, **line.values}
        calls.append(Call("crm_create", {"object": "opportunity_line", "values": values}, f"p{at}"))
        version = Var(f"p{at}.row_version")
    sync = {"action": "sync", "id": Var("q.id"), "row_version": Var("q.row_version")}
    return (*calls, made, Call("crm_quote", sync))


@template("crm/quote-bundle", kind="mutate", level=3)
def quote_bundle(world: Store, stream: Stream) -> Draft:
    """Make a quote with given lines, a discount on hardware only, and sync it."""
    deal = picks.draw(stream, _bare(world), "open deal without products and quotes")
    percent, days = stream.uniform_int(5, 20), stream.choice((14, 21, 30, 45, 60))
    lines = _draw_lines(world, stream, deal["currency"], percent)
    name = f"{stream.choice(_SEASONS)} {stream.choice(_THINGS)} {stream.uniform_int(100, 999)}"
    until = add_days(picks.today(world, deal["owner_id"]), days)
    given = {"opportunity_id": deal["id"], "name": name, "expires_on": until}
    made = Call("crm_quote", {"action": "create", "values": given}, "q")
    standard = lines[0].entry["pricebook_id"]
    quote = expected_row("crm_quote", **given, currency=deal["currency"], is_synced=1, save_as="quote")
    amount = sum(line.total for line in lines)
    moved = changed("crm_opportunity", deal["id"], amount=Money(amount, deal["currency"]), pricebook_id=standard)
    everywhere = [_Wanted(line.product, line.entry, line.quantity, percent) for line in lines]
    return Draft(
        instruction=f'Make a quote "{name}" on the opportunity "{deal["name"]}", valid until {long_date(until)}, with '
        f"these lines in this order, at their list prices from the standard price book: {_listed(lines)}. Give "
        f"{percent} "
        "% off the hardware, and nothing off services. There is no tax, no shipping and no contact on it, and it "
        "stays a "
        "draft. Make it the synced quote, so that the opportunity has the same products and their sum as its amount.",
        person_id=deal["owner_id"],
        expectation=Expectation(
            any_of=(
                (
                    quote,
                    *_rows("crm_quote_line", {"quote_id": RefTo("quote")}, lines),
                    *_rows("crm_opportunity_line", {"opportunity_id": deal["id"]}, lines),
                    moved,
                ),
            )
        ),
        oracle=_offer(made, lines),
        variants=(
            Variant("the products on the opportunity first", _by_the_deal(deal, made, lines)),
            Variant("the discount on the service as well", _offer(made, everywhere), reason="WRONG_VALUE"),
            Variant("not synced", _offer(made, lines, then=""), reason="MISSING"),
            Variant("the last line forgotten", _offer(made, lines[:-1]), reason="WRONG_VALUE"),
        ),
        distractors=(
            picks.distract("other open deals", "crm_opportunity", (r for r in _bare(world) if r["id"] != deal["id"])),
        ),
        because={
            "currency": "a quote is in the currency of its opportunity",
            "pricebook_entry_id": "the standard price of the product in that currency",
            "list_price": "that price",
            "unit_price": "that price",
            "amount": "the sum of the lines",
            "pricebook_id": "the standard price book, as said",
            "opportunity_id": "the opportunity that is named",
            "sort": "in this order",
            "is_synced": "it is to be the synced quote",
            "discount_bp": "the discount is given in percent, and for hardware alone",
            "qty_milli": "the pieces of each line, in thousandths",
        },
    )


@per_world
def _revised(world: Store) -> list[tuple[Row, Row, Row]]:
    """Deals named once with exactly two live quotes: the deal, the earlier quote and the later one."""
    by_deal: dict[str, list[Row]] = {}
    for row in picks.live(world, "crm_quote"):
        by_deal.setdefault(str(row["opportunity_id"]), []).append(row)
    deals = picks.named_once(world, "crm_opportunity", picks.live(world, "crm_opportunity"))
    found = []
    for deal in deals:
        quotes = sorted(by_deal.get(str(deal["id"]), ()), key=lambda row: str(row["number"]))
        if len(quotes) == 2 and quotes[0]["grand_total"] != quotes[1]["grand_total"]:
            found.append((deal, quotes[0], quotes[1]))
    return found


_PLACES = ("first", "second", "third")


@template("crm/quote-revised", kind="answer", level=2, revision=2)
def quote_revised(world: Store, stream: Stream) -> Draft:
    """Tell the revised quotes of three deals and by how much their grand totals differ from the first ones."""
    deals = _revised(world)
    chosen = stream.sample(deals, len(_PLACES))
    kept = [quote for _, *quotes in chosen for quote in quotes]
    rest = [quote for _, *quotes in deals for quote in quotes if quote not in kept]

    def answer(column: str, sign: int = 1) -> dict[str, str]:
        """Numbers and changes, each of a deal in its own currency."""
        told = {}
        for place, (deal, first, second) in zip(_PLACES, chosen, strict=True):
            told[f"{place}_number"] = str(second["number"])
            change = format_amount(sign * (second[column] - first[column]), deal["currency"])
            told[f"{place}_change"] = change.replace(",", "")
        return told

    right = answer("grand_total")
    earlier = {f"{place}_number": str(first["number"]) for place, (_, first, _) in zip(_PLACES, chosen, strict=True)}
    wrong = {
        "subtotals": answer("subtotal"),
        "the other way round": answer("grand_total", -1),
        "the first quotes": right | earlier,
    }
    fields: dict[str, Comparator] = {}
    titles = {}
    for place, (deal, first, second) in zip(_PLACES, chosen, strict=True):
        fields[f"{place}_number"] = TextEq(second["number"])
        fields[f"{place}_change"] = Money(second["grand_total"] - first["grand_total"], deal["currency"])
        titles[f"{place}_number"] = f"Number of the revised quote of the opportunity named {place}"
        titles[f"{place}_change"] = "Its grand total less that of the first quote"
    names = [f'"{deal["name"]}"' for deal, *_ in chosen]
    return Draft(
        instruction=f"The customers of the opportunities {names[0]}, {names[1]} and {names[2]} were each made two "
        "offers, a quote and later a revised one. Hand in the number of each revised quote, and by how much its "
        "grand total "
        "differs from that of the first quote of the same opportunity: a positive number where the revised one is "
        "dearer, a negative one where it is cheaper, in the currency of the quote.",
        person_id=picks.administrator(world),
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=_read(*kept),
        submission=Submission(answer=right),
        variants=(Variant("the last opportunity first", _read(*kept[::-1])),),
        wrong_answers=picks.told_apart(right, wrong),
        distractors=(picks.distract("quotes of other opportunities", "crm_quote", rest),),
    )


def _read(*quotes: Row) -> tuple[Call, ...]:
    return tuple(Call("crm_get", {"id": row["id"]}) for row in quotes)


@per_world
def _correctable(world: Store) -> list[tuple[Row, list[Row]]]:
    """Open deals of active owners with three lines or more of different products, none of them tied to a quote."""
    tied = {row["opportunity_id"] for row in picks.live(world, "crm_quote", is_synced=1)}
    found = []
    for deal in picks.workable(world):
        lines = _lines(world).get(str(deal["id"]), [])
        if (
            deal["id"] not in tied
            and len(lines) > 2
            and len({line["pricebook_entry_id"] for line in lines}) == len(lines)
        ):
            found.append((deal, lines))
    return found


def _product_of(world: Store, line: Row) -> Row:
    entry = next(row for row in picks.every(world, "crm_pricebook_entry") if row["id"] == line["pricebook_entry_id"])
    return next(row for row in picks.every(world, "crm_product") if row["id"] == entry["product_id"])


@template("crm/correct-lines", kind="mutate", level=2)
def correct_lines(world: Store, stream: Stream) -> Draft:
    """Put the quantity of one line of a deal and the discount of another right, so that its amount is right."""
    deal, lines = picks.draw(stream, _correctable(world), "open deal with lines that no quote is tied to")
    more, less = stream.sample(lines, 2)
    pieces = more["qty_milli"] // 1000 + stream.uniform_int(1, 9)
    percent = stream.choice([off for off in range(3, 30) if off * 100 != less["discount_bp"]])
    total = line_total(pieces * 1000, more["unit_price"], more["discount_bp"])
    total += line_total(less["qty_milli"], less["unit_price"], percent * 100)
    names = [_product_of(world, line)["name"] for line in (more, less)]
    untouched = [line for line in lines if line not in (more, less)]
    total += sum(line["total"] for line in untouched)
    others = [line for one, found in _correctable(world) if one["id"] != deal["id"] for line in found]

    def edit(line: Row, version: Any, save_as: str, **values: str) -> Call:
        return Call("crm_update", {"id": line["id"], "row_version": version, "values": values}, save_as)

    counted = edit(more, deal["row_version"], "a", quantity=str(pieces))
    cheaper = edit(less, Var("a.row_version"), "b", discount_percent=str(percent))
    slip = edit(more, deal["row_version"], "s", quantity=str(pieces + 1))
    mended = edit(more, Var("s.row_version"), "a", quantity=str(pieces))
    swapped = (
        edit(less, deal["row_version"], "a", quantity=str(pieces)),
        edit(more, Var("a.row_version"), "b", discount_percent=str(percent)),
    )
    first_off = edit(less, deal["row_version"], "b", discount_percent=str(percent))
    then_count = edit(more, Var("b.row_version"), "a", quantity=str(pieces))
    return Draft(
        instruction=f'The products of the opportunity "{deal["name"]}" are not what we agreed on. It is {pieces} '
        f"pieces of {names[0]}, and the discount on {names[1]} is {percent} percent. Correct these two lines, so that "
        "the amount of the opportunity is right; do not remove them, and leave their prices and the other lines as "
        "they are.",
        person_id=deal["owner_id"],
        expectation=Expectation(
            any_of=(
                (
                    changed("crm_opportunity_line", more["id"], qty_milli=pieces * 1000),
                    changed("crm_opportunity_line", less["id"], discount_bp=percent * 100),
                    changed("crm_opportunity", deal["id"], amount=Money(total, deal["currency"])),
                ),
            )
        ),
        oracle=(counted, cheaper),
        variants=(
            Variant("the discount first", (first_off, then_count)),
            Variant("one too many, then put right", (slip, mended, cheaper)),
            Variant("the two lines mixed up", swapped, reason="WRONG_VALUE"),
            Variant("the quantity alone", (counted,), reason="WRONG_VALUE"),
        ),
        distractors=(
            picks.distract("lines of other open deals", "crm_opportunity_line", others),
            picks.distract("other lines of the deal", "crm_opportunity_line", untouched),
        ),
        because={
            "amount": "the sum of the lines",
            "qty_milli": "the pieces, in thousandths",
            "discount_bp": "the discount is given in percent",
        },
    )
