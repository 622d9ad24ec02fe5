"""`deskgym run`: agents at tasks, many at once, into a run folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .envelope import as_json, plain_text, print_table, seeds_of, verb


@click.command()
@click.option(
    "-t", "--task", "patterns", multiple=True, required=True, help="Template, glob, or one instance (name@3)."
)
@click.option("-a", "--agent", default="oracle", show_default=True)
@click.option("--surface", type=click.Choice(["mcp", "browser"]), default="mcp", show_default=True)
@click.option("--seeds", default="0-4", show_default=True)
@click.option("-n", "--workers", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option("-k", "--attempts", type=click.IntRange(1, 1000), default=1, show_default=True)
@click.option("--max-steps", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--world", default="small:1", show_default=True)
@click.option("--fail-under", type=click.FloatRange(0, 1), help="Exit 1 when the share of passed trials is lower.")
@click.option("--out", type=click.Path(path_type=Path), help="Run folder; runs/<number> by default.")
@as_json
@verb
def command(
    patterns: tuple[str, ...],
    agent: str,
    surface: Any,
    seeds: str,
    workers: int,
    attempts: int,
    max_steps: int,
    world: str,
    fail_under: float | None,
    out: Path | None,
    json_output: bool,
) -> None:
    """Run an agent at tasks and grade it. With --json one line a trial."""
    from ..agents import make_agent
    from ..run import RunFolder, carry_out, plan

    make_agent(agent)
    specs = plan(
        patterns, seeds_of(seeds), agent=agent, surface=surface, attempts=attempts, max_steps=max_steps, world=world
    )
    folder = RunFolder.create(out, specs)
    if json_output:
        click.echo(json.dumps({"event": "launch", "run_dir": str(folder.path), "trials": len(specs)}))
    rows = []
    for result in carry_out(specs, workers):
        row = folder.add(result)
        rows.append(row)
        if json_output:
            click.echo(json.dumps({"event": "trial", **row}, ensure_ascii=False))
        else:
            click.echo(
                f"{len(rows)}/{len(specs)} {row['task']}@{row['seed']} {row['status']} {row['reward']}", err=True
            )
    summary = folder.finish()
    if json_output:
        click.echo(json.dumps({"event": "done", **summary}, ensure_ascii=False))
    else:
        print_table(rows, ["task", "seed", "agent", "surface", "status", "reward", "reason", "steps"])
        click.echo(plain_text(f"{summary['passed']} passed, {summary['failed']} failed, {summary['errors']} errors"))
        click.echo(summary["run_dir"])
    if fail_under is not None and summary["passed"] < fail_under * summary["trials"]:
        raise click.exceptions.Exit(1)
