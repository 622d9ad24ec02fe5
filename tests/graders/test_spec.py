"""Tasks as data: JSON round trip, digests, refusal of unknown keys; templates by name, and binding."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from tests.fixtures.w1.world import open_world

from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError, decode, encode
from deskgym_graders.comparators import COMPARATORS
from deskgym_graders.oracle import resolve
from deskgym_graders.spec import (
    Allowed,
    Call,
    Default,
    Draft,
    Eq,
    Fields,
    ListOf,
    Money,
    OneOf,
    Task,
    TextEq,
    Var,
)
from deskgym_graders.tasks import UnknownTask, bind, split_id, template, template_named, templates
from deskgym_seeds.streams import Stream

from .attempts import w1_task
from .test_verdict_cases import ALL


@pytest.mark.parametrize("name", ALL)
def test_a_task_comes_back_from_json_as_it_was(name: str) -> None:
    task = w1_task(name)
    again = Task.from_json(json.loads(json.dumps(task.to_json())))
    assert again == task
    assert again.digest == task.digest


def test_a_digest_changes_with_anything_in_the_task() -> None:
    task = w1_task("reassign-overdue")
    others = [
        replace(task, instruction=task.instruction + " "),
        replace(task, revision=2),
        replace(task, expectation=replace(task.expectation, budget=5)),
        replace(task, oracle=task.oracle[::-1]),
    ]
    assert len({task.digest, *(other.digest for other in others)}) == 5


def test_unknown_keys_and_kinds_are_refused_with_the_nearest_name() -> None:
    data = w1_task("add-note").to_json()
    with pytest.raises(SpecError, match='Task has no key "instructions"'):
        Task.from_json(data | {"instructions": "x"})
    with pytest.raises(SpecError, match='no kind "Equal"'):
        decode({"is": "Equal", "value": 1})
    with pytest.raises(SpecError, match="this is no task"):
        Task.from_json(encode(Eq(1)))
    with pytest.raises(SpecError, match="Eq"):
        decode({"is": "Eq"})


def test_types_of_values_survive_json() -> None:
    for value in (1, "1", True, None):
        assert encode(decode(encode(Eq(value)))) == encode(Eq(value))
        assert type(decode(encode(Eq(value))).value) is type(value)


def test_every_comparator_can_be_encoded_and_holds_no_float() -> None:
    assert all(encode(Default())["is"] == "Default" for _ in COMPARATORS)
    for cls in COMPARATORS:
        assert cls.__doc__
        assert all(field.name != "is" for field in fields(cls))
    with pytest.raises(ValueError, match="no floats"):
        Eq(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no floats"):
        Money(1.5, "USD")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one"):
        OneOf(())
    with pytest.raises(ValueError, match="unknown currency"):
        Money(1, "XXX")
    with pytest.raises(ValueError, match="no allowance"):
        Allowed("insert", "w1_note", {}, most=0)


def test_nested_answers_and_variables_survive_json() -> None:
    nested = ListOf((Fields({"a": TextEq("x"), "b": Eq(1)}),))
    assert decode(json.loads(json.dumps(encode(nested)))) == nested
    call = Call("t", {"id": Var("c.id"), "list": [1, {"x": Var("d.0.id")}]}, save_as="e")
    assert decode(json.loads(json.dumps(encode(call)))) == call


def test_variables_resolve_to_earlier_results_or_say_what_is_missing() -> None:
    results = {"c": {"id": "X", "rows": [{"id": "Y"}]}}
    assert resolve({"a": [Var("c.id"), Var("c.rows.0.id")]}, results) == {"a": ["X", "Y"]}
    for path in ("d.id", "c.name", "c.rows.3", "c.id.x"):
        with pytest.raises(SpecError, match="leads nowhere"):
            resolve(Var(path), results)


def test_templates_are_found_by_name_with_the_nearest_on_a_slip() -> None:
    assert "w1/add-note" not in templates()
    assert all(found.function.__module__.startswith("deskgym_graders.tasks.") for found in templates().values())
    assert template_named("w1/add-note").summary == "T2: one note on one of two near namesakes."
    with open_world() as world:
        with pytest.raises(UnknownTask, match='Did you mean "w1/add-note"'):
            bind("w1/add-notes@0", world)
        with pytest.raises(UnknownTask, match="is no seed"):
            bind("w1/add-note@x", world)
        with pytest.raises(UnknownTask, match="names seed 1"):
            bind("w1/add-note@1", world, 2)
        with pytest.raises(UnknownTask, match="0 or more"):
            bind("w1/add-note", world, -1)


def test_an_id_is_template_and_seed() -> None:
    assert split_id("crm/close-won@3") == ("crm/close-won", 3)
    assert split_id("crm/close-won") == ("crm/close-won", None)
    with open_world() as world:
        assert bind("w1/add-note@3", world).id == "w1/add-note@3"
        assert bind("w1/add-note", world, 3).digest == bind("w1/add-note@3", world).digest
        assert bind("w1/add-note", world).seed == 0
        assert bind("w1/add-note@3", world, check=False).digest == bind("w1/add-note@3", world).digest


def test_a_template_draws_from_its_own_stream_and_a_secret_changes_it() -> None:
    drawn: list[int] = []

    @template("w1/drawn", kind="mutate", level=1)
    def drawn_task(world: Store, stream: Stream) -> Draft:
        """Draws one number."""
        drawn.append(stream.uniform_int(0, 10**9))
        return template_named("w1/add-note")(world, stream)

    with open_world() as world:
        for seed, secret in ((1, ""), (1, ""), (2, ""), (1, "hidden|")):
            bind(drawn_task, world, seed, secret=secret)
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) == 3


@pytest.mark.parametrize(
    "given", [{"name": "noslash"}, {"name": "W1/Bad"}, {"kind": "guess"}, {"level": 6}, {"revision": 0}]
)
def test_a_template_with_a_bad_name_kind_or_level_is_refused(given: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"name": "w1/x", "kind": "mutate", "level": 1}
    with pytest.raises(ValueError, match=r"no template name|kind is one of"):
        template(**(arguments | given))


def test_a_template_that_returns_no_draft_or_names_no_app_is_a_spec_error() -> None:
    made: Any = template("w1/odd", kind="mutate", level=1)(lambda _world, _stream: None)  # type: ignore[arg-type,return-value]
    far: Any = template("far/odd", kind="mutate", level=1)(lambda _world, _stream: None)  # type: ignore[arg-type,return-value]
    with open_world() as world:
        with pytest.raises(SpecError, match="returns a Draft"):
            bind(made, world)
        with pytest.raises(SpecError, match='there is no app "far"'):
            bind(far, world)
