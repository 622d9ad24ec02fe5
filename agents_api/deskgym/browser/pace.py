"""How long a step takes beside Playwright's own click and snapshot of the same page (DESIGN §8, `browser.step`)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .observation import Parts, take_snapshot
from .session import Session


@dataclass(frozen=True)
class Pace:
    """Times in milliseconds, one of each pair measured right after the other."""

    steps: tuple[float, ...]
    raw: tuple[float, ...]


async def pace(session: Session, role: str, name: str, pairs: int) -> Pace:
    """Alternate `pairs` times between a step (click by ref, settled, observed without picture) and the raw way.

    The raw way is a mouse click at a known point, and Playwright's snapshot. The element must be one that a click
    leaves on the page. Raises ValueError where it is not there or a step fails.
    """
    quick = Parts(screenshot=False)
    await session.observe(quick)
    steps, raw = [], []
    for _ in range(pairs):
        node = next((node for node in session.nodes() if (node.role, node.name) == (role, name)), None)
        if node is None or node.box is None:
            raise ValueError(f'there is no {role} "{name}" on {session.page.url}')
        begin = time.perf_counter()
        seen = await session.act({"action": "click", "ref": node.ref}, quick)
        steps.append((time.perf_counter() - begin) * 1000)
        if seen.error is not None:
            raise ValueError(seen.error)
        x, y, width, height = node.box
        begin = time.perf_counter()
        await session.page.mouse.click(x + width / 2, y + height / 2)
        await take_snapshot(session.page)
        raw.append((time.perf_counter() - begin) * 1000)
        await session.observe(quick)
    return Pace(tuple(steps), tuple(raw))
