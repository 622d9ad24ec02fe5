"""Handing in at the desk by hand says the same as the tool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskgym.browser import Parts, Start
from deskgym.browser.sync import Browser
from deskgym.episode import Episode
from deskgym.pages import Refused, perform
from deskgym.pages.visit import Widgets
from deskgym_apps.kit import folder
from deskgym_apps.kit.folder import Public

pytestmark = pytest.mark.browser

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["total", "count", "owner", "close_date", "is_late", "stage", "names", "deals", "address"],
    "properties": {
        "total": {"type": ["string", "number"]},
        "count": {"type": "integer"},
        "owner": {"type": "string"},
        "close_date": {"type": "string", "format": "date"},
        "is_late": {"type": "boolean"},
        "stage": {"type": "string", "enum": ["Prospecting", "Closed Won"]},
        "names": {"type": "array", "items": {"type": "string"}},
        "deals": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "amount": {"type": "string"}}},
        },
        "address": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}},
    },
    "x-reason-codes": ["no_such_record", "not_allowed"],
}
ANSWER = {
    "total": "1250.50",
    "count": 12,
    "owner": "Åsa Lindqvist",
    "close_date": "2031-03-14",
    "is_late": False,
    "stage": "Closed Won",
    "names": ["Aldercroft Ltd", "Bramley Foods"],
    "deals": [{"name": f"Deal {at}", "amount": f"{at}.00"} for at in range(5)],
    "address": {"city": "Leeds"},
}


def _hand_in(browser: Browser, tool: str, args: dict[str, Any], *, by_hand: bool, widgets: Widgets = "aria") -> Any:
    """What the store holds of a submission through one of the doors."""
    with Episode.start(home="file", app_names=("crm",)) as episode:
        assert episode.folder is not None
        schema = SCHEMA if args.get("answer") or args.get("reason_code") else None
        public = Public("Count the deals.", schema, ("crm",), episode.public.reference, {"widgets": widgets})
        folder.write_public(episode.folder, public)
        if by_hand:
            with browser.open(episode.enter_url, start=Start(parts=Parts(False))) as session:
                base = episode.base_url
                asked = session.perform(lambda s: perform(s, "desk_instruction", {}, base_url=base, widgets=widgets))
                assert asked == {"instruction": "Count the deals."}
                done = session.perform(lambda s: perform(s, tool, args, base_url=base, widgets=widgets))
                assert done == {"submitted": True}
                with pytest.raises(Refused, match="already"):
                    session.perform(lambda s: perform(s, tool, args, base_url=base, widgets=widgets))
        else:
            episode.call_tool(tool, args)
        row = episode.store.one("SELECT status, reason_code, answer FROM desk_submission")
        assert row is not None
        return row | {"answer": row["answer"] and json.loads(row["answer"])}


@pytest.mark.parametrize("widgets", ["aria", "native"])
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("submit_answer", {"status": "done", "answer": ANSWER}),
        ("submit_answer", {"status": "infeasible", "reason_code": "not_allowed"}),
        ("finish", {}),
    ],
    ids=["answer", "infeasible", "finish"],
)
def test_handing_in_by_hand_stores_what_the_tool_stores(
    browser: Browser, tool: str, args: dict[str, Any], widgets: Widgets
) -> None:
    by_hand = _hand_in(browser, tool, args, by_hand=True, widgets=widgets)
    assert by_hand == _hand_in(browser, tool, args, by_hand=False)
