"""Promise 1. Nothing graded lives in a page: reading never writes, only commands write, both doors do the same.

Every tool by hand against the tool itself: tests/pages/test_crm.py. What triggers refuse: tests/kit/test_journal.py.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flask
import pytest
from werkzeug.routing import Rule

from deskgym.episode import Episode
from deskgym.pages import crm
from deskgym.proof import Case, doors
from deskgym_apps.crm.routes.setup_places import PARTS, PLACES
from deskgym_apps.crm.service.kinds import KINDS
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages
from deskgym_graders.tasks.crm import picks
from deskgym_seeds.world import World

FOLDERS = {
    "accounts": "ACC",
    "contacts": "CON",
    "opportunities": "OPP",
    "tasks": "TSK",
    "events": "EVT",
    "notes": "NTE",
    "leads": "LEA",
    "cases": "CAS",
    "articles": "ART",
    "quotes": "QUO",
}
HERE = {"Origin": "http://localhost"}


@contextmanager
def served(root: Path) -> Iterator[tuple[Episode, flask.Flask]]:
    """An episode of the administrator, and the pages that serve it."""
    with Episode.start(home="memory") as free:
        person = picks.administrator(free.store)
    stores = OpenStores(root)
    try:
        with Episode.start(home="file", person=person, root=root) as episode:
            yield episode, create_pages(root, stores=stores)
    finally:
        stores.close()


def readable(pages: flask.Flask, store: Store) -> list[str]:
    """An address for every route that answers GET, with a record of each kind where one is named."""
    some = {prefix: store.tables[name].prefix and _first(store, name) for name, prefix in _prefixed(store)}
    contact = {"contact_id": some["CON"], "account_id": some["ACC"], "target": "account", "path": "x", "filename": "x"}
    contact |= {
        "view_id": _any(store, "crm_list_view"),
        "line_id": _any(store, "crm_opportunity_line"),
        "report_id": _any(store, "crm_report"),
        "dashboard_id": _any(store, "crm_dashboard"),
        "job_id": _any(store, "crm_import_job"),
        "person_id": _row_of(store, "user"),
        "grantee": _row_of(store, "group"),
    }
    contact |= _of_stays(store)
    paths = []
    for rule in pages.url_map.iter_rules():
        if "GET" not in (rule.methods or set()) or "token" in rule.arguments or "digest" in rule.arguments:
            continue
        wanted = FOLDERS if "folder" in rule.arguments else [rule.rule.split("/")[2] if "_id" in rule.rule else ""]
        for folder in wanted:
            if "any(" in rule.rule and "folder" in rule.arguments and folder not in rule.rule:
                continue  # a route of some kinds only
            words = {name: said.split(",")[0] for said, name in re.findall(r"<any\(([^)]*)\):(\w+)>", rule.rule)}
            given = contact | words | {"folder": folder, "record_id": some.get(FOLDERS.get(folder, "OPP"))}
            if "slug" in rule.arguments:
                paths += set_up(rule, store)
                continue
            paths.append(rule.build({name: given[name] for name in rule.arguments}, append_unknown=False)[1])  # type: ignore[index]
    return sorted(paths)


def _of_stays(store: Store) -> dict[str, str]:
    """What the addresses of Harbourstay name: the first of each, and of what a world has none, an id of nothing."""
    trip = store.one("SELECT code FROM stays_reservation ORDER BY id LIMIT 1")
    assert trip is not None
    named = {
        "listing_id": "stays_listing",
        "review_id": "stays_review",
        "season_id": "stays_season",
        "thread_id": "stays_thread",
        "reply_id": "stays_quick_reply",
        "wishlist_id": "stays_wishlist",
    }
    ids = {name: _any(store, table) for name, table in named.items()}
    return ids | {"code": str(trip["code"]), "request_id": "RSL000000000000", "step": "pricing"}


def set_up(rule: Rule, store: Store) -> list[str]:
    """The addresses of a route of the set-up, with a row of each kind."""
    paths = []
    for place in (*PLACES, *PARTS):
        given = {"slug": place.slug, "row_id": _row_of(store, place.pages.kind), "thing": "account"}
        paths.append(rule.build(given, append_unknown=False)[1])  # type: ignore[index]
    return paths


def _row_of(store: Store, kind: str) -> str:
    table = KINDS[kind].table
    row = store.one(f"SELECT * FROM {table} ORDER BY 1 LIMIT 1")
    assert row is not None
    return str(row.get("id", row.get("person_id")))


def _prefixed(store: Store) -> list[tuple[str, str]]:
    found = [(name, str(table.prefix)) for name, table in sorted(store.tables.items()) if table.prefix]
    return [(name, prefix) for name, prefix in found if prefix in FOLDERS.values()]


def _any(store: Store, table: str) -> str:
    row = store.one(f"SELECT id FROM {table} ORDER BY id LIMIT 1")
    assert row is not None
    return str(row["id"])


def _first(store: Store, table: str) -> str:
    return str(picks.live(store, table)[0]["id"])


def writes(store: Store) -> tuple[int, int]:
    """Moves with every committed write of this connection or another."""
    return store.conn.total_changes, store.conn.execute("PRAGMA data_version").fetchone()[0]


def writers(pages: flask.Flask, episode: Episode, paths: Iterable[str]) -> list[str]:
    """Addresses that write when they are read, or that fail in trying to."""
    browser = pages.test_client()
    assert browser.get(f"/enter/{episode.token}").status_code == 303
    guilty, before = [], writes(episode.store)
    for path in paths:
        answer = browser.get(path, headers=HERE)
        after = writes(episode.store)
        if after != before or answer.status_code >= 500:
            guilty.append(path)
        before = after
    return guilty


def test_reading_every_page_writes_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as (episode, pages):
        given = {"csv": "Name,Firm\nBerg,Berg Foods\n", "mapping": {"Name": "last_name", "Firm": "company"}}
        episode.call_tool("crm_import", given | {"object": "lead"})
        paths, before = readable(pages, episode.store), full_dump(episode.store)
        assert len(paths) > 150
        assert writers(pages, episode, paths) == []
        assert full_dump(episode.store) == before


@pytest.mark.parametrize("way", ["in a service", "behind its back"])
def test_a_page_that_writes_while_it_is_read_is_named(tmp_path: Path, way: str) -> None:
    with served(tmp_path) as (episode, pages):
        note = _first(episode.store, "crm_note")

        @pages.get("/crm/seen")
        def seen() -> str:
            if way == "in a service":
                episode.call_tool("crm_delete", {"id": note})
            else:
                flask.g.store.conn.execute("UPDATE crm_note SET title = 'seen' WHERE id = ?", (note,))
            return "seen"

        assert writers(pages, episode, ("/desk", "/crm/seen", "/crm/")) == ["/crm/seen"]


def test_no_graded_row_changes_outside_a_command(world: World) -> None:
    with Store.memory(world.image, world.reference_path) as store:
        tables = [name for name in store.tables if store.conn.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
        for name in tables:
            with pytest.raises(sqlite3.IntegrityError, match="write outside a command"):
                store.conn.execute(f"DELETE FROM {name}")
    assert len(tables) > 25


def both_doors(template: str, seed: int) -> tuple[str, ...]:
    """What differs between a task done by tools and the same done by hand."""
    case = Case.of(template, seed, surfaces=("mcp", "browser"))
    assert doors.a1_oracle(case).faults == ()
    return doors.a18_parity(case).faults


@pytest.mark.browser
def test_the_same_work_through_either_door_ends_in_the_same_state_and_journal() -> None:
    assert both_doors("crm/log-call", 1) == ()


@pytest.mark.browser
def test_a_page_object_that_does_its_work_in_another_way_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends as it should, but on a detour of which the tool knows nothing."""
    change = crm.ACTIONS["update"]

    async def twice(visit: Any, args: dict[str, Any]) -> dict[str, Any]:
        first = await change(visit, args | {"values": {"next_step": "for a moment"}})
        return await change(visit, args | {"row_version": first["row_version"]})

    monkeypatch.setattr(crm, "ACTIONS", {**crm.ACTIONS, "update": twice})
    faults = both_doors("crm/log-call", 1)
    assert any("hash" in fault for fault in faults)
    assert any("for a moment" in fault for fault in faults)
