"""What becomes of visits: answered, confirmed, changed, cancelled by either side, or stayed and paid out.

Every visit becomes a reservation with its price lines, payments, payout and nights; money follows the app's own rules,
so that J1 to J9 hold. Instants are naive UTC.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final

from deskgym_apps.stays.roles.parts import code_text
from deskgym_apps.stays.rules_prices import HOST_FEE_BP, Line, Quote, share
from deskgym_apps.stays.rules_refunds import Booked, Refund, full_refund, penalty_bp, refund_at, seconds_before
from deskgym_apps.stays.rules_stays import applying_policy

from ..localtime import instant_text, local_date, to_utc
from ..numbering import Ids, Oracle, Row
from ..organisation import Setting
from .calendars import CalendarMaker
from .coupons import Coupons
from .pricing import Pricer
from .visits import Planner, Visit

ANSWER: Final = timedelta(hours=24)
CREDIT_BP: Final = 1000
CREDIT_DAYS: Final = 180
_GUEST_REASONS: Final = (
    "Plans changed", "The meeting was moved", "Illness in the family", "Flight cancelled", "Found something closer",
    "Booked the wrong dates",
)  # fmt: skip
_HOST_REASONS: Final = ("Burst pipe in the bathroom", "Heating is out of order", "The flat is being sold")
_STATES: Final = ("confirmed", "completed")


@dataclass(slots=True)
class Change:
    """An alteration that was asked for: from these dates and guests to those of the visit, or to others."""

    at: datetime
    decided: datetime | None
    status: str
    before: tuple[date, date]
    after: tuple[date, date]
    note: str


@dataclass(slots=True)
class Fate:
    """What happens to a visit. ``confirmed``, ``ended`` (cancelled, declined, expired, withdrawn) are instants."""

    status: str
    confirmed: datetime | None = None
    ended: datetime | None = None
    reason: str | None = None
    change: Change | None = None


@dataclass(slots=True)
class Books:
    """Rows by table, as they come."""

    tables: dict[str, list[Row]] = field(
        default_factory=lambda: {
            name: []
            for name in (
                *("stays_reservation", "stays_reservation_night", "stays_price_line", "stays_alteration"),
                *("stays_payment", "stays_payout", "stays_penalty", "stays_credit"),
            )
        }
    )

    def add(self, table: str, row: Row) -> None:
        self.tables[table].append(row)


class Fates:
    """Decides what becomes of visits, by chance."""

    def __init__(self, setting: Setting, planner: Planner) -> None:
        self._now, self._planner = setting.now, planner

    def decide(self, visit: Visit) -> Fate:
        """The fate of a visit that holds its nights; they are given back where it comes to nothing."""
        stream, answered = visit.stream, visit.created
        if not visit.home.row["instant_book"]:
            answered += timedelta(seconds=min(stream.lognormal(9000, 1000) + 240, 82_000))
            turn = stream.uniform_int(1, 1000)
            status = "declined" if turn <= 65 else "expired" if turn <= 95 else "withdrawn" if turn <= 115 else ""
            if status:
                self._planner.release(visit)
                visit.held = False
                return Fate(status, ended=visit.created + ANSWER if status == "expired" else answered)
        return self._cancelled(visit, answered) or self.kept(visit, answered)

    def _cancelled(self, visit: Visit, confirmed: datetime) -> Fate | None:
        stream = visit.stream
        turn, start, end = stream.uniform_int(1, 1000), _checkin(visit), _midnight(visit, visit.checkout)
        if turn <= 14:
            low, high, status, reason = confirmed, start, "cancelled_host", stream.choice(_HOST_REASONS)
        elif turn <= 110:
            low, high = stream.weighted(
                (((confirmed, start), 55), ((max(confirmed, start - timedelta(days=6)), start), 33), ((start, end), 12))
            )
            status, reason = "cancelled_guest", stream.choice(_GUEST_REASONS)
        else:
            return None
        low, high = low + timedelta(hours=1), min(high - timedelta(hours=1), self._now - timedelta(hours=3))
        if low >= high:
            return None
        at = low + timedelta(seconds=stream.uniform_int(0, int((high - low).total_seconds())))
        visit.held, visit.until = False, at
        return Fate(status, confirmed, at, reason)

    def kept(self, visit: Visit, confirmed: datetime) -> Fate:
        """The fate of a visit that nobody cancels."""
        over = visit.checkout < local_date(visit.home.city.zone, self._now)
        fate = Fate("completed" if over else "confirmed", confirmed)
        if visit.stream.chance(75):
            fate.change = self._change(visit, confirmed)
        return fate

    def _change(self, visit: Visit, confirmed: datetime) -> Change | None:
        """One night more, asked for and accepted; or a shift by a day that was not."""
        stream = visit.stream
        low, high = (
            confirmed + timedelta(hours=2),
            min(_checkin(visit) - timedelta(days=4), self._now - timedelta(days=4)),
        )
        if low >= high:
            return None
        at = low + timedelta(seconds=stream.uniform_int(0, int((high - low).total_seconds())))
        decided = at + timedelta(seconds=min(stream.lognormal(9000, 900) + 300, 200_000))
        dates, count = (visit.checkin, visit.checkout), (visit.checkout - visit.checkin).days
        if count > max(2, visit.home.row["min_nights"]) and stream.chance(600):
            before = (visit.checkin, visit.checkout - timedelta(days=1))
            return Change(at, decided, "accepted", before, dates, "Could we stay a night longer?")
        status = stream.choice(("declined", "declined", "withdrawn", "expired"))
        if status == "expired":
            decided = at + timedelta(hours=72)
        shift = timedelta(days=1)
        after = (visit.checkin + shift, visit.checkout + shift)
        return Change(at, decided, status, dates, after, "Would a day later be possible?")


class Bookkeeper:
    """Writes the rows of reservations in the order in which they were made."""

    def __init__(
        self,
        setting: Setting,
        ids: Ids,
        pricer: Pricer,
        coupons: Coupons,
        calendars: CalendarMaker,
        oracle: Oracle,
    ) -> None:
        self._now, self._ids, self._pricer = setting.now, ids, pricer
        self._coupons, self._calendars, self._oracle = coupons, calendars, oracle
        self.books = Books()

    def write(self, fates: Sequence[tuple[Visit, Fate]]) -> None:
        """All rows of the visits; codes follow the instant of creation without gaps."""
        for visit, fate in sorted(fates, key=lambda pair: (pair[0].created, pair[0].home.key, pair[0].guest.mail)):
            self._one(visit, fate)

    def _one(self, visit: Visit, fate: Fate) -> None:
        key, number = self._ids.new("stays_reservation"), self._ids.take("stays_reservation.code")
        visit.status = fate.status
        home, first = visit.home, fate.change if fate.change and fate.change.status == "accepted" else None
        priced = self._pricer.price(visit, dates=first.before if first else None)
        coupon = None
        if fate.change is None and fate.status != "inquiry":
            on = local_date(home.city.zone, visit.created)
            ppm = self._pricer.corporate_ppm(on)
            priced, coupon = self._coupons.try_one(priced, home, visit.guest.id, on, ppm, visit.stream)
        count = (visit.checkout - visit.checkin).days
        is_request = fate.status == "pending" or (fate.confirmed or fate.ended) != visit.created
        asked = visit.created if is_request and fate.status != "inquiry" else None
        visit.row = {
            "id": key, "code": code_text(number), "listing_id": home.id, "guest_id": visit.guest.id,
            "status": fate.status, "checkin": visit.checkin.isoformat(), "checkout": visit.checkout.isoformat(),
            "checkin_from": home.row["checkin_from"], "adults": visit.party.adults, "children": visit.party.children,
            "infants": visit.party.infants, "pets": visit.party.pets, "rate_plan": visit.plan,
            "policy_code": applying_policy(home.row["policy_code"], visit.plan, count),
            "currency": priced.currency, "charge_currency": priced.charge_currency, "fx_rate_ppm": priced.rate_ppm,
            "total": priced.total, "coupon_code": coupon,
            "coupon_amount": -sum(line.charge for line in priced.lines if line.kind == "coupon"), "credit_amount": 0,
            "created_at": instant_text(visit.created), "requested_at": asked and instant_text(asked),
            "expires_at": asked and instant_text(asked + ANSWER),
            "confirmed_at": fate.confirmed and instant_text(fate.confirmed), "cancelled_at": None,
            "cancel_reason": None, "host_note": None, "updated_at": instant_text(visit.created),
            "updated_by": visit.guest.id, "row_version": 1,
        }  # fmt: skip
        self.books.add("stays_reservation", visit.row)
        self._lines(visit, priced.lines, 1, None if fate.status in _STATES else priced)
        self._pay(visit, fate, priced)
        if fate.change is not None:
            priced = self._altered(visit, fate.change, priced)
        self._end(visit, fate, priced)

    def _touch(self, visit: Visit, at: datetime, by: str | None) -> None:
        visit.row |= {"updated_at": instant_text(at), "updated_by": by, "row_version": visit.row["row_version"] + 1}

    def _lines(self, visit: Visit, lines: Sequence[Line], rev: int, detailed: Quote | None = None) -> None:
        for number, line in enumerate(lines, start=1):
            detail = None
            if detailed is not None and line.kind == "nights":
                detail = json.dumps([night.price for night in detailed.nights], separators=(",", ":"))
            self.books.add(
                "stays_price_line",
                {"reservation_id": visit.row["id"], "rev": rev, "pos": number, "kind": line.kind, "label": line.label,
                 "listing_amount": line.amount, "charge_amount": line.charge,
                 "charge_currency": visit.row["charge_currency"], "detail_json": detail},
            )  # fmt: skip

    def _pay(self, visit: Visit, fate: Fate, priced: Quote) -> None:
        if fate.status == "inquiry":
            return
        if visit.row["requested_at"] is None:
            self._payment(visit, "capture", priced.total, visit.created)
            return
        self._payment(visit, "authorise", priced.total, visit.created)
        if fate.confirmed is not None:
            self._payment(visit, "capture", priced.total, fate.confirmed)
            self._touch(visit, fate.confirmed, visit.home.host.id)
        elif fate.ended is not None:
            self._payment(visit, "void", priced.total, fate.ended, fate.status)
            by = {"declined": visit.home.host.id, "withdrawn": visit.guest.id}.get(fate.status)
            self._touch(visit, fate.ended, by)

    def _payment(self, visit: Visit, kind: str, amount: int, at: datetime, reason: str | None = None) -> None:
        self.books.add(
            "stays_payment",
            {"id": self._ids.new("stays_payment"), "reservation_id": visit.row["id"], "method_id": visit.guest.card,
             "kind": kind, "amount": amount, "currency": visit.row["charge_currency"], "status": "succeeded",
             "reason": reason, "at": instant_text(at)},
        )  # fmt: skip

    def _altered(self, visit: Visit, change: Change, priced: Quote) -> Quote:
        """The change request's row, and the second revision where it was accepted."""
        on = local_date(visit.home.city.zone, change.at)
        fresh = self._pricer.price(visit, dates=change.after, asked_on=on, rate_ppm=priced.rate_ppm)
        delta, zone = fresh.total - priced.total, visit.home.city.zone
        start = to_utc(datetime.combine(change.before[0], _clock(visit)), zone)
        self.books.add(
            "stays_alteration",
            {"id": self._ids.new("stays_alteration"), "reservation_id": visit.row["id"],
             "requested_by": visit.guest.id, "checkin": change.after[0].isoformat(),
             "checkout": change.after[1].isoformat(), "adults": visit.party.adults, "children": visit.party.children,
             "infants": visit.party.infants, "pets": visit.party.pets, "charge_currency": priced.charge_currency,
             "new_total": fresh.total, "delta": delta, "status": change.status, "note": change.note,
             "created_at": instant_text(change.at),
             "expires_at": instant_text(min(change.at + timedelta(hours=72), start)),
             "decided_at": change.decided and instant_text(change.decided)},
        )  # fmt: skip
        if change.status != "accepted" or change.decided is None:
            return priced
        if delta:
            self._payment(visit, "capture" if delta > 0 else "refund", abs(delta), change.decided, "alteration")
        self._lines(visit, fresh.lines, 2)
        visit.row["total"] = fresh.total
        self._touch(visit, change.decided, visit.home.host.id)
        return fresh

    def _end(self, visit: Visit, fate: Fate, priced: Quote) -> None:
        if fate.status in _STATES:
            for night in priced.nights:
                self.books.add(
                    "stays_reservation_night",
                    {"listing_id": visit.home.id, "night": night.night, "unit": visit.unit,
                     "reservation_id": visit.row["id"], "price": night.price},
                )  # fmt: skip
            self._payout(visit, priced.subtotal)
            if fate.status == "completed":
                self._touch(visit, _midnight(visit, visit.checkout + timedelta(days=1)), None)
        elif fate.status.startswith("cancelled") and fate.ended is not None:
            self._cancel(visit, fate, priced, fate.ended)

    def _cancel(self, visit: Visit, fate: Fate, priced: Quote, at: datetime) -> None:
        booked, by_host = self._booked(visit, priced), fate.status == "cancelled_host"
        refund = full_refund(booked) if by_host else refund_at(booked, instant_text(at))
        self._lines(visit, refund.kept, 2)
        if refund.refund:
            self._payment(visit, "refund", refund.refund, at, "cancelled")
        visit.row |= {
            "total": refund.kept_total, "cancelled_at": instant_text(at), "cancel_reason": fate.reason,
        }  # fmt: skip
        self._touch(visit, at, visit.home.host.id if by_host else visit.guest.id)
        self._payout(visit, refund.gross)
        if by_host:
            self._host_pays(visit, booked, priced, refund, at)

    def _booked(self, visit: Visit, priced: Quote) -> Booked:
        row = visit.row
        return Booked(
            policy=row["policy_code"], checkin=row["checkin"], checkout=row["checkout"], party=visit.party,
            tz=visit.home.city.zone, booked_at=row["confirmed_at"], checkin_at=instant_text(_checkin(visit)),
            nights=tuple(night.price for night in priced.nights), lines=priced.lines,
            taxes=self._pricer.taxes(visit.home, visit.checkin), currency=priced.currency,
            charge_currency=priced.charge_currency, rate_ppm=priced.rate_ppm,
        )  # fmt: skip

    def _payout(self, visit: Visit, gross: int) -> None:
        fee, due = share(gross, HOST_FEE_BP), visit.checkin + timedelta(days=1)
        paid = due <= local_date(visit.home.city.zone, self._now)
        status = "cancelled" if gross == 0 else "paid" if paid else "scheduled"
        at = instant_text(_midnight(visit, due)) if status == "paid" else None
        self.books.add(
            "stays_payout",
            {"id": self._ids.new("stays_payout"), "host_id": visit.home.host.id, "reservation_id": visit.row["id"],
             "gross": gross, "host_fee": fee, "net": gross - fee, "currency": visit.row["currency"],
             "due_on": due.isoformat(), "status": status, "paid_at": at},
        )  # fmt: skip

    def _host_pays(self, visit: Visit, booked: Booked, priced: Quote, refund: Refund, at: datetime) -> None:
        """STAY-5: penalty, credit for the guest, and closed nights where the place has one unit."""
        bp, row = penalty_bp(seconds_before(booked, instant_text(at))), visit.row
        self.books.add(
            "stays_penalty",
            {"id": self._ids.new("stays_penalty"), "reservation_id": row["id"], "host_id": visit.home.host.id,
             "percent_bp": bp, "amount": share(priced.accommodation, bp), "currency": row["currency"],
             "created_at": instant_text(at)},
        )  # fmt: skip
        self.books.add(
            "stays_credit",
            {"id": self._ids.new("stays_credit"), "user_id": visit.guest.id, "kind": "rebooking",
             "reservation_id": row["id"], "amount": share(refund.refund, CREDIT_BP),
             "currency": row["charge_currency"], "created_at": instant_text(at),
             "expires_on": (at.date() + timedelta(days=CREDIT_DAYS)).isoformat()},
        )  # fmt: skip
        if visit.home.row["inventory"] == 1:
            nights = self._calendars.overrides[visit.home.id]
            empty: Row = {"blocked": 1, "price": None, "min_nights": None, "note": None}
            for night in visit.nights:
                nights[night.isoformat()] = nights.get(night.isoformat(), empty) | {"blocked": 1}


def _clock(visit: Visit) -> time:
    return time.fromisoformat(visit.home.row["checkin_from"])


def _checkin(visit: Visit) -> datetime:
    return to_utc(datetime.combine(visit.checkin, _clock(visit)), visit.home.city.zone)


def _midnight(visit: Visit, day: date) -> datetime:
    return to_utc(datetime.combine(day, datetime.min.time()), visit.home.city.zone)
