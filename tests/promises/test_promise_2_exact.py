"""Promise 2. Same world, same commands: the same rows, in any zone, language, year and order of hashes.

Every task and a monkey elsewhere: tests/agents_api/test_determinism.py. Worlds: tests/seeds/test_golden.py.
That no code asks the clock or unseeded chance: tests/lint.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

# The wall clock is moved before anything of the product is imported. A plant makes stored text depend on something.
PROGRAM = """
import json, os, sys, time
wall, shift = time.time, int(os.environ["WALL_SHIFT"])
time.time = lambda: wall() + shift
from deskgym.proof.again import fingerprint
from deskgym.proof.case import PlacedWorld
from deskgym_apps.kit.call import Context

PLANTS = {
    "wall clock": lambda: str(int(time.time()) // 1_000_000),
    "zone": lambda: time.strftime("%z", time.localtime(0)),
    "order of hashes": lambda: str(hash("next step")),
    "language": lambda: os.environ["LANG"],
}
update = Context.update
world = PlacedWorld.of("small:1")
found = {"nothing": [fingerprint(task, 1, world) for task in ("crm/log-call", "crm/delete-account")]}
for name, plant in PLANTS.items():
    def planted(self, table, key, changes, plant=plant):
        more = {"next_step": plant()} if "next_step" in changes else {}
        update(self, table, key, {**changes, **more})
    Context.update = planted
    found[name] = fingerprint("crm/log-call", 1, world)
json.dump(found, sys.stdout)
"""
HERE = {"TZ": "UTC", "PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "WALL_SHIFT": "0"}
ELSEWHERE = {"TZ": "Pacific/Chatham", "PYTHONHASHSEED": "4711", "LANG": "tr_TR.UTF-8", "WALL_SHIFT": "315360000"}


@cache
def found_under(place: str) -> dict[str, Any]:
    """State hash, journal and verdict of oracles in a process with other surroundings, by what was planted."""
    settings = {"here": HERE, "elsewhere": ELSEWHERE}[place]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | settings | {"PYTHONPATH": path},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_surroundings_change_neither_state_nor_journal_nor_verdict() -> None:
    here, elsewhere = found_under("here")["nothing"], found_under("elsewhere")["nothing"]

    assert here == elsewhere
    assert [run["verdict"][:3] for run in here] == [["graded", 1.0, "OK"]] * 2
    assert all(run["state"] and run["journal"] for run in here)


@pytest.mark.parametrize("plant", ["wall clock", "zone", "order of hashes", "language"])
def test_a_dependence_on_the_surroundings_shows_as_another_state(plant: str) -> None:
    here, elsewhere = found_under("here")[plant], found_under("elsewhere")[plant]

    assert here["state"] != elsewhere["state"]
    assert here["state"] != found_under("here")["nothing"][0]["state"]
