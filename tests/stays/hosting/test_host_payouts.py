"""What hosts earn, and the report for taxes."""

from __future__ import annotations

import pytest

from deskgym_apps.kit.errors import Invalid, NotFound

from .fixture import BARN, COMING, GIL, INN, LOFT, OLD, OTTO, ROOM, STAYED, World


def test_payouts_come_last_due_first_with_totals_by_month(world: World) -> None:
    found = world.ask("payouts")
    assert [row["code"] for row in found["rows"]] == [ROOM, COMING, STAYED, OLD]
    assert found["total"] == 4
    months = [(one["month"], one["count"], one["net"]["amount"], one["paid"]["amount"]) for one in found["months"]]
    assert months == [
        ("2031-09", 1, "388.00", "0.00"),
        ("2031-07", 1, "388.00", "0.00"),
        ("2031-03", 1, "388.00", "388.00"),
        ("2031-02", 1, "388.00", "388.00"),
    ]


def test_payouts_are_narrowed_and_totals_cover_all_that_fit_not_the_page(world: World) -> None:
    found = world.ask("payouts", status="paid", limit=1)
    assert ([row["code"] for row in found["rows"]], found["total"]) == ([STAYED], 2)
    assert [one["month"] for one in found["months"]] == ["2031-03", "2031-02"]
    assert [row["code"] for row in world.ask("payouts", month="2031-02")["rows"]] == [OLD]
    assert [row["code"] for row in world.ask("payouts", listing=INN)["rows"]] == [ROOM]


def test_the_tax_report_adds_up_paid_payouts_of_a_year(world: World) -> None:
    found = world.ask("tax_report", year=2031)
    assert [(row["listing"]["id"], row["stays"], row["nights"]) for row in found["rows"]] == [(LOFT, 2, 6)]
    row = found["rows"][0]
    assert {name: row[name]["amount"] for name in ("gross", "host_fee", "net", "tax_total")} == {
        "gross": "800.00",
        "host_fee": "24.00",
        "net": "776.00",
        "tax_total": "88.00",
    }
    assert row["taxes"] == [{"name": "City tax", "amount": {"amount": "88.00", "currency": "EUR"}}]
    assert [total["net"]["amount"] for total in found["totals"]] == ["776.00"]
    assert world.ask("tax_report", year=2030)["rows"] == []


def test_x_10_others_payouts_are_not_there(world: World) -> None:
    assert world.ask("payouts", by=GIL)["total"] == 0
    assert {row["listing"]["id"] for row in world.ask("payouts", by=OTTO)["rows"]} == {BARN}
    with pytest.raises(NotFound):
        world.ask("payouts", listing=BARN)


def test_a_month_is_written_with_its_year(world: World) -> None:
    with pytest.raises(Invalid) as refused:
        world.ask("payouts", month="May")
    assert refused.value.field == "month"
