"""`deskgym grade`: grade the trials of a run again, from what was stored."""

from __future__ import annotations

from pathlib import Path

import click

from ..run.record import RunFolder
from ..run.regrade import regrade
from ._output import in_order, json_option, listing, say, success, table, trial_columns


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@json_option
def grade(run: Path, as_json: bool) -> int:
    """Grade the trials of a run again.

    Every trial of the folder RUN, with today's graders, from what was stored; exit code 1 where a verdict differs.
    """
    rows = list(regrade(RunFolder(run)))
    differing = [row for row in rows if not row["same"]]
    if as_json:
        data = listing(rows, "status")
        data["counts"] |= {"passed": sum(row["reward"] == 1.0 for row in rows), "differing": len(differing)}
        success(data)
    else:
        table(in_order(rows), trial_columns(rows, "reward", "reason", "was_reason", "same"))
        say(f"{len(rows)} trials graded again, {len(differing)} differ")
    return int(bool(differing))
