"""A chat endpoint that answers by script, on a port of its own; it keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = dict[str, Any] | tuple[int, str]
"""A message of the assistant, or a status with a body."""


@dataclass
class Endpoint:
    """`asked`: the bodies in order. `paths` and `keys`: the address and the Authorization of each."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def endpoint(script: Callable[[list[dict[str, Any]], int], Reply]) -> Iterator[Endpoint]:
    """Serve `script(messages, number of the request)`."""
    kept = Endpoint("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            kept.asked.append(body)
            kept.paths.append(self.path)
            kept.keys.append(self.headers.get("Authorization"))
            reply = script(body["messages"], len(kept.asked))
            status, text = reply if isinstance(reply, tuple) else (200, json.dumps({"choices": [{"message": reply}]}))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def tool_call(name: str, arguments: Any, key: str = "c1") -> dict[str, Any]:
    """A message that calls one tool; `arguments` as text are sent as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    called = {"id": key, "type": "function", "function": {"name": name, "arguments": text}}
    return {"role": "assistant", "content": None, "tool_calls": [called]}


def words(text: str) -> dict[str, Any]:
    """A message of words alone."""
    return {"role": "assistant", "content": text}
