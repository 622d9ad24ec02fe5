"""Episodes in this process: beginning one, solving it by service calls, grading it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from itertools import count, cycle, islice

from deskgym_apps.kit.store import Store
from deskgym_graders.oracle import resolve
from deskgym_graders.spec import Task

from .. import catalogue
from ..episode import Episode
from ..errors import DeskgymError
from ..pool import origin_of, pool_of
from .figure import Bench, Figure, alternate, figure, timed
from .scratch import scratch_root

MOST_COMMANDS = 5


def new_file(bench: Bench) -> Figure:
    """A file home taken from a filled pool, token granted. Floor: a cold copy, opened, with one row written."""
    origin = origin_of(catalogue.world(bench.world))
    numbers = count()

    def cold() -> None:
        target = scratch / f"{next(numbers)}.db"
        shutil.copyfile(origin.path, target)
        with closing(sqlite3.connect(target, isolation_level=None)) as conn:
            conn.execute("PRAGMA journal_mode = WAL")
            conn.execute("PRAGMA synchronous = OFF")
            conn.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, 0, 'inject')")
        target.unlink()

    with scratch_root() as scratch:
        taken: list[float] = []
        floors: list[float] = []
        world = catalogue.world(bench.world)
        ready = pool_of(scratch, origin)
        for _ in range(bench.samples(60)):
            ready.fill(1)
            begun: list[Episode] = []
            taken.append(timed(lambda keep=begun: keep.append(Episode.start(world=world, root=scratch))))  # type: ignore[misc]
            begun[0].close()
            floors.append(timed(cold))
        return figure("episode.new.file", taken, floors)


def new_memory(bench: Bench) -> Figure:
    """A memory home, begun and closed. Floor: SQLite's own deserialize of the same bytes, and close."""
    world = catalogue.world(bench.world)
    image = origin_of(world).image

    def bare() -> None:
        with closing(sqlite3.connect(":memory:")) as conn:
            conn.deserialize(image)
            conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    return figure("episode.new.memory", *alternate(lambda: _begin(world), bare, bench.samples(100)))


def _begin(world: object) -> None:
    with Episode.start(world=world, home="memory") as episode:  # type: ignore[arg-type]
        episode.store.one("SELECT count(*) FROM sqlite_schema")


def short_tasks(bench: Bench) -> list[Task]:
    """The instances whose oracle needs few commands. Raises DeskgymError (not_found) where there are none."""
    world = catalogue.world(bench.world)
    names = [bench.task] if bench.task else list(catalogue.templates())
    bound = [catalogue.bind(name, world, 0) for name in names]
    found = [task for task in bound if len(task.oracle) <= MOST_COMMANDS]
    if not found:
        raise DeskgymError("not_found", f"no task takes {MOST_COMMANDS} commands or fewer")
    return found


def solve(episode: Episode, task: Task) -> None:
    """Carry the oracle's calls out in process and hand its answer in."""
    results: dict[str, object] = {}
    for call in task.oracle:
        result = episode.call_tool(call.tool, resolve(call.args, results))
        if call.save_as is not None:
            results[call.save_as] = result
    given = task.submission
    episode.submit(given.status, reason_code=given.reason_code, answer=given.answer)


def _passed(episode: Episode, *, replay: bool) -> None:
    verdict = episode.grade(replay=replay)
    if verdict.reward != 1.0:
        raise DeskgymError("env_error", f"the oracle did not pass: {verdict.reason} {verdict.feedback}")


def grade(bench: Bench) -> Figure:
    """Integrity, difference and verdict of a solved episode, without replay. Floor: its journal read."""
    return _grade("grade", bench, replay=False)


def grade_with_replay(bench: Bench) -> Figure:
    """As `grade`, with command replay. Floor: the commands alone."""
    return _grade("grade.replay", bench, replay=True)


def _grade(name: str, bench: Bench, *, replay: bool) -> Figure:
    """Each episode is graded once: nothing is known of it but what was kept of its world."""
    world = catalogue.world(bench.world)
    values: list[float] = []
    floors: list[float] = []
    tasks = short_tasks(bench)
    for number, task in enumerate(islice(cycle(tasks), len(tasks) + bench.samples(80))):
        with Episode.start(task, world=world, home="memory") as episode:
            commands = timed(partial(solve, episode, task))
            verdict = timed(partial(_passed, episode, replay=replay))
            journal = timed(partial(_journal, episode.store))
        if number >= len(tasks):  # the first of each task warms up
            values.append(verdict)
            floors.append(commands if replay else journal)
    return figure(name, values, floors)


def _journal(store: Store) -> None:
    for row in store.conn.execute("SELECT old, new FROM jrn_effect ORDER BY id").fetchall():
        for text in row:
            if text is not None:
                json.loads(text)


def oracle(bench: Bench) -> Figure:
    """From reset to verdict by service calls, at most 5 commands, no replay. Floor: the same commands alone."""
    return _oracle("oracle.episode", bench, replay=False)


def oracle_with_replay(bench: Bench) -> Figure:
    """As `oracle`, with the grader's command replay."""
    return _oracle("oracle.episode.replay", bench, replay=True)


def _oracle(name: str, bench: Bench, *, replay: bool) -> Figure:
    world = catalogue.world(bench.world)
    values: list[float] = []
    floors: list[float] = []

    def whole(task: Task) -> None:
        with Episode.start(task, world=world, home="memory") as episode:
            solve(episode, task)
            _passed(episode, replay=replay)

    tasks = short_tasks(bench)
    for task in tasks:
        whole(task)
    for task in islice(cycle(tasks), bench.samples(80)):
        values.append(timed(partial(whole, task)))
        with Episode.start(task, world=world, home="memory") as episode:
            floors.append(timed(partial(solve, episode, task)))
    return figure(name, values, floors)
