"""`deskgym bench`: how fast and how large, on this machine, beside the least that could do the job."""

from __future__ import annotations

from typing import Any

import click

from ..bench import Bench, chosen, measure
from ._output import console, json_option, success, table

_COLUMNS = ("name", "p50", "p95", "unit", "n", "floor_p50", "ratio")


@click.command()
@click.option("--only", multiple=True, show_envvar=True, help="Measure this figure alone. Repeatable.")
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world.")
@click.option(
    "--share",
    type=click.FloatRange(0, 10, min_open=True),
    default=1.0,
    show_default=True,
    show_envvar=True,
    help="Of the usual number of samples.",
)
@json_option
def bench(only: tuple[str, ...], world: str, share: float, as_json: bool) -> int:
    """Measure speed and size.

    Times in ms, sizes in MiB; `ratio` is p50 by the floor's p50, taken in the same run.
    """
    names = chosen(only)
    setting = Bench(world=world, share=share)
    rows: list[dict[str, Any]] = []
    err = console(err=True)
    for number, name in enumerate(names, 1):
        if not as_json or err.is_terminal:
            click.echo(f"{number}/{len(names)} {name}", err=True)
        rows.append(measure(name, setting).as_dict())
    if as_json:
        success({"figures": rows})
    else:
        table(rows, _COLUMNS, title=f"Measured on {world}")
    return 0
