"""Administrators' work: what a rule says and in which order, which team sees which records."""

from __future__ import annotations

import json
from typing import Any

from deskgym_apps.crm.rules_setup import criteria_form
from deskgym_apps.kit.store import Store
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Goal, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_SELLING = ("AE ", "VP Sales", "Head of Sales")
_PLURALS = {"opportunity": "opportunities", "lead": "leads", "case": "cases", "contact": "contacts"}


@per_world
def users(world: Store) -> list[Row]:
    """Active users with what the directory says of them, in the order of their ids."""
    rows = [dict(row) for row in picks.every(world, "crm_user") if row["is_active"]]
    found = [dict(picks.person(world, row["person_id"])) | row for row in rows]
    return sorted(found, key=lambda row: str(row["id"]))


@per_world
def _sharings(world: Store) -> list[dict[str, Any]]:
    """Sharing rules that there could be and are not: a branch of sales for a public group or another role."""
    roles = picks.by_id(picks.every(world, "crm_role"))
    groups = picks.by_id(list(world.select("crm_group", kind="public_group")))
    above = {row["parent_role_id"] for row in roles}
    names = [row["name"] for row in (*roles, *groups)]
    there = {(row["object"], row["source_id"], row["target_id"]) for row in picks.every(world, "crm_sharing_rule")}
    found = []
    for thing in ("opportunity", "lead"):
        for source in [row for row in roles if str(row["name"]).startswith(_SELLING)]:
            kind = "role_and_sub" if source["id"] in above else "role"
            for target in (*groups, *roles):
                key = (thing, source["id"], target["id"])
                if source["name"] == target["name"] or key in there or names.count(target["name"]) > 1:
                    continue
                is_group = target["id"].startswith("GRP")
                one = {"object": thing, "source_kind": kind, "source": source, "target": target}
                found.append(one | {"target_kind": "group" if is_group else "role"})
    return found


@template("crm/share-with-team", kind="mutate", level=3)
def share_with_team(world: Store, stream: Stream) -> Draft:
    """Open the records of one branch of sales to a team by a sharing rule."""
    given = picks.draw(stream, _sharings(world), "sharing rule that is not there")
    access = stream.choice(("read", "write"))
    source, target = given["source"], given["target"]
    rule = {
        "object": given["object"],
        "source_kind": given["source_kind"],
        "source_id": source["id"],
        "target_kind": given["target_kind"],
        "target_id": target["id"],
        "access": access,
    }
    whose = f"the role {source['name']}"
    if given["source_kind"] == "role_and_sub":
        whose += " or a role anywhere below it"
    to = f"the public group {target['name']}" if given["target_kind"] == "group" else f"the role {target['name']}"
    how = "read, but not change," if access == "read" else "read and change"
    back = rule | {
        "source_kind": "role" if given["target_kind"] == "role" else "group",
        "source_id": target["id"],
        "target_kind": given["source_kind"],
        "target_id": source["id"],
    }

    def made(values: dict[str, Any]) -> Call:
        return Call("crm_create", {"object": "sharing_rule", "values": values})

    other = "write" if access == "read" else "read"
    one_role = "role" if given["source_kind"] == "role_and_sub" else "role_and_sub"
    return Draft(
        instruction=f"People in {to} should be able to {how} the {_PLURALS[given['object']]} whose owner has {whose}. "
        "Set up one sharing rule for that; nobody else gets anything new.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=((expected_row("crm_sharing_rule", **rule),),)),
        oracle=(made(rule),),
        variants=(
            Variant(
                "after a look at both", (*(Call("crm_get", {"id": row["id"]}) for row in (source, target)), made(rule))
            ),
            Variant("the other access", (made(rule | {"access": other}),), None, "MISSING"),
            Variant("the other way round", (made(back),), None, "MISSING"),
            Variant("with or without those below", (made(rule | {"source_kind": one_role}),), None, "MISSING"),
        ),
        distractors=(picks.distract("rules that stay", "crm_sharing_rule", picks.every(world, "crm_sharing_rule")),),
        because={
            "source_id": "the instruction names the role",
            "target_id": "the instruction names who should see the records",
            "source_kind": "the role alone, or with those below",
            "target_kind": "a role or a public group, as the instruction says",
            "access": "to read, or to read and change",
            "object": "the instruction names the object",
        },
    )


_TYPES = ("Technical", "Delivery", "Returns", "General", "Calibration", "Billing")
_ORIGINS = ("Email", "Phone", "Web", "In Person")


@template("crm/route-before", kind="mutate", level=4)
def route_before(world: Store, stream: Stream) -> Draft:
    """Put a new entry before a certain other one of the active assignment rule of cases."""
    rule = next(iter(world.select("crm_assignment_rule", object="case", is_active=1)))
    entries = sorted(world.select("crm_assignment_entry", rule_id=rule["id"]), key=lambda row: int(row["sort"]))
    at = stream.uniform_int(1, len(entries))
    kind, origin, region = stream.choice(_TYPES), stream.choice(_ORIGINS), stream.choice(("AMER", "EMEA", "APAC"))
    owner = picks.draw(stream, [row for row in users(world) if row["title"] != "Deal Desk Analyst"], "active user")
    parts = [("account.region", region), ("origin", origin), ("type", kind)]
    criteria = [{"field": field, "op": "equals", "value": value} for field, value in parts]
    stored = json.dumps(criteria, sort_keys=True, separators=(",", ":"))
    moved = [row for row in entries if int(row["sort"]) >= at]
    elsewhere = [row for row in picks.every(world, "crm_assignment_entry") if row["rule_id"] != rule["id"]]
    goal: Goal = (
        expected_row("crm_assignment_entry", rule_id=rule["id"], sort=at, criteria=stored, owner_id=owner["id"]),
        *(changed("crm_assignment_entry", row["id"], sort=int(row["sort"]) + 1) for row in moved),
    )

    def made(position: int | None, asked: list[dict[str, str]]) -> Call:
        values: dict[str, Any] = {"rule_id": rule["id"], "criteria": asked, "owner_id": owner["id"]}
        return Call("crm_create", {"object": "assignment_entry", "values": values | _place(position)})

    place = {1: "the first", 2: "the second", 3: "the third"}.get(at, f"number {at}")
    return Draft(
        instruction=f'New cases should be routed more finely. In the assignment rule "{rule["name"]}", cases of the '
        f"type {kind} that came in by the origin {origin}, and whose account is in the region {region}, go to "
        f"{owner['name']}. Such cases have to be asked for before what is {place} entry now, and after the entries "
        "that come before that one. The entries that are there keep their order and what they say.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=(goal,)),
        oracle=(made(at, criteria),),
        variants=(
            Variant("criteria in another order", (made(at, criteria[::-1]),)),
            Variant("at the end", (made(None, criteria),), None, "MISSING"),
            Variant("without the region", (made(at, criteria[1:]),), None, "MISSING"),
        ),
        distractors=(picks.distract("entries of other rules", "crm_assignment_entry", elsewhere),),
        because={
            "criteria": "type, origin and region, as the instruction says; all of them hold",
            "sort": "the place before the entry that is named; those behind it move on",
            "owner_id": "the instruction names the colleague",
            "rule_id": "the instruction names the rule",
        },
    )


def _place(position: int | None) -> dict[str, int]:
    return {} if position is None else {"position": position}


_RULES = {
    "Large deals name a next step": ("amount", range(50_000, 950_000, 25_000), "from an amount of {:,} upwards"),
    "Head count is plausible": ("employees", range(20_000, 480_000, 5_000), "with more than {:,} employees"),
    "Amount is plausible": ("amount", range(10_000_000, 800_000_000, 5_000_000), "with an amount above {:,}"),
}


@template("crm/mend-rule", kind="mutate", level=2)
def mend_rule(world: Store, stream: Stream) -> Draft:
    """Give a validation rule another limit and another message, and see that it is active."""
    rule = picks.draw(
        stream, [row for row in picks.every(world, "crm_validation_rule") if row["name"] in _RULES], "rule"
    )
    field, limits, words = _RULES[rule["name"]]
    old = json.loads(rule["criteria"])
    was = next(item["value"] for item in old if item["field"] == field)
    limit = stream.choice([number for number in limits if number != int(was)])
    message = f"This needs a second look. Ask for approval under number {stream.uniform_int(1000, 9999)}."

    def with_limit(number: int) -> list[dict[str, Any]]:
        return [item | {"value": str(number)} if item["field"] == field else item for item in old]

    def asked(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: value for key, value in item.items() if key != "type"} for item in items]

    def save(items: list[dict[str, Any]], **more: Any) -> Call:
        values = {"criteria": asked(items), "message": message} | ({} if rule["is_active"] else {"is_active": True})
        return Call("crm_update", {"id": rule["id"], "row_version": rule["row_version"], "values": values | more})

    form = criteria_form(world, dict(rule) | {"criteria": json.dumps(with_limit(limit))})
    others = [row for row in picks.every(world, "crm_validation_rule") if row["id"] != rule["id"]]
    given = {"conditions": form, "message": message} | ({} if rule["is_active"] else {"is_active": 1})
    return Draft(
        instruction=f'Our validation rule "{rule["name"]}" is not what we need. It should hold for records '
        f"{words.format(limit)}; what else it asks for stays. People should then read: {message} The rule has to be "
        "active, and the message stays at the field where it is shown.",
        person_id=picks.administrator(world),
        expectation=Expectation(any_of=((changed("crm_validation_rule", rule["id"], **given),),)),
        oracle=(save(with_limit(limit)),),
        variants=(
            Variant("criteria in another order", (save(with_limit(limit)[::-1]),)),
            Variant("the limit alone lost", (save(with_limit(limit * 10)),), None, "WRONG_VALUE"),
            Variant("the old limit", (save(old),), None, "MISSING"),
        ),
        distractors=(picks.distract("other rules", "crm_validation_rule", others),),
        because={"conditions": "the criteria that the rule has then, in normal form"}
        | ({} if rule["is_active"] else {"is_active": "the rule has to be active"}),
    )
