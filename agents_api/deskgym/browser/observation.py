"""What an agent sees of a page (DESIGN §5): accessibility tree with refs and boxes, pixels, pruned DOM."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup, Comment
from playwright.async_api import Page

Box = tuple[float, float, float, float]

_LINE = re.compile(r'^(?P<role>[\w-]+)(?: (?P<name>"(?:[^"\\]|\\.)*"))?(?P<rest>(?: \[[^\]]*\])*)')
_MARK = re.compile(r"\[(\w+)(?:=([^\]]*))?\]")
_DROPPED_TAGS = ("script", "style", "link", "meta", "noscript", "template", "svg")
_KEPT_ATTRIBUTES = frozenset(
    {
        *("id", "name", "type", "value", "href", "role", "for", "title", "alt", "placeholder", "lang", "scope"),
        *("checked", "selected", "disabled", "readonly", "required", "multiple", "open", "hidden", "inert"),
        *("min", "max", "step", "maxlength", "colspan", "rowspan", "action", "method"),
    }
)


@dataclass(frozen=True)
class Node:
    """One line of the accessibility tree. `box` is x, y, width, height in pixels of the viewport."""

    ref: str
    role: str
    name: str
    box: Box | None
    active: bool

    def as_dict(self) -> dict[str, Any]:
        """JSON data of the node."""
        return {"ref": self.ref, "role": self.role, "name": self.name, "box": list(self.box) if self.box else None}


@dataclass(frozen=True)
class TabInfo:
    """One tab as the agent sees it."""

    tab: int
    url: str
    title: str
    active: bool


@dataclass(frozen=True)
class Observation:
    """The page after `step` actions.

    `aria` is Playwright's snapshot for agents; `error` says why the last action was not done; `notices` what happened
    without being asked for (a dialog, a blocked address, a new tab); `target` what the last action was aimed at;
    `settled` is False where the page was still busy after five seconds; `done` is True once the work was submitted.
    """

    step: int
    url: str
    title: str
    tabs: tuple[TabInfo, ...]
    aria: str
    focused: Mapping[str, Any] | None
    error: str | None
    notices: tuple[str, ...]
    instruction: str | None
    target: Mapping[str, Any] | None
    settled: bool
    done: bool
    dom: str | None = None
    screenshot: bytes | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON data; the screenshot as base64 text."""
        picture = None if self.screenshot is None else base64.b64encode(self.screenshot).decode()
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        tabs = [vars(tab) for tab in self.tabs]
        return data | {"tabs": tabs, "notices": list(self.notices), "screenshot": picture}


@dataclass(frozen=True)
class Parts:
    """Which costly parts an observation carries beside the tree."""

    screenshot: bool = True
    dom: bool = False


def _parse_line(line: str) -> Node | None:
    text = line.strip().removeprefix("- ")
    if text.startswith("'"):
        text = text[1:].replace("''", "'")
    found = _LINE.match(text)
    if found is None:
        return None
    marks = dict(_MARK.findall(found["rest"]))
    if "ref" not in marks:
        return None
    name = json.loads(found["name"]) if found["name"] else ""
    sides = [float(side) for side in marks["box"].split(",")] if "box" in marks else []
    box = (sides[0], sides[1], sides[2], sides[3]) if len(sides) == 4 else None
    return Node(marks["ref"], found["role"], name, box, "active" in marks)


class Tree:
    """The nodes of a snapshot by ref."""

    def __init__(self, aria: str = "") -> None:
        nodes = [node for line in aria.splitlines() if (node := _parse_line(line))]
        self.nodes: Mapping[str, Node] = {node.ref: node for node in nodes}

    def focused(self) -> Node | None:
        """The node with the keyboard focus, or None where only the page as a whole has it."""
        active = [node for node in self.nodes.values() if node.active and node.role != "generic"]
        return active[-1] if active else None

    def at(self, x: float, y: float) -> Node | None:
        """The innermost node whose box holds a point."""
        inside = [
            node
            for node in self.nodes.values()
            if node.box
            and node.box[0] <= x < node.box[0] + node.box[2]
            and node.box[1] <= y < node.box[1] + node.box[3]
        ]
        return min(inside, key=lambda node: node.box[2] * node.box[3] if node.box else 0.0, default=None)


async def take_snapshot(page: Page) -> str:
    """Playwright's accessibility snapshot with refs and boxes. It also renews what the refs of the page mean."""
    return await page.aria_snapshot(mode="ai", boxes=True, timeout=15_000)


async def take_screenshot(page: Page) -> bytes:
    """A PNG of the viewport in CSS pixels, the same bytes for the same page."""
    return await page.screenshot(animations="disabled", caret="hide", scale="css", timeout=15_000)


def prune_dom(html: str) -> str:
    """The markup without scripts, styles, comments, pictures, hidden inputs, and attributes that say nothing."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(_DROPPED_TAGS):
        tag.decompose()
    for tag in soup.find_all("input", attrs={"type": "hidden"}):
        tag.decompose()
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for tag in soup.find_all(True):
        kept = {
            name: value for name, value in tag.attrs.items() if name in _KEPT_ATTRIBUTES or name.startswith("aria-")
        }
        tag.attrs = dict(sorted(kept.items()))
    body: Any = soup.body or soup
    lines: Sequence[str] = [line.strip() for line in str(body).splitlines()]
    return "\n".join(line for line in lines if line)
