"""`deskgym lint`: does every task compile on a world."""

from __future__ import annotations

import click

from .envelope import as_json, envelope, plain_text, seeds_of, verb


@click.command()
@click.option("-t", "--task", "patterns", multiple=True, default=("*",), show_default=True, help="Template or glob.")
@click.option("--seeds", default="0-4", show_default=True)
@click.option("--world", "world_name", default="small:1", show_default=True)
@as_json
@verb
def command(patterns: tuple[str, ...], seeds: str, world_name: str, json_output: bool) -> None:
    """Compile tasks with every lint; exit 1 where one is unsound."""
    from .. import catalogue
    from ..errors import DeskgymError

    world = catalogue.world(world_name)
    faults, checked = [], 0
    for name, named in catalogue.choose(patterns):
        for seed in seeds_of(seeds) if named is None else [named]:
            checked += 1
            try:
                catalogue.bind(name, world, seed)
            except DeskgymError as error:
                faults.append({"task": f"{name}@{seed}", "fault": error.message})
    if json_output:
        click.echo(envelope({"checked": checked, "faults": faults}))
    else:
        for fault in faults:
            click.echo(plain_text(f"{fault['task']}: {fault['fault']}"))
        click.echo(f"{checked} task instances checked, {len(faults)} unsound")
    if faults:
        raise click.exceptions.Exit(1)
