"""What texts about a deal or an account may mention: facts of the rows, as they stood at the instant of writing."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.money import format_money

from ..localtime import workday_from
from ..organisation import NAME, OFFICES, Employee, Setting
from ..people import Person
from ..places import Country, places
from ..streams import Stream
from ..tables import cells, sections
from ..text import Voice, phrase, voice_of
from .accounts import Account
from .deals import Deal
from .ledger import Record

COMPETITORS: Final = (
    "Tessaron Messtechnik",
    "Brockhurst Controls",
    "Kitazawa Keiki",
    "Delvaux Capteurs",
    "Sundvall Process",
)
FAMILIES: Final = {
    "Pressure": "pressure transmitters", "Temperature": "thermometers", "Level": "level probes", "Flow": "flow meters",
    "Vibration": "vibration sensors", "Gas Detection": "gas detectors", "Accessories": "spare parts",
    "Services": "service contracts",
}  # fmt: skip
_AREAS: Final = {
    "DE": ("30", "40", "69", "89"),
    "GB": ("20", "28", "29"),
    "AT": ("1",),
    "SE": ("8",),
    "FI": ("9",),
    "PT": ("21", "22"),
}
_AREA_DIGITS: Final = {
    "US": 3,
    "CA": 3,
    "GB": 3,
    "DE": 3,
    "FR": 1,
    "AU": 1,
    "AT": 3,
    "TR": 3,
    "HU": 1,
    "NO": 3,
    "DK": 2,
}
_SOURCES: Final = {
    "Web": "the website", "Phone Inquiry": "a phone call", "Partner Referral": "a partner",
    "Customer Referral": "another customer", "Trade Show": "the trade show", "Purchased List": "a purchased list",
    "Other": "an old contact", None: "the existing contract",
}  # fmt: skip
_LOST_PHRASE: Final = {"Price": 0, "Lost to Competitor": 1, "No Budget": 2, "Timing": 3, "No Decision": 4,
                       "Missing Feature": 5, "Other": 4}  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Customer:
    """A contact as a writer of mails and keeper of working hours."""

    record: Record
    person: Person
    account: Account

    @property
    def zone(self) -> str:
        """The zone of the account's city."""
        return self.account.place.zone

    @property
    def region(self) -> str:
        """EMEA, AMER or APAC."""
        return self.account.place.country.region


def shown_phone(phone: str, country: Country) -> str:
    """An E.164 number with spaces, as it stands in signatures; other texts unchanged."""
    code = f"+{country.calling_code}"
    if not phone.startswith(code) or not phone[1:].isdigit():
        return phone
    rest = phone.removeprefix(code)
    cut = next(
        (len(area) for area in _AREAS.get(country.iso, ()) if rest.startswith(area)), _AREA_DIGITS.get(country.iso, 2)
    )
    return f"{code} {rest[:cut]} {rest[cut : cut + 3]} {rest[cut + 3 :]}".strip()


class Facts:
    """Builds the facts for texts; everything drawn is fixed by the record that the text is about."""

    def __init__(self, setting: Setting, people: dict[str, Person]) -> None:
        self._setting, self._people = setting, people
        self._short = {row[0]: row[2] for row in cells("products.txt")}
        self._by_family: dict[str, list[str]] = {}
        for row in cells("products.txt"):
            self._by_family.setdefault(row[3], []).append(row[0])

    def short_name(self, code: str) -> str:
        """What people call a product."""
        return self._short[code]

    def customer(self, record: Record, account: Account) -> Customer:
        """The person behind a contact."""
        return Customer(record, self._people[record.id], account)

    def of_deal(self, deal: Deal, who: Customer, at: datetime) -> dict[str, str]:
        """Facts about a deal at an instant, for a text to or about one of its contacts."""
        fixed = self._setting.stream("facts", deal.record.id)
        values = deal.record.at(at)
        product = deal.basket.main if deal.basket else fixed.choice(self._by_family[deal.topic.family])
        discount = (
            deal.basket.discount_bp // 100 if deal.basket and deal.basket.discount_bp else fixed.uniform_int(4, 12)
        )
        amount = values["amount"]
        facts = self._of_account(deal.account, who, at, fixed)
        facts |= _of_close(date.fromisoformat(values["close_date"]))
        return facts | {
            "deal": values["name"],
            "topic": deal.topic.phrase,
            "topic_cap": deal.topic.title,
            "product": self._short[product],
            "product_family": FAMILIES[deal.topic.family],
            "qty": str(deal.basket.quantity if deal.basket else fixed.uniform_int(4, 60)),
            "amount": format_money(amount, values["currency"]) if amount else "the figure we discussed",
            "discount": str(discount),
            "discount_low": str(max(2, discount - fixed.uniform_int(2, 5))),
            "lead_source": _SOURCES[values["lead_source"]],
            "lost_phrase": self._lost(deal, facts["competitor"], discount),
        }

    def of_account(self, account: Account, who: Customer, at: datetime, topic: tuple[str, str, str]) -> dict[str, str]:
        """Facts for a text that is about no deal; ``topic`` is title, phrase and product family."""
        fixed = self._setting.stream("facts", account.record.id)
        facts = self._of_account(account, who, at, fixed)
        facts |= _of_close((at + timedelta(days=fixed.uniform_int(40, 120))).date())
        product = fixed.choice(self._by_family[topic[2]])
        discount = fixed.uniform_int(3, 8)
        return facts | {
            "deal": topic[0], "topic": topic[1], "topic_cap": topic[0], "product": self._short[product],
            "product_family": FAMILIES[topic[2]], "qty": str(fixed.uniform_int(8, 140)),
            "amount": "the figure of last year", "discount": str(discount), "discount_low": str(max(2, discount - 2)),
            "lead_source": _SOURCES[None], "lost_phrase": "",
        }  # fmt: skip

    def _lost(self, deal: Deal, competitor: str, discount: int) -> str:
        if deal.lost_reason is None:
            return ""
        line = sections("text/phrases.txt")["lost_phrase"][_LOST_PHRASE[deal.lost_reason]]
        return line.format(competitor=competitor, discount=discount)

    def _of_account(self, account: Account, who: Customer, at: datetime, fixed: Stream) -> dict[str, str]:
        loose = self._setting.stream("facts", who.record.id, at.isoformat())
        soon = workday_from(at.date() + timedelta(days=loose.uniform_int(2, 7)), account.place.country.region)
        others = [one for one in account.contacts if one.id != who.record.id and one.created_at <= at]
        boss = self._people[others[0].id].name if others else "the plant manager"
        owner = account.owner_at(max(at, account.record.created_at))
        return {
            "company": NAME,
            "me_name": owner.person.name,
            "our_city": places()[OFFICES[owner.region]].city,
            "they_first": who.person.called,
            "they_name": who.person.name,
            "they_title": str(who.record.at(at)["title"]),
            "they_company": account.company.brand,
            "they_city": account.place.city,
            "they_boss": boss,
            "site": f"the {account.place.city} plant",
            "industry": account.company.industry,
            "employees": str(account.company.employees),
            "competitor": fixed.choice(COMPETITORS),
            "amount_limit": format_money(fixed.choice((2_500_000, 5_000_000, 10_000_000)), "USD"),
            "po": f"PO-{fixed.uniform_int(10_000, 99_999)}",
            "weeks": str(fixed.uniform_int(3, 11)),
            "boxes": str(fixed.uniform_int(2, 6)),
            "date": long_date((at.date() + timedelta(days=loose.uniform_int(9, 30))).isoformat()),
            "day": _DAYS[soon.weekday()],
        }

    def our_voice(self, employee: Employee) -> Voice:
        """How an employee writes, with the company's signature."""
        seat = places()[employee.post.seat]
        phone = shown_phone(employee.phone, seat.country)
        signature = (employee.person.name, employee.post.title, f"{NAME} | {seat.city}", phone)
        return voice_of(employee.person, signature, self._setting.stream("voice", employee.id))

    def their_voice(self, who: Customer, at: datetime, **fresh: str) -> Voice:
        """How a contact writes; the signature shows title and numbers as they stand, or the ``fresh`` ones."""
        values = who.record.at(at) | fresh
        lines = [who.person.name, str(values["title"]), who.account.company.name]
        for label, name in (("T", "phone"), ("M", "mobile")):
            if values[name]:
                lines.append(f"{label} {shown_phone(values[name], who.account.place.country)}")
        return voice_of(who.person, tuple(lines), self._setting.stream("voice", who.record.id))


def _of_close(day: date) -> dict[str, str]:
    end = (day + timedelta(days=1)).day == 1
    spoken = f"the end of {_MONTHS[day.month - 1]}" if end else f"{day.day} {_MONTHS[day.month - 1]}"
    return {"close_long": spoken, "close_month": _MONTHS[day.month - 1]}


def next_step(facts: dict[str, str], stream: Stream) -> str:
    """What the owner of an open deal wants to do next."""
    return phrase("next_step", facts, stream)
