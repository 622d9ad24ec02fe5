"""The normal form of a view's conditions: equal for what means the same, different for what only looks alike today."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskgym_apps.crm.rules_views import Filter, normal_form

OPEN = Filter("is_closed", "bool", "equals", False)
REGION = Filter("account.region", "picklist", "equals", "EMEA")
BIG = Filter("amount", "money", "gte", "50000")
IDLE = Filter("last_activity_on", "date", "lt", "LAST 30 DAYS")
LATE = Filter("close_date", "date", "lt", "TODAY")
AT_RISK = [OPEN, REGION, BIG, IDLE, LATE]
LOGIC = "1 AND 2 AND 3 AND (4 OR 5)"

SAME: dict[str, tuple[tuple[list[Filter], str | None], tuple[list[Filter], str | None]]] = {
    "filters in another order": ((AT_RISK, LOGIC), ([LATE, IDLE, BIG, OPEN, REGION], "(1 OR 2) AND 3 AND 4 AND 5")),
    "distributed": (
        (AT_RISK, LOGIC),
        ([OPEN, REGION, BIG, IDLE, OPEN, REGION, BIG, LATE], "1 AND 2 AND 3 AND 4 OR 5 AND 6 AND 7 AND 8"),
    ),
    "no logic is all": (([OPEN, BIG], None), ([OPEN, BIG], "1 and 2")),
    "equals and one of one": (([REGION], None), ([Filter("account.region", "picklist", "in", ["EMEA"])], None)),
    "not closed": (([OPEN], None), ([Filter("is_closed", "bool", "not_equal", True)], None)),
    "one of several": (
        ([Filter("stage", "picklist", "in", ["Prospecting", "Qualification"])], None),
        (
            [Filter("stage", "picklist", "equals", name) for name in ("Qualification", "Prospecting")],
            "1 OR 2",
        ),
    ),
    "none of several": (
        ([Filter("stage", "picklist", "not_in", ["Closed Won", "Closed Lost"])], None),
        ([Filter("stage", "picklist", "not_equal", name) for name in ("Closed Lost", "Closed Won")], None),
    ),
    "before today and until yesterday": (([LATE], None), ([Filter("close_date", "date", "lte", "YESTERDAY")], None)),
    "from today and after yesterday": (
        ([Filter("close_date", "date", "gte", "TODAY")], None),
        ([Filter("close_date", "date", "gt", "YESTERDAY")], None),
    ),
    "this month": (
        ([Filter("close_date", "date", "equals", "THIS MONTH")], None),
        (
            [Filter("close_date", "date", "gt", "LAST MONTH"), Filter("close_date", "date", "lt", "NEXT MONTH")],
            None,
        ),
    ),
    "between and two bounds": (
        ([Filter("close_date", "date", "between", ["2031-01-01", "2031-03-31"])], None),
        (
            [Filter("close_date", "date", "gte", "2031-01-01"), Filter("close_date", "date", "lt", "2031-04-01")],
            None,
        ),
    ),
    "whole numbers": (
        ([Filter("probability", "number", "gt", "49")], None),
        ([Filter("probability", "number", "gte", "50")], None),
    ),
    "a weaker test besides": (([BIG, Filter("amount", "money", "gt", "1000")], None), ([BIG], None)),
    "not empty follows": (([BIG, Filter("amount", "money", "not_blank")], None), ([BIG], None)),
    "case and accents": (
        ([Filter("bill_city", "text", "equals", "KÖLN")], None),
        ([Filter("bill_city", "text", "equals", "koln")], None),
    ),
    "absorbed": (([BIG, BIG, LATE], "1 OR (2 AND 3)"), ([BIG], None)),
    "not equal includes empty ones": (
        ([Filter("probability", "number", "not_equal", "50")], None),
        (
            [
                Filter("probability", "number", "lt", "50"),
                Filter("probability", "number", "gte", "51"),
                Filter("probability", "number", "blank"),
            ],
            "1 OR 2 OR 3",
        ),
    ),
}
OTHER: dict[str, tuple[tuple[list[Filter], str | None], tuple[list[Filter], str | None]]] = {
    "and for or": ((AT_RISK, LOGIC), (AT_RISK, None)),
    "or binds wider": ((AT_RISK, LOGIC), (AT_RISK, "1 AND 2 AND 3 AND 4 OR 5")),
    "above for from": (([BIG], None), ([Filter("amount", "money", "gt", "50000")], None)),
    "today included": (([LATE], None), ([Filter("close_date", "date", "lte", "TODAY")], None)),
    "a day for today": (([LATE], None), ([Filter("close_date", "date", "lt", "2031-03-14")], None)),
    "a month for 30 days": (([IDLE], None), ([Filter("last_activity_on", "date", "lt", "LAST MONTH")], None)),
    "29 for 30 days": (([IDLE], None), ([Filter("last_activity_on", "date", "lt", "LAST 29 DAYS")], None)),
    "empty ones left out": (
        ([Filter("industry", "picklist", "not_equal", "Machinery")], None),
        ([Filter("industry", "picklist", "not_equal", "Machinery"), Filter("industry", "picklist", "not_blank")], None),
    ),
    "contains for equals": (
        ([Filter("name", "text", "equals", "Tern")], None),
        ([Filter("name", "text", "contains", "Tern")], None),
    ),
    "own region": (([REGION], None), ([Filter("region", "picklist", "equals", "EMEA")], None)),
    "fiscal for calendar": (
        ([Filter("close_date", "date", "equals", "THIS QUARTER")], None),
        ([Filter("close_date", "date", "equals", "THIS FISCAL QUARTER")], None),
    ),
    "nothing": (([BIG], None), ([], None)),
}


@pytest.mark.parametrize("name", SAME)
def test_crm_6_what_means_the_same_has_one_normal_form(name: str) -> None:
    (left, left_logic), (right, right_logic) = SAME[name]
    assert normal_form(left, left_logic, "all") == normal_form(right, right_logic, "all")


@pytest.mark.parametrize("name", OTHER)
def test_crm_6_what_means_something_else_has_another_normal_form(name: str) -> None:
    (left, left_logic), (right, right_logic) = OTHER[name]
    assert normal_form(left, left_logic, "all") != normal_form(right, right_logic, "all")


def test_crm_6_scope_mine_is_the_filter_that_the_owner_is_me() -> None:
    me = Filter("owner_id", "ref", "equals", "me")
    assert normal_form([BIG], None, "mine") == normal_form([me, BIG], None, "all")
    assert normal_form([BIG, LATE], "1 OR 2", "mine") == normal_form([BIG, LATE, me], "(1 OR 2) AND 3", "all")


def test_the_normal_form_names_what_always_and_what_never_holds() -> None:
    assert normal_form([], None, "all") == "[[]]"
    never = [Filter("name", "text", "blank"), Filter("name", "text", "not_blank")]
    assert normal_form(never, None, "all") == "[]"
    assert normal_form([*never, BIG], "1 AND 2 OR 3", "all") == normal_form([BIG], None, "all")


def test_relative_dates_stay_symbols() -> None:
    assert json.loads(normal_form([LATE], None, "all")) == [[["until", "close_date", ["days", 0]]]]


def test_long_lists_are_compared_as_lists() -> None:
    values = [f"V{number}" for number in range(200)]
    filters = [Filter("name", "text", "in", values), Filter("title", "text", "in", values)]
    form = normal_form(filters, "1 AND 2", "all")
    assert form == normal_form(filters[::-1], None, "all")
    assert len(json.loads(form)) == 1


_ATOMS = [
    Filter("stage", "picklist", op, value)
    for op, value in (("equals", "a"), ("in", ["a", "b"]), ("not_in", ["b"]), ("blank", None), ("not_equal", "a"))
] + [
    Filter("size", "number", op, value)
    for op, value in (("gte", "1"), ("gt", "0"), ("lt", "2"), ("equals", "1"), ("not_equal", "1"), ("not_blank", None))
]
_ROWS = [{"stage": stage, "size": size} for stage, size in product((None, "a", "b", "c"), (None, 0, 1, 2))]


def _holds(item: Filter, row: Mapping[str, object]) -> bool:
    value = row[item.field]
    if item.op in ("blank", "not_blank"):
        return (value is None) == (item.op == "blank")
    if item.type == "picklist":
        listed = item.value if isinstance(item.value, list) else [item.value]
        return (value in listed) == (item.op in ("equals", "in"))
    if value is None:
        return item.op == "not_equal"
    assert isinstance(value, int)
    wanted = int(item.value)
    tests = {"gte": value >= wanted, "gt": value > wanted, "lt": value < wanted}
    tests |= {"equals": value == wanted, "not_equal": value != wanted}
    return tests[item.op]


@given(st.lists(st.sampled_from(_ATOMS), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_one_normal_form_never_stands_for_two_sets_of_rows(filters: list[Filter], chance: object) -> None:
    """Definitions are joined at random; those of one normal form must choose the same of all possible rows."""
    words = ["AND" if at % 2 else "OR" for at in range(len(filters) - 1)]
    chance.shuffle(words)  # type: ignore[attr-defined]
    plain = " ".join(f"{at} {word}" for at, word in enumerate([*words, ""], 1)).strip()
    bracketed = f"({plain})" if len(filters) > 1 else plain
    chosen: dict[str, tuple[bool, ...]] = {}
    for logic in (plain, bracketed, None):
        form = normal_form(filters, logic, "all")
        rows = tuple(_chooses(filters, logic, row) for row in _ROWS)
        assert chosen.setdefault(form, rows) == rows


def _chooses(filters: list[Filter], logic: str | None, row: Mapping[str, object]) -> bool:
    marks = [_holds(item, row) for item in filters]
    if logic is None:
        return all(marks)
    text = logic.replace("(", "").replace(")", "")  # one level of brackets around everything changes nothing
    return any(all(marks[int(number) - 1] for number in part.split(" AND ")) for part in text.split(" OR "))


def test_the_normal_form_chooses_the_same_rows_as_the_filters() -> None:
    for size in (1, 2, 3):
        for filters in combinations(_ATOMS, size):
            for logic in (None, " OR ".join(map(str, range(1, size + 1)))):
                form = json.loads(normal_form(list(filters), logic, "all"))
                for row in _ROWS:
                    by_form = any(all(_test(literal, row) for literal in term) for term in form)
                    assert by_form == _chooses(list(filters), logic, row), (filters, logic, row, form)


def _test(literal: list[object], row: Mapping[str, object]) -> bool:
    word, name, *rest = literal
    value = row[str(name)]
    if word in ("blank", "not_blank"):
        return (value is None) == (word == "blank")
    operand = rest[0]
    assert isinstance(operand, list)
    if word in ("in", "not_in"):
        return (value in operand) == (word == "in")
    return isinstance(value, int) and (value >= operand[1] if word == "from" else value < operand[1])
