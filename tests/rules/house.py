"""Episodes of the hand-made world with everybody signed in, and what came of an attempt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from tests.crm.fixture import DANA
from werkzeug.test import TestResponse

from deskgym_apps.kit.folder import Public, create_folder, grant
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.mcp import ToolDoor
from deskgym_apps.server import create_pages

KINDS = ("account", "contact", "opportunity", "task", "event", "note")
OBJECTS = {"ACC": "account", "CON": "contact", "OPP": "opportunity", "TSK": "task", "EVT": "event", "NTE": "note"}
FOLDERS = {kind: f"{kind}s" for kind in (*KINDS, "call", "email")} | {"opportunity": "opportunities"}
CODES = {
    200: "asks", 303: "done", 400: "bad_query", 403: "forbidden", 404: "not_found", 409: "conflict",
    410: "sealed", 422: "validation",
}  # fmt: skip
_TAG = re.compile(r"<[^>]*>")


def plain(html: str) -> str:
    """The text of a piece of a page."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt: `done` or the code of the refusal, and what was said of which field."""

    code: str
    id: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    def __str__(self) -> str:
        return f"{self.code} {dict(self.faults)} {plain(self.text)[:300]}"


@dataclass(frozen=True)
class Draft:
    """A record as somebody has it before them: its form, or its version."""

    id: str
    by: str
    version: int
    form: Mapping[str, str] = field(default_factory=dict)


class Lobby:
    """Where episodes live: one pages application and one tool door for all of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.stores = OpenStores(root, keep=8)
        self.app = create_pages(root, stores=self.stores)
        self.executor = ThreadPoolExecutor(1)
        self.tools = ToolDoor(self.stores, self.executor)
        self.numbers = count(1)

    def house(self, image: bytes) -> House:
        """A new episode with that state."""
        return House(self, f"e{next(self.numbers)}", image)

    def close(self) -> None:
        self.stores.close()
        self.executor.shutdown()


class House:
    """One episode and the people who work in it."""

    def __init__(self, lobby: Lobby, name: str, image: bytes) -> None:
        self.lobby, self.name = lobby, name
        folder = create_folder(lobby.root, name, Public("Look around.", None, ("crm",)))
        (folder / "store.db").write_bytes(image)
        self._tokens: dict[str, str] = {}
        self._clients: dict[str, FlaskClient] = {}

    @property
    def store(self) -> Store:
        """The store behind both doors."""
        return self.lobby.stores.enter(self.token(DANA))[1]

    def token(self, person_id: str) -> str:
        if person_id not in self._tokens:
            self._tokens[person_id] = f"{self.name}-{person_id}".ljust(40, "-")
            grant(self.lobby.root, self._tokens[person_id], self.name, person_id)
        return self._tokens[person_id]

    def client(self, person_id: str) -> FlaskClient:
        """A browser without scripts, signed in."""
        if person_id not in self._clients:
            client = self.lobby.app.test_client()
            client.get(f"/enter/{self.token(person_id)}")
            self._clients[person_id] = client
        return self._clients[person_id]

    def get(self, path: str, by: str = DANA) -> TestResponse:
        return self.client(by).get(path)

    def post(self, path: str, fields: Mapping[str, str], by: str = DANA) -> TestResponse:
        return self.client(by).post(path, data=dict(fields), headers={"Origin": "http://localhost"})

    def tool(self, name: str, arguments: Mapping[str, Any], by: str = DANA) -> dict[str, Any]:
        """The result of a tool; of a refusal its `{code, message, …}`."""
        result = self.lobby.tools.call(self.token(by), f"crm_{name}", arguments)
        found: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
        refused = result.model_dump(by_alias=True)["isError"]
        assert refused == ("code" in found and "message" in found), found
        return found

    def row(self, table: str, key: str | tuple[str, ...]) -> dict[str, Any]:
        """A row as stored."""
        found = self.store.get(f"crm_{table}", key)
        assert found is not None, (table, key)
        return dict(found)

    def record(self, record_id: str) -> dict[str, Any]:
        """A record as stored."""
        return self.row(OBJECTS[record_id[:3]], record_id)

    def count(self, table: str) -> int:
        return int(self.store.conn.execute(f"SELECT count(*) FROM crm_{table}").fetchone()[0])

    def history(self, record_id: str) -> list[tuple[str, str | None, str | None]]:
        """(field, old, new) of a record's history as stored, oldest first."""
        rows = self.store.all(
            "SELECT field, old_value, new_value FROM crm_field_history WHERE record_id = ? ORDER BY changed_at, field",
            (record_id,),
        )
        return [(row["field"], row["old_value"], row["new_value"]) for row in rows]

    def zone(self, person_id: str) -> str:
        found = self.store.get("org_person", person_id)
        assert found is not None
        return str(found["tz"])

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Nothing at all is written in the meantime."""
        before = rows_of_every_table(self.store)
        yield
        assert rows_of_every_table(self.store) == before


def rows_of_every_table(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All that is stored, the journal included, as the tables hold it."""
    return {
        name: [tuple(row) for row in store.conn.execute(f'SELECT * FROM "{name}"')]
        for (name,) in store.conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    }


class Refused(Exception):
    """The door did not even show what is to be changed."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome
