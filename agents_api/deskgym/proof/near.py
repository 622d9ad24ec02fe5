"""Work that is almost right passes nothing: mutants of the oracle's end (A6), the work of other seeds (A8)."""

from __future__ import annotations

from deskgym_graders.mutate import mutation_report

from .case import Case, all_fail
from .report import Gate


def a6_mutants(case: Case) -> Gate:
    """Every mutant that is not equal by rule is killed."""
    report = mutation_report(case.task, case.s0)
    detail = {
        "total": report.total,
        "killed": sum(report.killed.values()),
        "killed_by": dict(report.killed),
        "equivalents": [list(pair) for pair in report.equivalents],
    }
    faults = [
        *(f"survives: {item}" for item in report.survivors),
        *(f"unsound: {item}" for item in report.unsound),
        *(f"nothing breaks {item}" for item in report.idle),
        *(f"refused: {item}" for item in report.refused),
    ]
    return Gate("A6", report.total, tuple(faults), detail)


def a8_other_seeds(case: Case) -> Gate:
    """The work and the answer of other seeds that ask for something else."""
    if not case.others:
        return Gate("A8", 1, (f"every seed of {case.task.template} asks for the same",))
    attempts = (
        (other.id, lambda other=other: case.worked(other.oracle, other.submission, stubborn=True, replay=False))
        for other in case.others
    )
    return all_fail("A8", attempts)
