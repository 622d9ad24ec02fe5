"""A film of one browser trial: a page with a picture a step, what the step aimed at framed, what it changed listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from .record import RunFolder

_WIDTH, _HEIGHT = 1280, 720  # of a browser's viewport, which the boxes are measured in
_BOOKKEEPING = ("row_version", "updated_at", "updated_by")
_VERBS = {
    "click": "Click the {role} “{name}”",
    "fill": "Type “{text}” into the {role} “{name}”",
    "key": "Press {text}",
    "navigate": "Go to {url}",
    "wait": "Wait",
    "submit": "Hand in the work: {status}",
}


def write_film(run: RunFolder, page: Path, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Write the page of the run's first trial with pictures; False where it has none. `rows`: trials to list below."""
    for row in run.rows():
        frames = list(_frames(run.steps(row), run.path.name))
        if frames:
            text = resources.files(__package__).joinpath("film.html").read_text("utf-8")
            template = Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
            task = f"{row['task']}@{row['seed']}"
            page.write_text(template.render(task=task, row=row, frames=frames, rows=list(rows)), "utf-8")
            return True
    return False


def _frames(steps: Sequence[Mapping[str, Any]], folder: str) -> Iterator[dict[str, Any]]:
    """What the agent saw when it acted, with its aim; at the end the page that the last step led to.

    A picture that the next frame shows as well is left out.
    """
    shown = [step for step in steps if step["picture"] is not None]
    for at, step in enumerate(shown):
        before = shown[at - 1]["picture"] if at else None
        yield {
            "title": _told(step),
            "number": step["number"],
            "picture": before and f"{folder}/{before}",
            "box": _box(step["target"]),
            "error": step["error"],
            "changes": [_change(change) for change in sorted(step["diff"], key=_order)],
        }
    if shown and (len(shown) == 1 or shown[-1]["picture"] != shown[-2]["picture"]):
        last = f"{folder}/{shown[-1]['picture']}"
        yield {"title": "The end", "number": None, "picture": last, "box": None, "error": None, "changes": []}


def _order(change: Mapping[str, Any]) -> tuple[bool, bool]:
    """Changed rows before new ones, the clock last."""
    return change["table"] == "org_meta", change["op"] != "update"


def _told(step: Mapping[str, Any]) -> str:
    """The action in words."""
    action, target = step["action"], step["target"] or {}
    if "tool" in action:
        return f"Call {action['tool']}"
    words = {"role": target.get("role", "page"), "name": target.get("name", "")} | {
        name: value for name, value in action.items() if isinstance(value, str)
    }
    form = _VERBS.get(action["action"])
    return form.format(**words) if form else f"{action['action'].capitalize()} the {words['role']} “{words['name']}”"


def _box(target: Mapping[str, Any] | None) -> str | None:
    """The target's box as CSS in per cent of the picture."""
    if not target or not target.get("box"):
        return None
    x, y, width, height = target["box"]
    place = [100 * x / _WIDTH, 100 * y / _HEIGHT, 100 * width / _WIDTH, 100 * height / _HEIGHT]
    return "left:{:.2f}%;top:{:.2f}%;width:{:.2f}%;height:{:.2f}%".format(*place)


def _change(change: Mapping[str, Any]) -> dict[str, Any]:
    """A changed row: where it is, and its cells as (column, old, new), bookkeeping left out."""
    old, new = change["old"] or {}, change["new"] or {}
    cells = [] if change["op"] != "update" else [(name, old.get(name), value) for name, value in new.items()]
    return {
        "op": {"insert": "new", "update": "changed", "delete": "gone"}[change["op"]],
        "table": change["table"],
        "key": ", ".join(map(str, change["key"])),
        "cells": [cell for cell in cells if cell[0] not in _BOOKKEEPING],
    }
