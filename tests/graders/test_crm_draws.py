"""What the seeds of a CRM template give: answers that nobody can guess, instances that differ, twins alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.store import Store
from deskgym_graders.expected import answer_spec
from deskgym_graders.grade import grade_store
from deskgym_graders.lint import GUESS_BINDINGS, MAX_GUESS, guessability, lint_bindings
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.spec import Call, Draft, Eq, Expectation, Submission, Task, TextEq
from deskgym_graders.tasks import bind, template, template_named, templates
from deskgym_graders.tasks.crm import picks
from deskgym_graders.tasks.per_world import per_world
from deskgym_seeds.streams import Stream
from deskgym_seeds.world import World, open_world

NAMES = [name for name in templates() if name.startswith("crm/")]
ANSWERED = [name for name in NAMES if template_named(name).kind != "mutate"]
CHANGING = [name for name in NAMES if template_named(name).kind.startswith("mutate")]
INSTANCES = 100
FEWEST = 80
FORMS = 10
ON_A_PAGE = 100


def bindings(name: str, image: Store, count: int) -> list[Task]:
    return [bind(name, image, seed, check=False) for seed in range(count)]


def count_alone(world: Store, stream: Stream) -> Draft:
    """How many open deals a colleague owns: seven numbers, each right for one colleague in seven."""
    seller = stream.choice(picks.sellers(world))
    count = sum(row["owner_id"] == seller["id"] for row in picks.deals(world, is_open=True))
    return Draft(
        instruction=f"How many open opportunities does {seller['name']} own?",
        person_id=picks.administrator(world),
        expectation=Expectation(answer=answer_spec({"count": Eq(count)})),
        oracle=(),
        submission=Submission(answer={"count": count}),
        wrong_answers={"one too many": {"count": count + 1}},
    )


def padded_count(world: Store, stream: Stream) -> Draft:
    """The same count, made to look compound by asking for a name that the instruction says."""
    account = stream.choice(picks.named_once(world, "crm_account", picks.live(world, "crm_account")))
    count = sum(row["account_id"] == account["id"] for row in picks.live(world, "crm_contact"))
    answer = {"account": account["name"], "count": count}
    return Draft(
        instruction=f"How many contacts has {account['name']}? Give its name and their number.",
        person_id=picks.administrator(world),
        expectation=Expectation(answer=answer_spec({"account": TextEq(account["name"]), "count": Eq(count)})),
        oracle=(),
        submission=Submission(answer=answer),
        wrong_answers={"one too many": answer | {"count": count + 1}},
    )


PLANTED = {
    "count alone": template("crm/planted-count", kind="answer", level=1)(count_alone),
    "a count beside a name that was said": template("crm/planted-name", kind="answer", level=1)(padded_count),
}


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", ANSWERED)
def test_l9_no_answer_is_right_for_more_than_one_binding_in_a_hundred(name: str, number: int) -> None:
    with open_world(f"small:{number}").open() as image:
        assert lint_bindings(bindings(name, image, GUESS_BINDINGS)) == []


@pytest.mark.parametrize("which", sorted(PLANTED))
def test_l9_a_template_that_is_worth_guessing_is_named(which: str, image: Store) -> None:
    found = [bind(PLANTED[which], image, seed, check=False) for seed in range(GUESS_BINDINGS)]

    assert guessability(found) > MAX_GUESS
    assert [fault for fault in lint_bindings(found) if "draw one more parameter" in fault and "L9" in fault]


def test_l9_tasks_without_an_answer_have_nothing_to_guess(image: Store) -> None:
    assert lint_bindings(bindings("crm/next-step", image, 3)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_seeds_give_many_instances(name: str, image: Store) -> None:
    """A template of few instances is learnt by heart."""
    assert len({task.instruction for task in bindings(name, image, INSTANCES)}) >= FEWEST


@pytest.mark.parametrize("name", ["crm/delete-account-blocked"])
def test_an_infeasible_task_and_its_twin_cannot_be_told_apart_by_their_faces(name: str, image: Store) -> None:
    """Same words but for what is drawn, same form: whoever always refuses, or never does, is wrong half of the time."""
    task = bind(name, image, 0)
    twin = bind(str(task.twin), image)

    assert twin.twin == f"{name}@0"
    assert task.instruction.split(" ")[:8] == twin.instruction.split(" ")[:8]
    assert task.instruction.rsplit("hand these in", 1)[1] == twin.instruction.rsplit("hand these in", 1)[1]
    for seed in range(20):
        assert bind(name, image, seed).answer_schema == twin.answer_schema


@pytest.mark.parametrize("name", NAMES)
def test_a2_every_template_names_another_way_that_passes(name: str, image: Store) -> None:
    variants = bind(name, image, 0).variants

    assert [variant.name for variant in variants if variant.reason == "OK"]


def broken(call: Call) -> Call:
    """The same call with a field that there is none of, which the service refuses."""
    values = dict(call.args.get("values", {})) | {"no_such_field": "x"}
    return replace(call, args=dict(call.args) | {"values": values} if "values" in call.args else {"id": "x"})


@pytest.mark.parametrize("name", CHANGING)
def test_a2_a_refused_call_before_each_right_one_costs_nothing(name: str, first: World, image: Store) -> None:
    """A validation error, then the same again as it should be."""
    task = bind(name, image, 2)
    with Store.memory(first.image, first.reference_path) as store:
        for call in task.oracle[:1]:
            with pytest.raises(ServiceError):
                carry_out(store, task, (broken(call),))
        carry_out(store, task, task.oracle)
        hand_in(store, task, task.submission)
        verdict = grade_store(task, image, store)

    assert (verdict.reward, verdict.reason) == (1.0, "OK")


def test_what_is_remembered_of_a_world_is_read_again_after_a_write(first: World) -> None:
    @per_world
    def accounts(store: Store) -> int:
        return len(picks.live(store, "crm_account"))

    with Store.memory(first.image, first.reference_path) as store:
        before = accounts(store)
        gone = bind("crm/delete-account", store, 0)
        carry_out(store, gone, gone.oracle[:1])
        assert accounts(store) == before - 1


@pytest.mark.parametrize("name", CHANGING)
def test_an_oracle_says_what_a_form_would_send(name: str, image: Store) -> None:
    """A form leaves out the fields that stay as they are, and names the records that were ticked on one page."""
    for task in bindings(name, image, FORMS):
        for call in task.oracle:
            if call.tool == "crm_update" and isinstance(call.args["id"], str):
                table = next(name for name, one in image.tables.items() if one.prefix == call.args["id"][:3])
                row = image.get(table, (call.args["id"],)) or {}
                same = {field for field, value in call.args["values"].items() if field in row and row[field] == value}
                assert not same, f"{task.id}: {call} sets what is so already"
            if call.tool == "crm_bulk_update" and call.args["expected_count"] <= ON_A_PAGE:
                assert call.args["ids"] == sorted(call.args["ids"]), f"{task.id}: {call}"
