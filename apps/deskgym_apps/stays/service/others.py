"""What simulated people do by themselves (X-15): they answer requests, change requests and messages after a delay.

They answer what was written or asked since the world was opened: what waited before stays as it is, so that nobody acts
before the first command. The first rule of a person, by `sort`, whose condition holds acts. Conditions:
`nights_at_most` of a request, `delta_at_least` and `delta_at_most` (minor units) of a change request; an empty one
always holds. Actions:
`{"action": "accept" | "decline"}`, `{"message": text}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from ...kit.call import Context
from ...kit.dates import add_seconds
from ...kit.errors import Invalid, ServiceError
from ...kit.fields import Id
from ...kit.jobs import Job, job_source
from ...kit.operations import Input, command
from ...kit.roles import Row
from ...kit.store import Store
from ..rules_stays import days_between
from .access import booking
from .altering import accept_change
from .cancelling import end_change
from .command_inputs import DecideInput
from .deciding import decide, end_request
from .talk import say

_NEW = "SELECT DISTINCT json_extract(key, '$[0]') AS id FROM jrn_effect WHERE tbl = '{table}' AND new IS NOT NULL"
_RULE = "n.id AS rule, n.condition_json, n.delay_minutes, n.sort"
_TRIGGERS: Mapping[str, str] = {
    "request": (
        f"SELECT r.id AS subject, l.host_id AS person, r.requested_at AS since, r.checkin, r.checkout, 0 AS delta, "
        f"{_RULE} FROM ({_NEW.format(table='stays_reservation')}) e CROSS JOIN stays_reservation r ON r.id = e.id "
        "JOIN stays_listing l ON l.id = r.listing_id JOIN stays_npc_rule n ON n.user_id = l.host_id "
        "AND n.trigger = 'request' WHERE r.status = 'pending'"
    ),
    "alteration": (
        f"SELECT a.id AS subject, n.user_id AS person, a.created_at AS since, a.checkin, a.checkout, a.delta, {_RULE} "
        f"FROM ({_NEW.format(table='stays_alteration')}) e CROSS JOIN stays_alteration a ON a.id = e.id "
        "JOIN stays_reservation r ON r.id = a.reservation_id JOIN stays_listing l ON l.id = r.listing_id "
        "JOIN stays_npc_rule n ON n.user_id = CASE WHEN a.requested_by = l.host_id THEN r.guest_id ELSE l.host_id END "
        "AND n.trigger = 'alteration' WHERE a.status = 'pending'"
    ),
    "message": (
        "SELECT t.id AS subject, n.user_id AS person, m.at AS since, '' AS checkin, '' AS checkout, 0 AS delta, "
        f"{_RULE} FROM ({_NEW.format(table='stays_message')}) e CROSS JOIN stays_message m ON m.id = e.id "
        "JOIN stays_thread t ON t.id = m.thread_id JOIN stays_npc_rule n ON n.trigger = 'message' AND n.user_id = "
        "CASE WHEN m.sender_id = t.host_id THEN t.guest_id ELSE t.host_id END WHERE m.kind = 'user' AND m.id = "
        "(SELECT l.id FROM stays_message l WHERE l.thread_id = t.id ORDER BY l.at DESC, l.id DESC LIMIT 1)"
    ),
}


class ActInput(Input):
    """A rule that acts, and what it acts on: a reservation, change request or thread."""

    rule: Id
    subject: Id
    trigger: Literal["request", "alteration", "message"]


def holds(condition: Mapping[str, Any], subject: Row) -> bool:
    """Whether a rule's condition holds of what waits. Raises ValueError for a word that no condition has."""
    for word, value in sorted(condition.items()):
        if word == "nights_at_most":
            fits = days_between(subject["checkin"], subject["checkout"]) <= value
        elif word == "delta_at_least":
            fits = subject["delta"] >= value
        elif word == "delta_at_most":
            fits = subject["delta"] <= value
        else:
            raise ValueError(f'a rule of a simulated person has no condition "{word}"')
        if not fits:
            return False
    return True


def _waiting(store: Store, trigger: str, until: str) -> Iterator[Job]:
    rows = store.all(f"SELECT * FROM ({_TRIGGERS[trigger]}) WHERE since <= ? ORDER BY since, subject, sort", (until,))
    seen: set[str] = set()
    for row in rows:
        if row["subject"] in seen or not holds(json.loads(row["condition_json"]), row):
            continue
        seen.add(row["subject"])
        due = add_seconds(row["since"], 60 * row["delay_minutes"])
        if due <= until:
            given = {"rule": row["rule"], "subject": row["subject"], "trigger": trigger}
            yield Job(due, "stays_npc_rule", row["subject"], "stays.act_for", given, row["person"])


@job_source
def next_act(store: Store, until: str) -> Job | None:
    """The earliest thing that a simulated person does."""
    if "stays_npc_rule" not in store.shapes:
        return None
    return min((job for trigger in _TRIGGERS for job in _waiting(store, trigger, until)), default=None)


@command("stays")
def act_for(ctx: Context, values: ActInput) -> dict[str, Any]:
    """A simulated person answers by one of their rules."""
    rule = ctx.store.get("stays_npc_rule", values.rule)
    if ctx.channel != "job" or rule is None or rule["user_id"] != ctx.person_id:
        raise Invalid("simulated people act by themselves", field="rule")
    action = json.loads(rule["action_json"])
    if values.trigger == "request":
        _answer_request(ctx, values.subject, action)
    elif values.trigger == "alteration":
        _answer_change(ctx, values.subject, action)
    if values.trigger == "message":
        row = ctx.store.get("stays_thread", values.subject)
        if row is not None:
            say(ctx, row["listing_id"], row["guest_id"], ctx.person_id, action["message"])
    return {"rule": rule["id"], "subject": values.subject}


def _or_else(ctx: Context, act: Callable[[], Any], otherwise: Callable[[], Any]) -> None:
    """Do something wholly, or what is done instead where it is refused."""
    ctx.conn.execute("SAVEPOINT answer")
    try:
        act()
    except ServiceError:
        ctx.conn.execute("ROLLBACK TO answer")
        otherwise()
    ctx.conn.execute("RELEASE answer")


def _answer_request(ctx: Context, reservation_id: str, action: Mapping[str, Any]) -> None:
    """As the action says; what cannot be accepted any more is declined."""
    found = booking(ctx, reservation_id)
    answer = DecideInput(id=reservation_id, action=action["action"], message=action.get("message"))
    _or_else(ctx, lambda: decide(ctx, answer), lambda: end_request(ctx, found.row, "declined", "declined"))


def _answer_change(ctx: Context, alteration_id: str, action: Mapping[str, Any]) -> None:
    pending = ctx.store.get("stays_alteration", alteration_id)
    if pending is None:
        raise Invalid(f"there is no change request {alteration_id}", field="subject")
    found = booking(ctx, pending["reservation_id"])
    if action["action"] == "accept":
        _or_else(ctx, lambda: accept_change(ctx, found, pending), lambda: end_change(ctx, found.id, "declined"))
    else:
        end_change(ctx, found.id, "declined")
