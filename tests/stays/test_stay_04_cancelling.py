"""STAY-4 and STAY-5 through both doors: preview, echo, payment row and reservation say the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import ServiceError

from .fixture import ANA, BEN, CHECKIN, HANNA, LOFT, VISA, World

DAY = 86_400


def at_days_before(world: World, days: int, hours: int = 0) -> None:
    """Move the clock to so long before check-in, which is at 19:00 UTC on 12 June."""
    from deskgym_apps.kit.call import seconds_between

    advance_clock(world.store, seconds_between(world.store.now, "2031-06-12T19:00:00Z") - days * DAY - hours * 3600)


@pytest.mark.parametrize(
    ("policy", "days", "hours", "refund"),
    [
        ("flexible", 1, 6, "668.25"),
        ("flexible", 0, 10, "444.90"),
        ("moderate", 2, 0, "261.75"),
        ("firm", 10, 0, "336.67"),
        ("firm", 3, 0, "78.60"),
    ],
)
def test_stay_4_preview_and_payment_row_show_the_worked_refund(
    world_with: Callable[..., World], policy: str, days: int, hours: int, refund: str
) -> None:
    world = world_with(policy_code=policy)
    code = world.book()["code"]
    at_days_before(world, days, hours + 1)
    advance_clock(world.store, 3600 - 1)  # the cancellation itself moves the clock by one second
    preview = world.do("cancel_preview", ANA, code=code)
    assert preview["refund"] == {"amount": refund, "currency": "USD"}
    result = world.do("cancel", ANA, code=code, confirm_refund=refund)
    assert result["refund"]["amount"] == refund
    cents = int(refund.replace(".", ""))
    assert [row["amount"] for row in world.rows("payment", kind="refund")] == [cents]
    row = world.do("reservation", ANA, code=code)
    assert (row["status"], row["refunded"]["amount"], row["total"]) == (
        "cancelled_guest",
        refund,
        {"amount": f"{(66825 - cents) // 100}.{(66825 - cents) % 100:02d}", "currency": "USD"},
    )
    assert world.rows("reservation_night") == []


def test_stay_4_with_a_coupon_the_refund_is_less(world_with: Callable[..., World]) -> None:
    world = world_with(policy_code="flexible")
    code = world.book(coupon="hello50")["code"]
    at_days_before(world, 0, 10)
    assert world.do("cancel_preview", ANA, code=code)["refund"]["amount"] == "394.90"


def test_stay_4_another_figure_is_a_conflict_and_nothing_happens(world: World) -> None:
    code = world.book()["code"]
    for given, status in (({}, 422), ({"confirm_refund": "668.24"}, 409)):
        with pytest.raises(ServiceError) as refused:
            world.do("cancel", ANA, code=code, **given)
        assert (refused.value.status, refused.value.field) == (status, "confirm_refund")
    assert world.do("reservation", ANA, code=code)["status"] == "confirmed"


def test_stay_4_the_payout_follows_what_is_kept(world_with: Callable[..., World]) -> None:
    world = world_with(policy_code="flexible")
    code = world.book()["code"]
    assert [(row["gross"], row["host_fee"], row["status"]) for row in world.rows("payout")] == [
        (52500, 1575, "scheduled")
    ]
    at_days_before(world, 0, 10)
    refund = world.do("cancel_preview", ANA, code=code)["refund"]["amount"]
    world.do("cancel", ANA, code=code, confirm_refund=refund)
    assert [(row["gross"], row["host_fee"], row["status"]) for row in world.rows("payout")] == [
        (13500, 405, "scheduled")
    ]


def test_stay_4_what_is_over_or_cancelled_cannot_be_cancelled(world: World) -> None:
    code = world.book()["code"]
    world.do("cancel", ANA, code=code, confirm_refund="668.25")
    with pytest.raises(ServiceError) as refused:
        world.do("cancel", ANA, code=code, confirm_refund="0")
    assert refused.value.code == "policy"


def test_stay_5_a_host_who_cancels_pays_and_the_guest_gets_all_back(world: World) -> None:
    code = world.book()["code"]
    with pytest.raises(ServiceError) as refused:
        world.do("cancel", HANNA, code=code)
    assert refused.value.field == "reason"
    preview = world.do("cancel_preview", HANNA, code=code)
    assert (preview["refund"]["amount"], preview["penalty"]["amount"], preview["penalty_percent"]) == (
        "668.25",
        "46.50",
        10,
    )
    world.do("cancel", HANNA, code=code, reason="Water damage")
    assert [row["amount"] for row in world.rows("payment", kind="refund")] == [66825]
    assert [(row["percent_bp"], row["amount"]) for row in world.rows("penalty")] == [(1000, 4650)]
    assert [row["night"] for row in world.rows("calendar_override", blocked=1)] == [CHECKIN, "2031-06-13", "2031-06-14"]
    assert [(row["direction"], row["overall"], row["is_published"]) for row in world.rows("review")] == [
        ("system", None, 1)
    ]
    assert [(row["user_id"], row["amount"]) for row in world.rows("credit")] == [(ANA, 6682 + 1)]
    assert [(row["gross"], row["status"]) for row in world.rows("payout")] == [(0, "cancelled")]
    assert world.do("whoami", ANA)["credit"]["amount"] == "66.83"


def test_stay_5_credit_pays_for_the_next_stay_and_is_used_up(world: World) -> None:
    world.do("cancel", HANNA, code=world.book()["code"], reason="Water damage")
    booked = world.book(checkin="2031-07-03", checkout="2031-07-06", use_credit=True)
    assert booked["total"]["amount"] == "601.42"
    assert [row["amount"] for row in world.rows("credit_use")] == [6683]
    assert world.do("whoami", ANA)["credit"]["amount"] == "0.00"
    world.do("cancel", ANA, code=booked["code"], confirm_refund="601.42")
    assert world.do("whoami", ANA)["credit"]["amount"] == "66.83"


def test_stay_4_only_guest_and_host_see_the_preview(world: World) -> None:
    code = world.book()["code"]
    for operation in ("reservation", "cancel_preview"):
        with pytest.raises(ServiceError) as refused:
            world.do(operation, BEN, code=code)
        assert refused.value.status == 404


def test_j9_a_later_edit_of_the_listing_changes_no_reservation(world: World) -> None:
    code = world.book()["code"]
    with world.store.writing() as conn:
        conn.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, 0, 'inject')")
        conn.execute("UPDATE stays_listing SET policy_code = 'firm', base_price = 99900 WHERE id = ?", (LOFT,))
        conn.execute("DELETE FROM jrn_open")
    preview = world.do("cancel_preview", ANA, code=code)
    assert preview["refund"]["amount"] == "668.25"
    assert world.do("reservation", ANA, code=code)["policy"]["code"] == "flexible"
    assert VISA in [row["method_id"] for row in world.rows("payment")]
