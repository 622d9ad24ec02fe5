"""What the verbs print: an envelope with `--json`, tables for people; nothing an agent wrote reaches a terminal raw."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..errors import DeskgymError

SCHEMA = "deskgym/1"
_WIDE = 110
_LINE = 1000  # what a line of a file may hold
# C0 without tab and newline, DEL, C1, and the marks that reorder text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

json_option = click.option("--json", "as_json", is_flag=True, show_envvar=True, help="Print JSON instead of text.")


def clean(text: Any) -> str:
    """Text without control characters: safe to show on a terminal."""
    return _CONTROL.sub("", str(text))


def console(*, err: bool = False) -> Console:
    """A console as wide as the terminal; wide enough for any line where there is none."""
    stream = sys.stderr if err else sys.stdout
    return Console(
        file=stream, width=None if stream.isatty() else _LINE, highlight=False, soft_wrap=not stream.isatty()
    )


def say(text: str = "") -> None:
    """A line for people."""
    click.echo(clean(text))


def paragraph(text: str) -> None:
    """A sentence or two for people, broken between words where stdout is a terminal."""
    out = console()
    lines = textwrap.wrap(clean(text), out.width, break_long_words=False) if out.is_terminal else [text]
    say("\n".join(lines))


def in_order(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows of trials by task, seed and attempt, however they ended."""
    return sorted(rows, key=lambda row: (row["task"], row["seed"], row["attempt"]))


def trial_columns(rows: Iterable[Mapping[str, Any]], *rest: str) -> tuple[str, ...]:
    """The columns of a table of trials; attempt and status only where they say something."""
    shown = list(rows)
    attempt = ("attempt",) if any(row["attempt"] for row in shown) else ()
    status = ("status",) if any(row["status"] != "graded" for row in shown) else ()
    return ("task", "seed", *attempt, *status, *rest)


def is_wide() -> bool:
    """Whether there is room for a column of sentences."""
    return console().width >= _WIDE


def json_line(data: Any) -> str:
    """Data as one line of JSON; characters beyond ASCII are escaped, so any locale can print it."""
    return json.dumps(data, ensure_ascii=True, sort_keys=False, default=str)


def success(data: Any) -> None:
    """The envelope of a verb that did what was asked."""
    click.echo(json_line({"schema": SCHEMA, "ok": True, "data": data}))


def event(name: str, **data: Any) -> None:
    """One line of a stream of JSON lines."""
    click.echo(json_line({"schema": SCHEMA, "event": name, **data}))
    sys.stdout.flush()


def failure(error: DeskgymError, *, as_json: bool) -> int:
    """Print an error, in the envelope on stdout or as text on stderr; returns its exit code."""
    if as_json:
        click.echo(json_line({"schema": SCHEMA, "ok": False, "error": error.as_dict()}))
    else:
        click.echo(f"error: {clean(error.message)}", err=True)
        if error.hint:
            click.echo(f"  {clean(error.hint)}", err=True)
    return error.exit_code


def listing(rows: Sequence[Mapping[str, Any]], by: str | None = None) -> dict[str, Any]:
    """`{rows, counts, truncated}`: `counts.total`, and how many rows have each value of the column `by`."""
    counts: dict[str, int] = {"total": len(rows)}
    if by is not None:
        counts |= dict(sorted(Counter(str(row[by]) for row in rows).items()))
    return {"rows": list(rows), "counts": counts, "truncated": False}


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, title: str | None = None) -> None:
    """Rows as a table; plain lines where stdout is no terminal."""
    box, gap = (_box(), 1) if sys.stdout.isatty() else (None, 2)
    out = Table(title=title, title_justify="left", box=box, pad_edge=False, padding=(0, gap, 0, 0))
    shown = list(rows)
    for column in columns:
        cells = [row.get(column) for row in shown]
        numbers = bool(cells) and all(cell is None or type(cell) in (int, float) for cell in cells)
        name, side = column.replace("_", " "), "right" if numbers else "left"
        out.add_column(name, overflow="fold", justify=side, no_wrap=column == columns[0])  # type: ignore[arg-type]
    for row in shown:
        out.add_row(*(_cell(row.get(column)) for column in columns))
    console().print(out)


def _box() -> Any:
    from rich import box

    return box.SIMPLE_HEAD


def _cell(value: Any) -> Text:
    if value is None:
        return Text("-")
    if isinstance(value, bool):
        return Text("yes" if value else "no")
    if isinstance(value, list | tuple):
        return Text(", ".join(clean(item) for item in value))
    style = {"ok": "green", "graded": "", "fail": "red", "env_error": "red"}.get(str(value), "")
    return Text(clean(f"{value:.2f}" if isinstance(value, float) else value), style=style)
