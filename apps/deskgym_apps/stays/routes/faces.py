"""What Harbourstay's templates draw: cards, prices, calendars, guests, ratings. Text as people read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...kit.dates import add_days, month_end, parse_date
from ...kit.web.display import DAYS, MONTHS, full_date


@dataclass(frozen=True, kw_only=True)
class Photo:
    """One picture: its address and what it shows."""

    url: str
    alt: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """A listing in results, wishlists and lists. `name` tells it from others of one title."""

    id: str
    href: str
    title: str
    name: str
    kind: str
    place: str
    photo: Photo
    facts: str = ""
    rating: str = ""
    reviews: int = 0
    price: str = ""
    unit: str = "a night"
    total: str = ""
    badge: str = ""
    is_saved: bool = False
    save_href: str = ""
    note: str = ""


@dataclass(frozen=True)
class PriceLine:
    """One line of a price; `amount` is written with its currency."""

    label: str
    amount: str
    kind: str = ""
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Price:
    """A price as it is made up, with its total and what it means in another currency."""

    lines: tuple[PriceLine, ...]
    total: str
    nights: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Bar:
    """One bar of the ratings: its label, value as text, and hundredths of its length."""

    label: str
    value: str
    length: int


@dataclass(frozen=True, kw_only=True)
class Day:
    """One cell of a calendar. `name` says date, weekday and state in full (STAY-15); `href` chooses it."""

    date: str
    number: int
    name: str
    state: str = ""
    href: str = ""
    text: str = ""
    is_outside: bool = False
    is_today: bool = False
    is_chosen: bool = False


@dataclass(frozen=True)
class Month:
    """One month of a calendar as weeks of seven days, from Monday."""

    title: str
    weeks: tuple[tuple[Day, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Night:
    """What a calendar says of one date: its state in words, and what stands beneath its number."""

    state: str
    words: str
    text: str = ""
    href: str = ""


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """Months side by side, with the way to those before and after."""

    label: str
    months: tuple[Month, ...]
    status: str = ""
    back_href: str = ""
    on_href: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def month_of(first: str, nights: dict[str, Night], *, today: str, chosen: Sequence[str] = ()) -> Month:
    """The month that begins on `first` (YYYY-MM-01). `nights`: what is known, by date; `chosen`: first and last day."""
    start = add_days(first, -parse_date(first).weekday())
    last = month_end(first)
    weeks = []
    day = start
    while day <= last:
        week = []
        for _ in range(7):
            week.append(_day(day, nights, today, chosen, is_outside=not first <= day <= last))
            day = add_days(day, 1)
        weeks.append(tuple(week))
    moment = parse_date(first)
    return Month(f"{MONTHS[moment.month - 1]} {moment.year}", tuple(weeks))


def _day(day: str, nights: dict[str, Night], today: str, chosen: Sequence[str], *, is_outside: bool) -> Day:
    night = nights.get(day) or Night(state="past" if day < today else "unknown", words="not shown")
    is_chosen = bool(chosen) and chosen[0] <= day <= chosen[-1]
    told = [full_date(day), night.words]
    if day == today:
        told.append("today")
    if chosen and day == chosen[0]:
        told.append("check-in")
    elif len(chosen) > 1 and day == chosen[-1]:
        told.append("check-out")
    elif is_chosen:
        told.append("in your stay")
    return Day(
        date=day,
        number=parse_date(day).day,
        name=", ".join(part for part in told if part),
        state=night.state,
        href="" if is_outside else night.href,
        text="" if is_outside else night.text,
        is_outside=is_outside,
        is_today=day == today,
        is_chosen=is_chosen and not is_outside,
    )


def first_of(day: str, months: int = 0) -> str:
    """The first day of the month so many months after that of a date."""
    moment = parse_date(day)
    index = moment.year * 12 + moment.month - 1 + months
    return f"{index // 12:04d}-{index % 12 + 1:02d}-01"


def short_date(day: str, *, year: bool = False) -> str:
    """`2027-05-14` -> `Fri 14 May`, and with `year` `Fri 14 May 2027`."""
    moment = parse_date(day)
    told = f"{DAYS[moment.weekday()][:3]} {moment.day} {MONTHS[moment.month - 1][:3]}"
    return f"{told} {moment.year}" if year else told


def span(checkin: str, checkout: str) -> str:
    """`14–18 May 2027` of a stay; months and years where they differ."""
    a, b = parse_date(checkin), parse_date(checkout)
    if (a.year, a.month) == (b.year, b.month):
        return f"{a.day}–{b.day} {MONTHS[b.month - 1]} {b.year}"
    first = f"{a.day} {MONTHS[a.month - 1]}" + (f" {a.year}" if a.year != b.year else "")
    return f"{first} – {b.day} {MONTHS[b.month - 1]} {b.year}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1, "night"` -> `1 night`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@dataclass(frozen=True, kw_only=True)
class Guests:
    """Who comes along, as a search or a form holds it; texts, since what was typed stands again."""

    adults: str = "1"
    children: str = "0"
    infants: str = "0"
    pets: str = "0"
    errors: dict[str, str] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """`2 guests, 1 infant`."""
        numbers = [int(t) if t.isascii() and t.isdigit() and len(t) < 4 else 0 for t in (self.adults, self.children)]
        told = [counted(sum(numbers), "guest")]
        for text, one in ((self.infants, "infant"), (self.pets, "pet")):
            if text.isascii() and text.isdigit() and 0 < len(text) < 4 and int(text):
                told.append(counted(int(text), one))
        return ", ".join(told)
