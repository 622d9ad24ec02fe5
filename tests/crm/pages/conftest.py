"""Northbeam's pages over the hand-made world, through Flask's test client."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.crm.fixture import DANA, build_image
from werkzeug.test import TestResponse

from deskgym_apps.kit.folder import Public, create_folder, grant
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages

FORM = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_INPUT = re.compile(r"<(input|textarea)\b([^>]*)>(?:\s*([^<]*)</textarea>)?")
_SELECT = re.compile(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', re.DOTALL)


@dataclass
class Site:
    """A signed-in browser without scripts, and the store behind it."""

    client: FlaskClient
    store: Store

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

    def post(self, path: str, fields: dict[str, str]) -> TestResponse:
        """Send a form."""
        return self.client.post(path, data=fields, headers={"Origin": "http://localhost"})

    def commands(self) -> list[tuple[str, Any]]:
        """Operations and arguments of the journal."""
        rows = self.store.all("SELECT operation, arguments FROM jrn_command ORDER BY seq")
        return [(row["operation"], json.loads(row["arguments"])) for row in rows]

    def command(self) -> tuple[str, Any]:
        """The one command that was run."""
        found = self.commands()
        assert len(found) == 1, found
        return found[0]


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

    def __init__(self, root: Path) -> None:
        self.root = root
        self.stores = OpenStores(root, keep=8)
        self.app = create_pages(root, stores=self.stores)
        self.numbers = count(1)

    def episode(self, image: bytes, **public: Any) -> str:
        """The name of a new episode with that state."""
        name = f"e{next(self.numbers)}"
        folder = create_folder(self.root, name, Public("Look around.", None, ("crm",), **public))
        (folder / "store.db").write_bytes(image)
        return name

    def enter(self, episode: str, person_id: str) -> Site:
        """A browser that is signed in."""
        token = f"{episode}-{person_id}".ljust(40, "-")
        grant(self.root, token, episode, person_id)
        client = self.app.test_client()
        client.get(f"/enter/{token}")
        return Site(client, self.stores.enter(token)[1])


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    opened = Town(tmp_path_factory.mktemp("town"))
    yield opened
    opened.stores.close()


@pytest.fixture(scope="session")
def page_image() -> bytes:
    return build_image()


@pytest.fixture
def site_of(town: Town, page_image: bytes) -> Callable[[str], Site]:
    """A maker of sites: signed in as a person, in one episode."""
    episode = town.episode(page_image)
    return lambda person_id: town.enter(episode, person_id)


@pytest.fixture
def site(site_of: Callable[[str], Site]) -> Site:
    return site_of(DANA)
