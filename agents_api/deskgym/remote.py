"""An episode on a server, with the face of `Episode`: tools go through the agent plane, the rest through control."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from deskgym_apps.kit.call import Channel
from deskgym_apps.kit.canonical import State
from deskgym_apps.kit.errors import Invalid, Sealed, ServiceError
from deskgym_apps.kit.folder import Public
from deskgym_apps.kit.store import Store

from .beginning import Beginning, prepare
from .control.secret import new_token
from .errors import DeskgymError
from .face import Face

if TYPE_CHECKING:
    from deskgym_graders.spec import Task
    from deskgym_graders.verdict import Verdict

    from .client import Client

_ACCEPT = {"Accept": "application/json, text/event-stream"}
_ENDS = ("submit_answer", "finish")


class ToolRefused(ServiceError):
    """What a tool refused over MCP; `code`, `field`, `allowed` and `details` are the server's."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(
            str(body.get("message", "refused")),
            field=body.get("field"),
            allowed=body.get("allowed", ()),
            details=body.get("details"),
        )
        self.code = str(body.get("code", "error"))
        self._body = dict(body)

    def as_dict(self) -> dict[str, Any]:
        return dict(self._body)


class RemoteEpisode(Face):
    """An episode of a server; `Client.start` makes one. `close` ends it there; as a context manager it does so too.

    Errors are those of `Episode`: ServiceError where a tool or the submission is refused, DeskgymError otherwise.
    """

    folder: Path | None = None
    """Its files lie on the server: nothing can be uploaded from here."""

    def __init__(self, client: Client, face: Mapping[str, Any]) -> None:
        self._client = client
        self._copy: Store | None = None
        self._closed = False
        self.owns_client = False
        self.public = Public(face["instruction"], face["answer_schema"], tuple(face["apps"]), None, face["variation"])
        self._take(face)

    def _take(self, face: Mapping[str, Any]) -> None:
        self._face = dict(face)
        self._tokens = {face["person"]: face["agent_token"]}
        self._alive = time.monotonic()

    @property
    def id(self) -> str:
        """Its name on the server; it stays the same over reset and restore."""
        return str(self._face["id"])

    @property
    def person_id(self) -> str:
        return str(self._face["person"])

    @property
    def lease_expires(self) -> str:
        """When the server ends it without a further sign of life, UTC."""
        return str(self._face["lease_expires"])

    @cached_property
    def _begun(self) -> Beginning:
        begun = prepare(self._face["task"], world=self._face["world"], person=self.person_id)
        theirs = (self._face["world_digest"], self._face["task_digest"])
        if theirs != (begun.origin.world.digest, begun.task.digest if begun.task else None):
            raise DeskgymError(
                "conflict", "the server runs another version of this world or task", "update one of them"
            )
        return begun

    @property
    def task(self) -> Task | None:
        """The task with its expectation and oracle, bound on this side. Raises DeskgymError (conflict)."""
        return None if self._face["task"] is None else self._begun.task

    @property
    def origin(self) -> Any:
        """S0 on this side, without injected rows. Raises DeskgymError (conflict)."""
        return self._begun.origin

    # --- Doors ---------------------------------------------------------------------------------------

    @property
    def token(self) -> str:
        return str(self._face["agent_token"])

    @property
    def base_url(self) -> str:
        return str(self._face["base_url"])

    @property
    def enter_url(self) -> str:
        return str(self._face["enter_url"])

    @property
    def mcp_url(self) -> str:
        return str(self._face["mcp_url"])

    def person_token(self, person: str) -> str:
        """A token by which another person enters the same episode."""
        if person not in self._tokens:
            self._tokens[person] = str(self._change("tokens", {"person": person})["agent_token"])
        return str(self._tokens[person])

    def _call(self, name: str, arguments: Mapping[str, Any], person: str | None, channel: Channel) -> Any:
        """Over MCP. A call that is sent twice, since the first connection broke, is carried out once."""
        if channel != "mcp":
            raise ValueError(f"a tool of a server is called over MCP, not {channel}")
        given = dict(arguments)
        tool = self.tools().get(name)
        if tool is not None and tool.writes and tool.perform is None:
            given.setdefault("idempotency_key", new_token())
        url = self.mcp_url if person is None else f"{self.base_url}/s/{self.person_token(person)}/mcp"
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
        sent = 0

        def send() -> httpx.Response:
            nonlocal sent
            sent += 1
            return self._client.agent.post(url, json=body, headers=_ACCEPT)

        self._sign_of_life()
        try:
            return _result(self._patiently(send), name)
        except ToolRefused as refused:
            if name in _ENDS and sent > 1 and refused.code == "sealed" and self._is_handed_in("mcp"):
                return {"submitted": True}
            raise

    def _patiently(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        from .client import patiently

        return patiently(send, self._client.patience_s)

    def _is_handed_in(self, channel: str) -> bool:
        return (self.submission or {}).get("channel") == channel

    def submit(
        self,
        status: str = "done",
        *,
        reason_code: str | None = None,
        answer: Any = None,
        channel: Channel = "control",
    ) -> None:
        """Hand in the work and seal the episode. Raises ServiceError: Invalid for bad input, Sealed the second time."""
        given = {"status": status, "reason_code": reason_code, "answer": answer, "channel": channel}
        try:
            self._change("submit", {name: value for name, value in given.items() if value is not None})
        except DeskgymError as error:
            if error.kind == "sealed":
                raise Sealed(error.message) from error
            if error.kind == "usage":
                raise Invalid(error.message) from error
            raise

    # --- Control -------------------------------------------------------------------------------------

    def _path(self, call: str) -> str:
        return f"/v1/episodes/{self.id}/{call}"

    def _read(self, call: str, **query: Any) -> dict[str, Any]:
        self._sign_of_life()
        return self._client.read(self._path(call), **query)

    def _change(self, call: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._client.change(self._path(call), body)

    def _sign_of_life(self) -> None:
        """Lengthen the lease where a quarter of it has passed."""
        if time.monotonic() - self._alive > self._face["ttl_s"] / 4:
            self.heartbeat()

    def heartbeat(self) -> str:
        """Lengthen the lease; returns until when. Reading and writing through this object does it by itself."""
        told = self._client.change(self._path("heartbeat"), {}, once=False)
        self._alive = time.monotonic()
        self._face["lease_expires"] = told["lease_expires"]
        return self.lease_expires

    def _present(self) -> dict[str, Any]:
        self._sign_of_life()
        return self._client.read(f"/v1/episodes/{self.id}")

    @property
    def submission(self) -> dict[str, Any] | None:
        """What was handed in, `answer` as JSON text, or None."""
        found: dict[str, Any] | None = self._present()["submission"]
        return found

    @property
    def sealed(self) -> bool:
        return bool(self._read("state_hash")["sealed"])

    @property
    def now(self) -> str:
        """The simulated instant."""
        return str(self._present()["now"])

    def seq(self) -> int:
        """The seq of the last command, 0 before the first."""
        return int(self._present()["seq"])

    def advance_clock(self, seconds: int) -> str:
        """Move the clock on; due jobs run. Returns the new instant."""
        return str(self._change("clock", {"seconds": seconds})["now"])

    def grade(self, *, replay: bool = True) -> Verdict:
        """The verdict on the present state; a server always replays."""
        from deskgym_graders.verdict import Verdict

        if not replay:
            raise DeskgymError("usage", "a server grades with command replay", "leave replay out")
        told = self._client.change(self._path("grade"), {}, once=False)
        lists = ("missing", "unexplained", "faults")
        values: dict[str, Any] = {
            name: tuple(value) if name in lists else value for name, value in told.items() if name != "id"
        }
        return Verdict(**values)

    def state(self) -> State:
        """The canonical state: app -> table -> key -> column -> value."""
        found: State = self._read("state")["state"]
        return found

    def state_hash(self) -> str:
        """SHA-256 of the canonical state."""
        return str(self._read("state_hash")["state_hash"])

    def journal(self, after: int = 0) -> list[dict[str, Any]]:
        """Commands after a seq, as `Episode.journal`."""
        found: list[dict[str, Any]] = self._read("journal", after=after)["commands"]
        return found

    def diff(self, after: int = 0) -> list[dict[str, Any]]:
        """What changed since a seq, net, as `Episode.diff`."""
        found: list[dict[str, Any]] = self._read("diff", after=after)["changes"]
        return found

    def image(self) -> bytes:
        """The store's bytes at present. Raises DeskgymError (conflict) for another build of the world."""
        from .run.record import unpack

        return unpack(self.origin.image, base64.b64decode(self._read("pages")["pages"]))

    @property
    def store(self) -> Store:
        """A copy of the present store in this process; writing into it changes nothing there."""
        if self._copy is not None:
            self._copy.close()
        self._copy = Store.memory(self.image(), self.origin.reference)
        self._copy.public = self.public
        return self._copy

    # --- Copies --------------------------------------------------------------------------------------

    def snapshot(self) -> str:
        """Keep the present state on the server; the name to restore or fork from."""
        return str(self._change("snapshot", {})["snapshot"])

    def reset(self) -> None:
        """Begin anew under a new token; the old tokens answer 410."""
        self._take(self._change("reset", {}))

    def restore(self, snapshot: str) -> None:
        """Go on from a snapshot under a new token; the old tokens answer 410."""
        self._take(self._change("restore", {"snapshot": snapshot}))

    def fork(self, snapshot: str | None = None) -> RemoteEpisode:
        """A second, independent episode from a snapshot, or from the present state."""
        body = {} if snapshot is None else {"snapshot": snapshot}
        return RemoteEpisode(self._client, self._change("fork", body))

    def close(self) -> None:
        """End the episode on the server. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        if self._copy is not None:
            self._copy.close()
        try:
            self._client.remove(f"/v1/episodes/{self.id}")
        finally:
            if self.owns_client:
                self._client.close()


def _result(answer: httpx.Response, tool: str) -> Any:
    """What a tool call came to. Raises ToolRefused, or DeskgymError (env_error) where the server failed."""
    if answer.status_code == 200:
        told = answer.json()
        result = told.get("result")
        if result is None:
            raise DeskgymError("env_error", f"{tool} was not carried out: {str(told.get('error'))[:300]}")
        body = result["structuredContent"]
        if not result.get("isError"):
            return body["result"] if set(body) == {"result"} and isinstance(body["result"], list) else body
        if body.get("code") not in ("internal", "unavailable"):
            raise ToolRefused(body)
        raise DeskgymError("env_error", f"{tool} failed on the server: {body.get('message')}")
    hint = "the episode was reset or has ended" if answer.status_code in (404, 410) else ""
    raise DeskgymError("env_error", f"the agent plane answered {tool} with status {answer.status_code}", hint)
