"""Places agree with themselves, and what is derived from a place agrees with it (seed-data.md §7.1)."""

import re

import pytest

from deskgym_seeds.localtime import zones
from deskgym_seeds.places import address, countries, draw_place, fits, mobile, places, position, street_names, telephone
from deskgym_seeds.streams import Stream

PLACES = list(places().values())


def test_there_are_cities_in_every_region() -> None:
    assert len(PLACES) >= 120
    assert len({place.country.iso for place in PLACES}) >= 45
    for region in ("AMER", "EMEA", "APAC"):
        assert sum(place.country.region == region for place in PLACES) >= 25
        assert draw_place(Stream("t", region), region).country.region == region


def test_every_country_has_a_place_and_every_place_its_streets_and_zone() -> None:
    assert {place.country.iso for place in PLACES} == set(countries())
    assert {place.street_set for place in PLACES} == set(street_names())
    assert {place.zone for place in PLACES} <= set(zones())


def test_cities_lie_where_they_should() -> None:
    for place in PLACES:
        assert -60_000_000 < place.latitude < 70_000_000
        east, west = place.country.region == "APAC", place.country.region == "AMER"
        assert (place.longitude < -30_000_000) == west
        assert (place.longitude > 70_000_000) == east


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.key)
def test_numbers_and_addresses_belong_to_the_city(place: object) -> None:
    city = places()[getattr(place, "key")]  # noqa: B009
    for number in range(6):
        stream = Stream("t", city.key, number)
        code = f"+{city.country.calling_code}"
        for phone in (telephone(city, stream), mobile(city, stream)):
            assert re.fullmatch(r"\+\d{8,15}", phone)
            assert phone.startswith(code)
        assert fits(telephone(city, stream), city.telephones)
        found = address(city, stream)
        assert (found.city, found.state, found.country) == (city.city, city.state, city.country.name)
        assert (found.postcode is None) == (not city.postcodes)
        assert found.postcode is None or fits(found.postcode, city.postcodes)
        assert re.search(r"\d", found.street)
        latitude, longitude = position(city, stream)
        assert abs(latitude - city.latitude) + abs(longitude - city.longitude) < 90_000


def test_north_american_numbers_are_the_reserved_hundred() -> None:
    for place in PLACES:
        if place.country.iso in ("US", "CA"):
            stream = Stream("t", place.key)
            assert all(re.fullmatch(r"\+1[2-9]\d\d55501\d\d", telephone(place, stream)) for _ in range(20))


def test_british_numbers_are_drama_numbers() -> None:
    stream = Stream("t", "gb")
    for place in PLACES:
        if place.country.iso == "GB":
            assert re.fullmatch(
                r"\+44(\d{3}4960\d{3}|2079460\d{3}|2920180\d{3}|2896496\d{3})", telephone(place, stream)
            )
            assert re.fullmatch(r"\+447700900\d{3}", mobile(place, stream))


def test_patterns_tell_foreign_numbers_apart() -> None:
    assert fits("02110", places()["boston"].postcodes)
    assert not fits("90210", places()["boston"].postcodes)
    assert not fits("021100", places()["boston"].postcodes)
