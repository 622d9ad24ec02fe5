"""The app bar of Harbourstay, and the message after something was saved."""

from __future__ import annotations

from flask import g, request

from ...kit.session import read_kept
from ...kit.web import Link, MenuItem, Nav, NavLink, Person, Shell, Toast

DONE = {
    "booked": "Your stay is confirmed.",
    "requested": "Request sent. The host has 24 hours to answer; your card is only held.",
    "cancelled": "The reservation was cancelled.",
    "withdrawn": "The request was withdrawn and the hold on your card released.",
    "proposed": "Change proposed. The reservation stays as it is until the other side accepts.",
    "change-accepted": "Change accepted.",
    "change-declined": "Change declined.",
    "change-withdrawn": "Change withdrawn.",
    "sent": "Message sent.",
    "read": "Marked as read.",
    "saved": "Saved to the wishlist.",
    "unsaved": "Removed from the wishlist.",
    "wishlist": "Wishlist saved.",
    "wishlist-deleted": "Wishlist deleted.",
    "note": "Note saved.",
    "reviewed": "Review submitted. It is published when both sides have written, or after 14 days.",
    "replied": "Reply published.",
    "accepted": "Request accepted.",
    "declined": "Request declined.",
    "preapproved": "Guest pre-approved for 24 hours.",
    "offered": "Special offer sent.",
    "unoffered": "Offer withdrawn.",
    "calendar": "Calendar changed.",
    "pricing": "Prices saved.",
    "listing": "Listing saved.",
    "season": "Season saved.",
    "season-deleted": "Season deleted.",
    "asked": "Question sent to the host.",
    "raised": "Request sent. The other side can answer it now.",
    "refunded": "Money given back to the card of the stay.",
    "settled": "Request accepted and the money moved.",
    "request-declined": "Request declined.",
    "request-withdrawn": "Request withdrawn.",
    "shared": "Wishlist shared: whoever has its address can read it.",
    "unshared": "Wishlist is private again.",
    "quick": "Quick reply saved.",
    "quick-deleted": "Quick reply deleted.",
    "created": "Listing created as a draft.",
}


def app_bar() -> Shell:
    """Sections of a guest, those of a host where the person is one, and the person."""
    me = read_kept("stays.whoami")
    path = request.path
    unread = me["unread_threads"]
    hosting = path.startswith("/stays/host/")
    links = [
        NavLink(
            "Explore",
            "/stays/",
            "search",
            current=path.startswith(("/stays/search", "/stays/listings", "/stays/book")) or path == "/stays/",
        ),
        NavLink(
            "Trips", "/stays/trips", "suitcase-lg", current=path.startswith(("/stays/trips", "/stays/resolutions"))
        ),
        NavLink(
            f"Messages ({unread} unread)" if unread else "Messages",
            "/stays/messages",
            "chat-dots",
            current=path.startswith("/stays/messages"),
        ),
        NavLink("Wishlists", "/stays/wishlists", "heart", current=path.startswith("/stays/wishlists")),
    ]
    if me["is_host"]:
        links.append(NavLink("Hosting", "/stays/host/", "house-door", current=hosting))
    menu = [
        MenuItem(label="Trips", href="/stays/trips", icon="suitcase-lg"),
        MenuItem(label="Wishlists", href="/stays/wishlists", icon="heart"),
        MenuItem(label="Resolution centre", href="/stays/resolutions", icon="shield"),
    ]
    if me["is_host"]:
        menu += [
            MenuItem(label="Host: today", href="/stays/host/", icon="house-door"),
            MenuItem(label="Host: calendar", href="/stays/host/calendar", icon="calendar3"),
            MenuItem(label="Host: earnings", href="/stays/host/earnings", icon="cash-coin"),
        ]
    menu.append(MenuItem(label="Back to the desk", href="/desk", icon="house"))
    return Shell(
        app="stays",
        app_name="Harbourstay",
        home_href="/stays/",
        nav=Nav("Harbourstay", tuple(links)),
        person=Person(me["name"], g.person["title"] or "", tuple(menu)),
        footer=(
            Link("Explore stays", "/stays/"),
            Link("Trips and receipts", "/stays/trips"),
            Link("Resolution centre", "/stays/resolutions"),
        ),
        footer_note=f"Prices in {me['display_currency']} unless they say otherwise · your times in {me['tz']}",
    )


def toasts() -> tuple[Toast, ...]:
    """What the address says was just done."""
    done = request.args.get("done", "")
    return (Toast(DONE[done]),) if done in DONE else ()
