"""CRM-6 and X-9: operators, relative dates, logic, sorting, paging, totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.errors import BadQuery, Invalid

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    CALL,
    DANA,
    HARBOUR,
    JUN,
    KESTREL,
    LOST,
    LUIS,
    MARTA,
    MEI,
    OSEI,
    OVERDUE,
    PRIYA,
    TERN,
    TODO,
    VISIT,
    WON,
    YEN,
    World,
    account,
    event,
    ident,
    opportunity,
    task,
)


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        ("name", "equals", "brightmoor sud gmbh", {BRIGHTMOOR}),  # case and accents do not matter
        ("name", "not_equal", "Tern Logistics", {ALDERCROFT, BRIGHTMOOR}),
        ("name", "contains", "MOOR SÜ", {BRIGHTMOOR}),
        ("name", "starts_with", "al", {ALDERCROFT}),
        ("bill_city", "contains", "koln", {BRIGHTMOOR}),
        ("bill_city", "in", ["leeds", "Boston"], {ALDERCROFT, TERN}),
        ("industry", "not_equal", "Machinery", {BRIGHTMOOR, TERN}),  # blanks are not equal
        ("industry", "not_in", ["Machinery", "Logistics"], {BRIGHTMOOR}),
        ("industry", "in", ["logistics"], {TERN}),
        ("industry", "blank", None, {BRIGHTMOOR}),
        ("industry", "not_blank", None, {ALDERCROFT, TERN}),
        ("phone", "contains", "1632 960001", {ALDERCROFT}),
        ("phone", "equals", "+44 1632 960001", {ALDERCROFT}),
        ("phone", "not_equal", "+44 1632 960001", {BRIGHTMOOR, TERN}),
        ("annual_revenue", ">=", "12500000", {ALDERCROFT}),
        ("annual_revenue", "gt", 12_500_000, set()),
        ("annual_revenue", "not_equal", 12_500_000, {BRIGHTMOOR, TERN}),
        ("annual_revenue", "between", [1, "12500000.00"], {ALDERCROFT}),
        ("last_activity_on", "lt", "2031-03-11", {ALDERCROFT}),
        ("last_activity_on", "blank", None, {BRIGHTMOOR, TERN}),
        ("owner_id", "equals", "me", {ALDERCROFT}),
        ("owner_id", "not_equal", "me", {BRIGHTMOOR, TERN}),
        ("owner.name", "contains", "ortega", {BRIGHTMOOR}),
        ("owner.role", "equals", "AE West", {TERN}),
        ("parent_id", "blank", None, {ALDERCROFT, BRIGHTMOOR, TERN}),
        ("row_version", "lte", 1, {ALDERCROFT, BRIGHTMOOR, TERN}),
    ],
)
def test_crm_6_operators_by_type(world: World, field: str, op: str, value: Any, expected: set[str]) -> None:
    assert set(world.ids("account", (field, op, value))) == expected


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        ("account.region", "equals", "EMEA", {KESTREL, HARBOUR, LOST}),
        ("account.name", "blank", None, {YEN}),
        ("is_closed", "equals", False, {KESTREL, HARBOUR, YEN}),
        ("is_won", "not_equal", True, {KESTREL, HARBOUR, LOST, YEN}),
        ("stage", "in", ["closed won", "Closed Lost"], {WON, LOST}),
        ("amount", "gte", 12_345.67, {KESTREL, YEN}),  # compared as numbers in each currency
        ("amount", "lt", 500.001, {HARBOUR}),
        ("amount", "equals", "500", {HARBOUR}),
        ("amount", "equals", "500.001", set()),
        ("probability", "between", [10, 90], {KESTREL, HARBOUR, YEN}),
        ("close_date", "equals", "2031-04-30", {KESTREL, HARBOUR}),
        ("close_date", "between", ["2031-01-20", "2031-03-01"], {WON, LOST, YEN}),
        ("closed_at", "not_blank", None, {WON, LOST}),
        ("currency", "not_in", ["USD"], {HARBOUR, YEN}),
    ],
)
def test_crm_6_operators_on_deals(world: World, field: str, op: str, value: Any, expected: set[str]) -> None:
    assert set(world.ids("opportunity", (field, op, value), by=ADA)) == expected


@pytest.mark.parametrize(
    ("day", "matching"),
    [
        ("2031-03-14", {"TODAY", "THIS WEEK", "THIS MONTH", "LAST 0 DAYS", "LAST 3 DAYS", "THIS FISCAL QUARTER"}),
        ("2031-03-13", {"YESTERDAY", "THIS WEEK", "THIS MONTH", "LAST 3 DAYS", "THIS FISCAL QUARTER"}),
        ("2031-03-11", {"THIS WEEK", "THIS MONTH", "LAST 3 DAYS", "THIS FISCAL QUARTER"}),
        ("2031-03-10", {"THIS WEEK", "THIS MONTH", "THIS FISCAL QUARTER"}),
        ("2031-03-09", {"THIS WEEK", "THIS MONTH", "THIS FISCAL QUARTER"}),  # Sunday, and Dana's weeks begin there
        ("2031-03-15", {"TOMORROW", "THIS WEEK", "THIS MONTH", "NEXT 1 DAYS", "THIS FISCAL QUARTER"}),
        ("2031-03-16", {"NEXT WEEK", "THIS MONTH", "THIS FISCAL QUARTER"}),
        ("2031-02-01", {"LAST MONTH", "THIS FISCAL QUARTER"}),
        ("2031-01-31", {"LAST FISCAL QUARTER"}),
        ("2031-05-01", {"NEXT QUARTER", "NEXT FISCAL QUARTER"}),
        ("2031-04-30", {"NEXT MONTH", "NEXT QUARTER", "THIS FISCAL QUARTER"}),
        ("2030-12-31", {"LAST QUARTER", "LAST YEAR", "LAST FISCAL QUARTER"}),
        ("2032-01-01", {"NEXT YEAR"}),
    ],
)
def test_crm_6_relative_dates(world_with: Callable[..., World], day: str, matching: set[str]) -> None:
    world = world_with({"crm_task": [task(9, "Probe", DANA, due_date=day)]})
    probes = ["TODAY", "YESTERDAY", "TOMORROW", "LAST 0 DAYS", "LAST 3 DAYS", "NEXT 1 DAYS"]
    probes += [f"{which} {unit}" for which in ("THIS", "LAST", "NEXT") for unit in ("WEEK", "MONTH", "FISCAL QUARTER")]
    probes += ["LAST QUARTER", "NEXT QUARTER", "LAST YEAR", "NEXT YEAR"]
    own = ident("TSK", 9)
    assert {probe for probe in probes if own in world.ids("task", ("due_date", "equals", probe))} == matching


def test_crm_6_weeks_begin_on_monday_unless_the_locale_says_sunday(world_with: Callable[..., World]) -> None:
    sunday = task(9, "Probe", PRIYA, due_date="2031-03-09")
    world = world_with({"crm_task": [sunday | {"id": ident("TSK", 8)}, sunday | {"owner_id": DANA}]})
    assert ident("TSK", 9) in world.ids("task", ("due_date", "equals", "THIS WEEK"), by=DANA)
    assert ident("TSK", 8) in world.ids("task", ("due_date", "equals", "LAST WEEK"), by=PRIYA)


def test_crm_6_comparisons_with_a_period_use_its_edges(world: World) -> None:
    assert set(world.ids("opportunity", ("close_date", "lt", "THIS MONTH"), by=ADA)) == {WON, LOST}
    assert set(world.ids("opportunity", ("close_date", "lte", "THIS MONTH"), by=ADA)) == {WON, LOST, YEN}
    assert set(world.ids("opportunity", ("close_date", "gt", "THIS MONTH"), by=ADA)) == {KESTREL, HARBOUR}
    assert set(world.ids("opportunity", ("close_date", "gte", "THIS_MONTH"), by=ADA)) == {KESTREL, HARBOUR, YEN}
    assert world.ids("opportunity", ("close_date", "between", ["LAST MONTH", "TODAY"]), by=ADA) == [LOST, YEN]


def test_crm_6_today_is_the_viewers_day(world: World) -> None:
    """P6: at 03:00 UTC of the 15th it is still the 14th in Denver."""
    world.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    world.store.conn.execute("UPDATE org_meta SET value = '2031-03-15T03:00:00Z' WHERE key = 'sim_now'")
    world.store.conn.execute("DELETE FROM jrn_open")
    made = world.create("task", subject="Due", due_date="2031-03-14", what_id=ALDERCROFT)
    assert made in world.ids("task", ("due_date", "equals", "TODAY"), by=DANA)
    assert made not in world.ids("task", ("due_date", "equals", "TODAY"), by=MEI)
    assert made in world.ids("task", ("due_date", "equals", "YESTERDAY"), by=MEI)


def test_crm_6_bounds_of_instants_are_local_midnights(world_with: Callable[..., World]) -> None:
    late = event(8, "Late", DANA, "2031-03-15T05:59:59Z", "2031-03-15T06:30:00Z")  # 23:59:59 of the 14th in Denver
    early = event(9, "Early", DANA, "2031-03-15T06:00:00Z", "2031-03-15T07:00:00Z")
    world = world_with({"crm_event": [late, early]})
    assert set(world.ids("event", ("start_at", "equals", "TODAY"))) == {VISIT, ident("EVT", 8)}
    assert set(world.ids("event", ("start_at", "equals", "2031-03-15"))) == {ident("EVT", 9)}
    assert world.ids("event", ("start_at", "equals", "2031-03-15T06:00:00Z")) == [ident("EVT", 9)]
    assert world.ids("event", ("start_at", "equals", "LAST 2 DAYS")) == []  # up to now, and all of these come later


def test_crm_6_logic_joins_the_filters(world: World) -> None:
    filters = [("region", "equals", "EMEA"), ("type", "equals", "Customer"), ("industry", "equals", "Logistics")]
    assert set(world.ids("account", *filters, logic="1 AND (2 OR 3)")) == {ALDERCROFT}
    assert set(world.ids("account", *filters, logic="(1 and 2) or 3")) == {ALDERCROFT, TERN}
    assert set(world.ids("account", *filters, logic="1 OR 2 AND 3")) == {ALDERCROFT, BRIGHTMOOR, TERN}
    assert world.ids("account", *filters) == []


@pytest.mark.parametrize(
    ("logic", "why"),
    [
        ("1 AND 2", "mentions filter 3 0 times"),
        ("1 AND 2 AND 3 AND 3", "mentions filter 3 2 times"),
        ("1 AND 2 AND 4", "mentions filter 4, and there are 3"),
        ("1 AND (2 OR 3", "lacks a closing bracket"),
        ("1 AND 2 OR", "ends too early"),
        ("1 2 3", "goes on with"),
        ("1 XOR 2", "not understood"),
        ("1 AND 2) OR 3", "goes on with"),
        ("(" * 20 + "1" + ")" * 20, "nested deeper"),
    ],
)
def test_crm_6_logic_mentions_every_filter_once(world: World, logic: str, why: str) -> None:
    filters = [("region", "equals", "EMEA"), ("type", "equals", "Customer"), ("industry", "equals", "Logistics")]
    with pytest.raises(BadQuery, match=why) as refused:
        world.ids("account", *filters, logic=logic)
    assert refused.value.field == "logic"


@pytest.mark.parametrize(
    ("field", "op", "value", "why"),
    [
        ("regoin", "equals", "EMEA", 'no field "regoin". Did you mean "region"'),
        ("account.name", "equals", "x", 'no field "account.name"'),
        ("owner.nmae", "equals", "x", 'Did you mean "owner.name"'),
        ("name", "like", "x", 'no operator "like"'),
        ("name", "gt", "x", "Operators: equals"),
        ("name", "contains", 5, "takes text"),
        ("name", "equals", None, '"blank" for empty fields'),
        ("name", "blank", "x", "takes no value"),
        ("name", "in", "x", "takes a list"),
        ("name", "in", [], "takes a list"),
        ("region", "equals", "EMAE", 'Did you mean "EMEA"'),
        ("employees", "gt", "many", "takes a number"),
        ("employees", "gt", True, "takes a number"),
        ("annual_revenue", "between", [1], "a list of 2 values"),
        ("created_at", "lt", "yesterday-ish", "takes a date like"),
        ("last_activity_on", "lt", "2031-02-30", "takes a date like"),
        ("created_at", "lt", "2031-02-01T9:00Z", "is not an instant"),
        ("owner_id", "equals", "Dana", "filter by a name with owner.name"),
    ],
)
def test_x_9_a_faulty_filter_is_refused_with_what_would_be_right(
    world: World, field: str, op: str, value: Any, why: str
) -> None:
    with pytest.raises(BadQuery) as refused:
        world.ids("account", (field, op, value))
    assert why in refused.value.message
    assert refused.value.status == 400


def test_x_9_faulty_objects_fields_sorts_and_pages_are_refused(world: World) -> None:
    faults: list[dict[str, Any]] = [
        {"object": "account", "fields": ["nope"]},
        {"object": "account", "fields": ["name", "name"]},
        {"object": "account", "sort": [{"field": "nope"}]},
        {"object": "account", "limit": 201},
        {"object": "account", "offset": -1},
        {"object": "account", "scope": "team"},
        {"object": "account", "filter": [{"field": "name", "op": "equals", "value": "x", "not": 1}]},
        {"object": "account", "filter": [{"field": "name", "op": "equals", "value": "x"}] * 11},
    ]
    for arguments in faults:
        with pytest.raises((BadQuery, Invalid)):
            world.ask("query", **arguments)
    with pytest.raises(Exception, match='Did you mean "account"'):
        world.ask("query", object="acount")


def test_x_9_every_sort_ends_with_the_id_and_empty_values_come_last(world_with: Callable[..., World]) -> None:
    more = [account(number, "Same Name", DANA) for number in (9, 8, 7)]
    world = world_with(
        {"crm_account": [*more, account(6, "Zulu", DANA, employees=3), account(5, "Amp", DANA, employees=9)]}
    )
    same = [ident("ACC", number) for number in (7, 8, 9)]
    for direction in ("asc", "desc"):
        by_name = world.ids("account", sort=[{"field": "name", "direction": direction}])
        assert [record for record in by_name if record in same] == same
    up = world.ids("account", sort=[{"field": "employees", "direction": "asc"}])
    down = world.ids("account", sort=[{"field": "employees", "direction": "desc"}])
    assert (up[:2], down[:2]) == ([ident("ACC", 6), ident("ACC", 5)], [ident("ACC", 5), ident("ACC", 6)])
    assert up[2:] == down[2:] == sorted(up[2:])


def test_x_9_stages_sort_in_their_order_and_texts_without_accents(world: World) -> None:
    by_stage = world.ids("opportunity", by=ADA, sort=[{"field": "stage", "direction": "desc"}])
    assert by_stage == [LOST, WON, HARBOUR, KESTREL, YEN]
    assert world.ids("contact", by=ADA, sort=[{"field": "last_name"}]) == [JUN, MARTA, OSEI]
    by_owner = world.ids("account", by=ADA, sort=[{"field": "owner.name", "direction": "desc"}])
    assert by_owner == [TERN, BRIGHTMOOR, ALDERCROFT]


def test_x_9_pages_cover_the_list_once_with_the_total(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_account": [account(number, f"Filler {number % 4}", DANA) for number in range(10, 70)]})
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = world.ask("query", object="account", offset=offset)
        assert page["total"] == 63
        assert len(page["rows"]) <= 25
        seen += [row["id"] for row in page["rows"]]
        offset = page["next_offset"]
    assert len(seen) == len(set(seen)) == 63
    assert world.ask("query", object="account", offset=63)["rows"] == []


def test_x_9_sums_cover_the_whole_filtered_set_and_flag_conversions(world: World) -> None:
    answer = world.ask("query", object="opportunity", by=ADA, limit=1, filter=[])
    assert answer["sums"]["amount"] == {
        "amounts": [
            {"amount": "500.00", "currency": "EUR"},
            {"amount": "5000000", "currency": "JPY"},
            {"amount": "22045.67", "currency": "USD"},
        ],
        "total": "67595.67",  # 500 x 1.1 + 5,000,000 x 0.009 + 22,045.67
        "currency": "USD",
        "approximate": True,
    }
    one = world.ask(
        "query", object="opportunity", by=ADA, filter=[{"field": "stage", "op": "equals", "value": "Closed Won"}]
    )
    assert one["sums"]["expected_revenue"]["total"] == "9000.00"
    assert one["sums"]["expected_revenue"]["approximate"] is False


def test_crm_6_rows_carry_the_fields_asked_for_with_units(world: World) -> None:
    answer = world.ask(
        "query",
        object="opportunity",
        fields=["amount", "account.annual_revenue", "is_closed", "owner.email"],
        filter=[{"field": "name", "op": "starts_with", "value": "kestrel"}],
    )
    assert answer["rows"] == [
        {
            "id": KESTREL,
            "row_version": 1,
            "amount": "12345.67",
            "currency": "USD",
            "account.annual_revenue": "12500000.00",
            "account.currency": "USD",
            "is_closed": False,
            "owner.email": "dana@northbeam.example",
        }
    ]


def test_crm_6_every_object_can_be_listed(world: World) -> None:
    assert world.ids("task") == [OVERDUE, CALL, TODO]
    assert world.ids("email", ("body", "contains", "head of purchasing")) == [ident("EML", 1)]
    assert world.ids("user", ("is_active", "equals", False)) == [ident("PRS", 8)]
    assert world.ids("user", ("role", "equals", "ae east"), sort=[{"field": "name"}]) == [DANA, LUIS, ident("PRS", 8)]
    assert world.ids("note", ("owner.name", "equals", "Dana Whitcombe")) == [ident("NTE", 1)]
    assert world.ids("event", ("what_name", "equals", "aldercroft ltd")) == [VISIT]


def test_x_9_a_list_takes_as_many_statements_for_200_rows_as_for_2(world_with: Callable[..., World]) -> None:
    def statements(count: int) -> int:
        numbers = range(10, 10 + count)
        deals = [opportunity(number, "Deal", DANA, "Qualification", account_id=ALDERCROFT) for number in numbers]
        world, seen = world_with({"crm_opportunity": deals}), list[str]()
        world.ask("whoami")
        world.store.conn.set_trace_callback(seen.append)
        world.ask("query", object="opportunity", limit=200)
        world.store.conn.set_trace_callback(None)
        return len(seen)

    assert statements(200) == statements(2) <= 17
