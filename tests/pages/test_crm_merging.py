"""Merging, duplicates and imports by hand: the same state and journal as through MCP, in both widget variants."""

from __future__ import annotations

import pytest

from deskgym.browser.sync import Browser
from deskgym.episode import Episode
from deskgym.pages.visit import Widgets
from deskgym_graders.codec import Var
from deskgym_graders.spec import Call
from deskgym_graders.tasks.crm import picks

from .test_crm import _by_hand, _by_tools, _update

_FILE = (
    'Nachname;Firma;Post;PLZ;Umsatz\nBrandt;"Nordlicht; Optik";brandt@nordlicht.example;01067;1.234,50\nX;Y;bad;1;2\n'
)
_MAPPING = {"Nachname": "last_name", "Firma": "company", "Post": "email", "PLZ": "postcode", "Umsatz": "annual_revenue"}
_IMPORT = {"csv": _FILE, "object": "lead", "mapping": _MAPPING, "numbers": "1.234,50", "file_name": "fair.csv"}
_PASTED = {
    "csv": "Nachname,Firma\nNew,Firm\n",
    "object": "lead",
    "mapping": {"Nachname": "last_name", "Firma": "company"},
}


def _merge(rows: list[picks.Row]) -> Call:
    """Three contacts into the last of them, with two values of the others."""
    ids = [row["id"] for row in rows]
    choices = {"phone": ids[0], "title": ids[1]}
    versions = {row["id"]: row["row_version"] for row in rows}
    return Call(
        "crm_merge", {"survivor": ids[2], "losers": ids[:2], "field_choices": choices, "row_versions": versions}
    )


def _calls() -> tuple[Call, ...]:
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        people = [row for row in picks.live(episode.store, "crm_contact") if row["phone"] and row["title"]]
        chosen = [row for row in people if row["account_id"] == people[0]["account_id"]][:1] + people[40:42]
    again = {"last_name": "Again", "company": "Nordlicht", "email": "brandt@nordlicht.example"}
    tried = Call("crm_import", _IMPORT | {"dry_run": True})
    return (
        _merge(chosen),
        tried,
        Call("crm_import", _IMPORT | {"on_failure": "skip"}, "job"),
        Call("crm_create", {"object": "lead", "values": again, "allow_duplicates": True}, "twin"),
        _update("twin", "twin2", title="CEO"),
        Call(
            "crm_import",
            {"csv": "Nachname,Firma\nNew,Firm\n", "object": "lead", "mapping": dict([*_MAPPING.items()][:2])},
        ),
        Call("crm_import", {"undo": Var("job.job_id")}),
    )


@pytest.mark.browser
@pytest.mark.parametrize("widgets", ["aria", "native"])
def test_merging_and_importing_by_hand_leave_the_state_and_the_journal_of_the_tools(
    browser: Browser, widgets: Widgets
) -> None:
    calls = _calls()
    by_hand, by_tools = _by_hand(browser, calls, widgets), _by_tools(calls)
    assert by_hand[1] == by_tools[1]
    assert by_hand[0] == by_tools[0]
