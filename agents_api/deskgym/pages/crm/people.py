"""Who is who: the name of a colleague, found in what the pages' own user lookup answers."""

from __future__ import annotations

import json
from string import ascii_lowercase
from typing import Any
from urllib.parse import quote

from ..filling import Named
from ..visit import PageFault, Visit

DIRECTORY = "/crm/lookup/user?q="
_known: dict[str, Named] = {}  # ids belong to one world, and nobody is renamed


async def colleague(visit: Visit, person_id: str) -> Named:
    """The person of an id. Raises PageFault where the lookup does not know them."""
    waiting = [""]
    while person_id not in _known:
        if not waiting:
            raise PageFault(f"the user lookup knows no person {person_id}")
        letters = waiting.pop(0)
        answer = await _ask(visit, letters)
        for row in answer["options"]:
            _known[row["id"]] = Named(row["label"], f"{row['label']}, {row['detail']}")
        if answer["more"] and len(letters) < 3:
            waiting += [letters + letter for letter in ascii_lowercase]
    return _known[person_id]


async def _ask(visit: Visit, letters: str) -> dict[str, Any]:
    await visit.go(DIRECTORY + quote(letters))
    answer: dict[str, Any] = json.loads(await visit.page.get_by_text("{").first.inner_text())
    return answer
