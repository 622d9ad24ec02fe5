"""Harbourstay's pages over a built world, through Flask's test client: one application for all tests."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from deskgym_apps.kit.folder import Public, create_folder, grant
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages
from deskgym_seeds.world import open_world

FORM = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_INPUT = re.compile(r"<(input|textarea)\b([^>]*)>(?:\s*([^<]*)</textarea>)?")
_SELECT = re.compile(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', re.DOTALL)


@dataclass
class Site:
    """A signed-in browser without scripts, and the store behind it."""

    client: FlaskClient
    store: Store
    person_id: str

    def get(self, path: str, status: int = 200) -> str:
        """A page's text."""
        response = self.client.get(path)
        assert response.status_code == status, f"{path}: {response.status_code}"
        return response.text

    def form(self, path: str, action: str = "") -> dict[str, str]:
        """The fields of a page's form, as a browser would send them untouched."""
        wanted = action or path.split("?")[0]
        for found, body in FORM.findall(self.get(path)):
            if unescape(found) == wanted:
                return fields_of(body)
        raise AssertionError(f"{path} has no form to {wanted}")

    def post(self, path: str, fields: dict[str, str], status: int = 303) -> TestResponse:
        """Send a form."""
        response = self.client.post(path, data=fields, headers={"Origin": "http://localhost"})
        assert response.status_code == status, f"{path}: {response.status_code}: {plain(response.text)[-600:]}"
        return response

    def commands(self) -> list[tuple[str, Any]]:
        """Operations and arguments of the journal."""
        rows = self.store.all("SELECT operation, arguments FROM jrn_command WHERE channel = 'ui' ORDER BY seq")
        return [(row["operation"], json.loads(row["arguments"])) for row in rows]

    def one(self, sql: str, *values: Any) -> Any:
        """The first value of the first row, or None."""
        row = self.store.conn.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def free_stay(self, where: str = "1 = 1", nights: int = 3) -> tuple[str, str, str]:
        """A listing and dates on which this person can book it at once."""
        sql = (
            "SELECT l.id FROM stays_listing l WHERE l.status = 'listed' AND l.host_id <> ? AND l.instant_book = 1 AND "
            "l.min_nights <= ? AND l.checkin_weekdays = '1234567' AND l.advance_notice_days < 20 AND "
            f"{where} ORDER BY l.id"
        )
        for (listing,) in self.store.conn.execute(sql, (self.person_id, nights)).fetchall():
            for first in range(40, 90, 5):
                checkin, checkout = self.day(first), self.day(first + nights)
                page = self.client.get(f"/stays/listings/{listing}?checkin={checkin}&checkout={checkout}").text
                if f'href="/stays/book/{listing}?' in page:
                    return listing, checkin, checkout
        raise AssertionError("no listing is free")

    def day(self, ahead: int) -> str:
        """A date so many days after today, in UTC."""
        return str(self.one("SELECT date(value, ?) FROM org_meta WHERE key = 'sim_now'", f"+{ahead} days"))


def plain(text: str) -> str:
    """The words of a page."""
    return " ".join(unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", text, flags=re.DOTALL)).split())


def fields_of(body: str) -> dict[str, str]:
    """Names and values of the controls in a form."""
    fields = {}
    for tag, attributes, text in _INPUT.findall(body):
        name = re.search(r'\bname="([^"]*)"', attributes)
        value = re.search(r'\bvalue="([^"]*)"', attributes)
        is_off = re.search(r'type="(checkbox|radio)"', attributes) and " checked" not in attributes
        if name and not is_off:
            fields[name[1]] = unescape(text if tag == "textarea" else value[1] if value else "")
    for name, options in _SELECT.findall(body):
        chosen = re.search(r'<option value="([^"]*)"[^>]*selected', options)
        first = re.search(r'<option value="([^"]*)"', options)
        fields[name] = unescape((chosen or first or [""] * 2)[1])
    return fields


class Town:
    """Where the episodes of the tests live, behind one application: making one takes longer than most tests."""

    def __init__(self, root: Path, image: Path) -> None:
        self.root = root
        self.image = image
        self.stores = OpenStores(root, keep=8)
        self.app = create_pages(root, stores=self.stores)
        self.numbers = count(1)

    def episode(self, **public: Any) -> str:
        """The name of a new episode of the world."""
        name = f"e{next(self.numbers)}"
        folder = create_folder(self.root, name, Public("Look around.", None, ("stays",), **public))
        shutil.copy(self.image, folder / "store.db")
        return name

    def enter(self, episode: str, person_id: str) -> Site:
        """A browser that is signed in."""
        token = f"{episode}-{person_id}".ljust(40, "-")
        grant(self.root, token, episode, person_id)
        client = self.app.test_client()
        client.get(f"/enter/{token}")
        return Site(client, self.stores.enter(token)[1], person_id)


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    opened = Town(tmp_path_factory.mktemp("stays-town"), open_world("small:1").store_path)
    yield opened
    opened.stores.close()


@pytest.fixture(scope="session")
def people(town: Town) -> dict[str, str]:
    """Two of the staff: a host, who travels as well, and a guest who has no part in the host's trips."""
    with Store.read_image(town.image) as store:
        rows = store.conn.execute(
            "SELECT u.id FROM stays_user u WHERE u.person_id IS NOT NULL AND EXISTS (SELECT 1 FROM stays_reservation r "
            "WHERE r.guest_id = u.id AND r.status = 'confirmed') ORDER BY (SELECT count(*) FROM stays_listing l "
            "WHERE l.host_id = u.id) DESC, u.id"
        ).fetchall()
    return {"host": rows[0][0], "guest": rows[-1][0]}


@pytest.fixture
def site_of(town: Town, people: dict[str, str]) -> Callable[[str], Site]:
    """A maker of sites: signed in as host or guest, in one episode."""
    episode = town.episode()
    return lambda role: town.enter(episode, people[role])


@pytest.fixture
def site(site_of: Callable[[str], Site]) -> Site:
    return site_of("guest")
