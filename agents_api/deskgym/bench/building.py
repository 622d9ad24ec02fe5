"""Building a world from nothing."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path

from deskgym_apps.kit.apps import shipped_apps
from deskgym_apps.kit.image import create_tables, finish_image, insert_rows
from deskgym_apps.kit.store import Store
from deskgym_seeds.world import build_world

from .figure import Bench, Figure, figure, timed


def world(bench: Bench) -> Figure:
    """Every table of the world, written to an empty folder. Floor: the same rows, made already, inserted."""
    values, floors = [], []
    for _ in range(bench.samples(3)):
        with tempfile.TemporaryDirectory(prefix="deskgym-bench-") as folder:
            target = Path(folder) / "world"
            values.append(timed(partial(build_world, bench.world, target)))
            with Store.read_image(target / "store.db") as built:
                rows = {name: built.all(f'SELECT * FROM "{name}"') for name in built.shapes}
            floors.append(timed(partial(_insert, rows, target / "floor.db")))
    return figure("world.build", values, floors)


def _insert(rows: dict[str, list[dict[str, object]]], path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA synchronous = OFF")
        create_tables(conn, shipped_apps())
        conn.execute("BEGIN")
        for table, some in rows.items():
            insert_rows(conn, table, some)
        conn.execute("COMMIT")
        finish_image(conn)
