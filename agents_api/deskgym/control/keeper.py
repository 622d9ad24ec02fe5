"""The life of episodes: start, reset, snapshot, restore, fork, hand in, grade, end.

Everything runs on one thread, one operation after the other. An operation makes a new place first, then notes it in one
transaction together with the answer to its request id, and only then lets go of the old place: whatever moment a kill
falls on, either all of it has happened or none.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deskgym_apps.kit.call import canonical_json
from deskgym_apps.kit.variation import check as check_variation

from .. import catalogue
from ..beginning import Beginning, prepare
from ..episode import Episode
from ..errors import DeskgymError
from ..pool import Fresh, Pool, World, drop_origin, forget, pool_of
from . import inputs
from .places import Places
from .registry import Entry, Kept, Registry
from .secret import new_id, new_token

if TYPE_CHECKING:
    from deskgym_graders.spec import Task

GRACE_S = 60
Answer = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """`root`: episodes, shared with workers. `folder`: control's own. `agent_url`: where agents find the pages.

    `capacity`: live episodes at most. `ttl_s`: seconds of a lease where a caller names none.
    """

    root: Path
    folder: Path
    agent_url: str
    capacity: int = 256
    ttl_s: int = 3600
    now: Callable[[], float] = field(default=time.time, repr=False)


def instant_of(second: int) -> str:
    """A Unix second as `YYYY-MM-DDTHH:MM:SSZ`."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Keeper:
    """Keeps the episodes of one root. `close()` it; the episodes stay for the next keeper of the same folder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.registry = Registry(settings.folder / "control.db")
        self.places = Places(settings.root)
        self._worlds: dict[str, World] = {}
        self._tasks: dict[tuple[str, str, int | None], Task] = {}
        self.after: list[Callable[[], object]] = []
        self._hungry: dict[int, Pool] = {}
        self.ended: dict[str, int] = {}
        self.started = 0
        self.verdicts: dict[str, int] = {}
        self.task_rows: dict[str, list[Answer]] = {}

    def close(self) -> None:
        forget(self.settings.root)
        self.places.close()
        self.registry.close()

    # --- After a stop or a crash ---------------------------------------------------------------------

    def resume(self) -> None:
        """Go on with the episodes of the registry: folders become what it says, leases get a minute at least."""
        entries = self.registry.entries()
        for entry in [entry for entry in entries if not self.places.has(entry.folder)]:
            self._end(entry, "its folder was lost")
        entries = self.registry.entries()
        tokens = {entry.id: self.registry.tokens(entry.id) for entry in entries}
        for entry in entries:
            self.places.publish(entry.folder, entry.public, tokens[entry.id])
        given = [token for people in tokens.values() for token in people.values()]
        self.places.reconcile({entry.folder for entry in entries}, given)
        self.registry.grace(int(self.settings.now()) + GRACE_S)
        self.settle()

    def warm(self, world: str) -> None:
        """Open a world and keep fresh stores of it."""
        begun = prepare(world=self.world(world))
        self.pool(begun).fill(4)

    def refill(self) -> None:
        """Make fresh stores for those that were taken; call it when nobody waits."""
        while self._hungry:
            pool = self._hungry.popitem()[1]
            pool.fill(pool.keep)

    # --- Once, whatever happens ----------------------------------------------------------------------

    def once(self, call: str, given: inputs.Asked, work: Callable[[Kept | None], Answer], mark: int = 0) -> Answer:
        """Do the work and note its answer in one transaction; a request id that was answered gets that answer again.

        `work` is told what was kept of the request where a crash broke it off; `mark` is kept for it.
        """
        key = given.request_id
        digest = hashlib.sha256(f"{call}|{canonical_json(given.model_dump(mode='json'))}".encode()).hexdigest()
        kept = self.registry.request(key, digest) if key is not None else None
        if kept is not None and kept.answer is not None:
            return kept.answer
        if key is not None and kept is None:
            self.registry.begin_request(key, digest, mark, self.settings.now())
        try:
            with self.registry.transaction():
                answer = work(kept)
                if key is not None:
                    self.registry.answer_request(key, answer)
        except Exception:
            self.after.clear()
            if key is not None:
                self.registry.drop_request(key)
            raise
        self.settle()
        return answer

    def settle(self) -> None:
        """What follows a commit: old tokens end, old places go."""
        while self.after:
            self.after.pop(0)()

    # --- What an episode hangs on --------------------------------------------------------------------

    def world(self, name: str) -> World:
        """An open world, opened and checked once. Raises DeskgymError: not_found, no_secret, no_permission."""
        if name not in self._worlds:
            self._worlds[name] = catalogue.world(name)
        return self._worlds[name]

    def know(self, world: World) -> None:
        """Take a world that is open already as the one of its name."""
        self._worlds[world.name] = world

    def _task(self, name: str, world: World, seed: int | None) -> Task:
        key = (name, world.name, seed)
        if key not in self._tasks:
            if len(self._tasks) >= 1000:
                self._tasks.clear()
            self._tasks[key] = catalogue.bind(name, world, seed)
        return self._tasks[key]

    def _begin(self, given: inputs.Start) -> Beginning:
        world = self.world(given.world)
        task = None if given.task is None else self._task(given.task, world, given.seed)
        if task is None and given.seed is not None:
            raise DeskgymError("usage", "a seed without a task names nothing", "name a task")
        check_variation(given.variation or {})
        return prepare(task, world=world, person=given.person, variation=given.variation, inject=given.inject)

    def begun(self, entry: Entry) -> Beginning:
        """What an episode began with, made anew. Raises DeskgymError (conflict) where it comes out differently."""
        world = self.world(entry.world)
        task = None if entry.task is None else self._task(entry.task, world, entry.seed)
        if world.digest != entry.world_digest or (task.digest if task else None) != entry.task_digest:
            raise DeskgymError(
                "conflict", f"episode {entry.id} began in another version of its world or task", "start a new one"
            )
        begun = prepare(task, world=world, person=entry.person_id, inject=entry.inject)
        return replace(begun, public=entry.public)

    def pool(self, begun: Beginning) -> Pool:
        """Fresh stores of what an episode begins with."""
        return pool_of(self.settings.root, begun.origin)

    def take(self, begun: Beginning) -> Fresh:
        """A fresh store in a place that nobody can enter yet."""
        pool = self.pool(begun)
        fresh = pool.take()
        self._hungry[id(pool)] = pool
        self.places.hold(fresh.id, fresh.store)
        return fresh

    @contextmanager
    def entered(self, fresh: Fresh, entry: Entry, people: Iterable[str]) -> Iterator[dict[str, str]]:
        """New tokens of people for a new place; both are taken back where the operation fails."""
        tokens = {person: new_token() for person in people}
        try:
            self.places.publish(fresh.id, entry.public, tokens)
            yield tokens
        except BaseException:
            self.places.revoke(tokens.values())
            self.places.discard(fresh.id)
            raise

    @contextmanager
    def opened(self, entry: Entry) -> Iterator[Episode]:
        """The episode with its store open. A store that cannot be read is env_error."""
        begun = self.begun(entry)
        try:
            store = self.places.store(entry.folder, begun.origin)
            fresh = Fresh(entry.folder, self.settings.root / entry.folder, store)
            yield Episode.adopt(begun, fresh, self.settings.root)
        except (sqlite3.Error, FileNotFoundError) as error:
            fault = f"the store of episode {entry.id} cannot be read: {error}"
            raise DeskgymError("env_error", fault, "end it and start a new one") from error

    # --- Starting and ending -------------------------------------------------------------------------

    def start(self, given: inputs.Start) -> Answer:
        """A new episode. Raises DeskgymError: capacity, not_found, usage, invalid_task, no_secret."""
        return self.once("start", given, lambda _kept: self._start(given))

    def _start(self, given: inputs.Start) -> Answer:
        self.check_capacity()
        begun = self._begin(given)
        task = begun.task
        ttl_s = given.ttl_s or self.settings.ttl_s
        entry = Entry(
            id=new_id(),
            folder="",
            world=given.world,
            world_digest=begun.origin.world.digest,
            task=task.template if task else None,
            seed=task.seed if task else None,
            task_digest=task.digest if task else None,
            person_id=begun.person_id,
            inject=given.model_dump(mode="json")["inject"] or {},
            public=self.places.public_of(begun.public, begun.origin),
            ttl_s=ttl_s,
            expires=self.until(ttl_s),
        )
        return self.place(entry, self.take(begun))

    def place(self, entry: Entry, fresh: Fresh) -> Answer:
        """Note a new episode and let its person in; part of `once`."""
        placed = replace(entry, folder=fresh.id)
        with self.entered(fresh, placed, [entry.person_id]) as tokens:
            self.registry.add(placed, tokens)
        self.started += 1
        return self.face(placed)

    def check_capacity(self) -> None:
        """Raise DeskgymError (capacity) where no further episode may live."""
        if self.registry.count() >= self.settings.capacity:
            raise DeskgymError(
                "capacity",
                f"{self.settings.capacity} episodes are live, and this server holds no more",
                "end some, or try again after the seconds of Retry-After",
            )

    def retry_after(self) -> int:
        """Seconds after which a place may be free: 1 to 60."""
        first = self.registry.next_expiry()
        return 1 if first is None else max(1, min(60, first - int(self.settings.now())))

    def until(self, ttl_s: int) -> int:
        """The Unix second at which a lease of that length ends."""
        return int(self.settings.now()) + ttl_s

    def end(self, episode: str) -> Answer:
        """End an episode: its tokens answer 410, its folder is removed."""
        entry = self.registry.get(episode)
        with self.registry.transaction():
            self._end(entry, "it was deleted")
        self.settle()
        return {"id": entry.id, "ended": True}

    def _end(self, entry: Entry, why: str) -> None:
        tokens = list(self.registry.tokens(entry.id).values())
        self.registry.end(entry, why, self.settings.now())
        self.ended[why] = self.ended.get(why, 0) + 1
        self.after.append(lambda: self.leave(entry.folder, tokens))
        if entry.inject and not any(other.origin_key == entry.origin_key for other in self.registry.entries()):
            self.after.append(lambda: self._forget(entry))

    def leave(self, folder: str, tokens: list[str]) -> None:
        """End tokens, then remove the place they entered."""
        self.places.revoke(tokens)
        self.places.discard(folder)

    def _forget(self, entry: Entry) -> None:
        pool_origin = prepare(world=self.world(entry.world), inject=entry.inject).origin
        self._hungry.pop(id(pool_of(self.settings.root, pool_origin)), None)
        drop_origin(pool_origin)

    def reap(self) -> list[str]:
        """End the episodes whose lease has ended and whose journal has not grown; returns their ids."""
        now, reaped = self.settings.now(), []
        for entry in self.registry.expired(now):
            seq = self._seq(entry)
            if seq is not None and seq > entry.seq:
                self.registry.extend(entry, self.until(entry.ttl_s), seq)
                continue
            with self.registry.transaction():
                self._end(entry, "its lease ran out" if seq is not None else "its store could not be read")
            self.settle()
            reaped.append(entry.id)
        self.registry.prune(now)
        return reaped

    def _seq(self, entry: Entry) -> int | None:
        try:
            with self.opened(entry) as episode:
                return episode.seq()
        except DeskgymError:
            return None

    # --- What callers are told -----------------------------------------------------------------------

    def row(self, entry: Entry) -> Answer:
        """An episode in a list: nothing secret."""
        return {
            "id": entry.id,
            "task": None if entry.task is None else f"{entry.task}@{entry.seed}",
            "world": entry.world,
            "person": entry.person_id,
            "ttl_s": entry.ttl_s,
            "lease_expires": instant_of(entry.expires),
        }

    def doors(self, token: str) -> Answer:
        """How a person enters."""
        base = self.settings.agent_url
        return {"agent_token": token, "enter_url": f"{base}/enter/{token}", "mcp_url": f"{base}/s/{token}/mcp"}

    def face(self, entry: Entry) -> Answer:
        """All a caller needs to let an agent work."""
        tokens = self.registry.tokens(entry.id)
        return {
            **self.row(entry),
            "instruction": entry.public.instruction,
            "answer_schema": entry.public.answer_schema,
            "apps": list(entry.public.apps),
            "variation": dict(entry.public.variation),
            "base_url": self.settings.agent_url,
            **self.doors(tokens[entry.person_id]),
            "world_digest": entry.world_digest,
            "task_digest": entry.task_digest,
        }

    def episodes(self) -> list[Answer]:
        """A row of each live episode, by id."""
        return [self.row(entry) for entry in self.registry.entries()]

    def episode(self, episode: str) -> Answer:
        """One episode with its present instant, last command, submission and snapshots."""
        entry = self.registry.get(episode)
        with self.opened(entry) as opened:
            present = {"now": opened.now, "seq": opened.seq(), "submission": opened.submission}
        return {**self.face(entry), **present, "snapshots": self.registry.snapshots(entry.id)}
