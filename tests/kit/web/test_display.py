"""How values are written (look.md, X-2, X-3)."""

from __future__ import annotations

import pytest

from deskgym_apps.kit.web import display
from deskgym_apps.kit.web.icons import icon


def test_x_3_money_is_grouped_and_carries_its_currency_and_decimals() -> None:
    assert display.money(41200000, "USD") == "412,000.00 USD"
    assert display.money(-5, "USD") == "-0.05 USD"
    assert display.money(1234567, "JPY") == "1,234,567 JPY"
    assert display.money(1234567, "KWD") == "1,234.567 KWD"
    assert display.money(None, "USD") == "–"


def test_numbers_are_grouped() -> None:
    assert [display.number(n) for n in (0, 999, 1000, 1234567, -1000, None)] == [
        "0",
        "999",
        "1,000",
        "1,234,567",
        "-1,000",
        "–",
    ]


def test_x_2_dates_are_written_out_and_never_shifted() -> None:
    assert display.long_date("2027-05-04") == "4 May 2027"
    assert display.full_date("2027-05-14") == "Friday 14 May 2027"
    assert display.long_date(None) == display.long_date("") == "–"
    with pytest.raises(ValueError, match="2027-5-4"):
        display.long_date("2027-5-4")


def test_instants_show_their_zone() -> None:
    assert display.instant("2027-05-14T08:30:00Z") == "14 May 2027, 08:30 UTC"
    assert display.instant("2027-05-14T23:30:00Z", "Europe/Berlin") == "15 May 2027, 01:30 CEST"
    assert display.instant("2027-01-14T12:00:00Z", "America/Sao_Paulo") == "14 January 2027, 09:00 GMT-03"
    assert display.instant(None) == "–"


def test_initials_and_colour_depend_on_the_name_alone() -> None:
    names = ["Dana Whitcombe", "Åsa Lindqvist", "Łukasz P. Wrona", "Mei", "J. R. Ewart"]
    assert [display.initials(name) for name in names] == ["DW", "ÅL", "ŁW", "M", "JE"]
    assert [display.colour_of(name) for name in names] == [2, 8, 1, 3, 3]


def test_an_unknown_icon_names_the_nearest() -> None:
    assert 'aria-hidden="true"' in icon("person")
    with pytest.raises(LookupError, match=r"nearest: .*building"):
        icon("buildingg")


def test_dates_in_a_sentence_are_written_in_words_and_quoted_text_is_left() -> None:
    said = 'not before 2033-05-03 (2033-05-03T22:30:00Z); "2033-05-04" and 2033-02-30 are no dates, nor is X-2033-05-03'
    assert display.dated(said, "Europe/Lisbon") == (
        'not before 3 May 2033 (3 May 2033, 23:30 WEST); "2033-05-04" and 2033-02-30 are no dates, nor is X-2033-05-03'
    )
