"""`deskgym audit`: does the oracle pass, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..run.plan import parse_seeds
from ..run.runner import default_workers
from ._output import json_option, listing, say, success

if TYPE_CHECKING:
    from ..proof import AuditReport


@click.command("audit")
@click.option(
    "-t", "--task", "patterns", multiple=True, default=("*",), show_default=True, show_envvar=True,
    help="Tasks: a glob, or crm/close-won@3. Repeatable.",
)  # fmt: skip
@click.option("--seeds", default="0-1", show_default=True, show_envvar=True, help="Instances: 3, 0-4 or 0-2,7.")
@click.option(
    "--surface", type=click.Choice(["both", "mcp", "browser"]), default="both", show_default=True, show_envvar=True,
    help="The doors. Only both together can verify a task.",
)  # fmt: skip
@click.option("-n", "--workers", type=click.IntRange(1, 256), show_envvar=True, help="Processes; one a processor.")
@click.option(
    "--world", "world_name", default="small:1", show_default=True, show_envvar=True, help="The world to bind to."
)
@click.option("--save/--no-save", default=False, help="Keep the evidence: tasks without a fault become verified.")
@json_option
def audit(
    patterns: tuple[str, ...], seeds: str, surface: str, workers: int | None, world_name: str, save: bool, as_json: bool
) -> int:
    """Prove tasks' graders through every gate; exit code 1 where one fails."""
    from .. import catalogue
    from ..audit import audit_all

    surfaces: Any = ("mcp", "browser") if surface == "both" else (surface,)
    asked: dict[str, dict[int, None]] = {}
    for name, named in catalogue.choose(patterns):
        asked.setdefault(name, {}).update(dict.fromkeys(parse_seeds(seeds) if named is None else (named,)))
    instances = [(name, tuple(chosen)) for name, chosen in asked.items()]
    reports: list[AuditReport] = []
    count = workers or default_workers(len(instances))
    for own in audit_all(instances, world=world_name, surfaces=surfaces, workers=count, told=_tell):
        reports += own
        status = _save(world_name, own) if save else None
        if not as_json:
            _print(own, status)
    return _finish(sorted(reports, key=lambda report: (report.task, report.seed)), as_json)


def _tell(done: int, total: int, what: str) -> None:
    """A line on stderr for each piece of work that is done: an audit of all tasks takes minutes."""
    click.echo(f"{done}/{total} {what}", err=True)


def _finish(reports: Sequence[AuditReport], as_json: bool) -> int:
    failed = sum(not report.passed for report in reports)
    if as_json:
        data = listing([report.as_dict() for report in reports])
        data["counts"]["failed"] = failed
        success(data)
    else:
        killed = sum(report.mutants.get("killed", 0) for report in reports)
        equal = sum(len(report.mutants.get("equivalents", ())) for report in reports)
        say(f"{len(reports)} task instances audited, {failed} failed; {killed} mutants killed, {equal} equal by rule")
    return int(bool(failed))


def _print(reports: Sequence[AuditReport], status: str | None) -> None:
    for report in reports:
        gates = " ".join(gate.name for gate in report.gates if gate.passed)
        known = report.mutants
        state = "passed" if report.passed else "FAILED"
        say(f"{report.task}@{report.seed} {state}: {gates}; {known.get('killed', 0)}/{known.get('total', 0)} killed")
        for fault in report.faults:
            say(f"  {fault}")
    if status is not None:
        say(f"{reports[0].task} is {status}")


def _save(world: str, reports: Sequence[AuditReport]) -> str:
    from ..evidence import status_of, write_evidence

    write_evidence(reports[0].task, world, reports)
    return status_of(reports[0].task, world)
