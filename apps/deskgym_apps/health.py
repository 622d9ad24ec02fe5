"""Whether servers answer, for a container's HEALTHCHECK: `python -m deskgym_apps.health http://127.0.0.1:8000/healthz`.

Ends with 0 where each address answers 200, else with 1 and a line that says what is wrong. Needs nothing but Python.
"""

from __future__ import annotations

import http.client
import sys
from collections.abc import Iterable
from urllib.parse import urlsplit

PATIENCE_S = 5.0


def fault_at(url: str, patience_s: float = PATIENCE_S) -> str | None:
    """What is wrong with the server at an http address, or None."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.netloc:
        return f"{url} is no http address"
    try:
        connection = http.client.HTTPConnection(parts.netloc, timeout=patience_s)
        try:
            connection.request("GET", parts.path or "/")
            status = connection.getresponse().status
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as error:
        return f"{url} does not answer: {error}"
    return None if status == 200 else f"{url} answers {status}"


def main(urls: Iterable[str]) -> int:
    """The exit code; faults go to stderr, where the container's engine keeps them."""
    asked = list(urls)
    if not asked:
        print("usage: python -m deskgym_apps.health URL...", file=sys.stderr)
        return 2
    faults = [fault for url in asked if (fault := fault_at(url)) is not None]
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
