"""The agent that gives the same answer to everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deskgym_graders.spec import Status, Submission

from ..trial import Trial


class Constant:
    """Hands in one value for every field of the answer, fitted to the field's type. No task may pass it."""

    def __init__(self, value: Any = "0", status: Status = "done", reason_code: str | None = None) -> None:
        self.value = value
        self.status = status
        self.reason_code = reason_code

    def run(self, trial: Trial) -> None:
        """Hand in the constant."""
        schema = trial.answer_schema
        answer = None if schema is None else constant_answer(schema, self.value)
        trial.submit(Submission(status=self.status, reason_code=self.reason_code, answer=answer))


def constant_answer(schema: Mapping[str, Any], value: Any) -> Any:
    """An answer of the schema's shape that holds `value` wherever its type fits, and the type's zero elsewhere."""
    if "enum" in schema:
        return value if value in schema["enum"] else schema["enum"][0]
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        return {name: constant_answer(inner, value) for name, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [constant_answer(schema.get("items", {}), value)]
    if kind == "boolean":
        return value if isinstance(value, bool) else str(value).lower() in ("yes", "true", "1")
    if kind in ("integer", "number"):
        return value if isinstance(value, int) and not isinstance(value, bool) else 0
    return str(value)
