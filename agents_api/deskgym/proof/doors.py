"""The right work passes: the oracle through every door (A1), other ways to do it (A2), both doors alike (A18)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.tools import tools
from deskgym_graders.codec import SpecError, encode_raw
from deskgym_graders.comparators import BagOf, Comparator, Eq, Money, Number, SetOf, TextEq
from deskgym_graders.spec import Call, Submission, Variant

from ..trial import TrialResult
from .case import Case
from .report import Gate

_STALE = 1_000_000


def a1_oracle(case: Case) -> Gate:
    """The oracle passes through each door."""
    faults = []
    for surface in case.surfaces:
        result = case.oracle(surface)
        if not result.passed:
            refused = next((step.error for step in result.trace if step.error), None)
            faults.append(f"{surface}: {result.status} {result.reason}: {refused or result.feedback}")
    return Gate("A1", len(case.surfaces), tuple(faults))


def a2_variants(case: Case) -> Gate:
    """Every variant gets the reason it should; detours that change nothing and other spellings pass."""
    own, faults = case.task.submission, []
    attempts = [(variant, False) for variant in (*case.task.variants, *spellings(case))]
    attempts += [(variant, True) for variant in detours(case)]
    for variant, stubborn in attempts:
        try:
            verdict = case.worked(variant.calls, variant.submission or own, stubborn=stubborn)
        except (ServiceError, SpecError) as error:
            faults.append(f"{variant.name} is refused: {error}")
            continue
        if verdict.reason != variant.reason or verdict.passed != (variant.reason == "OK"):
            faults.append(f"{variant.name} gets {verdict.reason}, not {variant.reason}: {verdict.feedback}")
    return Gate("A2", len(attempts), tuple(faults))


def detours(case: Case) -> Iterator[Variant]:
    """The oracle among calls that are refused, and after calls that only read: neither changes anything."""
    known, calls = tools(case.task.apps), list[Call]()
    for call in case.task.oracle:
        wrong = {"row_version": _STALE} if "row_version" in call.args else {"no such argument": 1}
        calls += [Call(call.tool, {**call.args, **wrong}), call]
    yield Variant("each call refused once before", tuple(calls))
    reading = [Call(name) for name, tool in known.items() if not tool.writes and not tool.schema.get("required")]
    yield Variant("after looking around", (*reading, *case.task.oracle))


def spellings(case: Case) -> Iterator[Variant]:
    """The oracle with its answer written otherwise: numbers with and without commas, sets in another order."""
    spec, own = case.task.expectation.answer, case.task.submission
    answer = encode_raw(own.answer)
    if spec is None or not isinstance(answer, dict):
        return
    for name, comma in (("numbers with commas", ","), ("numbers without commas", "")):
        given = {field: _spelt(spec.fields[field], value, comma) for field, value in answer.items()}
        if given != answer:
            other = Submission(own.status, own.reason_code, given)
            yield Variant(f"an answer of {name}", case.task.oracle, other)


def _spelt(comparator: Comparator, value: Any, comma: str) -> Any:
    if isinstance(comparator, Money | Number) or (isinstance(comparator, Eq) and type(comparator.value) is int):
        number = Decimal(str(value).replace(",", ""))
        return f"{number:{comma}f}"
    if isinstance(comparator, TextEq):
        return f" {value}\u00a0" if comma else value
    if isinstance(comparator, SetOf | BagOf):
        return value[::-1]
    return value


def a18_parity(case: Case) -> Gate:
    """Both doors: equal state, equal commands."""
    return Gate("A18", 1, tuple(differences(case.oracle("mcp"), case.oracle("browser"))))


def differences(by_tools: TrialResult, by_pages: TrialResult) -> Iterator[str]:
    """What two trials of the same work did otherwise."""
    broken = [result for result in (by_tools, by_pages) if result.state_hash is None]
    if broken:
        yield from (f"{result.surface}: {result.status}: {result.feedback}" for result in broken)
        return
    if by_tools.state_hash != by_pages.state_hash:
        yield "the state hashes differ"
    if _commands(by_tools) != _commands(by_pages):
        yield f"the commands differ: {_commands(by_tools)} by tools, {_commands(by_pages)} by pages"
    if _handed_in(by_tools) != _handed_in(by_pages):
        yield f"what was handed in differs: {_handed_in(by_tools)} by tools, {_handed_in(by_pages)} by pages"


def _commands(result: TrialResult) -> list[tuple[str, Any]]:
    return [(entry["operation"], entry["arguments"]) for entry in result.journal]


def _handed_in(result: TrialResult) -> tuple[Any, ...]:
    given = result.submission or {}
    return tuple(given.get(name) for name in ("status", "reason_code", "answer"))
