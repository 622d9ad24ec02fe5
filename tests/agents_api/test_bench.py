"""Figures: how they are computed, that each measures what it names, and what the command prints."""

import json

import pytest
from click.testing import CliRunner

from deskgym import bench
from deskgym.bench import Bench
from deskgym.bench.figure import alternate, figure, percentile
from deskgym.bench.process import FRAME, served
from deskgym.cli import main
from deskgym.errors import DeskgymError

QUICK = Bench(share=0.01)
COLUMNS = ["name", "p50", "p95", "unit", "n", "floor_p50", "ratio"]
# The names that are published; those in `.replay` are the same with the grader's command replay.
NAMES = {
    "episode.new.file",
    "episode.new.memory",
    "grade",
    "grade.replay",
    "oracle.episode",
    "oracle.episode.replay",
    "mcp.call",
    "browser.step",
    "browser.reset",
    "page.server",
    *(f"page.server.{kind}" for kind in ("desk", "home", "list", "filter", "board", "record", "tab")),
    *(f"page.server.{kind}" for kind in ("form", "search", "bin")),
    "memory.worker",
    "memory.per_episode",
    *(f"serve.{name}" for name in ("new", "reset", "state", "grade", "load", "memory.worker", "memory.episode")),
    "world.build",
}


def test_the_figures_are_those_that_are_published() -> None:
    assert set(bench.FIGURES) == NAMES


def test_a_percentile_is_the_nearest_rank() -> None:
    values = [float(number) for number in range(20, 0, -1)]
    assert (percentile(values, 50), percentile(values, 95), percentile(values, 100)) == (10.0, 19.0, 20.0)
    assert percentile([7.0], 95) == 7.0


def test_a_figure_is_the_ratio_of_medians() -> None:
    made = figure("x", [4.0, 2.0, 90.0], [1.0, 2.0, 3.0])
    assert made.as_dict() == dict(zip(COLUMNS, ["x", 4.0, 90.0, "ms", 3, 2.0, 2.0], strict=True))
    bare = figure("x", [4.0], unit="MiB")
    assert (bare.unit, bare.floor_p50, bare.ratio) == ("MiB", None, None)


def test_subject_and_floor_take_turns() -> None:
    order: list[str] = []
    subjects, floors = alternate(lambda: order.append("subject"), lambda: order.append("floor"), 3, warm=1)
    assert order == ["subject", "floor"] * 4
    assert len(subjects) == len(floors) == 3


@pytest.mark.parametrize(
    "name", ["episode.new.file", "episode.new.memory", "grade", "grade.replay", "oracle.episode", "mcp.call"]
)
def test_a_figure_is_measured(name: str) -> None:
    made = bench.measure(name, QUICK)
    assert (made.name, made.unit, made.n) == (name, "ms", 3)
    assert 0 < made.p50 <= made.p95
    assert made.floor_p50 is not None
    assert made.ratio == pytest.approx(made.p50 / made.floor_p50, rel=0.02)


@pytest.mark.parametrize("name", ["page.server", "page.server.form"])
def test_every_page_that_is_measured_opens(name: str) -> None:
    made = bench.measure(name, QUICK)
    assert (made.name, made.unit, made.n) == (name, "ms", 3)
    assert made.floor_p50 is not None
    assert made.p50 > made.floor_p50


def test_a_worker_is_larger_than_the_bare_framework() -> None:
    made = bench.measure("memory.worker", QUICK)
    assert made.unit == "MiB"
    assert made.floor_p50 is not None
    assert made.p50 > made.floor_p50 > 10


def test_a_live_episode_takes_more_than_its_connection_and_less_than_a_worker() -> None:
    made = bench.measure("memory.per_episode", QUICK)
    assert made.floor_p50 is not None
    assert 0 < made.floor_p50 < made.p50 < 10


@pytest.mark.parametrize("name", ["serve.grade", "serve.load", "serve.memory.worker"])
def test_a_whole_server_is_measured(name: str) -> None:
    made = bench.measure(name, QUICK)
    assert made.name == name
    assert made.floor_p50 is not None
    assert made.p50 > 0
    assert made.floor_p50 > 0


@pytest.mark.browser
def test_a_browser_reset_is_measured_beside_a_context_of_playwrights_own() -> None:
    made = bench.measure("browser.reset", QUICK)
    assert (made.unit, made.n) == ("ms", 3)
    assert made.floor_p50 is not None
    assert made.floor_p50 > 0


def test_an_oracle_that_fails_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskgym.bench.episodes.solve", lambda episode, _task: episode.submit())
    with pytest.raises(DeskgymError, match="the oracle did not pass") as refused:
        bench.measure("oracle.episode", QUICK)
    assert refused.value.kind == "env_error"


def test_a_server_that_does_not_start_is_a_clear_error() -> None:
    with pytest.raises(DeskgymError, match="did not start"), served("raise SystemExit(3)"):
        pass


def test_a_server_ends_with_its_block() -> None:
    with served(FRAME) as frame:
        pid = frame.pid
        assert frame.pss() > 0
    with pytest.raises(DeskgymError, match="cannot read the memory"):
        type(frame)(frame.base_url, pid).pss()


def test_the_command_prints_rows_in_one_envelope() -> None:
    done = CliRunner().invoke(main, ["bench", "--only", "episode.new.memory", "--share", "0.01", "--json"])
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout)
    (row,) = body["data"]["figures"]
    assert (body["schema"], body["ok"], list(row)) == ("deskgym/1", True, COLUMNS)


def test_an_unknown_figure_is_refused_before_anything_is_measured() -> None:
    done = CliRunner().invoke(main, ["bench", "--only", "grade", "--only", "mcp.cal", "--json"])
    body = json.loads(done.stdout)
    assert (done.exit_code, body["ok"], body["error"]["kind"]) == (2, False, "not_found")
    assert 'Did you mean "mcp.call"' in body["error"]["message"]
