"""Worlds: named, built once, cached by digest, rebuilt when damaged, and the same on every build."""

import ast
import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from deskgym_apps.kit.apps import shipped_apps
from deskgym_apps.kit.canonical import full_dump, state_hash
from deskgym_apps.kit.ids import opaque
from deskgym_apps.kit.store import Store
from deskgym_seeds import world as worlds
from deskgym_seeds.world import (
    World,
    WorldError,
    build_world,
    cached_worlds,
    check_world,
    open_world,
    rule_sources,
    world_digest,
    world_names,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that does not exist yet."""
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKGYM_CACHE", str(tmp_path_factory.mktemp("cache")))
        return open_world("small:1").folder.parent


@pytest.fixture
def full_cache(built: Path, cache: Path) -> Path:
    """A cache that holds small:1."""
    shutil.copytree(built, cache)
    return cache


def test_a_world_is_built_once_and_then_found(full_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = open_world("small:1")
    stamp = first.store_path.stat().st_mtime_ns
    again = open_world("small:1")
    assert (again, again.store_path.stat().st_mtime_ns) == (first, stamp)
    assert [found.name for found in cached_worlds()] == ["small:1"]
    assert check_world(first) == []
    assert capsys.readouterr().err == ""
    assert not list(full_cache.glob(".building-*"))


@pytest.mark.parametrize("damage", ["store.db", "reference.db", "oracle.json", "world.json"])
def test_a_damaged_world_is_built_again_and_says_so(
    full_cache: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    world = open_world("small:1")
    before = world.store_path.read_bytes()
    with (world.folder / damage).open("r+b") as file:
        file.seek(60)
        file.write(b"#")
    assert check_world(world)
    assert check_world(open_world("small:1")) == []
    assert "small:1" in capsys.readouterr().err
    assert world.store_path.read_bytes() == before


def test_a_half_deleted_world_is_built_again(full_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = open_world("small:1")
    world.reference_path.unlink()
    assert open_world("small:1").reference_path.is_file()
    assert "damaged" in capsys.readouterr().err


def test_two_builds_are_the_same_whatever_surrounds_them(small: World, tmp_path: Path) -> None:
    """Another process with another zone, locale and hash seed builds the same rows and mess, and hashes alike."""
    script = (
        "import sys, pathlib; from deskgym_seeds.world import build_world; "
        "from deskgym_apps.kit.canonical import state_hash; "
        "world = build_world(sys.argv[1], pathlib.Path(sys.argv[2])); store = world.open(); "
        "print(state_hash(store)); store.close()"
    )
    surroundings = os.environ | {
        "TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "C", "PYTHONHASHSEED": "4242",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    again = replace(small, folder=tmp_path / "again")
    done = subprocess.run(
        [sys.executable, "-c", script, small.name, str(again.folder)],
        env=surroundings, capture_output=True, text=True, check=True,
    )  # fmt: skip
    with small.open() as one, again.open() as two:
        assert done.stdout.strip() == state_hash(one) == state_hash(two)
        assert full_dump(one) == full_dump(two)
    assert again.oracle == small.oracle
    with pytest.raises(FileExistsError):
        build_world(small.name, again.folder)


def test_processes_that_open_one_world_at_once_build_it_once(cache: Path) -> None:
    script = "from deskgym_seeds.world import open_world; print(open_world('small:1').store_path.stat().st_ino)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert answers[0] == answers[1]


def test_the_image_opens_in_memory_and_as_a_copy(small: World, tmp_path: Path) -> None:
    with Store.memory(small.image, small.reference_path) as memory, small.open() as image:
        assert state_hash(memory) == state_hash(image)
        assert memory.conn.execute("SELECT city FROM ref.place WHERE key = 'lyon'").fetchone()[0] == "Lyon"
    with Store.copy(small.store_path, tmp_path / "store.db", small.reference_path) as copy:
        assert copy.meta("world") == small.name


def test_counters_continue_after_the_seeded_ids(store: Store) -> None:
    counters = {row["name"]: row["next"] for row in store.all("SELECT * FROM org_id_counter")}
    for table, prefix in (
        ("crm_account", "ACC"),
        ("crm_task", "TSK"),
        ("crm_field_history", "FHI"),
        ("org_person", "PRS"),
    ):
        ids = {row["id"] for row in store.all(f"SELECT id FROM {table}")}
        assert ids == {opaque(store.meta("world_key"), table, n, prefix) for n in range(1, counters[table])}


def test_worlds_differ_by_seed_and_their_keys_come_from_the_digest(small: World, store: Store) -> None:
    assert world_digest("small", "1") != world_digest("small", "2") != world_digest("medium", "2")
    assert store.meta("world_key") == worlds.world_key(small.digest)
    assert small.digest == world_digest("small", small.seed)


@pytest.mark.parametrize("name", ["smal:1", "small", "small:0", "small:x", "small:01", "small:test-", "huge:1", ""])
def test_unknown_names_are_refused_with_what_would_be_right(cache: Path, name: str) -> None:
    with pytest.raises(WorldError, match="named like small:1") as caught:
        open_world(name)
    assert caught.value.kind == "not_found"
    assert not cache.exists()


def test_a_misspelt_name_suggests_the_nearest() -> None:
    with pytest.raises(WorldError, match='Did you mean "small:1"'):
        open_world("smal:1")
    assert "small:1" in world_names()


def test_hidden_worlds_need_the_secret(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DESKGYM_TEST_SECRET_FILE", raising=False)
    with pytest.raises(WorldError, match="needs a secret") as caught:
        open_world("small:test-1")
    assert caught.value.kind == "no_secret"
    monkeypatch.setenv("DESKGYM_TEST_SECRET_FILE", str(tmp_path / "absent"))
    with pytest.raises(WorldError, match="cannot be read") as caught:
        open_world("small:test-1")
    assert caught.value.kind == "no_secret"
    (tmp_path / "empty").write_text("\n")
    monkeypatch.setenv("DESKGYM_TEST_SECRET_FILE", str(tmp_path / "empty"))
    with pytest.raises(WorldError, match="is empty"):
        open_world("small:test-1")


def test_a_hidden_world_depends_on_the_secret_and_does_not_tell_it(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    digests = set()
    for secret in ("one", "two"):
        (tmp_path / secret).write_text(secret)
        monkeypatch.setenv("DESKGYM_TEST_SECRET_FILE", str(tmp_path / secret))
        hidden = open_world("small:test-1")
        digests.add(hidden.digest)
        text = (hidden.folder / "world.json").read_text()
        assert hidden.seed not in text
        with hidden.open() as store:
            assert store.meta("world") == "small:test-1"
            assert not store.all("SELECT key FROM org_meta WHERE value LIKE ?", (f"%{hidden.seed}%",))
    assert len(digests) == 2


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(WorldError, match="Cannot write to the cache") as caught:
        open_world("small:1")
    assert caught.value.kind == "no_permission"
    assert "DESKGYM_CACHE" in caught.value.hint


def test_the_oracle_is_private_and_the_facts_are_not(small: World) -> None:
    assert stat.S_IMODE((small.folder / "oracle.json").stat().st_mode) == 0o600
    facts = json.loads((small.folder / "world.json").read_text())
    assert facts["name"] == small.name
    assert facts["rows"]["crm_account"] == 140
    assert "near_duplicate" not in json.dumps(facts)


def test_a_registered_app_is_no_part_of_a_world() -> None:
    code = (
        "from deskgym_apps.kit.apps import apps, register_app; from deskgym_seeds.world import world_digest; "
        "before = world_digest('small', '1'); register_app('tests.fixtures.pad'); assert 'pad' in apps(); "
        "import deskgym_seeds.world as world; world._source_digest.cache_clear(); "
        "assert world.world_digest('small', '1') == before"
    )
    paths = ":".join(path for path in sys.path if path) + f":{Path(__file__).resolve().parents[2]}"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": paths})


def test_every_module_of_an_app_that_seeds_import_is_in_the_digest() -> None:
    imported = set()
    for path in Path(worlds.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("deskgym_apps."):
                imported |= {node.module} | {f"{node.module}.{name.name}" for name in node.names}
    for app in shipped_apps().values():
        paths = [path.removesuffix(".py").removesuffix("/__init__") for path, _ in rule_sources(app.package)]
        known = {path.replace("/", ".") for path in paths}
        wanted = {name for name in imported if name.startswith(f"{app.package}.") and _is_module(name)}
        assert {name.removeprefix(f"{app.package}.") for name in wanted} <= known


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
