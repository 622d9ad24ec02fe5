"""The demonstration's film: what each step aimed at, on the page as the agent saw it, and what it changed."""

from pathlib import Path
from typing import Any

import pytest

from deskgym.run.demo import FILMED, film, play
from deskgym.run.film import write_film
from deskgym.run.record import RunFolder


def step(number: int, action: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"number": number, "action": action, "target": None, "error": None, "diff": []} | more


class Recorded(RunFolder):
    """A run folder of one made-up trial."""

    def __init__(self, path: Path, steps: list[dict[str, Any]]) -> None:
        super().__init__(path)
        self.made_up = steps

    def rows(self) -> list[dict[str, Any]]:
        return [{"task": "crm/<b>", "seed": 0, "reward": 0.0, "reason": "MISSING", "feedback": "No & no."}]

    def steps(self, row: Any) -> list[dict[str, Any]]:
        return self.made_up


def test_a_step_is_shown_on_the_page_before_it_with_its_target_framed(tmp_path: Path) -> None:
    aim = {"role": "button", "name": "Save", "box": [128.0, 72.0, 64.0, 36.0]}
    steps = [
        step(1, {"action": "navigate", "url": "/desk"}, picture="blobs/a.png"),
        step(2, {"action": "click", "ref": "e1"}, picture="blobs/b.png", target=aim),
        step(3, {"action": "submit", "status": "done"}, picture="blobs/b.png"),
    ]
    assert write_film(Recorded(tmp_path / "run", steps), tmp_path / "film.html", [])
    text = (tmp_path / "film.html").read_text("utf-8")
    assert [text.count(f"run/blobs/{name}.png") for name in "ab"] == [1, 1]
    assert "left:10.00%;top:10.00%;width:5.00%;height:5.00%" in text
    assert text.index("Click the button “Save”") < text.index("blobs/a.png") < text.index("Hand in the work: done")
    assert "crm/&lt;b&gt;" in text
    assert "No &amp; no." in text


def test_a_trial_without_pictures_makes_no_film(tmp_path: Path) -> None:
    steps = [step(1, {"tool": "crm_get", "arguments": {}}, picture=None)]
    assert not write_film(Recorded(tmp_path / "run", steps), tmp_path / "film.html", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.browser
def test_the_filmed_agent_closes_the_deal_by_hand_and_every_click_has_a_frame(tmp_path: Path) -> None:
    rows = list(play(FILMED, tmp_path))
    assert [(row["reward"], row["reason"], row["who"]) for row in rows] == [(1.0, "OK", "by hand")]
    run = RunFolder(tmp_path / FILMED.name)
    steps = run.steps(run.rows()[0])
    clicks = [one for one in steps if one["action"]["action"] == "click"]
    assert len(clicks) == 7
    assert all(one["target"]["box"] for one in clicks)
    page = film(tmp_path, rows)
    assert page is not None
    text = page.read_text("utf-8")
    assert text.count('class="aim"') == len(clicks) + 2  # and the search field and the next step
    assert "crm_opportunity" in text
    assert all((tmp_path / name).is_file() for name in text.split('"') if name.endswith(".png"))
