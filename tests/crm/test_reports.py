"""What reports come to (CRM-13): every figure against sums that are computed apart from the services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.errors import BadQuery, Invalid, NotFound

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    INES,
    KESTREL,
    LUIS,
    MEI,
    OLGA,
    PRIYA,
    ROWAN,
    TERN,
    WES,
    World,
    account,
    ident,
    task,
    with_lines,
)
from .report_world import RATES, all_deals, by, deal_rows, figures, in_usd, labels, money

SUMS = ["count", "sum:amount", "avg:amount", "min:amount", "max:amount", "unique:account_id"]


@pytest.fixture
def deals(world_with: Callable[..., World]) -> World:
    """The hand-made world with more deals and more rates."""
    return world_with({"crm_opportunity": deal_rows(), "org_fx_rate": RATES})


def run(world: World, by: str = ADA, **spec: Any) -> dict[str, Any]:
    """Run a definition."""
    outer = {name: spec.pop(name) for name in ("details", "limit", "offset", "max_groups") if name in spec}
    answer: dict[str, Any] = world.ask("run_report", by=by, spec={"object": "opportunity"} | spec, **outer)
    return answer


def expected(world: World, rows: list[dict[str, Any]]) -> dict[str, Any]:
    full = [in_usd(world, row) for row in rows if row["amount"] is not None]
    return {
        "count": len(rows),
        "sum:amount": money(sum(full)),
        "avg:amount": money((2 * sum(full) + len(full)) // (2 * len(full))) if full else None,
        "min:amount": money(min(full)) if full else None,
        "max:amount": money(max(full)) if full else None,
        "unique:account_id": len({row["account_id"] for row in rows} - {None}),
    }


def test_crm_13_a_summary_counts_sums_and_averages_every_group_and_all(deals: World) -> None:
    answer = run(deals, rows=[{"field": "stage"}], measures=SUMS)
    rows = all_deals(deals)
    for stage, some in by(rows, lambda row: row["stage"]):
        assert figures(answer, stage) == expected(deals, some), stage
    assert answer["totals"] == expected(deals, rows)
    assert (answer["format"], answer["record_count"]) == ("summary", len(rows))
    assert labels(answer) == ["Prospecting", "Qualification", "Negotiation/Review", "Closed Won", "Closed Lost"]


def test_crm_13_averages_and_extremes_ignore_empty_values(deals: World) -> None:
    rows = [row for row in all_deals(deals) if row["owner_id"] == LUIS]
    assert [row["amount"] for row in rows].count(None) == 1
    answer = run(deals, rows=[{"field": "owner_id"}], measures=["count", "avg:amount", "min:amount"])
    full = [in_usd(deals, row) for row in rows if row["amount"] is not None]
    assert figures(answer, "Luis Ortega") == {
        "count": len(rows),
        "avg:amount": money((2 * sum(full) + len(full)) // (2 * len(full))),
        "min:amount": money(min(full)),
    }


def test_crm_13_amounts_of_several_currencies_are_converted_at_the_rate_of_the_close_date(deals: World) -> None:
    """Beta closes as a rate begins, Zeta at a later one, Eta before the first: each record is rounded once."""
    answer = run(
        deals,
        rows=[{"field": "name"}],
        filters=[{"field": "name", "op": "in", "value": ["Beta", "Gamma", "Zeta", "Eta"]}],
        measures=["sum:amount"],
    )
    assert answer["measures"][0] == {
        "measure": "sum:amount",
        "label": "Sum of amount",
        "type": "money",
        "currency": "USD",
        "converted": True,
    }
    # 3,333.33 x 1.234567; 100,000 x 0.007777; 7,777.77 x 1.050001; in dollars already
    assert {label: figures(answer, label)["sum:amount"] for label in labels(answer)} == {
        "Beta": "4115.22",
        "Gamma": "777.70",
        "Zeta": "8166.67",
        "Eta": "50.00",
    }
    assert answer["totals"]["sum:amount"] == "13109.59"


def test_crm_13_the_viewer_sees_converted_sums_in_their_currency_and_one_currency_as_it_is(deals: World) -> None:
    euros = [{"field": "currency", "op": "equals", "value": "EUR"}]
    mixed = run(deals, by=OLGA, measures=["sum:amount"])
    assert (mixed["measures"][0]["currency"], mixed["measures"][0]["converted"]) == ("EUR", True)
    plain = run(deals, by=MEI, filters=[*euros, {"field": "owner_id", "op": "equals", "value": MEI}])
    assert plain["record_count"] == 0
    single = run(deals, by=ADA, filters=euros, measures=["sum:amount"])
    total = sum(row["amount"] or 0 for row in all_deals(deals) if row["currency"] == "EUR")
    assert (single["measures"][0]["currency"], single["measures"][0]["converted"]) == ("EUR", False)
    assert single["totals"]["sum:amount"] == money(total)


def test_crm_13_subtotals_add_up_to_their_totals(deals: World) -> None:
    answer = run(
        deals,
        rows=[{"field": "owner_id"}, {"field": "stage"}, {"field": "currency"}],
        measures=["count", "sum:amount"],
    )
    for level in (1, 2, 3):
        groups = [group["figures"] for group in answer["groups"] if group["level"] == level]
        assert sum(item["count"] for item in groups) == answer["totals"]["count"]
        cents = sum(round(float(item["sum:amount"]) * 100) for item in groups)
        assert money(cents) == answer["totals"]["sum:amount"]
    order = [[place["label"] for place in group["path"]] for group in answer["groups"]]
    assert order[:3] == [
        ["Dana Whitcombe"],
        ["Dana Whitcombe", "Prospecting"],
        ["Dana Whitcombe", "Prospecting", "JPY"],
    ]


def test_crm_13_records_without_a_value_are_the_group_called_dash_and_come_last(deals: World) -> None:
    answer = run(deals, rows=[{"field": "type"}])
    rows = all_deals(deals)
    assert labels(answer)[-1] == "-"
    assert figures(answer, "-") == {"count": sum(1 for row in rows if row["type"] is None)}
    assert answer["groups"][-1]["path"] == [{"key": None, "label": "-"}]
    without = run(deals, rows=[{"field": "account_id"}])
    assert figures(without, "-")["count"] == sum(1 for row in rows if row["account_id"] is None)


@pytest.mark.parametrize(
    ("unit", "key"),
    [
        ("day", lambda day: day),
        ("month", lambda day: day[:7] + "-01"),
        ("quarter", lambda day: f"{day[:4]}-{(int(day[5:7]) - 1) // 3 * 3 + 1:02d}-01"),
        ("year", lambda day: day[:4] + "-01-01"),
    ],
)
def test_crm_13_dates_fall_into_periods(deals: World, unit: str, key: Callable[[str], str]) -> None:
    answer = run(deals, rows=[{"field": "close_date", "by": unit}])
    wanted = {period: len(some) for period, some in by(all_deals(deals), lambda row: key(row["close_date"]))}
    assert {group["path"][0]["key"]: group["figures"]["count"] for group in answer["groups"]} == wanted
    assert [group["path"][0]["key"] for group in answer["groups"]] == sorted(wanted)


def test_crm_13_fiscal_quarters_and_years_begin_in_the_companys_month(deals: World) -> None:
    """The fiscal year begins on 1 February: 31 January and 1 February, 30 April and 1 May lie apart."""
    names = [{"field": "name", "op": "in", "value": ["Alpha", "Beta", "Epsilon", "Zeta"]}]
    quarters = run(deals, filters=names, rows=[{"field": "close_date", "by": "fiscal_quarter"}])
    assert [(group["path"][0]["key"], group["figures"]["count"]) for group in quarters["groups"]] == [
        ("2030-11-01", 1),
        ("2031-02-01", 2),
        ("2031-05-01", 1),
    ]
    assert labels(quarters) == ["Nov 2030 – Jan 2031", "Feb – Apr 2031", "May – Jul 2031"]
    years = run(deals, filters=names, rows=[{"field": "close_date", "by": "fiscal_year"}])
    assert [(group["path"][0]["key"], group["figures"]["count"]) for group in years["groups"]] == [
        ("2030-02-01", 1),
        ("2031-02-01", 3),
    ]


def test_crm_13_weeks_begin_as_the_viewers_do_and_instants_fall_on_the_viewers_day(world_with: Any) -> None:
    late = {"created_at": "2031-03-09T02:30:00Z", "updated_at": "2031-03-09T02:30:00Z"}  # Saturday night in Denver
    world = world_with({"crm_task": [task(90, "Late", DANA) | late]})
    spec: dict[str, Any] = {"object": "task", "filters": [{"field": "subject", "op": "equals", "value": "Late"}]}
    day = [{"field": "created_at", "by": "day"}]
    assert run(world, by=DANA, rows=day, **spec)["groups"][0]["path"][0]["key"] == "2031-03-08"
    assert run(world, by=ADA, rows=day, **spec)["groups"][0]["path"][0]["key"] == "2031-03-09"
    week = [{"field": "created_at", "by": "week"}]
    assert run(world, by=DANA, rows=week, **spec)["groups"][0]["path"][0]["key"] == "2031-03-02"  # a Sunday
    assert run(world, by=ADA, rows=week, **spec)["groups"][0]["path"][0]["key"] == "2031-03-03"  # a Monday


def test_crm_13_a_matrix_has_cells_and_totals_of_rows_and_columns(deals: World) -> None:
    answer = run(
        deals,
        rows=[{"field": "owner_id"}],
        across=[{"field": "close_date", "by": "fiscal_quarter"}],
        measures=["count", "sum:amount"],
    )
    rows = all_deals(deals)
    quarters = [path[0]["key"] for path in answer["across_groups"]]
    assert answer["format"] == "matrix"
    assert quarters == sorted(quarters)

    def quarter(row: dict[str, Any]) -> Any:
        ends = [one for one in quarters if one <= row["close_date"]]
        return ends[-1]

    for group in answer["groups"]:
        own = [row for row in rows if row["owner_id"] == group["path"][0]["key"]]
        for period, cell in zip(quarters, group["cells"], strict=True):
            some = [row for row in own if quarter(row) == period]
            full = sum(in_usd(deals, row) for row in some if row["amount"] is not None)
            assert cell == ({"count": len(some), "sum:amount": money(full)} if some else None)
        assert group["figures"]["count"] == len(own)
    for period, total in zip(quarters, answer["across_totals"], strict=True):
        assert total["count"] == sum(1 for row in rows if quarter(row) == period)
    assert answer["totals"]["count"] == len(rows)


def test_crm_13_a_matrix_takes_two_groups_across(deals: World) -> None:
    answer = run(deals, rows=[{"field": "stage"}], across=[{"field": "currency"}, {"field": "type"}])
    found = {tuple(place["label"] for place in path) for path in answer["across_groups"]}
    assert found == {(row["currency"], row["type"] or "-") for row in all_deals(deals)}
    assert sum(total["count"] for total in answer["across_totals"]) == answer["totals"]["count"]


def test_crm_13_a_tabular_report_lists_records_in_its_order_with_totals(deals: World) -> None:
    sort = [{"field": "close_date", "direction": "desc"}]
    answer = run(deals, columns=["name", "close_date"], sort=sort, measures=["count", "max:close_date"], limit=3)
    days = sorted((row["close_date"] for row in all_deals(deals)), reverse=True)
    assert [row["close_date"] for row in answer["details"]["rows"]] == days[:3]
    assert (answer["details"]["total"], answer["details"]["next_offset"]) == (len(days), 3)
    assert answer["totals"] == {"count": len(days), "max:close_date": days[0]}
    rest = run(deals, columns=["name", "close_date"], sort=sort, limit=200, offset=3)
    assert [row["close_date"] for row in rest["details"]["rows"]] == days[3:]


def test_crm_13_details_stand_group_by_group(deals: World) -> None:
    answer = run(deals, rows=[{"field": "stage"}], columns=["name", "stage"], details=True, limit=200)
    rows = answer["details"]["rows"]
    assert [row["stage"] for row in rows] == [path[0] for path in answer["details"]["paths"]]
    order = {label: at for at, label in enumerate(labels(answer))}
    assert [order[row["stage"]] for row in rows] == sorted(order[row["stage"]] for row in rows)
    assert len(rows) == len(all_deals(deals))


@pytest.mark.parametrize(
    ("dates", "test"),
    [
        ({"period": "THIS FISCAL QUARTER"}, lambda day: "2031-02-01" <= day <= "2031-04-30"),
        ({"period": "last month"}, lambda day: day[:7] == "2031-02"),
        ({"first": "2031-02-01", "last": "2031-03-10"}, lambda day: "2031-02-01" <= day <= "2031-03-10"),
        ({"first": "2031-05-01"}, lambda day: day >= "2031-05-01"),
        ({"last": "2030-12-31"}, lambda day: day <= "2030-12-31"),
    ],
)
def test_crm_13_a_date_range_is_a_period_or_days(deals: World, dates: Any, test: Callable[[str], bool]) -> None:
    answer = run(deals, date_field="close_date", date_range=dates)
    assert answer["record_count"] == sum(1 for row in all_deals(deals) if test(row["close_date"])) > 0
    assert run(deals, date_range=dates)["record_count"] == answer["record_count"]  # the usual date of deals


def test_crm_13_filters_are_joined_by_logic_and_the_date_range_holds_besides(deals: World) -> None:
    filters = [
        {"field": "owner_id", "op": "equals", "value": DANA},
        {"field": "stage", "op": "equals", "value": "Closed Won"},
    ]
    answer = run(deals, filters=filters, filter_logic="1 OR 2", date_range={"period": "THIS FISCAL QUARTER"})
    wanted = [
        row
        for row in all_deals(deals)
        if (row["owner_id"] == DANA or row["stage"] == "Closed Won")
        and "2031-02-01" <= row["close_date"] <= "2031-04-30"
    ]
    assert answer["record_count"] == len(wanted) > 0


def test_crm_13_cross_filters_keep_rows_with_or_without_children(deals: World) -> None:
    accounts = {ALDERCROFT, BRIGHTMOOR, TERN}
    won = {"field": "stage", "op": "equals", "value": "Closed Won"}
    small = {"field": "amount", "op": "lt", "value": 100}

    def ids(has: bool, *filters: dict[str, Any]) -> set[str]:
        cross = {"object": "opportunity", "has": has, "filters": list(filters)}
        answer = run(deals, object="account", cross_filter=cross, columns=["name"])
        return {row["id"] for row in answer["details"]["rows"]}

    rows = all_deals(deals)
    with_small = {row["account_id"] for row in rows if row["currency"] == "USD" and (row["amount"] or 10**9) < 10_000}
    assert ids(True) == accounts
    assert ids(False) == set()
    assert ids(True, won, small) == with_small & accounts == {TERN}
    assert ids(False, won, small) == accounts - {TERN}


def test_crm_13_cross_filters_count_no_children_that_are_deleted_or_that_the_viewer_may_not_read(deals: World) -> None:
    cross = {"object": "opportunity", "has": False}
    assert run(deals, object="account", cross_filter=cross)["record_count"] == 0
    for row in all_deals(deals):
        if row["account_id"] == TERN and row["stage"] != "Closed Won":
            deals.delete(row["id"], by=ADA)
    won = {"field": "stage", "op": "not_equal", "value": "Closed Won"}
    answer = run(deals, object="account", cross_filter=cross | {"filters": [won]}, columns=["name"])
    assert [row["id"] for row in answer["details"]["rows"]] == [TERN]


def test_crm_13_contacts_have_the_deals_that_they_play_a_part_in(world: World) -> None:
    world.run("set_contact_role", {"opportunity_id": KESTREL, "contact_id": ident("CON", 1), "role": "Evaluator"})
    answer = run(world, object="contact", cross_filter={"object": "opportunity", "has": True}, columns=["name"])
    assert ident("CON", 1) in {row["id"] for row in answer["details"]["rows"]}
    rest = run(world, object="contact", cross_filter={"object": "opportunity", "has": False})
    assert answer["record_count"] + rest["record_count"] == 3


def test_crm_13_buckets_of_numbers_and_of_values(deals: World) -> None:
    sizes = [{"label": "Small", "below": "1000"}, {"label": "Middling", "below": 10_000}, {"label": "Large"}]
    answer = run(deals, rows=[{"field": "amount", "buckets": sizes}])

    def size(row: dict[str, Any]) -> str:
        if row["amount"] is None:
            return "-"
        major = row["amount"] / (1 if row["currency"] == "JPY" else 100)
        return "Small" if major < 1000 else "Middling" if major < 10_000 else "Large"

    wanted = {name: len(some) for name, some in by(all_deals(deals), size)}
    assert {label: figures(answer, label)["count"] for label in labels(answer)} == wanted
    assert labels(answer) == ["Small", "Middling", "Large", "-"]
    ends = [{"label": "Over", "values": ["Closed Won", "closed lost"]}]
    answer = run(deals, rows=[{"field": "stage", "buckets": ends}])
    over = sum(1 for row in all_deals(deals) if row["stage"].startswith("Closed"))
    assert {label: figures(answer, label)["count"] for label in labels(answer)} == {
        "Over": over,
        "Other": len(all_deals(deals)) - over,
    }


def test_crm_13_the_top_groups_by_a_figure_and_totals_of_these_alone(deals: World) -> None:
    spec: dict[str, Any] = {"rows": [{"field": "owner_id"}, {"field": "stage"}], "measures": ["sum:amount", "count"]}
    order = {"by": "sum:amount", "direction": "desc"}
    whole = run(deals, group_order=order, **spec)
    sums = {
        owner: sum(in_usd(deals, row) for row in some if row["amount"] is not None)
        for owner, some in by(all_deals(deals), lambda row: row["owner_id"])
    }
    ranked = sorted(sums, key=lambda owner: -sums[owner])
    assert [group["path"][0]["key"] for group in whole["groups"] if group["level"] == 1] == ranked
    top = run(deals, group_order=order, top=2, **spec)
    assert [group["path"][0]["key"] for group in top["groups"] if group["level"] == 1] == ranked[:2]
    assert top["totals"]["sum:amount"] == money(sum(sums[owner] for owner in ranked[:2]))
    last = run(deals, group_order={"by": "sum:amount", "direction": "asc"}, top=1, **spec)
    assert last["groups"][0]["path"][0]["key"] == ranked[-1]


def test_crm_13_the_top_records_of_a_tabular_report(deals: World) -> None:
    answer = run(deals, sort=[{"field": "close_date", "direction": "asc"}], top=2, columns=["close_date"])
    days = sorted(row["close_date"] for row in all_deals(deals))
    assert [row["close_date"] for row in answer["details"]["rows"]] == days[:2]
    assert answer["totals"] == {"count": 2}


def test_crm_13_a_report_runs_with_the_viewers_access(world_with: Callable[..., World]) -> None:
    """Dana sees her deals, her manager the team's, an analyst without a share her own: none."""
    world = world_with({"crm_opportunity": deal_rows(), "org_fx_rate": RATES})
    rows = all_deals(world)
    for person, sees in ((DANA, {DANA}), (MEI, {MEI}), (PRIYA, {DANA, LUIS, WES}), (ADA, {DANA, LUIS, WES, MEI})):
        answer = run(world, by=person, rows=[{"field": "owner_id"}])
        assert {group["path"][0]["key"] for group in answer["groups"]} == sees
        assert answer["totals"]["count"] == sum(1 for row in rows if row["owner_id"] in sees)


def test_crm_13_fields_that_the_profile_hides_enter_no_figure(world: World) -> None:
    """Representatives do not see the lead source, support not the annual revenue."""
    report = world.create(
        "report",
        by=ADA,
        object="account",
        name="Revenue",
        visibility="public",
        rows=[{"field": "region"}],
        measures=["count", "sum:annual_revenue"],
        columns=["name", "annual_revenue"],
        details=True,
    )
    mine, theirs = (world.ask("run_report", by=person, id=report) for person in (ADA, INES))
    assert [item["measure"] for item in mine["measures"]] == ["count", "sum:annual_revenue"]
    assert [item["measure"] for item in theirs["measures"]] == ["count"]
    assert theirs["left_out"] == ["sum:annual_revenue", "annual_revenue"]
    assert "12500000" not in str(theirs)
    for hidden in (
        {"rows": [{"field": "annual_revenue"}]},
        {"filters": [{"field": "annual_revenue", "op": "gt", "value": 5}]},
        {"rows": [{"field": "region"}], "measures": ["count", "sum:annual_revenue"]},
        {"sort": [{"field": "annual_revenue"}]},
    ):
        with pytest.raises(BadQuery, match="annual_revenue"):
            run(world, by=INES, object="account", **hidden)
    grouped = world.create(
        "report", by=ADA, object="account", name="By revenue", visibility="public", rows=[{"field": "annual_revenue"}]
    )
    with pytest.raises(BadQuery, match="cannot be shown to you"):
        world.ask("run_report", by=INES, id=grouped)


def test_crm_13_the_names_behind_lookups_show_only_to_those_who_may_read_them(world_with: Callable[..., World]) -> None:
    deal = next(row for row in deal_rows() if row["name"] == "Alpha")
    world = world_with(
        {"crm_opportunity": [deal], "crm_task": [task(91, "Call", LUIS, what_id=TERN)]}, account="private"
    )
    answer = run(world, by=LUIS, object="task", rows=[{"field": "what_name"}])
    assert TERN not in world.ids("account", by=LUIS)
    assert "Tern Logistics" not in labels(answer)
    assert "Tern Logistics" in labels(run(world, object="task", rows=[{"field": "what_name"}]))


def test_crm_13_lines_of_deals_are_counted_with_fields_of_their_deal(world_with: Callable[..., World]) -> None:
    world = world_with(with_lines(KESTREL))
    spec: dict[str, Any] = {"object": "opportunity_line", "rows": [{"field": "opportunity.stage"}]}
    answer = run(world, measures=["sum:total", "sum:quantity"], **spec)
    assert figures(answer, "Qualification") == {"sum:total": "12345.67", "sum:quantity": "1"}
    world.delete(KESTREL, by=ADA)
    assert run(world, **spec)["record_count"] == 0


def test_crm_2_8_converted_leads_remain_in_reports(world: World) -> None:
    lead = world.create("lead", last_name="Farr", company="Farr Pumps")
    given = {"account": "new", "contact": "new", "opportunity": "none", "row_version": world.version(lead)}
    world.ask("convert_lead", by=DANA, lead_id=lead, **given)
    assert lead not in world.ids("lead", by=ADA)
    answer = run(world, object="lead", rows=[{"field": "is_converted"}])
    assert figures(answer, "Yes") == {"count": 1}


def test_crm_13_deleted_records_are_in_no_report(deals: World) -> None:
    rows = all_deals(deals)
    gone = next(row for row in rows if row["name"] == "Alpha")
    deals.delete(gone["id"], by=ADA)
    answer = run(deals, rows=[{"field": "owner_id"}])
    assert answer["totals"]["count"] == len(rows) - 1


def test_crm_13_scope_mine_is_that_of_the_person_who_runs_it(deals: World) -> None:
    report = deals.create("report", by=ADA, object="opportunity", name="Mine", visibility="public", scope="mine")
    for person in (DANA, WES):
        mine = sum(1 for row in all_deals(deals) if row["owner_id"] == person)
        assert deals.ask("run_report", by=person, id=report)["record_count"] == mine


def test_crm_13_namesakes_are_two_groups(world_with: Callable[..., World]) -> None:
    twin = account(77, "Tern Logistics", WES, region="EMEA")
    deal = deal_rows()[0] | {"account_id": twin["id"]}
    other = deal_rows()[4]
    world = world_with({"crm_account": [twin], "crm_opportunity": [deal, other]})
    names = [{"field": "name", "op": "in", "value": ["Alpha", "Epsilon"]}]
    answer = run(world, rows=[{"field": "account.name"}], filters=names)
    assert len(answer["groups"]) == 2
    assert len(set(labels(answer))) == 2
    assert answer["row_levels"][0]["field"] == "account_id"


def test_crm_13_what_is_returned_is_bounded_and_says_so(deals: World) -> None:
    answer = run(deals, rows=[{"field": "name"}], max_groups=3)
    assert (len(answer["groups"]), answer["truncated"]) == (3, True)
    assert answer["group_count"] == len(all_deals(deals)) == answer["totals"]["count"]
    assert run(deals, rows=[{"field": "stage"}])["truncated"] is False


FIVE = {"label": "A", "below": 5}


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"object": "note"}, Invalid),
        ({"rows": [{"field": "stag"}]}, BadQuery),
        ({"rows": [{"field": "id"}]}, Invalid),
        ({"rows": [{"field": "description"}]}, Invalid),
        ({"rows": [{"field": "stage", "by": "month"}]}, Invalid),
        ({"rows": [{"field": "stage"}, {"field": "stage"}]}, Invalid),
        ({"across": [{"field": "stage"}]}, Invalid),
        ({"rows": [{"field": "stage"}], "measures": ["sum:name"]}, Invalid),
        ({"rows": [{"field": "stage"}], "measures": ["sum:amount", "sum:amount"]}, Invalid),
        ({"measures": ["count:amount"]}, Invalid),
        ({"measures": ["median:amount"]}, Invalid),
        ({"rows": [{"field": "stage"}], "top": 3}, Invalid),
        ({"top": 3}, Invalid),
        ({"group_order": {"by": "count"}}, Invalid),
        ({"rows": [{"field": "stage"}], "group_order": {"by": "sum:amount"}}, Invalid),
        ({"date_field": "name", "date_range": {"period": "TODAY"}}, Invalid),
        ({"date_range": {"period": "SOON"}}, Invalid),
        ({"date_range": {}}, Invalid),
        ({"date_range": {"period": "TODAY", "first": "2031-01-01"}}, Invalid),
        ({"date_range": {"first": "2031-02-01", "last": "2031-01-01"}}, Invalid),
        ({"cross_filter": {"object": "lead"}}, Invalid),
        ({"cross_filter": {"object": "task", "filters": [{"field": "x", "op": "equals", "value": "y"}]}}, BadQuery),
        ({"rows": [{"field": "amount", "buckets": [FIVE]}]}, Invalid),
        ({"rows": [{"field": "amount", "buckets": [FIVE, {"label": "B", "below": 4}, {"label": "C"}]}]}, Invalid),
        ({"rows": [{"field": "stage", "buckets": [{"label": "Other", "values": ["Prospecting"]}]}]}, Invalid),
        ({"rows": [{"field": "stage", "buckets": [{"label": "A", "values": ["Nowhere"]}]}]}, BadQuery),
        ({"filter_logic": "1 AND 2"}, BadQuery),
        ({"filters": [{"field": "stage", "op": "blank"}] * 10, "date_range": {"period": "TODAY"}}, BadQuery),
        ({"object": "case", "rows": [{"field": "owner_id"}]}, Invalid),
    ],
)  # fmt: skip
def test_crm_13_what_makes_no_report_is_refused(world: World, spec: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        run(world, **spec)


def test_crm_13_a_run_is_of_one_report_or_one_definition(world: World) -> None:
    with pytest.raises(Invalid, match="give the id"):
        world.ask("run_report", by=ROWAN)
    with pytest.raises(Invalid, match="give the id"):
        world.ask("run_report", by=ROWAN, id=ident("RPT", 1), spec={"object": "account"})
    with pytest.raises(NotFound):
        world.ask("run_report", by=ROWAN, id=ident("RPT", 1))
