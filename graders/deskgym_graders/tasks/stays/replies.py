"""Reviews that complain about the Wi-Fi: each gets the host's reply, and the listing an honest note."""

from __future__ import annotations

import re

from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Clock
from deskgym_graders.expected import changed
from deskgym_graders.spec import Call, Draft, Expectation, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_COMPLAINT = re.compile(r"slower than promised|dropped all evening|where the listing says")
_WHEN = ("last week", "this month", "on Monday", "yesterday", "in the last quarter")
_MENDED = ("put in a new router", "changed the provider", "laid a cable", "added a second access point")


@per_world
def _published(world: Store) -> dict[str, list[Row]]:
    """Published reviews of guests by listing."""
    found: dict[str, list[Row]] = {}
    for row in picks.every(world, "stays_review"):
        if row["direction"] == "guest_to_host" and row["is_published"]:
            found.setdefault(str(row["listing_id"]), []).append(row)
    return found


@per_world
def _hosts(world: Store) -> list[tuple[Row, list[Row], list[Row]]]:
    """Hosts with their listings that guests complain about, and the complaints that have no reply yet."""
    noted = {row["listing_id"] for row in picks.every(world, "stays_listing_amenity") if row["amenity"] == "wifi"}
    found = []
    for host in picks.hosts(world):
        complaints = [
            row
            for listing in picks.of_host(world, host["id"])
            for row in _published(world).get(listing["id"], [])
            if _COMPLAINT.search(row["body"])
        ]
        slow = [row for row in picks.of_host(world, host["id"]) if row["id"] in {x["listing_id"] for x in complaints}]
        todo = [row for row in complaints if row["reply"] is None]
        if todo and {row["id"] for row in slow} <= noted:
            found.append((host, slow, todo))
    return found


def _note(listing: Row, text: str) -> Call:
    values = {"amenities": [{"amenity": "wifi", "note": text}]}
    return Call(
        "stays_host_listing_update",
        {"listing": listing["id"], "values": values, "row_version": listing["row_version"]},
    )


@template("stays/wifi-replies", kind="mutate", level=3)
def wifi_replies(world: Store, stream: Stream) -> Draft:
    """Reply to every complaint about the Wi-Fi and correct the notes of the listings concerned."""
    host, slow, todo = picks.draw(stream, _hosts(world), "host with complaints about the Wi-Fi")
    speed = stream.uniform_int(21, 480)
    reply = f"Thank you for telling us. We have {stream.choice(_MENDED)} and measured {speed} Mbps."
    note = f"{speed} Mbps, measured {stream.choice(_WHEN)}"
    answers = tuple(Call("stays_review", {"id": row["id"], "reply": reply}) for row in todo)
    notes = tuple(_note(row, note) for row in slow)
    mine = [row for listing in picks.of_host(world, host["id"]) for row in _published(world).get(listing["id"], [])]
    calm = [row for row in mine if row["reply"] is None and not _COMPLAINT.search(row["body"])]
    too_many = tuple(Call("stays_review", {"id": row["id"], "reply": reply}) for row in calm[:1])
    look = tuple(Call("stays_reviews", {"listing": row["id"], "text": "Wi-Fi", "limit": 200}) for row in slow)
    return Draft(
        instruction="Guests complain in published reviews that the Wi-Fi of a place of mine is too slow or drops. "
        f'Please reply to each such review that has no reply yet with exactly: "{reply}" Then change the note of the '
        f"Wi-Fi among the amenities of every place that has such a complaint, answered or not, to "
        f'"{note}". Reply to no other review.',
        person_id=host["id"],
        expectation=Expectation(
            any_of=(
                (
                    *(changed("stays_review", row["id"], reply=reply, reply_at=Clock()) for row in todo),
                    *(changed("stays_listing_amenity", (row["id"], "wifi"), note=note) for row in slow),
                ),
            )
        ),
        oracle=(*look, *answers, *notes),
        variants=(
            Variant("the notes first", (*notes, *answers[::-1])),
            Variant("one review forgotten", (*answers[1:], *notes), reason="MISSING"),
            Variant("without the notes", answers, reason="MISSING"),
            *((Variant("another review too", (*answers, *too_many, *notes), reason="COLLATERAL"),) if too_many else ()),
        ),
        distractors=(picks.distract("other reviews", "stays_review", calm or mine),),
        because={"reply_at": "when it is said"},
    )
