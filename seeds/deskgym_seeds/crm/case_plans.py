"""Which cases there are: who asks, about what, when. Everything that numbers depend on is fixed here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ..organisation import Setting
from ..streams import Stream
from .accounts import Account
from .deals import Deal
from .ledger import Record
from .triage import FORMER

# Intent: type of the case, weight, causes that may come out with their weights
INTENTS: Final[dict[str, tuple[str, int, tuple[tuple[str, int], ...]]]] = {
    "drift": ("Technical", 17, (("device", 60), ("config", 25), ("user", 15))),
    "config": ("Technical", 12, (("config", 70), ("user", 30))),
    "howto": ("Technical", 8, (("user", 80), ("papers", 20))),
    "urgent": ("Technical", 5, (("device", 60), ("config", 30), ("user", 10))),
    "cert": ("Calibration", 9, (("papers", 1),)),
    "recal": ("Calibration", 9, (("due", 1),)),
    "wrong_item": ("Delivery", 7, (("wrong", 80), ("user", 20))),
    "late": ("Delivery", 6, (("late", 85), ("wrong", 15))),
    "vat": ("Billing", 10, (("invoice", 85), ("user", 15))),
    "double": ("Billing", 9, (("payment", 80), ("invoice", 20))),
    "return": ("Returns", 8, (("device", 45), ("wrong", 30), ("user", 25))),
}
TERMS: Final = "terms"
DEVICES: Final = ("Pressure", "Temperature", "Level", "Flow")  # product families that cases are about
_QUEUE_OF_TYPE: Final = {"Calibration": "calibration", "Returns": "calibration"}
_PER_ACCOUNT_MILLI: Final = 2_500
_DAYS: Final = 540
_FRESH_PER_QUEUE: Final = 11
_FRESH: Final = {
    "technical": ("drift", "config", "urgent", "howto"),
    "calibration": ("cert", "recal", "return"),
    "billing_eu": ("vat", "double"),
    "billing_other": ("vat", "double"),
}
_READY: Final = 26
_TERMS: Final = 28
_CHILDREN_PER_MILLE: Final = 30
_DUPLICATES: Final = 6


@dataclass(slots=True)
class Plan:
    """A case to come. ``course``: normal, fresh (nobody has it yet), ready (to be closed), terms (asks for figures)."""

    number: int
    at: datetime
    account: Account
    contact: Record
    intent: str
    course: str = "normal"
    deal: Deal | None = None
    parent: "Plan | None" = None
    twin: "Plan | None" = None

    @property
    def type(self) -> str:
        """The type of the case."""
        return "General" if self.intent == TERMS else INTENTS[self.intent][0]

    @property
    def queue(self) -> str:
        """The key of the queue that the assignment rule gives it to."""
        if self.type == "Billing":
            return "billing_eu" if self.account.place.country.region == "EMEA" else "billing_other"
        return _QUEUE_OF_TYPE.get(self.type, "technical")


class Planner:
    """Plans the cases of a world."""

    def __init__(self, setting: Setting, deals: Sequence[Deal]) -> None:
        self._setting, self._deals = setting, deals
        self.plans: list[Plan] = []

    def plan(self, accounts: Sequence[Account]) -> list[Plan]:
        """Every case, in the order of its creation, which is the order of the numbers."""
        able = [one for one in accounts if one.record.values["type"] in ("Customer", "Reseller", FORMER)
                and self._writers(one, self._setting.now - timedelta(days=40))]  # fmt: skip
        able.sort(key=lambda one: (-one.appeal, self._setting.order(one.record.id)))
        total = self._setting.scale.accounts * _PER_ACCOUNT_MILLI // 1000
        special = _FRESH_PER_QUEUE * len(_FRESH) + _READY + _TERMS + _DUPLICATES
        for at in range(total - special):
            self._normal(able, at)
        self._children()
        self._fresh(able)
        self._ready(able)
        self._terms(able)
        self._duplicates()
        self.plans.sort(key=lambda one: (one.at, one.number))
        return self.plans

    def _writers(self, account: Account, before: datetime) -> list[Record]:
        return [one for one in account.contacts if one.created_at < before and one.values["email"] and not one.saves]

    def _add(self, plan: Plan) -> Plan:
        plan.number = len(self.plans)
        self.plans.append(plan)
        return plan

    def _at(self, account: Account, first: int, last: int, stream: Stream) -> datetime:
        """An instant in the hours of the customer, so many days ago."""
        now = self._setting.now
        day = now - timedelta(days=stream.uniform_int(first, last))
        while day.weekday() > 4:
            day -= timedelta(days=1)
        hour = {"AMER": 14, "EMEA": 7, "APAC": 1}[account.place.country.region] + stream.uniform_int(0, 8)
        found = datetime(day.year, day.month, day.day, hour, stream.uniform_int(0, 59), stream.uniform_int(0, 59))
        return found if found < now - timedelta(minutes=50) else found - timedelta(days=1 if day.weekday() else 3)

    def _normal(self, able: Sequence[Account], number: int) -> None:
        stream = self._setting.stream("crm_case", "plan", number)
        for _ in range(20):
            account = able[stream.zipf(len(able), 1_100) - 1]
            at = self._at(account, 1, 9, stream) if number % 10 == 0 else self._at(account, 6, _DAYS, stream)
            writers = self._writers(account, at)
            if writers and at > account.record.created_at:
                break
        else:
            at, writers = self._at(account, 6, 30, stream), self._writers(account, self._setting.now)
        intent = stream.weighted([(name, weight) for name, (_, weight, _) in INTENTS.items()])
        self._add(Plan(0, at, account, stream.choice(writers), intent))

    def _children(self) -> None:
        stream = self._setting.stream("crm_case", "children")
        old = [one for one in self.plans if (self._setting.now - one.at).days > 130]
        for parent in stream.sample(old, len(old) * _CHILDREN_PER_MILLE // 1000):
            at = parent.at + timedelta(days=stream.uniform_int(75, 120), minutes=stream.uniform_int(1, 59))
            self._add(Plan(0, at, parent.account, parent.contact, parent.intent, parent=parent))

    def _fresh(self, able: Sequence[Account]) -> None:
        for queue, intents in _FRESH.items():
            stream = self._setting.stream("crm_case", "fresh", queue)
            fitting = [one for one in able if queue != "billing_eu" or one.place.country.region == "EMEA"]
            fitting = [one for one in fitting if queue != "billing_other" or one.place.country.region != "EMEA"]
            for at in range(_FRESH_PER_QUEUE):
                account = stream.choice(fitting)
                writers = self._writers(account, self._setting.now - timedelta(days=9))
                when = self._at(account, 0, 2, stream)
                self._add(Plan(0, when, account, stream.choice(writers), intents[at % len(intents)], "fresh"))

    def _ready(self, able: Sequence[Account]) -> None:
        stream = self._setting.stream("crm_case", "ready")
        for _ in range(_READY):
            account = able[stream.zipf(len(able), 900) - 1]
            writers = self._writers(account, self._setting.now - timedelta(days=30))
            intent = stream.choice(sorted(INTENTS))
            self._add(Plan(0, self._at(account, 9, 21, stream), account, stream.choice(writers), intent, "ready"))

    def _terms(self, able: Sequence[Account]) -> None:
        """Customers who ask what a contract is worth: their own, or that of somebody else."""
        stream = self._setting.stream("crm_case", TERMS)
        won = [one for one in self._deals if one.stage == "Closed Won" and one.record.current["amount"]]
        here = {one.record.id: one for one in able}
        own = [one for one in won if one.account.record.id in here]
        chosen = stream.sample(own, min(len(own), _TERMS))
        for at, deal in enumerate(chosen):
            asks = deal.account
            if at % 2:
                asks = stream.choice([one for one in able if one.company.brand != deal.account.company.brand])
            writers = self._writers(asks, self._setting.now - timedelta(days=12))
            when = self._at(asks, 2, 6, stream)
            self._add(Plan(0, when, asks, stream.choice(writers), TERMS, TERMS, deal))

    def _duplicates(self) -> None:
        """The same mail sent twice."""
        stream = self._setting.stream("crm_case", "duplicates")
        normal = [one for one in self.plans if one.course == "normal" and one.parent is None]
        for first in stream.sample(normal, _DUPLICATES):
            at = first.at + timedelta(minutes=stream.uniform_int(4, 50))
            self._add(Plan(0, at, first.account, first.contact, first.intent, twin=first))
