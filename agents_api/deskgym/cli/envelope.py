"""What every verb prints: an envelope with `--json`, plain lines without; errors with their exit codes (DESIGN §5)."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from ..errors import DeskgymError, describe

Function = TypeVar("Function", bound=Callable[..., Any])
as_json = click.option("--json", "json_output", is_flag=True, help="Print one JSON envelope.")


def plain_text(text: str) -> str:
    """Text without control characters, which could steer a terminal."""
    return "".join(char for char in text if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def envelope(data: Any) -> str:
    """`{"schema":"deskgym/1","ok":true,"data":…}` on one line."""
    return json.dumps({"schema": "deskgym/1", "ok": True, "data": data}, ensure_ascii=False)


def rows_data(rows: Sequence[Mapping[str, Any]], **counts: int) -> dict[str, Any]:
    """`{rows, counts, truncated}`: how lists are given."""
    return {"rows": list(rows), "counts": {"total": len(rows), **counts}, "truncated": False}


def print_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Rows as aligned plain columns with a header."""
    texts = [[plain_text(_shown(row.get(name))) for name in columns] for row in rows]
    widths = [max([len(name), *(len(line[at]) for line in texts)]) for at, name in enumerate(columns)]
    for line in [list(columns), *texts]:
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def verb(function: Function) -> Function:
    """Turn errors into an envelope or a line on stderr, and the exit code of their kind."""

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            sys.exit(130)
        except Exception as error:
            fault = describe(error)
            if kwargs.get("json_output"):
                body = {"schema": "deskgym/1", "ok": False, "error": fault.as_dict()}
                click.echo(json.dumps(body, ensure_ascii=False))
            else:
                hint = f"\n  {fault.hint}" if fault.hint else ""
                click.echo(f"deskgym: {plain_text(fault.message)}{hint}", err=True)
            sys.exit(fault.exit_code)

    return guarded  # type: ignore[return-value]


def seeds_of(text: str) -> list[int]:
    """`0-4` or `1,3,7-9` -> the seeds. Raises DeskgymError (usage)."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise DeskgymError("usage", f'"{text}" names no seeds', "write them like 0-4 or 1,3,7")
        seeds += range(int(first), int(last) + 1) if dash else [int(first)]
    if not seeds:
        raise DeskgymError("usage", f'"{text}" names no seeds', "write them like 0-4 or 1,3,7")
    return sorted(set(seeds))
