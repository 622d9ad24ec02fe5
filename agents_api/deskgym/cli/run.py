"""`deskgym run`: an agent at many tasks, in parallel, into a run folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import click

from ..client import TOKEN_FILE
from ..errors import DeskgymError
from ..run.enlist import enlist
from ..run.facts import run_facts
from ..run.plan import Plan, make_plan, parse_seeds
from ..run.record import RunFolder
from ..run.runner import default_workers, run_all
from ..trial import MAX_STEPS, SURFACES, TrialSpec
from ._output import console, event, json_option, paragraph, say, table, trial_columns

_SHOWN = (
    "task",
    "seed",
    "agent",
    "surface",
    "status",
    "reward",
    "reason",
    "steps",
    "wall_s",
    "state_hash",
    "trial_dir",
)
_MOST_ROWS = 40


def _option(value: str) -> tuple[str, Any]:
    """`steps=20` -> ("steps", 20); what is no JSON is text."""
    import json

    name, equals, text = value.partition("=")
    if not equals:
        raise DeskgymError("usage", f'"{value}" is no option of an agent', "write it like steps=20")
    try:
        return name, json.loads(text)
    except ValueError:
        return name, text


@click.command()
@click.option(
    "-t", "--task", "tasks", multiple=True, show_envvar=True, help="Tasks: a glob, or crm/close-won@3. Repeatable."
)
@click.option(
    "-a",
    "--agent",
    default="oracle",
    show_default=True,
    show_envvar=True,
    help="One of deskgym list agents, or module:Class.",
)
@click.option("-o", "--option", "options", multiple=True, show_envvar=True, help="An option of the agent: steps=20.")
@click.option(
    "--surface",
    type=click.Choice(SURFACES),
    default="mcp",
    show_default=True,
    show_envvar=True,
    help="Tool calls, or the pages.",
)
@click.option("--seeds", default="0", show_default=True, show_envvar=True, help="Instances: 3, 0-4 or 0-2,7.")
@click.option(
    "-n",
    "--workers",
    type=click.IntRange(1, 256),
    show_envvar=True,
    help="Worker processes; one a processor by default.",
)
@click.option(
    "-k",
    "--attempts",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    show_envvar=True,
    help="Trials of each instance.",
)
@click.option(
    "--max-steps",
    type=click.IntRange(1),
    default=MAX_STEPS,
    show_default=True,
    show_envvar=True,
    help="Steps a trial may take.",
)
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world.")
@click.option("--server", show_envvar=True, help="Use episodes of a server: the URL of its control plane.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    envvar=TOKEN_FILE,
    show_envvar=True,
    help="The control token of --server.",
)
@click.option("--pictures", is_flag=True, show_envvar=True, help="Keep a screenshot of each step (browser).")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 1),
    show_envvar=True,
    help="Exit code 1 where a smaller share of the trials passes.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    show_envvar=True,
    help="Go on with this run folder as planned; finished trials are kept.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    show_envvar=True,
    help="The run folder; runs/run-0001 and so on by default.",
)
@json_option
def run(
    resume: Path | None,
    out: Path | None,
    workers: int | None,
    token_file: Path | None,
    fail_under: float | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Let an agent work at tasks.

    Every trial is kept in a run folder.

    Exit code 0 once all trials are graded, whatever the score; 1 under --fail-under, 4 where a trial broke.
    """
    if token_file is not None:
        os.environ[TOKEN_FILE] = str(token_file.resolve())  # for the processes of the run; it names a file, no more
    if resume is not None:
        folder = RunFolder(resume)
        plan = Plan.from_dict(folder.facts()["config"])
        enlist(plan.agent)
    else:
        plan = _plan(**asked)
        facts = run_facts(plan)
        folder = RunFolder.create(out, facts) if out else RunFolder.create_numbered(Path("runs"), facts)
    specs = plan.specs()
    done = _kept(folder, specs)
    left = [spec for spec in specs if str(folder.trial_folder(spec).relative_to(folder.path)) not in done]
    count = workers or default_workers(len(left))
    launched = {"run_dir": str(folder.path), "trials": len(left), "kept": len(done), "workers": count}
    if as_json:
        event("launch", **launched, agent=plan.agent, surface=plan.surface, world=plan.world)
    with _progress(len(left)) as tick:
        for row in run_all(folder, left, count):
            tick(row)
            if as_json:
                event("trial", **{name: row[name] for name in _SHOWN})
    return _finish(folder, folder.rows(), fail_under, as_json)


def _plan(
    tasks: tuple[str, ...], seeds: str, agent: str, surface: Literal["mcp", "browser"], world: str, **rest: Any
) -> Plan:
    if not tasks:
        raise DeskgymError("usage", "no task is named", "deskgym run -t 'crm/*', or -t crm/close-won@3")
    rest["options"] = dict(_option(value) for value in rest["options"])
    return make_plan(tasks, parse_seeds(seeds), agent=agent, surface=surface, world_name=world, **rest)


def _kept(folder: RunFolder, specs: list[TrialSpec]) -> set[str]:
    """The trials of a resumed run that need no second try: everything but faults of infrastructure."""
    return {row["trial_dir"] for row in folder.rows() if row["status"] != "env_error"}


@contextmanager
def _progress(total: int) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A bar on stderr where that is a terminal, else a line for each tenth of the trials."""
    err = console(err=True)
    passed = ended = 0
    if err.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        bar = Progress(
            TextColumn("trials"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=err,
            transient=True,
        )
        with bar:
            task = bar.add_task("", total=total)

            def advance(row: dict[str, Any]) -> None:
                nonlocal passed
                passed += row["reward"] == 1.0
                bar.update(task, advance=1, description=f"{passed} passed")

            yield advance
        return

    def note(row: dict[str, Any]) -> None:
        nonlocal passed, ended
        ended += 1
        passed += row["reward"] == 1.0
        if ended == total or ended % max(1, total // 10) == 0:
            click.echo(f"{ended}/{total} trials, {passed} passed", err=True)

    yield note


def _finish(folder: RunFolder, rows: list[dict[str, Any]], fail_under: float | None, as_json: bool) -> int:
    passed = sum(row["reward"] == 1.0 for row in rows)
    errors = sum(row["status"] != "graded" for row in rows)
    totals = {"trials": len(rows), "passed": passed, "failed": len(rows) - passed - errors, "errors": errors}
    if as_json:
        event("done", **totals, run_dir=str(folder.path))
    else:
        _print(folder, rows, totals)
    if errors:
        return 4
    return int(fail_under is not None and bool(rows) and passed / len(rows) < fail_under)


def _print(folder: RunFolder, rows: list[dict[str, Any]], totals: dict[str, int]) -> None:
    ordered = sorted(rows, key=lambda row: (row["reward"] == 1.0, row["task"], row["seed"], row["attempt"]))
    table(ordered[:_MOST_ROWS], trial_columns(rows, "reward", "reason", "steps", "wall_s"))
    if len(ordered) > _MOST_ROWS:
        say(f"… and {len(ordered) - _MOST_ROWS} more that did better or as well, in trials.jsonl")
    for row in ordered[:5]:
        if row["reward"] != 1.0:
            paragraph(f"{row['task']}@{row['seed']}: {row['feedback']}")
    say(f"\n{totals['passed']} of {totals['trials']} passed, {totals['errors']} errors; kept in {folder.path}")
