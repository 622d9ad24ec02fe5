"""`deskgym replay`: do the recorded steps of a run again."""

from __future__ import annotations

from pathlib import Path

import click

from ..run.record import RunFolder
from ..run.regrade import replay as replay_run
from ._output import in_order, json_option, listing, say, success, table, trial_columns


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--verify", is_flag=True, show_envvar=True, help="Exit code 1 where a state hash or a verdict differs.")
@json_option
def replay(run: Path, verify: bool, as_json: bool) -> int:
    """Do the recorded steps of a run again.

    Every step of the folder RUN; the state after each is compared with the recorded one.
    """
    rows = list(replay_run(RunFolder(run)))
    differing = [row for row in rows if not row["same"]]
    if as_json:
        data = listing(rows, "status")
        data["counts"] |= {"differing": len(differing)}
        success(data)
    else:
        table(in_order(rows), trial_columns(rows, "steps", "first_difference", "same"))
        say(f"{len(rows)} trials replayed, {len(differing)} differ")
    return int(verify and bool(differing))
