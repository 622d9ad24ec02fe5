"""The calls of the control plane: path, input, what they answer, and the function that does it (DESIGN §5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.operations import Input

from ..errors import DeskgymError
from . import changing, inputs, reading
from .keeper import Answer, Keeper

MOST_SEQ = 2**53


@dataclass(frozen=True)
class Given:
    """What a request holds: path and query values, and the checked body."""

    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any


@dataclass(frozen=True)
class Call:
    """One call. `query`: its parameters and their defaults; an int takes whole numbers from 0, text takes text.

    `answers`: the fields of `data`, name -> JSON Schema; None where it is a list of rows.
    """

    name: str
    method: str
    path: str
    what: str
    work: Callable[[Keeper, Given], Any]
    body: type[Input] | None = None
    query: Mapping[str, int | str] = field(default_factory=dict)
    status: int = 200
    answers: Mapping[str, Any] | None = None

    def parse_query(self, given: list[tuple[str, str]]) -> dict[str, Any]:
        """The query's values. Raises DeskgymError (usage) for an unknown, repeated or malformed one."""
        found: dict[str, Any] = dict(self.query)
        for name, text in given:
            if name not in self.query:
                raise DeskgymError(
                    "usage", f'{self.name} takes no parameter "{name[:40]}".{nearest(name, [*self.query])}'
                )
            found[name] = _whole(name, text) if isinstance(self.query[name], int) else text
        if len({name for name, _ in given}) != len(given):
            raise DeskgymError("usage", "a parameter is given twice", "give it once")
        return found


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= MOST_SEQ):
        raise DeskgymError("usage", f'{name} is "{text[:40]}"; it is a whole number from 0 on')
    return int(text)


def _of(work: Callable[..., Answer], *parameters: str) -> Callable[[Keeper, Given], Answer]:
    """A function of an episode's entry, its body if it has one, and query parameters, as the work of a call."""

    def done(keeper: Keeper, given: Given) -> Answer:
        entry = keeper.registry.get(given.path["id"])
        rest = [given.query[name] for name in parameters]
        return work(keeper, entry, *([] if given.body is None else [given.body]), *rest)

    return done


TEXT: Answer = {"type": "string"}
WHOLE: Answer = {"type": "integer"}
ROWS: Answer = {"type": "array", "items": {"type": "object"}}
_MAYBE_TEXT = {"type": ["string", "null"]}
_ROW = {"id": TEXT, "task": _MAYBE_TEXT, "world": TEXT, "person": TEXT, "ttl_s": WHOLE, "lease_expires": TEXT}
_DOORS = {"agent_token": TEXT, "enter_url": TEXT, "mcp_url": TEXT}
_FACE = {
    **_ROW,
    "instruction": TEXT,
    "answer_schema": {"type": ["object", "null"]},
    "apps": {"type": "array", "items": TEXT},
    "variation": {"type": "object"},
    "base_url": TEXT,
    **_DOORS,
    "world_digest": TEXT,
    "task_digest": _MAYBE_TEXT,
}
_ONE = "/v1/episodes/{id}"

CALLS = (
    Call(
        "start",
        "POST",
        "/v1/episodes",
        "Start an episode",
        lambda keeper, given: keeper.start(given.body),
        inputs.Start,
        status=201,
        answers=_FACE,
    ),
    Call("episodes", "GET", "/v1/episodes", "List live episodes", lambda keeper, _given: keeper.episodes()),
    Call(
        "episode",
        "GET",
        _ONE,
        "One episode, its doors and how far it is",
        lambda keeper, given: keeper.episode(given.path["id"]),
        answers={**_FACE, "now": TEXT, "seq": WHOLE, "submission": {"type": ["object", "null"]}, "snapshots": ROWS},
    ),
    Call(
        "end",
        "DELETE",
        _ONE,
        "End an episode",
        lambda keeper, given: keeper.end(given.path["id"]),
        answers={"id": TEXT, "ended": {"const": True}},
    ),
    Call(
        "token",
        "POST",
        f"{_ONE}/tokens",
        "Let another person into the same episode",
        _of(changing.token),
        inputs.Person,
        answers={"id": TEXT, "person": TEXT, **_DOORS},
    ),
    Call(
        "reset",
        "POST",
        f"{_ONE}/reset",
        "Begin anew in another folder under other tokens",
        _of(changing.reset),
        inputs.Asked,
        answers=_FACE,
    ),
    Call(
        "snapshot",
        "POST",
        f"{_ONE}/snapshot",
        "Keep the present state",
        _of(changing.snapshot),
        inputs.Asked,
        status=201,
        answers={"id": TEXT, "snapshot": TEXT, "seq": WHOLE},
    ),
    Call(
        "restore",
        "POST",
        f"{_ONE}/restore",
        "Go on from a snapshot in another folder under other tokens",
        _of(changing.restore),
        inputs.FromSnapshot,
        answers=_FACE,
    ),
    Call(
        "fork",
        "POST",
        f"{_ONE}/fork",
        "Start a second episode from a snapshot or the present state",
        _of(changing.fork),
        inputs.MaybeFromSnapshot,
        status=201,
        answers=_FACE,
    ),
    Call(
        "clock",
        "POST",
        f"{_ONE}/clock",
        "Move the simulated clock on",
        _of(changing.clock),
        inputs.Clock,
        answers={"id": TEXT, "now": TEXT, "seq": WHOLE},
    ),
    Call(
        "heartbeat",
        "POST",
        f"{_ONE}/heartbeat",
        "Lengthen the lease",
        _of(changing.heartbeat),
        inputs.Heartbeat,
        answers={"id": TEXT, "ttl_s": WHOLE, "lease_expires": TEXT},
    ),
    Call(
        "submit",
        "POST",
        f"{_ONE}/submit",
        "Hand in the work and seal",
        _of(changing.submit),
        inputs.Submit,
        answers={"id": TEXT, "submitted": {"const": True}},
    ),
    Call(
        "grade",
        "POST",
        f"{_ONE}/grade",
        "The verdict, with command replay; for the caller only",
        _of(lambda keeper, entry, _body: reading.grade(keeper, entry)),
        inputs.Nothing,
        answers={
            "id": TEXT,
            "status": {"enum": ["graded", "env_error", "spec_error"]},
            "reward": {"enum": [0.0, 1.0, None]},
            "reason": TEXT,
            "feedback": TEXT,
        },
    ),
    Call(
        "diff",
        "GET",
        f"{_ONE}/diff",
        "What changed since a command, net",
        _of(reading.diff, "after"),
        query={"after": 0},
        answers={"id": TEXT, "seq": WHOLE, "changes": ROWS},
    ),
    Call(
        "journal",
        "GET",
        f"{_ONE}/journal",
        "Commands after one, with their effects",
        _of(reading.journal, "after"),
        query={"after": 0},
        answers={"id": TEXT, "commands": ROWS},
    ),
    Call(
        "state",
        "GET",
        f"{_ONE}/state",
        "The canonical state",
        _of(reading.state),
        answers={"id": TEXT, "seq": WHOLE, "state": {"type": "object"}},
    ),
    Call(
        "state_hash",
        "GET",
        f"{_ONE}/state_hash",
        "SHA-256 of the canonical state",
        _of(reading.state_hash),
        answers={"id": TEXT, "seq": WHOLE, "now": TEXT, "sealed": {"type": "boolean"}, "state_hash": TEXT},
    ),
    Call(
        "pages",
        "GET",
        f"{_ONE}/pages",
        "The store as pages that differ from the world's image, in base64",
        _of(reading.pages),
        answers={"id": TEXT, "seq": WHOLE, "pages": TEXT},
    ),
    Call(
        "tasks",
        "GET",
        "/v1/tasks",
        "List tasks",
        lambda keeper, given: reading.tasks(keeper, given.query["world"]),
        query={"world": "small:1"},
    ),
    Call("apps", "GET", "/v1/apps", "List apps", lambda _keeper, _given: reading.apps()),
    Call("worlds", "GET", "/v1/worlds", "List worlds", lambda _keeper, _given: reading.worlds()),
    Call(
        "version",
        "GET",
        "/version",
        "Versions and digests",
        lambda _keeper, _given: reading.version(),
        answers={"deskgym": TEXT, "python": TEXT, "digests": {"type": "object"}},
    ),
)
