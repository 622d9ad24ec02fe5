"""Comparators on cells and answers, one by one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fixtures.w1.world import open_world

from deskgym_apps.kit.money import format_amount
from deskgym_graders.answers import WrongType, answers, parse_answer
from deskgym_graders.bipartite import assignable
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Any as AnyValue
from deskgym_graders.comparators import (
    BagOf,
    Between,
    Comparator,
    DateEq,
    Default,
    EmailEq,
    Eq,
    Facts,
    Fields,
    InstantEq,
    ListOf,
    Money,
    Number,
    OneOf,
    PhoneEq,
    SetOf,
    TextEq,
)
from deskgym_graders.compare import Cell, satisfies


def holds(comparator: Comparator, value: Any, column: str = "stage", **row: Any) -> bool:
    with open_world() as world:
        return satisfies(comparator, Cell(world, "w1_opp", {column: value} | row, column, actor="U9"))


def test_eq_compares_type_and_value() -> None:
    assert holds(Eq(1), 1)
    assert not holds(Eq(1), "1")
    assert not holds(Eq(1), True)
    assert not holds(Eq("1"), 1)
    assert not holds(Eq(0), None)
    assert holds(Eq(None), None)


def test_one_of_is_a_closed_set() -> None:
    assert holds(OneOf(("a", 1)), 1)
    assert not holds(OneOf(("a", 1)), "1")
    assert not holds(OneOf(("a", 1)), "b")


@pytest.mark.parametrize("value", ["Café Zoë", "Cafe\u0301 Zoe\u0308", " Café\u00a0\u2003Zoë\t\n"])
def test_text_is_nfc_with_whitespace_collapsed(value: str) -> None:
    assert holds(TextEq("Café Zoë"), value)


@pytest.mark.parametrize("value", ["Cafe Zoe", "café zoë", "Cаfé Zoë", "Café-Zoë", "CaféZoë", "ﬀ", None, 5])
def test_text_keeps_case_accents_letters_and_punctuation(value: Any) -> None:
    assert not holds(TextEq("Café Zoë"), value)


def test_text_without_case_still_keeps_accents() -> None:
    assert holds(TextEq("Straße", ci=True), "STRASSE")
    assert not holds(TextEq("Café", ci=True), "CAFE")


def test_money_needs_amount_and_currency_of_the_row() -> None:
    assert holds(Money(100, "USD"), 100, "amount", currency="USD")
    assert not holds(Money(100, "USD"), 100, "amount", currency="EUR")
    assert not holds(Money(100, "USD"), 101, "amount", currency="USD")
    assert not holds(Money(100, "USD"), "100", "amount", currency="USD")
    assert not holds(Money(0, "USD"), None, "amount", currency="USD")


def test_money_of_a_fixed_currency() -> None:
    with open_world() as world:
        cell = Cell(world, "w1_order", {"limit_price": 5}, "limit_price")
        assert satisfies(Money(5, "USD"), cell)
        assert not satisfies(Money(5, "EUR"), cell)


def test_between_includes_its_bounds() -> None:
    assert [holds(Between(1, 3), value) for value in (0, 1, 3, 4, "2", None)] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]


def test_dates_and_instants_are_exact() -> None:
    assert holds(DateEq("2031-03-14"), "2031-03-14")
    assert not holds(DateEq("2031-03-14"), "2031-03-15")
    assert holds(InstantEq("2031-03-14T09:00:00Z"), "2031-03-14T09:00:00Z")
    assert not holds(InstantEq("2031-03-14T09:00:00Z"), "2031-03-14T09:00:01Z")
    for wrong in ("2031-02-30", "14.03.2031"):
        with pytest.raises(ValueError, match=r"day|date|month"):
            DateEq(wrong)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("Mei.Chen@W1.Example", True),
        ("mei.chen@w1.example", False),
        ("x Mei.Chen@w1.example", False),
        ("@w1.example", False),
    ],
)
def test_emails_fold_the_domain_only(value: str, fits: bool) -> None:
    assert holds(EmailEq("Mei.Chen@w1.example"), value) is fits


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("+49 30 1234-567", True),
        ("+49301234567", True),
        ("49301234567", False),
        ("+49301234568", False),
        ("+49301234567 ext 5", False),
        ("", False),
    ],
)
def test_phones_are_their_digits_and_plus(value: str, fits: bool) -> None:
    assert holds(PhoneEq("+49301234567"), value) is fits


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Meet Mei on 21 March, budget 1,200.00", True),
        ("mei: 21 march; 1,200.00", True),
        ("Meinhard on 21 March, budget 1,200.00", False),
        ("Mei on 121 March 1,200.00", False),
        ("Mei on 21 March and 22 March, 1,200.00", False),
        ("Mei on 21 March or 2031-03-22, 1,200.00", False),
        ("Mei on 21 March, 1,200.00 or 1300", False),
        ("Mei and Dan on 21 March, 1,200.00", False),
    ],
)
def test_facts_refuse_hedges(text: str, fits: bool) -> None:
    assert holds(Facts(("Mei", "21 March", "1,200.00"), ("Dan", "22 March")), text) is fits


def test_any_still_wants_the_kind_of_the_column() -> None:
    free = AnyValue("does not matter here")
    assert holds(free, "x")
    assert holds(free, None)
    assert not holds(free, 1)
    assert holds(free, 1, "amount")


def test_answer_comparators_cannot_judge_cells() -> None:
    for comparator in (Number("1", 0), SetOf((Eq(1),)), Fields({})):
        with pytest.raises(SpecError, match="compares answers"):
            holds(comparator, 1)
    with pytest.raises(SpecError, match="cannot stand in an answer"):
        answers(Default(), 1)


def given(comparator: Comparator, text: str) -> bool | str:
    try:
        return answers(comparator, parse_answer(text))
    except WrongType:
        return "type"


@pytest.mark.parametrize(
    ("comparator", "right", "wrong", "odd"),
    [
        (Eq(5), ["5", '"5"', "5"], ["6", "-5", '"05x"'[:0] or '"15"'], ["5.0", '"five"', "true", "null", "[5]", "5e0"]),
        (Eq("a"), ['"a"'], ['"A"', '" a"'], ["1", "null", '["a"]']),
        (Eq(True), ["true"], ["false", "null"], ["1", '"true"']),
        (Number("12.5", 2), ["12.5", '"12.50"', "12.50"], ["12.51"], ['"12.505"', '"12,5"', '"~12.5"']),
        (Between(1, 3), ["1", '"3"'], ["4"], ["1.5"]),
        (OneOf(("a", "b")), ['"b"'], ['"c"'], ["1"]),
        (DateEq("2031-03-14"), ['"2031-03-14"'], ['"2031-03-15"'], ['"14 March 2031"', '"2031-02-30"', "20310314"]),
        (
            InstantEq("2031-03-17T14:00:00Z"),
            ['"2031-03-17T14:00:00Z"', '"2031-03-17T10:00:00-04:00"', '"2031-03-17T14:00Z"'],
            ['"2031-03-17T10:00:00-05:00"'],
            ['"2031-03-17T14:00:00"', '"2031-03-17"', '"9999-12-31T23:59:59-14:00x"'],
        ),
        (EmailEq("a@b.example"), ['"a@B.example"'], ['"b@b.example"'], ["1"]),
        (PhoneEq("+1 555"), ['"+1555"'], ['"1555"'], ["1555"]),
        (TextEq("A b"), ['" A  b"'], ['"a b"'], ["null"]),
        (
            SetOf((Eq("a"), Eq("b"))),
            ['["b","a"]'],
            ['["a"]', '["a","c"]', '["a","b","c"]'],
            ['["a","a"]', '"a,b"', "[1]"],
        ),
        (BagOf((Eq(1), Eq(1), Eq(2))), ["[2,1,1]"], ["[1,2,2]", "[1,2]"], ['["x"]', "{}"]),
        (ListOf((Eq(1), Eq(2))), ["[1,2]"], ["[2,1]", "[1]"], ["12"]),
        (Fields({"a": Eq(1)}), ['{"a":1}'], ['{"a":2}'], ["{}", '{"a":1,"b":2}', "[]", '{"a":1,"a":1}']),
    ],
)
def test_answers_are_right_wrong_or_of_the_wrong_type(
    comparator: Comparator, right: list[str], wrong: list[str], odd: list[str]
) -> None:
    assert [given(comparator, text) for text in right] == [True] * len(right)
    assert [given(comparator, text) for text in wrong] == [False] * len(wrong)
    assert [given(comparator, text) for text in odd] == ["type"] * len(odd)


def test_lists_are_matched_as_a_whole_not_greedily() -> None:
    either = SetOf((OneOf(("a", "b")), Eq("a")))
    assert given(either, '["a","b"]') is True
    assert given(either, '["b","a"]') is True
    assert assignable([[True, True], [True, False]])
    assert not assignable([[True, False], [True, False]])
    assert assignable([])


@pytest.mark.parametrize("currency", ["USD", "JPY", "KWD"])
@pytest.mark.parametrize("minor", [0, 1, -1, 999, 1_234_567, -98_765_432])
def test_money_is_right_in_every_way_of_writing_it(currency: str, minor: int) -> None:
    text = format_amount(minor, currency)
    money = Money(minor, currency)
    for written in (f'"{text}"', f'"{text.replace(",", "")}"', text.replace(",", "")):
        assert given(money, written) is True
    assert given(Money(minor + 1, currency), f'"{text}"') is False
