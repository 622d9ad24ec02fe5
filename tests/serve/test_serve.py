"""The server as a process: start, what it tells, what it hands on, what happens when something dies, and its end."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import httpx
import pytest

from deskgym.cli import main
from deskgym.client import Client
from deskgym.errors import DeskgymError
from deskgym.remote import RemoteEpisode

from .conftest import MAIN, READY_S, Server, environment, serving

TASK = "crm/close-won@3"


def command(number: int) -> tuple[str, dict[str, object]]:
    return "crm_create", {"object": "account", "values": {"name": f"Account {number}"}}


def names(episode: RemoteEpisode) -> list[str]:
    return [row["arguments"]["name"] for row in episode.journal()]


def environ_of(pid: int) -> dict[str, str]:
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if entry)


def open_files(pid: int) -> set[str]:
    return {os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()}


# --- What a worker gets ---------------------------------------------------------------------------------


def test_workers_get_an_environment_of_five_names_and_no_secret(server: Server) -> None:
    for pid in server.workers():
        given = environ_of(pid)
        assert set(given) <= {"PATH", "LANG", "TZ", "PYTHONPATH", "LC_CTYPE"}
        assert (given["TZ"], given["LANG"]) == ("UTC", "C.UTF-8")
        assert "honeytoken" not in json.dumps(given)
    assert "honeytoken" not in json.dumps(environ_of(server.pid("control")))


def test_the_control_token_is_in_no_environment_and_no_argument_of_a_process(server: Server) -> None:
    for pid in [server.process.pid, server.pid("control"), *server.workers()]:
        for name in ("environ", "cmdline"):
            assert server.token.encode() not in Path(f"/proc/{pid}/{name}").read_bytes()


def test_workers_hold_no_file_and_no_socket_of_controls(server: Server, client: Client) -> None:
    with client.start(TASK) as episode:
        for _ in range(8):
            episode.call_tool("crm_whoami")
        control = Path(f"/proc/{server.pid('control')}/net/tcp")  # the same table for all; sockets differ by inode
        assert control.exists()
        port = int(server.control_url.rsplit(":", 1)[1])
        lines = control.read_text().splitlines()[1:]
        inodes = {
            line.split()[9] for line in lines if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
        }
        for pid in server.workers():
            files = open_files(pid)
            assert not [name for name in files if str(server.folder / "control") in name]
            assert not [name for name in files if any(f"socket:[{inode}]" == name for inode in inodes)]


def test_a_worker_in_a_checkout_can_import_the_apps_and_nothing_that_decides(server: Server) -> None:
    given = environ_of(server.workers()[0])
    for room, found in (
        ("deskgym_apps", True),
        ("deskgym_graders", False),
        ("deskgym_seeds", False),
        ("deskgym", False),
    ):
        # -S: this environment may have all rooms installed; what is asked is what the worker was given.
        code = f"from importlib.util import find_spec; assert find_spec('{room}')"
        done = subprocess.run(
            [sys.executable, "-S", "-P", "-c", code], env=given, cwd="/", capture_output=True, check=False
        )
        assert (done.returncode == 0) is found, room


def test_controls_folder_and_what_is_in_it_are_private(server: Server) -> None:
    folder = server.folder / "control"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_the_log_holds_no_token(server: Server, client: Client) -> None:
    with client.start(TASK) as episode:
        episode.call_tool("crm_whoami")
        token = episode.token
        for path in (
            f"/enter/{token}",
            f"//enter/{token}",
            f"/s/{token}",
            f"/x/{token}/y",
            f"/S/{token}",
            f"/%73/{token}",
        ):
            httpx.get(server.agent_url + path)
    said = json.dumps(server.lines)
    assert "deskgym.access" in said
    assert token not in said
    assert server.token not in said


# --- Bad starts -----------------------------------------------------------------------------------------


def failed(tmp_path: Path, *options: str, **more: object) -> tuple[int, dict[str, str]]:
    """Exit code and error of a server that does not start."""
    words = [sys.executable, "-c", MAIN, "serve", "--json", "--folder", str(tmp_path / "serve"), *options]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False, timeout=120, **more)  # type: ignore[call-overload]
    error: dict[str, str] = json.loads(done.stdout.splitlines()[-1])["error"]
    return done.returncode, error


@pytest.mark.parametrize("option", ["--port", "--control-port"])
def test_a_port_in_use_is_port_in_use_with_a_hint(tmp_path: Path, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = "--control-port" if option == "--port" else "--port"
        code, error = failed(tmp_path, option, str(port), other, "0")
    assert (code, error["kind"]) == (4, "port_in_use")
    assert str(port) in error["message"]
    assert option in error["hint"]


def test_a_token_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("t" * 40)
    path.chmod(0o644)
    code, error = failed(tmp_path, "--token-file", str(path))
    assert (code, error["kind"]) == (4, "no_permission")


def test_a_folder_that_another_server_uses_is_a_conflict(server: Server) -> None:
    words = [sys.executable, "-c", MAIN, "serve", "--json", "--port", "0", "--control-port", "0"]
    words += ["--folder", str(server.folder)]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert json.loads(done.stdout.splitlines()[-1])["error"]["kind"] == "conflict"


def test_every_flag_has_a_variable() -> None:
    serve = main.get_command(click.Context(main), "serve")
    assert serve is not None
    hidden = [option.name for option in serve.params if not (isinstance(option, click.Option) and option.show_envvar)]
    assert hidden == []


# --- What happens when something dies -------------------------------------------------------------------


def test_a_killed_worker_costs_no_committed_command_and_repeats_none(server: Server, client: Client) -> None:
    """Scaled by DESKGYM_TEST_SCALE: 1 makes the 1,000 writes of the issue."""
    count = max(60, int(1000 * float(os.environ.get("DESKGYM_TEST_SCALE", "0"))))
    with client.start(TASK) as episode:

        def write(number: int) -> None:
            episode.call_tool(*command(number))
            if number % (count // 3) == count // 6:
                server.kill(f"worker {1 + number % 2}")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, range(count)))
        journal = episode.journal()
        assert sorted(names(episode)) == sorted(f"Account {number}" for number in range(count))
        assert [row["seq"] for row in journal] == list(range(1, count + 1))
        episode.submit()
        verdict = episode.grade()
        assert (verdict.status, verdict.reason, verdict.replayed) == ("graded", "MISSING", True)


def test_a_killed_control_comes_back_with_episodes_leases_and_answers(server: Server, client: Client) -> None:
    with client.start(TASK, ttl_s=5000) as episode:
        episode.call_tool(*command(1))
        before = client.read(f"/v1/episodes/{episode.id}")
        body = {"request_id": "the same", "world": "small:1"}
        first = client.change("/v1/episodes", body, once=False)
        server.kill("control")
        episode.call_tool(*command(2))
        after = client.read(f"/v1/episodes/{episode.id}")
        assert {**before, "seq": 2} == {**after, "now": before["now"]}
        assert client.change("/v1/episodes", body, once=False) == first
        assert names(episode) == ["Account 1", "Account 2"]


def test_a_client_in_the_middle_of_its_calls_does_not_notice_a_killed_control(server: Server, client: Client) -> None:
    with client.start(TASK) as episode, ThreadPoolExecutor(1) as pool:
        moves = pool.submit(lambda: [episode.advance_clock(1) for _ in range(60)])
        server.kill("control")
        assert len(set(moves.result())) == 60
        assert [row["arguments"] for row in episode.journal()] == [{"seconds": 1}] * 60


def test_an_orphan_is_reaped(server: Server, client: Client) -> None:
    orphan = client.start(TASK, ttl_s=1)
    line = f"episode {orphan.id} reaped"
    server.wait_for_log(line)
    assert httpx.post(orphan.mcp_url, json={}).status_code == 410
    assert orphan.id not in [row["id"] for row in client.episodes()]
    with pytest.raises(DeskgymError, match="its lease ran out"):
        client.episode(orphan.id)


def test_work_through_a_client_keeps_a_lease_alive(client: Client) -> None:
    with client.start(TASK, ttl_s=4000) as episode:
        for call in (episode.seq, lambda: episode.call_tool("crm_whoami")):
            episode._alive -= 1001  # as if a quarter of the lease had passed in silence
            before, _ = heartbeats(client), call()
            assert heartbeats(client) == before + 1
        assert episode.state_hash()
        assert heartbeats(client) == before + 1


def heartbeats(client: Client) -> int:
    """How many heartbeats the server answered so far."""
    start = 'deskgym_requests_total{call="heartbeat",status="200"}'
    return sum(int(line.split()[-1]) for line in client.metrics().splitlines() if line.startswith(start))


def test_children_end_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path / "serve", "--workers", "1") as server:
        server.wait_for("ready")
        children = [os.pidfd_open(pid) for pid in (server.pid("control"), *server.workers())]
        server.process.kill()
        server.process.wait()
        server.wait_for("end of output")  # nobody holds the pipe any more
        for child in children:
            ended, _, _ = select.select([child], [], [], READY_S)
            os.close(child)
            assert ended


def test_sigterm_answers_what_is_under_way_and_keeps_the_episodes_for_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "serve"
    with serving(folder, "--workers", "1") as server, server.client() as client:
        episode = client.start(TASK, seed=3)
        with ThreadPoolExecutor(4) as pool:
            calls = [pool.submit(episode.call_tool, *command(number)) for number in range(8)]
            calls[0].result()
            code = server.stop()
            done = [number for number, call in enumerate(calls) if call.exception() is None]
        assert code == 0
        assert not [line for line in server.lines if line.get("event") == "killed"]
        assert [path.name for path in (folder / "episodes").glob("*/store.db-wal")] == []
    with serving(folder, "--workers", "1") as server, server.client() as client:
        found = client.episode(episode.id)
        assert {f"Account {number}" for number in done} <= set(names(found))
        assert found.token == episode.token
        assert found.call_tool("crm_whoami")["id"] == episode.person_id
        assert server.stop(signal.SIGINT) == 130
