"""Where a store lives: file and memory, one writer at a time, and what a killed writer leaves behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.fixtures.pad.world import ANA, BEN, MILK

import deskgym_apps
from deskgym_apps.kit.call import read, run
from deskgym_apps.kit.canonical import canonical_state, full_dump, state_hash
from deskgym_apps.kit.image import inject_rows
from deskgym_apps.kit.store import Store

ROOT = Path(__file__).parents[2]
KILLS = 40
# Imports once; then, for each line it reads, forks a writer, says its pid, and waits until it was killed.
WRITER = """
import os, sys
from pathlib import Path
from tests.fixtures.pad.world import ANA, PACKAGE
from deskgym_apps.kit.apps import register_app
from deskgym_apps.kit.call import run
from deskgym_apps.kit.store import Store
register_app(PACKAGE)

def work():
    store = Store.open(Path(sys.argv[1]))
    while True:
        words = {"title": "t" * 70, "body": "b" * 1900, "remind_at": "2031-03-14T09:00:05Z"}
        note = run(store, "pad.write_note", words, person_id=ANA, channel="ui")
        run(store, "pad.tag_note", {"id": note["id"], "words": list("abcdefgh")}, person_id=ANA, channel="ui")
        os.write(1, b"%d\\n" % store.one("SELECT max(seq) AS seq FROM jrn_command WHERE channel = 'ui'")["seq"])

while sys.stdin.readline():
    pid = os.fork()
    if pid == 0:
        work()
    os.write(1, b"pid %d\\n" % pid)
    os.waitpid(pid, 0)
    os.write(1, b"end\\n")
"""


def kill_a_writer(server: subprocess.Popen[str], after: int) -> int:
    """Let a writer write until it has acknowledged so much, kill it; the last command it acknowledged."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("go\n")
    server.stdin.flush()
    pid, last, seen = 0, 0, 0
    while True:
        line = server.stdout.readline().strip()
        if line == "end":
            return last
        if line.startswith("pid"):
            pid = int(line.split()[1])
        else:
            last, seen = int(line), seen + 1
        if pid and seen == after:
            os.kill(pid, signal.SIGKILL)


def check_whole(path: Path, acknowledged: int) -> None:
    """The store is sound, and every acknowledged command is in it, whole."""
    with Store.open(path) as store:
        assert store.conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert store.all("PRAGMA foreign_key_check") == store.all("SELECT * FROM jrn_open") == []
        seqs = [row["seq"] for row in store.all("SELECT seq FROM jrn_command ORDER BY seq")]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= acknowledged > 0
        notes = store.one("SELECT count(*) AS n FROM pad_note WHERE title LIKE 'ttt%'")
        assert notes == store.one("SELECT count(*) AS n FROM jrn_command WHERE operation = 'pad.write_note'")


def write(store: Store, title: str = "Call the bank") -> str:
    return str(run(store, "pad.write_note", {"title": title}, person_id=ANA, channel="ui")["id"])


def test_a_killed_writer_loses_no_committed_command_and_corrupts_nothing(image: Path, tmp_path: Path) -> None:
    """`kill -9` in mid-write, 40 times on the same store; every acknowledged command is there, whole."""
    path = tmp_path / "store.db"
    Store.copy(image, path).close()
    folders = os.pathsep.join([str(ROOT), str(Path(deskgym_apps.__file__).parents[1])])
    command = [sys.executable, "-c", WRITER, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, env=os.environ | {"PYTHONPATH": folders}
    ) as server:
        for attempt in range(KILLS):
            check_whole(path, kill_a_writer(server, 1 + attempt % 7))
        server.communicate()


def test_two_threads_write_one_after_the_other(file_store: Store) -> None:
    with Store.open(file_store.path or Path()) as other:
        errors: list[BaseException] = []

        def work(store: Store, person: str) -> None:
            try:
                for number in range(25):
                    arguments = {"title": f"{person} {number}"}
                    run(store, "pad.write_note", arguments, person_id=person, channel="ui")
            except BaseException as error:
                errors.append(error)

        shared = [threading.Thread(target=work, args=(file_store, ANA)) for _ in range(2)]
        threads = [*shared, threading.Thread(target=work, args=(other, BEN))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    commands = file_store.all("SELECT seq, instant FROM jrn_command ORDER BY seq")
    assert [row["seq"] for row in commands] == list(range(1, 76))
    assert len({row["instant"] for row in commands}) == 75
    assert file_store.now == "2031-03-14T09:01:15Z"


def test_a_reader_sees_one_state_while_another_writes(file_store: Store) -> None:
    with Store.open(file_store.path or Path()) as other, file_store.reading():
        before = canonical_state(file_store)
        write(other)
        assert canonical_state(file_store) == before
        assert len(canonical_state(other)["pad"]["pad_note"]) == 3
    assert len(canonical_state(file_store)["pad"]["pad_note"]) == 3


def test_reading_inside_a_command_sees_what_it_wrote(store: Store) -> None:
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
        conn.execute("INSERT INTO pad_tag VALUES (?, 7, 'now')", (MILK,))
        with store.reading():
            assert store.get("pad_tag", (MILK, 7)) is not None
        assert conn.in_transaction
        conn.execute("DELETE FROM jrn_open")


def test_a_store_that_cannot_be_read_is_an_error_never_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Store.open(tmp_path / "nothing.db")
    (tmp_path / "broken.db").write_bytes(b"not a database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        Store.open(tmp_path / "broken.db").close()


def test_a_store_is_never_overwritten(image: Path, tmp_path: Path) -> None:
    target = tmp_path / "store.db"
    Store.copy(image, target).close()
    with pytest.raises(FileExistsError):
        Store.copy(image, target)


def test_an_image_is_not_written(image: Path) -> None:
    before = image.read_bytes()
    with Store.read_image(image) as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        write(store)
    assert image.read_bytes() == before
    assert not image.with_name(image.name + "-wal").exists()


def test_a_memory_copy_is_private(image: Path) -> None:
    data = image.read_bytes()
    with Store.memory(data) as one, Store.memory(data) as other:
        write(one)
        assert state_hash(one) != state_hash(other)
        with Store.read_image(image) as origin:
            assert full_dump(other) == full_dump(origin)


def test_the_reference_database_is_attached_and_cannot_be_written(image: Path, tmp_path: Path) -> None:
    reference = tmp_path / "reference.db"
    made = sqlite3.connect(reference)
    made.executescript("CREATE TABLE place(id TEXT PRIMARY KEY); INSERT INTO place VALUES ('PLC1');")
    made.close()
    with Store.memory(image.read_bytes(), reference) as store:
        assert store.all("SELECT id FROM ref.place") == [{"id": "PLC1"}]
        assert "place" not in store.shapes
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store.conn.execute("INSERT INTO ref.place VALUES ('PLC2')")


def test_rows_are_injected_before_s0_without_a_trace_in_the_journal(image: Path, tmp_path: Path) -> None:
    path = tmp_path / "private.db"
    path.write_bytes(image.read_bytes())
    inject_rows(path, {"pad_tag": [{"note_id": MILK, "position": 4, "word": "new"}]})
    with Store.open(path) as store:
        assert store.get("pad_tag", (MILK, 4)) is not None
        assert store.all("SELECT * FROM jrn_effect") == store.all("SELECT * FROM jrn_open") == []
        assert len(read(store, "pad.read_notes", {}, person_id=ANA)) == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"pad_tags": []}, 'no table "pad_tags"'),
        ({"pad_tag": [{"note_id": "PAD000000000009", "position": 1, "word": "x"}]}, "foreign key of pad_tag"),
        ({"pad_tag": [{"note_id": MILK, "position": "first", "word": "x"}]}, "cannot store TEXT"),
        ({"pad_tag": [{"note_id": MILK, "position": 0, "word": "x"}]}, "UNIQUE"),
        ({"pad_tag": [{"note_id": MILK, "place": 0}]}, 'no column "place"'),
        ({"pad_tag": [{'position") SELECT 1 --': 0}]}, "no column"),
    ],
)
def test_rows_that_do_not_fit_are_refused_whole(
    image: Path, tmp_path: Path, rows: dict[str, list[dict[str, object]]], message: str
) -> None:
    path = tmp_path / "private.db"
    path.write_bytes(image.read_bytes())
    good: dict[str, list[dict[str, object]]] = {"pad_ui_choice": [{"person_id": ANA, "layout": "wide"}]}
    with pytest.raises(ValueError, match=message):
        inject_rows(path, good | rows)
    with Store.read_image(image) as origin, Store.open(path) as store:
        assert full_dump(store) == full_dump(origin)
