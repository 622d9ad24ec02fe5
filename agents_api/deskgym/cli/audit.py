"""`deskgym audit`: does the oracle pass, and nothing else."""

from __future__ import annotations

from typing import Any

import click

from ..run.plan import parse_seeds
from ._output import json_option, listing, say, success


@click.command("audit")
@click.option("-t", "--task", "patterns", multiple=True, default=("*",), show_default=True, help="Template or glob.")
@click.option("--seeds", default="0-1", show_default=True)
@click.option("--surface", type=click.Choice(["mcp", "browser", "both"]), default="mcp", show_default=True)
@click.option("--world", "world_name", default="small:1", show_default=True)
@click.option("--save/--no-save", default=False, help="Keep the evidence.")
@json_option
def audit(patterns: tuple[str, ...], seeds: str, surface: str, world_name: str, save: bool, as_json: bool) -> int:
    """Prove tasks' graders; exit 1 where a gate fails."""
    from .. import catalogue
    from ..audit import audit_task

    surfaces: Any = ("mcp", "browser") if surface == "both" else (surface,)
    reports = []
    for name, named in catalogue.choose(patterns):
        chosen = list(parse_seeds(seeds)) if named is None else [named]
        own = []
        for seed in chosen:
            report = audit_task(
                name, seed, world=world_name, surfaces=surfaces, seeds=chosen if len(chosen) > 1 else ()
            )
            own.append(report)
            if not as_json:
                _print(report)
        if save:
            _save(name, world_name, own)
        reports += own
    failed = sum(not report.passed for report in reports)
    if as_json:
        data = listing([report.as_dict() for report in reports])
        data["counts"]["failed"] = failed
        success(data)
    else:
        say(f"{len(reports)} task instances audited, {failed} failed")
    return int(bool(failed))


def _print(report: Any) -> None:
    gates = " ".join(gate.name for gate in report.gates if gate.passed)
    known = report.mutants
    state = "passed" if report.passed else "FAILED"
    say(f"{report.task}@{report.seed} {state}: {gates}; {known.get('killed', 0)}/{known.get('total', 0)} killed")
    for fault in report.faults:
        say(f"  {fault}")


def _save(name: str, world: str, reports: list[Any]) -> None:
    from deskgym_graders.tasks import template_named

    from ..evidence import digests_of, write_evidence

    body = {
        "verified": all(report.passed and report.complete for report in reports),
        "instances": [
            {"seed": report.seed, "digest": report.digest, "gates": {gate.name: gate.attempts for gate in report.gates}}
            | {"passed": report.passed, "skipped": report.skipped, "mutants": report.mutants, "faults": report.faults}
            for report in reports
        ],
    }
    write_evidence(name, digests_of(template_named(name), world), body)
