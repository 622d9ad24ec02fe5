"""Money is integer minor units and an ISO currency (X-3). Half-up, once per displayed line."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

EXPONENTS = {
    "AED": 2, "ALL": 2, "AMD": 2, "ARS": 2, "AUD": 2, "AZN": 2, "BAM": 2, "BDT": 2, "BGN": 2, "BHD": 3,
    "BIF": 0, "BOB": 2, "BRL": 2, "BWP": 2, "BYN": 2, "CAD": 2, "CHF": 2, "CLP": 0, "CNY": 2, "COP": 2,
    "CRC": 2, "CZK": 2, "DJF": 0, "DKK": 2, "DOP": 2, "DZD": 2, "EGP": 2, "ETB": 2, "EUR": 2, "GBP": 2,
    "GEL": 2, "GHS": 2, "GNF": 0, "GTQ": 2, "HKD": 2, "HNL": 2, "HUF": 2, "IDR": 2, "ILS": 2, "INR": 2,
    "IQD": 3, "ISK": 0, "JMD": 2, "JOD": 3, "JPY": 0, "KES": 2, "KHR": 2, "KMF": 0, "KRW": 0, "KWD": 3,
    "KZT": 2, "LAK": 2, "LBP": 2, "LKR": 2, "LYD": 3, "MAD": 2, "MDL": 2, "MKD": 2, "MMK": 2, "MUR": 2,
    "MXN": 2, "MYR": 2, "MZN": 2, "NAD": 2, "NGN": 2, "NIO": 2, "NOK": 2, "NPR": 2, "NZD": 2, "OMR": 3,
    "PAB": 2, "PEN": 2, "PHP": 2, "PKR": 2, "PLN": 2, "PYG": 0, "QAR": 2, "RON": 2, "RSD": 2, "RWF": 0,
    "SAR": 2, "SEK": 2, "SGD": 2, "THB": 2, "TND": 3, "TRY": 2, "TTD": 2, "TWD": 2, "TZS": 2, "UAH": 2,
    "UGX": 0, "USD": 2, "UYU": 2, "UZS": 2, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0, "ZAR": 2,
    "ZMW": 2,
}  # fmt: skip
_PLAIN = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_GROUPED = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", re.ASCII)
_LED_BY_ZERO = re.compile(r"-?0(,\d{3})+(\.\d+)?", re.ASCII)


def exponent(currency: str) -> int:
    """Decimals of a currency. Raises ValueError for a code that is not in the table."""
    if currency not in EXPONENTS:
        raise ValueError(f'unknown currency "{currency}"; known are {", ".join(sorted(EXPONENTS))}')
    return EXPONENTS[currency]


def round_half_up(value: Decimal) -> int:
    """The nearest integer, ties away from zero."""
    return int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def doubt(text: str) -> str:
    """What to say of a number whose comma may stand before decimals or thousands, like 0,500; "" of any other text."""
    stripped = text.strip()
    if not _LED_BY_ZERO.fullmatch(stripped):
        return ""
    start = "-" if stripped[0] == "-" else ""
    high = stripped.lstrip("-0,").replace(",", "") or "0"
    low = stripped.lstrip("-").replace(",", ".", 1).replace(",", "")
    if "." in high:
        return f'"{stripped}" is no number: a group of thousands does not begin with 0; write {start}{high}'
    return f'"{stripped}" can mean {start}{low} or {start}{high}; write one of the two'


def parse_money(text: str, currency: str) -> int:
    """Minor units of "12,345.67" or "12345.67" in a currency.

    Raises ValueError for anything else, and for more decimals than the currency has.
    """
    stripped = text.strip()
    if not (_PLAIN.fullmatch(stripped) or _GROUPED.fullmatch(stripped)):
        raise ValueError(doubt(stripped) or f'"{text}" is not an amount; write it like 12345.67 or 12,345.67')
    decimals = exponent(currency)
    number = Decimal(stripped.replace(",", ""))
    scaled = number.scaleb(decimals)
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{currency} amounts have at most {decimals} decimals, not {text.strip()}")
    return int(scaled)


def format_amount(minor: int, currency: str) -> str:
    """`1234567, "USD"` -> `12,345.67`."""
    return f"{Decimal(minor).scaleb(-exponent(currency)):,.{exponent(currency)}f}"


def format_money(minor: int, currency: str) -> str:
    """`1234567, "USD"` -> `12,345.67 USD`."""
    return f"{format_amount(minor, currency)} {currency}"


def plain_amount(minor: int, currency: str) -> str:
    """`1234567, "USD"` -> `12345.67`: what a form field holds."""
    return f"{Decimal(minor).scaleb(-exponent(currency)):.{exponent(currency)}f}"


def convert(minor: int, source: str, target: str, rates_ppm: dict[str, int]) -> int:
    """Minor units of `target`, through corporate units per unit x 1e6 (`rates_ppm`), rounded half-up once."""
    if source == target:
        return minor
    value = Decimal(minor).scaleb(-exponent(source)) * rates_ppm[source] / rates_ppm[target]
    return round_half_up(value.scaleb(exponent(target)))
