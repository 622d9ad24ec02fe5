"""Harbourstay's tools by hand: the same state and the same journal as through MCP, in both widget variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from deskgym.browser import Parts, Start
from deskgym.browser.sync import Browser, Session
from deskgym.episode import Episode
from deskgym.pages import PageFault, Refused, perform, stays
from deskgym.pages.visit import Widgets
from deskgym_apps.kit.dates import add_days
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Party
from deskgym_apps.stays.tools import TOOLS
from deskgym_graders.codec import Var
from deskgym_graders.oracle import resolve
from deskgym_graders.spec import Call
from deskgym_graders.tasks.stays import picks
from deskgym_graders.tasks.stays.booking import draw_stay, good_cards, instant, quoting
from deskgym_graders.tasks.stays.moving import movable
from deskgym_graders.tasks.stays.prices import fits
from deskgym_graders.tasks.stays.requests import contests
from deskgym_seeds.streams import Stream

Journal = list[tuple[str, Any]]
Work = tuple[str, tuple[Call, ...]]
_NO_PAGE = {"stays_resolution"}  # requests for money after a stay are made by tools only


def _journal(store: Store) -> Journal:
    rows = store.all("SELECT operation, arguments FROM jrn_command ORDER BY seq")
    return [(row["operation"], row["arguments"]) for row in rows]


def _by_tools(work: Work) -> tuple[str, Journal]:
    results: dict[str, Any] = {}
    with Episode.start(home="memory", app_names=("stays",), person=work[0]) as episode:
        for call in work[1]:
            result = episode.call_tool(call.tool, resolve(call.args, results))
            if call.save_as:
                results[call.save_as] = result
        return episode.state_hash(), _journal(episode.store)


def _do(session: Session, episode: Episode, call: Call, results: dict[str, Any], widgets: Widgets) -> Any:
    given, base_url = resolve(call.args, results), episode.base_url
    result = session.perform(lambda one: perform(one, call.tool, given, base_url=base_url, widgets=widgets))
    if call.save_as:
        results[call.save_as] = result
    return result


def _by_hand(browser: Browser, work: Work, widgets: Widgets) -> tuple[str, Journal]:
    results: dict[str, Any] = {}
    variation = {"widgets": widgets}
    with Episode.start(home="file", app_names=("stays",), person=work[0], variation=variation) as episode:
        with browser.open(episode.enter_url, start=Start(now=episode.now, parts=Parts(False))) as session:
            for call in work[1]:
                _do(session, episode, call, results, widgets)
        return episode.state_hash(), _journal(episode.store)


def _wish(action: str, save_as: str | None = None, **given: Any) -> Call:
    return Call("stays_wishlist", {"action": action, **given}, save_as)


def _as_guest(world: Store) -> Work:
    """Save places, book one, ask about another, move a trip and take it back, cancel, write, review."""
    row, (move, *_) = movable(world)[0]
    guest = picks.people(world)[row["guest_id"]]
    stay = draw_stay(world, Stream("0", "pages"), guest, instant(world))
    others = [place for place in picks.listed(world) if place["id"] not in (stay.listing["id"], row["listing_id"])]
    one, other = [place["id"] for place in others if fits(world, place, guest, "2033-09-05", "2033-09-12", Party(1))][
        :2
    ]
    wishlist = Var("w.id")
    ask = {"action": "inquire", "listing": one, "checkin": "2033-09-05", "checkout": "2033-09-12", "adults": 1}
    propose = {"code": row["code"], "action": "propose", "checkin": move.checkin, "checkout": move.checkout}
    more = {"confirm_delta": move.delta_text, "row_version": row["row_version"], "note": "A day later?"}
    preview = Call("stays_reservations", {"code": row["code"], "preview": "cancel"}, "c")
    return str(guest["id"]), (
        _wish("create", "w", name="Team week 12", checkin="2033-07-04", checkout="2033-07-09"),
        _wish("add", id=wishlist, listing=one, note="sea view"),
        _wish("add", id=wishlist, listing=other),
        _wish("note", id=wishlist, listing=other, note="by the yard"),
        _wish("remove", id=wishlist, listing=one),
        _wish("create", "n", name="New for one", listing=one, note="quiet"),
        _wish("rename", id=wishlist, name="Team week 13", row_version=1),
        _wish("dates", id=wishlist, row_version=2),
        _wish("delete", id=wishlist),
        quoting(stay),
        Call(
            "stays_book",
            {
                "quote_id": Var("q.quote_id"),
                "payment_method": good_cards(world, guest)[0]["id"],
                "accept_policy": True,
                "message": "We come late.",
            },
            "b",
        ),
        Call("stays_message", {"code": Var("b.code"), "body": "At 23:10, to be exact."}),
        Call("stays_decide", {**ask, "message": "Is there a desk?"}, "i"),
        Call("stays_decide", {"id": Var("i.code"), "action": "withdraw"}),
        Call("stays_message", {"listing": other, "body": "Is there a lift?"}, "t"),
        Call("stays_message", {"thread": Var("t.thread"), "body": "And a cot?"}),
        Call("stays_alter", propose | more, "a"),
        Call("stays_alter", {"code": row["code"], "action": "withdraw", "id": Var("a.id")}),
        preview,
        Call("stays_cancel", {"code": row["code"], "confirm_refund": Var("c.refund.amount"), "reason": "No time"}),
    )


def _as_host(world: Store) -> Work:
    """Answer requests, change the calendar, prices, a season and what a listing says, reply to a review."""
    first, rival = contests(world)[0][:2]
    listing = picks.listings(world)[first["listing_id"]]
    used = picks.taken(world)[listing["id"]] | set(picks.overrides(world).get(listing["id"], {}))
    days = picks.nights(add_days(picks.today(world, listing), 120), 60)
    night = next(day for day in days if not used.intersection(picks.nights(day, 8)))
    span = {"listing": listing["id"], "from": night, "to": add_days(night, 6)}
    review = next(
        row
        for row in picks.every(world, "stays_review")
        if row["listing_id"] == listing["id"]
        and row["direction"] == "guest_to_host"
        and row["is_published"]
        and row["reply"] is None
    )
    wifi = {"amenities": [{"amenity": "wifi", "note": "84 Mbps, measured"}]}
    season = {"name": "Fair", "date_from": "2034-02-03", "date_to": "2034-02-09", "adjust_percent": "12"}

    def version(number: int) -> int:
        return int(listing["row_version"]) + number

    def change(number: int, **values: Any) -> Call:
        given = {"listing": listing["id"], "values": values, "row_version": version(number)}
        return Call("stays_host_listing_update", given)

    return str(listing["host_id"]), (
        Call("stays_decide", {"id": rival["code"], "action": "decline", "message": "Sorry, we are full."}),
        Call("stays_decide", {"id": first["code"], "action": "accept"}),
        Call("stays_host_calendar", span | {"action": "block", "expected_nights": 7}),
        Call("stays_host_calendar", span | {"action": "open", "expected_nights": 7}),
        Call(
            "stays_host_calendar",
            span | {"weekdays": "56", "action": "price", "value": "310", "expected_nights": 2},
        ),
        Call("stays_host_calendar", span | {"action": "min_nights", "value": 3, "expected_nights": 7}),
        Call("stays_host_calendar", span | {"action": "note", "value": "fair in town", "expected_nights": 7}),
        Call(
            "stays_host_pricing",
            {"listing": listing["id"], "values": {"base_price": "123.00"}, "row_version": version(0)},
        ),
        Call("stays_host_pricing", {"action": "create_season", "listing": listing["id"], "values": season}),
        Call(
            "stays_host_listing_update",
            {"listing": listing["id"], "values": wifi, "row_version": version(1)},
            "amenity",
        ),
        change(2, rules={"quiet_hours": "21:30-07:30"}),
        change(3, max_guests=7),
        change(4, min_nights=int(listing["min_nights"]) + 1, max_pets=int(listing["max_pets"]) + 1),
        Call("stays_review", {"id": review["id"], "reply": "Thank you, we have mended it."}),
    )


def _work(name: str) -> Work:
    with Episode.start(home="memory", app_names=("stays",)) as episode:
        return {"guest": _as_guest, "host": _as_host}[name](episode.store)


def test_every_tool_but_those_without_a_page_has_a_page_object() -> None:
    assert {f"stays_{verb}" for verb in stays.ACTIONS} == {tool.name for tool in TOOLS} - _NO_PAGE


@pytest.mark.browser
@pytest.mark.parametrize("widgets", ["aria", "native"])
@pytest.mark.parametrize("who", ["guest", "host"])
def test_commands_by_hand_leave_the_state_and_the_journal_of_the_tools(
    browser: Browser, who: str, widgets: Widgets
) -> None:
    work = _work(who)
    by_hand, by_tools = _by_hand(browser, work, widgets), _by_tools(work)
    assert by_hand[1] == by_tools[1]
    assert by_hand[0] == by_tools[0]


def _all(browser: Browser, person: str, calls: Sequence[Call]) -> tuple[list[Any], Journal]:
    with Episode.start(home="file", app_names=("stays",), person=person) as episode:
        with browser.open(episode.enter_url, start=Start(now=episode.now, parts=Parts(False))) as session:
            found = [_do(session, episode, call, {}, "aria") for call in calls]
        return found, _journal(episode.store)


@pytest.mark.browser
def test_reading_by_hand_finds_what_is_asked_for_and_writes_nothing(browser: Browser) -> None:
    with Episode.start(home="memory", app_names=("stays",)) as episode:
        host = picks.hosts(episode.store)[0]
        listing = picks.of_host(episode.store, host["id"])[0]
    calls = (
        Call("stays_whoami"),
        Call("stays_places", {"text": "Porto"}),
        Call("stays_search", {"location": "Porto", "amenities": ["wifi"], "sort": "price_low", "instant_book": True}),
        Call("stays_listing", {"id": listing["id"]}),
        Call("stays_reservations", {"scope": "host", "status": "pending"}),
        Call("stays_reservations", {"status": "upcoming"}),
        Call("stays_messages"),
        Call("stays_reviews", {"listing": listing["id"]}),
        Call("stays_wishlist", {"action": "list"}),
        Call("stays_host", {"view": "listings"}),
        Call("stays_host", {"view": "calendar", "listing": listing["id"], "from": "2033-04-01", "to": "2033-04-30"}),
        Call("stays_host", {"view": "payouts"}),
    )
    found, journal = _all(browser, str(host["id"]), calls)

    assert journal == []
    assert all(len(one["text"]) > 40 for one in found)
    assert "Porto" in found[2]["text"]
    assert listing["title"] in found[3]["text"]
    assert listing["title"] in found[9]["text"]


@pytest.mark.browser
def test_what_the_service_refuses_is_refused_by_hand_and_leaves_nothing(browser: Browser) -> None:
    with Episode.start(home="memory", app_names=("stays",)) as episode:
        world = episode.store
        reserved = next(row for row in contests(world)[0])
        listing = picks.listings(world)[reserved["listing_id"]]
        night = min(day for day in picks.taken(world)[listing["id"]] if day > picks.today(world, listing))
    block = {"listing": listing["id"], "from": night, "to": night, "action": "block", "expected_nights": 1}
    wrong = {**block, "from": "2034-01-02", "to": "2034-01-05", "expected_nights": 3}
    with Episode.start(home="file", app_names=("stays",), person=listing["host_id"]) as episode:
        with browser.open(episode.enter_url, start=Start(now=episode.now, parts=Parts(False))) as session:
            for given in (block, wrong):
                with pytest.raises(Refused):
                    _do(session, episode, Call("stays_host_calendar", given), {}, "aria")
            absent = {"action": "rename", "id": "WSH000000000000", "name": "Nobody's"}
            with pytest.raises(Refused):
                _do(session, episode, Call("stays_wishlist", absent), {}, "aria")
            with pytest.raises(PageFault):
                _do(session, episode, Call("stays_decide", {"id": reserved["id"], "action": "accept"}), {}, "aria")
        assert _journal(episode.store) == []
