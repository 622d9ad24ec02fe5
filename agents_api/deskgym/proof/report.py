"""What an audit found: gates with their attempts and faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

# What is tried of every task; A18 needs both doors.
GATES = ("A1", "A2", "A3", "A4", "A5", "A6", "A8", "A9", "A10", "A11", "A12", "A18")


@dataclass(frozen=True)
class Gate:
    """One check: how many attempts it made, and a sentence for each that went wrong. `detail` is JSON data.

    `shared`: how many of the attempts were made once for all tasks of the world.
    """

    name: str
    attempts: int
    faults: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    shared: int = 0

    @property
    def passed(self) -> bool:
        return self.attempts > 0 and not self.faults


@dataclass(frozen=True)
class AuditReport:
    """What became of one instance. `skipped`: gates that were not tried, with the reason.

    `widgets`: the variant in which the pages were drawn, None where no browser was used. `subject`: the instance in
    whose episodes the attempts were made that are shared by all tasks of the world.
    """

    task: str
    seed: int
    digest: str
    surfaces: tuple[str, ...]
    gates: tuple[Gate, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    widgets: str | None = None
    subject: str | None = None

    @property
    def passed(self) -> bool:
        """Whether every gate that was tried passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def complete(self) -> bool:
        """Whether no gate was left out."""
        return {gate.name for gate in self.gates} == set(GATES)

    @property
    def mutants(self) -> Mapping[str, Any]:
        """Of gate A6: how many mutants there were and were killed, and those that are equal by rule."""
        return next((gate.detail for gate in self.gates if gate.name == "A6"), {})

    @property
    def faults(self) -> list[str]:
        """Every fault with its gate."""
        return [f"{gate.name}: {fault}" for gate in self.gates for fault in gate.faults or _untried(gate)]

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        return asdict(self) | {"passed": self.passed, "complete": self.complete, "faults": self.faults}


def _untried(gate: Gate) -> tuple[str, ...]:
    return () if gate.attempts else ("nothing was tried",)
