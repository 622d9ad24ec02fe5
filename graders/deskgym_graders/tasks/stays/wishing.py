"""Wishlists: a new one, a note, a listing too many."""

from __future__ import annotations

from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import RefTo
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Delete, Draft, Expectation, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks

_NAMES = (
    "Team week",
    "Family visit",
    "Trade fair",
    "Long weekend",
    "Summer plans",
    "Site visit",
    "Quiet days",
    "Kick-off",
)
_NOTES = (
    "Ask whether {n} bicycles fit into the yard",
    "{n} minutes to the station, says a colleague",
    "Has a table for {n}",
    "Room {n} looks over the yard",
)


def _add(wishlist: object, listing: picks.Row, note: str | None = None) -> Call:
    given = {"action": "add", "id": wishlist, "listing": listing["id"]}
    return Call("stays_wishlist", given if note is None else given | {"note": note})


@template("stays/new-wishlist", kind="mutate", level=1)
def new_wishlist(world: Store, stream: Stream) -> Draft:
    """Make a wishlist and put two listings on it, one with a note."""
    who = picks.draw(stream, picks.travellers(world), "traveller")
    first, second, wrong = stream.sample([row for row in picks.listed(world) if row["host_id"] != who["id"]], 3)
    name = f"{stream.choice(_NAMES)} {stream.uniform_int(2, 98)}"
    note = stream.choice(_NOTES).format(n=stream.uniform_int(2, 30))
    create = Call("stays_wishlist", {"action": "create", "name": name}, "w")
    plain, noted = _add(Var("w.id"), first), _add(Var("w.id"), second, note)
    bare = _add(Var("w.id"), second)
    later = Call("stays_wishlist", {"action": "note", "id": Var("w.id"), "listing": second["id"], "note": note})
    slip = _add(Var("w.id"), wrong)
    undo = Call("stays_wishlist", {"action": "remove", "id": Var("w.id"), "listing": wrong["id"]})
    return Draft(
        instruction=f'Please make a new wishlist on Harbourstay called "{name}" and save two places to it: '
        f'"{first["title"]}" and "{second["title"]}". Put the note "{note}" on "{second["title"]}".',
        person_id=who["id"],
        expectation=Expectation(
            any_of=(
                (
                    expected_row("stays_wishlist", name=name, save_as="w"),
                    expected_row("stays_wishlist_item", wishlist_id=RefTo("w"), listing_id=first["id"]),
                    expected_row("stays_wishlist_item", wishlist_id=RefTo("w"), listing_id=second["id"], note=note),
                ),
            )
        ),
        oracle=(create, plain, noted),
        variants=(
            Variant("the other way round, the note afterwards", (create, bare, plain, later)),
            Variant("without the note", (create, plain, bare), reason="MISSING"),
            Variant("a third place on it", (create, plain, noted, slip), reason="COLLATERAL"),
            Variant("a third place taken off again", (create, slip, plain, undo, noted)),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, first)),),
    )


@template("stays/tidy-wishlist", kind="mutate", level=2)
def tidy_wishlist(world: Store, stream: Stream) -> Draft:
    """Take the places that do not allow pets off a wishlist and give it another name."""
    known = picks.listings(world)
    items: dict[str, list[picks.Row]] = {}
    for item in picks.every(world, "stays_wishlist_item"):
        items.setdefault(str(item["wishlist_id"]), []).append(known[item["listing_id"]])
    can = {row["id"] for row in picks.travellers(world)}
    mixed = [
        row
        for row in picks.every(world, "stays_wishlist")
        if row["user_id"] in can
        and {bool(found["pets_allowed"]) for found in items.get(row["id"], [])} == {True, False}
    ]
    chosen = picks.draw(stream, mixed, "wishlist with places that take pets and places that do not")
    out = [row for row in items[chosen["id"]] if not row["pets_allowed"]]
    kept = [row for row in items[chosen["id"]] if row["pets_allowed"]]
    name = f"{chosen['name']}, dog {stream.uniform_int(2, 997)}"
    renaming = {"action": "rename", "id": chosen["id"], "name": name, "row_version": chosen["row_version"]}
    rename = Call("stays_wishlist", renaming)

    def off(row: picks.Row) -> Call:
        return Call("stays_wishlist", {"action": "remove", "id": chosen["id"], "listing": row["id"]})

    removed = tuple(off(row) for row in out)
    return Draft(
        instruction=f"We take the dog along. Take every place that does not allow pets off my wishlist "
        f'"{chosen["name"]}" and rename the list to "{name}".',
        person_id=chosen["user_id"],
        expectation=Expectation(
            any_of=(
                (
                    changed("stays_wishlist", chosen["id"], name=name),
                    *(Delete("stays_wishlist_item", (chosen["id"], row["id"])) for row in out),
                ),
            )
        ),
        oracle=(*removed, rename),
        variants=(
            Variant("the name first", (rename, *removed)),
            Variant("the name alone", (rename,), reason="MISSING"),
            Variant("one that allows pets too", (*removed, rename, off(kept[0])), reason="COLLATERAL"),
        ),
        distractors=(picks.distract("places that allow pets", "stays_listing", kept),),
    )
