"""`deskgym list`: tasks, apps, worlds or agents."""

from __future__ import annotations

from typing import Any

import click

from .envelope import as_json, envelope, print_table, rows_data, verb

WHAT = ("tasks", "apps", "worlds", "agents")


def _tasks() -> list[dict[str, Any]]:
    from deskgym_graders.tasks import bind
    from deskgym_seeds.world import open_world

    from .. import catalogue

    rows = []
    with open_world("small:1").open() as world:
        for name, template in catalogue.templates().items():
            task = bind(template, world, 0, check=False)
            rows.append(
                {
                    "task": name,
                    "apps": list(template.apps),
                    "kind": template.kind,
                    "split": "train",
                    "surfaces": ["mcp"],
                    "oracle_steps": len(task.oracle),
                    "status": "draft",
                }
            )
    return rows


def _apps() -> list[dict[str, Any]]:
    from deskgym_apps.kit.apps import apps

    return [{"app": app.name, "title": app.title, "tables": len(app.tables)} for app in apps().values()]


def _worlds() -> list[dict[str, Any]]:
    from deskgym_seeds.world import cached_worlds, world_names

    built = {world.name: world.digest for world in cached_worlds()}
    return [{"world": name, "built": name in built, "digest": built.get(name)} for name in world_names()]


def _agents() -> list[dict[str, Any]]:
    from ..agents import AGENTS

    return [{"agent": name, "does": (agent.__doc__ or "").split("\n", 1)[0]} for name, agent in AGENTS.items()]


@click.command()
@click.argument("what", type=click.Choice(WHAT), default="tasks")
@as_json
@verb
def command(what: str, json_output: bool) -> None:
    """List tasks, apps, worlds or agents."""
    rows = {"tasks": _tasks, "apps": _apps, "worlds": _worlds, "agents": _agents}[what]()
    if json_output:
        click.echo(envelope(rows_data(rows)))
    else:
        print_table(rows, list(rows[0]) if rows else [what])
