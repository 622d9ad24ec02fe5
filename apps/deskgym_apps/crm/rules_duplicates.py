"""When two records may be the same (row 14): what is compared, exactly or nearly, and the rules at first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from ..kit.norm import digits, norm
from .rules_leads import company_key, web_domain

Row = Mapping[str, Any]
EXACT, FUZZY = "exact", "fuzzy"
ALLOW, WARN, BLOCK = "allow", "warn", "block"
_SHORTEST = 5  # of shorter names one letter is too much


@lru_cache(maxsize=1 << 16)
def company(name: str) -> str:
    """A company's name without legal form, article, marks and case: `The Kestrel Pumps Ltd` -> `kestrel pumps`."""
    return company_key(name).removeprefix("the ")


@lru_cache(maxsize=1 << 16)
def person(name: str) -> str:
    """A person's name in whichever order it is written."""
    return " ".join(sorted(norm(name).replace(",", " ").replace(".", " ").split()))


def _plain(column: str) -> Callable[[Row], str]:
    return lambda row: str(row[column] or "")


def _company(column: str) -> Callable[[Row], str]:
    return lambda row: company(row[column]) if row[column] else ""


def _normed(column: str) -> Callable[[Row], str]:
    return lambda row: norm(row[column] or "")


def _domain(row: Row) -> str:
    return web_domain(row["website"])


def _person(row: Row) -> str:
    return person(row["name_norm"] or "")


# Object -> field -> (columns it is read from, its value to compare exactly, and nearly)
FIELDS: Mapping[str, Mapping[str, tuple[tuple[str, ...], Callable[[Row], str], Callable[[Row], str]]]] = {
    "account": {
        "name": (("name", "name_norm"), _plain("name_norm"), _company("name")),
        "phone": (("phone_digits",), _plain("phone_digits"), _plain("phone_digits")),
        "website": (("website",), _domain, _domain),
        "bill_city": (("bill_city",), _normed("bill_city"), _normed("bill_city")),
    },
    "contact": {
        "name": (("name_norm",), _plain("name_norm"), _person),
        "account_id": (("account_id",), _plain("account_id"), _plain("account_id")),
        "email": (("email_norm",), _plain("email_norm"), _plain("email_norm")),
        "phone": (("phone_digits",), _plain("phone_digits"), _plain("phone_digits")),
        "mobile": (("mobile_digits",), _plain("mobile_digits"), _plain("mobile_digits")),
    },
    "lead": {
        "name": (("name_norm",), _plain("name_norm"), _person),
        "company": (("company", "company_norm"), _plain("company_norm"), _company("company")),
        "email": (("email_norm",), _plain("email_norm"), _plain("email_norm")),
        "phone": (("phone_digits",), _plain("phone_digits"), _plain("phone_digits")),
    },
}
# The fields of the profile that a compared field shows
SHOWN_BY: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("contact", "name"): ("first_name", "last_name"),
    ("lead", "name"): ("first_name", "last_name"),
}


def value_of(kind: str, field: str, method: str, row: Row) -> str:
    """What is compared of a row; "" where it holds nothing, which is like nothing."""
    _, exact, fuzzy = FIELDS[kind][field]
    return exact(row) if method == EXACT else fuzzy(row)


def columns_of(kind: str, field: str) -> tuple[str, ...]:
    """The columns that a compared field is read from."""
    return FIELDS[kind][field][0]


def alike(one: str, other: str, method: str) -> bool:
    """Whether two values are the same; nearly, where one letter too many, too few, changed or two exchanged."""
    if not one or not other:
        return False
    return one == other or (method == FUZZY and _is_near(one, other))


def _is_near(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < _SHORTEST:
        return False
    if digits(one) != digits(other):  # Plant 1 is not Plant 2
        return False
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    rest, left = one[at:], other[at:]
    if len(rest) == len(left):
        return rest[1:] == left[1:] or (rest[:2] == left[1::-1] and rest[2:] == left[2:])
    return rest[1:] == left if len(rest) > len(left) else rest == left[1:]


def _criteria(**methods: str) -> str:
    return json.dumps([{"field": field, "method": method} for field, method in methods.items()])


# name, object, criteria, on create, on edit
_AT_FIRST = (
    ("Accounts of the same name", "account", _criteria(name=FUZZY, bill_city=EXACT), WARN, ALLOW),
    ("Accounts of the same number", "account", _criteria(phone=EXACT, website=EXACT), WARN, ALLOW),
    ("Contacts of the same e-mail", "contact", _criteria(email=EXACT), BLOCK, WARN),
    ("Contacts of the same name", "contact", _criteria(name=FUZZY, account_id=EXACT), WARN, ALLOW),
    ("Leads of the same e-mail", "lead", _criteria(email=EXACT), WARN, WARN),
    ("Leads of the same name", "lead", _criteria(name=FUZZY, company=FUZZY), WARN, ALLOW),
)


def first_rules() -> Iterator[dict[str, Any]]:
    """The rules that a world begins with, without their ids."""
    for name, kind, criteria, create, edit in _AT_FIRST:
        yield {
            "object": kind,
            "name": name,
            "criteria": criteria,
            "action_create": create,
            "action_edit": edit,
            "is_active": 1,
        }
