"""The checked-in word lists and tables under ``data/``: read once, comments and blank lines left out."""

from functools import cache
from importlib.resources import files


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of ``data/<name>`` that hold something."""
    text = files("deskgym_seeds").joinpath("data", *name.split("/")).read_text("utf-8")
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def cells(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of ``data/<name>`` split at ``|``, each cell stripped."""
    return tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines(name))


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """``data/<name>`` as sections that start with a line ``[title]``, in the order of the file."""
    out: dict[str, list[str]] = {}
    for line in lines(name):
        if line.startswith("["):
            current = out.setdefault(line.strip("[] "), [])
        else:
            current.append(line)
    return {title: tuple(body) for title, body in out.items()}
