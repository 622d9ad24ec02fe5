"""The one submission (DESIGN §3, Seal). It is no command: it moves no clock and returns nothing of the verdict."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from ..kit.call import Channel, canonical_json, is_sealed
from ..kit.errors import Invalid, Sealed
from ..kit.operations import Input, parse_input
from ..kit.store import Store

MAX_ANSWER_BYTES = 64 * 1024
MAX_DEPTH = 16


class Submission(Input):
    """What ends the work. `answer` is JSON as the task's schema asks; it is graded later, never here."""

    status: Literal["done", "infeasible"] = Field(
        title="Outcome", description='"done" when the work is finished, "infeasible" when it cannot be done.'
    )
    reason_code: str | None = Field(
        default=None,
        title="Reason code",
        max_length=60,
        description="Why it cannot be done, as the task lists them.",
    )
    answer: Any = Field(default=None, title="Answer", description="JSON as the answer schema of the task asks.")


def _depth(value: Any) -> int:
    level, layer = 0, [value]
    while layer:
        level += 1
        if level > MAX_DEPTH:
            return level
        layer = [
            inner
            for item in layer
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return level


def answer_text(answer: Any) -> str | None:
    """The answer as canonical JSON text. Raises Invalid where it is too large, too deep or not finite."""
    if answer is None:
        return None
    if _depth(answer) > MAX_DEPTH:
        raise Invalid(f"the answer is nested deeper than {MAX_DEPTH} levels", field="answer")
    try:
        text = canonical_json(answer)
    except ValueError:
        raise Invalid("the answer holds a number that is not finite", field="answer") from None
    except TypeError:
        raise Invalid("the answer is no JSON: keys are text, values are JSON values", field="answer") from None
    if len(text.encode("utf-8", "surrogatepass")) > MAX_ANSWER_BYTES:
        raise Invalid(f"the answer is larger than {MAX_ANSWER_BYTES} bytes", field="answer")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid("the answer holds a lone surrogate; send valid Unicode", field="answer") from None
    return text


def submit(store: Store, person_id: str, channel: Channel, submission: dict[str, Any] | Submission) -> dict[str, Any]:
    """Store the one submission and seal the episode, in one transaction.

    Malformed input is refused (Invalid) and does not count; a second submission is refused (Sealed).
    """
    given = submission if isinstance(submission, Submission) else parse_input(Submission, submission)
    assert isinstance(given, Submission)
    text = answer_text(given.answer)
    with store.writing() as conn:
        if is_sealed(store):
            raise Sealed("this episode was submitted already; only the first submission counts")
        conn.execute(
            "INSERT INTO desk_submission(one, person_id, status, reason_code, answer, channel, instant) "
            "VALUES (1, ?, ?, ?, ?, ?, ?)",
            (person_id, given.status, given.reason_code, text, channel, store.now),
        )
    return {"submitted": True}


def submitted(store: Store) -> dict[str, Any] | None:
    """The stored submission with its answer as JSON text, or None."""
    row = store.one("SELECT person_id, status, reason_code, answer, channel, instant FROM desk_submission")
    return row


def instruction(store: Store, person_id: str) -> dict[str, Any]:
    """What the person was asked: instruction, answer schema, who they are, the apps, the present instant."""
    person = store.get("org_person", person_id)
    public = store.public
    return {
        "instruction": public.instruction if public else "",
        "answer_schema": json.loads(json.dumps(public.answer_schema)) if public else None,
        "person": {key: person[key] for key in ("id", "name", "email", "title", "tz")} if person else None,
        "apps": list(public.apps) if public else [],
        "company": store.meta("company"),
        "now": store.now,
        "sealed": is_sealed(store),
    }
