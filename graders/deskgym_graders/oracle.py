"""Carrying out a task's calls on a store, in process: the shortest way from a task to a state worth grading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from deskgym_apps.desk.service import submit
from deskgym_apps.kit.call import Channel
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool

from .codec import SpecError, Var
from .spec import Call, Submission, Task


def resolve(value: Any, results: Mapping[str, Any]) -> Any:
    """JSON data with every `Var` replaced by what it points to. Raises SpecError for a path that leads nowhere."""
    if isinstance(value, Var):
        name, *path = value.path.split(".")
        found: Any = results
        for part in (name, *path):
            key: Any = int(part) if isinstance(found, list) and part.isdigit() else part
            try:
                found = found[key]
            except (KeyError, IndexError, TypeError):
                raise SpecError(f'Var("{value.path}") leads nowhere: there is no "{part}"') from None
        return found
    if isinstance(value, Mapping):
        return {name: resolve(inner, results) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(inner, results) for inner in value]
    return value


def carry_out(
    store: Store, task: Task, calls: Iterable[Call], *, channel: Channel = "mcp", person_id: str | None = None
) -> dict[str, Any]:
    """Carry out calls as the task's person; returns the saved results. Raises ServiceError where one is refused."""
    results: dict[str, Any] = {}
    for call in calls:
        arguments = resolve(call.args, results)
        person = task.person_id if person_id is None else person_id
        result = call_tool(store, call.tool, arguments, person_id=person, app_names=task.apps, channel=channel)
        if call.save_as is not None:
            results[call.save_as] = result
    return results


def hand_in(store: Store, task: Task, submission: Submission, *, channel: Channel = "mcp") -> None:
    """Submit and seal, as the task's person."""
    given = {"status": submission.status, "reason_code": submission.reason_code, "answer": submission.answer}
    submit(store, task.person_id, channel, given)
