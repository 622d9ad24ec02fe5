"""`deskgym demo`: three agents at a few tasks, graded, in a run folder each. No key and no container needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..run.facts import run_facts
from ..run.plan import make_plan
from ..run.record import RunFolder
from ..run.runner import run_all
from ._output import json_option, listing, say, success, table

TASKS = ("crm/close-won@1", "crm/push-dates@1", "crm/open-expected@1", "crm/new-customer@1")
AGENTS = ("oracle", "noop", "monkey")
_COLUMNS = ("task", "agent", "reward", "reason", "steps", "wall_s")


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("runs"), show_default=True, show_envvar=True, help="Where."
)
@json_option
def demo(out: Path, as_json: bool) -> int:
    """Show agents at work: the oracle earns every reward, doing nothing and acting at random earn none."""
    rows: list[dict[str, Any]] = []
    folders = []
    for agent in AGENTS:
        plan = make_plan(TASKS, (0,), agent=agent, surface="mcp", world_name="small:1", attempts=1, max_steps=40)
        folder = RunFolder.create_numbered(out, run_facts(plan))
        folders.append(str(folder.path))
        rows += run_all(folder, plan.specs(), 1)
    sound = all(row["status"] == "graded" and row["reward"] == float(row["agent"] == "oracle") for row in rows)
    if as_json:
        success(listing(rows, "agent") | {"run_dirs": folders, "sound": sound})
        return int(not sound)
    table(rows, _COLUMNS, title="Tasks of the small world, through MCP")
    say(f"\nEach trial with its steps, journal and verdict: {', '.join(folders)}")
    say("\nNext:  deskgym show crm/new-customer@1")
    say("       deskgym run -t 'crm/*' --seeds 0-4 -a oracle")
    say("       deskgym mcp crm/close-won@1      (one episode for your own MCP client, on stdio)")
    return int(not sound)
