"""Typed answers: one submission, parsed as data, compared by type; nothing in it is a pattern (grading.md §3.5).

Reasons, first that applies: NO_SUBMISSION, ANSWER_COUNT (an answer is asked for and none was given), ANSWER_TYPE (not
of the shape or type asked for), ANSWER_WRONG (another status, reason code or value). An answer that no task asked for
is not read.

Numbers (DESIGN §6): a JSON number without exponent, or text like 12345.67 or 12,345.67, with at most the decimals that
the currency has (none for a count). Every value's type is checked before any value is found wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from deskgym_apps.kit.dates import parse_date, parse_instant
from deskgym_apps.kit.money import exponent

from .bipartite import assignable
from .codec import SpecError, canonical_text
from .comparators import (
    BagOf,
    Between,
    Comparator,
    DateEq,
    EmailEq,
    Eq,
    Facts,
    Fields,
    InstantEq,
    ListOf,
    Money,
    Number,
    OneOf,
    PhoneEq,
    SetOf,
    TextEq,
)
from .compare import plain_text, same_email, same_phone, states_facts
from .spec import AnswerSpec, Expectation, Submission

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_GROUPED = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})", re.ASCII)
_TEXTS = (TextEq, EmailEq, PhoneEq, Facts, DateEq, InstantEq)
MAX_DIGITS = 40

Fault = tuple[str, str]


class WrongType(Exception):
    """The answer is not of the shape or type that was asked for."""


@dataclass(frozen=True)
class Submitted:
    """The one stored submission; `answer` is JSON text or None."""

    person_id: str
    status: str
    reason_code: str | None
    answer: str | None
    channel: str = "mcp"
    instant: str = ""


def submitted(submission: Submission, person_id: str, channel: str = "mcp") -> Submitted:
    """A task's own submission as if it had been handed in."""
    text = None if submission.answer is None else canonical_text(submission.answer)
    return Submitted(person_id, submission.status, submission.reason_code, text, channel)


def _float(text: str) -> Decimal:
    if "e" in text.lower():
        raise WrongType(f"{text} is written with an exponent")
    return Decimal(text)


def _constant(text: str) -> Any:
    raise WrongType(f"{text} is no number")


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise WrongType("a key stands twice in the answer")
    return found


def parse_answer(text: str) -> Any:
    """The answer as data, decimals as `Decimal`. Raises WrongType for anything but plain JSON."""
    try:
        return json.loads(text, parse_float=_float, parse_constant=_constant, object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        raise WrongType("the answer is no JSON") from None


def _number(name: str, value: Any, decimals: int) -> Decimal:
    if isinstance(value, str) and len(value) <= MAX_DIGITS and (_PLAIN.fullmatch(value) or _GROUPED.fullmatch(value)):
        number = Decimal(value.replace(",", ""))
    elif isinstance(value, int | Decimal) and not isinstance(value, bool) and len(str(value)) <= MAX_DIGITS:
        number = Decimal(value)
    else:
        raise WrongType(f"{name} is no number like 12345.67")
    written = -int(number.as_tuple().exponent)
    if written > decimals:
        raise WrongType(f"{name} has {written} decimals, at most {decimals} are meant")
    return number


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongType(f"{name} is no text")
    return value


def _moment(name: str, value: Any) -> datetime:
    text = _text(name, value)
    if not _MOMENT.fullmatch(text):
        raise WrongType(f"{name} is no instant like 2031-03-14T09:00:00Z")
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise WrongType(f"{name} is no instant that exists") from None


def _scalar(name: str, expected: str | int | bool | None, value: Any) -> bool:
    if expected is None or isinstance(expected, bool):
        if value is not None and not isinstance(value, bool):
            raise WrongType(f"{name} is neither true, false nor null")
        return value is expected
    if isinstance(expected, int):
        return _number(name, value, 0) == expected
    return _text(name, value) == expected


def _text_like(expected: Comparator, name: str, value: Any) -> bool:
    if isinstance(expected, InstantEq):
        return _moment(name, value) == parse_instant(expected.value)
    text = _text(name, value)
    if isinstance(expected, DateEq):
        try:
            parse_date(text)
        except ValueError:
            raise WrongType(f"{name} is no date like 2031-03-14") from None
        return text == expected.value
    if isinstance(expected, EmailEq):
        return same_email(expected.value, text)
    if isinstance(expected, PhoneEq):
        return same_phone(expected.value, text)
    if isinstance(expected, Facts):
        return states_facts(expected, text)
    assert isinstance(expected, TextEq)
    left, right = plain_text(expected.value), plain_text(text)
    return left.casefold() == right.casefold() if expected.ci else left == right


def answers(expected: Comparator, value: Any, name: str = "the answer") -> bool:
    """Whether a parsed value is right. Raises WrongType where its type is not the one asked for."""
    if isinstance(expected, Eq):
        return _scalar(name, expected.value, value)
    if isinstance(expected, OneOf):
        found = [_scalar(name, one, value) for one in expected.values]
        return any(found)
    if isinstance(expected, Money):
        decimals = exponent(expected.currency)
        return _number(name, value, decimals).scaleb(decimals) == expected.minor
    if isinstance(expected, Number):
        return _number(name, value, expected.decimals) == Decimal(expected.value)
    if isinstance(expected, Between):
        return expected.low <= _number(name, value, 0) <= expected.high
    if isinstance(expected, _TEXTS):
        return _text_like(expected, name, value)
    if isinstance(expected, SetOf | BagOf | ListOf):
        return _list(expected, name, value)
    if isinstance(expected, Fields):
        return _fields(expected.fields, name, value)
    raise SpecError(f"{type(expected).__name__} cannot stand in an answer")


def _fields(expected: Mapping[str, Comparator], name: str, value: Any) -> bool:
    if not isinstance(value, dict):
        raise WrongType(f"{name} is no object")
    if set(value) != set(expected):
        raise WrongType(f"{name} has the keys {sorted(value)}, meant are {sorted(expected)}")
    right = [answers(inner, value[key], key) for key, inner in expected.items()]
    return all(right)


def _list(expected: SetOf | BagOf | ListOf, name: str, value: Any) -> bool:
    if not isinstance(value, list):
        raise WrongType(f"{name} is no list")
    if any(isinstance(item, list) for item in value):
        raise WrongType(f"{name} is a list in a list")
    if isinstance(expected, SetOf):
        shown = [plain_text(item) if isinstance(item, str) else repr(item) for item in value]
        if len(set(shown)) != len(shown):
            raise WrongType(f"{name} names something twice")
    fits = [[answers(one, item, name) for one in expected.items] for item in value]
    if len(value) != len(expected.items):
        return False
    if isinstance(expected, ListOf):
        return all(row[at] for at, row in enumerate(fits))
    return assignable(fits)


def _check_choices(spec: AnswerSpec, value: Any) -> None:
    for name, schema in spec.schema.get("properties", {}).items():
        if isinstance(value, dict) and "enum" in schema and name in value and value[name] not in schema["enum"]:
            raise WrongType(f"{name} is none of {schema['enum']}")


def check_answer(spec: AnswerSpec, text: str) -> Fault | None:
    """What is wrong with an answer, as reason and sentence, or None."""
    try:
        value = parse_answer(text)
        right = _fields(spec.fields, "the answer", value)
        _check_choices(spec, value)
    except WrongType as error:
        return "ANSWER_TYPE", f"{error}."
    return None if right else ("ANSWER_WRONG", "The answer is not right.")


def check_submission(expectation: Expectation, given: Submitted | None) -> Fault | None:
    """What is wrong with what was handed in, as reason and sentence, or None."""
    if given is None:
        return "NO_SUBMISSION", "Nothing was handed in."
    if expectation.answer is not None:
        if given.answer is None:
            return "ANSWER_COUNT", "An answer was asked for and none was given."
        fault = check_answer(expectation.answer, given.answer)
        if fault is not None and fault[0] == "ANSWER_TYPE":
            return fault
    else:
        fault = None
    if given.status != expectation.status:
        return "ANSWER_WRONG", f'It was handed in as "{given.status}", but it is "{expectation.status}".'
    if given.reason_code != expectation.reason_code:
        return "ANSWER_WRONG", f"The reason code {given.reason_code!r} is not the right one."
    return fault
