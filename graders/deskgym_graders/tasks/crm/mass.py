"""Many records at once: overdue dates pushed with an exception, accounts given away by a rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from deskgym_apps.crm.rules_views import Filter
from deskgym_apps.kit.dates import add_days, fiscal_quarter, long_date
from deskgym_apps.kit.store import Store
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Variant, for_each
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row
from .views import LATE, OPEN, REGIONS, asked


@per_world
def _overdue(world: Store) -> list[tuple[str, str, list[Row], list[Row]]]:
    """Regions and forecast categories: the overdue open deals there, without those of the category; and these."""
    admin = picks.administrator(world)
    today, accounts = picks.today(world, admin), picks.accounts_by_id(world)
    found = []
    for region in REGIONS:
        rows = [
            row
            for row in picks.deals(world, is_open=True)
            if row["close_date"] < today and row["account_id"] and accounts[row["account_id"]]["region"] == region
        ]
        if not all(picks.active_owner(world, row) for row in rows):
            continue
        for category in ("Pipeline", "Best Case", "Commit"):
            kept = [row for row in rows if row["forecast_category"] == category]
            moved = [row for row in rows if row not in kept]
            if moved and kept:
                found.append((region, category, moved, kept))
    return found


@template("crm/push-overdue", kind="mutate", level=4)
def push_overdue(world: Store, stream: Stream) -> Draft:
    """Move the close date of a region's overdue deals but for one forecast category, and tell the owners by task."""
    region, category, moved, kept = picks.draw(stream, _overdue(world), "region with overdue deals of two categories")
    admin = picks.administrator(world)
    today = picks.today(world, admin)
    start = int(world.meta("fiscal_start_month"))
    day = fiscal_quarter(add_days(fiscal_quarter(today, start)[1], 1), start)[1]
    due, subject = (
        add_days(today, stream.uniform_int(2, 9)),
        f"Review pushed deals, list {stream.uniform_int(100, 999)}",
    )
    owners = sorted({str(row["owner_id"]) for row in moved})
    tasks = [{"subject": subject, "due_date": due, "owner_id": owner} for owner in owners]
    told = tuple(Call("crm_create", {"object": "task", "values": values}) for values in tasks)
    where = (OPEN, Filter("account.region", "picklist", "equals", region), LATE)
    but = Filter("forecast_category", "picklist", "not_equal", category)

    def push(filters: Iterable[Filter], count: int) -> Call:
        values = {"object": "opportunity", "filter": asked(filters), "values": {"close_date": day}}
        return Call("crm_bulk_update", values | {"expected_count": count})

    ids = sorted(row["id"] for row in moved)
    chosen = {"object": "opportunity", "ids": ids, "values": {"close_date": day}, "expected_count": len(ids)}
    by_id = Call("crm_bulk_update", chosen)
    others = [row for row in picks.deals(world, is_open=True) if row not in moved and row not in kept]
    return Draft(
        instruction=f"Open opportunities of accounts in the region {region} whose close date has passed have to be "
        f"pushed to the last day of the next fiscal quarter, all but those in the forecast category {category}, which "
        f'stay as they are. Then give each owner of a deal that was pushed one task "{subject}", due on '
        f"{long_date(due)}, that is related to nothing.",
        person_id=admin,
        expectation=Expectation(
            any_of=(
                (
                    *for_each(moved, lambda row: changed("crm_opportunity", row["id"], close_date=day)),
                    *(expected_row("crm_task", **values) for values in tasks),
                ),
            )
        ),
        oracle=(by_id, *told),  # few records are ticked in the list: the pages name them
        variants=(
            Variant("the tasks first, and by a filter", (*told, push((*where, but), len(moved)))),
            Variant("one by one", (*(picks.set_fields(row, {"close_date": day}) for row in moved), *told)),
            Variant("all categories", (push(where, len(moved) + len(kept)), *told), None, "COLLATERAL"),
            Variant("nobody told", (by_id,), None, "MISSING"),
        ),
        distractors=(
            picks.distract("overdue, in the category that stays", "crm_opportunity", kept),
            picks.distract("not overdue, or elsewhere", "crm_opportunity", others),
        ),
        because={
            "close_date": "the last day of the next fiscal quarter",
            "owner_id": "each owner of a deal that was pushed",
        },
    )


@per_world
def _handovers(world: Store) -> list[tuple[Row, str, int, list[Row], list[Row]]]:
    """Sellers, types of account and a number of employees that 3 to 12 of their accounts of the type have or exceed."""
    found = []
    for seller in picks.sellers(world):
        own = picks.live(world, "crm_account", owner_id=seller["id"])
        for kind in sorted({str(row["type"]) for row in own if row["type"]}):
            rows = [row for row in own if row["type"] == kind]
            for edge in sorted({int(row["employees"]) for row in rows if row["employees"]}):
                over = [row for row in rows if row["employees"] and row["employees"] >= edge]
                rest = [row for row in own if row not in over]
                if 3 <= len(over) <= 12 and any(row["type"] == kind and row["employees"] for row in rest):
                    found.append((seller, kind, edge, over, rest))
    return found


@template("crm/hand-over-accounts", kind="mutate", level=3)
def hand_over_accounts(world: Store, stream: Stream) -> Draft:
    """Give the larger accounts of one type from one seller to another."""
    seller, kind, edge, over, rest = picks.draw(stream, _handovers(world), "seller with 3 to 12 accounts over an edge")
    colleague = picks.draw(stream, [row for row in picks.sellers(world) if row["id"] != seller["id"]], "other seller")
    conditions: list[Mapping[str, Any]] = [
        {"field": "owner.name", "op": "equals", "value": seller["name"]},
        {"field": "type", "op": "equals", "value": kind},
        {"field": "employees", "op": "gte", "value": edge},
    ]

    def give(count: int, filters: list[Mapping[str, Any]], to: str = str(colleague["id"])) -> Call:
        args = {"object": "account", "filter": filters, "values": {"owner_id": to}, "expected_count": count}
        return Call("crm_bulk_update", args)

    below = [row for row in rest if row["type"] == kind and row["employees"]]
    below.sort(key=lambda row: (-int(row["employees"]), str(row["id"])))
    above = [row for row in over if row["employees"] > edge]
    other_kind = [row for row in rest if row["type"] != kind]
    return Draft(
        instruction=f"{colleague['name']} takes over the larger accounts of {seller['name']}: every account of the "
        f"type {kind} that {seller['name']} owns and that has {edge:,} employees or more. Please make "
        f"{colleague['name']} the owner of these accounts. Smaller ones, those of other types and those where the "
        "number of employees is not known stay; contacts, opportunities and activities stay with whom they are.",
        person_id=picks.administrator(world),
        expectation=Expectation(
            any_of=(for_each(over, lambda row: changed("crm_account", row["id"], owner_id=colleague["id"])),)
        ),
        oracle=(_given(over, colleague),),  # few records are ticked in the list: the pages name them
        variants=(
            Variant("by a filter", (give(len(over), conditions),)),
            Variant("one by one", tuple(picks.set_fields(row, {"owner_id": colleague["id"]}) for row in over[::-1])),
            *((Variant("more than that number only", (_given(above, colleague),), None, "MISSING"),) if above else ()),
            Variant(
                "one too small as well",
                (_given(over, colleague), _given(below[:1], colleague)),
                None,
                "COLLATERAL",
            ),
        ),
        distractors=(
            picks.distract("the next smaller ones", "crm_account", below),
            *((picks.distract("of other types", "crm_account", other_kind),) if other_kind else ()),
        ),
    )


def _given(rows: list[Row], colleague: Row) -> Call:
    ids = sorted(row["id"] for row in rows)
    values = {"owner_id": colleague["id"]}
    return Call("crm_bulk_update", {"object": "account", "ids": ids, "values": values, "expected_count": len(ids)})
