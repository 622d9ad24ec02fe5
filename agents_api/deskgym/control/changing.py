"""What control does to a live episode: new places, people, time, the submission. Each is done once a request id."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from deskgym_apps.kit.errors import Sealed

from ..beginning import find_person
from ..episode import Episode, Snapshot
from ..errors import DeskgymError
from ..placed_files import write_files
from ..pool import Fresh
from ..run.record import pack, unpack
from . import inputs
from .keeper import Answer, Keeper, instant_of
from .registry import Entry, Kept
from .secret import new_id, new_token

MOST_SNAPSHOTS = 200
ADVANCE = "org.advance_clock"


def token(keeper: Keeper, entry: Entry, given: inputs.Person) -> Answer:
    """Let another person into the same episode. Raises DeskgymError (not_found)."""

    def work(_kept: Kept | None) -> Answer:
        with keeper.opened(entry) as episode:
            person = find_person(episode.store, given.person, ())
        people = keeper.registry.tokens(entry.id)
        if person not in people:
            people[person] = new_token()
            keeper.registry.add_token(entry.id, person, people[person])
            keeper.places.publish(entry.folder, entry.public, {person: people[person]})
        return {"id": entry.id, "person": person, **keeper.doors(people[person])}

    return keeper.once(f"token {entry.id}", given, work)


def reset(keeper: Keeper, entry: Entry, given: inputs.Asked) -> Answer:
    """Begin anew: another folder with S0, other tokens; the old ones answer 410."""
    return keeper.once(f"reset {entry.id}", given, lambda _kept: _move(keeper, entry, keeper.take(keeper.begun(entry))))


def restore(keeper: Keeper, entry: Entry, given: inputs.FromSnapshot) -> Answer:
    """Go on from a snapshot: another folder, other tokens. Raises DeskgymError (not_found)."""

    def work(_kept: Kept | None) -> Answer:
        return _move(keeper, entry, _put(keeper, entry, _kept_snapshot(keeper, entry, given.snapshot)))

    return keeper.once(f"restore {entry.id}", given, work)


def fork(keeper: Keeper, entry: Entry, given: inputs.MaybeFromSnapshot) -> Answer:
    """A second, independent episode. Raises DeskgymError: not_found, capacity."""

    def work(_kept: Kept | None) -> Answer:
        keeper.check_capacity()
        if given.snapshot is None:
            with keeper.opened(entry) as episode:
                taken = episode.snapshot()
        else:
            taken = _kept_snapshot(keeper, entry, given.snapshot)
        twin = replace(entry, id=new_id(), expires=keeper.until(entry.ttl_s), seq=taken.seq)
        face = keeper.place(twin, _put(keeper, entry, taken))
        for seconds in keeper.registry.steps(entry.id):
            keeper.registry.note_step(twin.id, seconds)
        return face

    return keeper.once(f"fork {entry.id}", given, work)


def _move(keeper: Keeper, entry: Entry, fresh: Fresh) -> Answer:
    old = keeper.registry.tokens(entry.id)
    with keeper.entered(fresh, entry, old) as tokens:
        moved = keeper.registry.move(entry, fresh.id, tokens)
        moved = keeper.registry.extend(moved, keeper.until(entry.ttl_s), 0)
    keeper.after.append(lambda: keeper.leave(entry.folder, list(old.values())))
    return keeper.face(moved)


def _put(keeper: Keeper, entry: Entry, taken: Snapshot) -> Fresh:
    fresh = keeper.pool(keeper.begun(entry)).put(taken.image)
    keeper.places.hold(fresh.id, fresh.store)
    write_files(fresh.folder, taken.files)
    return fresh


def snapshot(keeper: Keeper, entry: Entry, given: inputs.Asked) -> Answer:
    """Keep the present state under a name. Raises DeskgymError (capacity)."""

    def work(_kept: Kept | None) -> Answer:
        if len(keeper.registry.snapshots(entry.id)) >= MOST_SNAPSHOTS:
            raise DeskgymError("capacity", f"an episode has at most {MOST_SNAPSHOTS} snapshots", "fork it, or end it")
        with keeper.opened(entry) as episode:
            taken = episode.snapshot()
            pages = pack(episode.origin.image, taken.image)
        name = new_id()
        keeper.registry.add_snapshot(name, entry.id, taken.seq, pages, taken.files)
        return {"id": entry.id, "snapshot": name, "seq": taken.seq}

    return keeper.once(f"snapshot {entry.id}", given, work)


def _kept_snapshot(keeper: Keeper, entry: Entry, name: str) -> Snapshot:
    seq, pages, files = keeper.registry.snapshot(entry.id, name)
    return Snapshot(seq, unpack(keeper.begun(entry).origin.image, pages), files)


def clock(keeper: Keeper, entry: Entry, given: inputs.Clock) -> Answer:
    """Move the simulated clock on; due jobs run. Raises ServiceError: Sealed, or Invalid beyond the last year."""
    with keeper.opened(entry) as episode:
        before = episode.seq()

        def work(kept: Kept | None) -> Answer:
            if kept is None or not _has_advanced(episode, kept.mark, given.seconds):
                episode.advance_clock(given.seconds)
            return {"id": entry.id, "now": episode.now, "seq": episode.seq()}

        # Before the step and by itself: a crash must not leave a step in the journal that nobody asked for.
        keeper.registry.note_step(entry.id, given.seconds)
        return keeper.once(f"clock {entry.id}", given, work, mark=before)


def _has_advanced(episode: Episode, mark: int, seconds: int) -> bool:
    """Whether a step that a crash broke off was made already."""
    steps = [row for row in episode.journal(mark) if row["channel"] == "control" and row["operation"] == ADVANCE]
    return any(row["arguments"] == {"seconds": seconds} for row in steps)


def heartbeat(keeper: Keeper, entry: Entry, given: inputs.Heartbeat) -> Answer:
    """Lengthen the lease from now on."""
    ttl_s = given.ttl_s or entry.ttl_s
    extended = keeper.registry.extend(replace(entry, ttl_s=ttl_s), keeper.until(ttl_s), entry.seq)
    return {"id": entry.id, "ttl_s": ttl_s, "lease_expires": instant_of(extended.expires)}


def submit(keeper: Keeper, entry: Entry, given: inputs.Submit) -> Answer:
    """Hand in the work for the acting person and seal. Raises ServiceError: Invalid, or Sealed the second time."""
    with keeper.opened(entry) as episode:

        def work(kept: Kept | None) -> Answer:
            try:
                episode.submit(given.status, reason_code=given.reason_code, answer=given.answer, channel=given.channel)
            except Sealed:
                if kept is None or not _is_stored(episode, given):
                    raise
            return {"id": entry.id, "submitted": True}

        return keeper.once(f"submit {entry.id}", given, work)


def _is_stored(episode: Episode, given: inputs.Submit) -> bool:
    """Whether a submission that a crash broke off is the one that sealed the episode."""
    stored: dict[str, Any] = episode.submission or {}
    answer = json.loads(stored["answer"]) if stored.get("answer") is not None else None
    known = (stored.get("status"), stored.get("reason_code"), answer, stored.get("channel"))
    return known == (given.status, given.reason_code, given.answer, given.channel)
