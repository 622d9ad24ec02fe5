"""`deskgym list`: what there is."""

from __future__ import annotations

from typing import Any

import click

from .. import catalogue
from ..agents import AGENTS
from ..listing import app_rows, task_rows, world_rows
from ._output import is_wide, json_option, listing, success, table

_KINDS = ("tasks", "apps", "worlds", "agents")
_COLUMNS = {
    "tasks": ("task", "kind", "level", "oracle_steps", "status"),
    "apps": ("app", "tables", "tools"),
    "worlds": ("world", "split", "cached", "folder"),
    "agents": ("agent", "what"),
}
_GROUPED = {"tasks": "kind"}


def _rows(kind: str, world: str) -> list[dict[str, Any]]:
    if kind == "tasks":
        return task_rows(catalogue.world(world))
    if kind == "worlds":
        return world_rows()
    if kind == "agents":
        return [{"agent": name, "what": (agent.__doc__ or "").split("\n")[0]} for name, agent in AGENTS.items()]
    return app_rows()


@click.command("list")
@click.argument("kind", type=click.Choice(_KINDS), default="tasks")
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world tasks are bound to.")
@json_option
def list_(kind: str, world: str, as_json: bool) -> None:
    """List tasks (the default), apps, worlds or agents."""
    rows = _rows(kind, world)
    if as_json:
        success(listing(rows, _GROUPED.get(kind)))
    else:
        table(rows, (*_COLUMNS[kind], "summary") if kind == "tasks" and is_wide() else _COLUMNS[kind])
