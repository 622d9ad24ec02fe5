"""I1 to I11 after every one of many random calls of everybody through both doors, and undo back to S0.

DESKGYM_TEST_SCALE=1 makes the 2,000 calls of each seed; a tenth or so of that where it is not set.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from tests.crm.fixture import ALDERCROFT, KESTREL, PEOPLE, build_image, with_lines
from tests.crm.invariants import broken

from deskgym_apps.crm import defaults
from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.undo import undo_all

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import KINDS, OBJECTS, Draft, House, Lobby, Outcome, Refused

SCALE = float(os.environ.get("DESKGYM_TEST_SCALE", "0"))
WALKS = {"page": (max(90, int(2000 * SCALE)), (0, 3)), "tool": (max(250, int(2000 * SCALE)), range(4))}
CODES = {"done", "validation", "forbidden", "not_found", "conflict", "asks", "no form"}
RARE = ("x" * 300, "\u202e", "not so", "-1", "99999999999999999999", "2031-02-30", "", "NaN")


class Walker:
    """Calls that people might make, some sensible, some not, through one door."""

    def __init__(self, door: Doorway, seed: int) -> None:
        self.door = door
        self.house: House = door.house
        self.draw = random.Random(seed)
        self.seen: Counter[str] = Counter()
        self.drafts: list[Draft] = []

    def one_of(self, *kinds: str, deleted: int | None = 0) -> str:
        table = self.draw.choice(kinds)
        condition = "1" if deleted is None or self.draw.random() < 0.08 else f"is_deleted = {deleted}"
        rows = self.house.store.all(f"SELECT id FROM crm_{table} WHERE {condition} ORDER BY id")
        if not rows:
            rows = self.house.store.all(f"SELECT id FROM crm_{table} ORDER BY id")
        return str(self.draw.choice(rows)["id"])

    def who(self) -> str:
        return self.draw.choice([*PEOPLE.values(), PEOPLE["ada"], PEOPLE["dana"], PEOPLE["dana"]])

    def day(self) -> str:
        return f"2031-{self.draw.randint(1, 6):02d}-{self.draw.randint(1, 28):02d}"

    def instant(self) -> str:
        hour, minute = self.draw.randint(0, 23), self.draw.choice(["00", "30"])
        return f"2031-03-{self.draw.randint(12, 18):02d}T{hour:02d}:{minute}:00Z"

    def values(self, kind: str) -> dict[str, Any]:
        """A value for every field that takes part in a rule."""
        draw = self.draw
        about = {"who_id": self.one_of("contact"), "what_id": self.one_of("account", "opportunity")}
        pool: dict[str, dict[str, Any]] = {
            "account": {
                "name": f"Company {draw.randint(1, 9)}", "account_number": draw.choice(["00012345", "87654321", "1"]),
                "parent_id": self.one_of("account"), "phone": draw.choice(["+441632960009", "617 555 0100", "x"]),
                "annual_revenue": str(draw.randint(0, 10**6)), "currency": draw.choice(["USD", "EUR", "JPY"]),
                "region": draw.choice(["EMEA", "Mars"]), "website": draw.choice(["www.a.example", "?"]),
            },
            "contact": {
                "last_name": f"Person {draw.randint(1, 9)}", "account_id": self.one_of("account"),
                "reports_to_id": self.one_of("contact"), "email": draw.choice(["a@b.example", "wrong"]),
                "mobile": draw.choice(["+16175550100", "5"]), "do_not_call": draw.random() < 0.5,
            },
            "opportunity": {
                "name": f"Deal {draw.randint(1, 9)}", "account_id": self.one_of("account"),
                "stage": draw.choice(defaults.STAGES)["name"],
                "amount": draw.choice(["0", "12.34", "1000", "99816", None]),
                "currency": draw.choice(["USD", "EUR", "JPY", "KWD"]), "close_date": self.day(),
                "probability": draw.randint(-1, 101), "lost_reason": draw.choice(["Price", "Other"]),
                "lost_detail": draw.choice(["In words", None]), "next_step": "Call",
            },
            "task": {
                "subject": f"Task {draw.randint(1, 9)}", "status": draw.choice(defaults.PICKLISTS["task", "status"]),
                "due_date": self.day(), **about,
            },
            "call": {"subject": "Call", "due_date": self.day(), "duration_minutes": draw.randint(0, 60), **about},
            "event": {"subject": "Event", "start_at": self.instant(), "end_at": self.instant(), **about},
            "note": {
                "title": "Note", "body": "Text",
                "record_ids": [self.one_of("account", "contact", "opportunity") for _ in range(draw.randint(1, 3))],
            },
        }  # fmt: skip
        owner = {} if kind == "call" else {"owner_id": draw.choice(list(PEOPLE.values()))}
        return pool[kind] | owner

    def some(self, kind: str) -> dict[str, Any]:
        values = self.values(kind)
        chosen = {name: values[name] for name in self.draw.sample(sorted(values), self.draw.randint(1, 3))}
        if chosen.get("stage") == "Closed Lost":
            chosen |= {"lost_reason": "Price"}
        for name in chosen:
            if self.draw.random() < 0.06 and name != "record_ids":
                chosen[name] = None if self.draw.random() < 0.5 else self.draw.choice(RARE)
        return chosen

    def create(self) -> Outcome:
        kind = self.draw.choice([*KINDS, "call"])
        values = self.values(kind)
        needed = {"name", "last_name", "subject", "title", "body", "record_ids", "close_date", "start_at", "end_at"}
        kept = {name: value for name, value in values.items() if name in needed or self.draw.random() < 0.35}
        return self.door.create(kind, by=self.who(), **kept)

    def draft(self) -> Draft:
        record = self.one_of(*KINDS)
        by = str(self.house.record(record)["owner_id"]) if self.draw.random() < 0.7 else self.who()
        return self.door.draft(record, by=by)

    def update(self) -> Outcome:
        draft = self.draft()
        if self.draw.random() < 0.1:
            self.drafts.append(draft)
        kind = OBJECTS[draft.id[:3]]
        moves = kind in KINDS[:3] and self.draw.random() < 0.3
        return self.door.save(draft, self.some(kind), moves=moves)

    def stale(self) -> Outcome:
        """Save what was opened long ago."""
        draft = self.drafts.pop() if self.drafts else self.draft()
        kind = OBJECTS[draft.id[:3]]
        return self.door.save(draft, self.some(kind))

    def move(self) -> Outcome:
        deal = self.one_of("opportunity")
        by = self.house.record(deal)["owner_id"] if self.draw.random() < 0.6 else self.who()
        stage = self.draw.choice(defaults.STAGES)["name"]
        more = {"lost_reason": "Price"} if stage == "Closed Lost" and self.draw.random() < 0.7 else {}
        return self.door.move(self.door.draft(deal, by=by), stage, **more)

    def delete(self) -> Outcome:
        return self.door.delete(self.one_of(*KINDS), by=self.who())

    def undelete(self) -> Outcome:
        return self.door.undelete(self.one_of(*KINDS, deleted=1), by=self.who())

    def link(self) -> Outcome:
        name = self.draw.choice(["contact_role", "account_contact"])
        one = self.one_of("opportunity" if name == "contact_role" else "account")
        other, by = self.one_of("contact"), self.who()
        if self.draw.random() < 0.3:
            return self.door.unlink(name, one, other, by=by)
        more = {"is_primary": self.draw.random() < 0.5} if name == "contact_role" else {}
        return self.door.link(name, one, other, by=by, role=self.draw.choice(["Evaluator", "Nobody", None]), **more)

    def wait(self) -> Outcome:
        advance_clock(self.house.store, self.draw.choice([60, 3_600, 40_000, 200_000]))
        return Outcome("done")

    def step(self) -> str:
        moves: list[Callable[[], Outcome]] = [self.create] * 3 + [self.update] * 4 + [self.link] * 2
        moves += [self.stale, self.move, self.delete, self.undelete, self.wait]
        chosen = self.draw.choice(moves)
        try:
            outcome = chosen()
        except Refused as refused:
            outcome = refused.outcome
        assert outcome.code in CODES, f"{chosen.__name__}: {outcome}"
        done = f"{chosen.__name__} {outcome.code}"
        self.seen[done] += 1
        return done


def _walks() -> list[Any]:
    return [pytest.param(door, seed, id=f"{door}-{seed}") for door, (_, seeds) in WALKS.items() for seed in seeds]


@pytest.fixture(scope="module")
def lined() -> bytes:
    """The hand-made world with a deal that has products."""
    return build_image(with_lines(KESTREL))


@pytest.mark.parametrize(("name", "seed"), _walks())
def test_the_invariants_hold_after_every_call_and_undo_gives_s0_back(
    lobby: Lobby, lined: bytes, name: str, seed: int
) -> None:
    house = lobby.house(lined)
    door: Doorway = PageDoorway(house) if name == "page" else ToolDoorway(house)
    before = full_dump(house.store)
    assert broken(house.store) == []
    walker = Walker(door, seed)
    for number in range(WALKS[name][0]):
        at = house.store.one("SELECT max(seq) AS n FROM jrn_command")
        done = walker.step()
        moved = house.store.one("SELECT max(seq) AS n FROM jrn_command") != at
        assert not moved or broken(house.store) == [], f"after call {number}, which was {done}"
        assert moved or not done.endswith(" done") or name == "page", f"call {number}, {done}, wrote no command"
    moves = {"create done", "update done", "delete done", "link done", "move done", "wait done"}
    assert moves <= set(walker.seen), walker.seen
    assert (
        sum(count for code, count in walker.seen.items() if not code.endswith(" done")) > sum(walker.seen.values()) / 10
    )
    assert house.row("account", ALDERCROFT)
    undo_all(house.store)
    assert full_dump(house.store) == before


def test_a_refusal_writes_nothing_at_all(lobby: Lobby, lined: bytes) -> None:
    for door in (PageDoorway(lobby.house(lined)), ToolDoorway(lobby.house(lined))):
        walker, refused = Walker(door, 99), 0
        for _ in range(80):
            before = full_dump(door.house.store)
            if not walker.step().endswith((" done", " asks")):
                refused += 1
                assert full_dump(door.house.store) == before
        assert refused > 10
