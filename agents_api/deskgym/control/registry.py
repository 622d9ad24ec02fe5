"""Control's own SQLite file: live episodes with lease and tokens, snapshots, and answers by request id.

Every change is on disk before the caller hears of it, so that a killed control goes on where it was. Use it on one
thread.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from deskgym_apps.kit.call import canonical_json
from deskgym_apps.kit.folder import Public

from ..errors import DeskgymError

KEPT_S = 86_400


@dataclass(frozen=True)
class Entry:
    """A live episode. `folder`: its present place under the root. `task`, `seed`, `task_digest` are None for free work.

    `expires`: Unix second at which its lease ends. `seq`: the last command that lengthened the lease.
    """

    id: str
    folder: str
    world: str
    world_digest: str
    task: str | None
    seed: int | None
    task_digest: str | None
    person_id: str
    inject: Mapping[str, Any]
    public: Public
    ttl_s: int
    expires: int
    seq: int = 0

    @property
    def origin_key(self) -> tuple[str, str]:
        """Episodes of one key share S0."""
        return self.world, canonical_json(self.inject)


@dataclass(frozen=True)
class Kept:
    """What is known of a request id. `mark`: what the caller noted before its work; `answer` is None while it is on."""

    mark: int
    answer: dict[str, Any] | None


class Registry:
    """The file at `path`, made where there is none. `close()` it."""

    def __init__(self, path: Path) -> None:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        self._conn = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._conn.row_factory = sqlite3.Row
        for pragma in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = NORMAL"):
            self._conn.execute(f"PRAGMA {pragma}")
        self._conn.executescript(resources.files(__package__).joinpath("registry.sql").read_text("utf-8"))

    def close(self) -> None:
        self._conn.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; inside another it is a part of that."""
        if self._conn.in_transaction:
            yield
            return
        self._conn.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._conn.execute("ROLLBACK")
            raise
        self._conn.execute("COMMIT")

    # --- Episodes ------------------------------------------------------------------------------------

    def add(self, entry: Entry, tokens: Mapping[str, str]) -> None:
        """Note a new episode; `tokens`: person -> agent token."""
        row = asdict(entry) | {"inject": canonical_json(entry.inject), "public": json.dumps(asdict(entry.public))}
        names = ", ".join(row)
        with self.transaction():
            self._conn.execute(f"INSERT INTO episode({names}) VALUES ({', '.join('?' * len(row))})", (*row.values(),))
            for person, token in tokens.items():
                self.add_token(entry.id, person, token)

    def move(self, entry: Entry, folder: str, tokens: Mapping[str, str]) -> Entry:
        """Note that an episode goes on in another folder under other tokens."""
        with self.transaction():
            self._conn.execute("UPDATE episode SET folder = ?, seq = 0 WHERE id = ?", (folder, entry.id))
            self._conn.execute("DELETE FROM token WHERE episode = ?", (entry.id,))
            for person, token in tokens.items():
                self.add_token(entry.id, person, token)
        return replace(entry, folder=folder, seq=0)

    def end(self, entry: Entry, why: str, now: float) -> None:
        """Forget an episode, its tokens and snapshots; remember for a day why."""
        with self.transaction():
            self._conn.execute("DELETE FROM episode WHERE id = ?", (entry.id,))
            self._conn.execute("INSERT INTO ended VALUES (?, ?, ?)", (entry.id, why, int(now)))

    def extend(self, entry: Entry, expires: int, seq: int) -> Entry:
        """Lengthen a lease, by the ttl_s that the entry says."""
        sql = "UPDATE episode SET expires = ?, seq = ?, ttl_s = ? WHERE id = ?"
        self._conn.execute(sql, (expires, seq, entry.ttl_s, entry.id))
        return replace(entry, expires=expires, seq=seq)

    def grace(self, until: int) -> None:
        """Let no lease end before an instant: nobody could lengthen one while control was away."""
        self._conn.execute("UPDATE episode SET expires = ? WHERE expires < ?", (until, until))

    def get(self, episode: str) -> Entry:
        """A live episode. Raises DeskgymError (not_found)."""
        row = self._conn.execute("SELECT * FROM episode WHERE id = ?", (episode,)).fetchone()
        if row is not None:
            return _entry(row)
        gone = self._conn.execute("SELECT why FROM ended WHERE id = ?", (episode,)).fetchone()
        if gone is not None:
            raise DeskgymError("not_found", f"episode {episode} has ended: {gone[0]}", "start a new one")
        raise DeskgymError("not_found", f'there is no episode "{episode[:40]}"', "GET /v1/episodes lists them")

    def entries(self) -> list[Entry]:
        """Every live episode, by id."""
        return [_entry(row) for row in self._conn.execute("SELECT * FROM episode ORDER BY id")]

    def expired(self, now: float) -> list[Entry]:
        """Those whose lease has ended."""
        return [_entry(row) for row in self._conn.execute("SELECT * FROM episode WHERE expires <= ?", (int(now),))]

    def count(self) -> int:
        """How many are live."""
        return int(self._conn.execute("SELECT count(*) FROM episode").fetchone()[0])

    def next_expiry(self) -> int | None:
        """The Unix second at which the first lease ends."""
        found = self._conn.execute("SELECT min(expires) FROM episode").fetchone()[0]
        return None if found is None else int(found)

    # --- Tokens --------------------------------------------------------------------------------------

    def add_token(self, episode: str, person: str, token: str) -> None:
        self._conn.execute("INSERT INTO token(token, episode, person_id) VALUES (?, ?, ?)", (token, episode, person))

    def tokens(self, episode: str) -> dict[str, str]:
        """Person -> agent token."""
        rows = self._conn.execute("SELECT person_id, token FROM token WHERE episode = ? ORDER BY person_id", (episode,))
        return {row["person_id"]: row["token"] for row in rows}

    # --- Snapshots -----------------------------------------------------------------------------------

    def add_snapshot(self, name: str, episode: str, seq: int, pages: bytes, files: Mapping[str, bytes]) -> None:
        with self.transaction():
            self._conn.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?)", (name, episode, seq, pages))
            rows = [(name, *item) for item in files.items()]
            self._conn.executemany("INSERT INTO snapshot_file VALUES (?, ?, ?)", rows)

    def snapshots(self, episode: str) -> list[dict[str, Any]]:
        """`{snapshot, seq}` of each, oldest state first."""
        rows = self._conn.execute("SELECT id, seq FROM snapshot WHERE episode = ? ORDER BY seq, id", (episode,))
        return [{"snapshot": row["id"], "seq": row["seq"]} for row in rows]

    def snapshot(self, episode: str, name: str) -> tuple[int, bytes, dict[str, bytes]]:
        """Seq, packed pages and files. Raises DeskgymError (not_found)."""
        sql = "SELECT seq, pages FROM snapshot WHERE id = ? AND episode = ?"
        row = self._conn.execute(sql, (name, episode)).fetchone()
        if row is None:
            raise DeskgymError("not_found", f'episode {episode} has no snapshot "{name[:40]}"', "take one first")
        files = self._conn.execute("SELECT name, content FROM snapshot_file WHERE snapshot = ? ORDER BY name", (name,))
        return row["seq"], row["pages"], {file["name"]: file["content"] for file in files}

    # --- Steps of the clock --------------------------------------------------------------------------

    def note_step(self, episode: str, seconds: int) -> None:
        """Note that a step of the clock is about to be made."""
        self._conn.execute("INSERT INTO step(episode, seconds) VALUES (?, ?)", (episode, seconds))

    def steps(self, episode: str) -> list[int]:
        """The seconds of each step that was asked for, in order."""
        sql = "SELECT seconds FROM step WHERE episode = ? ORDER BY number"
        return [int(row["seconds"]) for row in self._conn.execute(sql, (episode,))]

    # --- Requests ------------------------------------------------------------------------------------

    def request(self, name: str, digest: str) -> Kept | None:
        """What is known of a request id. Raises DeskgymError (conflict) where it was given to another request."""
        row = self._conn.execute("SELECT * FROM request WHERE id = ?", (name,)).fetchone()
        if row is None:
            return None
        if row["digest"] != digest:
            raise DeskgymError("conflict", f'request_id "{name}" was used for another request', "take a new one")
        return Kept(row["mark"], None if row["answer"] is None else json.loads(row["answer"]))

    def begin_request(self, name: str, digest: str, mark: int, now: float) -> None:
        self._conn.execute("INSERT INTO request VALUES (?, ?, ?, NULL, ?)", (name, digest, mark, int(now)))

    def answer_request(self, name: str, answer: Mapping[str, Any]) -> None:
        self._conn.execute("UPDATE request SET answer = ? WHERE id = ?", (json.dumps(answer), name))

    def drop_request(self, name: str) -> None:
        self._conn.execute("DELETE FROM request WHERE id = ?", (name,))

    def prune(self, now: float) -> None:
        """Forget what is older than a day."""
        for table in ("ended", "request"):
            self._conn.execute(f"DELETE FROM {table} WHERE at < ?", (int(now) - KEPT_S,))


def _entry(row: sqlite3.Row) -> Entry:
    public = json.loads(row["public"])
    return Entry(
        **dict(row)
        | {"inject": json.loads(row["inject"]), "public": Public(**public | {"apps": tuple(public["apps"])})}
    )
