"""Lints of a compiled task against its world (grading.md §3.8): `check_task` raises, `lint_task` lists.

L1 and L3 are in compile.py, L7 in mutate.py (every component can fail). Here: L2 goal holds already, L4 ids that are
not in S0, L5 `Any` without reason, L6 loose comparators on names and codes, L8 distractors, L9 wrong answers differ
(`lint_bindings` over many of them), L10 alternatives, L11 and L12 graded values stand in the instruction, and that the
oracle's calls exist.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any as Data

from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.roles import Key
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import tools

from .answers import check_answer, check_submission, submitted
from .assign import ordered_inserts
from .codec import SpecError, Var, canonical_text, digest_of, encode_raw
from .comparators import Any, Comparator, Default, Eq, Facts, RefTo
from .compare import Cell, plain_text, satisfies
from .render import unsaid
from .shapes import default_of, is_server_set, role_of, shapes, table_of
from .spec import Delete, Goal, Insert, Task, Update

_ID = re.compile(r"[A-Z0-9]{3}[0-9A-HJKMNP-TV-Z]{12}")
MAX_GUESS = 0.01
GUESS_BINDINGS = 300
_SAID = "as the instruction says"
NO_DISTRACTORS = "distractors"
_SENTENCE = 12


def _steps(task: Task) -> Iterator[Insert | Update | Delete]:
    for goal in task.expectation.any_of:
        yield from goal


def _comparators(task: Task) -> Iterator[tuple[str, str, Comparator]]:
    for step in _steps(task):
        if not isinstance(step, Delete):
            values = step.values if isinstance(step, Insert) else step.set
            yield from ((step.table, column, comparator) for column, comparator in values.items())
    for trace in task.expectation.allowed:
        yield from ((trace.table, column, comparator) for column, comparator in trace.values.items())
    for act in task.expectation.never:
        yield from ((act.table, column, comparator) for column, comparator in act.values.items())


def _holds(world: Store, table: str, row: Mapping[str, Data], values: Mapping[str, Comparator]) -> bool:
    return all(satisfies(comparator, Cell(world, table, row, column)) for column, comparator in values.items())


def _lint_rows(task: Task, world: Store) -> Iterator[str]:
    """Rows must be there, and no step may hold in S0 (L2)."""
    for step in _steps(task):
        if isinstance(step, Insert):
            stated = {name: value for name, value in step.values.items() if not isinstance(value, Default | RefTo)}
            equal = {name: value.value for name, value in stated.items() if isinstance(value, Eq)}
            refers = any(isinstance(value, RefTo) for value in step.values.values())
            if not refers and any(_holds(world, step.table, row, stated) for row in world.select(step.table, **equal)):
                yield f"a row of {step.table} as expected is in S0: the goal holds already (L2)"
            continue
        row = world.get(step.table, tuple(step.key))
        if row is None:
            yield f"there is no row {list(step.key)} in {step.table}"
        elif isinstance(step, Update) and _holds(world, step.table, row, step.set):
            yield f"{step.table}{list(step.key)} is as expected in S0: this step of the goal holds already (L2)"


def _texts(value: Data) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _lint_ids(task: Task, world: Store) -> Iterator[str]:
    """Only ids of S0 may be named: those of rows to come are nobody's to know (L4)."""
    prefixes: dict[str, list[str]] = {}
    for name in world.tables:
        prefixes.setdefault(world.tables[name].prefix or "", []).append(name)
    data = task.to_json()
    named = [data["expectation"], data["oracle"], data["variants"], data["distractors"]]
    for text in sorted(set(_texts(named))):
        tables = prefixes.get(text[:3], []) if _ID.fullmatch(text) else []
        if tables and all(world.get(table, (text,)) is None for table in tables):
            yield f"{text} is no row of S0; name rows to come with save_as, RefTo and Var (L4)"


def _lint_comparators(task: Task) -> Iterator[str]:
    for table, column, comparator in _comparators(task):
        if isinstance(comparator, Any) and len(comparator.reason.strip()) < _SENTENCE:
            yield f"{table}.{column}: Any needs a reason, not {comparator.reason!r} (L5)"
        if isinstance(comparator, Facts) and (role_of(table, column).kind, role_of(table, column).of) != (
            "text",
            "free",
        ):
            yield f"{table}.{column} is no free prose: Facts would let other values through (L6)"


def _lint_distractors(task: Task, world: Store) -> Iterator[str]:
    if not task.distractors and NO_DISTRACTORS not in task.because:
        yield (
            "there are no distractors: name rows of S0 that a careless worker would take for the targets, or say in "
            'because={"distractors": …} why there can be none (L8)'
        )
    for distractors in task.distractors:
        if not distractors.keys:
            yield f'distractors "{distractors.label}": this world has none (L8)'
        if distractors.table not in shapes():
            yield f'distractors "{distractors.label}": there is no table {distractors.table}'
            continue
        for key in distractors.keys:
            if world.get(distractors.table, key) is None:
                yield f'distractors "{distractors.label}": there is no row {list(key)} in {distractors.table} (L8)'
            if any(_targets(step, distractors.table, key) for step in _steps(task)):
                yield f'distractors "{distractors.label}": {list(key)} is a target itself (L8)'


def _targets(step: Insert | Update | Delete, table: str, key: Key) -> bool:
    return not isinstance(step, Insert) and step.table == table and tuple(step.key) == key


def _lint_answers(task: Task) -> Iterator[str]:
    """The task's own submission is right, and those of wrong procedures are wrong (L9)."""
    expectation = task.expectation
    fault = check_submission(expectation, submitted(task.submission, task.person_id))
    if fault is not None:
        yield f"the task's own submission is {fault[0]}: {fault[1]}"
    if expectation.answer is None:
        if task.wrong_answers:
            yield "there are wrong answers, but no answer is asked for"
        return
    if not task.wrong_answers:
        yield "name the answers of plausible wrong procedures in wrong_answers (L9)"
    for name, answer in task.wrong_answers.items():
        if check_answer(expectation.answer, canonical_text(encode_raw(answer))) is None:
            yield f'the wrong procedure "{name}" gives the right answer on this world (L9)'


def _lint_alternatives(task: Task) -> Iterator[str]:
    """Alternatives differ, and ways are named that could reach each; the audit shows that they do (L10)."""
    goals = task.expectation.any_of
    if len({canonical_text([digest_of(step) for step in goal]) for goal in goals}) != len(goals):
        yield "two alternatives are the same (L10)"
    ways = 1 + sum(variant.reason == "OK" for variant in task.variants)
    if ways < len(goals):
        yield f"{len(goals)} alternatives, but only {ways} ways that should pass; name a variant for each (L10)"


def _variables(value: Data) -> Iterator[str]:
    if isinstance(value, Var):
        yield value.path.split(".", 1)[0]
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _variables(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _variables(inner)


def _lint_calls(task: Task, world: Store) -> Iterator[str]:
    known = tools(task.apps)
    if world.get("org_person", (task.person_id,)) is None:
        yield f"there is no person {task.person_id} in this world"
    if task.kind != "answer" and task.kind != "infeasible" and not task.oracle:
        yield "there is no oracle: name the calls that solve the task"
    for name, calls in [("oracle", task.oracle), *((variant.name, variant.calls) for variant in task.variants)]:
        saved: set[str] = set()
        for call in calls:
            if call.tool not in known:
                yield f'{name}: there is no tool "{call.tool}".{nearest(call.tool, list(known))}'
                continue
            allowed = known[call.tool].schema.get("properties", {})
            for argument in call.args:
                if argument not in allowed and argument != "idempotency_key":
                    yield f'{name}: {call.tool} has no argument "{argument}".{nearest(argument, list(allowed))}'
            for variable in _variables(call.args):
                if variable not in saved:
                    yield f'{name}: {call.tool} uses "{variable}", which no earlier call saves'
            saved |= {call.save_as} if call.save_as is not None else set()


def _lint_instruction(task: Task, world: Store) -> Iterator[str]:
    """Every graded value stands in the instruction as people write it, or says why it follows (L11, L12)."""
    used = {NO_DISTRACTORS}
    for step in _steps(task):
        if isinstance(step, Delete):
            continue
        for column, comparator in (step.values if isinstance(step, Insert) else step.set).items():
            reasons = [name for name in (f"{step.table}.{column}", column) if name in task.because]
            used.update(reasons)
            if reasons or is_server_set(step.table, column):
                continue
            for value in unsaid(task.instruction, world, step.table, column, comparator):
                yield (
                    f"{step.table}.{column}: {value!r} does not stand in the instruction; say it there, or why it "
                    f'follows in because={{"{column}": …}} (L11)'
                )
    for name in sorted(set(task.because) - used):
        yield f'because names "{name}", which nothing graded is called'


_Lint = Callable[[Task, Store], Iterable[str]]
_LINTS: tuple[_Lint, ...] = (
    _lint_rows,
    _lint_ids,
    lambda task, _world: _lint_comparators(task),
    _lint_distractors,
    lambda task, _world: _lint_answers(task),
    lambda task, _world: _lint_alternatives(task),
    _lint_calls,
    _lint_instruction,
)


def lint_task(task: Task, world: Store) -> list[str]:
    """Every fault of a task on its world, as sentences; empty when sound."""
    for goal in task.expectation.any_of:
        ordered_inserts(goal)
    return [fault for lint in _LINTS for fault in lint(task, world)]


def check_task(task: Task, world: Store) -> None:
    """Raises SpecError that names every fault of a task on its world."""
    faults = lint_task(task, world)
    if faults:
        raise SpecError("; ".join(dict.fromkeys(faults)))


def full_rows(goal: Goal, person_id: str) -> list[str]:
    """The expected rows with every column as it will be compared: what `deskgym lint` prints for the author."""
    lines = []
    for step in goal:
        if isinstance(step, Delete):
            lines.append(f"-{step.table}{list(step.key)}")
            continue
        values = step.values if isinstance(step, Insert) else step.set
        lines.append(f"+{step.table}" if isinstance(step, Insert) else f"~{step.table}{list(step.key)}")
        for column, role in table_of(step.table).columns.items():
            if column not in values:
                if isinstance(step, Insert):
                    lines.append(f"    {column} = by rule ({role.kind})")
                continue
            comparator: Comparator = values[column]
            shown = str(comparator)
            if isinstance(comparator, Default):
                shown = f"{default_of(step.table, column, person_id)!r} (default)"
            lines.append(f"    {column} = {shown}")
    return lines


def _unread(value: Data, said: str) -> Data:
    """An answer in which each text that the instruction holds is replaced: whoever can read needs not guess it."""
    if isinstance(value, Mapping):
        return {name: _unread(inner, said) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_unread(inner, said) for inner in value]
    return _SAID if isinstance(value, str) and plain_text(value).casefold() in said else value


def _guess(task: Task) -> str:
    said, given = plain_text(task.instruction).casefold(), task.submission
    return canonical_text([given.status, given.reason_code, _unread(encode_raw(given.answer), said)])


def guessability(bindings: Iterable[Task]) -> float:
    """The share of bindings of one template that the best constant answer gets right (L9: at most MAX_GUESS).

    What stands in the instruction counts as known: repeating it makes no answer harder to guess. Answers that accept
    several values count by the task's own. Raises SpecError over no bindings or no answers.
    """
    given = Counter(_guess(task) for task in bindings if task.expectation.answer is not None)
    if not given:
        raise SpecError("guessability is a matter of tasks with answers")
    return given.most_common(1)[0][1] / given.total()


def lint_bindings(bindings: Iterable[Task]) -> list[str]:
    """What is unsound about a template that one task does not show: an answer that is worth guessing (L9).

    `bindings`: tasks of one template on one world, GUESS_BINDINGS seeds of it; fewer give a share that says little.
    """
    asked = [task for task in bindings if task.expectation.answer is not None]
    if not asked:
        return []
    share = guessability(asked)
    if share <= MAX_GUESS:
        return []
    return [
        f"{asked[0].template}: one answer is right in {share:.1%} of {len(asked)} bindings, and may be in at most "
        f"{MAX_GUESS:.0%}; draw one more parameter, or ask for one more thing that has to be looked up (L9)"
    ]
