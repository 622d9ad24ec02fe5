"""A page asks as much for many rows as for one."""

from __future__ import annotations

import re

import pytest
from tests.crm.fixture import ADA, DANA, HARBOUR, KESTREL

from deskgym_apps.kit.call import run
from deskgym_apps.kit.store import Store

from .conftest import Site


def statements(site: Site, path: str) -> int:
    """How many queries a page runs."""
    run: list[str] = []
    site.store.conn.set_trace_callback(run.append)
    site.get(path)
    site.store.conn.set_trace_callback(None)
    return sum(sql.lstrip().upper().startswith(("SELECT", "WITH")) for sql in run)


@pytest.mark.parametrize("folder", ["accounts", "contacts", "opportunities", "tasks"])
def test_a_list_asks_no_more_for_more_rows(site: Site, folder: str) -> None:
    rows = re.findall(rf'<a href="/crm/{folder}/([A-Z0-9]{{15}})">', site.get(f"/crm/{folder}"))
    assert len(rows) > 1
    alone = [f"/crm/{folder}?field1=id&op1=equals&value1={row}" for row in rows]
    rates = 2  # which only a total over several currencies needs
    assert statements(site, f"/crm/{folder}") <= max(statements(site, path) for path in alone) + rates


def test_a_page_reads_the_person_once(site: Site) -> None:
    run: list[str] = []
    site.store.conn.set_trace_callback(run.append)
    site.get("/crm/")
    site.store.conn.set_trace_callback(None)
    assert sum("FROM crm_user u JOIN crm_profile" in sql for sql in run) == 1


def unread(page: str) -> int:
    """How many notifications the app bar tells of."""
    found = re.search(r'aria-label="Notifications(?:, (\d+) unread)?"', page)
    assert found is not None
    return int(found[1] or 0)


def test_what_every_page_asks_is_read_again_once_anybody_wrote(site: Site) -> None:
    before = unread(site.get("/crm/"))
    assert site.store.path is not None
    other = Store.open(site.store.path)
    given = {"id": HARBOUR, "row_version": 1, "values": {"owner_id": DANA}}
    run(other, "crm.update_opportunity", given, person_id=ADA, channel="ui")
    other.close()
    assert unread(site.get("/crm/")) == before + 1
    again = {"id": KESTREL, "row_version": 1, "values": {"owner_id": ADA}}
    run(site.store, "crm.update_opportunity", again, person_id=ADA, channel="ui")
    back = {"id": KESTREL, "row_version": 2, "values": {"owner_id": DANA}}
    run(site.store, "crm.update_opportunity", back, person_id=ADA, channel="ui")
    assert unread(site.get("/crm/")) == before + 2


def test_what_every_page_asks_is_asked_once_while_nobody_writes(site: Site) -> None:
    first = statements(site, "/crm/accounts")
    assert statements(site, "/crm/accounts") < first
