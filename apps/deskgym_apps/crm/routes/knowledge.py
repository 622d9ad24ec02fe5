"""The page of an article: its text in blocks, and the buttons that publish and archive it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...kit.web import MenuItem
from .drawing import rendered, token

_STRONG = re.compile(r"\*\*(.+?)\*\*")
_ITEM = re.compile(r"(-|\d+\.) +(.*)")


@dataclass(frozen=True)
class Run:
    """A run of text, strong or plain."""

    text: str
    strong: bool


@dataclass(frozen=True)
class Block:
    """A block of an article: `kind` is heading, list, numbers or paragraph; each line is its runs of text."""

    kind: str
    lines: tuple[tuple[Run, ...], ...]


def _runs(text: str) -> tuple[Run, ...]:
    parts = _STRONG.split(text)  # plain and strong by turns
    return tuple(Run(part, bool(at % 2)) for at, part in enumerate(parts) if part)


def _block(lines: list[str]) -> Block:
    items = [_ITEM.fullmatch(line) for line in lines]
    if all(items):
        kind = "list" if lines[0].startswith("-") else "numbers"
        return Block(kind, tuple(_runs(item[2]) for item in items if item))
    if len(lines) == 1 and lines[0].startswith("## "):
        return Block("heading", (_runs(lines[0].removeprefix("## ")),))
    return Block("paragraph", tuple(_runs(line) for line in lines))


def blocks(body: str) -> tuple[Block, ...]:
    """A text in blocks. They are parted by blank lines, headings, and the beginning or end of a list."""
    found: list[list[str]] = []
    for line in body.splitlines():
        text = line.strip()
        if not text:
            found.append([])
            continue
        is_new = not found or not found[-1] or text.startswith("## ") or found[-1][0].startswith("## ")
        if is_new or bool(_ITEM.fullmatch(text)) != bool(_ITEM.fullmatch(found[-1][0])):
            found.append([])
        found[-1].append(text)
    return tuple(_block(lines) for lines in found if lines)


def article_items(record: Mapping[str, Any], url: str) -> list[MenuItem]:
    """Publish a draft or an archived article, archive a published one: updates of its status."""
    is_out = record["status"] == "Published"
    fields = (
        ("form_token", token("edit", record["id"], record["row_version"])),
        ("row_version", str(record["row_version"])),
        rendered(["status"], record),
        ("status", "Archived" if is_out else "Published"),
        ("back", url),
    )
    label, icon = ("Archive", "archive") if is_out else ("Publish", "send-check")
    return [MenuItem(label=label, post=f"{url}/edit", fields=fields, icon=icon)]
