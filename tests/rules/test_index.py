"""Every clause has a test named after it, by each of its doors; no test is named after a clause that is not listed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from .clauses import CLAUSES, LATER

_NAMED = re.compile(r"test_((?:crm_\d+_(?:\d+|[a-j])|x_\d+_\d+|i\d+|pk_\d+|p\d+))_[a-z]")
_BOTH = ("page", "tool")
_DOORS = {"pages": ("page",), "tools": ("tool",)} | dict.fromkeys(
    ("door", "enter", "door_with", "edited_table", "crowded"), _BOTH
)


def proofs(source: str) -> Iterator[tuple[str, frozenset[str]]]:
    """(clause, doors) of each test of a module."""
    for node in ast.parse(source).body:
        found = _NAMED.match(node.name) if isinstance(node, ast.FunctionDef) else None
        if found and isinstance(node, ast.FunctionDef):
            arguments = [argument.arg for argument in node.args.args]
            both = {"PageDoorway", "ToolDoorway"} <= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            doors = {door for name in arguments for door in _DOORS.get(name, ())} | (
                {"page", "tool"} if both else set()
            )
            yield found[1], frozenset(doors)


@cache
def proven() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for clause, doors in proofs(path.read_text(encoding="utf-8")):
            found.setdefault(clause, set()).update(doors)
    return found


@pytest.mark.parametrize("clause", CLAUSES)
def test_each_clause_is_proven_through_each_of_its_doors(clause: str) -> None:
    doors = proven()
    assert clause in doors, f"no test is called test_{clause}_…: {CLAUSES[clause][0]}"
    missing = set(CLAUSES[clause][1]) - doors[clause]
    assert not missing, f"test_{clause}_… does not go through {', '.join(sorted(missing))}"


def test_no_test_names_a_clause_that_is_not_listed() -> None:
    assert set(proven()) - set(CLAUSES) == set()
    assert set(CLAUSES) & set(LATER) == set()


def test_the_index_sees_what_a_test_goes_through() -> None:
    source = (
        "def test_x_9_1_refuses(door): ...\ndef test_x_9_2_sorts(tools): ...\ndef test_i4_total(): ...\n"
        "def test_x_5_1_same(lobby):\n    for enter in (PageDoorway, ToolDoorway): ...\ndef test_other(door): ...\n"
    )
    both = frozenset({"page", "tool"})
    assert dict(proofs(source)) == {"x_9_1": both, "x_9_2": frozenset({"tool"}), "i4": frozenset(), "x_5_1": both}
