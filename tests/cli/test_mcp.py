"""`deskgym mcp`: one episode for an MCP client that starts it, through the SDK's own client."""

import asyncio
import json
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from deskgym.catalogue import bind, world
from deskgym_graders.spec import Task

from .processes import DESKGYM, LOCKED, finished, surroundings

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def task() -> Task:
    return bind("crm/next-step@3", world("small:1"))


def talk(cwd: Path, words: list[str], calls: Calls) -> list[Any]:
    """What a client gets that starts `deskgym mcp WORDS`, calls tools, and goes."""
    server = StdioServerParameters(
        command=DESKGYM[0], args=[*DESKGYM[1:], "mcp", *words], env=surroundings(), cwd=str(cwd)
    )

    async def run() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def oracle(task: Task) -> Calls:
    return [(call.tool, dict(call.args)) for call in task.oracle]


def code(result: Any) -> str | None:
    """The error code of an answer, None where it is none."""
    return str(result.structured_content["code"]) if result.is_error else None


def test_a_client_reads_the_instruction_solves_the_task_and_never_sees_the_verdict(task: Task, tmp_path: Path) -> None:
    done = ("submit_answer", {"status": "done"})
    calls: Calls = [("desk_instruction", {}), *oracle(task), done, done, *oracle(task)]
    results = talk(tmp_path, ["crm/next-step@3", "--verdict", "verdict.json"], calls)
    assert results[0].structured_content["instruction"] == task.instruction
    assert [code(result) for result in results] == [None, None, None, "sealed", "sealed"]
    assert results[2].structured_content == {"submitted": True}
    verdict = json.loads((tmp_path / "verdict.json").read_text("utf-8"))
    assert (verdict["status"], verdict["reward"], verdict["reason"]) == ("graded", 1.0, "OK")
    assert verdict["replayed"] is True


def test_a_client_that_goes_without_handing_in_gets_no_submission(task: Task, tmp_path: Path) -> None:
    talk(tmp_path, ["crm/next-step@3", "--verdict", "verdict.json"], oracle(task))
    verdict = json.loads((tmp_path / "verdict.json").read_text("utf-8"))
    assert (verdict["reward"], verdict["reason"]) == (0.0, "NO_SUBMISSION")


def test_an_answer_too_large_or_malformed_is_refused_and_does_not_count(task: Task, tmp_path: Path) -> None:
    deep: Any = None
    for _ in range(100):
        deep = [deep]
    bad: Calls = [
        ("submit_answer", {"status": "done", "answer": "x" * 10_000_000}),
        ("submit_answer", {"status": "done", "answer": deep}),
        ("submit_answer", {"status": "finished"}),
        ("submit_answer", {"answer": "no status"}),
        ("submit_answer", {"status": "done", "score": 1}),
    ]
    results = talk(
        tmp_path,
        ["crm/next-step@3", "--verdict", "v.json"],
        [*bad, *oracle(task), ("submit_answer", {"status": "done"})],
    )
    refused = [result.structured_content for result in results[: len(bad)]]
    assert all(result.is_error for result in results[: len(bad)])
    assert "larger than 65536 bytes" in refused[0]["message"]
    assert "deeper than 16 levels" in refused[1]["message"]
    assert all("status" in str(body) or "score" in str(body) for body in refused[2:]), refused
    assert [code(result) for result in results[len(bad) :]] == [None, None]
    assert json.loads((tmp_path / "v.json").read_text("utf-8"))["reason"] == "OK"


def test_free_work_has_every_app_and_no_verdict(tmp_path: Path) -> None:
    (who,) = talk(tmp_path, [], [("crm_whoami", {})])
    assert code(who) is None
    refused = finished(["mcp", "--verdict", "v.json"], tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "free work has no verdict" in refused.stderr


def test_a_verdict_that_could_not_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    result = finished(["mcp", "crm/close-won", "--verdict", "nowhere/v.json"], tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: there is no folder nowhere\n  make it, or name another file for the verdict\n"
    tmp_path.chmod(0o555)
    result = finished(["mcp", "crm/close-won", "--verdict", "v.json"], tmp_path, LOCKED)
    tmp_path.chmod(0o755)
    assert (result.returncode, result.stdout) == (4, "")
    assert "Permission denied" in result.stderr
    assert "serving" not in result.stderr


def test_an_interrupt_ends_the_server_with_130_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*DESKGYM, "mcp", "crm/next-step@3"],
        cwd=tmp_path,
        env=surroundings(TMPDIR=str(tmp_path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "serving crm/next-step@3" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert tempfile.gettempdir() != str(tmp_path)
    assert list(tmp_path.iterdir()) == []
