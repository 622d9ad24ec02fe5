"""What the answer form hands in, as the grader reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from deskgym_apps.desk import service
from deskgym_apps.kit.store import Store
from deskgym_graders.answers import check_answer
from deskgym_graders.comparators import BagOf, DateEq, Eq, Money, Number, SetOf, TextEq
from deskgym_graders.expected import answer_spec

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
    "status": "done",
    "answer.sum": "12,345.60",
    "answer.count": "3",
    "answer.share": "0.5",
    "answer.open": "true",
    "answer.day": "2031-05-14",
    "answer.who": "Ana Stone",
    "answer.names": "Elm\nOak",
    "answer.counts": "1\n1",
}


def _hand_in(browser: FlaskClient, typed: dict[str, str]) -> None:
    answer = browser.post("/desk/submit", data=typed | {"confirm": "1"}, headers={"Origin": "http://localhost"})
    assert answer.status_code == 303


@pytest.mark.parametrize(
    ("field", "text", "verdict"),
    [
        ("answer.sum", "12345.6", None),
        ("answer.sum", "12,345.61", "ANSWER_WRONG"),
        ("answer.open", "false", "ANSWER_WRONG"),
        ("answer.names", "Oak", "ANSWER_WRONG"),
        ("answer.names", " Oak \r\n\r\n Elm ", None),
        ("answer.day", "14 May 2031", None),
    ],
)
def test_the_grader_reads_what_the_form_hands_in(
    enter: Callable[..., FlaskClient], root: Path, field: str, text: str, verdict: str | None
) -> None:
    _hand_in(enter(answer_schema=SPEC.schema), RIGHT | {field: text})
    with Store.open(root / "0" / "store.db") as store:
        stored = service.submitted(store)
    assert stored is not None
    fault = check_answer(SPEC, str(stored["answer"]))
    assert (None if fault is None else fault[0]) == verdict


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("answer.sum", "about 12,345.60", "is not a number"),
        ("answer.sum", "12,345.601", "decimals"),
        ("answer.count", "3.0", "is written with decimals; write 3"),
    ],
)
def test_what_could_only_be_wrong_is_refused_before_it_counts(
    enter: Callable[..., FlaskClient], root: Path, field: str, text: str, message: str
) -> None:
    browser = enter(answer_schema=SPEC.schema)
    form = RIGHT | {field: text, "confirm": "1"}
    refused = browser.post("/desk/submit", data=form, headers={"Origin": "http://localhost"})
    assert refused.status_code == 422
    assert message in refused.text
    with Store.open(root / "0" / "store.db") as store:
        assert service.submitted(store) is None
    _hand_in(browser, RIGHT)


def test_what_was_handed_in_is_shown_in_the_order_of_the_form(enter: Callable[..., FlaskClient]) -> None:
    browser = enter(answer_schema=SPEC.schema)
    _hand_in(browser, RIGHT)
    page = browser.get("/desk").text
    labels = ("Outcome", "Sum", "Count", "Share", "Open", "Day", "Who", "Names", "Counts")
    places = [page.index(f"<dt>{label}</dt>") for label in labels]
    assert places == sorted(places)


def test_nothing_of_a_verdict_is_told(enter: Callable[..., FlaskClient]) -> None:
    browser = enter(answer_schema=SPEC.schema)
    _hand_in(browser, RIGHT)
    page = browser.get("/desk").text.casefold()
    assert not [word for word in ("reward", "score", "correct", "passed", "grade") if word in page]
