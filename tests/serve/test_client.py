"""The client gives over HTTP what an episode of this process gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import httpx
import pytest
import uvicorn

from deskgym import client as client_module
from deskgym.client import Client
from deskgym.episode import Episode
from deskgym.errors import DeskgymError
from deskgym.remote import RemoteEpisode
from deskgym_apps.kit.errors import Invalid, Sealed, ServiceError
from deskgym_graders.oracle import resolve

from .conftest import Server

TASK = "crm/close-won@3"
ACCOUNT = ("crm_create", {"object": "account", "values": {"name": "Marl"}})


@pytest.fixture
def remote(client: Client) -> Iterator[RemoteEpisode]:
    with client.start(TASK) as started:
        yield started


@pytest.fixture
def local() -> Iterator[Episode]:
    with Episode.start(TASK, home="memory") as started:
        yield started


def shown(journal: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Commands with their effects, without the note that a call was sent under a key."""
    return [
        (
            row["seq"],
            row["operation"],
            row["arguments"],
            [effect for effect in row["effects"] if effect["table"] != "org_form_token"],
        )
        for row in journal
    ]


def test_the_same_work_gives_the_same_results_states_journals_and_verdict(
    remote: RemoteEpisode, local: Episode
) -> None:
    assert remote.task is not None
    assert remote.task.digest == (local.task and local.task.digest)
    assert remote.public.instruction == local.public.instruction
    assert remote.tools() == local.tools()
    assert (remote.now, remote.seq(), remote.state_hash()) == (local.now, 0, local.state_hash())
    assert remote.call_tool(*ACCOUNT) == local.call_tool(*ACCOUNT)
    results: dict[str, Any] = {}
    for step in remote.task.oracle:
        arguments = resolve(step.args, results)
        results[str(step.save_as)] = remote.call_tool(step.tool, arguments)
        assert results[str(step.save_as)] == local.call_tool(step.tool, arguments)
    assert remote.state_hash() == local.state_hash()
    assert remote.state() == local.state()
    assert remote.diff() == local.diff()
    assert remote.diff(1) == local.diff(1)
    assert shown(remote.journal(1)) == shown(local.journal(1))
    assert remote.advance_clock(30) == local.advance_clock(30)
    remote.submit("done")
    local.submit("done")
    assert remote.sealed
    assert remote.submission == local.submission
    there, here = remote.grade(), local.grade()
    assert replace(there, hashes={}) == replace(here, hashes={})
    assert {name for name in here.hashes if there.hashes[name] != here.hashes[name]} == {"journal"}, "it holds the keys"
    assert there.reason == "COLLATERAL"


def test_what_is_refused_is_refused_alike(remote: RemoteEpisode, local: Episode) -> None:
    for name, arguments in (
        ("crm_creat", {}),
        ("crm_create", {"object": "account", "values": {"nam": "x"}}),
        ("crm_update", {"id": "ACC000000000000", "row_version": 1, "values": {"name": "x"}}),
        ("submit_answer", {"status": "maybe"}),
    ):
        with pytest.raises(ServiceError) as here:
            local.call_tool(name, arguments)
        with pytest.raises(ServiceError) as there:
            remote.call_tool(name, arguments)
        assert there.value.as_dict() == here.value.as_dict()
    with pytest.raises(Invalid):
        remote.submit("maybe")
    remote.submit()
    with pytest.raises(Sealed):
        remote.submit()
    with pytest.raises(ServiceError) as there:
        remote.call_tool(*ACCOUNT)
    assert there.value.code == "sealed"


def test_the_image_of_a_remote_episode_is_its_store_byte_for_byte(remote: RemoteEpisode) -> None:
    remote.call_tool(*ACCOUNT)
    copy = remote.store
    assert remote.origin.hasher.hash(copy) == remote.state_hash()


def test_copies_live_on_the_server(remote: RemoteEpisode) -> None:
    snapshot, before = remote.snapshot(), remote.state_hash()
    remote.call_tool(*ACCOUNT)
    with remote.fork(snapshot) as twin, remote.fork() as present:
        assert twin.state_hash() == before
        assert present.state_hash() == remote.state_hash() != before
    old = remote.mcp_url
    remote.restore(snapshot)
    assert remote.state_hash() == before
    assert httpx.post(old, json={}).status_code == 410
    remote.call_tool(*ACCOUNT)
    remote.reset()
    assert remote.state_hash() == before


def test_an_episode_can_be_found_again_by_its_name(client: Client, remote: RemoteEpisode) -> None:
    remote.call_tool(*ACCOUNT)
    found = client.episode(remote.id)
    assert (found.token, found.seq(), found.state_hash()) == (remote.token, 1, remote.state_hash())
    found.call_tool(*ACCOUNT)
    found.close()
    with pytest.raises(DeskgymError, match="it was deleted"):
        client.episode(remote.id)


def test_another_person_acts_by_another_token(remote: RemoteEpisode) -> None:
    people = [
        row["person_id"] for row in remote.store.all("SELECT person_id FROM crm_user WHERE is_active = 1 ORDER BY 1")
    ]
    other = next(person for person in people if person != remote.person_id)
    assert remote.call_tool("crm_whoami", {}, person=other)["id"] == other
    assert remote.call_tool("crm_whoami")["id"] == remote.person_id


def test_the_catalogue_is_the_servers(client: Client) -> None:
    assert "crm/close-won" in [row["task"] for row in client.tasks()]
    assert [row["app"] for row in client.apps()] == ["crm", "stays"]
    assert "small:1" in [row["world"] for row in client.worlds()]
    assert client.version()["deskgym"]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"task": "crm/close-wan"}, "not_found"),
        ({"task": TASK, "seed": 4}, "usage"),
        ({"task": TASK, "person": "nobody"}, "not_found"),
        ({"world": "nowhere:1"}, "not_found"),
    ],
)
def test_bad_input_is_the_same_error_as_of_an_episode_here(client: Client, given: dict[str, Any], kind: str) -> None:
    with pytest.raises(DeskgymError) as there:
        client.start(**given)
    with pytest.raises(DeskgymError) as here:
        Episode.start(home="memory", **given)
    assert (there.value.kind, there.value.message) == (here.value.kind, here.value.message)
    assert there.value.kind == kind


def test_a_wrong_token_is_unauthorized(server: Server) -> None:
    with Client(server.control_url, "x" * 40) as stranger, pytest.raises(DeskgymError) as error:
        stranger.episodes()
    assert error.value.kind == "unauthorized"


def test_no_server_is_env_error_with_a_hint() -> None:
    with Client("http://127.0.0.1:9", "x" * 40, patience_s=0) as nobody, pytest.raises(DeskgymError) as error:
        nobody.start(TASK)
    assert error.value.kind == "env_error"
    assert "deskgym serve" in error.value.hint


class Counting(BaseHTTPRequestHandler):
    """Answers every GET with an empty list, and notes from which port it came."""

    protocol_version = "HTTP/1.1"
    ports: ClassVar[list[int]] = []

    def do_GET(self) -> None:
        self.ports.append(self.client_address[1])
        self.send_response(200)
        body = b'{"data": {"rows": []}}'
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.mark.parametrize(("idle_s", "connections"), [(client_module.IDLE_S, 1), (0.0, 2)])
def test_a_connection_is_given_up_before_the_server_closes_it(
    monkeypatch: pytest.MonkeyPatch, idle_s: float, connections: int
) -> None:
    """A request that goes out on a connection just being closed is lost, and must not look like a broken server."""
    assert uvicorn.Config("app").timeout_keep_alive >= 2 * client_module.IDLE_S
    monkeypatch.setattr(client_module, "IDLE_S", idle_s)
    Counting.ports.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Counting) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with Client(f"http://127.0.0.1:{server.server_port}", "x" * 40, patience_s=0) as asking:
            assert asking.episodes() == asking.episodes() == []
        server.shutdown()
    assert len(set(Counting.ports)) == connections


def test_an_episode_that_was_reset_elsewhere_is_env_error_and_never_a_refusal(
    client: Client, remote: RemoteEpisode
) -> None:
    client.episode(remote.id).reset()
    with pytest.raises(DeskgymError) as error:
        remote.call_tool(*ACCOUNT)
    assert error.value.kind == "env_error"
