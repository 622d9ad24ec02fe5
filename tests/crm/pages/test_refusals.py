"""The page of a refusal stands in the app that it happened in, and leads on there."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from tests.crm.fixture import ALDERCROFT, DANA, LOST

from deskgym_apps.desk.service import submit

from .conftest import Site

HOME = 'href="/crm/">Go to Northbeam</a>'


def bar(page: str) -> str:
    """The name of the app bar."""
    header = BeautifulSoup(page, "html.parser").select_one("header.app-header")
    assert header is not None
    return str(header["aria-label"])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/crm/accounts/ACC000000000000", 404),
        ("/crm/shoes", 404),
        ("/crm/accounts/new/and/much/more", 404),
        (f"/crm/opportunities/{LOST}/stage?stage=Closed+Won", 403),
        ("/crm/accounts?sort=shoe", 400),
    ],
)
def test_a_refusal_within_the_crm_keeps_its_bar_and_offers_its_home(site: Site, path: str, status: int) -> None:
    page = site.get(path, status)
    assert bar(page) == "Northbeam"
    assert HOME in page
    assert 'href="/desk">Go to the desk</a>' in page


def test_a_form_of_a_sealed_episode_is_refused_within_the_crm(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    fields = site.form(path)
    submit(site.store, DANA, "ui", {"status": "done"})
    response = site.post(path, fields)
    assert response.status_code == 410
    assert bar(response.text) == "Northbeam"
    assert HOME in response.text


def test_a_refusal_outside_every_app_is_the_desks(site: Site) -> None:
    page = site.get("/nowhere", 404)
    assert bar(page) == "Desk"
    assert HOME not in page
