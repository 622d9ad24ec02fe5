"""`deskgym world`: build, list and check worlds."""

from __future__ import annotations

import click

from .envelope import as_json, envelope, print_table, rows_data, verb
from .list import _worlds as world_rows


@click.group()
def command() -> None:
    """Build, list and check worlds."""


@command.command("list")
@as_json
@verb
def list_worlds(json_output: bool) -> None:
    """List the known worlds and which of them are built."""
    rows = world_rows()
    if json_output:
        click.echo(envelope(rows_data(rows)))
    else:
        print_table(rows, ["world", "built", "digest"])


@command.command("build")
@click.argument("name", default="small:1")
@as_json
@verb
def build(name: str, json_output: bool) -> None:
    """Build a world, or find it built."""
    from .. import catalogue

    world = catalogue.world(name)
    data = {"world": world.name, "digest": world.digest, "folder": str(world.folder)}
    click.echo(envelope(data) if json_output else f"{world.name}  {world.digest}  {world.folder}")


@command.command("check")
@click.argument("name", default="small:1")
@as_json
@verb
def check(name: str, json_output: bool) -> None:
    """Check that a built world is whole; exit 1 when it is not."""
    from deskgym_seeds.world import check_world

    from .. import catalogue

    faults = check_world(catalogue.world(name))
    if json_output:
        click.echo(envelope({"world": name, "faults": faults}))
    else:
        click.echo("\n".join(faults) or f"{name} is whole")
    if faults:
        raise click.exceptions.Exit(1)
