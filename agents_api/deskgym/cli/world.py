"""`deskgym world`: build, list and check worlds."""

from __future__ import annotations

import time
from pathlib import Path

import click

from .. import catalogue
from ..errors import DeskgymError, describe
from ..listing import world_rows
from ._output import json_option, listing, say, success, table


@click.group()
def world() -> None:
    """Build, list and check worlds."""


@world.command()
@click.argument("name", default="small:1")
@click.option("--to", type=click.Path(path_type=Path), show_envvar=True, help="A new folder, instead of the cache.")
@json_option
def build(name: str, to: Path | None, as_json: bool) -> None:
    """Build the world NAME; one that lies in the cache already is kept."""
    began = time.perf_counter()
    if to is None:
        built = catalogue.world(name)
    else:
        from deskgym_seeds.world import WorldError, build_world

        try:
            built = build_world(name, to)
        except FileExistsError as error:
            raise DeskgymError("conflict", f"{to} exists already", "name a new folder") from error
        except (OSError, WorldError) as error:
            raise describe(error) from error
    data = {
        "world": built.name,
        "digest": built.digest,
        "folder": str(built.folder),
        "rows": sum(built.facts["rows"].values()),
        "wall_s": round(time.perf_counter() - began, 3),
    }
    if as_json:
        success(data)
    else:
        say(f"{data['world']}: {data['rows']} rows in {data['folder']} ({data['wall_s']} s)")


@world.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List worlds, and where they lie."""
    rows = world_rows()
    if as_json:
        success(listing(rows))
    else:
        table(rows, ("world", "split", "cached", "folder"))


@world.command()
@click.argument("name", required=False)
@json_option
def check(name: str | None, as_json: bool) -> int:
    """Compare the cached world NAME (all of them by default) with its checksums; exit code 1 where one differs."""
    from deskgym_seeds.world import cached_worlds, check_world

    if name is not None and name not in (row["world"] for row in world_rows()):
        catalogue.world(name)  # unknown names fail here; hidden ones are built
    chosen = [found for found in cached_worlds() if name in (None, found.name)]
    rows = [{"world": found.name, "folder": str(found.folder), "faults": check_world(found)} for found in chosen]
    if as_json:
        success(listing(rows))
    elif not rows:
        say("nothing is built yet: deskgym world build small:1")
    else:
        for row in rows:
            say(f"{row['world']}: {'; '.join(row['faults']) or 'sound'}  ({row['folder']})")
    return int(any(row["faults"] for row in rows))
