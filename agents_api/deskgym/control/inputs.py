"""What callers of the control plane may send: one model a call, unknown names refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from deskgym_apps.kit.operations import Input

LONGEST_LEASE_S = 7 * 86_400
YEAR_S = 366 * 86_400


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("only printable characters are allowed here")
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
Identifier = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]
Scalar = Annotated[int, Field(ge=-(2**63), lt=2**63)] | str | None
Rows = Annotated[list[dict[Identifier, Scalar]], Field(max_length=10_000)]
Ttl = Annotated[int, Field(ge=1, le=LONGEST_LEASE_S)]


class Asked(Input):
    """What every call that changes something takes."""

    request_id: Name | None = Field(
        default=None,
        description="Asking again with the same id gives the first answer and changes nothing, after a crash too.",
    )


class Start(Asked):
    """A new episode. Without a task: free work in a world."""

    task: Name | None = Field(default=None, description='"crm/close-won" with a seed, or "crm/close-won@3".')
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = Field(default=None, description="Which instance; 0 if unsaid.")
    world: Name = Field(default="small:1", description="The world.")
    person: Name | None = Field(default=None, description="Id of the person who acts; the task's by default.")
    variation: dict[Name, Any] | None = Field(
        default=None, description="How the pages are drawn: theme, density, widgets, locale, latency_ms and so on."
    )
    inject: dict[Identifier, Rows] | None = Field(
        default=None, description="Table -> rows that are added before the first state is taken."
    )
    ttl_s: Ttl | None = Field(default=None, description="Seconds a lease lasts without a sign of life.")


class Person(Asked):
    """Who else enters."""

    person: Name = Field(description="Id of the person.")


class FromSnapshot(Asked):
    """The state to go back to."""

    snapshot: Name = Field(description="As the call snapshot named it.")


class MaybeFromSnapshot(Asked):
    """The state to begin with."""

    snapshot: Name | None = Field(default=None, description="The present state where none is named.")


class Clock(Asked):
    """A step of the simulated clock."""

    seconds: Annotated[int, Field(ge=1, le=YEAR_S)]


class Heartbeat(Input):
    """A sign of life."""

    ttl_s: Ttl | None = Field(default=None, description="Another length of the lease from now on.")


class Submit(Asked):
    """What is handed in."""

    status: Literal["done", "infeasible"] = "done"
    reason_code: Annotated[str, Field(max_length=60)] | None = None
    answer: Any = Field(default=None, description="JSON as the answer schema asks.")
    channel: Literal["control", "ui"] = Field(
        default="control", description='"ui": handed in for the agent of a browser, by its action "submit".'
    )


class Nothing(Input):
    """Nothing."""
