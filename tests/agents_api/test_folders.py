"""Folders, tokens and the pool of a file home."""

import json
import stat
import threading
from pathlib import Path

import pytest

from deskgym import pool
from deskgym.episode import Episode
from deskgym.errors import DeskgymError
from deskgym_apps.kit import folder
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import NotFound

from .memo_world.world import ANA, BEN, MILK, TinyWorld


def start(world: TinyWorld, **more: object) -> Episode:
    return Episode.start(world=world, app_names=["memo"], **more)  # type: ignore[arg-type]


def test_a_token_leads_to_the_folder_and_ends_with_the_episode(tiny: TinyWorld, root: Path) -> None:
    episode = start(tiny, root=root)
    token = episode.token
    assert folder.locate(root, token) == folder.Entry(episode.id or "", episode.folder or root, ANA)
    episode.close()
    with pytest.raises(folder.Gone):
        folder.locate(root, token)


def test_another_person_gets_another_token(tiny: TinyWorld, root: Path) -> None:
    with start(tiny, root=root) as episode:
        other = episode.person_token(BEN)
        assert other == episode.person_token(BEN) != episode.token
        assert folder.locate(root, other).person_id == BEN
    with pytest.raises(folder.Gone):
        folder.locate(root, other)


def test_restore_takes_a_new_folder_and_the_old_token_is_gone(tiny: TinyWorld, root: Path) -> None:
    with start(tiny, root=root) as episode:
        old_token, old_id = episode.token, episode.id
        (episode.folder / "files" / "note.txt").write_text("kept")  # type: ignore[operator]
        episode.restore(episode.snapshot())
        assert episode.id != old_id
        with pytest.raises(folder.Gone):
            folder.locate(root, old_token)
        entry = folder.locate(root, episode.token)
        assert (entry.folder / "files" / "note.txt").read_text() == "kept"


def test_the_shared_folder_holds_nothing_of_the_task(tiny: TinyWorld, root: Path) -> None:
    with start(tiny, root=root) as episode:
        assert episode.folder is not None
        names = sorted(path.name for path in episode.folder.iterdir())
        assert [name for name in names if not name.startswith("store.db")] == ["files", "public.json"]
        public = json.loads((episode.folder / "public.json").read_text())
        assert sorted(public) == ["answer_schema", "apps", "instruction", "reference", "variation"]
        entry = json.loads(next((root / "tokens").iterdir()).read_text())
        assert sorted(entry) == ["episode", "person_id"]
        assert episode.token not in "".join(path.name for path in (root / "tokens").iterdir())


def test_a_private_root_is_for_this_user_alone(tiny: TinyWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKGYM_EPISODES", raising=False)
    with start(tiny) as episode:
        assert stat.S_IMODE(episode.root.stat().st_mode) == 0o700


def test_the_root_comes_from_the_environment(tiny: TinyWorld, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_EPISODES", str(root))
    with start(tiny) as episode:
        assert episode.root == root


def test_a_pooled_store_is_fresh_to_the_last_row_and_has_another_name(
    tiny: TinyWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKGYM_EPISODES", raising=False)
    first = start(tiny)
    ids = [first.call_tool("memo_add", {"title": f"Memo {n}", "idempotency_key": f"k{n}"})["id"] for n in range(3)]
    first.call_tool("memo_finish", {"id": MILK, "row_version": 1})
    first.submit()
    name, store = first.id, first.store
    first.close()
    with start(tiny) as second:
        assert second.id != name
        assert second.store is not store
        assert full_dump(second.store) == full_dump(second.origin.store)
        assert [second.call_tool("memo_add", {"title": f"Memo {n}"})["id"] for n in range(3)] == ids


def test_a_ready_store_that_was_written_to_is_thrown_away(tiny: TinyWorld, root: Path) -> None:
    ready = pool.pool_of(root.resolve(), pool.origin_of(tiny))
    ready.fill(1)
    spoilt = ready._fresh[0]
    spoilt.store.conn.execute("INSERT INTO jrn_command VALUES (1, '2031-03-14T09:00:01Z', NULL, 'mcp', 'x', '{}')")
    with start(tiny, root=root) as episode:
        assert episode.id != spoilt.id
        assert not spoilt.folder.exists()
        assert full_dump(episode.store) == full_dump(episode.origin.store)


def test_a_store_that_a_server_may_hold_is_not_used_again(tiny: TinyWorld, root: Path) -> None:
    episode = start(tiny, root=root)
    inode = (episode.folder / "store.db").stat().st_ino  # type: ignore[operator]
    with open(episode.folder / "store.db", "rb"):  # type: ignore[operator]
        episode.close()
        with start(tiny, root=root) as later:
            assert (later.folder / "store.db").stat().st_ino != inode  # type: ignore[operator]


def test_many_threads_take_different_stores(tiny: TinyWorld, root: Path) -> None:
    ready = pool.pool_of(root.resolve(), pool.origin_of(tiny))
    ready.fill(4)
    taken: list[pool.Fresh] = []
    threads = [threading.Thread(target=lambda: taken.append(ready.take())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({item.id for item in taken}) == 8
    for item in taken:
        pool._discard(item)


def test_a_memory_home_has_neither_token_nor_pages(tiny: TinyWorld) -> None:
    with start(tiny, home="memory") as episode:
        assert episode.id is None
        with pytest.raises(DeskgymError, match="no token"):
            _ = episode.token
        with pytest.raises(DeskgymError, match="no pages"):
            _ = episode.base_url


def test_an_unwritable_root_is_a_clear_error(tiny: TinyWorld, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DeskgymError, match="cannot make an episode under") as refused:
        start(tiny, root=tmp_path / "file" / "episodes")
    assert "DESKGYM_EPISODES" in refused.value.hint
    assert refused.value.exit_code == 4


def test_an_unknown_token_is_not_found(root: Path) -> None:
    with pytest.raises(NotFound):
        folder.locate(root, "x" * 43)
