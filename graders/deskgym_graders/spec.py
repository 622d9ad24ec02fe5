"""What a task is: frozen data that says which changes must, may and must not appear, and which answer is right.

    Task
      instruction, person, apps          what the agent gets
      expectation                        what the grader holds against S0, S1 and the journal
        any_of: (goal, goal, …)          alternatives, each a complete tuple of Update / Insert / Delete
        allowed, never, budget           traces tolerated; acts forbidden even if undone; commands at most
        answer, status, reason_code      what must be submitted
      oracle, submission                 calls that solve it, and what they hand in
      variants, wrong_answers            other ways that must pass (or fail), answers of plausible wrong procedures

Everything round-trips through JSON (`Task.to_json`, `Task.from_json`); `task.digest` is the SHA-256 of that.
The frame is closed: what no goal, allowance or role rule explains is collateral (grading.md §3.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any as Data
from typing import Literal, TypeVar

from .codec import SpecError, Var, coded, decode, digest_of, encode, raw_json
from .comparators import (
    Any,
    BagOf,
    Between,
    Clock,
    Comparator,
    DateEq,
    Default,
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
    RefTo,
    SetOf,
    TextEq,
)

__all__ = [
    "Allowed",
    "AnswerSpec",
    "Any",
    "BagOf",
    "Between",
    "Call",
    "Clock",
    "Comparator",
    "DateEq",
    "Default",
    "Delete",
    "Distractors",
    "Draft",
    "EmailEq",
    "Eq",
    "Expectation",
    "Facts",
    "Fields",
    "Goal",
    "Insert",
    "InstantEq",
    "Key",
    "ListOf",
    "Money",
    "Never",
    "Number",
    "OneOf",
    "PhoneEq",
    "RefTo",
    "SetOf",
    "SpecError",
    "Submission",
    "Task",
    "TextEq",
    "Update",
    "Var",
    "Variant",
    "for_each",
]

Key = tuple[Data, ...]
Kind = Literal["answer", "mutate", "mutate+answer", "infeasible"]
Status = Literal["done", "infeasible"]
Item = TypeVar("Item")


def _as_key(key: Data) -> Key:
    if isinstance(key, tuple | list):
        return tuple(key)
    return (key,)


def _set_key(holder: Data) -> None:
    object.__setattr__(holder, "key", _as_key(holder.key))


@coded
@dataclass(frozen=True)
class Update:
    """A row of S0 whose listed columns satisfy their comparators in S1. A soft delete is an Update."""

    table: str
    key: Key | str
    set: Mapping[str, Comparator]

    def __post_init__(self) -> None:
        _set_key(self)


@coded
@dataclass(frozen=True)
class Insert:
    """One new row. Every column but those the server sets has a comparator; `save_as` names its key for `RefTo`."""

    table: str
    values: Mapping[str, Comparator]
    save_as: str | None = None


@coded
@dataclass(frozen=True)
class Delete:
    """A row of S0 that is gone in S1."""

    table: str
    key: Key | str

    def __post_init__(self) -> None:
        _set_key(self)


Step = Update | Insert | Delete
Goal = tuple[Step, ...]


@coded
@dataclass(frozen=True)
class Allowed:
    """A trace that is tolerated up to `most` times: a new row, a changed cell or a removed row.

    insert: the new row satisfies `values`. update: the cell is one of the columns of `values`, its new value satisfies
    that comparator, and the row's key is `key` where given. delete: the old row satisfies `values`.
    """

    op: Literal["insert", "update", "delete"]
    table: str
    values: Mapping[str, Comparator]
    most: int = 1
    key: Key | str | None = None

    def __post_init__(self) -> None:
        if self.key is not None:
            _set_key(self)
        if self.most < 1:
            raise ValueError("an allowance of nothing is no allowance; leave it out")


@coded
@dataclass(frozen=True)
class Never:
    """An act that fails the task even if it is undone, judged on the journal.

    `values` must hold of the row as it was written (for a delete: as it was); empty means any row. `columns` limits
    an update to those columns. `op="write"` means all three.
    """

    op: Literal["insert", "update", "delete", "write"]
    table: str
    values: Mapping[str, Comparator] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@coded
@dataclass(frozen=True)
class AnswerSpec:
    """The answer: an object with exactly these fields. `schema` is the JSON Schema that the agent sees."""

    fields: Mapping[str, Comparator]
    schema: Mapping[str, Data] = field(metadata=raw_json())


@coded
@dataclass(frozen=True)
class Expectation:
    """See the module. `any_of=()` means that nothing may change: legal only where an answer is asked for.

    `budget`: commands of the agent at most; None means max(20, 4 x the oracle's).
    """

    any_of: tuple[Goal, ...] = ()
    allowed: tuple[Allowed, ...] = ()
    never: tuple[Never, ...] = ()
    answer: AnswerSpec | None = None
    status: Status = "done"
    reason_code: str | None = None
    budget: int | None = None


@coded
@dataclass(frozen=True)
class Call:
    """One tool call of an oracle. Arguments may hold `Var("c.id")`: field `id` of the result saved as `c`."""

    tool: str
    args: Mapping[str, Data] = field(default_factory=dict, metadata=raw_json())
    save_as: str | None = None


@coded
@dataclass(frozen=True)
class Submission:
    """What is handed in. `answer` is plain JSON data, None where no answer is asked for."""

    status: Status = "done"
    reason_code: str | None = None
    answer: Data = field(default=None, metadata=raw_json())


@coded
@dataclass(frozen=True)
class Variant:
    """Another way to work. `reason` is the verdict's reason that it must get: OK for a legitimate way.

    `submission` None means the task's own.
    """

    name: str
    calls: tuple[Call, ...]
    submission: Submission | None = None
    reason: str = "OK"


@coded
@dataclass(frozen=True)
class Distractors:
    """Rows of S0 that a careless worker would confuse with the targets (lint L8: there must be some)."""

    label: str
    table: str
    keys: tuple[Key, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(_as_key(key) for key in self.keys))


@dataclass(frozen=True)
class Draft:
    """What a template function returns; `bind` compiles it to a Task.

    `because`: graded values that the instruction does not spell out, `"<table>.<column>"` or `"<column>"` -> why they
    follow from it (lint L11); `"distractors"` -> why there can be none (L8).
    `wrong_answers`: name of a plausible wrong procedure -> the answer it gives.
    `people`: further persons of the episode, beside `person_id`. `twin`: the task id of the feasible twin.
    """

    instruction: str
    person_id: str
    expectation: Expectation
    oracle: tuple[Call, ...]
    submission: Submission = Submission()
    variants: tuple[Variant, ...] = ()
    wrong_answers: Mapping[str, Data] = field(default_factory=dict)
    distractors: tuple[Distractors, ...] = ()
    because: Mapping[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    twin: str | None = None


@coded
@dataclass(frozen=True)
class Task:
    """One template bound to rows of one world by one seed. `id` is `<template>@<seed>`."""

    id: str
    template: str
    seed: int
    world: str
    apps: tuple[str, ...]
    person_id: str
    instruction: str
    answer_schema: Mapping[str, Data] | None = field(metadata=raw_json())
    expectation: Expectation
    oracle: tuple[Call, ...]
    submission: Submission
    variants: tuple[Variant, ...]
    wrong_answers: Mapping[str, Data] = field(metadata=raw_json())
    distractors: tuple[Distractors, ...]
    because: Mapping[str, str]
    people: tuple[str, ...]
    kind: Kind
    level: int
    revision: int
    twin: str | None = None

    def to_json(self) -> dict[str, Data]:
        """Plain JSON data, for control's own folder only: it holds the expectation."""
        body: dict[str, Data] = encode(self)
        return body

    @classmethod
    def from_json(cls, data: Mapping[str, Data]) -> Task:
        """The reverse of `to_json`. Raises SpecError for unknown keys and kinds."""
        task = decode(dict(data))
        if not isinstance(task, Task):
            raise SpecError(f"this is no task but {type(task).__name__}")
        return task

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        return digest_of(self)

    @property
    def commands_at_most(self) -> int:
        """The mutation budget: commands of the agent (grading.md §3.6)."""
        given = self.expectation.budget
        return max(20, 4 * len(self.oracle)) if given is None else given


def for_each(rows: Iterable[Item], make: Callable[[Item], Step]) -> Goal:
    """One goal step per row. Raises SpecError over no rows: an empty goal is met by doing nothing (P21)."""
    steps = tuple(make(row) for row in rows)
    if not steps:
        raise SpecError("for_each over 0 rows: an empty goal is met by doing nothing")
    return steps
