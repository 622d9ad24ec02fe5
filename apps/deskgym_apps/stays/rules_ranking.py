"""Order of search results (STAY-8) and what follows from places on the globe. Pure whole numbers."""

from __future__ import annotations

from math import isqrt

_PRIOR_COUNT, _PRIOR_HUNDREDTHS = 5, 430
_METRES_PER_DEGREE = 111_195
# cos of 0, 5, ... 90 degrees, in millionths
_COSINES = (
    *(1_000_000, 996_195, 984_808, 965_926, 939_693, 906_308, 866_025, 819_152, 766_044, 707_107),
    *(642_788, 573_576, 500_000, 422_618, 342_020, 258_819, 173_648, 87_156, 0),
)


def rating_text(hundredths: int) -> str:
    """`487` -> `4.87`."""
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def recommended(count: int, total: int, *, superhost: int, instant: int, self_checkin: int) -> int:
    """The score of a listing: its rating, drawn to 4.30 where reviews are few, and what guests look for."""
    rating = (total * 1000 + _PRIOR_COUNT * _PRIOR_HUNDREDTHS * 10) // (count + _PRIOR_COUNT)
    return rating + 150 * bool(superhost) + 100 * bool(instant) + 50 * bool(self_checkin) + min(count, 40) * 5


def _cosine(lat_e6: int) -> int:
    """Millionths of the cosine of a latitude, between two steps of the table in a straight line."""
    steps, rest = divmod(min(abs(lat_e6), 90_000_000), 5_000_000)
    if steps == len(_COSINES) - 1:
        return 0
    low, high = _COSINES[steps], _COSINES[steps + 1]
    return low + (high - low) * rest // 5_000_000


def distance_m(lat_e6: int, lng_e6: int, other_lat_e6: int, other_lng_e6: int) -> int:
    """Metres between two points that are near each other, on a flat map of the latitude between them."""
    north = (other_lat_e6 - lat_e6) * _METRES_PER_DEGREE // 1_000
    east = (other_lng_e6 - lng_e6) * _METRES_PER_DEGREE // 1_000
    east = east * _cosine((lat_e6 + other_lat_e6) // 2) // 1_000_000
    return isqrt(north * north + east * east) // 1_000
