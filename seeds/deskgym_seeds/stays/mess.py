"""Mess across reservations: stays that were cancelled and booked again, policies that were changed meanwhile."""

from datetime import timedelta
from typing import Final

from ..numbering import Oracle
from ..organisation import Setting
from .acting import Story
from .homes import POLICIES
from .outcomes import Fates
from .visits import Planner, Visit

_REBOOKED: Final = 12
_CHANGED: Final = 6


def rebook(setting: Setting, stories: list[Story], planner: Planner, fates: Fates, oracle: Oracle) -> list[Story]:
    """Guests who cancelled and booked the same nights again some hours later: the later reservation holds."""
    stream = setting.stream("stays_reservation", "rebooked")
    out: list[Story] = []
    wanted = _REBOOKED * max(1, setting.scale.stays.reservations // 2000)
    for visit, fate in stories:
        if len(out) == wanted:
            break
        if fate.status != "cancelled_guest" or visit.until is None or not visit.home.row["instant_book"]:
            continue
        created = visit.until + timedelta(seconds=stream.uniform_int(4000, 30_000))
        if (visit.checkin - created.date()).days < 2 + visit.home.row["advance_notice_days"] or created >= setting.now:
            continue
        planner.release(visit)
        again = Visit(
            visit.home, visit.guest, visit.checkin, visit.checkout, visit.party, visit.plan, created, visit.stream
        )
        if planner.take(again):
            out.append((again, fates.kept(again, created)))
            key = f"{visit.home.row['title'].strip()}, {visit.checkin}"
            oracle.note("cancelled_and_rebooked", "stays_listing", visit.home.id, stay=key)
    return out


def change_policies(setting: Setting, stories: list[Story], oracle: Oracle) -> None:
    """Listings whose policy is another one since today's upcoming stays were booked: these keep theirs (J9)."""
    stream = setting.stream("stays_listing", "changed policy")
    homes = {
        visit.home.key: visit.home
        for visit, fate in stories
        if fate.status == "confirmed" and not visit.home.host.post and visit.plan == "standard"
    }
    for key in stream.sample(sorted(homes), min(_CHANGED, len(homes))):
        home = homes[key]
        was = home.row["policy_code"]
        now = stream.choice([code for code, _ in POLICIES if code != was])
        home.row |= {"policy_code": now, "row_version": home.row["row_version"] + 1}
        oracle.note("changed_policy", "stays_listing", home.id, was=was, now=now)
