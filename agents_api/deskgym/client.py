"""A server of episodes, over HTTP: `Client` speaks to the control plane, `RemoteEpisode` is an episode there.

    with Client("http://127.0.0.1:8001", token_file="control.token") as client:
        with client.start("crm/close-won", seed=3) as episode:
            episode.call_tool("crm_query", {"object": "account"})
            episode.submit("done")
            verdict = episode.grade()

A connection that fails is tried again, with the same request id or idempotency key, so nothing happens twice. What
stays broken is a DeskgymError of kind env_error, never a reward.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx

from .control.secret import new_token, read_token
from .errors import EXIT_CODES, DeskgymError
from .remote import RemoteEpisode
from .serve import default_token_file

TOKEN_FILE = "DESKGYM_TOKEN_FILE"
URL = "http://127.0.0.1:8001"
PATIENCE_S = 30.0
IDLE_S = 2.0  # a server closes a connection that was idle for 5 s, maybe just as the next request goes out on it
_LATER = (502, 503, 504)


class Client:
    """The control plane at `url`. Close it, or use it as a context manager.

    The token: `token`, or the 0600 file `token_file`, or the one `DESKGYM_TOKEN_FILE` names, or that of a server
    started on this machine without further options. `patience_s`: how long a broken connection and
    a server that is not ready are tried again, 30 s unless said. `wait_s`: how long `start` waits for a place where the
    server is full; 0 raises capacity at once.
    """

    def __init__(
        self,
        url: str = URL,
        token: str | None = None,
        *,
        token_file: Path | str | None = None,
        patience_s: float | None = None,
        wait_s: float = 0.0,
    ) -> None:
        self.url = url.rstrip("/")
        named = token_file or os.environ.get(TOKEN_FILE)
        secret = token or read_token(Path(named) if named else default_token_file())
        self.patience_s = PATIENCE_S if patience_s is None else patience_s
        self.wait_s = wait_s
        self.agent = _connections()  # to the agent plane: it carries no control token
        self._http = _connections(Authorization=f"Bearer {secret}")

    def close(self) -> None:
        """Close the connections; episodes stay."""
        self._http.close()
        self.agent.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Episodes ------------------------------------------------------------------------------------

    def start(
        self,
        task: str | None = None,
        *,
        seed: int | None = None,
        world: str = "small:1",
        person: str | None = None,
        variation: Mapping[str, Any] | None = None,
        inject: Mapping[str, Any] | None = None,
        ttl_s: int | None = None,
    ) -> RemoteEpisode:
        """Begin an episode there; arguments as `Episode.start`, `ttl_s` seconds of lease.

        Raises DeskgymError: not_found, usage, invalid_task, capacity, unauthorized, env_error.
        """
        given = {
            "task": task,
            "seed": seed,
            "world": world,
            "person": person,
            "variation": variation and dict(variation),
            "inject": inject and dict(inject),
            "ttl_s": ttl_s,
        }
        body = {name: value for name, value in given.items() if value is not None}
        return RemoteEpisode(self, self.change("/v1/episodes", body))

    def episode(self, name: str) -> RemoteEpisode:
        """An episode that lives already, such as one begun before this process. Raises DeskgymError (not_found)."""
        return RemoteEpisode(self, self.read(f"/v1/episodes/{name}"))

    def episodes(self) -> list[dict[str, Any]]:
        """A row of each live episode."""
        return self._rows("/v1/episodes")

    def tasks(self, world: str = "small:1") -> list[dict[str, Any]]:
        """A row a task."""
        return self._rows("/v1/tasks", world=world)

    def apps(self) -> list[dict[str, Any]]:
        """A row an app."""
        return self._rows("/v1/apps")

    def worlds(self) -> list[dict[str, Any]]:
        """A row a world."""
        return self._rows("/v1/worlds")

    def version(self) -> dict[str, Any]:
        """Versions and digests of the server."""
        return self.read("/version")

    def metrics(self) -> str:
        """The server's figures, in Prometheus's text format."""
        answer = patiently(lambda: self._http.get(f"{self.url}/metrics"), self.patience_s)
        fault = fault_of(answer)
        if fault is not None:
            raise fault
        return answer.text

    def wait_ready(self) -> None:
        """Return once the server can start episodes. Raises DeskgymError (env_error) where it cannot in time."""
        self.read("/readyz")

    def _rows(self, path: str, **query: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.read(path, **query)["rows"]
        return rows

    # --- Requests ------------------------------------------------------------------------------------

    def read(self, path: str, **query: Any) -> dict[str, Any]:
        """The data of a GET. Raises DeskgymError with the kind the server names."""
        return self._ask(lambda: self._http.get(self.url + path, params=query))

    def change(self, path: str, body: Mapping[str, Any], *, once: bool = True) -> dict[str, Any]:
        """The data of a POST. `once`: under a request id, so that trying again changes nothing."""
        given = {**body, "request_id": new_token()} if once else dict(body)
        return self._ask(lambda: self._http.post(self.url + path, json=given))

    def remove(self, path: str) -> None:
        """DELETE; what is gone already is no error."""
        try:
            self._ask(lambda: self._http.delete(self.url + path))
        except DeskgymError as error:
            if error.kind != "not_found":
                raise

    def _ask(self, send: Callable[[], httpx.Response]) -> dict[str, Any]:
        full_until = time.monotonic() + self.wait_s
        while True:
            answer = patiently(send, self.patience_s)
            fault = fault_of(answer)
            if fault is None:
                data: dict[str, Any] = answer.json()["data"]
                return data
            if fault.kind != "capacity" or time.monotonic() >= full_until:
                raise fault
            time.sleep(min(float(answer.headers.get("Retry-After", 1)), max(0.0, full_until - time.monotonic())))


def _connections(**headers: str) -> httpx.Client:
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=IDLE_S)
    return httpx.Client(timeout=60, trust_env=False, headers=headers, limits=limits)


def patiently(send: Callable[[], httpx.Response], patience_s: float) -> httpx.Response:
    """The answer to a request that may be sent twice; broken connections and 502 to 504 are tried again for a while.

    Raises DeskgymError (env_error) where there is no connection in that time.
    """
    end, pause = time.monotonic() + patience_s, 0.05
    while True:
        try:
            answer = send()
            if answer.status_code not in _LATER or time.monotonic() + pause >= end:
                return answer
        except httpx.TransportError as error:
            if time.monotonic() + pause >= end:
                where = f"{error.request.url.scheme}://{error.request.url.netloc.decode()}"
                raise DeskgymError(
                    "env_error", f"no answer from {where}: {type(error).__name__}", "is deskgym serve running there?"
                ) from error
        time.sleep(pause)
        pause = min(2 * pause, 2.0)


def fault_of(answer: httpx.Response) -> DeskgymError | None:
    """The error that an answer of the control plane holds, or None."""
    if answer.is_success:
        return None
    try:
        error = answer.json()["error"]
        kind = error["kind"] if error["kind"] in EXIT_CODES else "env_error"
        return DeskgymError(kind, error["message"], error["hint"])
    except (ValueError, LookupError, TypeError):
        return DeskgymError(
            "env_error", f"status {answer.status_code} without an envelope", "is this the control plane of deskgym?"
        )
