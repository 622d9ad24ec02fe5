"""CRM-14: global search, and the candidates of lookup fields."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskgym_apps.kit.errors import BadQuery

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    HARBOUR,
    JUN,
    KESTREL,
    LOST,
    LUIS,
    MAIL,
    MARTA,
    OSEI,
    ROWAN,
    TOM,
    WES,
    World,
    account,
    ident,
    opportunity,
)


def found(world: World, text: str, *, by: str = ADA, **more: object) -> dict[str, list[str]]:
    """Object -> ids, in order."""
    answer = world.ask("search", text=text, by=by, **more)
    return {group["object"]: [row["id"] for row in group["rows"]] for group in answer["groups"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ilic", {"contact": [MARTA]}),  # without accents
        ("MARTA ILIĆ", {"contact": [MARTA]}),
        ("ilic marta", {"contact": [MARTA]}),  # every word, in any order
        ("ili mar", {"contact": [MARTA]}),
        ("lic", {}),  # only beginnings of words
        ("m.ilic@alder", {"contact": [MARTA]}),
        ("00012345", {"account": [ALDERCROFT]}),
        ("sud", {"account": [BRIGHTMOOR], "contact": [JUN], "opportunity": [HARBOUR]}),  # the company counts
        ("fy26", {"opportunity": [KESTREL]}),
        ("renewal terms", {"note": [ident("NTE", 1)]}),
        ("re: renewal", {"email": [MAIL]}),
        ("signature", {"task": [ident("TSK", 3)]}),
        ("visit", {"event": [ident("EVT", 1)]}),
        ("960014", {"contact": [MARTA]}),  # digits of a telephone number anywhere
        ("01632 960001", {"account": [ALDERCROFT]}),
        ("+44 1632 960001", {"account": [ALDERCROFT]}),
        ("014", {}),  # fewer than 4 digits
        ("100%", {}),
    ],
)
def test_crm_14_words_match_by_their_beginnings(world: World, text: str, expected: dict[str, list[str]]) -> None:
    assert found(world, text) == expected


def test_crm_14_exact_names_first_then_beginnings_then_others_then_the_newest(
    world_with: Callable[..., World],
) -> None:
    more = [
        account(6, "Old Quill", DANA) | {"updated_at": "2031-01-01T00:00:00Z"},
        account(7, "Quill Trading", DANA) | {"updated_at": "2031-01-02T00:00:00Z"},
        account(8, "Quill", DANA) | {"updated_at": "2030-01-01T00:00:00Z"},
        account(9, "Quill Trading", DANA) | {"updated_at": "2031-01-03T00:00:00Z"},
        account(5, "Quill Trading", DANA) | {"updated_at": "2031-01-02T00:00:00Z"},
    ]
    world = world_with({"crm_account": more})
    assert found(world, "quill")["account"] == [ident("ACC", number) for number in (8, 9, 5, 7, 6)]


def test_crm_14_groups_show_5_and_count_all(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_account": [account(number, f"Quill {number}", DANA) for number in range(10, 18)]})
    group = world.ask("search", text="quill")["groups"][0]
    assert (len(group["rows"]), group["total"]) == (5, 8)
    rest = world.ask("search", text="quill", objects=["account"], limit=5, offset=5)["groups"][0]
    assert len(rest["rows"]) == 3
    assert not {row["id"] for row in group["rows"]} & {row["id"] for row in rest["rows"]}


def test_crm_14_access_is_checked_before_the_limit(world_with: Callable[..., World]) -> None:
    """P7: a search never shows, counts or makes room for what the person may not read."""
    hidden = [opportunity(number, f"Quill {number}", LUIS, "Qualification") for number in range(10, 20)]
    world = world_with({"crm_opportunity": [*hidden, opportunity(50, "Quill mine", DANA, "Qualification")]})
    group = world.ask("search", text="quill", by=DANA)["groups"][0]
    assert (group["total"], [row["id"] for row in group["rows"]]) == (1, [ident("OPP", 50)])
    assert found(world, "quill 10", by=DANA) == {}
    assert found(world, "kestrel", by=WES) == {}


@pytest.mark.parametrize("text", ["", "a", " a ", "é"])
def test_crm_14_at_least_two_characters(world: World, text: str) -> None:
    with pytest.raises(BadQuery, match="at least 2 characters"):
        world.ask("search", text=text)


def test_crm_14_only_the_objects_asked_for(world: World) -> None:
    assert set(found(world, "aldercroft")) == {"account", "contact", "opportunity"}
    assert set(found(world, "aldercroft", objects=["contact"])) == {"contact"}
    with pytest.raises(BadQuery, match='Did you mean "contact"'):
        world.ask("search", text="aldercroft", objects=["contacts"])


def test_crm_14_namesakes_are_told_apart(world: World) -> None:
    rows = world.ask("search", text="aldercroft")["groups"][0]["rows"]
    assert rows == [
        {"object": "account", "id": ALDERCROFT, "name": "Aldercroft Ltd", "detail": "Leeds, owner Dana Whitcombe"}
    ]


def candidates(world: World, thing: str, text: str = "", *, by: str = DANA, **more: object) -> list[str]:
    """Ids a lookup offers, in order."""
    rows = world.read("lookup", {"object": thing, "text": text, **more}, by=by)["rows"]
    return [row["id"] for row in rows]


def test_lookups_offer_exact_names_first(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_account": [account(8, "The Tern", DANA), account(9, "Tern", DANA)]})
    assert candidates(world, "account", "tern") == [ident("ACC", 9), ident("ACC", 3), ident("ACC", 8)]
    assert candidates(world, "account", "ern") == []
    assert len(candidates(world, "account")) == 5


def test_lookups_prefer_records_of_the_account(world: World) -> None:
    assert candidates(world, "contact", account_id=BRIGHTMOOR)[0] == JUN
    assert candidates(world, "contact", account_id=ALDERCROFT)[:2] == [OSEI, MARTA]


def test_lookups_of_users_leave_out_the_inactive(world: World) -> None:
    everybody = candidates(world, "user")
    assert (DANA in everybody, TOM in everybody) == (True, False)
    assert candidates(world, "user", "ort") == [LUIS]


def test_lookups_of_what_and_record_span_objects(world: World) -> None:
    assert candidates(world, "what", "aldercroft") == [ALDERCROFT, LOST]
    assert candidates(world, "record", "mar") == [MARTA]
    assert candidates(world, "what", "aldercroft", by=LUIS) == [ALDERCROFT]


def test_lookups_say_when_there_are_more(world: World) -> None:
    assert world.read("lookup", {"object": "account", "limit": 2})["more"] is True
    assert world.read("lookup", {"object": "account", "limit": 10}, by=ROWAN)["more"] is False
