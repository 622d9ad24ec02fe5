"""Everybody on Harbourstay: the company's people, who travel and of whom a few are hosts, and outsiders."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Final

from deskgym_apps.kit.norm import norm

from ..numbering import Ids, Row
from ..organisation import CORPORATE_CURRENCY, CURRENCIES, Employee, Setting
from ..people import Person, draw_person, personal_mail
from ..places import Country, mobile, places
from ..streams import Stream
from ..tables import lines
from .geography import Geography, Spot
from .names import LANGUAGES, NAMED_CITIES

# People of the company who are hosts as well, with the city and the number of their listings.
STAFF_HOSTS: Final = (
    ("ops", "pittsburgh", 4), ("ae_dach", "hamburg", 6), ("engineer", "ghent", 5), ("lab", "porto", 8),
    ("hr", "los-angeles", 3), ("ae_south", "naples", 4),
)  # fmt: skip
BRANDS: Final = ("Meridia", "Corvane", "Aurelia", "Tessera")
_BEHAVIOURS: Final = ("decline", "insufficient", "3ds_approve", "3ds_fail")


@dataclass(slots=True)
class Member:
    """Somebody on Harbourstay. ``post``: key of a post of the company, else empty; ``home``: city of their listings."""

    id: str
    person: Person
    post: str
    mail: str
    phone: str
    country: Country
    city: str
    zone: str
    joined_on: date
    currency: str
    languages: tuple[str, ...]
    is_host: bool = False
    home: str | None = None
    listings: int = 0
    card: str = ""
    has_left: bool = False

    @property
    def first(self) -> str:
        return self.person.first


class Community:
    """The members of a world: hosts, and all who travel."""

    def __init__(self, setting: Setting, ids: Ids, geography: Geography) -> None:
        self._setting, self._ids, self._geography = setting, ids, geography
        self._taken: set[str] = set()
        self.today = setting.now.date()
        self.staff = [self._employee(one) for one in setting.staff.values()]
        self.hosts = self._staff_hosts()
        self._cities: list[tuple[Spot, int]] = [
            (spot, spot.popularity if len(spot.children) < 3 else spot.popularity * 3 // 2)
            for spot in geography.of_kind("city")
        ]
        while len(self.hosts) < setting.scale.stays.hosts:
            self.hosts.append(self._outsider(len(self.hosts), is_host=True))
        self.guests = [self._outsider(number, is_host=False) for number in range(setting.scale.stays.guests)]
        self.methods = [row for member in self.everybody for row in self._methods(member)]

    @cached_property
    def everybody(self) -> list[Member]:
        """All members, the company's people first."""
        outside = [host for host in self.hosts if not host.post]
        return [*self.staff, *outside, *self.guests]

    @property
    def travellers(self) -> list[Member]:
        """Who books: the company's people and guests, not the other hosts."""
        return [*(one for one in self.staff if not one.has_left), *self.guests]

    def _employee(self, one: Employee) -> Member:
        stream = self._stream("employee", one.post.key)
        seat = places()[one.post.seat]
        joined = max(one.hired_on, self.today - timedelta(days=2200)) - timedelta(days=stream.uniform_int(20, 600))
        currency = seat.country.currency if seat.country.currency in CURRENCIES else CORPORATE_CURRENCY
        self._taken.add(one.mail)
        return Member(
            one.id, one.person, one.post.key, one.mail, one.phone, seat.country, seat.city, one.zone, joined,
            currency, _languages(stream, seat.country), has_left=one.left_on is not None,
        )  # fmt: skip

    def _staff_hosts(self) -> list[Member]:
        by_post = {member.post: member for member in self.staff}
        hosts = []
        for post, city, count in STAFF_HOSTS:
            member = by_post[post]
            member.is_host, member.home, member.listings = True, city, count
            hosts.append(member)
        return hosts

    def _outsider(self, number: int, is_host: bool) -> Member:
        stream = self._stream("host" if is_host else "guest", str(number))
        named = number - len(STAFF_HOSTS)
        forced = is_host and named < len(NAMED_CITIES)
        spot = self._geography.spots[NAMED_CITIES[named]] if forced else stream.weighted(self._cities)
        country = spot.country
        if not is_host and stream.chance(650):
            seat = stream.choice(list(places().values()))
            country, city, zone = seat.country, seat.city, seat.zone
        else:
            city, zone = spot.name, spot.zone
        person = draw_person(stream, country)
        mail = personal_mail(person, stream, self._taken)
        place = spot.address if spot.address is not None and spot.country is country else None
        phone = (
            mobile(place, stream) if place and (country.mobiles or place.telephones) else self._phone(country, stream)
        )
        joined = self.today - timedelta(days=stream.uniform_int(500 if is_host else 420, 2600))
        currency = country.currency if country.currency in CURRENCIES else stream.choice((CORPORATE_CURRENCY, "EUR"))
        member = Member(
            self._ids.new("stays_user"), person, "", mail, phone, country, city, zone, joined, currency,
            _languages(stream, country), is_host, spot.key if is_host else None,
        )  # fmt: skip
        return member

    @staticmethod
    def _phone(country: Country, stream: Stream) -> str:
        return mobile(next(place for place in places().values() if place.country is country), stream)

    def _methods(self, member: Member) -> list[Row]:
        stream = self._stream("card", member.post or member.mail)
        out = [self._card(member, stream, "approve", "4242" if member.post else None, is_default=True)]
        member.card = out[0]["id"]
        if member.post:
            out += [self._card(member, stream, behaviour) for behaviour in _BEHAVIOURS]
            out.append(self._card(member, stream, "approve", expired=True))
            out.append(self._card(member, stream, "approve"))
        return out

    def _card(
        self,
        member: Member,
        stream: Stream,
        behaviour: str,
        last4: str | None = None,
        *,
        is_default: bool = False,
        expired: bool = False,
    ) -> Row:
        months = stream.uniform_int(-15, -2) if expired else stream.uniform_int(9, 50)
        month = self.today.year * 12 + self.today.month - 1 + months
        return {
            "id": self._ids.new("stays_payment_method"), "user_id": member.id, "brand": stream.choice(BRANDS),
            "last4": last4 or f"{stream.uniform_int(0, 9999):04d}", "exp_month": month % 12 + 1,
            "exp_year": month // 12, "behaviour": behaviour, "is_default": int(is_default),
        }  # fmt: skip

    def rows(self) -> list[Row]:
        """Rows of ``stays_user``."""
        return [self._row(member) for member in self.everybody]

    def _row(self, member: Member) -> Row:
        stream = self._stream("profile", member.post or member.mail)
        is_super = member.is_host and stream.chance(330)
        about = stream.choice(lines("stays/hosting.txt")) if member.is_host and stream.chance(800) else None
        year = str(member.joined_on.year)
        minutes = min(stream.lognormal(45, 1200) + 4, 2400)
        return {
            "id": member.id, "person_id": member.id if member.post else None, "first_name": member.person.first,
            "last_name": member.person.last, "name_norm": norm(member.person.name), "email": member.mail,
            "phone": None if stream.chance(60) else member.phone, "country": member.country.name,
            "city": member.city, "tz": member.zone, "languages": _json(member.languages),
            "display_currency": member.currency, "about": about and about.format(city=member.city, year=year),
            "is_host": int(member.is_host), "is_superhost": int(is_super),
            "is_verified": int(member.is_host or stream.chance(720)),
            "response_rate_bp": stream.uniform_int(97, 100) * 100 if is_super
            else stream.uniform_int(72, 100) * 100 if member.is_host else None,
            "response_minutes": minutes if member.is_host else None, "joined_on": member.joined_on.isoformat(),
        }  # fmt: skip

    def _stream(self, *key: str) -> Stream:
        return self._setting.stream("stays_user", *key)


def _languages(stream: Stream, country: Country) -> tuple[str, ...]:
    own = country.locale.split("_")[0]
    spoken = [own] + (["en"] if own != "en" and stream.chance(780) else [])
    spoken += [other for other in LANGUAGES if other not in spoken and stream.chance(70)]
    return tuple(spoken)


def _json(values: Sequence[str]) -> str:
    return "[" + ",".join(f'"{value}"' for value in values) + "]"
