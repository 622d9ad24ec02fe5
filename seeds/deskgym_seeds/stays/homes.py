"""Listings: who lets what, where, for how much and by which terms. Prices are lognormal, by city and bedrooms."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.kit.money import exponent
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text
from ..numbering import Ids, Oracle, Row
from ..organisation import CURRENCIES, Setting
from ..places import address
from ..streams import Stream
from .community import Community, Member
from .geography import Geography, Spot, point_within
from .names import NAMED, draw_title, property_types

POLICIES: Final = (("flexible", 30), ("moderate", 28), ("firm", 18), ("strict", 13), ("limited", 11))
_TYPES: Final = (
    ("apartment", 400), ("house", 170), ("studio", 120), ("loft", 70), ("townhouse", 60), ("hotel", 60),
    ("cottage", 50), ("villa", 40), ("guesthouse", 40), ("hostel", 20),
)  # fmt: skip
_BEDROOMS: Final = {
    "studio": ((0, 1),), "apartment": ((1, 46), (2, 38), (3, 16)), "loft": ((1, 60), (2, 40)),
    "house": ((2, 30), (3, 36), (4, 22), (5, 12)), "townhouse": ((2, 45), (3, 40), (4, 15)),
    "cottage": ((1, 40), (2, 45), (3, 15)), "villa": ((3, 40), (4, 34), (5, 18), (6, 8)),
}  # fmt: skip
_ROOM_NAMES: Final = ("double room", "twin room", "family room", "superior room")
_FLOOR_UNITS: Final = 22


@dataclass(slots=True)
class Home:
    """A listing on its way: its row, its host, and what stands in other tables of it."""

    row: Row
    host: Member
    spot: Spot
    city: Spot
    amenities: dict[str, str | None] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    rooms: list[Row] = field(default_factory=list)
    charm: int = 0  # how good stays there are, in thousandths: 0 is ordinary

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def key(self) -> str:
        """What its streams are keyed by."""
        return f"{self.city.key}/{self.row['title']}"


class HomeMaker:
    """Makes the listings of a world, host by host."""

    def __init__(self, setting: Setting, ids: Ids, geography: Geography, community: Community, oracle: Oracle) -> None:
        self._setting, self._ids, self._geography, self._oracle = setting, ids, geography, oracle
        self._community = community
        self._titles: dict[str, set[str]] = {}
        for city, _, title in NAMED:
            self._titles.setdefault(city, set()).add(title)
        self.homes: list[Home] = []

    def make(self) -> list[Home]:
        """Every listing, in the order of hosts."""
        self._share_out()
        outside = 0
        for number, host in enumerate(self._community.hosts):
            for count in range(host.listings):
                named = NAMED[outside] if not host.post and count == 0 and outside < len(NAMED) else None
                self.homes.append(self._home(host, number, count, named))
            outside += not host.post
        self._mess()
        return self.homes

    def _share_out(self) -> None:
        """Everybody who hosts has one listing; the rest goes to few (Zipf)."""
        hosts = [host for host in self._community.hosts if not host.post]
        stream = self._stream("share")
        left = self._setting.scale.stays.listings - sum(host.listings for host in self._community.hosts)
        for host in hosts:
            host.listings = 1
        for _ in range(left - len(hosts)):
            host = hosts[stream.zipf(len(hosts), 450) - 1]
            while host.listings >= 9:
                host = stream.choice(hosts)
            host.listings += 1

    def _home(self, host: Member, number: int, count: int, named: tuple[str, str, str] | None) -> Home:
        stream = self._stream("home", str(number), str(count))
        city = self._city(host, count, stream)
        spot = stream.choice(self._geography.within(city.key))
        possible = set(property_types(city.country.locale))
        kind = named[1] if named else stream.weighted([pair for pair in _TYPES if pair[0] in possible])
        title = named[2] if named else self._title(stream, city, kind)
        row: Row = {"id": self._ids.new("stays_listing"), "host_id": host.id, "title": title}
        home = Home(row, host, spot, city, charm=stream.normal(0, 250))
        self._situate(home, stream)
        self._rooms(home, kind, stream)
        self._prices(home, stream)
        self._terms(home, stream)
        self._history(home, stream, is_listed=named is not None or bool(host.post))
        return home

    def _city(self, host: Member, count: int, stream: Stream) -> Spot:
        spots = self._geography.spots
        home = spots[str(host.home)]
        if count and not host.post and stream.chance(180):
            near = [spot for spot in self._geography.of_kind("city") if spot.country is home.country]
            return stream.choice(near)
        return home

    def _title(self, stream: Stream, city: Spot, kind: str) -> str:
        title = draw_title(stream, city.country.locale, kind, self._titles.setdefault(city.key, set()))
        return f"{title}, {stream.choice(_ROOM_NAMES)}" if kind == "hotel" else title

    def _situate(self, home: Home, stream: Stream) -> None:
        place = home.spot.address
        if place is None:
            raise ValueError(f"{home.spot.key} has no addresses")
        where, (latitude, longitude) = address(place, stream), point_within(home.spot, stream)
        home.row |= {
            "place_id": home.spot.id, "lat_e6": latitude, "lng_e6": longitude, "street": where.street,
            "postcode": where.postcode, "tz": home.city.zone,
        }  # fmt: skip

    def _rooms(self, home: Home, kind: str, stream: Stream) -> None:
        room_type = _room_type(kind, stream)
        bedrooms = stream.weighted(_BEDROOMS.get(kind, ((1, 1),))) if room_type == "entire_home" else 1
        for number in range(bedrooms):
            twin = stream.chance(280) if number else stream.chance(120)
            name = f"Bedroom {number + 1}" if bedrooms > 1 else "Bedroom"
            home.rooms.append(_room(name, double=not twin, single=2 if twin else int(stream.chance(120))))
        if bedrooms == 0:
            home.rooms.append(_room("Studio", bedroom=False, double=True, sofa=int(stream.chance(300))))
        elif room_type == "entire_home" and stream.chance(380):
            home.rooms.append(_room("Living room", bedroom=False, sofa=1))
        if room_type == "shared_room":
            home.rooms = [_room("Dormitory", single=4)]
        beds = sum(room["double_beds"] + room["single_beds"] + room["sofa_beds"] for room in home.rooms)
        sleeps = sum(2 * room["double_beds"] + room["single_beds"] + 2 * room["sofa_beds"] for room in home.rooms)
        most = 1 if room_type == "shared_room" else min(16, sleeps)
        pets = stream.uniform_int(1, 2) if room_type == "entire_home" and stream.chance(290) else 0
        home.row |= {
            "property_type": kind, "room_type": room_type,
            "inventory": _inventory(room_type, stream),
            "max_guests": most, "included_guests": most if stream.chance(480) else max(1, (most + 1) // 2),
            "bedrooms": bedrooms if room_type != "shared_room" else 1, "beds": beds,
            "baths_half": 2 + stream.uniform_int(0, max(0, bedrooms)),
            "max_infants": stream.weighted(((0, 8), (1, 30), (2, 42), (5, 20))),
            "pets_allowed": int(pets > 0), "max_pets": pets,
        }  # fmt: skip

    def _prices(self, home: Home, stream: Stream) -> None:
        row, currency = home.row, home.city.currency
        share = {"entire_home": 100, "hotel_room": 92, "private_room": 52, "shared_room": 24}[row["room_type"]]
        median = (58 + home.city.popularity // 9) * (66 + 30 * row["bedrooms"]) * share // 10_000
        dollars = max(_FLOOR_UNITS, stream.lognormal(median, 270) * (1000 + home.charm // 6) // 1000)
        base = in_currency(dollars, currency)
        weekend = base * stream.uniform_int(108, 128) // 100 if stream.chance(560) else None
        extra = row["included_guests"] < row["max_guests"]
        row |= {
            "currency": currency, "base_price": base,
            "weekend_price": weekend and rounded(weekend, currency),
            "extra_guest_fee": in_currency(stream.uniform_int(8, 26), currency) if extra and stream.chance(850) else 0,
            "cleaning_fee": in_currency(stream.uniform_int(14, 30) + 11 * row["bedrooms"], currency)
            if row["room_type"] == "entire_home" and stream.chance(900) else 0,
            "pet_fee": in_currency(stream.uniform_int(15, 45), currency)
            if row["max_pets"] and stream.chance(600) else 0,
            "weekly_bp": stream.weighted(((0, 40), (500, 20), (1000, 28), (1500, 12))),
            "monthly_bp": stream.weighted(((0, 50), (2000, 25), (3000, 18), (4000, 7))),
        }  # fmt: skip
        early, late = stream.chance(190), stream.chance(210)
        row |= {
            "early_bird_days": stream.choice((45, 60, 90)) if early else None,
            "early_bird_bp": stream.choice((500, 800, 1000)) if early else None,
            "last_minute_days": stream.choice((2, 3, 7)) if late else None,
            "last_minute_bp": stream.choice((500, 1000, 1500)) if late else None,
            "nonrefundable_bp": stream.choice((500, 1000, 1000, 1200)) if stream.chance(340) else None,
        }

    def _terms(self, home: Home, stream: Stream) -> None:
        is_home = home.row["room_type"] == "entire_home"
        small = stream.weighted(((1, 42), (2, 36), (3, 17), (5, 5))) if is_home else 1
        home.row |= {
            "min_nights": small, "max_nights": stream.weighted(((365, 42), (90, 20), (30, 28), (14, 10))),
            "checkin_from": stream.choice(("14:00", "15:00", "15:00", "16:00")),
            "checkin_to": stream.choice(("20:00", "22:00", "23:00")) if stream.chance(520) else None,
            "checkout_by": stream.choice(("10:00", "11:00", "11:00", "12:00")),
            "checkin_weekdays": stream.choice(("6", "56", "15")) if is_home and stream.chance(45) else "1234567",
            "advance_notice_days": stream.weighted(((0, 38), (1, 40), (2, 16), (7, 6))),
            "prep_days": 1 if is_home and stream.chance(90) else 0,
            "window_days": stream.weighted(((365, 70), (180, 20), (90, 10))),
            "instant_book": int(stream.chance(600 if not home.host.post else 330)),
            "policy_code": stream.weighted(POLICIES), "self_checkin": int(is_home and stream.chance(520)),
        }  # fmt: skip

    def _history(self, home: Home, stream: Stream, is_listed: bool) -> None:
        now = self._setting.now
        joined = home.host.joined_on
        ago = stream.uniform_int(30, min(1500, max(60, (now.date() - joined).days - 20)))
        if is_listed or stream.chance(600):
            ago = max(ago, min(520, (now.date() - joined).days - 20))
        listed = now.date() - timedelta(days=ago)
        created = datetime.combine(listed, datetime.min.time()) - timedelta(seconds=stream.uniform_int(90_000, 900_000))
        status = (
            "listed"
            if is_listed
            else stream.weighted((("listed", 945), ("draft", 15), ("snoozed", 20), ("unlisted", 20)))
        )
        saves = stream.uniform_int(0, 7)
        updated = (
            created + timedelta(seconds=stream.uniform_int(3600, max(7200, (ago - 2) * 86_400))) if saves else created
        )
        home.row |= {
            "status": status, "listed_on": None if status == "draft" else listed.isoformat(),
            "created_at": instant_text(created), "updated_at": instant_text(updated), "updated_by": home.host.id,
            "row_version": saves + 1, "title_norm": norm(home.row["title"]), "description": "",
        }  # fmt: skip

    def _mess(self) -> None:
        """Titles with a space too much; namesakes are noted."""
        by_place = {(home.city.key, home.row["title"]): home for home in self.homes}
        for city, _, title in NAMED:
            home = by_place[city, title]
            self._oracle.note("namesake_listing", "stays_listing", home.id, title=title, city=city)
        plain = [home for home in self.homes if not home.host.post and (home.city.key, home.row["title"]) not in
                 {(city, title) for city, _, title in NAMED}]  # fmt: skip
        for home in self._stream("mess").sample(plain, max(3, len(plain) // 80)):
            home.row["title"] += " "
            self._oracle.note("trailing_space", "stays_listing", home.id, column="title")

    def _stream(self, *key: str) -> Stream:
        return self._setting.stream("stays_listing", *key)


def _inventory(room_type: str, stream: Stream) -> int:
    return {"hotel_room": stream.uniform_int(3, 12), "shared_room": 4}.get(room_type, 1)


def _room_type(kind: str, stream: Stream) -> str:
    if kind == "hotel":
        return "hotel_room"
    if kind == "hostel":
        return stream.choice(("shared_room", "private_room"))
    if kind == "guesthouse":
        return "private_room"
    return "private_room" if kind in ("apartment", "house") and stream.chance(210) else "entire_home"


def _room(name: str, bedroom: bool = True, double: bool = False, single: int = 0, sofa: int = 0) -> Row:
    return {
        "name": name, "is_bedroom": int(bedroom), "double_beds": int(double), "single_beds": single, "sofa_beds": sofa,
    }  # fmt: skip


def in_currency(dollars: int, currency: str) -> int:
    """Minor units of a currency for about so many dollars, as hosts round them."""
    minor = dollars * 1_000_000 * 10 ** exponent(currency) // CURRENCIES[currency]
    return rounded(minor, currency)


def rounded(minor: int, currency: str) -> int:
    """To whole units, in yen to hundreds; at least one such step."""
    step = 100
    if exponent(currency) == 0:
        step = 100 if minor >= 1000 else 10
    return max(step, (minor + step // 2) // step * step)
