"""The one row that seals: nothing changes it through the store, and what is written past the store is found out."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from deskgym.episode import Episode

ROW = "INSERT INTO desk_submission(one, person_id, status, channel, instant) VALUES (?, ?, 'done', 'ui', '2031-01-01')"


@pytest.fixture
def handed_in() -> Episode:
    """An episode whose work was handed in, solved or not."""
    episode = Episode.start("crm/new-amount", seed=1)
    episode.submit("done", answer={"expected_revenue": "5", "currency": "EUR"}, channel="ui")
    return episode


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE desk_submission SET person_id = 'PRS000000000000'",
        "UPDATE desk_submission SET status = 'infeasible'",
        "DELETE FROM desk_submission",
        ROW.replace("?, ?", "1, 'PRS000000000000'"),
        ROW.replace("?, ?", "2, 'PRS000000000000'"),
        ROW.replace("INSERT", "INSERT OR REPLACE").replace("?, ?", "1, 'PRS000000000000'"),
    ],
)
def test_the_row_cannot_be_changed_removed_or_followed_by_another(handed_in: Episode, statement: str) -> None:
    with handed_in as episode:
        before = episode.submission
        with pytest.raises(sqlite3.IntegrityError):
            episode.store.conn.execute(statement)
        assert episode.submission == before


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("person_id = (SELECT max(id) FROM org_person WHERE id <> person_id)", "who has no part in this task"),
        ("instant = '2031-01-01T00:00:00Z'", "the clock does not stand where the work was handed in"),
    ],
)
def test_a_row_that_was_changed_past_the_store_is_found_out(handed_in: Episode, change: str, fault: str) -> None:
    with handed_in as episode:
        assert episode.grade(replay=False).reason != "INTEGRITY"
        assert episode.folder is not None
        with closing(sqlite3.connect(episode.folder / "store.db", isolation_level=None)) as file:
            file.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, 0, 'undo')")
            file.execute(f"UPDATE desk_submission SET {change}")
            file.execute("DELETE FROM jrn_open")
        verdict = episode.grade(replay=False)
        assert (verdict.reason, verdict.reward) == ("INTEGRITY", 0.0)
        assert fault in verdict.feedback
