"""Typed errors of the service layer: raised once, translated once by routes (a 4xx page) and once by tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any


@dataclass(frozen=True)
class FieldError:
    """One fault of one input field. `field` is None for a fault of the whole input.

    `said` is the message to somebody who reads it beside the field's label, where that is another: `message` may name
    the field as tools know it, or write an instant in UTC.
    """

    field: str | None
    message: str
    allowed: tuple[str, ...] = ()
    said: str = ""

    @property
    def shown(self) -> str:
        """What pages write of it."""
        return self.said or self.message


class ServiceError(Exception):
    """A refusal that the person or agent can act on. Nothing was written."""

    code = "error"
    status = 400

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        allowed: Sequence[str] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.allowed = tuple(allowed)
        self.details = details or {}

    def as_dict(self) -> dict[str, Any]:
        """`{code, message, field?, allowed?, details?}`: what MCP tools return (mcp.md, conventions)."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.field is not None:
            body["field"] = self.field
        if self.allowed:
            body["allowed"] = list(self.allowed)
        if self.details:
            body["details"] = self.details
        return body


class BadQuery(ServiceError):
    """Unknown field, operator, sort or malformed value in a query (X-9)."""

    code = "bad_query"
    status = 400


class Forbidden(ServiceError):
    """The person may see the thing but not do this to it (X-10)."""

    code = "forbidden"
    status = 403


class NotFound(ServiceError):
    """The thing does not exist, or the person may not see it (X-10)."""

    code = "not_found"
    status = 404


class Conflict(ServiceError):
    """The row changed since it was read (X-7). `details` has `changed_by`, `changed_at`, `fields`."""

    code = "conflict"
    status = 409


class Sealed(ServiceError):
    """The episode was submitted; nothing more can be written (DESIGN §3, Seal)."""

    code = "sealed"
    status = 410


class Invalid(ServiceError):
    """The input breaks a rule. `errors` names each field (X-12)."""

    code = "validation"
    status = 422

    def __init__(self, errors: Sequence[FieldError] | str, *, field: str | None = None, allowed: Sequence[str] = ()):
        faults = (FieldError(field, errors, tuple(allowed)),) if isinstance(errors, str) else tuple(errors)
        first = faults[0]
        super().__init__("; ".join(fault.message for fault in faults), field=first.field, allowed=first.allowed)
        self.errors = faults

    def as_dict(self) -> dict[str, Any]:
        body = super().as_dict()
        if len(self.errors) > 1:
            body["errors"] = [
                {"field": fault.field, "message": fault.message}
                | ({"allowed": list(fault.allowed)} if fault.allowed else {})
                for fault in self.errors
            ]
        return body


def nearest(name: str, known: Sequence[str]) -> str:
    """` Did you mean "x" or "y"?`, or the empty string where nothing is near."""
    close = get_close_matches(name, known, n=3, cutoff=0.5)
    if not close:
        return ""
    return " Did you mean " + " or ".join(f'"{match}"' for match in close) + "?"
