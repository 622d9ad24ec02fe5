"""The two doors over HTTP, each beside the least its framework can do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from itertools import cycle
from typing import Any

import httpx

from .. import catalogue
from ..episode import Episode
from ..errors import DeskgymError
from .figure import Bench, Figure, alternate, figure
from .process import FRAME, PLANE, Served, served
from .scratch import scratch_root

_ACCEPT = {"Accept": "application/json, text/event-stream"}
# The pages by what they are; `page` takes all of them in turn.
PAGES: Mapping[str, tuple[str, ...]] = {
    "desk": ("/desk",),
    "home": ("/crm/",),
    "list": tuple(
        f"/crm/{name}" for name in ("accounts", "contacts", "opportunities", "tasks", "events", "notes", "emails")
    ),
    "filter": (
        "/crm/accounts?field1=industry&op1=not_blank&sort=annual_revenue&dir=desc",
        "/crm/contacts?q=an&sort=account.name",
        "/crm/opportunities?field1=amount&op1=gt&value1=1000&sort=amount&dir=desc",
        "/crm/tasks?scope=mine",
    ),
    "board": ("/crm/opportunities/board",),
    "record": ("/crm/accounts/{account}", "/crm/contacts/{contact}", "/crm/opportunities/{opportunity}"),
    "tab": (
        "/crm/accounts/{account}/related",
        "/crm/accounts/{account}/history",
        "/crm/opportunities/{opportunity}/related",
        "/crm/opportunities/{opportunity}/history",
    ),
    "form": ("/crm/accounts/new", "/crm/accounts/{account}/edit", "/crm/opportunities/{opportunity}/edit"),
    "search": ("/crm/search?q=an",),
    "bin": ("/crm/recycle-bin?scope=org", "/crm/notifications"),
}


@contextmanager
def plane(bench: Bench) -> Iterator[tuple[Episode, Served]]:
    """An episode of its own root, served by a process of its own."""
    with (
        scratch_root() as root,
        Episode.start(world=catalogue.world(bench.world), root=root, person=_seller(bench.world)) as episode,
        served(PLANE, str(root)) as server,
    ):
        yield episode, server


def _seller(world: str) -> str:
    """Somebody who owns an account, a contact and an opportunity: the first of them by id. Raises DeskgymError."""
    owned = " AND ".join(
        f"EXISTS (SELECT 1 FROM crm_{kind} t WHERE t.owner_id = u.person_id AND t.is_deleted = 0)"
        for kind in ("account", "contact", "opportunity")
    )
    with closing(catalogue.world(world).open()) as store:
        row = store.one(f"SELECT u.person_id FROM crm_user u WHERE u.is_active = 1 AND {owned} ORDER BY u.person_id")
    if row is None:
        raise DeskgymError("env_error", f"nobody in {world} owns an account, a contact and an opportunity")
    return str(row["person_id"])


def call(client: httpx.Client, url: str, tool: str, arguments: dict[str, Any]) -> None:
    """One tool call over streamable HTTP. Raises DeskgymError where it is not answered with a result."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    answer = client.post(url, json=body, headers=_ACCEPT)
    result = answer.json().get("result") if answer.status_code == 200 else None
    if result is None or result.get("isError"):
        raise DeskgymError("env_error", f"{tool} over HTTP answered {answer.status_code}: {answer.text[:300]}")


def mcp_call(bench: Bench) -> Figure:
    """`crm_get` of an opportunity over HTTP. Floor: an empty tool of the SDK over HTTP, alternated."""
    with plane(bench) as (episode, server), served(FRAME) as frame, httpx.Client(timeout=30) as client:
        record = _first(episode, "opportunity")
        ours = partial(call, client, f"{server.base_url}/s/{episode.token}/mcp", "crm_get", {"id": record})
        empty = partial(call, client, f"{frame.base_url}/mcp", "empty", {})
        return figure("mcp.call", *alternate(ours, empty, bench.samples(300), warm=10))


def _first(episode: Episode, kind: str) -> str:
    """A record of the acting person's, which opens for editing too: the newest there is."""
    newest = [{"field": "updated_at", "direction": "desc"}]
    found = episode.call_tool("crm_query", {"object": kind, "scope": "mine", "sort": newest, "limit": 1})
    if not found["rows"]:
        raise DeskgymError("env_error", f"in this world the acting person has no {kind}")
    return str(found["rows"][0]["id"])


def _page(client: httpx.Client, base_url: str, path: str) -> None:
    answer = client.get(f"{base_url}{path}")
    if answer.status_code != 200:
        shown = path.partition("/enter/")[0] or "/enter/…"  # a token is never shown
        raise DeskgymError("env_error", f"{shown} answered {answer.status_code}", "see the server's log")


def page(bench: Bench, kinds: Collection[str] = tuple(PAGES)) -> Figure:
    """Pages of the desk and the CRM, in turn: all, or those of some `kinds`. Floor: an empty page of the framework."""
    name = "page.server" if len(kinds) > 1 else f"page.server.{next(iter(kinds))}"
    with plane(bench) as (episode, server), served(FRAME) as frame:
        records = {kind: _first(episode, kind) for kind in ("account", "contact", "opportunity")}
        paths = [path.format(**records) for kind in kinds for path in PAGES[kind]]
        with httpx.Client(timeout=30, follow_redirects=True) as client:
            _page(client, server.base_url, f"/enter/{episode.token}")
            turn = cycle(paths)
            empty = partial(_page, client, frame.base_url, "/page")
            return figure(
                name,
                *alternate(
                    lambda: _page(client, server.base_url, next(turn)), empty, bench.samples(160), warm=2 * len(paths)
                ),
            )
