"""The agent plane of this process: one server thread per root of episodes."""

from __future__ import annotations

import atexit
import threading
from pathlib import Path
from typing import Any

_servers: dict[Path, Any] = {}
_lock = threading.Lock()


def server_of(root: Path) -> str:
    """The base URL of the server of a root, started on first use."""
    from deskgym_apps.server import ServerThread

    with _lock:
        if root not in _servers:
            thread = ServerThread(root)
            thread.start()
            _servers[root] = thread
        return str(_servers[root].base_url)


@atexit.register
def stop_servers() -> None:
    """Stop every server this process started."""
    with _lock:
        while _servers:
            _servers.popitem()[1].stop()
