"""Every CRM tool by hand: the same state and the same journal as through MCP, in both widget variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from deskgym.browser import Parts, Start
from deskgym.browser.sync import Browser, Session
from deskgym.episode import Episode
from deskgym.pages import Refused, crm, perform
from deskgym.pages.visit import Widgets
from deskgym_apps.crm.tools import TOOLS
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import Var
from deskgym_graders.oracle import resolve
from deskgym_graders.spec import Call
from deskgym_graders.tasks.crm import picks

Journal = list[tuple[str, Any]]
_PAIR = {"opportunity_id": Var("o.id"), "contact_id": Var("c.id")}


def _administrator() -> str:
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        return picks.administrator(episode.store)


def _journal(store: Store) -> Journal:
    return [
        (row["operation"], row["arguments"])
        for row in store.all("SELECT operation, arguments FROM jrn_command ORDER BY seq")
    ]


def _by_tools(calls: Sequence[Call]) -> tuple[str, Journal]:
    results: dict[str, Any] = {}
    with Episode.start(home="memory", app_names=("crm",), person=_administrator()) as episode:
        for call in calls:
            result = episode.call_tool(call.tool, resolve(call.args, results))
            if call.save_as:
                results[call.save_as] = result
        return episode.state_hash(), _journal(episode.store)


def _do(session: Session, episode: Episode, call: Call, results: dict[str, Any], widgets: Widgets) -> Any:
    given, base_url = resolve(call.args, results), episode.base_url
    result = session.perform(lambda one: perform(one, call.tool, given, base_url=base_url, widgets=widgets))
    if call.save_as:
        results[call.save_as] = result
    return result


def _by_hand(browser: Browser, calls: Sequence[Call], widgets: Widgets) -> tuple[str, Journal]:
    results: dict[str, Any] = {}
    variation = {"widgets": widgets}
    with Episode.start(home="file", app_names=("crm",), person=_administrator(), variation=variation) as episode:
        with browser.open(episode.enter_url, start=Start(now=episode.now, parts=Parts(False))) as session:
            for call in calls:
                _do(session, episode, call, results, widgets)
        return episode.state_hash(), _journal(episode.store)


def _create(kind: str, save_as: str, **values: Any) -> Call:
    return Call("crm_create", {"object": kind, "values": values}, save_as)


def _update(saved: str, save_as: str | None = None, **values: Any) -> Call:
    given = {"id": Var(f"{saved}.id"), "row_version": Var(f"{saved}.row_version"), "values": values}
    return Call("crm_update", given, save_as)


def _colleague() -> str:
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        me = _administrator()
        return next(str(row["id"]) for row in picks.sellers(episode.store) if row["id"] != me)


_VIEW = {
    "object": "opportunity",
    "name": "Pumps to close",
    "filters": [
        {"field": "is_closed", "op": "equals", "value": False},
        {"field": "amount", "op": "gte", "value": "1000"},
        {"field": "account.region", "op": "in", "value": ["EMEA", "APAC"]},
        {"field": "next_step", "op": "blank"},
    ],
    "filter_logic": "1 AND (2 OR 3 OR 4)",
    "columns": ["name", "amount", "account.name", "owner.name"],
    "sort": [{"field": "amount", "direction": "desc"}],
}


def _everything() -> tuple[Call, ...]:
    """A little of every command, on records of its own."""
    other, day = _colleague(), "2035-03-14"
    return (
        _create("account", "a", name="Ålgård Pumps", type="Prospect", employees=120, bill_city="Stavanger"),
        _create("account", "b", name="Second Pumps", parent_id=Var("a.id"), annual_revenue="1250000.5", currency="EUR"),
        _create("contact", "c", first_name="Åse", last_name="Lund", account_id=Var("a.id"), do_not_call=True),
        _create("opportunity", "o", name="First line", account_id=Var("a.id"), close_date=day, amount="12345.67"),
        _create("task", "t", subject="Call back", due_date=day, who_id=Var("c.id"), what_id=Var("o.id")),
        _create("event", "e", subject="Visit", start_at=f"{day}T09:00:00Z", end_at=f"{day}T10:30:00Z"),
        _create("note", "n", title="Terms", body="One.\n\nTwo.", record_ids=[Var("a.id"), Var("o.id")]),
        Call("crm_log_activity", {"kind": "call", "values": {"subject": "Asked", "duration_minutes": 25}}, "call"),
        Call("crm_log_activity", {"kind": "task", "values": {"subject": "Send", "priority": "High"}}),
        Call("crm_link_contact", {"action": "set_role", **_PAIR, "role": "Evaluator"}),
        Call(
            "crm_link_contact",
            {"action": "set_role", **_PAIR, "role": "Influencer", "is_primary": True},
        ),
        Call(
            "crm_link_contact",
            {"action": "set_account", "account_id": Var("b.id"), "contact_id": Var("c.id"), "role": "Evaluator"},
        ),
        _update("a", "a2", name="Ålgård Pumps AS", employees=None, industry="Energy", description="Long.\nText."),
        _update("o", "o2", stage="Closed Lost", lost_reason="Other", lost_detail="They moved away"),
        _update("t", "t2", status="Completed"),
        _update("e", location="Room 4", end_at=f"{day}T11:00:00Z"),
        _update("n", record_ids=[Var("o.id"), Var("b.id")]),
        _update("call", comments="Nothing new."),
        _update("c", owner_id=other, account_id=Var("b.id")),
        Call(
            "crm_update",
            {"id": Var("a.id"), "row_version": Var("a2.row_version"), "values": {"owner_id": other}}
            | {"move_open_activities": True},
        ),
        Call("crm_link_contact", {"action": "remove_role", **_PAIR}),
        Call("crm_create", {"object": "list_view", "values": _VIEW}, "v"),
        _update("v", "v2", name="All to close", visibility="all"),
        Call(
            "crm_bulk_update", {"object": "note", "ids": [Var("n.id")], "values": {"title": "T"}, "expected_count": 1}
        ),
        Call("crm_bulk_update", {"object": "event", "ids": [Var("e.id")], "action": "delete", "expected_count": 1}),
        Call("crm_delete", {"id": Var("v.id"), "row_version": Var("v2.row_version")}),
        Call("crm_delete", {"id": Var("t.id"), "row_version": Var("t2.row_version")}),
        Call("crm_undelete", {"id": Var("t.id")}, "t3"),
        Call("crm_delete", {"id": Var("o.id"), "row_version": Var("o2.row_version")}),
    )


def test_every_tool_has_a_page_object() -> None:
    assert {f"crm_{verb}" for verb in crm.ACTIONS} == {tool.name for tool in TOOLS}


@pytest.mark.browser
@pytest.mark.parametrize("widgets", ["aria", "native"])
def test_commands_by_hand_leave_the_state_and_the_journal_of_the_tools(browser: Browser, widgets: Widgets) -> None:
    calls = _everything()
    by_hand, by_tools = _by_hand(browser, calls, widgets), _by_tools(calls)
    assert by_hand[1] == by_tools[1]
    assert by_hand[0] == by_tools[0]


def _service() -> tuple[Call, ...]:
    """Every command on cases and articles, on records of its own."""
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        queue = next(iter(episode.store.select("crm_group", name="Billing – EU")))["id"]
        product = picks.every(episode.store, "crm_product")[3]["id"]
    said = {"case_id": Var("k.id"), "body": "We look into it.\n\nToday."}
    return (
        _create("account", "a", name="Ålgård Pumps"),
        _create("contact", "c", last_name="Lund", account_id=Var("a.id"), email="lund@algard.example"),
        _create("case", "k", subject="Leak at the flange", priority="High", contact_id=Var("c.id"), product_id=product),
        _create("case", "n", subject="It drips again", parent_id=Var("k.id"), owner_id=queue, type="Technical"),
        Call("crm_log_activity", {"kind": "case_comment", "values": said}),
        Call("crm_log_activity", {"kind": "case_comment", "values": said | {"is_public": True}}),
        Call("crm_log_activity", {"kind": "email_reply", "values": said}),
        Call("crm_log_activity", {"kind": "task", "values": {"subject": "Send seal", "what_id": Var("k.id")}}),
        _update("k", "k2", owner_id=queue, status="Waiting on Customer"),
        _update("k2", "k3", status="Closed", reason="Device Fault", resolution="Seal replaced."),
        _update("n", status="Escalated"),
        _create("article", "r", title="Seals", body="## Which\n\n- steel: **red**", category="Products"),
        _update("r", "r2", status="Published", body="## Which\n\n- all: **blue**"),
        Call("crm_delete", {"id": Var("r.id"), "row_version": Var("r2.row_version")}),
    )


@pytest.mark.browser
@pytest.mark.parametrize("widgets", ["aria", "native"])
def test_cases_and_articles_by_hand_leave_the_state_and_the_journal_of_the_tools(
    browser: Browser, widgets: Widgets
) -> None:
    calls = _service()
    by_hand, by_tools = _by_hand(browser, calls, widgets), _by_tools(calls)
    assert by_hand[1] == by_tools[1]
    assert by_hand[0] == by_tools[0]


@pytest.mark.browser
def test_a_relation_to_a_further_account_changes_and_ends_by_hand(browser: Browser) -> None:
    link = {"account_id": Var("a.id"), "contact_id": Var("c.id")}
    calls = (
        _create("account", "a", name="Further Pumps"),
        _create("contact", "c", last_name="Lund"),
        Call("crm_link_contact", {"action": "set_account"} | link),
        Call("crm_link_contact", {"action": "set_account"} | link | {"role": "Evaluator"}),
        Call("crm_link_contact", {"action": "remove_account"} | link),
    )
    assert _by_hand(browser, calls, "aria") == _by_tools(calls)


@pytest.mark.browser
def test_reading_by_hand_finds_the_record_and_writes_nothing(browser: Browser) -> None:
    with Episode.start(home="file", app_names=("crm",), person=_administrator()) as episode:
        deal = next(iter(picks.deals(episode.store, is_open=True)))
        before = episode.state_hash()
        reads = (
            Call("crm_get", {"id": deal["id"]}),
            Call("crm_query", {"object": "opportunity", "filter": [_is("name", deal["name"])]}),
            Call("crm_query", {"object": "user"}),
            Call("crm_search", {"text": deal["name"]}),
            Call("crm_timeline", {"id": deal["id"]}),
            Call("crm_timeline", {"id": deal["id"], "action": "history"}),
            Call("crm_describe", {"object": "account"}),
            Call("crm_whoami", {}),
        )
        with browser.open(episode.enter_url, start=Start(now=episode.now, parts=Parts(False))) as session:
            found = [_do(session, episode, call, {}, "aria") for call in reads]
        assert all(result["text"].strip() for result in found)
        assert found[0]["name"] == deal["name"]
        for at in (0, 1, 3):
            assert deal["name"] in found[at]["text"]
        me = episode.store.get("org_person", episode.person_id)
        assert me is not None
        assert found[-1]["name"] == me["name"]
        assert episode.state_hash() == before
        assert _journal(episode.store) == []


def _is(field: str, value: str) -> dict[str, str]:
    return {"field": field, "op": "equals", "value": value}


@pytest.mark.browser
def test_what_the_service_refuses_is_refused_by_hand_and_leaves_nothing(browser: Browser) -> None:
    with Episode.start(home="file", app_names=("crm",), person=_administrator()) as episode:
        deal = next(row for row in picks.deals(episode.store, is_open=True))
        lost = {"id": deal["id"], "row_version": deal["row_version"], "values": {"stage": "Closed Lost"}}
        refused = (
            (Call("crm_update", lost), "lost reason"),
            (Call("crm_create", {"object": "account", "values": {"phone": "1"}}), "Nothing was saved"),
            (Call("crm_get", {"id": "OPP000000000000"}), "Error 404"),
            (Call("crm_undelete", {"id": deal["id"]}), "recycle bin has no record"),
        )
        with browser.open(episode.enter_url, start=Start(now=episode.now, parts=Parts(False))) as session:
            for call, message in refused:
                with pytest.raises(Refused, match=message):
                    _do(session, episode, call, {}, "aria")
            with pytest.raises(ValueError, match='no page object for the tool "crm_absent"'):
                _do(session, episode, Call("crm_absent", {}), {}, "aria")
        assert _journal(episode.store) == []
