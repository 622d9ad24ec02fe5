"""Two rates for one stay: the cheaper one, unless it saves too little."""

from __future__ import annotations

from dataclasses import replace

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.spec import Call, Draft, Expectation, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .booking import BECAUSE, Stay, booked, booking, card_name, draw_stay, good_cards, instant, party_text, quoting
from .prices import priced

_TRIES = 200
_NEAR = (40, 300)  # hundredths of a percent between the saving and the threshold


def _both(world: Store, stay: Stay) -> Stay:
    """The same stay at the non-refundable rate."""
    found = priced(world, stay.listing, stay.checkin, stay.checkout, stay.party, stay.currency, True)
    return replace(stay, rate_plan="nonrefundable", quote=found)


def _decision(world: Store, stream: Stream) -> tuple[Stay, Stay, int]:
    """A stay at both rates, and a threshold in percent that is near what the cheaper one saves, not at it."""
    guest = picks.draw(stream, [row for row in picks.travellers(world) if good_cards(world, row)], "guest")
    rows = [row for row in instant(world) if row["nonrefundable_bp"]]
    for _ in range(_TRIES):
        standard = draw_stay(world, stream, guest, rows)
        cheaper = _both(world, standard)
        saved = (standard.quote.total - cheaper.quote.total) * 10_000 // standard.quote.total
        least = stream.uniform_int(3, 16)
        if _NEAR[0] <= abs(saved - least * 100) <= _NEAR[1]:
            return standard, cheaper, least
    raise SpecError("no stay was found whose two rates are a matter of decision")


@template("stays/which-rate", kind="mutate", level=2)
def which_rate(world: Store, stream: Stream) -> Draft:
    """Book the non-refundable rate where it saves enough, else the standard one."""
    standard, cheaper, least = _decision(world, stream)
    saves = (standard.quote.total - cheaper.quote.total) * 100 >= least * standard.quote.total
    right, wrong = (cheaper, standard) if saves else (standard, cheaper)
    card = picks.draw(stream, good_cards(world, standard.guest), "card")
    goal = booked(world, right, card)

    def way(*stays: Stay) -> tuple[Call, ...]:
        return (*(quoting(stay) for stay in stays), booking(card))

    return Draft(
        instruction=f'Please book "{standard.listing["title"]}" for {party_text(standard.party)}, check-in on '
        f"{long_date(standard.checkin)}, checkout on {long_date(standard.checkout)}. Compare the totals of the "
        f"standard and of the non-refundable rate: if the non-refundable one saves at least {least} percent of the "
        f"standard total, take it, else the standard rate. Pay with {card_name(card)}; no coupon, credit or message.",
        person_id=standard.guest["id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=way(wrong, right),
        variants=(
            Variant("without looking at the other rate", way(right)),
            Variant("the other rate", way(right, wrong), reason="MISSING"),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, standard.listing)),),
        because=picks.follows(goal, BECAUSE | {"rate_plan": "the rate that the comparison of the two totals gives"}),
    )
