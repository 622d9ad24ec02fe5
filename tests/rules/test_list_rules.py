"""CRM-6, CRM-14 and X-9 through both doors: filters, sorting, counts, search."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.crm.fixture import (
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    HARBOUR,
    JUN,
    KESTREL,
    LOST,
    LUIS,
    MARTA,
    MEI,
    OLGA,
    OSEI,
    OVERDUE,
    TERN,
    TODO,
    YEN,
    account,
    contact,
    event,
    ident,
    opportunity,
    task,
)

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import House, plain

CASES: dict[str, list[tuple[str, str, str, Any, set[str]]]] = {
    "crm_6_1": [
        ("account", "name", "equals", "tern logistics", {TERN}),
        ("account", "name", "contains", "moor", {BRIGHTMOOR}),
        ("account", "name", "starts_with", "alder", {ALDERCROFT}),
        ("account", "industry", "blank", None, {BRIGHTMOOR}),
        ("account", "phone", "not_blank", None, {ALDERCROFT}),
    ],
    "crm_6_2": [
        ("opportunity", "amount", "equals", "12345.67", {KESTREL}),
        ("opportunity", "amount", "lt", "1000", {LOST}),
        ("opportunity", "amount", "lte", "700", {LOST}),
        ("opportunity", "amount", "gt", "12345.67", {YEN}),
        ("opportunity", "amount", "gte", "12345.67", {KESTREL, YEN}),
        ("opportunity", "amount", "between", ["700", "12345.67"], {LOST, KESTREL}),
        ("opportunity", "close_date", "lt", "2031-03-01", {LOST}),
        ("opportunity", "close_date", "gte", "2031-03-01", {KESTREL, YEN}),
        ("opportunity", "close_date", "between", ["2031-02-11", "2031-03-01"], {LOST, YEN}),
        ("opportunity", "probability", "equals", "0", {LOST}),
    ],
    "crm_6_3": [
        ("account", "region", "in", ["EMEA", "APAC"], {ALDERCROFT, BRIGHTMOOR}),
        ("account", "industry", "not_in", ["Machinery"], {BRIGHTMOOR, TERN}),
        ("account", "type", "equals", "prospect", {BRIGHTMOOR}),
    ],
    "crm_6_5": [
        ("account", "name", "contains", "SUD GMBH", {BRIGHTMOOR}),
        ("account", "bill_city", "equals", "koln", {BRIGHTMOOR}),
        ("contact", "last_name", "equals", "ilic", {MARTA}),
    ],
    "crm_6_6": [
        ("account", "industry", "not_equal", "Machinery", {BRIGHTMOOR, TERN}),
        ("account", "phone", "not_equal", "+44 1632 960001", {BRIGHTMOOR, TERN}),
        ("opportunity", "lost_reason", "not_equal", "Price", {KESTREL, YEN}),
        ("task", "due_date", "not_equal", "2031-03-20", {OVERDUE, ident("TSK", 1)}),
    ],
    "crm_6_10": [
        ("opportunity", "account.region", "equals", "EMEA", {KESTREL, LOST}),
        ("contact", "account.name", "starts_with", "bright", {JUN}),
    ],
}  # fmt: skip


def check(door: Doorway, case: tuple[str, str, str, Any, set[str]]) -> None:
    kind, name, op, value, expected = case
    if isinstance(value, str) and isinstance(door, ToolDoorway) and value.replace(".", "").isdigit():
        assert set(door.ids(kind, (name, op, float(value)))) == expected
    assert set(door.ids(kind, (name, op, value))) == expected


def named(case: Any) -> str:
    """A case as a test is called: without what is expected, a set, whose order differs between processes."""
    return " ".join(str(part) for part in case if not isinstance(part, set))


@pytest.mark.parametrize("case", CASES["crm_6_1"], ids=named)
def test_crm_6_1_text_equals_contains_starts_with_blank(door: Doorway, case: Any) -> None:
    check(door, case)


@pytest.mark.parametrize("case", CASES["crm_6_2"], ids=named)
def test_crm_6_2_numbers_and_dates_compare(door: Doorway, case: Any) -> None:
    check(door, case)


@pytest.mark.parametrize("case", CASES["crm_6_3"], ids=named)
def test_crm_6_3_picklists_in_and_not_in(door: Doorway, case: Any) -> None:
    check(door, case)


@pytest.mark.parametrize(("value", "expected"), [(True, {LOST}), (False, {KESTREL, YEN})])
def test_crm_6_4_booleans(door: Doorway, value: bool, expected: set[str]) -> None:
    typed: Any = value if isinstance(door, ToolDoorway) else ("yes" if value else "no")
    assert set(door.ids("opportunity", ("is_closed", "equals", typed))) == expected


@pytest.mark.parametrize("case", CASES["crm_6_5"], ids=named)
def test_crm_6_5_text_compares_without_case_and_accents(door: Doorway, case: Any) -> None:
    check(door, case)


@pytest.mark.parametrize("case", CASES["crm_6_6"], ids=named)
def test_crm_6_6_not_equal_includes_blanks(door: Doorway, case: Any) -> None:
    check(door, case)


# Today is Friday, 14 March 2031; the fiscal year begins in February
PERIODS = {
    "TODAY": {"2031-03-14"},
    "YESTERDAY": {"2031-03-13"},
    "TOMORROW": {"2031-03-15"},
    "THIS MONTH": {"2031-03-01", "2031-03-12", "2031-03-13", "2031-03-14", "2031-03-15", "2031-03-31"},
    "LAST MONTH": {"2031-02-01", "2031-02-28"},
    "NEXT MONTH": {"2031-04-01", "2031-04-30"},
    "THIS QUARTER": {"2031-02-01", "2031-02-28", "2031-01-01", "2031-03-01", "2031-03-12", "2031-03-13", "2031-03-14",
                     "2031-03-15", "2031-03-31"},
    "THIS FISCAL QUARTER": {"2031-02-01", "2031-02-28", "2031-03-01", "2031-03-12", "2031-03-13", "2031-03-14",
                            "2031-03-15", "2031-03-31", "2031-04-01", "2031-04-30"},
    "LAST FISCAL QUARTER": {"2030-11-30", "2031-01-01"},
    "LAST YEAR": {"2030-11-30"},
    "LAST 2 DAYS": {"2031-03-12", "2031-03-13", "2031-03-14"},
    "NEXT 1 DAYS": {"2031-03-15"},
}  # fmt: skip
DAYS = sorted({day for days in PERIODS.values() for day in days})


@pytest.mark.parametrize("period", PERIODS)
def test_crm_6_7_relative_dates(door_with: Callable[..., Doorway], period: str) -> None:
    tasks = [task(50 + at, f"On {day}", MEI, due_date=day) for at, day in enumerate(DAYS)]
    door = door_with({"crm_task": tasks})
    # 09:00 UTC is 18:00 in Tokyo, the same day
    found = door.ids("task", ("due_date", "equals", period), ("owner_id", "equals", MEI), by=MEI)
    assert {door.house.record(one)["due_date"] for one in found} == PERIODS[period]


def at_20_in_denver(house_with: Callable[..., House]) -> House:
    """It is 20:00 on 13 March in Denver, 02:00 UTC on the 14th, and a task is due on each of the days."""
    from tests.crm import fixture

    before, fixture.NOW = fixture.NOW, "2031-03-14T02:00:00Z"
    try:
        tasks = [task(50 + day, f"On the {day}th", DANA, due_date=f"2031-03-{day}") for day in (12, 13, 14, 15)]
        events = [
            event(60, "Late", DANA, "2031-03-14T05:30:00Z", "2031-03-14T06:30:00Z"),  # 23:30 on the 13th there
            event(61, "Early", DANA, "2031-03-14T06:30:00Z", "2031-03-14T07:30:00Z"),  # 00:30 on the 14th there
        ]
        return house_with({"crm_task": tasks, "crm_event": events}, task="private")
    finally:
        fixture.NOW = before


def test_p6_today_is_the_day_of_the_person_not_of_the_system(
    enter: Callable[[House], Doorway], house_with: Callable[..., House]
) -> None:
    door = enter(at_20_in_denver(house_with))
    assert door.ids("task", ("due_date", "equals", "TODAY")) == [ident("TSK", 63)]
    assert door.ids("task", ("due_date", "equals", "TODAY"), ("owner_id", "equals", DANA), by=OLGA) == []


def test_crm_6_8_bounds_of_instants_are_local_midnights(
    enter: Callable[[House], Doorway], house_with: Callable[..., House]
) -> None:
    door = enter(at_20_in_denver(house_with))
    assert door.ids("event", ("start_at", "equals", "TODAY")) == [ident("EVT", 60)]
    assert door.ids("event", ("start_at", "equals", "2031-03-14"), ("subject", "equals", "Early")) == [ident("EVT", 61)]


@pytest.mark.parametrize(
    ("person", "first", "last"), [(OLGA, "2031-03-10", "2031-03-16"), (DANA, "2031-03-09", "2031-03-15")]
)
def test_crm_6_9_weeks_begin_on_monday_unless_the_locale_says_sunday(
    door_with: Callable[..., Doorway], person: str, first: str, last: str
) -> None:
    days = [f"2031-03-{day:02}" for day in range(8, 18)]
    door = door_with({"crm_task": [task(50 + at, "Week", person, due_date=day) for at, day in enumerate(days)]})
    found = door.ids("task", ("due_date", "equals", "THIS WEEK"), ("subject", "equals", "Week"), by=person)
    due = sorted(door.house.record(one)["due_date"] for one in found)
    assert (due[0], due[-1], len(due)) == (first, last, 7)


@pytest.mark.parametrize("case", CASES["crm_6_10"], ids=named)
def test_crm_6_10_fields_of_the_direct_parent(door: Doorway, case: Any) -> None:
    check(door, case)


@pytest.mark.parametrize(
    ("logic", "expected"),
    [
        ("1 AND (2 OR 3)", {ALDERCROFT}),
        ("(1 AND 2) OR 3", {ALDERCROFT, TERN}),
        ("1 OR 2 AND 3", {ALDERCROFT, BRIGHTMOOR, TERN}),
    ],
)
def test_crm_6_11_logic_joins_the_filters(tools: ToolDoorway, logic: str, expected: set[str]) -> None:
    filters = (("region", "equals", "EMEA"), ("type", "equals", "Customer"), ("bill_city", "equals", "Boston"))
    assert set(tools.ids("account", *filters, logic=logic)) == expected
    assert tools.refusal("account", *filters, logic="1 AND 2").code == "bad_query"
    assert tools.refusal("account", *filters, logic="1 AND 2 AND 3 AND 3").code == "bad_query"


def test_crm_6_12_totals_respect_filters(door: Doorway) -> None:
    filters = ("currency", "equals", "USD"), ("stage", "not_equal", "Prospecting")
    if isinstance(door, ToolDoorway):
        wanted = [{"field": name, "op": op, "value": value} for name, op, value in filters]
        found = door.house.tool("query", {"object": "opportunity", "filter": wanted, "limit": 1, "fields": ["amount"]})
        assert (found["total"], found["sums"]["amount"]["total"]) == (2, "13045.67")
        return
    pairs = "&".join(f"field{at}={f}&op{at}={op}&value{at}={v}" for at, (f, op, v) in enumerate(filters, 1))
    text = plain(door.house.get(f"/crm/opportunities?{pairs}").text)
    assert "13,045.67 USD" in text
    assert re.search(r"\b2 opportunities", text)


def test_crm_6_13_ten_filters_and_no_more(door: Doorway) -> None:
    filters = [("name", "contains", "a")] * 10
    assert door.ids("account", *filters) == [ALDERCROFT]
    if isinstance(door, ToolDoorway):
        assert door.refusal("account", *filters, ("name", "contains", "a")).code == "bad_query"
    else:
        quick = "&".join(f"field{at}=name&op{at}=contains&value{at}=a" for at in range(1, 11))
        assert door.house.get(f"/crm/accounts?q=a&{quick}").status_code == 400


@pytest.mark.parametrize(
    ("typed", "expected"), [("12.345,67", {KESTREL}), ("12345,67", {KESTREL}), ("12345.67", {KESTREL})]
)
def test_crm_6_14_a_number_of_a_filter_is_read_as_the_person_writes_it(
    pages: PageDoorway, typed: str, expected: set[str]
) -> None:
    """Olga writes decimals after a comma: dropping it would look for another number."""
    found = pages.ids("opportunity", ("amount", "equals", typed), ("currency", "equals", "USD"), by=OLGA)
    assert set(found) == expected
    assert pages.refusal("opportunity", ("amount", "gt", "12.345"), by=OLGA).code == "bad_query"
    assert pages.refusal("opportunity", ("amount", "gt", "1,2,3"), by=DANA).code == "bad_query"
    assert pages.ids("opportunity", ("amount", "equals", "12,345.67")) == [KESTREL]


FAULTS: list[tuple[str, str, Any]] = [
    ("nope", "equals", "x"),
    ("account.nope", "equals", "x"),
    ("name", "like", "x"),
    ("name", "gt", "x"),
    ("amount", "equals", "many"),
    ("amount", "equals", "NaN"),
    ("amount", "equals", "1e3"),
    ("amount", "between", ["1"]),
    ("close_date", "equals", "SOMETIME"),
    ("close_date", "equals", "2031-02-30"),
    ("close_date", "equals", "LAST -1 DAYS"),
    ("stage", "equals", "Lost"),
    ("is_closed", "equals", "perhaps"),
    ("is_closed", "gt", "yes"),
    ("account_id", "equals", "Aldercroft"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_x_9_1_what_cannot_be_read_is_400_with_a_message_and_never_ignored(door: Doorway, fault: Any) -> None:
    refused = door.refusal("opportunity", fault)
    assert refused.code == "bad_query", str(refused)
    assert len(plain(refused.text)) > 20


def test_x_9_1_unknown_sorts_are_refused(door: Doorway) -> None:
    assert door.refusal("opportunity", sort=[{"field": "nope"}]).code == "bad_query"
    if isinstance(door, ToolDoorway):
        for more in (
            {"limit": 0},
            {"limit": 201},
            {"offset": -1},
            {"fields": ["nope"]},
            {"sort": [{"field": "name", "direction": "up"}]},
        ):
            assert door.refusal("opportunity", **more).code in ("bad_query", "validation")
    else:
        for query in ("size=7", "page=x", "sort=name;drop", "size=-1"):
            assert door.house.get(f"/crm/opportunities?{query}").status_code == 400


def test_x_9_2_every_sort_ends_with_the_id_and_empty_values_come_last(door_with: Callable[..., Doorway]) -> None:
    rows = [
        account(20 + at, "Twin", DANA, rating=rating) for at, rating in enumerate(("Hot", None, "Cold", None, "Hot"))
    ]
    door = door_with({"crm_account": rows})
    ids = [ident("ACC", 20 + at) for at in range(5)]
    twins = ("name", "equals", "Twin")
    up = door.ids("account", twins, sort=[{"field": "rating", "direction": "asc"}])
    down = door.ids("account", twins, sort=[{"field": "rating", "direction": "desc"}])
    assert up == [ids[2], ids[0], ids[4], ids[1], ids[3]]
    assert down == [ids[0], ids[4], ids[2], ids[1], ids[3]]


def test_x_9_3_counts_are_over_the_whole_filtered_set(door_with: Callable[..., Doorway]) -> None:
    rows = [opportunity(100 + at, f"Deal {at:03}", DANA, "Prospecting", amount=100) for at in range(40)]
    door = door_with({"crm_opportunity": rows})
    if isinstance(door, ToolDoorway):
        wanted = [{"field": "name", "op": "starts_with", "value": "deal"}]
        found = door.house.tool("query", {"object": "opportunity", "filter": wanted, "limit": 5, "fields": ["amount"]})
        assert (found["total"], len(found["rows"]), found["next_offset"]) == (40, 5, 5)
        assert found["sums"]["amount"]["total"] == "40.00"
        return
    text = plain(door.house.get("/crm/opportunities?q=deal").text)
    assert "40 opportunities" in text
    assert "40.00 USD" in text


def test_crm_14_1_at_least_two_characters(door: Doorway) -> None:
    if isinstance(door, ToolDoorway):
        assert door.house.tool("search", {"text": "k"})["code"] == "bad_query"
    else:
        assert door.found("k") == []
        assert "at least 2 characters" in door.house.get("/crm/search?q=k").text
    assert KESTREL in door.found("ke")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kestrel renewal", {KESTREL}),
        ("renewal nothing", set()),
        ("fy26", {KESTREL}),
        ("estrel", set()),
        ("ilic", {MARTA}),
        ("m.ilic", {MARTA}),
        ("00012345", {ALDERCROFT}),
        ("revised", {TODO}),
    ],
)
def test_crm_14_2_all_words_must_match_the_beginning_of_a_word(door: Doorway, text: str, expected: set[str]) -> None:
    assert set(door.found(text)) == expected


def test_crm_14_3_names_mails_numbers_companies_and_subjects_are_searched(door: Doorway) -> None:
    assert {ALDERCROFT, MARTA, OSEI, KESTREL} <= set(door.found("aldercroft"))
    assert JUN in door.found("jun@brightmoor")
    assert OVERDUE in door.found("chase")


@pytest.mark.parametrize(("digits", "found"), [("960014", True), ("1632960014", True), ("6001", True), ("601", False)])
def test_crm_14_4_four_digits_match_anywhere_in_a_telephone_number(door: Doorway, digits: str, found: bool) -> None:
    assert (MARTA in door.found(digits)) == found


def test_crm_14_5_exact_names_then_beginnings_then_others_then_the_newest(door_with: Callable[..., Doorway]) -> None:
    rows = [
        account(20, "Old Kelda Works", DANA),
        account(21, "Kelda Works", DANA),
        account(22, "Kelda", DANA),
        account(23, "Kelda Union", DANA) | {"updated_at": "2031-01-01T00:00:00Z"},
    ]
    door = door_with({"crm_account": rows})
    assert door.found("kelda") == [ident("ACC", at) for at in (22, 23, 21, 20)]


def test_crm_14_6_groups_show_five_and_all_on_request(door_with: Callable[..., Doorway]) -> None:
    door = door_with({"crm_account": [account(20 + at, f"Zephyr {at}", DANA) for at in range(7)]})
    assert len(door.found("zephyr")) == 5
    assert len(door.found("zephyr", kind="account")) == 7
    if isinstance(door, ToolDoorway):
        assert door.house.tool("search", {"text": "zephyr"})["groups"][0]["total"] == 7
    else:
        assert "/crm/search?q=zephyr&amp;object=account" in door.house.get("/crm/search?q=zephyr").text


def test_crm_14_7_access_comes_before_the_limit(door_with: Callable[..., Doorway]) -> None:
    theirs = [opportunity(20 + at, "Zephyr", LUIS, "Prospecting") for at in range(6)]
    mine = opportunity(40, "Zephyr Mine", DANA, "Prospecting")
    door = door_with({"crm_opportunity": [*theirs, mine]})
    assert door.found("zephyr") == [mine["id"]]
    assert HARBOUR not in door.found("harbour")


def test_pk_3_a_sort_sorts_by_the_value_not_by_its_text(door_with: Callable[..., Doorway]) -> None:
    rows = [
        opportunity(20 + at, "Sorted", DANA, "Prospecting", amount=amount)
        for at, amount in enumerate((900, 10_000, 2_000))
    ]
    door = door_with({"crm_opportunity": rows, "crm_contact": [contact(20, "A", "Zed", DANA)]})
    found = door.ids("opportunity", ("name", "equals", "Sorted"), sort=[{"field": "amount", "direction": "desc"}])
    assert found == [ident("OPP", at) for at in (21, 22, 20)]
