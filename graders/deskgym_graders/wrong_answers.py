"""Mutants of what is handed in: other values, dumps, patterns, lists, shapes, statuses (grading.md §3.9 A3 to A5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .answers import Submitted, submitted
from .codec import canonical_text, encode_raw
from .comparators import Comparator, Fields, ListOf, TextEq
from .spec import Status, Submission, Task

Given = tuple[str, str, Submitted | None]


def _values(comparator: Comparator, value: Any) -> Iterator[tuple[str, Any]]:
    """Wrong values for one field whose right value is `value`."""
    yield from (("null", None), ("empty", ""), ("pattern", "^.*$"), ("wildcard", "*"), ("operator", {"$ne": None}))
    yield from (("the value in a list", [value]), ("the value in an object", {"value": value}))
    if isinstance(value, bool):
        yield from (("flipped", not value), ("as text", str(value).lower()))
    elif isinstance(value, int):
        yield from (("one more", value + 1), ("one less", value - 1), ("negative", -value - 1))
    elif isinstance(value, str):
        yield from _texts(comparator, value)
    elif isinstance(value, list):
        yield from _lists(comparator, value)
    elif isinstance(value, dict):
        yield "an extra key", value | {"note": "sure"}
        for name, inner in value.items():
            yield f"without {name}", {key: other for key, other in value.items() if key != name}
            if isinstance(comparator, Fields):
                for label, wrong in _values(comparator.fields[name], inner):
                    yield f"{name}: {label}", value | {name: wrong}


def _texts(comparator: Comparator, value: str) -> Iterator[tuple[str, Any]]:
    yield from (("twice", f"{value} {value}"), ("in a sentence", f"It is {value}."), ("two at once", f"{value} or 0"))
    yield "suffix", value + "1"
    if value.swapcase() != value and not (isinstance(comparator, TextEq) and comparator.ci):
        yield "case", value.swapcase()
    plain = value.replace(",", "").replace(".", "", 1).replace("-", "", 1)
    if plain.isdigit():
        yield from (("one more in front", "1" + value), ("with an exponent", value.replace(",", "") + "e0"))


def _lists(comparator: Comparator, value: list[Any]) -> Iterator[tuple[str, Any]]:
    yield from (("nothing", []), ("one more", [*value, "other"]), ("as text", ", ".join(map(str, value))))
    if value:
        yield from (("without the last", value[:-1]), ("the first twice", [*value, value[0]]))
    if isinstance(comparator, ListOf) and len(value) > 1 and value[::-1] != value:
        yield "in reverse", value[::-1]


def answer_mutants(task: Task) -> Iterator[Given]:
    """Name, component and submission of everything that may not pass beside the oracle's work."""
    person, own, spec = task.person_id, task.submission, task.expectation.answer

    def given(submission: Submission) -> Submitted:
        return submitted(submission, person)

    other: Status = "infeasible" if own.status == "done" else "done"
    yield "nothing handed in", "status", None
    yield f"handed in as {other}", "status", given(replace(own, status=other))
    yield "another reason code", "status", given(replace(own, reason_code="other_reason"))
    if spec is None:
        return
    answer = encode_raw(own.answer)
    yield "no answer", "answer", given(replace(own, answer=None))
    for label, odd in (("a list", [answer]), ("text", canonical_text(answer)), ("a number", 1), ("nothing in it", {})):
        yield label, "answer", given(replace(own, answer=odd))
    for name, wrong in task.wrong_answers.items():
        yield f"wrong procedure {name}", "answer", given(replace(own, answer=wrong))
    yield "an extra key", "answer", given(replace(own, answer=answer | {"grader": "pass"}))
    for name, comparator in spec.fields.items():
        component = f"answer.{name}"
        yield f"without {name}", component, given(replace(own, answer={k: v for k, v in answer.items() if k != name}))
        for label, wrong in _values(comparator, answer[name]):
            if canonical_text(wrong) != canonical_text(answer[name]):
                yield f"{name}: {label}", component, given(replace(own, answer=answer | {name: wrong}))
