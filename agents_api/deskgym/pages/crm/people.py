"""Colleagues, queues, groups, products and what is set up, found in what the pages' own lookups answer."""

from __future__ import annotations

import json
from string import ascii_lowercase
from typing import Any
from urllib.parse import quote

from ..filling import Named
from ..visit import PageFault, Visit

_LOOKED_UP = ("user", "queue", "group", "role", "profile", "permission_set", "product")
DIRECTORIES = {kind: f"/crm/lookup/{kind}?q=" for kind in _LOOKED_UP}
_known: dict[str, Named] = {}  # ids belong to one world, and nobody is renamed


async def listed(visit: Visit, kind: str, record_id: str) -> Named:
    """The person, queue or product of an id. Raises PageFault where the lookup does not know it."""
    waiting = [""]
    while record_id not in _known:
        if not waiting:
            raise PageFault(f"the {kind} lookup knows no {record_id}")
        letters = waiting.pop(0)
        answer = await _ask(visit, kind, letters)
        for row in answer["options"]:
            _known[row["id"]] = Named(row["label"], f"{row['label']}, {row['detail']}")
        if answer["more"] and len(letters) < 3:
            waiting += [letters + letter for letter in ascii_lowercase]
    return _known[record_id]


async def _ask(visit: Visit, kind: str, letters: str) -> dict[str, Any]:
    await visit.go(DIRECTORIES[kind] + quote(letters))
    answer: dict[str, Any] = json.loads(await visit.page.get_by_text("{").first.inner_text())
    return answer
