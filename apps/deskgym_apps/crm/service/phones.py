"""Telephone numbers: stored as E.164, read and shown as people of a country write them (CRM-9 f)."""

from __future__ import annotations

import re
from functools import lru_cache

# ISO country, its name, its calling code
_COUNTRIES = """
AE|United Arab Emirates|971
AR|Argentina|54
AT|Austria|43
AU|Australia|61
BE|Belgium|32
BR|Brazil|55
CA|Canada|1
CH|Switzerland|41
CL|Chile|56
CN|China|86
CO|Colombia|57
CZ|Czechia|420
DE|Germany|49
DK|Denmark|45
EG|Egypt|20
ES|Spain|34
FI|Finland|358
FR|France|33
GB|United Kingdom|44
GR|Greece|30
HK|Hong Kong|852
HU|Hungary|36
ID|Indonesia|62
IE|Ireland|353
IL|Israel|972
IN|India|91
IT|Italy|39
JP|Japan|81
KE|Kenya|254
KR|South Korea|82
MA|Morocco|212
MX|Mexico|52
MY|Malaysia|60
NG|Nigeria|234
NL|Netherlands|31
NO|Norway|47
NZ|New Zealand|64
PH|Philippines|63
PL|Poland|48
PT|Portugal|351
RO|Romania|40
SA|Saudi Arabia|966
SE|Sweden|46
SG|Singapore|65
TH|Thailand|66
TR|Türkiye|90
TW|Taiwan|886
US|United States|1
VN|Vietnam|84
ZA|South Africa|27
"""
_ROWS = [row.split("|") for row in _COUNTRIES.split("\n") if row]
CALLING_CODES = {iso: code for iso, _, code in _ROWS}
_CODES = frozenset(CALLING_CODES.values())
_ISO_BY_NAME = {name.casefold(): iso for iso, name, _ in _ROWS}
# What stands before a national number inside the country; "0" elsewhere
_TRUNKS = {"1": "1", "36": "06", "39": "", "34": "", "351": "", "47": "", "45": "", "420": "", "48": "", "30": ""}
_TRUNKS |= {"52": "", "65": "", "852": "", "57": ""}
_PUNCTUATION = re.compile(r"[\s().\-/\u2010-\u2015]")


def country_code(text: str | None) -> str | None:
    """ISO code of a country given by code, English name, or a locale such as `en_GB`; None where unknown."""
    if not text:
        return None
    tail = re.split(r"[_-]", text.strip())[-1].upper()
    return tail if tail in CALLING_CODES else _ISO_BY_NAME.get(text.strip().casefold())


def to_e164(text: str, country: str | None) -> str:
    """`+441632960001` of "+44 (0)1632 960001", "0044 1632 960001", or "01632 960001" with country GB.

    Raises ValueError that says what would be right.
    """
    bare = _PUNCTUATION.sub("", text.replace("(0)", "") if text.strip().startswith(("+", "00")) else text)
    if bare.startswith("00"):
        bare = "+" + bare[2:]
    if not re.fullmatch(r"\+?\d+", bare):
        raise ValueError(f'"{text}" is not a telephone number; write it like +44 1632 960001')
    if not bare.startswith("+"):
        if country is None:
            raise ValueError(f'"{text}" lacks its country code; write it like +44 1632 960001')
        code = CALLING_CODES[country]
        trunk = _TRUNKS.get(code, "0")
        has_trunk = bool(trunk) and bare.startswith(trunk) and not (code == "1" and len(bare) == 10)
        bare = f"+{code}{bare[len(trunk) :] if has_trunk else bare}"
    if not 8 <= len(bare) <= 16 or bare[1] == "0":
        raise ValueError(f'"{text}" has {len(bare) - 1} digits with its country code; 7 to 15 are possible')
    return bare


def _grouped(digits: str) -> str:
    groups = [digits[start : start + 3] for start in range(0, len(digits), 3)]
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    return " ".join(groups)


def _calling_code(phone: str) -> str:
    return next((phone[1 : 1 + size] for size in (3, 2, 1) if phone[1 : 1 + size] in _CODES), "")


@lru_cache(maxsize=1 << 12)
def shown(phone: str | None, country: str | None) -> str:
    """The number as a person in `country` reads it: national at home, international elsewhere. Other text stays."""
    if not phone or not re.fullmatch(r"\+\d{7,15}", phone):
        return phone or ""
    code = _calling_code(phone)
    rest = phone[1 + len(code) :]
    if code == "1" and len(rest) == 10:
        local = f"({rest[:3]}) {rest[3:6]}-{rest[6:]}"
        return local if country in ("US", "CA") else f"+1 {local}"
    if country is not None and CALLING_CODES[country] == code:
        trunk = _TRUNKS.get(code, "0")
        return f"{trunk}{' ' if len(trunk) > 1 else ''}{_grouped(rest)}"
    return f"+{code} {_grouped(rest)}".replace("+ ", "+")
