"""People: names by culture, and addresses of mail that come from the name."""

from collections import Counter

import pytest

from deskgym_seeds.people import (
    PERSONAL_DOMAINS,
    Person,
    ascii_letters,
    company_mail,
    cultures,
    draw_person,
    draw_person_of,
    mail_local_part,
    personal_mail,
)
from deskgym_seeds.places import countries
from deskgym_seeds.streams import Stream

MAREK = Person("Günter", "Weißenberger", "Günter", False, "de")


def crowd(culture: str, count: int = 400) -> list[Person]:
    return [draw_person_of(Stream("t", culture, number), culture) for number in range(count)]


def test_every_country_draws_from_known_cultures() -> None:
    named = {culture for country in countries().values() for culture, _ in country.cultures}
    assert named == set(cultures())
    assert len(named) >= 12


def test_names_are_weighted_not_uniform() -> None:
    counts = Counter(person.last for person in crowd("en", 3_000))
    common, rare = counts["Smith"], counts["Quartermaine"]
    assert common > 4 * rare
    assert len(counts) > 70


def test_lists_hold_no_name_twice() -> None:
    for title, culture in cultures().items():
        for names in (culture.women, culture.men, culture.surnames):
            found = [name for name, _ in names]
            assert len(found) == len(set(found)), (title, Counter(found).most_common(1))


@pytest.mark.parametrize("culture", ["pl", "cs", "el"])
def test_surnames_have_their_womens_form(culture: str) -> None:
    pairs = [name.split("/") for name, _ in cultures()[culture].surnames if "/" in name]
    men, women = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    for person in crowd(culture):
        parts = set(person.last.split("-"))
        assert not parts & (men if person.is_woman else women)


def test_spanish_people_often_have_two_surnames() -> None:
    double = sum(" " in person.last for person in crowd("es"))
    assert 200 < double < 320


def test_long_apostrophed_hyphenated_and_accented_names_occur() -> None:
    everyone = [draw_person(Stream("t", iso, n), country) for iso, country in countries().items() for n in range(40)]
    names = [person.name for person in everyone]
    assert any("'" in name for name in names)
    assert any("-" in name for name in names)
    assert sum(not name.isascii() for name in names) > len(names) // 8
    assert max(map(len, names)) > 28
    assert any(person.called != person.first for person in everyone)


def test_mail_patterns_use_plain_letters() -> None:
    assert mail_local_part(MAREK, "{first}.{last}") == "guenter.weissenberger"
    assert mail_local_part(MAREK, "{f}{last}") == "gweissenberger"
    spanish = Person("José", "García Martínez", "Pepe", False, "es")
    assert mail_local_part(spanish, "{first}.{last}") == "jose.garcia"
    assert ascii_letters("Øyvind Łukasz D'Ambrosio Đặng") == "oyvindlukaszdambrosiodang"


def test_taken_addresses_get_a_number() -> None:
    taken: set[str] = set()
    found = [company_mail(MAREK, "{first}.{last}", "kranich.example", taken) for _ in range(3)]
    assert found == [
        "guenter.weissenberger@kranich.example",
        "guenter.weissenberger2@kranich.example",
        "guenter.weissenberger3@kranich.example",
    ]


def test_private_addresses_are_at_no_company() -> None:
    taken: set[str] = set()
    stream = Stream("t", "private")
    found = {personal_mail(MAREK, stream, taken) for _ in range(40)}
    assert len(found) == 40
    assert {mail.split("@")[1] for mail in found} == set(PERSONAL_DOMAINS)


def test_every_culture_makes_usable_addresses() -> None:
    for culture in cultures():
        for person in crowd(culture, 60):
            local = mail_local_part(person, "{first}.{last}")
            assert all(part.isalnum() and part.isascii() for part in local.split(".")), person
