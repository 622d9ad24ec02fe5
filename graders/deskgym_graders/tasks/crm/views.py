"""Saved list views: one built and shared, one put right; graded by the normal form of their conditions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from deskgym_apps.crm.rules_views import Filter, normal_form
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import OneOf, RefTo
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

REGIONS = ("AMER", "EMEA", "APAC")
_COLUMNS = {
    "name": "Opportunity name",
    "account.name": "Account",
    "stage": "Stage",
    "amount": "Amount",
    "close_date": "Close date",
    "owner.name": "Opportunity owner",
    "next_step": "Next step",
    "last_activity_on": "Last activity",
}
_PERIODS = (
    ("NEXT FISCAL QUARTER", "in the next fiscal quarter"),
    ("THIS FISCAL QUARTER", "in the current fiscal quarter"),
    ("NEXT MONTH", "in the next calendar month"),
    ("THIS MONTH", "in the current calendar month"),
)
OPEN = Filter("is_closed", "bool", "equals", False)
_NOT_CLOSED = Filter("stage", "picklist", "not_in", ["Closed Won", "Closed Lost"])
LATE = Filter("close_date", "date", "lt", "TODAY")
_NEVER = Filter("last_activity_on", "date", "blank")


def asked(filters: Iterable[Filter]) -> list[dict[str, Any]]:
    """Filters as a tool takes them."""
    return [
        {"field": item.field, "op": item.op} | ({} if item.value is None else {"value": item.value}) for item in filters
    ]


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _builders(world: Store) -> list[Row]:
    """Active users of the CRM."""
    rows = [row for row in picks.every(world, "crm_user") if row["is_active"]]
    return [picks.person(world, person) for person in sorted(str(row["person_id"]) for row in rows)]


@template("crm/share-view", kind="mutate", level=2)
def share_view(world: Store, stream: Stream) -> Draft:
    """Build a list view of deals at risk and share it with one public group."""
    person = picks.draw(stream, _builders(world), "active user")
    groups = picks.by_id(list(world.select("crm_group", kind="public_group")))
    group, region = picks.draw(stream, groups, "public group"), stream.choice(REGIONS)
    amount, days = 5_000 * stream.uniform_int(4, 30), stream.choice((14, 21, 30, 45, 60, 90))
    name = f"{region} at risk {stream.uniform_int(10, 99)}"
    keys = ["name", *stream.sample([key for key in _COLUMNS if key != "name"], 5)]
    ours, big = (
        Filter("account.region", "picklist", "equals", region),
        Filter("amount", "money", "gte", str(amount)),
    )
    idle = Filter("last_activity_on", "date", "lt", f"LAST {days} DAYS")
    not_within = Filter("last_activity_on", "date", "not_equal", f"LAST {days} DAYS")
    logic, short = "1 AND 2 AND 3 AND (4 OR 5 OR 6)", "1 AND 2 AND 3 AND (4 OR 5)"
    right = [
        normal_form([first, ours, big, *rest], shape, "all")
        for first in (OPEN, _NOT_CLOSED)
        for rest, shape in (((idle, _NEVER, LATE), logic), ((not_within, LATE), short))
    ]
    view = {"object": "opportunity", "name": name, "visibility": "groups", "group_ids": [group["id"]]}
    view |= {"columns": keys, "sort": [{"field": "close_date", "direction": "asc"}]}

    def made(filters: Iterable[Filter], joined: str | None, **more: Any) -> Call:
        values = view | {"filters": asked(filters), "filter_logic": joined} | more
        return Call("crm_create", {"object": "list_view", "values": values}, "v")

    usual = (OPEN, ours, big, idle, _NEVER, LATE)
    other_words = (LATE, not_within, _NOT_CLOSED, big, ours)
    yesterday = Filter("close_date", "date", "lte", "YESTERDAY")
    others = [row for row in groups if row["id"] != group["id"]]
    return Draft(
        instruction=f'Please build a list view of opportunities called "{name}" and share it with the public group '
        f"{group['name']}, and only with that. It shows open opportunities of accounts in the region {region} with an "
        f"amount of at least {amount:,}, whichever the currency, that are at risk: there was no activity in the last "
        f"{days} days, or none ever, or the close date has passed. It has to stay right as days go by. The columns "
        f"are, in this order, {', '.join(_COLUMNS[key] for key in keys)}; the earliest close date comes first.",
        person_id=person["id"],
        expectation=Expectation(
            any_of=(
                (
                    expected_row(
                        "crm_list_view",
                        save_as="v",
                        object="opportunity",
                        name=name,
                        visibility="groups",
                        conditions=OneOf(tuple(right)),
                        columns=_json(keys),
                        sort=_json([["close_date", "asc"]]),
                    ),
                    expected_row("crm_list_view_share", list_view_id=RefTo("v"), group_id=group["id"]),
                ),
            )
        ),
        oracle=(made(usual, logic),),
        variants=(
            Variant("in other words", (made(other_words, "(1 OR 2) AND 3 AND 4 AND 5"),)),
            Variant("until yesterday", (made((*usual[:-1], yesterday), logic),)),
            Variant("the region as a list", (made((OPEN, *_in(ours), big, idle, _NEVER, LATE), logic),)),
            Variant("brackets forgotten", (made(usual, "1 AND 2 AND 3 AND 4 OR 5 OR 6"),), reason="MISSING"),
            Variant("never active ones forgotten", (made((OPEN, ours, big, idle, LATE), short),), reason="MISSING"),
            Variant("days written out", (made(_today(world, person, usual), logic),), reason="MISSING"),
            Variant("for everybody", (made(usual, logic, visibility="all", group_ids=[]),), reason="MISSING"),
            Variant("columns in another order", (made(usual, logic, columns=keys[::-1]),), reason="MISSING"),
            Variant(
                "another group as well",
                (made(usual, logic, group_ids=[group["id"], others[0]["id"]]),),
                reason="COLLATERAL",
            ),
        ),
        distractors=(picks.distract("other public groups", "crm_group", others),),
        because={
            "visibility": "it is shared with a group",
            "conditions": "the filters that the instruction describes, in normal form",
            "columns": "the keys of the columns that the instruction names",
            "sort": "the earliest close date first",
        },
    )


def _in(item: Filter) -> tuple[Filter, ...]:
    return (Filter(item.field, item.type, "in", [item.value]),)


def _today(world: Store, person: Row, filters: Iterable[Filter]) -> list[Filter]:
    """The same filters with today's date in place of the word: right for a day."""
    day = picks.today(world, person["id"])
    return [Filter(item.field, item.type, item.op, day) if item.value == "TODAY" else item for item in filters]


@per_world
def _stale(world: Store) -> list[tuple[Row, list[Filter]]]:
    """Views of active people that filter by an amount, with their filters; all of these hold at once."""
    found = []
    for row in picks.every(world, "crm_list_view"):
        parts = sorted(world.select("crm_list_view_filter", list_view_id=row["id"]), key=lambda part: int(part["pos"]))
        filters = [
            Filter(
                part["field"], part["type"], part["op"], None if part["value"] is None else json.loads(part["value"])
            )
            for part in parts
        ]
        if row["filter_logic"] is None and any(item.field == "amount" for item in filters):
            found.append((row, filters))
    return sorted(found, key=lambda item: str(item[0]["id"]))


@template("crm/mend-view", kind="mutate", level=2)
def mend_view(world: Store, stream: Stream) -> Draft:
    """Put the filters of one of a person's own list views right."""
    view, filters = picks.draw(stream, _stale(world), "list view that filters by an amount")
    old = next(item.value for item in filters if item.field == "amount")
    new = str(stream.choice([amount for amount in range(15_000, 155_000, 5_000) if str(amount) != old]))
    unit, word = stream.choice(_PERIODS)
    closing = Filter("close_date", "date", "equals", unit)

    def mended(amount: Filter, last: Filter | None) -> list[Filter]:
        rest = [amount if item.field == "amount" else item for item in filters]
        return [*rest, last] if last is not None else rest

    def save(wanted: list[Filter], save_as: str | None = None) -> Call:
        return Call(
            "crm_update",
            {"id": view["id"], "row_version": view["row_version"], "values": {"filters": asked(wanted)}},
            save_as,
        )

    least = Filter("amount", "money", "gte", new)
    right = mended(least, closing)
    both = Filter("close_date", "date", "between", [unit, unit])
    calendar = Filter(
        "close_date", "date", "equals", unit.replace("FISCAL QUARTER", "QUARTER").replace("MONTH", "WEEK")
    )
    others = [row for row, _ in _stale(world) if row["id"] != view["id"]]
    others.sort(key=lambda row: (row["owner_id"] != view["owner_id"], row["name_norm"] != view["name_norm"]))
    return Draft(
        instruction=f'My list view "{view["name"]}" has gone stale: it shows opportunities from {int(old):,} upwards. '
        f"Please change it, so that it shows those with an amount of at least {int(new):,}, and of these only the ones "
        f"that close {word}, whenever I look. Its other filters stay, and so does everything else about it.",
        person_id=view["owner_id"],
        expectation=Expectation(
            any_of=((changed("crm_list_view", view["id"], conditions=normal_form(right, None, view["scope"])),),)
        ),
        oracle=(save(right),),
        variants=(
            Variant("in another order", (save(right[::-1]),)),
            Variant("from the beginning to the end", (save(mended(least, both)),)),
            Variant(
                "the amount first, then the date",
                (
                    save(mended(least, None), "first"),
                    Call(
                        "crm_update",
                        {
                            "id": view["id"],
                            "row_version": view["row_version"] + 1,
                            "values": {"filters": asked(right)},
                        },
                    ),
                ),
            ),
            Variant(
                "above for at least",
                (save(mended(Filter("amount", "money", "gt", new), closing)),),
                None,
                "WRONG_VALUE",
            ),
            Variant("another period", (save(mended(least, calendar)),), None, "WRONG_VALUE"),
            Variant("the date alone", (save([*filters, closing]),), None, "WRONG_VALUE"),
            Variant("nothing but the new filters", (save([least, closing]),), None, "WRONG_VALUE"),
        ),
        distractors=(picks.distract("other list views by amount", "crm_list_view", others),),
        because={"conditions": "the filters that the view has then, in normal form"},
    )
