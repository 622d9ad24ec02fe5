"""Faults of the machinery (A12): what breaks is env_error or earns 0; it never passes, and nothing raises what nobody
foresaw.

Five kinds: the agent plane is killed amid the work, the store is gone or cut short, the journal is, the grader is
interrupted, and what is handed in is no answer. Control grades as it does for a trainer. The plane is killed once for
an audit, amid the work of one task; the rest is done to each task.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from deskgym_apps.kit.errors import ServiceError
from deskgym_graders.codec import encode_raw
from deskgym_graders.oracle import carry_out, resolve
from deskgym_graders.spec import Task

from .. import pool
from ..control import changing, inputs, reading
from ..control.keeper import Keeper
from ..errors import DeskgymError
from ..serve.environment import worker_environment
from .case import Case, PlacedWorld
from .planes import keeping
from .probes import rpc
from .report import Gate
from .shared import once, subject

_STEP = 1  # instructions of SQLite's machine between two looks of the interrupted grader at its clock
_DEEP = 20_000
MALFORMED: tuple[tuple[str, Any], ...] = (
    ("ten megabytes", "x" * 10_000_000),
    ("a NUL", "\x00"),
    ("half a character", "\ud800"),
    ("a list that is nested deep", None),
)


@dataclass(frozen=True)
class Solved:
    """An episode of control's in which the oracle's calls were carried out; not handed in. `store`: its file."""

    keeper: Keeper
    case: Case
    name: str
    store: Path

    def hand_in(self) -> None:
        """Submit what the oracle does, as control's call does."""
        own = self.case.task.submission
        with self.keeper.opened(self.keeper.registry.get(self.name)) as episode:
            episode.submit(own.status, reason_code=own.reason_code, answer=encode_raw(own.answer))

    def reset(self) -> None:
        """Go on in a fresh place."""
        changing.reset(self.keeper, self.keeper.registry.get(self.name), inputs.Asked())

    def let_go(self) -> None:
        """Close control's store of it, as it does when other episodes need the room."""
        self.keeper.places.close()

    def outcome(self) -> tuple[str, float | None]:
        """What a trainer is told: status and reward of the verdict, or the kind of the error."""
        entry = self.keeper.registry.get(self.name)
        try:
            verdict = reading.grade(self.keeper, entry)
        except DeskgymError as error:
            return error.kind, None
        return str(verdict["status"]), verdict["reward"]


@contextmanager
def solved(case: Case, *, work: bool = True) -> Iterator[Solved]:
    """Such an episode, in a folder of its own; without `work`, one in which nothing was done."""
    with tempfile.TemporaryDirectory(prefix="deskgym-broken-") as home:
        root, folder = Path(home, "episodes"), Path(home, "control")
        with keeping(case.world, root, folder) as keeper:
            task = case.task
            face = keeper.start(inputs.Start(task=task.template, seed=task.seed, world=case.world.name))
            entry = keeper.registry.get(str(face["id"]))
            if work:
                with keeper.opened(entry) as episode:
                    carry_out(episode.store, task, task.oracle)
            yield Solved(keeper, case, entry.id, root / entry.folder / "store.db")
        pool.forget(root)


# --- Store and journal ----------------------------------------------------------------------------------


def the_store_is_gone(broken: Solved) -> None:
    """The store is gone."""
    broken.hand_in()
    broken.let_go()
    broken.store.unlink()


def the_store_is_gone_while_it_is_open(broken: Solved) -> None:
    """The store is gone while control holds it open."""
    broken.hand_in()
    broken.store.unlink()


def the_store_is_cut_short(broken: Solved) -> None:
    """The store is cut to half its length."""
    broken.hand_in()
    broken.let_go()
    os.truncate(broken.store, broken.store.stat().st_size // 2)


def the_journal_is_cut_short(broken: Solved) -> None:
    """The end of the journal is gone; where there are no commands, it has one that nobody gave."""
    broken.hand_in()
    conn = sqlite3.connect(broken.store, isolation_level=None)
    try:
        conn.execute("BEGIN")
        triggers = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name").fetchall()
        for name, _ in triggers:
            conn.execute(f'DROP TRIGGER "{name}"')
        if conn.execute("SELECT 1 FROM jrn_command").fetchone() is None:
            conn.execute("INSERT INTO jrn_command VALUES (1, '2031-01-01T00:00:00Z', 'x', 'mcp', 'x', '{}')")
        for table in ("jrn_effect", "jrn_command"):
            conn.execute(f"DELETE FROM {table} WHERE seq > 1 AND seq = (SELECT max(seq) FROM {table})")
        conn.execute("DELETE FROM jrn_effect WHERE seq = 1 AND (SELECT max(seq) FROM jrn_command) = 1")
        for _, sql in triggers:
            conn.execute(sql)
        conn.execute("COMMIT")
    finally:
        conn.close()


BREAKS: tuple[Callable[[Solved], None], ...] = (
    the_store_is_gone,
    the_store_is_gone_while_it_is_open,
    the_store_is_cut_short,
    the_journal_is_cut_short,
)


# --- The gate -------------------------------------------------------------------------------------------


def a12_faults(case: Case) -> Gate:
    """Each fault alone: env_error or 0."""
    faults: list[str] = []
    for break_it in BREAKS:
        with solved(case) as broken:
            break_it(broken)
            faults += _unless_harmless((break_it.__doc__ or "").rstrip("."), *broken.outcome())
    faults += interrupted_faults(case)
    faults += malformed_faults(case)
    faults += killed_faults(case.world)
    return Gate("A12", len(BREAKS) + 2 + len(MALFORMED) + 1, tuple(faults), shared=1)


def _unless_harmless(what: str, status: str, reward: float | None) -> list[str]:
    harmless = (status, reward) in (("env_error", None), ("graded", 0.0))
    return [] if harmless else [f"{what}: {status} {reward}"]


def interrupted_faults(case: Case) -> Iterator[str]:
    """The grader runs out of time, at once and halfway: not graded at all."""
    with solved(case) as work:
        work.hand_in()
        with work.keeper.opened(work.keeper.registry.get(work.name)) as episode:
            conn = episode.store.conn
            looks = [0]

            def count() -> int:
                looks[0] += 1
                return 0

            conn.set_progress_handler(count, _STEP)
            try:
                episode.grade()
                for last in (1, max(2, looks[0] // 2)):
                    left = [last]

                    def stop(left: list[int] = left) -> int:
                        left[0] -= 1
                        return int(left[0] <= 0)

                    conn.set_progress_handler(stop, _STEP)
                    verdict = episode.grade()
                    if (verdict.status, verdict.reward) != ("env_error", None):
                        yield f"the grader is interrupted at look {last}: {verdict.status} {verdict.reward}"
            finally:
                conn.set_progress_handler(None, 0)


def malformed_faults(case: Case) -> Iterator[str]:
    """What is handed in, after no work, is no answer: refused by name, or it earns 0."""
    with solved(case, work=False) as idle:
        for what, text in MALFORMED:
            with idle.keeper.opened(idle.keeper.registry.get(idle.name)) as episode:
                try:
                    episode.submit("done", answer=_nested(_DEEP) if text is None else text)
                except (ServiceError, DeskgymError):
                    continue
                except Exception as error:
                    yield f"{what} is handed in: {type(error).__name__}: {error}"
                    continue
            yield from _unless_harmless(f"{what} is handed in", *idle.outcome())
            idle.reset()


def _nested(depth: int) -> Any:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


# --- The agent plane ------------------------------------------------------------------------------------


def killed_faults(world: PlacedWorld) -> tuple[str, ...]:
    """The agent plane is killed amid the work, and the agent gives up: what it had done is graded as it is.

    Once for an audit.
    """
    return once(world, "the killed plane", tuple[str, ...], lambda: tuple(_killed_faults(world, subject(world))))


def _killed_faults(world: PlacedWorld, task: Task) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="deskgym-killed-") as home:
        root, folder = Path(home, "episodes"), Path(home, "control")
        with keeping(world, root, folder) as keeper, _worker(root) as (process, url):
            face = keeper.start(inputs.Start(task=task.template, seed=task.seed, world=world.name))
            calls, results = list(task.oracle), dict[str, Any]()
            for call in calls[: len(calls) // 2]:
                given = {"name": call.tool, "arguments": resolve(call.args, results)}
                answer = rpc(url, face["agent_token"], "tools/call", given).json()
                results[call.save_as or ""] = answer["result"]["structuredContent"]
            process.send_signal(signal.SIGKILL)
            process.wait()
            with suppress(httpx.TransportError):
                rpc(url, face["agent_token"], "tools/call", {"name": "finish", "arguments": {}})
                yield "a killed agent plane answers"
            entry = keeper.registry.get(str(face["id"]))
            verdict = reading.grade(keeper, entry)
            yield from _unless_harmless("the agent plane is killed", str(verdict["status"]), verdict["reward"])
        pool.forget(root)


@contextmanager
def _worker(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A worker of the agent plane in a process of its own, and its address."""
    words = [sys.executable, "-P", "-m", "deskgym_apps.server", "--root", str(root), "--port", "0"]
    with subprocess.Popen(words, env=worker_environment(), stdout=subprocess.PIPE, text=True, cwd="/") as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if "serving on" in line:
                    break
            else:
                raise DeskgymError("env_error", "a worker of the agent plane does not start", "its log says why")
            port = int(line.partition("port ")[2].split('"')[0])
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.kill()
