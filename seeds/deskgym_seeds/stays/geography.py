"""Where listings are: countries, regions, cities, districts and landmarks, their boxes, other names and taxes.

Cities of ``data/places.txt`` are used under the same key; larger worlds take more of them, with quarters of their own.
Positions are in millionths of a degree.
"""

from dataclasses import dataclass, field
from typing import Final

from deskgym_apps.kit.norm import norm

from ..numbering import Ids, Row
from ..organisation import CORPORATE_CURRENCY, CURRENCIES, Setting
from ..places import Country, Place, countries, places
from ..streams import Stream
from ..tables import cells

HALF: Final = {"city": 70_000, "district": 9_000, "landmark": 16_000}
_MARGIN: Final = {"region": 60_000, "country": 150_000}
_TAXED_BEFORE_YEARS: Final = 6
RAISED_TAX: Final = "lisbon"


@dataclass(slots=True)
class Spot:
    """A place: ``parent`` is its key; ``address`` is where addresses of a city or of what lies in it come from."""

    key: str
    id: str
    kind: str
    name: str
    full_name: str
    parent: str | None
    latitude: int
    longitude: int
    box: tuple[int, int, int, int]
    zone: str
    country: Country
    popularity: int
    aliases: tuple[str, ...]
    city: str | None = None
    address: Place | None = None
    children: list[str] = field(default_factory=list)

    @property
    def currency(self) -> str:
        """What listings there are priced in: the country's currency where the world has it, else euro or dollar."""
        if self.country.currency in CURRENCIES:
            return self.country.currency
        return "EUR" if self.country.region == "EMEA" else CORPORATE_CURRENCY


class Geography:
    """Every place of a world by key."""

    def __init__(self, setting: Setting, ids: Ids) -> None:
        self._ids = ids
        self.spots: dict[str, Spot] = {}
        for row in cells("stays/places.txt"):
            self._add(row)
        self._add_more(setting)
        self._close()
        self.year = setting.now.year

    def of_kind(self, kind: str) -> list[Spot]:
        """Places of a kind, in the order they were made."""
        return [spot for spot in self.spots.values() if spot.kind == kind]

    def within(self, key: str) -> list[Spot]:
        """Where a listing of the city may be: the city itself and its districts."""
        return [self.spots[key], *(self.spots[each] for each in self.spots[key].children if self._is_district(each))]

    def landmark(self, key: str) -> Spot | None:
        """The landmark of a city, or None."""
        found = (self.spots[each] for each in self.spots[key].children)
        return next((spot for spot in found if spot.kind == "landmark"), None)

    def line(self, key: str) -> list[str]:
        """The keys of a place and of everything it lies in, innermost first."""
        out = [key]
        while (parent := self.spots[out[-1]].parent) is not None:
            out.append(parent)
        return out

    def _is_district(self, key: str) -> bool:
        return self.spots[key].kind == "district"

    def _add(self, row: tuple[str, ...]) -> None:
        kind, key, parent, name, popularity, others, *rest = row
        aliases = tuple(part.strip() for part in others.split(";") if part.strip())
        above = self.spots.get(parent)
        country = countries()[key] if above is None else above.country
        full = name if above is None else f"{name}, {above.full_name}"
        spot = Spot(
            key, self._ids.new("stays_place"), kind, name, full, parent or None, 0, 0, (0, 0, 0, 0), "", country,
            int(popularity), aliases,
        )  # fmt: skip
        self._situate(spot, above, rest)
        self._put(spot)

    def _situate(self, spot: Spot, above: Spot | None, rest: list[str]) -> None:
        if spot.kind == "city":
            spot.address = self._city(spot, rest)
            spot.zone, spot.city = spot.address.zone, spot.key
            spot.latitude, spot.longitude = spot.address.latitude, spot.address.longitude
        elif above is not None and spot.kind in ("district", "landmark"):
            spot.zone, spot.city, spot.address = above.zone, above.key, above.address
            spot.latitude, spot.longitude = int(rest[0]), int(rest[1])
        if spot.kind in HALF:
            spot.box = _box(spot.latitude, spot.longitude, HALF[spot.kind])

    @staticmethod
    def _city(spot: Spot, rest: list[str]) -> Place:
        known = places().get(spot.key)
        if not rest[0] and known is not None:
            return known
        latitude, longitude, zone, streets, codes = rest
        return Place(
            spot.key, spot.name, None, spot.country, zone, int(latitude), int(longitude), 1, streets,
            tuple(codes.split(",")), (),
        )  # fmt: skip

    def _put(self, spot: Spot) -> None:
        self.spots[spot.key] = spot
        if spot.parent is not None:
            self.spots[spot.parent].children.append(spot.key)

    def _add_more(self, setting: Setting) -> None:
        """Cities of the company's directory, with quarters of common names, until the world has its places."""
        wanted = setting.scale.stays.places
        for key, place in places().items():
            if len(self.spots) >= wanted:
                return
            if key in self.spots:
                continue
            iso = place.country.iso
            if iso not in self.spots:
                self._add(("country", iso, "", place.country.name, "200", "", "", "", "", "", ""))
            self._add(("city", key, iso, place.city, str(60 + 3 * place.weight), "", "", "", "", "", ""))
            for kind, name, north, east in cells("stays/quarters.txt")[:1]:
                if len(self.spots) < wanted:
                    at = (str(place.latitude + int(north)), str(place.longitude + int(east)))
                    self._add((kind, f"{key}-{norm(name)}", key, name, "20", "", *at, "", "", ""))

    def _close(self) -> None:
        """Boxes of regions and countries hold those of what lies in them."""
        for kind in ("city", "region", "country"):
            for spot in self.of_kind(kind):
                inner = [self.spots[key] for key in spot.children]
                if kind != "city":
                    spot.zone = max(inner, key=lambda each: (each.popularity, each.key)).zone
                boxes = [each.box for each in inner] + ([spot.box] if kind == "city" else [])
                spot.box = _hull(boxes, _MARGIN.get(kind, 0))
                if kind != "city":
                    spot.latitude, spot.longitude = (spot.box[0] + spot.box[2]) // 2, (spot.box[1] + spot.box[3]) // 2

    def rows(self) -> dict[str, list[Row]]:
        """Rows of places, other names and taxes; places come before what lies in them."""
        spots = sorted(self.spots.values(), key=lambda spot: len(self.line(spot.key)))
        aliases = {(spot.id, norm(name)) for spot in spots for name in spot.aliases if norm(name) != norm(spot.name)}
        return {
            "stays_place": [self._row(spot) for spot in spots],
            "stays_place_alias": [{"place_id": id_, "alias_norm": name} for id_, name in sorted(aliases)],
            "stays_tax_rule": self._taxes(),
        }

    def _row(self, spot: Spot) -> Row:
        south, west, north, east = spot.box
        return {
            "id": spot.id, "kind": spot.kind, "name": spot.name, "name_norm": norm(spot.name),
            "full_name": spot.full_name, "parent_id": self.spots[spot.parent].id if spot.parent else None,
            "lat_e6": spot.latitude, "lng_e6": spot.longitude, "s_e6": south, "w_e6": west, "n_e6": north,
            "e_e6": east, "tz": spot.zone, "currency": spot.currency, "popularity": spot.popularity,
        }  # fmt: skip

    def _taxes(self) -> list[Row]:
        out = []
        for key, *rest in cells("stays/taxes.txt"):
            if key != RAISED_TAX:
                out.append(self._tax(key, rest, f"{self.year - _TAXED_BEFORE_YEARS}-01-01"))
                continue
            raised = f"{self.year}-01-01"  # it was half as much until the end of last year
            before = [*rest[:2], str(int(rest[2]) // 2), *rest[3:]]
            out.append(self._tax(key, before, f"{self.year - _TAXED_BEFORE_YEARS}-01-01", raised))
            out.append(self._tax(key, rest, raised))
        return out

    def _tax(self, key: str, cell: list[str], valid_from: str, valid_to: str | None = None) -> Row:
        name, kind, amount, base, adults, most, exempt = cell
        spot, is_percent = self.spots[key], kind == "percent"
        return {
            "id": self._ids.new("stays_tax_rule"), "place_id": spot.id, "name": name, "kind": kind,
            "percent_bp": int(amount) if is_percent else None, "amount": None if is_percent else int(amount),
            "currency": None if is_percent else spot.currency, "base": base or None, "adults_only": int(adults),
            "max_nights": int(most) if most else None, "exempt_from_nights": int(exempt) if exempt else None,
            "valid_from": valid_from, "valid_to": valid_to,
        }  # fmt: skip


def _box(latitude: int, longitude: int, half: int) -> tuple[int, int, int, int]:
    """South, west, north, east of a square about a point; degrees of longitude shrink towards the poles."""
    wide = half * _stretch_percent(latitude) // 100
    return latitude - half, longitude - wide, latitude + half, longitude + wide


def _stretch_percent(latitude: int) -> int:
    degrees = abs(latitude) // 1_000_000
    return next(
        percent for limit, percent in ((25, 105), (40, 125), (50, 150), (58, 180), (90, 220)) if degrees < limit
    )


def _hull(boxes: list[tuple[int, int, int, int]], margin: int) -> tuple[int, int, int, int]:
    return (
        min(box[0] for box in boxes) - margin,
        min(box[1] for box in boxes) - margin,
        max(box[2] for box in boxes) + margin,
        max(box[3] for box in boxes) + margin,
    )


def point_within(spot: Spot, stream: Stream) -> tuple[int, int]:
    """A point well inside a city or district, more often near its centre."""
    half = HALF[spot.kind] * 9 // 10
    north, east = (stream.uniform_int(-half, half) + stream.uniform_int(-half, half) for _ in range(2))
    return spot.latitude + north // 2, spot.longitude + east // 2
