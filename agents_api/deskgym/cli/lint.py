"""`deskgym lint`: what is unsound about a task, before anybody runs it."""

from __future__ import annotations

from typing import Any

import click

from deskgym_graders.lint import GUESS_BINDINGS, lint_bindings
from deskgym_graders.spec import Task

from .. import catalogue
from ..errors import DeskgymError
from ..run.plan import parse_seeds
from ._output import json_option, listing, say, success


def _faults(name: str, seed: int, opened: Any) -> list[str]:
    try:
        catalogue.bind(name, opened, seed)
    except DeskgymError as error:
        if error.kind != "invalid_task":
            raise
        return [error.message]
    return []


def _bound(name: str, opened: Any, seeds: range) -> list[Task]:
    """The instances that compile; those of a template without an answer are not worth binding."""
    found: list[Task] = []
    for seed in seeds:
        try:
            found.append(catalogue.bind(name, opened, seed))
        except DeskgymError as error:
            if error.kind != "invalid_task":
                raise
        if found and found[0].expectation.answer is None:
            return []
    return found


@click.command()
@click.argument("tasks", nargs=-1)
@click.option(
    "--seeds", default="0-1", show_default=True, show_envvar=True, help="Instances to compile: 3, 0-4, 0-2,7."
)
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world to bind to.")
@json_option
def lint(tasks: tuple[str, ...], seeds: str, world: str, as_json: bool) -> int:
    """Name what is unsound about tasks.

    Compiles TASKS (globs; all by default) and names every fault; exit code 1 where there is one. An answer that is
    worth guessing shows over 300 instances only; such a row has no seed.
    """
    numbers, opened = parse_seeds(seeds), catalogue.world(world)
    chosen = list(catalogue.choose(tasks or ("*",)))
    rows: list[dict[str, Any]] = [
        {"task": name, "seed": seed, "faults": _faults(name, seed, opened)}
        for name, named in chosen
        for seed in (numbers if named is None else (named,))
    ]
    rows += [
        {"task": name, "seed": None, "faults": faults}
        for name in dict.fromkeys(name for name, named in chosen if named is None)
        if (faults := lint_bindings(_bound(name, opened, range(GUESS_BINDINGS))))
    ]
    failed = [row for row in rows if row["faults"]]
    if as_json:
        data = listing(rows)
        data["counts"] |= {"faulty": len(failed)}
        success(data)
    else:
        for row in failed:
            instance = "" if row["seed"] is None else f"@{row['seed']}"
            say(f"{row['task']}{instance}: {'; '.join(row['faults'])}")
        say(f"{len(rows)} instances, {len(failed)} with faults")
    return int(bool(failed))
