"""Each lint refuses the fault it is for, with a message that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.w1.tasks import reassign
from tests.fixtures.w1.world import AGENT, open_world, registered

from deskgym_graders.codec import SpecError, Var
from deskgym_graders.compile import compile_task
from deskgym_graders.expected import answer_spec, changed, expected_row
from deskgym_graders.lint import MAX_GUESS, full_rows, guessability, lint_task
from deskgym_graders.spec import (
    AnswerSpec,
    Call,
    DateEq,
    Distractors,
    Draft,
    Eq,
    Expectation,
    Facts,
    InstantEq,
    Kind,
    Money,
    OneOf,
    RefTo,
    Submission,
    Task,
    TextEq,
    Variant,
)
from deskgym_graders.spec import Any as AnyValue

with registered():
    GOAL = (changed("w1_opp", "O1", owner_id="U1"),)
DRAFT = Draft(
    instruction="Give the opportunity to dana.ortiz@w1.example.",
    person_id=AGENT,
    expectation=Expectation(any_of=(GOAL,)),
    oracle=(reassign("O1", "U1"),),
    distractors=(Distractors("another", "w1_opp", (("O2",),)),),
)


def faults(draft: Draft, kind: Kind = "mutate") -> list[str]:
    with open_world() as world:
        task = compiled(draft, kind, check=False)
        return lint_task(task, world)


def compiled(draft: Draft, kind: Kind = "mutate", check: bool = True) -> Task:
    with open_world() as world:
        return compile_task(
            draft, world, template="w1/x", seed=0, apps=("w1",), kind=kind, level=1, revision=1, check=check
        )


def goal(*steps: Any, instruction: str = DRAFT.instruction, because: Mapping[str, str] | None = None) -> Draft:
    expectation = Expectation(any_of=(steps,))
    return replace(DRAFT, expectation=expectation, instruction=instruction, because=because or {})


def test_a_sound_draft_has_no_faults() -> None:
    assert faults(DRAFT) == []
    assert compiled(DRAFT).id == "w1/x@0"


def test_l4_an_id_that_is_not_in_s0_is_refused_wherever_it_stands() -> None:
    later = "WNT000000000001"
    named = replace(DRAFT, oracle=(Call("w1_delete_note", {"id": later}),))
    assert any(later in fault and "L4" in fault for fault in faults(named))
    expected = goal(changed("w1_opp", "O1", owner_id="U1"), changed("w1_opp", "WOP000000000001", stage="Proposal"))
    assert any("L4" in fault for fault in faults(expected))
    assert not any(
        "L4" in fault for fault in faults(replace(DRAFT, instruction="ABC000000000001 " + DRAFT.instruction))
    )


def test_l5_any_needs_a_reason() -> None:
    row = expected_row("w1_note", account_id=Eq("A1"), body=AnyValue(""))
    assert any("L5" in fault for fault in faults(goal(row, instruction="Northwind Traders")))
    row = expected_row("w1_note", account_id=Eq("A1"), body=AnyValue("the wording is left to the worker"))
    assert faults(goal(row, instruction="Northwind Traders")) == []


def test_l6_facts_are_for_free_prose_only() -> None:
    loose = Facts(("Contoso",), ())
    assert any("L6" in fault for fault in faults(goal(changed("w1_account", "A4", name=loose), instruction="Contoso")))


def test_l8_distractors_must_be_there_and_be_none_of_the_targets() -> None:
    assert any("L8" in fault for fault in faults(replace(DRAFT, distractors=())))
    none = Distractors("none", "w1_opp", ())
    assert any("has none" in fault for fault in faults(replace(DRAFT, distractors=(none,))))
    target = Distractors("target", "w1_opp", (("O1",),))
    assert any("is a target itself" in fault for fault in faults(replace(DRAFT, distractors=(target,))))
    ghost = Distractors("ghost", "w1_opp", (("O99",),))
    assert any("there is no row" in fault for fault in faults(replace(DRAFT, distractors=(ghost,))))
    excused = replace(DRAFT, distractors=(), because={"distractors": "there is only one"})
    assert faults(excused) == []


ASK = replace(
    DRAFT,
    expectation=Expectation(answer=answer_spec({"amount": Money(1250, "USD"), "currency": Eq("USD")})),
    submission=Submission(answer={"amount": "12.50", "currency": "USD"}),
    wrong_answers={"gross": {"amount": "13", "currency": "USD"}},
)


def test_l9_answers_of_wrong_procedures_must_be_wrong_and_the_own_one_right() -> None:
    assert faults(ASK, "answer") == []
    assert any("L9" in fault for fault in faults(replace(ASK, wrong_answers={}), "answer"))
    same = {"off by one": {"amount": 12.5, "currency": "USD"}}
    assert any("off by one" in fault for fault in faults(replace(ASK, wrong_answers=same), "answer"))
    own = replace(ASK, submission=Submission(answer={"amount": "12.5"}))
    assert any("own submission is ANSWER_TYPE" in fault for fault in faults(own, "answer"))
    assert any("no answer is asked for" in fault for fault in faults(replace(DRAFT, wrong_answers={"x": {}})))


def test_l9_a_count_alone_is_guessable_and_a_compound_answer_is_not() -> None:
    def bound(number: int, more: dict[str, Any]) -> Task:
        answer = {"count": number % 7} | more
        fields = {name: Eq(value) for name, value in answer.items()}
        draft = replace(ASK, expectation=Expectation(answer=answer_spec(fields)), submission=Submission(answer=answer))
        return compiled(draft, "answer", check=False)

    counts = [bound(number, {}) for number in range(300)]
    compound = [bound(number, {"key": f"K{number}"}) for number in range(300)]
    assert guessability(counts) > MAX_GUESS
    assert guessability(compound) <= MAX_GUESS
    with pytest.raises(SpecError, match="with answers"):
        guessability([compiled(DRAFT)])


def test_l10_alternatives_differ_and_have_ways_that_reach_them() -> None:
    other = (changed("w1_opp", "O1", owner_id="U1", stage="Proposal"),)
    because = {"stage": "either stage will do"}
    two = replace(DRAFT, expectation=Expectation(any_of=(GOAL, other)), because=because)
    assert any("only 1 ways" in fault for fault in faults(two))
    assert faults(replace(two, variants=(Variant("both", DRAFT.oracle),))) == []
    twice = replace(two, expectation=Expectation(any_of=(GOAL, GOAL)), because={})
    assert any("are the same" in fault for fault in faults(twice))


Later = tuple[str, str, dict[str, Any]]


def later(table: str, key: str, **given: Any) -> Later:
    """The arguments of `changed`, which needs W1 among the apps."""
    return table, key, given


@pytest.mark.parametrize(
    ("step", "instruction"),
    [
        (later("w1_opp", "O1", owner_id="U1"), "Give it to Dana Ortiz."),
        (later("w1_opp", "O1", owner_id="U1"), "Give it to dana.ortiz@w1.example."),
        (later("w1_opp", "O1", amount=Money(990_000, "EUR"), currency="EUR"), "Set it to 9,900.00 EUR."),
        (later("w1_opp", "O1", amount=Money(990_000, "EUR"), currency="EUR"), "Set it to EUR 9900."),
        (later("w1_opp", "O1", close_date="2031-05-02"), "Close it on 2 May 2031."),
        (later("w1_opp", "O1", close_date=DateEq("2031-05-02")), "Close it on 2031-05-02."),
        (later("w1_opp", "O1", stage="Closed Won"), 'The stage is "closed won".'),
        (later("w1_room", "R1", capacity=7), "It holds 7 now."),
        (later("org_person", "U1", phone="+493012345678"), "Her number is (030) 1234-5678."),
        (later("w1_booking", "B1", start_at="2031-03-18T10:00:00Z"), "Start at 2031-03-18 10:00:00."),
        (later("w1_booking", "B1", is_cancelled=1), "Please cancel it; mark it as cancelled."),
        (later("w1_opp", "O5", closed_at=None), "Reopen it."),
        (later("w1_opp", "O1", stage=OneOf(("Prospecting", "Proposal"))), "Prospecting or Proposal"),
        (later("w1_note", "N1", body=Facts(("21 March", "Mei"), ())), "Tell Mei 21 March"),
    ],
)
def test_l11_values_stand_in_the_instruction_as_people_write_them(step: Later, instruction: str) -> None:
    assert faults(goal(changed(step[0], step[1], **step[2]), instruction=instruction)) == []


@pytest.mark.parametrize(
    ("step", "instruction"),
    [
        (later("w1_opp", "O1", owner_id="U1"), "Give it to Dana."),
        (later("w1_opp", "O1", amount=Money(990_000, "EUR"), currency="EUR"), "Set it to 19,900.00 EUR."),
        (later("w1_opp", "O1", amount=Money(990_000, "EUR"), currency="EUR"), "Set it to 9,900.50 EUR."),
        (later("w1_opp", "O1", close_date="2031-05-02"), "Close it on 12 May 2031."),
        (later("w1_opp", "O1", close_date="2031-05-02"), "Close it on 2 June 2031."),
        (later("w1_room", "R1", capacity=7), "It holds 17 or 70 or 7.5 now."),
        (later("w1_opp", "O1", stage=OneOf(("Prospecting", "Proposal"))), "Proposal"),
        (later("w1_opp", "O5", closed_at=None, stage="Proposal"), "Do it."),
        (later("org_person", "U1", phone="+493012345678"), "Her number is (030) 1234-5679."),
    ],
)
def test_l12_a_value_that_the_instruction_does_not_say_is_refused(step: Later, instruction: str) -> None:
    assert any("L11" in fault for fault in faults(goal(changed(step[0], step[1], **step[2]), instruction=instruction)))


def test_l11_a_reason_excuses_a_value_and_must_be_used() -> None:
    step = changed("w1_opp", "O1", stage="Proposal")
    for name in ("stage", "w1_opp.stage"):
        assert faults(goal(step, because={name: "the default of the pipeline"})) == []
    unused = goal(step, instruction="Proposal", because={"stages": "no column is called so"})
    assert any('because names "stages"' in fault for fault in faults(unused))


def test_oracle_calls_must_exist() -> None:
    def calls(*given: Call) -> list[str]:
        return faults(replace(DRAFT, oracle=given))

    assert any('Did you mean "w1_update_opp"' in fault for fault in calls(Call("w1_update_op", {})))
    assert any('no argument "ids"' in fault for fault in calls(Call("w1_update_opp", {"ids": "O1"})))
    assert any("no earlier call saves" in fault for fault in calls(Call("w1_delete_note", {"id": Var("n.id")})))
    assert any("no oracle" in fault for fault in calls())
    assert any("no person" in fault for fault in faults(replace(DRAFT, person_id="U77")))


def test_an_answer_may_hold_only_what_answers_can_be_compared_with() -> None:
    for odd in (RefTo("x"), AnyValue("whatever is answered is fine")):
        spec = AnswerSpec({"x": odd}, {})
        with pytest.raises(SpecError, match="cannot stand in an answer"):
            compiled(replace(ASK, expectation=Expectation(answer=spec)), "answer")


@pytest.mark.parametrize(
    ("kind", "expectation", "message"),
    [
        ("answer", Expectation(any_of=(GOAL,), answer=ASK.expectation.answer), "of kind"),
        ("mutate", Expectation(answer=ASK.expectation.answer), "has a goal"),
        ("mutate+answer", Expectation(any_of=(GOAL,)), "asks for an answer"),
        ("infeasible", Expectation(answer=ASK.expectation.answer), "do not fit"),
        ("infeasible", Expectation(status="infeasible", answer=ASK.expectation.answer), "reason code"),
        ("infeasible", Expectation(status="infeasible", reason_code="no"), "no goal and no answer"),
        ("answer", Expectation(answer=AnswerSpec({}, {})), "without fields"),
    ],
)
def test_kind_goal_answer_and_status_must_fit(kind: Kind, expectation: Expectation, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        compiled(replace(ASK, expectation=expectation), kind)


def test_the_full_row_is_shown_to_the_author() -> None:
    row = expected_row("w1_note", account_id="A1", body="x")
    assert full_rows((row,), AGENT) == [
        "+w1_note",
        "    id = by rule (id)",
        "    account_id = Eq(value='A1')",
        "    body = TextEq(value='x', ci=False)",
        "    pinned = 0 (default)",
        "    created_at = by rule (clock)",
        "    created_by = by rule (actor)",
    ]


def test_plain_values_are_typed_by_their_column() -> None:
    step = changed("w1_opp", "O1", amount=100, currency="EUR", close_date="2031-01-01", stage="Proposal")
    assert step.set == {
        "amount": Money(100, "EUR"),
        "currency": Eq("EUR"),
        "close_date": DateEq("2031-01-01"),
        "stage": Eq("Proposal"),
    }
    times = changed("w1_booking", "B1", start_at="2031-01-01T00:00:00Z", title="x", is_cancelled=True).set
    assert times == {"start_at": InstantEq("2031-01-01T00:00:00Z"), "title": TextEq("x"), "is_cancelled": Eq(1)}
    with pytest.raises(SpecError, match="neither a comparator"):
        changed("w1_opp", "O1", amount=1.5)
    with pytest.raises(SpecError, match="has no default"):
        expected_row("w1_note", body="x")
