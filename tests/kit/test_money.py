"""X-3: money is integer minor units and a currency."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskgym_apps.kit.money import EXPONENTS, convert, exponent, format_money, parse_money, plain_amount, round_half_up


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [("12,345.67", "USD", 1234567), ("12345.6", "EUR", 1234560), ("-3", "GBP", -300), ("1,200", "JPY", 1200)],
)
def test_x3_an_amount_is_read_with_or_without_grouping(text: str, currency: str, minor: int) -> None:
    assert parse_money(text, currency) == minor


@pytest.mark.parametrize("text", ["", "12,34.5", "1.234,56", "1e3", "12.", ".5", "+4", "٣", "12.345", "NaN"])
def test_x3_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"amount|decimals"):
        parse_money(text, "USD")


@pytest.mark.parametrize(("currency", "text"), [("JPY", "1.5"), ("CLP", "0.5"), ("VND", "1.1"), ("ISK", "2.5")])
def test_x3_more_decimals_than_the_currency_has_are_refused(currency: str, text: str) -> None:
    with pytest.raises(ValueError, match="at most 0 decimals"):
        parse_money(text, currency)


@given(st.integers(-(10**15), 10**15), st.sampled_from(sorted(EXPONENTS)))
def test_x3_what_is_shown_reads_back(minor: int, currency: str) -> None:
    assert parse_money(plain_amount(minor, currency), currency) == minor
    assert parse_money(format_money(minor, currency).removesuffix(f" {currency}"), currency) == minor


@pytest.mark.parametrize(("value", "whole"), [("0.5", 1), ("-0.5", -1), ("2.5", 3), ("2.49", 2), ("-2.5", -3)])
def test_x3_ties_go_away_from_zero(value: str, whole: int) -> None:
    assert round_half_up(Decimal(value)) == whole


def test_x3_conversion_goes_through_the_corporate_currency_and_rounds_once() -> None:
    rates = {"EUR": 1_000_000, "JPY": 6_250, "KWD": 3_000_000}
    assert convert(12_345, "EUR", "EUR", rates) == 12_345
    assert convert(10_000, "EUR", "JPY", rates) == 16_000
    assert convert(1, "EUR", "KWD", rates) == 3
    assert convert(1_000, "KWD", "EUR", rates) == 300


def test_an_unknown_currency_is_an_error_and_no_default() -> None:
    with pytest.raises(ValueError, match="unknown currency"):
        exponent("XXX")
