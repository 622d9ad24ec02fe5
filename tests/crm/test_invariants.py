"""After any sequence of calls the invariants hold, and undo gives S0 back."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from deskgym_apps.crm import defaults
from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.undo import undo_all

from .fixture import ADA, DANA, LUIS, MEI, PEOPLE, PRIYA, WES, World
from .invariants import broken

ACTORS = (ADA, ADA, ADA, ADA, PRIYA, DANA, DANA, LUIS, WES, MEI)
KINDS = ("account", "contact", "opportunity", "task", "event", "note")


class Wanderer:
    """Makes random calls: most are sensible, some are refused."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.draw = random.Random(seed)
        self.outcomes: Counter[str] = Counter()

    def one_of(self, *kinds: str, deleted: bool = False) -> str:
        kind = self.draw.choice(kinds)
        condition = "is_deleted = 1" if deleted and self.draw.random() < 0.9 else "1"
        rows = self.world.store.all(f"SELECT id FROM crm_{kind} WHERE {condition} ORDER BY id")
        if not rows:
            rows = self.world.store.all(f"SELECT id FROM crm_{kind} ORDER BY id")
        return str(self.draw.choice(rows)["id"])

    def maybe(self, value: Any) -> Any:
        return None if self.draw.random() < 0.15 else value

    def day(self) -> str:
        return f"2031-{self.draw.randint(1, 6):02d}-{self.draw.randint(1, 28):02d}"

    def instant(self) -> str:
        return f"2031-03-{self.draw.randint(12, 18):02d}T{self.draw.randint(0, 23):02d}:00:00Z"

    def values(self, kind: str) -> dict[str, Any]:
        draw, owner = self.draw, self.draw.choice(list(PEOPLE.values()))
        stage = draw.choice(defaults.STAGES)["name"]
        pool: dict[str, dict[str, Any]] = {
            "account": {
                "name": f"Company {draw.randint(1, 9)}",
                "account_number": draw.choice(["00012345", "87654321", "1"]),
                "parent_id": self.maybe(self.one_of("account")),
                "phone": draw.choice(["+441632960009", "617 555 0100", "x"]),
                "annual_revenue": str(draw.randint(0, 10**6)),
                "currency": draw.choice(["USD", "EUR", "JPY"]),
            },
            "contact": {
                "last_name": f"Person {draw.randint(1, 9)}",
                "account_id": self.maybe(self.one_of("account")),
                "reports_to_id": self.maybe(self.one_of("contact")),
                "email": draw.choice(["a@b.example", "wrong"]),
                "do_not_call": draw.random() < 0.5,
            },
            "opportunity": {
                "name": f"Deal {draw.randint(1, 9)}",
                "account_id": self.maybe(self.one_of("account")),
                "stage": stage,
                "amount": self.maybe(draw.choice(["0", "12.34", "1000", "99816"])),
                "currency": draw.choice(["USD", "EUR", "JPY", "KWD"]),
                "close_date": self.day(),
                "probability": draw.randint(0, 100),
                "lost_reason": draw.choice(["Price", "Other"]),
                "lost_detail": "In words",
            },
            "task": {
                "subject": f"Task {draw.randint(1, 9)}",
                "status": draw.choice(defaults.PICKLISTS["task", "status"]),
                "due_date": self.maybe(self.day()),
                "who_id": self.maybe(self.one_of("contact")),
                "what_id": self.maybe(self.one_of("account", "opportunity")),
            },
            "event": {
                "subject": f"Event {draw.randint(1, 9)}",
                "start_at": self.instant(),
                "end_at": self.instant(),
                "who_id": self.maybe(self.one_of("contact")),
                "what_id": self.maybe(self.one_of("account", "opportunity")),
            },
            "note": {
                "title": "Note",
                "body": "Text",
                "record_ids": [self.one_of("account", "contact", "opportunity") for _ in range(draw.randint(1, 3))],
            },
        }
        return pool[kind] | {"owner_id": owner}

    def some(self, kind: str, at_most: int) -> dict[str, Any]:
        """A few fields, a lost reason only where it may belong."""
        values = self.values(kind)
        chosen = self.draw.sample(sorted(values), self.draw.randint(1, at_most))
        if "stage" in chosen and values.get("stage") == "Closed Lost":
            chosen += ["lost_reason", "lost_detail"]
        return {name: values[name] for name in chosen}

    def create(self, by: str) -> None:
        kind = self.draw.choice(KINDS)
        values = self.values(kind)
        for name in ("probability", "lost_reason", "lost_detail", "parent_id", "reports_to_id", "account_number"):
            if name in values and self.draw.random() < 0.8:
                del values[name]
        self.world.create(kind, by=by, **values)

    def update(self, by: str) -> None:
        kind = self.draw.choice(KINDS)
        more = {"move_open_activities": True} if kind in KINDS[:3] and self.draw.random() < 0.3 else {}
        self.world.update(self.one_of(kind), self.some(kind, 3), by=by, **more)

    def delete(self, by: str) -> None:
        self.world.delete(self.one_of(*KINDS), by=by)

    def undelete(self, by: str) -> None:
        self.world.undelete(self.one_of(*KINDS, deleted=True), by=by)

    def link(self, by: str) -> None:
        name = self.draw.choice(
            ["set_account_contact", "remove_account_contact", "set_contact_role", "remove_contact_role"]
        )
        other = "account" if "account" in name else "opportunity"
        arguments: dict[str, Any] = {f"{other}_id": self.one_of(other), "contact_id": self.one_of("contact")}
        if name == "set_contact_role":
            arguments["is_primary"] = self.draw.random() < 0.5
        self.world.ask(name, by=by, **arguments)

    def call(self, by: str) -> None:
        self.world.log_call(by=by, subject="Call", due_date=self.day(), what_id=self.one_of("account", "opportunity"))

    def wait(self, _by: str) -> None:
        advance_clock(self.world.store, self.draw.choice([60, 3_600, 40_000, 200_000]))

    def step(self) -> str:
        moves = [self.create, self.update, self.update, self.update, self.delete, self.undelete, self.link, self.call]
        move = self.draw.choice([*moves, self.wait])
        try:
            move(self.draw.choice(ACTORS))
        except ServiceError as error:
            self.outcomes[f"{move.__name__} {error.code}"] += 1
            return "refused"
        self.outcomes[f"{move.__name__} done"] += 1
        return "done"


@pytest.mark.parametrize("seed", range(6))
def test_invariants_hold_after_random_calls_and_undo_gives_s0_back(world: World, seed: int) -> None:
    before = full_dump(world.store)
    assert broken(world.store) == []
    wanderer = Wanderer(world, seed)
    for number in range(120):
        outcome = wanderer.step()
        assert broken(world.store) == [], f"after call {number}, which was {outcome}"
    for move in ("create", "update", "delete", "undelete", "link", "call"):
        assert wanderer.outcomes[f"{move} done"] > 0, f"no {move} succeeded: {wanderer.outcomes}"
    undo_all(world.store)
    assert full_dump(world.store) == before


def test_a_refused_call_leaves_the_whole_store_as_it_was(world: World) -> None:
    wanderer = Wanderer(world, 99)
    refused = 0
    for _ in range(150):
        before = full_dump(world.store)
        if wanderer.step() == "refused":
            refused += 1
            assert full_dump(world.store) == before
    assert refused > 30


def test_the_check_of_invariants_finds_planted_faults(world: World) -> None:
    faults = {
        "UPDATE crm_opportunity SET expected_revenue = 1 WHERE id = 'OPP000000000001'": "I1",
        "UPDATE crm_opportunity SET probability = 90 WHERE id = 'OPP000000000003'": "I2",
        "UPDATE crm_account SET is_deleted = 1 WHERE id = 'ACC000000000002'": "I5",
        "UPDATE crm_contact SET reports_to_id = id WHERE id = 'CON000000000001'": "I6",
        "UPDATE crm_opportunity SET owner_id = 'PRS000000000008' WHERE id = 'OPP000000000001'": "I7",
        "DELETE FROM crm_account_contact WHERE contact_id = 'CON000000000003'": "I8",
        "UPDATE crm_account SET last_activity_on = '2031-01-01' WHERE id = 'ACC000000000001'": "derived",
        "INSERT INTO crm_field_history VALUES ('FHI000000000001', 'opportunity', 'OPP000000000001', 'stage', "
        "'Prospecting', 'Closed Won', '2031-03-14T09:00:00Z', 'PRS000000000003')": "I9",
    }
    world.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    for sql, name in faults.items():
        world.store.conn.execute("SAVEPOINT planted")
        world.store.conn.execute(sql)
        assert any(fault.startswith(name) for fault in broken(world.store)), name
        world.store.conn.execute("ROLLBACK TO planted")
        world.store.conn.execute("RELEASE planted")
