"""The services of compose.yaml, run without an engine: two users, two read-only roots, one shared folder."""

from __future__ import annotations

import json
import os
import re
import stat
from html import unescape
from pathlib import Path

import httpx
import pytest

from deskgym.client import PATIENCE_S, Client
from deskgym.errors import DeskgymError
from deskgym.proof import probes
from deskgym.remote import RemoteEpisode
from deskgym_apps.kit.folder import locate
from deskgym_apps.kit.session import COOKIE
from deskgym_graders.oracle import resolve

from .conftest import Planes, free_port
from .engine import IS_ROOT, Engine

TASK = "crm/close-won@3"


def solve(episode: RemoteEpisode) -> None:
    assert episode.task is not None
    results: dict[str, object] = {}
    for step in episode.task.oracle:
        results[step.save_as or ""] = episode.call_tool(step.tool, resolve(step.args, results))


# --- What each can see ----------------------------------------------------------------------------------


def found_in(planes: Planes, room: str) -> tuple[bool, bool]:
    """Whether a package can be imported in app and in control."""
    code = f"from importlib.util import find_spec; raise SystemExit(find_spec('{room}') is None)"
    return planes.app.python(code).returncode == 0, planes.control.python(code).returncode == 0


@pytest.mark.parametrize("room", ["deskgym", "deskgym_graders", "deskgym_seeds", "playwright", "numpy"])
def test_what_decides_can_be_imported_in_control_and_not_in_app(planes: Planes, room: str) -> None:
    assert found_in(planes, room) == (False, True)


def test_the_apps_can_be_imported_in_both(planes: Planes) -> None:
    assert found_in(planes, "deskgym_apps") == (True, True)


def test_each_runs_as_the_user_of_its_image(planes: Planes) -> None:
    for container in (planes.app, planes.control):
        uid = Path(f"/proc/{container.pid}").stat().st_uid
        assert uid == (container.run.user[0] if IS_ROOT else os.getuid())
        assert uid != 0


def test_nothing_can_be_written_but_volumes_and_tmp(planes: Planes) -> None:
    for container in (planes.app, planes.control):
        for place in ("/opt/venv", "/opt/deskgym/apps", "/opt/venv/bin/python", "/usr", "/"):
            code = f"import os; raise SystemExit(os.access({place!r}, os.W_OK))"
            done = container.python(
                code.replace("'/opt", f"'{'' if IS_ROOT else container.engine.tree(container.run.image).root}/opt")
            )
            assert done.returncode == 0, (place, done.stderr)
        if IS_ROOT:
            mounts = [line.split() for line in Path(f"/proc/{container.pid}/mountinfo").read_text().splitlines()]
            writable = {line[4] for line in mounts if line[5].startswith("rw")}
            kept = {path for path in writable if not path.startswith("/dev")}
            assert kept == {"/tmp", *container.run.volumes}, kept


def test_app_cannot_enter_the_folder_that_only_control_has(planes: Planes) -> None:
    assert "/state" not in planes.app.run.volumes
    state = planes.control.engine.mounts(planes.control.run)["/state"]
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert not list(planes.app.engine.tree("app").root.glob("**/control.db"))


def test_the_agent_plane_holds_no_secret_of_controls(planes: Planes) -> None:
    state = planes.control.engine.mounts(planes.control.run)["/state"]
    assert probes.secrets_of_a_process(planes.app.pid, (planes.control.server.token,), state) == []


# --- What they do ---------------------------------------------------------------------------------------


def test_an_episode_of_control_is_worked_in_at_app_and_graded_at_control(planes: Planes) -> None:
    with planes.client.start(TASK) as episode:
        assert episode.mcp_url.startswith(f"http://127.0.0.1:{planes.app_port}/")
        solve(episode)
        episode.submit()
        verdict = episode.grade()
        assert (verdict.reward, verdict.reason, verdict.replayed) == (1.0, "OK", True)


def test_a_page_is_shown_and_its_form_saved(planes: Planes) -> None:
    with planes.client.start(TASK) as episode:
        with httpx.Client(base_url=episode.base_url, headers={"Origin": episode.base_url}, timeout=60) as http:
            assert http.get(f"/enter/{episode.token}").status_code == 303
            assert http.cookies[COOKIE] == episode.token
            page = http.get("/crm/accounts/new").text
            form = re.findall(r'<form[^>]*method="post".*?</form>', page, re.DOTALL)[-1]
            inputs = [dict(re.findall(r'(\w+)="([^"]*)"', tag)) for tag in re.findall(r"<input\b[^>]*>", form)]
            fields = {
                one["name"]: unescape(one.get("value", ""))
                for one in inputs
                if one.get("type") != "checkbox" and "name" in one
            }
            assert http.post("/crm/accounts/new", data=fields | {"name": "Marl"}).status_code == 303
        assert [row["operation"] for row in episode.journal()] == ["crm.create_account"]
        assert [row["channel"] for row in episode.journal()] == ["ui"]


def test_reset_snapshot_restore_fork_and_end_work_across_the_two_users(planes: Planes) -> None:
    with planes.client.start(TASK) as episode:
        episode.call_tool("crm_create", {"object": "account", "values": {"name": "Marl"}})
        kept, changed = episode.snapshot(), episode.state_hash()
        old = episode.mcp_url
        episode.reset()
        assert httpx.post(old, json={}).status_code == 410
        assert episode.seq() == 0
        episode.restore(kept)
        assert episode.state_hash() == changed
        with episode.fork() as twin:
            twin.call_tool("crm_create", {"object": "account", "values": {"name": "Oss"}})
            assert twin.seq() == 2
        place = locate(planes.app.engine.mounts(planes.app.run)["/episodes"], episode.token).folder
    assert not place.exists()


def test_a_killed_worker_of_app_is_started_anew(planes: Planes) -> None:
    children = Path(f"/proc/{planes.app.pid}/task/{planes.app.pid}/children")
    before = set(children.read_text().split())
    assert len(before) == 2
    with planes.client.start(TASK) as episode:
        for number, pid in enumerate(sorted(before)):
            os.kill(int(pid), 9)
            episode.call_tool("crm_create", {"object": "account", "values": {"name": f"Account {number}"}})
        planes.app.server.wait_for_log(f"worker {max(before, key=int)} ended: -9")
        assert episode.seq() == 2
    assert len(set(children.read_text().split()) - before) == 2


def test_each_answers_to_its_name_in_its_network_and_to_no_other(planes: Planes) -> None:
    for port, name in ((planes.app_port, "app"), (planes.control_port, "control")):
        for host, status in ((f"{name}:8000", 200), ("elsewhere.example", 421)):
            answer = httpx.get(f"http://127.0.0.1:{port}/healthz", headers={"Host": host})
            assert answer.status_code == status, (name, host)


# --- Health, log, end -----------------------------------------------------------------------------------


def test_health_says_yes_while_a_plane_serves_and_no_when_nothing_does(planes: Planes) -> None:
    for container, port in ((planes.app, planes.app_port), (planes.control, planes.control_port)):
        done = container.health(port)
        assert (done.returncode, done.stderr) == (0, "")
        down = container.health(free_port())
        assert down.returncode == 1
        assert "does not answer" in down.stderr


def test_the_log_of_both_is_json_and_holds_no_token(planes: Planes) -> None:
    with planes.client.start(TASK) as episode:
        episode.call_tool("crm_whoami")
        httpx.get(episode.enter_url)
        secrets = (episode.token, planes.control.server.token)
    for container in (planes.app, planes.control):
        said = json.dumps(container.server.lines)
        assert "deskgym.access" in said
        assert not [secret for secret in secrets if secret in said]


def test_on_sigterm_both_end_by_themselves_with_0_and_the_stores_are_closed(planes: Planes, tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    engine.give_worlds(planes.control)
    port, agents = free_port(), free_port()
    with (
        engine.running("control", f"--control-port={port}", f"--agent-url=http://127.0.0.1:{agents}") as control,
        engine.running("app", f"--port={agents}") as app,
    ):
        control.server.wait_for("ready")
        app.server.wait_for_log("Application startup complete.")
        with Client(f"http://127.0.0.1:{port}", token=control.server.token) as client:
            episode = client.start(TASK)
            episode.call_tool("crm_whoami")
            assert app.server.stop() == 0
            assert control.server.stop() == 0
    episodes = engine.mounts(app.run)["/episodes"]
    assert [path.name for path in episodes.glob("*/store.db-wal")] == []


# --- A worker that an agent has taken over --------------------------------------------------------------


@pytest.mark.parametrize("where", ["files/stolen", "files"])
def test_a_link_that_a_worker_puts_among_the_files_is_not_followed_by_control(planes: Planes, where: str) -> None:
    """An agent that runs programs in the container of the apps wants a file of control's in its next snapshot."""
    state = planes.control.engine.mounts(planes.control.run)["/state"]
    secret = "/state/control" if IS_ROOT else str(state / "control")
    with planes.client.start(TASK) as episode:
        root = "/episodes" if IS_ROOT else str(planes.app.engine.mounts(planes.app.run)["/episodes"])
        place = f"{root}/{locate(planes.app.engine.mounts(planes.app.run)['/episodes'], episode.token).folder.name}"
        target = f"{secret}/token" if where != "files" else secret
        code = f"import os, shutil; p = {place!r}; "
        code += "os.rename(p + '/files', p + '/old'); " if where == "files" else ""
        code += f"os.symlink({target!r}, p + '/{where}')"
        done = planes.app.python(code)
        assert done.returncode == 0, done.stderr
        planes.client.patience_s = 0.0
        try:
            with pytest.raises(DeskgymError, match="not as it was made"):
                episode.snapshot()
        finally:
            planes.client.patience_s = PATIENCE_S


def test_a_worker_cannot_write_tokens_or_make_places(planes: Planes) -> None:
    if IS_ROOT:
        for path in ("/episodes/tokens/forged", "/episodes/forged"):
            done = planes.app.python(f"open({path!r}, 'w')")
            assert "Permission denied" in done.stderr
    root = planes.app.engine.mounts(planes.app.run)["/episodes"]
    assert not (root / "forged").exists()
    assert stat.S_IMODE((root / "tokens").stat().st_mode) == 0o2750
