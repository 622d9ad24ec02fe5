"""CRM-3 in statements over many rows: the same records as one by one, and in as few statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from deskgym_apps.crm.service.access import READ, WRITE, User
from deskgym_apps.crm.service.kinds import KINDS
from deskgym_apps.kit.call import Context
from deskgym_apps.kit.errors import Forbidden, NotFound
from deskgym_apps.kit.store import Store

from .fixture import ALDERCROFT, DESK_GROUP, KESTREL, ROLES, World, ident

RULE = {
    "id": ident("SHR", 1),
    "object": "contact",
    "source_kind": "role",
    "source_id": ROLES["AE East"],
    "target_kind": "group",
    "target_id": DESK_GROUP,
    "access": "read",
}
OWD = [{}, {"account": "private", "contact": "private"}, {"account": "private", "contact": "parent"}]


def people(store: Store) -> list[str]:
    return [row["person_id"] for row in store.all("SELECT person_id FROM crm_user WHERE is_active = 1 ORDER BY 1")]


@pytest.mark.parametrize("owd", OWD, ids=["as seeded", "private", "with the account"])
def test_crm_3_many_rows_are_visible_as_each_alone(world_with: Callable[..., World], owd: dict[str, str]) -> None:
    store = world_with({"crm_sharing_rule": [RULE]}, **owd).store
    seen = set()
    for person in people(store):
        user = User(Context(store, person, "ui", store.now))
        for kind in KINDS.values():
            for level in (READ, WRITE):
                one, many = (
                    {
                        row["id"]
                        for row in store.all(
                            f"SELECT t.id FROM {kind.table} t WHERE {user.visible(kind.name, 't', level, many=many)}",
                            user.params,
                        )
                    }
                    for many in (False, True)
                )
                assert one == many, (person, kind.name, level)
                seen.add(len(one))
    assert len(seen) > 3  # people differ in what they reach


def test_crm_3_access_to_several_records_is_that_to_each(world: World) -> None:
    for person in people(world.store):
        for kind in ("account", "contact", "opportunity", "task", "event", "note"):
            ids = [row["id"] for row in world.store.all(f"SELECT id FROM {KINDS[kind].table} ORDER BY id")]
            found = world.read("record_access", {"object": kind, "ids": ids}, by=person)["access"]
            for record_id in ids:
                try:
                    alone = world.read("get", {"id": record_id, "fields": ["id"]}, by=person)["access"]
                except (NotFound, Forbidden):
                    alone = None
                assert found.get(record_id) == alone, (person, record_id)


def test_crm_10_a_deleted_record_gives_no_access(world: World) -> None:
    world.delete(KESTREL)
    found = world.read("record_access", {"object": "opportunity", "ids": [KESTREL]})["access"]
    assert found == {}


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """The SQL that the store runs."""
    run: list[str] = []
    store.conn.set_trace_callback(run.append)
    yield run
    store.conn.set_trace_callback(None)


def test_a_list_reads_no_record_behind_a_row_to_count(world: World) -> None:
    wanted = {"object": "contact", "fields": ["name", "account.name", "owner.name"]}
    with statements(world.store) as run:
        world.read("query", wanted)
    counts = [sql for sql in run if "count(*)" in sql]
    assert len(counts) == 1
    assert "LEFT JOIN" not in counts[0]


def test_a_record_of_an_account_is_found_by_its_link(world: World) -> None:
    with statements(world.store) as run:
        world.read("get", {"id": ALDERCROFT, "fields": ["id"], "related": ["contacts", "notes"]})
    related = [sql for sql in run if "crm_account_contact l" in sql or "crm_note_link l" in sql]
    assert related
    for sql in related:
        plan = " / ".join(row["detail"] for row in world.store.all(f"EXPLAIN QUERY PLAN {sql}"))
        assert "SCAN t" not in plan.replace("SCAN t_", ""), plan
