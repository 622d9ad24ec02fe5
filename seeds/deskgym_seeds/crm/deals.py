"""Opportunities by simulation: created, moved through the stages with delays, pushed, and won, lost or still open.

A deal is simulated into the future and cut at the reset instant; what has not closed by then is open. Stage moves
set probability and forecast category to the stage's defaults (CRM-1); closing sets the close date as the rule says.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from deskgym_apps.crm.rules import AMOUNT_REQUIRED_FROM, CLOSED_LOST, CLOSED_WON

from ..localtime import local_date
from ..organisation import Employee, Setting
from ..streams import Stream
from ..tables import sections
from ..text import phrase
from .accounts import Account
from .ledger import Ids, Oracle, Record, Row
from .prices import Basket, Pricing
from .reference import PICKLISTS, STAGES
from .territories import Territories, moment_after, moment_on

DEFAULTS: Final = {name: (probability, category) for name, probability, category in STAGES}
ORDER: Final = tuple(name for name, _, _ in STAGES[:8])
_LOSSES_PER_MILLE: Final = dict(zip(ORDER, (45, 90, 75, 65, 50, 50, 130, 140), strict=True))
_MEDIAN_WORKDAYS: Final = dict(zip(ORDER, (13, 9, 12, 11, 8, 9, 13, 12), strict=True))
_REASONS: Final = (
    ("Price", 30), ("Lost to Competitor", 20), ("No Budget", 17), ("Timing", 12), ("No Decision", 10),
    ("Missing Feature", 6), ("Other", 5),
)  # fmt: skip
_AGAIN: Final = (", phase 2", ", extension", ", line 2", ", second site")
_TYPES: Final = (("New Business", 42), ("Expansion", 30), ("Replacement", 28))
_SOURCES: Final = tuple(zip(PICKLISTS["opportunity", "lead_source"], (24, 13, 11, 19, 22, 5, 6), strict=True))
_OVERDUE_PER_MILLE: Final = 120
_WITHOUT_AMOUNT_PER_MILLE: Final = 60
_JUDGED_PER_MILLE: Final = 70


@dataclass(frozen=True, slots=True)
class Topic:
    """What a deal is about: a title, the phrase used in sentences, and the product family."""

    title: str
    phrase: str
    family: str


@dataclass(frozen=True, slots=True)
class Step:
    """The deal entered a stage at an instant, by somebody."""

    at: datetime
    stage: str
    by: Employee


@dataclass(slots=True)
class Deal:
    """An opportunity in the making. ``steps`` are the stages entered so far, ``basket`` its lines if any."""

    record: Record
    account: Account
    topic: Topic
    steps: list[Step]
    owners: list[tuple[datetime, Employee]]
    lost_reason: str | None = None
    basket: Basket | None = None
    contacts: list[Record] = field(default_factory=list)

    @property
    def stage(self) -> str:
        """The stage at the reset instant."""
        return self.steps[-1].stage

    @property
    def is_open(self) -> bool:
        """Whether the deal is neither won nor lost."""
        return not self.stage.startswith("Closed")

    def owner_at(self, instant: datetime) -> Employee:
        """The owner at an instant."""
        return [owner for start, owner in self.owners if start <= instant][-1]


def topics(industry: str) -> list[Topic]:
    """What companies of an industry buy sensors for; the general topics come last."""
    found = sections("topics.txt")
    rows = (line.split("|") for line in found.get(industry, ()) + found["Any"])
    return [Topic(*(cell.strip() for cell in row)) for row in rows]


class DealMaker:
    """Makes the opportunities of a world."""

    def __init__(self, setting: Setting, ids: Ids, territories: Territories, pricing: Pricing, oracle: Oracle) -> None:
        self._setting, self._ids, self._territories = setting, ids, territories
        self._pricing, self._oracle = pricing, oracle
        self._names: set[str] = set()
        self.deals: list[Deal] = []
        self.roles: list[Row] = []

    def make(self, accounts: list[Account]) -> list[Deal]:
        """Every deal: accounts by appeal, most of them with several."""
        stream = self._setting.stream("crm_opportunity", "spread")
        able = [one for one in accounts if one.contacts and one.record.created_at < self._setting.now - timedelta(9)]
        pairs = [(account, account.appeal) for account in able]
        for number in range(self._setting.scale.opportunities):
            self._add(stream.weighted(pairs), number)
        self._leave_overdue()
        for deal in self.deals:
            self._push(deal)
            self._finish_amounts(deal)
        self._leave_without_amount()
        self._set_probabilities()
        return self.deals

    def _add(self, account: Account, number: int) -> None:
        stream = self._setting.stream("crm_opportunity", number)
        topic = self._topic(account, stream)
        created_at, owner = self._arrival(account, stream)
        renewal = topic.family == "Services"
        name = self._name(account, topic, created_at)
        record = Record("opportunity", self._ids.new("crm_opportunity"), created_at, owner.id, {})
        deal = Deal(record, account, topic, [Step(created_at, ORDER[0], owner)], [(created_at, owner)])
        plan = created_at.date() + timedelta(days=stream.uniform_int(35, 75) if renewal else stream.uniform_int(30, 85))
        record.values |= {
            "name": name,
            "account_id": account.record.id,
            "stage": ORDER[0],
            "amount": None,
            "currency": account.record.values["currency"],
            "close_date": _planned(plan, stream).isoformat(),
            "type": "Renewal" if renewal else stream.weighted(_TYPES),
            "lead_source": None if renewal else stream.weighted(_SOURCES),
            "owner_id": owner.id,
        }
        for start, successor in account.owners:
            if start > created_at:
                deal.owners.append((start, successor))
        self._run(deal, renewal, stream)
        self._hand_over(deal)
        self._contacts(deal, stream)
        self.deals.append(deal)

    def _topic(self, account: Account, stream: Stream) -> Topic:
        general = set(topics(""))
        pairs = [(topic, 6 if topic in general else 16) for topic in topics(account.company.industry)]
        had = {deal.topic for deal in self.deals if deal.account is account}
        return stream.weighted([(topic, max(1, weight // 8) if topic in had else weight) for topic, weight in pairs])

    def _name(self, account: Account, topic: Topic, created_at: datetime) -> str:
        fiscal = (created_at.year + (created_at.month >= 2)) % 100
        title = f"{topic.title} FY{fiscal:02d}" if topic.family == "Services" else topic.title
        name = f"{account.company.brand} – {title}"
        for more in (f" FY{fiscal:02d}", *_AGAIN, *(f", lot {number}" for number in range(2, 99))):
            if name not in self._names:
                break
            name = f"{account.company.brand} – {title}{more}"
        self._names.add(name)
        return name

    def _arrival(self, account: Account, stream: Stream) -> tuple[datetime, Employee]:
        opened, now = account.record.created_at, self._setting.now
        span = (now - opened).days - 3
        back = min(span, stream.lognormal(95, 700)) if stream.chance(300) else stream.uniform_int(3, max(4, span))
        day = max(opened.date() + timedelta(days=2), (now - timedelta(days=3 + max(0, back))).date())
        owner = account.owner_at(max(opened, datetime(day.year, day.month, day.day)))
        if owner.left_on and day >= owner.left_on - timedelta(days=3):
            owner = self._territories.superior(owner)
        at = moment_on(owner, day, stream)
        if at <= opened or at >= now - timedelta(hours=30):
            at = moment_after(owner, opened, 1, stream)
        return at, owner

    def _run(self, deal: Deal, renewal: bool, stream: Stream) -> None:
        at, current = deal.record.created_at, ORDER[0]
        pace = stream.uniform_int(60, 150)
        while True:
            owner = deal.owner_at(at)
            wait = max(1, stream.lognormal(_MEDIAN_WORKDAYS[current], 750) * pace // 100)
            at = moment_after(owner, at, wait, stream)
            if at >= self._setting.now - timedelta(minutes=40):
                return
            owner = self._actor(deal, at)
            losses = _LOSSES_PER_MILLE[current] // (3 if renewal else 1)
            if stream.chance(losses):
                self._close(deal, at, owner, CLOSED_LOST, stream)
                return
            following = self._following(current, renewal, stream)
            if following == CLOSED_WON:
                self._close(deal, at, owner, CLOSED_WON, stream)
                return
            self._move(deal, at, owner, following)
            current = following

    def _actor(self, deal: Deal, at: datetime) -> Employee:
        owner = deal.owner_at(at)
        return self._territories.superior(owner) if owner.left_on and at.date() >= owner.left_on else owner

    def _following(self, current: str, renewal: bool, stream: Stream) -> str:
        position = ORDER.index(current)
        if position == len(ORDER) - 1:
            if stream.chance(60):
                return ORDER[position - 1]
            return CLOSED_WON
        if renewal and position < 5:
            return ORDER[6]
        step = 2 if position < 6 and stream.chance(210) else 1
        return ORDER[position + step]

    def _move(self, deal: Deal, at: datetime, by: Employee, stage: str, **values: Any) -> None:
        deal.record.save(at, by.id, stage=stage, **values)
        deal.steps.append(Step(at, stage, by))

    def _close(self, deal: Deal, at: datetime, by: Employee, stage: str, stream: Stream) -> None:
        values: Row = {}
        if stage == CLOSED_LOST:
            deal.lost_reason = stream.weighted(_REASONS)
            values["lost_reason"] = deal.lost_reason
            if deal.lost_reason == "Other":
                values["lost_detail"] = phrase("lost_detail", {}, stream)
        self._move(deal, at, by, stage, **values)

    def _hand_over(self, deal: Deal) -> None:
        kept = deal.owners[:1]
        for start, owner in deal.owners[1:]:
            if self._closed_at(deal) is None or start < self._closed_at(deal):  # type: ignore[operator]
                deal.record.save(start + timedelta(seconds=20), self._territories.superior(owner).id, owner_id=owner.id)
                kept.append((start + timedelta(seconds=20), owner))
        deal.owners = kept
        if deal.account.stale and deal.is_open and deal.owners[-1][1].left_on:
            self._oracle.note("stale_owner", "crm_opportunity", deal.record.id,
                              handling="give to the account manager of the territory")  # fmt: skip

    def _closed_at(self, deal: Deal) -> datetime | None:
        return None if deal.is_open else deal.steps[-1].at

    def _contacts(self, deal: Deal, stream: Stream) -> None:
        known = [one for one in deal.account.contacts if one.created_at < deal.record.created_at]
        known = known or deal.account.contacts[:1]
        deal.contacts = stream.sample(known, min(len(known), stream.weighted([(1, 40), (2, 40), (3, 20)])))
        roles = stream.sample(PICKLISTS["opportunity_contact_role", "role"], len(deal.contacts))
        for number, (contact, role) in enumerate(zip(deal.contacts, roles, strict=True)):
            self.roles.append({"opportunity_id": deal.record.id, "contact_id": contact.id, "role": role,
                               "is_primary": int(number == 0)})  # fmt: skip

    def _leave_overdue(self) -> None:
        stream = self._setting.stream("crm_opportunity", "overdue")
        running = [deal for deal in self.deals if deal.is_open]
        old = [deal for deal in running if (self._setting.now - deal.record.created_at).days > 40]
        for deal in stream.sample(old, min(len(old), len(running) * _OVERDUE_PER_MILLE // 1000)):
            self._oracle.note("overdue_open", "crm_opportunity", deal.record.id,
                              handling="close date may stay; a new one must not lie in the past")  # fmt: skip

    def _push(self, deal: Deal) -> None:
        stream = self._setting.stream("crm_opportunity", deal.record.id, "pushes")
        today = self._setting.now.date()
        overdue = deal.record.id in self._oracle.keys("overdue_open")
        limit = local_date(deal.steps[-1].by.zone, deal.steps[-1].at) if not deal.is_open else today
        current = date.fromisoformat(deal.record.values["close_date"])
        if overdue and current >= today:
            first = deal.record.created_at.date() + timedelta(days=14)
            current = first + timedelta(days=stream.uniform_int(0, max(1, (today - first).days - 2)))
            deal.record.values["close_date"] = current.isoformat()
        while current < limit:
            pushed = self._push_moment(deal, current, stream)
            following = _planned(max(current, pushed.date()) + timedelta(days=stream.uniform_int(10, 36)), stream)
            if pushed >= self._setting.now or (not deal.is_open and pushed >= deal.steps[-1].at):
                break
            if overdue and following >= today:
                break
            deal.record.save(pushed, self._actor(deal, pushed).id, close_date=following.isoformat())
            current = following
        self._set_close_date(deal, current, limit, overdue)

    def _push_moment(self, deal: Deal, current: date, stream: Stream) -> datetime:
        owner = deal.owner_at(max(deal.record.created_at, datetime(current.year, current.month, current.day)))
        day = current - timedelta(days=stream.uniform_int(0, 6))
        if owner.left_on and day >= owner.left_on:
            owner = self._territories.superior(owner)
        at = moment_on(owner, day, stream)
        return at if at > deal.record.created_at else moment_after(owner, deal.record.created_at, 1, stream)

    def _set_close_date(self, deal: Deal, current: date, limit: date, overdue: bool) -> None:
        if not deal.is_open and current != limit:
            deal.record.save(deal.steps[-1].at, deal.steps[-1].by.id, close_date=limit.isoformat())
        if deal.is_open and current < limit and not overdue:
            at = self._setting.now - timedelta(hours=3, minutes=len(deal.steps))
            if at > deal.record.created_at:
                later = (limit + timedelta(days=30)).isoformat()
                deal.record.save(at, self._actor(deal, at).id, close_date=later)

    def _finish_amounts(self, deal: Deal) -> None:
        stream = self._setting.stream("crm_opportunity", deal.record.id, "amount")
        currency = deal.record.values["currency"]
        target = self._pricing.target(deal.account.company.employees, deal.topic.family, stream)
        reached = {step.stage for step in deal.steps}
        estimate = self._pricing.rounded(target * stream.uniform_int(70, 125) // 100, currency)
        if stream.chance(620):
            deal.record.values["amount"] = estimate
        priced = reached & {"Value Proposition", *ORDER[6:], CLOSED_WON}
        if priced and stream.chance(930):
            deal.basket = self._pricing.basket(target, deal.topic.family, currency, stream)
        final = deal.basket.total if deal.basket else self._pricing.rounded(target, currency)
        self._price_steps(deal, target, estimate, final, stream)

    def _price_steps(self, deal: Deal, target: int, estimate: int, final: int, stream: Stream) -> None:
        priced = False
        needed = ORDER.index(AMOUNT_REQUIRED_FROM)
        for step in deal.steps[1:]:
            if step.stage in ORDER[2:3] and deal.record.values["amount"] is None and stream.chance(700):
                self._save_amount(deal, step, estimate)
            late = step.stage == CLOSED_WON or (step.stage in ORDER and ORDER.index(step.stage) >= needed)
            if not priced and (late or (deal.basket and step.stage in ORDER[3:])):
                priced = True
                first = final * 104 // 100 if not deal.basket and stream.chance(350) else final
                self._save_amount(deal, step, self._pricing.tidy(first, deal.record.values["currency"], deal.basket))
            elif priced and step.stage in (*ORDER[7:], CLOSED_WON):
                self._save_amount(deal, step, final)
            elif not priced and deal.record.at(step.at)["amount"] is not None and stream.chance(420):
                estimate = self._pricing.rounded(
                    target * stream.uniform_int(75, 130) // 100, deal.record.values["currency"]
                )
                self._save_amount(deal, step, estimate)
        values = deal.record.current
        if deal.basket:
            deal.record.save(
                _just_before(deal), deal.steps[-1].by.id, amount=final, pricebook_id=deal.basket.pricebook_id
            )
        elif values["amount"] is None and deal.stage != ORDER[0] and deal.is_open:
            deal.record.save(_just_before(deal), deal.steps[-1].by.id, amount=estimate)
        elif values["amount"] is None:
            deal.record.values["amount"] = estimate

    def _save_amount(self, deal: Deal, step: Step, amount: int) -> None:
        deal.record.save(step.at, step.by.id, amount=amount)

    def _leave_without_amount(self) -> None:
        stream = self._setting.stream("crm_opportunity", "without_amount")
        needed = set(ORDER[6:]) | {CLOSED_WON}
        early = [deal for deal in self.deals if not deal.basket and not needed & {step.stage for step in deal.steps}]
        wanted = len(self.deals) * _WITHOUT_AMOUNT_PER_MILLE // 1000
        for deal in stream.sample(early, min(len(early), wanted)):
            deal.record.values["amount"] = None
            for save in deal.record.saves:
                save.values.pop("amount", None)
            self._oracle.note("amount_missing", "crm_opportunity", deal.record.id,
                              handling="leave empty; counts as no amount, not as zero")  # fmt: skip

    def _set_probabilities(self) -> None:
        stream = self._setting.stream("crm_opportunity", "probability")
        moved = [deal for deal in self.deals if deal.is_open and len(deal.steps) > 2]
        judged = {deal.record.id for deal in stream.sample(moved, max(1, len(moved) * _JUDGED_PER_MILLE // 1000))}
        for deal in self.deals:
            deal.record.values |= _defaults(ORDER[0])
            for save in deal.record.saves:
                if "stage" in save.values:
                    save.values.update(_defaults(save.values["stage"]))
            if deal.record.id in judged:
                current = DEFAULTS[deal.stage][0]
                chosen = max(5, min(95, current + (stream.choice((-20, -10, -5, 5)) if current > 20 else 5)))
                at = deal.steps[-1].at + timedelta(minutes=stream.uniform_int(2, 20))
                if at < self._setting.now:
                    deal.record.save(at, deal.steps[-1].by.id, probability=chosen)


def _defaults(stage: str) -> Row:
    probability, category = DEFAULTS[stage]
    return {"probability": probability, "forecast_category": category}


def _planned(day: date, stream: Stream) -> date:
    """People plan for ends of months, mid-months and Fridays."""
    kind = stream.weighted([("end", 42), ("middle", 13), ("friday", 20), ("day", 25)])
    if kind == "end":
        following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
        return following - timedelta(days=1)
    if kind == "middle":
        return day if day.day > 15 else day.replace(day=15)
    if kind == "friday":
        return day + timedelta(days=(4 - day.weekday()) % 7)
    return day


def _just_before(deal: Deal) -> datetime:
    """An instant right after the last step of an open deal, or with the last step of a closed one."""
    return deal.steps[-1].at if len(deal.steps) > 1 else deal.record.created_at + timedelta(minutes=3)
