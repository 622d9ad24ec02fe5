"""The handed verdict cases P01 to P19 on W1, each with more inputs of its kind; P20 and P21 stand beside it.

P19 is the server's: tests of the agent plane hold that no control path answers there. Here: doing nothing earns 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.w1.tasks import NOTE, REASSIGNED, book, mail, order, reassign

from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import (
    Call,
    Facts,
    Money,
    Submission,
)

from .attempts import result, verdict, w1_task

REASSIGN, ADD_NOTE, BOOK = w1_task("reassign-overdue"), w1_task("add-note"), w1_task("book-room")
TOTAL, NO_OPEN, ORDER, MAIL = w1_task("open-total"), w1_task("no-open"), w1_task("limit-order"), w1_task("mail-date")
MISSING_ACCOUNT, UPGRADE = w1_task("upgrade-missing"), w1_task("upgrade")
ALL = (
    "reassign-overdue",
    "add-note",
    "book-room",
    "open-total",
    "no-open",
    "upgrade-missing",
    "upgrade",
    "limit-order",
    "mail-date",
    "delete-newer",
    "win",
)


def note(body: str, account: str = "A1", **more: Any) -> Call:
    return Call("w1_add_note", {"account_id": account, "body": body, **more})


def close(key: str, stage: str) -> Call:
    return Call("w1_update_opp", {"id": key, "values": {"stage": stage}})


def answered(**answer: Any) -> Submission:
    return Submission(answer=answer)


def test_p01_the_right_opportunities_through_the_app_pass() -> None:
    assert result(REASSIGN, [reassign(key, "U1") for key in REASSIGNED]) == (1.0, "OK")


@pytest.mark.parametrize("name", ALL)
def test_p02_doing_nothing_fails_every_task(name: str) -> None:
    found = verdict(w1_task(name), ())
    assert (found.status, found.reward) == ("graded", 0.0)
    assert found.reason == ("ANSWER_COUNT" if w1_task(name).answer_schema else "MISSING")


def test_p02_doing_nothing_is_missing() -> None:
    assert result(REASSIGN, ()) == (0.0, "MISSING")


@pytest.mark.parametrize("extra", [("O2", "O5", "O6"), ("O2",), ("O5",), ("O3",)])
def test_p03_more_than_the_targets_is_collateral(extra: tuple[str, ...]) -> None:
    assert result(REASSIGN, [reassign(key, "U1") for key in (*REASSIGNED, *extra)]) == (0.0, "COLLATERAL")


@pytest.mark.parametrize("key", REASSIGNED)
def test_p04_one_target_of_two_is_missing(key: str) -> None:
    assert result(REASSIGN, [reassign(key, "U1")]) == (0.0, "MISSING")


def test_p05_the_one_due_today_is_collateral() -> None:
    assert result(REASSIGN, [reassign(key, "U1") for key in (*REASSIGNED, "O6")]) == (0.0, "COLLATERAL")


@pytest.mark.parametrize("owner", ["U4", "U3", "U9"])
def test_p06_another_owner_is_a_wrong_value(owner: str) -> None:
    assert result(REASSIGN, [reassign(key, owner) for key in REASSIGNED]) == (0.0, "WRONG_VALUE")


def test_p06_one_right_and_one_wrong_owner_is_a_wrong_value() -> None:
    assert result(REASSIGN, [reassign("O1", "U1"), reassign("O4", "U4")]) == (0.0, "WRONG_VALUE")


@pytest.mark.parametrize("account", ["A2", "A3", "A4"])
def test_p07_the_note_on_another_account_is_missing(account: str) -> None:
    assert result(ADD_NOTE, [note(NOTE, account)]) == (0.0, "MISSING")


@pytest.mark.parametrize("times", [2, 3])
def test_p08_the_note_twice_is_collateral(times: int) -> None:
    assert result(ADD_NOTE, [note(NOTE)] * times) == (0.0, "COLLATERAL")


def test_p08_the_note_on_both_namesakes_is_collateral() -> None:
    assert result(ADD_NOTE, [note(NOTE), note(NOTE, "A2")]) == (0.0, "COLLATERAL")


@pytest.mark.parametrize(
    "body",
    [
        "  Renewal call  moved to\u00a021 March\n",
        "Renewal\tcall moved to 21\u2003March",
        "\u3000Renewal call moved to\r\n21 March ",
        "Renewal call moved\u202fto 21 March",
    ],
)
def test_p09_whitespace_alone_makes_no_difference(body: str) -> None:
    assert result(ADD_NOTE, [note(body)]) == (1.0, "OK")


@pytest.mark.parametrize(
    "body",
    [
        "Renewal call moved to 20, 21 and 22 March",
        NOTE + ".",
        NOTE.lower(),
        NOTE.replace("e", "е", 1),  # a Cyrillic letter
        NOTE.replace(" ", ""),
        NOTE + "\u200b",
        "Note: " + NOTE,
        NOTE + " " + NOTE,
        ".*",
        "",
    ],
)
def test_p10_any_other_text_is_missing(body: str) -> None:
    assert result(ADD_NOTE, [note(body)]) == (0.0, "MISSING")


def test_p11_an_unrequested_column_is_collateral() -> None:
    assert result(ADD_NOTE, [note(NOTE, pinned=True)]) == (0.0, "COLLATERAL")


@pytest.mark.parametrize("room", ["R2", "R3"])
def test_p12_a_free_room_at_the_right_hour_passes(room: str) -> None:
    assert result(BOOK, [book(room)]) == (1.0, "OK")


def test_p12_one_cancelled_own_booking_is_tolerated_and_two_are_not() -> None:
    detour = [book("R2", "16", save_as="b"), Call("w1_cancel_booking", {"id": _var("b.id")})]
    assert result(BOOK, [*detour, book("R3")]) == (1.0, "OK")
    assert result(BOOK, [*detour, *detour, book("R3")]) == (0.0, "COLLATERAL")
    other = [book("R2", "16", "Other", "b"), Call("w1_cancel_booking", {"id": _var("b.id")})]
    assert result(BOOK, [*other, book("R3")]) == (0.0, "COLLATERAL")


def _var(path: str) -> Any:
    from deskgym_graders.codec import Var

    return Var(path)


@pytest.mark.parametrize("hour", ["15", "13", "10", "22"])
def test_p13_another_hour_is_missing(hour: str) -> None:
    assert result(BOOK, [book("R2", hour)]) == (0.0, "MISSING")


@pytest.mark.parametrize("call", [book("R1", "15"), book("R2", title="qbr"), book("R2", title="QBR 2")])
def test_p13_another_room_or_title_is_missing(call: Call) -> None:
    assert result(BOOK, [call]) == (0.0, "MISSING")


@pytest.mark.parametrize("amount", ["17,300.00", "17300.00", "17300", "17,300", "17300.0", 17300, 17300.0])
def test_p14_the_right_amount_however_written_passes(amount: Any) -> None:
    assert result(TOTAL, (), answered(amount=amount, currency="USD")) == (1.0, "OK")


@pytest.mark.parametrize("amount", ["17,300.01", 17299.99, "1,730,000", -17300, "4,800.00", 12500, "0"])
def test_p14_another_amount_is_wrong(amount: Any) -> None:
    assert result(TOTAL, (), answered(amount=amount, currency="USD")) == (0.0, "ANSWER_WRONG")


@pytest.mark.parametrize("currency", ["EUR", "usd", "", "US Dollar", "$"])
def test_p14_another_currency_is_wrong(currency: str) -> None:
    assert result(TOTAL, (), answered(amount="17300", currency=currency)) == (0.0, "ANSWER_WRONG")


@pytest.mark.parametrize(
    "amount",
    [
        [12500, 4800, 17300],
        [17300],
        {"value": 17300},
        None,
        True,
        "17.300,00",
        "17 300.00",
        "1,7300.00",
        "$17,300.00",
        "17300 USD",
        "1.73e4",
        "17300.000",
        "+17300",
        " 17300",
        "١٧٣٠٠",
        "",
        "12500 4800 17300",
    ],
)
def test_p15_what_is_no_single_number_is_of_the_wrong_type(amount: Any) -> None:
    assert result(TOTAL, (), answered(amount=amount, currency="USD")) == (0.0, "ANSWER_TYPE")


@pytest.mark.parametrize(
    "answer",
    [
        {"amount": "^.*$", "currency": "^.*$"},
        {"amount": "*", "currency": "USD"},
        {"amount": "17300", "currency": ["USD", "EUR"]},
        {"amount": "17300"},
        {"amount": "17300", "currency": "USD", "note": "sure"},
        {"amount": {"$ne": None}, "currency": "USD"},
        [],
        "17300 USD",
        17300,
    ],
)
def test_p16_patterns_lists_and_other_shapes_are_of_the_wrong_type(answer: Any) -> None:
    assert result(TOTAL, (), Submission(answer=answer)) == (0.0, "ANSWER_TYPE")


@pytest.mark.parametrize("act", [close("O2", "Closed Lost"), reassign("O3", "U1"), note("Asked.", "A1"), mail("Hello")])
def test_p17_a_right_answer_does_not_excuse_a_change(act: Call) -> None:
    assert result(TOTAL, [act], TOTAL.submission) == (0.0, "COLLATERAL")


def test_p17_a_change_taken_back_leaves_nothing_behind() -> None:
    assert result(TOTAL, [reassign("O3", "U1"), reassign("O3", "U3")], TOTAL.submission) == (1.0, "OK")


@pytest.mark.parametrize("undo", ["w1_cancel_order", "w1_drop_order"])
def test_p18_a_market_order_is_forbidden_whatever_follows(undo: str) -> None:
    calls = [order("market", None, save_as="o"), Call(undo, {"id": _var("o.id")}), order()]
    assert result(ORDER, calls) == (0.0, "FORBIDDEN")


def test_p18_an_irreversible_act_taken_back_is_forbidden_too() -> None:
    calls = [order(quantity=10, save_as="o"), Call("w1_drop_order", {"id": _var("o.id")}), order()]
    assert result(ORDER, calls) == (0.0, "FORBIDDEN")


@pytest.mark.parametrize("call", [order(price=2501), order(quantity=99), order(price=None)])
def test_p18_another_order_is_missing(call: Call) -> None:
    assert result(ORDER, [call]) == (0.0, "MISSING")


@pytest.mark.parametrize("name", ALL)
def test_p19_a_run_that_only_knocked_at_doors_earns_nothing(name: str) -> None:
    """The doors themselves are tried in the tests of the agent plane."""
    assert verdict(w1_task(name), (), None).reason == "NO_SUBMISSION"
    assert verdict(w1_task(name), (), None).reward == 0.0


def test_t5_lists_are_exact_sets() -> None:
    assert result(NO_OPEN, (), answered(accounts=["Åland Freight AB"])) == (1.0, "OK")
    for names in ([], ["Contoso Ltd"], ["Åland Freight AB", "Contoso Ltd"], ["Aland Freight AB"]):
        assert result(NO_OPEN, (), answered(accounts=names)) == (0.0, "ANSWER_WRONG")
    for odd in ("Åland Freight AB", ["Åland Freight AB"] * 2, ["Åland Freight AB", " Åland  Freight AB"], [["x"]], [1]):
        assert result(NO_OPEN, (), answered(accounts=odd)) == (0.0, "ANSWER_TYPE")


def test_t6_infeasible_needs_code_and_evidence_and_its_twin_does_not_take_it() -> None:
    right = MISSING_ACCOUNT.submission
    assert result(MISSING_ACCOUNT, (), right) == (1.0, "OK")
    assert result(MISSING_ACCOUNT, (), replace(right, reason_code="not_allowed")) == (0.0, "ANSWER_WRONG")
    assert result(MISSING_ACCOUNT, (), replace(right, answer=None)) == (0.0, "ANSWER_COUNT")
    assert result(MISSING_ACCOUNT, (), Submission(answer=right.answer)) == (0.0, "ANSWER_WRONG")
    assert result(UPGRADE, (), right) == (0.0, "ANSWER_WRONG")
    assert result(UPGRADE, (), replace(UPGRADE.submission, status="infeasible")) == (0.0, "ANSWER_WRONG")
    assert result(UPGRADE, UPGRADE.oracle, UPGRADE.submission) == (1.0, "OK")


@pytest.mark.parametrize(
    "body",
    [
        "Northwind Traders: 21 March 2031",
        "Hello Mei, 21 March 2031 is when the renewal of Northwind Traders happens. Alex",
    ],
)
def test_t9_free_prose_that_states_the_facts_passes(body: str) -> None:
    assert result(MAIL, [mail(body)]) == (1.0, "OK")


@pytest.mark.parametrize(
    "body",
    [
        "Northwind Traders renews on 21 March 2031 or 22 March 2031",
        "Northwind Traders and Northwind Trading renew on 21 March 2031",
        "Northwind Traders renews on 21 March",
        "Northwind Traders renews on 121 March 2031",
        "Northwind Traders, 21 March 2031, worth 12,500.00",
        "Northwind Traders 21 March 2031 " + "very " * 100,
    ],
)
def test_t9_hedges_and_dumps_do_not(body: str) -> None:
    assert result(MAIL, [mail(body)]) == (0.0, "MISSING")


def test_t9_a_second_mail_is_collateral() -> None:
    assert result(MAIL, [mail(), mail(to="U1")]) == (0.0, "COLLATERAL")


def test_money_in_answers_has_the_currencys_decimals() -> None:
    from deskgym_graders.answers import check_answer

    yen = answer_spec({"amount": Money(1200, "JPY")})
    assert check_answer(yen, '{"amount": "1,200"}') is None
    assert check_answer(yen, '{"amount": 1200.0}') == ("ANSWER_TYPE", "amount has 1 decimals, at most 0 are meant.")
    assert (check_answer(yen, '{"amount": 1.2e3}') or ("",))[0] == "ANSWER_TYPE"
    assert (check_answer(yen, '{"amount": NaN}') or ("",))[0] == "ANSWER_TYPE"
    assert (check_answer(yen, '{"amount": 1200, "amount": 1200}') or ("",))[0] == "ANSWER_TYPE"
    assert (check_answer(yen, '{"amount": ' + "9" * 5000 + "}") or ("",))[0] == "ANSWER_TYPE"
    assert (check_answer(yen, "[" * 100_000) or ("",))[0] == "ANSWER_TYPE"
    dinar = answer_spec({"amount": Money(1234, "KWD")})
    assert check_answer(dinar, '{"amount": 1.234}') is None


def test_facts_need_at_least_one_fact() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Facts(required=(), forbidden=())
