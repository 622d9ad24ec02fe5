"""A page asks as much for many rows as for one."""

from __future__ import annotations

import re

import pytest

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
