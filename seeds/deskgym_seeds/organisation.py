"""The invented company itself: its clock, currencies, offices and people, shared by every app of a world.

Quellmark Instruments makes industrial sensors. Its head office is in Pittsburgh, with sales offices in Hamburg and
Singapore; it reports in US dollars and its fiscal year starts in February.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from deskgym_apps.kit import ids
from deskgym_apps.kit.money import EXPONENTS
from deskgym_apps.kit.norm import norm

from .localtime import instant_text
from .people import Person, ascii_letters, draw_person
from .places import fill, places
from .scales import Scale
from .streams import Stream

NAME: Final = "Quellmark Instruments"
DOMAIN: Final = "quellmark.example"
CORPORATE_CURRENCY: Final = "USD"
FISCAL_START_MONTH: Final = 2
# Corporate (US dollar) units per unit, in millionths, about which the dated rates wander.
CURRENCIES: Final = {
    "USD": 1_000_000, "EUR": 1_105_000, "GBP": 1_282_000, "CHF": 1_148_000, "CAD": 731_000, "AUD": 662_000,
    "SGD": 752_000, "JPY": 6_900,
}  # fmt: skip
OFFICES: Final = {"AMER": "pittsburgh", "EMEA": "hamburg", "APAC": "singapore"}


@dataclass(frozen=True, slots=True)
class Post:
    """A position to be filled: ``key`` is its name inside the seeds, ``seat`` the key of a place."""

    key: str
    title: str
    department: str
    region: str
    seat: str
    hired: tuple[int, int]
    left_days_ago: int | None = None


@dataclass(frozen=True, slots=True)
class Employee:
    """Somebody of the company: the post, the person, the row key in the directory, and the working zone."""

    post: Post
    person: Person
    id: str
    mail: str
    phone: str
    zone: str
    hired_on: date
    left_on: date | None

    @property
    def region(self) -> str:
        """EMEA, AMER or APAC: decides holidays and territory."""
        return self.post.region


@dataclass(frozen=True, slots=True)
class Setting:
    """What every app's rows are made from. ``now`` is the (naive, UTC) instant of reset."""

    scale: Scale
    seed: str
    name: str
    world_key: str
    now: datetime
    staff: dict[str, Employee]
    steady: dict[str, str] = field(default_factory=dict)

    def stream(self, table: str, *key: str | int) -> Stream:
        """The stream of draws for a table, natural key and field of this world, whatever the world key makes of ids."""
        return Stream(self.seed, table, *(self.order(part) if isinstance(part, str) else part for part in key))

    def id_of(self, table: str, number: int, prefix: str) -> str:
        """The opaque id of the ``number``-th row of a table (X-4)."""
        made = ids.opaque(self.world_key, table, number, prefix)
        self.steady[made] = ids.opaque(STEADY_KEY, table, number, prefix)
        return made

    def order(self, key: str) -> str:
        """What draws and orders take in place of an id: the same in every build, so that rows do not move with ids."""
        return self.steady.get(key, key)


STEADY_KEY: Final = "golden"
"""Makes what stands for ids in draws: a world's own key comes from its digest, and would change its rows with it."""

# Days before the reset at which people were hired, as a range; the last posts are not users of the CRM.
_POSTS: Final = (
    Post("cro", "Chief Revenue Officer", "Sales", "AMER", "pittsburgh", (2600, 3600)),
    Post("vp_amer", "Vice President Sales, Americas", "Sales", "AMER", "pittsburgh", (1500, 2600)),
    Post("vp_emea", "Vice President Sales, EMEA", "Sales", "EMEA", "hamburg", (1500, 2600)),
    Post("ae_east", "Account Executive", "Sales", "AMER", "pittsburgh", (1200, 2000)),
    Post("ae_central", "Senior Account Executive", "Sales", "AMER", "chicago", (1200, 2200)),
    Post("ae_west", "Account Executive", "Sales", "AMER", "seattle", (420, 560)),
    Post("ae_dach", "Key Account Manager", "Sales", "EMEA", "hamburg", (1300, 2400)),
    Post("ae_north", "Account Executive", "Sales", "EMEA", "manchester", (950, 1400)),
    Post("ae_south", "Account Executive", "Sales", "EMEA", "milan", (300, 420)),
    Post("ae_apac", "Regional Sales Manager", "Sales", "APAC", "singapore", (1000, 1800)),
    Post("ops", "Sales Operations Manager", "Sales Operations", "AMER", "pittsburgh", (1300, 2200)),
    Post("desk", "Deal Desk Analyst", "Sales Operations", "AMER", "pittsburgh", (500, 900)),
    Post("service", "Service Contracts Coordinator", "Service", "EMEA", "hamburg", (1000, 1600)),
    Post("leaver", "Account Executive", "Sales", "EMEA", "hamburg", (1100, 1500), 47),
    Post("engineer", "Application Engineer", "Engineering", "EMEA", "hamburg", (800, 2200)),
    Post("planner", "Production Planner", "Operations", "AMER", "pittsburgh", (700, 2000)),
    Post("controller", "Financial Controller", "Finance", "AMER", "pittsburgh", (900, 2300)),
    Post("hr", "People Partner", "People", "AMER", "pittsburgh", (600, 1700)),
    Post("lab", "Head of Calibration Laboratory", "Service", "EMEA", "hamburg", (1400, 2500)),
    Post("buyer", "Purchasing Manager", "Operations", "APAC", "singapore", (500, 1500)),
)


def posts(scale: Scale) -> tuple[Post, ...]:
    """The positions of the company; larger scales have more account executives."""
    more = []
    for number in range(scale.users - sum(1 for post in _POSTS if post.department in ("Sales", "Sales Operations"))
                        - 1):  # fmt: skip
        region = ("AMER", "EMEA", "APAC", "EMEA", "AMER")[number % 5]
        more.append(
            Post(f"ae_{number}", "Account Executive", "Sales", region, OFFICES[region], (420 + 9 * number, 2000))
        )
    return _POSTS + tuple(more)


def base_instant(seed: str) -> datetime:
    """The reset instant: a mid-week working afternoon (UTC) in 2027-2033, away from ends of months."""
    stream = Stream(seed, "org_meta", "sim_now")
    day = date(stream.uniform_int(2027, 2033), stream.uniform_int(3, 11), stream.uniform_int(9, 20))
    day += timedelta(days=(stream.uniform_int(1, 3) - day.weekday()) % 7)
    return datetime(day.year, day.month, day.day, 14, stream.uniform_int(5, 50), stream.uniform_int(0, 59))


def staff(scale: Scale, seed: str, world_key: str, now: datetime) -> dict[str, Employee]:
    """The people of the company by key of their post; names and addresses are unique."""
    out: dict[str, Employee] = {}
    taken: set[str] = set()
    for number, post in enumerate(posts(scale), start=1):
        stream = Stream(seed, "org_person", post.key)
        while True:
            person = draw_person(stream, places()[post.seat].country)
            parts = (ascii_letters(person.first, person.culture), ascii_letters(person.last, person.culture))
            mail = f"{parts[0]}.{parts[1]}@{DOMAIN}"
            if mail not in taken and len(person.name) < 26:
                break
        taken.add(mail)
        seat = places()[post.seat]
        hired = now.date() - timedelta(days=stream.uniform_int(*post.hired))
        left = None if post.left_days_ago is None else now.date() - timedelta(days=post.left_days_ago)
        key = ids.opaque(world_key, "org_person", number, "PRS")
        phone = fill(stream.choice(seat.telephones), stream)
        out[post.key] = Employee(post, person, key, mail, phone, seat.zone, hired, left)
    return out


def rows(setting: Setting) -> dict[str, list[dict[str, Any]]]:
    """The rows of the shared ``org_`` tables."""
    return {
        "org_meta": _meta(setting),
        "org_currency": [
            {"code": code, "exponent": EXPONENTS[code], "is_corporate": int(code == CORPORATE_CURRENCY)}
            for code in sorted(CURRENCIES)
        ],
        "org_fx_rate": _rates(setting),
        "org_person": [_person(employee) for employee in setting.staff.values()],
    }


def _meta(setting: Setting) -> list[dict[str, Any]]:
    values = {
        "company": NAME,
        "corp_currency": CORPORATE_CURRENCY,
        "fiscal_start_month": str(FISCAL_START_MONTH),
        "sim_now": instant_text(setting.now),
        "world": setting.name,
        "world_key": setting.world_key,
    }
    return [{"key": key, "value": value} for key, value in values.items()]


def rate_history(seed: str, now: datetime) -> dict[str, list[tuple[date, int]]]:
    """Monthly rates by currency for the last 32 months: a slow random walk, oldest first."""
    firsts = []
    for back in range(32, -1, -1):
        months = now.year * 12 + now.month - 1 - back
        firsts.append(date(months // 12, months % 12 + 1, 1))
    out: dict[str, list[tuple[date, int]]] = {}
    for code, rate in CURRENCIES.items():
        stream = Stream(seed, "org_fx_rate", code)
        out[code] = []
        current = rate
        for first in firsts:
            if code != CORPORATE_CURRENCY:
                pull = (rate - current) // 12
                current = max(rate // 2, current + pull + stream.normal(0, rate * 14 // 1000))
            out[code].append((first, current))
    return out


def _rates(setting: Setting) -> list[dict[str, Any]]:
    history = rate_history(setting.seed, setting.now)
    return [
        {"code": code, "valid_from": first.isoformat(), "rate_ppm": rate}
        for code in sorted(history)
        for first, rate in history[code]
        if code != CORPORATE_CURRENCY or first == history[code][0][0]
    ]


def _person(employee: Employee) -> dict[str, Any]:
    seat = places()[employee.post.seat]
    country = seat.country
    currency = country.currency if country.currency in CURRENCIES else CORPORATE_CURRENCY
    return {
        "id": employee.id,
        "first_name": employee.person.first,
        "last_name": employee.person.last,
        "name": employee.person.name,
        "name_norm": norm(employee.person.name),
        "email": employee.mail,
        "phone": employee.phone,
        "title": employee.post.title,
        "department": employee.post.department,
        "city": seat.city,
        "tz": employee.zone,
        "locale": country.locale,
        "currency": currency,
        "hired_on": employee.hired_on.isoformat(),
        "left_on": employee.left_on.isoformat() if employee.left_on else None,
    }
