"""Quotes by simulation: a deal that was priced gets an offer, often a better one, and an answer with its end (CRM-7).

The last offer of a deal is its synced quote and has the deal's lines; what went before differs in a quantity or a
discount. Offers with more than 20 % off went through review.
"""

from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.crm.rules import CLOSED_WON, line_total
from deskgym_apps.crm.rules_quotes import APPROVAL_ABOVE_BP, number_text, totals
from deskgym_apps.kit.dates import add_days
from deskgym_apps.kit.money import exponent
from deskgym_apps.kit.norm import norm

from ..organisation import Employee, Setting
from ..streams import Stream
from .deals import Deal
from .finish import settled
from .ledger import Change, Ids, Oracle, Record, Row
from .pricelist import priced_at
from .territories import moment_after

_QUOTED_PER_MILLE: Final = 430
_REVISED_PER_MILLE: Final = 560
_UNSYNCED_PER_MILLE: Final = 150
_TAX_BP: Final = {"DE": 1_900, "GB": 2_000, "FR": 2_000, "AU": 1_000, "SG": 900, "JP": 1_000, "CA": 500, "CH": 810}
_US_TAX_BP: Final = ((0, 40), (600, 20), (700, 15), (825, 25))
_REVISIONS: Final = (", rev. 2", ", revised", " (2)")
_MANAGERS: Final = {"AMER": "vp_amer", "EMEA": "vp_emea", "APAC": "ae_apac"}


class QuoteMaker:
    """Makes the quotes of a world: ``records`` over time, ``lines`` by quote id."""

    def __init__(self, setting: Setting, ids: Ids, oracle: Oracle) -> None:
        self._setting, self._ids, self._oracle = setting, ids, oracle
        self.records: list[Record] = []
        self.lines: dict[str, list[Row]] = {}
        self._taken: set[datetime] = set()

    def make(self, deals: list[Deal]) -> None:
        """Offers on a share of the deals that have products."""
        for deal in deals:
            stream = self._setting.stream("crm_quote", deal.record.id)
            if deal.basket and len(deal.steps) > 1 and stream.chance(_QUOTED_PER_MILLE):
                self._of_deal(deal, stream)
        self._leave_in_bin()

    def _of_deal(self, deal: Deal, stream: Stream) -> None:
        start, end = priced_at(deal), self._setting.now if deal.is_open else deal.steps[-1].at
        at = start + timedelta(minutes=stream.uniform_int(4, 90), seconds=stream.uniform_int(1, 59))
        if at >= end - timedelta(hours=3):
            return
        name = str(deal.record.at(at)["name"])
        revised = stream.chance(_REVISED_PER_MILLE) and end - at > timedelta(days=6)
        if revised:
            first = self._quote(deal, name, at, self._other_lines(deal, stream), stream)
            at = self._answer_first(deal, first, at, end, stream)
            self._oracle.note("quote_revised", "crm_quote", first.id, handling="the later quote of the deal holds")
            name += stream.choice(_REVISIONS)
            if at >= end - timedelta(hours=1):
                return
        last = self._quote(deal, name, at, list(deal.basket.lines if deal.basket else ()), stream)
        self._finish(deal, last, at, end, stream)

    def _quote(self, deal: Deal, name: str, at: datetime, lines: list[Row], stream: Stream) -> Record:
        while at in self._taken:
            at += timedelta(seconds=1)
        self._taken.add(at)
        quote_id, currency = self._ids.new("crm_quote"), deal.record.values["currency"]
        owner = self._owner(deal, at)
        known = [one.id for one in deal.contacts if one.created_at < at]
        iso = deal.account.place.country.iso
        tax_bp = stream.weighted(_US_TAX_BP) if iso == "US" else _TAX_BP.get(iso, 0)
        subtotal, unit = sum(line["total"] for line in lines), int(10 ** exponent(currency))
        shipping = stream.weighted([(0, 45), (subtotal // 120 // unit * unit, 40), (45 * unit, 15)])
        until = add_days(at.date().isoformat(), stream.choice((30, 30, 45, 60)))
        record = Record("quote", quote_id, at, owner.id, {
            "name": name, "opportunity_id": deal.record.id, "contact_id": known[0] if known else None,
            "status": "Draft", "expires_on": until, "currency": currency, "tax_bp": tax_bp, "shipping": shipping,
            "is_synced": 0, **totals(subtotal, tax_bp, shipping),
        })  # fmt: skip
        self.records.append(record)
        self.lines[quote_id] = lines
        return record

    def _owner(self, deal: Deal, at: datetime) -> Employee:
        owner = deal.owner_at(max(at, deal.record.created_at))
        return self._manager(owner) if owner.left_on and at.date() >= owner.left_on else owner

    def _manager(self, owner: Employee) -> Employee:
        """Who stands above the owner and decides on their quotes."""
        key = _MANAGERS[owner.region]
        return self._setting.staff["cro" if owner.post.key in ("vp_amer", "vp_emea", "ae_apac", "cro") else key]

    def _other_lines(self, deal: Deal, stream: Stream) -> list[Row]:
        """The lines of an earlier offer: fewer pieces, or another discount."""
        lines = [dict(line) for line in (deal.basket.lines if deal.basket else ())]
        kind = stream.weighted([("discount", 55), ("quantity", 30), ("deep", 15)])
        chosen = lines[0]
        if kind == "quantity":
            chosen["qty_milli"] = max(1_000, chosen["qty_milli"] + 1_000 * stream.uniform_int(1, 6))
        elif kind == "deep":
            chosen["discount_bp"] = stream.choice((2_200, 2_500, 2_800))
        else:
            other = [off for off in (0, 300, 500, 700, 1_000, 1_400) if off != chosen["discount_bp"]]
            chosen["discount_bp"] = stream.choice(other)
        chosen["total"] = line_total(chosen["qty_milli"], chosen["unit_price"], chosen["discount_bp"])
        return lines

    def _answer_first(self, deal: Deal, quote: Record, at: datetime, end: datetime, stream: Stream) -> datetime:
        """What became of an offer that was revised later. Returns when the next one could be written."""
        owner = self._owner(deal, at)
        deep = any(line["discount_bp"] > APPROVAL_ABOVE_BP for line in self.lines[quote.id])
        steps = ("Needs Review", "In Review", "Rejected") if deep else ("Presented", "Denied")
        for status in steps[: stream.weighted([(len(steps), 80), (1, 12), (0, 8)])]:
            by = self._manager(owner) if status == "Rejected" else owner
            moment = moment_after(by, at, stream.uniform_int(0, 2), stream)
            if moment >= end - timedelta(hours=2):
                break
            at = moment
            quote.save(at, by.id, status=status)
        return at + timedelta(minutes=stream.uniform_int(7, 240), seconds=stream.uniform_int(1, 50))

    def _finish(self, deal: Deal, quote: Record, at: datetime, end: datetime, stream: Stream) -> None:
        """The offer that holds: synced, presented, and answered as the deal ends."""
        owner = self._owner(deal, at)
        if not stream.chance(_UNSYNCED_PER_MILLE):
            synced = at + timedelta(minutes=stream.uniform_int(1, 25))
            if synced < end:
                quote.save(synced, owner.id, is_synced=1)
                at = synced
        shown = moment_after(owner, at, stream.uniform_int(0, 3), stream)
        if deal.is_open and stream.chance(450):
            return
        if shown >= end:
            shown = at + (end - at) // 2
        quote.save(shown, self._owner(deal, shown).id, status="Presented")
        if not deal.is_open:
            answer = "Accepted" if deal.stage == CLOSED_WON else "Denied"
            quote.save(end + timedelta(seconds=40), deal.steps[-1].by.id, status=answer)

    def _leave_in_bin(self) -> None:
        """A few drafts that their writers deleted of late (CRM-10)."""
        stream = self._setting.stream("crm_quote", "deletions")
        staff = {one.id: one for one in self._setting.staff.values()}
        drafts = [one for one in self.records if one.current["status"] == "Draft" and not one.current["is_synced"]
                  and staff[one.created_by].left_on is None]  # fmt: skip
        for record in stream.sample(drafts, min(len(drafts), 2)):
            latest = max([record.created_at, *(save.at for save in record.saves)])
            at = max(latest, self._setting.now - timedelta(days=9)) + timedelta(hours=stream.uniform_int(1, 30))
            if at < self._setting.now:
                record.deleted = (at, record.created_by, record.id)

    def rows(self, changes: list[Change]) -> dict[str, list[Row]]:
        """Rows of quotes and their lines, numbered in the order of their creation."""
        order = sorted(self.records, key=lambda record: record.created_at)
        numbers = {record.id: number_text(at) for at, record in enumerate(order, start=1)}
        for _ in order:
            self._ids.take("crm_quote.number")
        found = settled(self.records, changes)
        quotes = [row | {"number": numbers[row["id"]], "name_norm": norm(row["name"])} for row in found]
        lines = [
            {"id": self._ids.new("crm_quote_line"), "quote_id": record.id, **line}
            for record in self.records
            for line in self.lines[record.id]
        ]
        return {"crm_quote": quotes, "crm_quote_line": lines}
