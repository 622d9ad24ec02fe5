"""The app bar of Northbeam, and the message after something was saved."""

from __future__ import annotations

from collections.abc import Mapping

from flask import after_this_request, g, request
from werkzeug.wrappers import Response

from ...kit.session import read, read_kept
from ...kit.web import Link, MenuItem, Nav, NavLink, Person, Shell, Toast
from ..service.kinds import KINDS, RECORDS
from .reading import is_readable, may, whoami
from .specs import PAGES, record_href

MESSAGE = ("done", "id", "n")
_TICKET = "deskgym_message"
_DONE = {
    "created": "Saved. {noun} created:",
    "saved": "Changes saved.",
    "moved": "Stage changed.",
    "status": "Status changed.",
    "commented": "Comment added.",
    "replied": "Reply sent.",
    "accepted": "The case is yours now.",
    "published": "Article published.",
    "archived": "Article archived.",
    "called": "Call logged:",
    "approval-submit": "Submitted for approval.",
    "approval-approve": "Approved.",
    "approval-reject": "Rejected.",
    "approval-recall": "The approval request was recalled.",
    "role": "Contact role saved.",
    "unrole": "Contact role removed.",
    "related": "Related account saved.",
    "unrelated": "Related account removed.",
    "completed": "Task completed.",
    "reopened": "Task reopened.",
    "line": "Product saved.",
    "unline": "Product removed.",
    "book": "Price book changed.",
    "synced": "Quote synced: its lines are now those of the opportunity.",
    "unsynced": "Syncing stopped.",
    "converted": "Lead converted to",
    "merged": "Merged into",
    "imported": "The file was imported.",
    "unselected": "Nothing was selected.",
    "restored": "Restored from the recycle bin:",
    "viewed": "List view saved.",
    "setup-created": "Saved.",
    "setup-deleted": "Removed.",
    "setup-moved": "Order changed.",
    "shared": "Record shared.",
    "unshared": "The share was taken away.",
    "unviewed": "List view deleted.",
    "reported": "Report saved.",
    "unreported": "Report deleted.",
    "dashed": "Dashboard saved.",
    "undashed": "Dashboard deleted.",
    "pinned": "The list opens with this from now on.",
}

_MADE = ("lead", *(kind for kind in RECORDS if kind != "lead"))  # leads come first, as they do in the work
_TABS = (*_MADE, "product")


def app_bar() -> Shell:
    """Tabs, search, New menu, notifications and the person."""
    here = request.path.removeprefix("/crm/").split("/")[0]
    tabs = [NavLink("Home", "/crm/", "house", current=here == "")]
    for kind in _TABS:
        if may("read", kind):
            page = PAGES[kind]
            is_here = here == page.path and request.path != "/crm/opportunities/board"
            tabs.append(NavLink(KINDS[kind].plural, page.url, page.icon, current=is_here))
            if kind == "opportunity":
                board = request.path == "/crm/opportunities/board"
                tabs.append(NavLink("Pipeline board", "/crm/opportunities/board", "kanban", current=board))
    tabs.append(NavLink("Reports", "/crm/reports", "bar-chart", current=here == "reports"))
    tabs.append(NavLink("Dashboards", "/crm/dashboards", "grid", current=here == "dashboards"))
    me = whoami()
    setup = (MenuItem(label="Setup", href="/crm/setup", icon="gear"),) if me["is_admin"] else ()
    menu = (
        *setup,
        MenuItem(label="Approvals", href="/crm/approvals", icon="check2-circle"),
        MenuItem(label="Price books", href="/crm/price-books", icon="tags"),
        MenuItem(label="Imports", href="/crm/imports", icon="upload"),
        MenuItem(label="Recycle bin", href="/crm/recycle-bin", icon="trash3"),
        MenuItem(label="Desk", href="/desk", icon="house"),
    )
    return Shell(
        app="crm",
        app_name="Northbeam",
        home_href="/crm/",
        nav=Nav("Northbeam", tuple(tabs)),
        person=Person(me["name"], me["title"] or "", menu),
        search_href="/crm/search",
        search_label="Search Northbeam",
        search_value=request.args.get("q", "") if request.path == "/crm/search" else "",
        new_items=_new_items(),
        notifications_href="/crm/notifications",
        notifications_unread=read_kept("crm.notifications", {"limit": 1})["total"],
        footer=(
            Link("Price books", "/crm/price-books"),
            Link("Recycle bin", "/crm/recycle-bin"),
            Link("Desk", "/desk"),
        ),
        footer_note=f"{me['company']} · times in {g.person['tz']}",
    )


def _new_items() -> tuple[MenuItem, ...]:
    return tuple(
        MenuItem(label=f"New {PAGES[kind].noun}", href=f"{PAGES[kind].url}/new", icon=PAGES[kind].icon)
        for kind in _MADE
        if may("create", kind)
    )


def announce(response: Response, told: Mapping[str, str]) -> None:
    """Let the page that `response` redirects to tell the message of its address, once: the browser holds the ticket."""
    response.set_cookie(_TICKET, _ticket(told), path="/crm/", httponly=True, samesite="Strict")


def _ticket(told: Mapping[str, str]) -> str:
    return ".".join(told.get(name, "") for name in MESSAGE)


def _tear_off(response: Response) -> Response:
    response.delete_cookie(_TICKET, path="/crm/", httponly=True, samesite="Strict")
    return response


def toasts() -> tuple[Toast, ...]:
    """The message of the command that led to this page: `done`, and `id` of the record it made.

    The address keeps them, so that a reader knows what led here, but a page that is loaded again says nothing.
    """
    if not request.args.get("done") or request.cookies.get(_TICKET) != _ticket(request.args):
        return ()
    after_this_request(_tear_off)
    return _told()


def _told() -> tuple[Toast, ...]:
    done, record_id = request.args.get("done", ""), request.args.get("id", "")
    if done == "deleted":
        count = request.args.get("n", "1")
        number = int(count) if count.isascii() and count.isdigit() and len(count) < 7 else 1
        text = "1 record was" if number == 1 else f"{number} records were"
        return (Toast(f"{text} moved to the recycle bin.", link=Link("Open the recycle bin", "/crm/recycle-bin")),)
    if done == "undone":
        count = request.args.get("n", "0")
        shown = count if count.isascii() and count.isdigit() and len(count) < 7 else "0"
        text = f"Import undone: {shown} {'record' if shown == '1' else 'records'} moved to the recycle bin."
        return (Toast(text, link=Link("Open the recycle bin", "/crm/recycle-bin")),)
    if done in ("bulk", "bulk-deleted"):
        given = request.args.get("n", "0")
        what = "moved to the recycle bin" if done == "bulk-deleted" else "changed"
        counted = given if given.isascii() and given.isdigit() and len(given) < 7 else "0"
        return (Toast(f"{counted} {'record' if counted == '1' else 'records'} {what}."),)
    if done not in _DONE:
        return ()
    kind = next((kind for kind in KINDS.values() if kind.prefix == record_id[:3]), None)
    text = _DONE[done].format(noun=kind.label if kind else "Record")
    href = record_href(record_id) if len(record_id) == 15 and kind is not None and is_readable(record_id) else ""
    if not href:
        return (Toast(text.rstrip(":") + ("" if text.endswith(".") else ".")),)
    return (Toast(text, link=Link(_name_of(record_id), href)),)


def _name_of(record_id: str) -> str:
    return str(read("crm.get", {"id": record_id, "fields": ["id"]})["name"])
