"""The map: the same box, the same drawing; prices stand where the listings are and none hides another."""

from __future__ import annotations

from itertools import combinations

from deskgym_apps.stays.maps import HEIGHT, WIDTH, Box, Pin, ground, laid_out, spot


def test_north_is_up_and_east_is_right() -> None:
    box = Box(41_100_000, -8_700_000, 41_200_000, -8_600_000)
    west_south, east_north = spot(box, 41_100_000, -8_700_000), spot(box, 41_200_000, -8_600_000)
    assert west_south[0] < east_north[0]
    assert west_south[1] > east_north[1]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in (west_south, east_north))


def test_a_box_around_one_spot_is_wide_enough_to_be_searched() -> None:
    box = Box(0, 0, 0, 0).around([(41_150_000, -8_610_000)])
    assert box.n - box.s >= 8_999
    assert box.e - box.w >= 8_999


def test_prices_at_one_spot_are_moved_apart() -> None:
    pins = laid_out([Pin(300, 200, "120 EUR", f"Casa {n}", f"/{n}") for n in range(12)])
    assert len(pins) == 12
    for one, other in combinations(pins, 2):
        assert abs(one.x - other.x) >= (one.width + other.width) // 2 or abs(one.y - other.y) >= 34


def test_a_place_is_always_drawn_the_same_and_places_differ() -> None:
    assert ground("Porto") == ground("Porto")
    assert len({ground(name).paths for name in ("Porto", "Ghent", "Kyoto", "Bergen")}) == 4


def test_no_shore_is_drawn_where_a_listing_stands() -> None:
    for name in ("Porto", "Ghent", "Kyoto", "Bergen", "Naples", "Lisbon"):
        for css, path in ground(name, 90).paths:
            if css == "map-water":
                numbers = [int(text) for text in path.split("C")[0][1:].split()]
                assert numbers[0] < -100
    assert any(css == "map-water" for name in ("Porto", "Ghent", "Kyoto") for css, _ in ground(name).paths)
