"""The desk: what it shows, what its form hands in, and what is left after the seal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.pad import world

from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool
from deskgym_graders.answers import check_answer
from deskgym_graders.comparators import BagOf, DateEq, Eq, Money, Number, SetOf, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import AnswerSpec

from .conftest import HERE, Controls, Desk

MakeDesk = Callable[..., Desk]


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


EVERYTHING = _object(
    owner={"type": "string", "title": "Who owns it"},
    deals={"type": "integer"},
    total={"type": ["string", "number"], "description": "A number with at most 2 decimals."},
    rate={"type": "number"},
    is_open={"type": "boolean"},
    stage={"type": "string", "enum": ["Won", "Lost"]},
    closed_on={"type": "string", "format": "date"},
    names={"type": "array", "items": {"type": "string"}, "uniqueItems": True},
)
TYPED = {
    "answer.owner": "Zoë O'Brien & Co <b>",
    "answer.deals": "12",
    "answer.total": "12,345.60",
    "answer.rate": "0.25",
    "answer.is_open": "false",
    "answer.stage": "Won",
    "answer.closed_on": "14 May 2031",
    "answer.names": "Oak\r\n\r\n  Elm tree \r\n",
}
MEANT = {
    "owner": "Zoë O'Brien & Co <b>",
    "deals": 12,
    "total": "12,345.60",
    "rate": 0.25,
    "is_open": False,
    "stage": "Won",
    "closed_on": "2031-05-14",
    "names": ["Oak", "Elm tree"],
}


def test_the_desk_shows_company_day_person_instruction_and_what_waits(make_desk: MakeDesk) -> None:
    page = make_desk(instruction="Buy <oat> milk.\nThen rest.").page()
    assert "Stone &amp; Daughters" in page
    assert "Friday 14 March 2031" in page
    assert "Ana Stone" in page
    assert "Buy &lt;oat&gt; milk.\nThen rest." in page
    assert 'href="/pad/"' in page
    assert "2 notes" in page


def test_x2_the_day_is_the_persons(make_desk: MakeDesk) -> None:
    assert "09:00" in make_desk(person=world.ANA).page()


def test_x2_the_time_is_the_persons(make_desk: MakeDesk) -> None:
    assert "10:00" in make_desk(person=world.BEN).page()


def test_an_episode_without_apps_says_so(make_desk: MakeDesk) -> None:
    page = make_desk(apps=()).page()
    assert "No apps here" in page
    assert 'href="/pad/"' not in page


def test_the_form_has_a_control_for_every_field_of_the_schema_and_one_submit_button(make_desk: MakeDesk) -> None:
    controls = Controls(make_desk(answer_schema=EVERYTHING).page())
    assert set(TYPED) | {"status", "reason_code"} <= controls.names
    assert controls.buttons.count("Submit") == 1


def test_without_an_answer_schema_the_form_asks_for_the_outcome_alone(make_desk: MakeDesk) -> None:
    desk = make_desk()
    assert Controls(desk.page()).names == {"status", "reason_code"}
    assert desk.send().status_code == 303
    stored = desk.stored()
    assert stored is not None
    assert (stored["status"], stored["answer"], stored["channel"]) == ("done", None, "ui")


def _by_tool(image: Path, **arguments: Any) -> dict[str, Any]:
    """What `submit_answer` stores."""
    with Store.memory(image.read_bytes()) as store:
        call_tool(store, "submit_answer", arguments, person_id=world.ANA, app_names=("pad",))
        stored = store.one("SELECT person_id, status, reason_code, answer FROM desk_submission")
    assert stored is not None
    return stored


def _by_form(desk: Desk) -> dict[str, Any]:
    stored = desk.stored()
    assert stored is not None
    return {name: stored[name] for name in ("person_id", "status", "reason_code", "answer")}


def test_the_form_hands_in_what_the_tool_would(make_desk: MakeDesk, image: Path) -> None:
    desk = make_desk(answer_schema=EVERYTHING)
    assert desk.send(**TYPED).status_code == 303
    assert _by_form(desk) == _by_tool(image, status="done", answer=MEANT)


def test_rows_of_an_answer_are_an_array_of_objects(make_desk: MakeDesk, image: Path) -> None:
    row = _object(name={"type": "string"}, count={"type": "integer"})
    desk = make_desk(answer_schema=_object(lines={"type": "array", "items": row}))
    typed = {f"answer.lines.{at}.{key}": value for at in (0, 4) for key, value in (("name", f"N{at}"), ("count", "3"))}
    assert desk.send(**typed, **{"answer.lines.rows": "6"}).status_code == 303
    answer = {"lines": [{"name": "N0", "count": 3}, {"name": "N4", "count": 3}]}
    assert _by_form(desk) == _by_tool(image, status="done", answer=answer)


def test_work_that_cannot_be_done_is_handed_in_with_its_reason(make_desk: MakeDesk, image: Path) -> None:
    desk = make_desk(answer_schema=EVERYTHING)
    assert desk.send(status="infeasible").status_code == 422
    assert desk.send(status="infeasible", reason_code=" no_such_account ").status_code == 303
    assert _by_form(desk) == _by_tool(image, status="infeasible", reason_code="no_such_account")


SPEC = answer_spec(
    {
        "sum": Money(1234560, "USD"),
        "count": Eq(3),
        "share": Number("0.5", 1),
        "open": Eq(True),
        "day": DateEq("2031-05-14"),
        "who": TextEq("Ana Stone"),
        "names": SetOf((TextEq("Oak"), TextEq("Elm"))),
        "counts": BagOf((Eq(1), Eq(1))),
    }
)
RIGHT = {
    "answer.sum": "12,345.60",
    "answer.count": "3",
    "answer.share": "0.5",
    "answer.open": "true",
    "answer.day": "2031-05-14",
    "answer.who": "Ana Stone",
    "answer.names": "Elm\nOak",
    "answer.counts": "1\n1",
}


def _checked(desk: Desk, spec: AnswerSpec) -> str | None:
    stored = desk.stored()
    assert stored is not None
    fault = check_answer(spec, str(stored["answer"]))
    return None if fault is None else fault[0]


@pytest.mark.parametrize(
    ("field", "text", "verdict"),
    [
        ("answer.sum", "12345.6", None),
        ("answer.sum", "12,345.61", "ANSWER_WRONG"),
        ("answer.sum", "about 12,345.60", "ANSWER_TYPE"),
        ("answer.open", "false", "ANSWER_WRONG"),
        ("answer.names", "Oak", "ANSWER_WRONG"),
        ("answer.day", "14 May 2031", None),
    ],
)
def test_the_grader_reads_what_the_form_hands_in(
    make_desk: MakeDesk, field: str, text: str, verdict: str | None
) -> None:
    desk = make_desk(answer_schema=SPEC.schema)
    assert desk.send(**RIGHT | {field: text}).status_code == 303
    assert _checked(desk, SPEC) == verdict


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("answer.deals", "1.5"),
        ("answer.deals", "many"),
        ("answer.rate", "1e3"),
        ("answer.is_open", "perhaps"),
        ("answer.stage", "Open"),
        ("answer.closed_on", "31 February 2031"),
        ("answer.owner", ""),
        ("status", "finished"),
    ],
)
def test_x12_a_value_of_the_wrong_type_is_refused_and_everything_typed_stands(
    make_desk: MakeDesk, field: str, text: str
) -> None:
    desk = make_desk(answer_schema=EVERYTHING)
    before = desk.dump()
    answer = desk.send(**TYPED | {field: text})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "Elm tree" in answer.text
    assert "12,345.60" in answer.text
    assert desk.dump() == before


def test_nothing_counts_before_it_is_confirmed(make_desk: MakeDesk) -> None:
    desk = make_desk(answer_schema=EVERYTHING)
    before = desk.dump()
    typed = {"status": "done", **TYPED}
    asked = desk.browser.post("/desk/submit", data=typed, headers=HERE)
    assert "Submit and end the work" in asked.text
    assert "Zoë O&#39;Brien &amp; Co &lt;b&gt;" in asked.text
    back = desk.browser.post("/desk/submit", data=typed | {"back": "1"}, headers=HERE)
    assert "12,345.60" in back.text
    assert desk.dump() == before


def test_after_the_seal_the_desk_is_read_only_and_a_second_submission_is_refused(make_desk: MakeDesk) -> None:
    desk = make_desk(answer_schema=EVERYTHING)
    desk.send(**TYPED)
    sealed = desk.dump()
    page = desk.page()
    assert "Your work was handed in" in page
    assert "Elm tree" in page
    shown = [
        page.index(f"<dt>{label}</dt>") for label in ("Outcome", "Owner", "Deals", "Is open", "Closed on", "Names")
    ]
    assert shown == sorted(shown)
    assert "Submit" not in Controls(page).buttons
    again = desk.browser.post("/desk/submit", data={"status": "done", "confirm": "1", **TYPED}, headers=HERE)
    assert again.status_code == 410
    assert desk.dump() == sealed


def test_submitting_moves_no_clock_and_tells_nothing_of_a_verdict(make_desk: MakeDesk) -> None:
    desk = make_desk()
    done = desk.send()
    assert done.headers["Location"] == "/desk"
    page = desk.page().casefold()
    assert not [word for word in ("reward", "score", "correct", "passed", "grade") if word in page]
    with Store.open(desk.path) as store:
        assert store.now == world.NOW
