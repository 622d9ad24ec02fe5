"""The desk's MCP tools: read the instruction, hand in the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.call import Channel
from ..kit.store import Store
from ..kit.tools import Tool
from . import service


def _instruction(store: Store, person_id: str, _arguments: Mapping[str, Any], _channel: Channel) -> Any:
    with store.reading():
        return service.instruction(store, person_id)


def _submit(store: Store, person_id: str, arguments: Mapping[str, Any], channel: Channel) -> Any:
    given = {name: value for name, value in arguments.items() if name != "idempotency_key"}
    return service.submit(store, person_id, channel, given)


def _finish(store: Store, person_id: str, _arguments: Mapping[str, Any], channel: Channel) -> Any:
    return service.submit(store, person_id, channel, {"status": "done"})


_NONE = {"type": "object", "properties": {}, "additionalProperties": False}

TOOLS = (
    Tool(
        name="desk_instruction",
        title="Read the instruction",
        description="Your instruction, the JSON Schema of the answer (null when none is asked for), who you are, "
        "the company, the apps at hand and the present instant (UTC).",
        schema=_NONE,
        writes=False,
        perform=_instruction,
    ),
    Tool(
        name="submit_answer",
        title="Hand in the work",
        description="Ends the work: exactly one submission counts and nothing can be changed afterwards. "
        'status "done", or "infeasible" with a reason_code; answer as the answer schema asks.',
        schema=service.Submission.model_json_schema(),
        writes=True,
        destructive=True,
        perform=_submit,
    ),
    Tool(
        name="finish",
        title="Finish without an answer",
        description='Ends the work with status "done" and no answer. Same as submit_answer(status="done").',
        schema=_NONE,
        writes=True,
        destructive=True,
        perform=_finish,
    ),
)
