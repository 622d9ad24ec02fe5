"""The desk: apps and what waits there, the instruction, and the one submission, which asks before it counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from tests.fixtures.pad import world
from werkzeug.test import TestResponse

from deskgym_apps.desk import service
from deskgym_apps.kit.canonical import full_dump, state_hash
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool

from .conftest import Enter

SCHEMA = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "total": {"type": ["string", "number"]},
        "share": {"type": "number"},
        "deals": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "owners": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["count", "total"],
}
FILLED = {
    "status": "done", "reason_code": "", "answer.count": "3", "answer.total": "12,300.50", "answer.share": "0.10",
    "answer.deals.0.name": "Ünïcode & <b>", "answer.owners": "Ben\r\nAna\r\n",
}  # fmt: skip


def submit(browser: FlaskClient, form: dict[str, str], **more: str) -> TestResponse:
    return browser.post("/desk/submit", data=form | more, headers={"Origin": "http://localhost"})


def stored(root: Path, episode: str = "0") -> dict[str, Any] | None:
    with Store.open(root / episode / "store.db") as store:
        return service.submitted(store)


def test_the_desk_names_company_date_person_instruction_and_what_waits(enter: Enter) -> None:
    text = enter().get("/desk").text
    for part in ("Stone &amp; Daughters", "Friday 14 March 2031", "Ana Stone", "Buy oat milk instead.", "09:00 WET"):
        assert part in text
    assert '<a class="desk-tile-link" href="/pad/">Pad</a>' in text
    assert '<a href="/pad/">2 notes' in text
    assert "<summary>" in text


def test_nothing_is_handed_in_before_the_person_has_seen_and_confirmed_it(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    page = submit(browser, FILLED)
    assert page.status_code == 200
    for part in ("Submit and end the work?", "12,300.50", "Ünïcode &amp; &lt;b&gt;", "Ben\nAna"):
        assert part in page.text
    assert stored(root) is None
    again = submit(browser, FILLED, back="1")
    assert 'value="12,300.50"' in again.text
    assert stored(root) is None


def test_the_form_hands_in_the_same_row_as_the_tool(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    assert submit(browser, FILLED, confirm="1").status_code == 303
    enter(answer_schema=SCHEMA)
    answer = json.loads(
        '{"owners": ["Ben", "Ana"], "deals": [{"name": "Ünïcode & <b>"}], "count": 3, "total": "12,300.50", '
        '"share": 0.10}'
    )
    with Store.open(root / "1/store.db") as other:
        call_tool(other, "submit_answer", {"status": "done", "answer": answer}, person_id=world.ANA, app_names=("pad",))
    by_form, by_tool = stored(root), stored(root, "1")
    assert by_form is not None
    assert by_tool is not None
    assert by_form.pop("channel") == "ui"
    assert by_tool.pop("channel") == "mcp"
    assert by_form == by_tool


def test_what_was_handed_in_is_shown_and_a_second_time_is_refused(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    submit(browser, FILLED, confirm="1")
    text = browser.get("/desk").text
    assert "Your work was handed in" in text
    assert "12,300.50" in text
    assert 'action="/desk/submit"' not in text
    first = stored(root)
    assert submit(browser, FILLED | {"answer.count": "4"}, confirm="1").status_code == 410
    assert stored(root) == first


def test_submitting_moves_no_clock_and_writes_no_journal(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    with Store.open(root / "0/store.db") as store:
        before, hash_before = full_dump(store), state_hash(store)
        submit(browser, FILLED, confirm="1")
        after = full_dump(store)
        assert state_hash(store) == hash_before
    assert {name for name in after if after[name] != before[name]} == {"desk_submission"}


def test_x12_what_is_wrong_is_named_and_nothing_is_handed_in(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    for more in ({}, {"confirm": "1"}):
        page = submit(browser, FILLED | {"answer.count": "three <i>", "answer.total": ""}, **more)
        assert page.status_code == 422
        for part in ("three &lt;i&gt;", "is not a whole number", "Total: give a value", 'role="alert"', "Ben\nAna"):
            assert part in page.text.replace("\r\n", "\n")
    assert stored(root) is None


def test_an_answer_that_is_too_large_is_refused_and_does_not_count(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    page = submit(browser, FILLED | {"answer.total": "1" * 70_000}, confirm="1")
    assert page.status_code == 422
    assert "larger than 65536 bytes" in page.text
    assert submit(browser, FILLED | {"answer.total": "1" * 1_100_000}, confirm="1").status_code == 413
    assert stored(root) is None


def test_work_that_cannot_be_done_needs_a_reason_and_may_have_no_answer(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    assert "say why it cannot be done" in submit(browser, {"status": "infeasible"}, confirm="1").text
    assert submit(browser, {"status": "infeasible", "reason_code": " no_milk "}, confirm="1").status_code == 303
    row = stored(root)
    assert row is not None
    assert (row["status"], row["reason_code"], row["answer"]) == ("infeasible", "no_milk", None)


def test_a_reason_is_chosen_where_the_schema_lists_the_codes(enter: Enter) -> None:
    text = enter(answer_schema=SCHEMA | {"x-reason-codes": ["no_milk", "no_money"]}).get("/desk").text
    assert '<option value="no_money">no_money</option>' in text
    meant = enter(answer_schema=SCHEMA | {"x-reason-codes": {"no_milk": "The shop is out of it"}}).get("/desk").text
    assert "no_milk, The shop is out of it" in meant


def test_a_task_without_an_answer_asks_only_how_it_went(enter: Enter, root: Path) -> None:
    browser = enter()
    assert "answer." not in browser.get("/desk").text
    submit(browser, {"status": "done", "answer.count": "9"}, confirm="1")
    row = stored(root)
    assert row is not None
    assert (row["status"], row["answer"]) == ("done", None)


def test_an_outcome_must_be_chosen(enter: Enter) -> None:
    assert "Choose an outcome" in submit(enter(), {"status": "maybe"}).text


def test_more_rows_come_without_a_script_and_keep_what_was_typed(enter: Enter, root: Path) -> None:
    browser = enter(answer_schema=SCHEMA)
    page = submit(browser, FILLED | {"answer.deals.rows": "3"}, rows="answer.deals")
    assert page.status_code == 200
    assert 'name="answer.deals.5.name"' in page.text
    assert 'name="answer.deals.rows" value="6"' in page.text
    assert 'value="12,300.50"' in page.text
    assert stored(root) is None
