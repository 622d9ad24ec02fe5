"""A store opens wherever its folder is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deskgym_apps.kit.store import Store


@pytest.mark.parametrize("name", ["why?.db", "a#b.db", "100%41.db", "two words.db", "naïve é.db", "a&b=c.db"])
def test_a_store_opens_under_any_name_and_opens_no_other_file(image: Path, tmp_path: Path, name: str) -> None:
    place, reference = tmp_path / name, tmp_path / f"reference {name}"
    shutil.copyfile(image, reference)
    with Store.copy(image, place, reference) as store:
        assert store.meta("world") == "pad:1"
        assert store.conn.execute("SELECT count(*) FROM ref.org_person").fetchone()[0] == 2
    with Store.read_image(image, reference) as store:
        assert store.conn.execute("SELECT count(*) FROM ref.org_person").fetchone()[0] == 2
    with Store.read_image(place) as store:
        assert store.meta("world") == "pad:1"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"reference {name}"])
