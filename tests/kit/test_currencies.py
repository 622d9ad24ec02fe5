"""The decimals of the world's currencies (ISO 4217)."""

from __future__ import annotations

import pytest

from deskgym_apps.kit.money import EXPONENTS, convert, parse_money

NAMED = (
    "ARS", "COP", "ILS", "SAR", "NGN", "KES", "EGP", "MAD", "TWD", "HKD", "MYR", "THB", "IDR", "PHP", "UAH", "BGN",
    "AED", "EUR", "USD", "GBP", "INR", "BRL", "ZAR", "CNY",
)  # fmt: skip


@pytest.mark.parametrize("currency", NAMED)
def test_x3_most_currencies_have_two_decimals(currency: str) -> None:
    assert parse_money("1,234.56", currency) == 123456


@pytest.mark.parametrize("currency", ["CLP", "VND", "ISK", "JPY", "KRW", "XOF", "XAF", "PYG", "UGX"])
def test_x3_some_currencies_have_no_decimals(currency: str) -> None:
    assert parse_money("1,234", currency) == 1234
    with pytest.raises(ValueError, match="at most 0 decimals"):
        parse_money("1.5", currency)


@pytest.mark.parametrize("currency", ["BHD", "JOD", "KWD", "OMR", "TND"])
def test_x3_some_currencies_have_three_decimals(currency: str) -> None:
    assert parse_money("1.234", currency) == 1234


def test_every_code_is_three_capital_letters_in_order() -> None:
    assert list(EXPONENTS) == sorted(EXPONENTS)
    assert all(len(code) == 3 and code.isascii() and code.isupper() for code in EXPONENTS)


def test_x3_a_conversion_between_different_decimals_rounds_once() -> None:
    rates = {"EUR": 1_000_000, "JPY": 6_250, "KWD": 3_000_000}
    assert convert(10_000, "EUR", "JPY", rates) == 16_000
    assert convert(1, "EUR", "KWD", rates) == 3
    assert convert(1_000, "KWD", "EUR", rates) == 300
