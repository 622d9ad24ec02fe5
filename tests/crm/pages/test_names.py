"""Within a landmark, row, dialog or menu no two things to press share role and name (accessibility.md, gates)."""

from __future__ import annotations

from collections import Counter

import pytest
from bs4 import BeautifulSoup
from tests.crm.fixture import ALDERCROFT, KESTREL, MARTA, NOTE, TODO, VISIT
from tests.kit.web.naming import actionable, name_of, region_of, role_of

from .conftest import Site

PATHS = (
    "/crm/",
    "/crm/accounts",
    "/crm/opportunities?scope=mine&panel=1",
    "/crm/opportunities/board",
    f"/crm/accounts/{ALDERCROFT}",
    f"/crm/accounts/{ALDERCROFT}/related",
    f"/crm/contacts/{MARTA}",
    f"/crm/opportunities/{KESTREL}",
    f"/crm/opportunities/{KESTREL}/history",
    f"/crm/opportunities/{KESTREL}/edit",
    f"/crm/opportunities/{KESTREL}/stage?stage=Closed+Lost",
    f"/crm/tasks/{TODO}",
    f"/crm/events/{VISIT}/edit",
    f"/crm/notes/{NOTE}/edit",
    "/crm/search?q=alder",
    "/crm/recycle-bin",
)


@pytest.mark.parametrize("path", PATHS)
def test_names_are_unique_where_they_stand(site: Site, path: str) -> None:
    soup = BeautifulSoup(site.get(path), "html.parser")
    found = Counter((id(region_of(element)), role_of(element), name_of(soup, element)) for element in actionable(soup))
    assert [(role, name) for (_, role, name), count in found.items() if count > 1] == []
    assert all(name for _, _, name in found), "something has no name"
