"""One private copy of a world in which one agent works: start, call tools, submit, grade, snapshot, fork."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deskgym_apps.desk import service as desk
from deskgym_apps.kit import folder
from deskgym_apps.kit import tools as kit_tools
from deskgym_apps.kit.call import Channel, advance_clock
from deskgym_apps.kit.canonical import State, canonical_state
from deskgym_apps.kit.folder import Public
from deskgym_apps.kit.store import Store

from .beginning import Beginning, find_person, prepare
from .changes import net_changes
from .errors import DeskgymError
from .face import Face
from .placed_files import read_files, write_files
from .pool import Fresh, Injected, Origin, World, default_root, pool_of
from .serving import server_of

if TYPE_CHECKING:
    from deskgym_graders.spec import Task
    from deskgym_graders.verdict import Verdict

Home = Literal["file", "memory"]


@dataclass(frozen=True)
class Snapshot:
    """The state of an episode after some command: `seq` of its last journal row and the store's bytes."""

    seq: int
    image: bytes = field(repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)


@dataclass
class _Place:
    """Where the store of an episode is at present; `fresh` and `tokens` only for a file home."""

    store: Store
    fresh: Fresh | None = None
    tokens: dict[str, str] = field(default_factory=dict)


class Episode(Face):
    """An episode. Make one with `Episode.start`; use it as a context manager or call `close()`.

    `task` is None for free work in a world. `origin` is S0. Nothing of the task but instruction and answer schema
    is written where the agent's side can read.
    """

    def __init__(
        self,
        origin: Origin,
        public: Public,
        person_id: str,
        *,
        task: Task | None,
        home: Home,
        root: Path | None,
        place: _Place | None = None,
    ) -> None:
        self.origin = origin
        self.task = task
        self.person_id = person_id
        self.home: Home = home
        self.public = public
        self.root = (root or default_root()).resolve()
        self._closed = False
        self._place = place or (self._occupy(self._pool().take()) if home == "file" else self._hold(origin.memory()))

    @classmethod
    def start(
        cls,
        task: Task | str | None = None,
        *,
        world: World | str = "small:1",
        seed: int | None = None,
        home: Home = "file",
        person: str | None = None,
        variation: Mapping[str, Any] | None = None,
        inject: Injected | None = None,
        root: Path | None = None,
        app_names: Sequence[str] | None = None,
    ) -> Episode:
        """Begin an episode.

        `task`: "crm/close-won" with `seed`, "crm/close-won@3", a bound Task, or None for free work.
        `home`: "file" (pages and MCP) or "memory" (tool calls in this process only).
        `person`: id of the person who acts; the task's by default. `inject`: table -> rows added before S0 is taken.
        `root`: folder of episodes, `DESKGYM_EPISODES` or a private one by default.
        Raises DeskgymError: not_found for an unknown task, world or person; no_permission for an unwritable root.
        """
        begun = prepare(
            task, world=world, seed=seed, person=person, variation=variation, inject=inject, app_names=app_names
        )
        return cls(begun.origin, begun.public, begun.person_id, task=begun.task, home=home, root=root)

    @classmethod
    def adopt(cls, begun: Beginning, fresh: Fresh, root: Path) -> Episode:
        """The face of an episode whose folder and tokens another keeps: do not `close` it, close its store."""
        fresh.store.public = begun.public
        place = _Place(fresh.store, fresh)
        return cls(begun.origin, begun.public, begun.person_id, task=begun.task, home="file", root=root, place=place)

    # --- Where it lives ------------------------------------------------------------------------------

    def _pool(self) -> Any:
        return pool_of(self.root, self.origin)

    def _hold(self, store: Store) -> _Place:
        store.public = self.public
        return _Place(store)

    def _occupy(self, fresh: Fresh) -> _Place:
        folder.write_public(fresh.folder, self.public)
        place = self._hold(fresh.store)
        place.fresh = fresh
        place.tokens[self.person_id] = self._grant(fresh, self.person_id)
        return place

    def _grant(self, fresh: Fresh, person_id: str) -> str:
        token = secrets.token_urlsafe(32)
        folder.grant(self.root, token, fresh.id, person_id)
        return token

    def _leave(self) -> None:
        """Revoke every token of the present store and let go of it."""
        place = self._place
        if place.fresh is None:
            self.origin.take_back(place.store)
            return
        for token in place.tokens.values():
            folder.revoke(self.root, token)
        self._pool().give_back(place.fresh)

    @property
    def store(self) -> Store:
        """The open store. Raises DeskgymError once the episode is closed."""
        if self._closed:
            raise DeskgymError("conflict", "this episode is closed", "start a new one")
        return self._place.store

    @property
    def id(self) -> str | None:
        """The name of the episode's folder; None for a memory home. A restore changes it."""
        return self._place.fresh.id if self._place.fresh else None

    @property
    def folder(self) -> Path | None:
        return self._place.fresh.folder if self._place.fresh else None

    @property
    def token(self) -> str:
        """The agent token of the acting person. A restore changes it."""
        return self.person_token(self.person_id)

    def person_token(self, person: str) -> str:
        """A token by which another person enters the same episode. Raises DeskgymError for a memory home."""
        place = self._place
        if place.fresh is None:
            raise DeskgymError("usage", "an episode held in memory has no token", 'start it with home="file"')
        who = find_person(self.store, person, ())
        if who not in place.tokens:
            place.tokens[who] = self._grant(place.fresh, who)
        return place.tokens[who]

    # --- Doors ---------------------------------------------------------------------------------------

    @property
    def base_url(self) -> str:
        """Where this process serves the pages; starts the server on first use."""
        if self._place.fresh is None:
            raise DeskgymError("usage", "an episode held in memory has no pages", 'start it with home="file"')
        return server_of(self.root)

    @property
    def enter_url(self) -> str:
        """The page that signs the acting person in."""
        return f"{self.base_url}/enter/{self.token}"

    @property
    def mcp_url(self) -> str:
        """The streamable HTTP endpoint of the acting person."""
        return f"{self.base_url}/s/{self.token}/mcp"

    def _call(self, name: str, given: Mapping[str, Any], person: str | None, channel: Channel) -> Any:
        who = person or self.person_id
        return kit_tools.call_tool(self.store, name, given, person_id=who, app_names=self.app_names, channel=channel)

    def submit(
        self,
        status: str = "done",
        *,
        reason_code: str | None = None,
        answer: Any = None,
        channel: Channel = "control",
    ) -> None:
        """Hand in the work and seal the episode. Raises ServiceError: Invalid for bad input, Sealed the second time."""
        given = {"status": status, "reason_code": reason_code, "answer": answer}
        desk.submit(
            self.store, self.person_id, channel, {key: value for key, value in given.items() if value is not None}
        )

    @property
    def submission(self) -> dict[str, Any] | None:
        """What was handed in, `answer` as JSON text, or None."""
        return desk.submitted(self.store)

    @property
    def sealed(self) -> bool:
        return self.submission is not None

    # --- Control -------------------------------------------------------------------------------------

    @property
    def now(self) -> str:
        """The simulated instant."""
        return self.store.now

    def advance_clock(self, seconds: int) -> str:
        """Move the clock on; due jobs run. Returns the new instant."""
        return advance_clock(self.store, seconds)

    def grade(self, *, replay: bool = True) -> Verdict:
        """The verdict on the present state. `replay=False` leaves the command replay out, and the verdict says so.

        The hash of the state is no part of it: see `state_hash`.
        """
        from deskgym_graders.grade import grade_store

        if self.task is None:
            raise DeskgymError("usage", "this episode has no task to grade", "start it with a task")
        return grade_store(self.task, self.origin.store, self.store, replay=replay)

    def state(self) -> State:
        """The canonical state: app -> table -> key -> column -> value."""
        with self.store.reading():
            return canonical_state(self.store)

    def state_hash(self) -> str:
        """SHA-256 of the canonical state."""
        return self.origin.hasher.hash(self.store)

    def seq(self) -> int:
        """The seq of the last command, 0 before the first."""
        return int(self.store.conn.execute("SELECT coalesce(max(seq), 0) FROM jrn_command").fetchone()[0])

    def journal(self, after: int = 0) -> list[dict[str, Any]]:
        """Commands after a seq: `{seq, instant, person_id, channel, operation, arguments, effects}`.

        An effect is `{table, key, old, new}`, rows as objects, None where there is none.
        """
        return read_journal(self.store, after)

    def diff(self, after: int = 0) -> list[dict[str, Any]]:
        """What changed since a seq, net: `{op, table, key, old, new}` of each row, by table and key.

        `op` is insert, update or delete; `old` and `new` hold only columns that differ, whole rows otherwise.
        Tables outside the canonical state are left out.
        """
        return net_changes(self.store, after)

    # --- Copies --------------------------------------------------------------------------------------

    def image(self) -> bytes:
        """The store's bytes at present, as a world image is kept."""
        return self.snapshot().image

    def snapshot(self) -> Snapshot:
        """The present state, to restore or fork from later."""
        with self.store.reading():
            image = bytearray(self.store.conn.serialize())
            seq = self.seq()
        image[18:20] = b"\x01\x01"  # file format: rollback journal, since a deserialized WAL image does not open
        return Snapshot(seq, bytes(image), self._files())

    def _files(self) -> dict[str, bytes]:
        return {} if self.folder is None else read_files(self.folder)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot in a new folder under a new token; the old tokens answer 410."""
        place = self._from(snapshot)
        self._leave()
        self._place = place

    def fork(self, snapshot: Snapshot | None = None) -> Episode:
        """A second, independent episode from a snapshot, or from the present state."""
        taken = snapshot or self.snapshot()
        twin: Episode = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._place = twin._from(taken)
        twin._closed = False
        return twin

    def _from(self, snapshot: Snapshot) -> _Place:
        if self.home == "memory":
            store = Store.memory(snapshot.image, self.origin.reference)
            store.shapes = self.origin.store.shapes
            return self._hold(store)
        fresh = self._pool().put(snapshot.image)
        write_files(fresh.folder, snapshot.files)
        return self._occupy(fresh)

    def vary(self, variation: Mapping[str, Any]) -> None:
        """Show the pages in another variation from now on."""
        self.public = replace(self.public, variation=dict(variation))
        self._place.store.public = self.public
        if self.folder is not None:
            folder.write_public(self.folder, self.public)

    def close(self) -> None:
        """End the episode: its tokens answer 410, its store is made fresh or removed. Safe to call twice."""
        if not self._closed:
            self._leave()
            self._closed = True


def read_journal(store: Store, after: int = 0) -> list[dict[str, Any]]:
    """Commands of a store after a seq, each with its effects in order."""
    with store.reading():
        commands = store.all("SELECT * FROM jrn_command WHERE seq > ? ORDER BY seq", (after,))
        effects = store.all("SELECT seq, tbl, key, old, new FROM jrn_effect WHERE seq > ? ORDER BY id", (after,))
    by_seq: dict[int, list[dict[str, Any]]] = {}
    for row in effects:
        by_seq.setdefault(row["seq"], []).append(
            {
                "table": row["tbl"],
                "key": json.loads(row["key"]),
                "old": None if row["old"] is None else json.loads(row["old"]),
                "new": None if row["new"] is None else json.loads(row["new"]),
            }
        )
    return [
        dict(row) | {"arguments": json.loads(row["arguments"]), "effects": by_seq.get(row["seq"], [])}
        for row in commands
    ]
