"""Money is integer minor units, rounded half-up once (X-3)."""

from __future__ import annotations

from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import given

from deskgym_apps.kit import money

CURRENCIES = st.sampled_from(["EUR", "JPY", "KWD"])


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("12345.67", "EUR", 1234567),
        ("12,345.67", "EUR", 1234567),
        (" 1,234,567 ", "USD", 123456700),
        ("-0.5", "EUR", -50),
        ("7.10", "EUR", 710),
        ("7.100", "EUR", 710),
        ("250", "JPY", 250),
        ("1.234", "KWD", 1234),
        ("0", "KWD", 0),
    ],
)
def test_x3_an_amount_is_read_to_minor_units(text: str, currency: str, minor: int) -> None:
    assert money.parse_money(text, currency) == minor


@pytest.mark.parametrize(
    ("text", "currency", "message"),
    [
        ("12.345", "EUR", "at most 2 decimals"),
        ("1.5", "JPY", "at most 0 decimals"),
        ("1,23", "EUR", "is not an amount"),
        ("12,34,567", "EUR", "is not an amount"),
        ("1e3", "EUR", "is not an amount"),
        ("€5", "EUR", "is not an amount"),
        ("0,500", "EUR", "can mean 0.500 or 500"),
        ("-0,500", "EUR", "can mean -0.500 or -500"),
        ("0,012,500", "EUR", "can mean 0.012500 or 12500"),
        ("0,500.25", "EUR", "a group of thousands does not begin with 0; write 500.25"),
        ("01,500", "EUR", "is not an amount"),
        ("", "EUR", "is not an amount"),
        (".5", "EUR", "is not an amount"),
        ("٣", "EUR", "is not an amount"),
        ("5", "XXX", 'unknown currency "XXX"'),
    ],
)
def test_x3_what_is_no_amount_of_a_currency_is_refused(text: str, currency: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        money.parse_money(text, currency)


@pytest.mark.parametrize(
    ("value", "rounded"), [("0.5", 1), ("1.5", 2), ("2.5", 3), ("-0.5", -1), ("-2.5", -3), ("2.4999", 2), ("-1.2", -1)]
)
def test_x3_ties_round_away_from_zero(value: str, rounded: int) -> None:
    assert money.round_half_up(Decimal(value)) == rounded


@given(st.integers(-(10**15), 10**15), CURRENCIES)
def test_x3_what_is_shown_is_read_back(minor: int, currency: str) -> None:
    assert money.parse_money(money.plain_amount(minor, currency), currency) == minor
    assert money.parse_money(money.format_amount(minor, currency), currency) == minor


def test_x3_amounts_are_shown_with_their_decimals_and_code() -> None:
    assert money.format_money(123456789, "EUR") == "1,234,567.89 EUR"
    assert money.format_money(-5, "KWD") == "-0.005 KWD"
    assert money.format_money(1234, "JPY") == "1,234 JPY"
    assert money.plain_amount(1200, "EUR") == "12.00"


def test_x3_conversion_rounds_once_half_up() -> None:
    rates = {"USD": 1_000_000, "EUR": 1_085_000, "JPY": 6_700, "KWD": 3_250_000}
    assert money.convert(100, "EUR", "USD", rates) == 109
    assert money.convert(1, "USD", "USD", {}) == 1
    assert money.convert(1000, "JPY", "USD", rates) == 670
    assert money.convert(670, "USD", "JPY", rates) == 1000
    assert money.convert(-100, "EUR", "USD", rates) == -109
    assert money.convert(1, "KWD", "JPY", rates) == 0
