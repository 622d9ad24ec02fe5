"""CRM templates with a fault planted in each: what an audit must find."""

from __future__ import annotations

from dataclasses import replace

from deskgym_apps.kit.store import Store
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Draft, Eq, Expectation, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import deals


@template("crm/planted-idle-oracle", kind="mutate", level=1)
def idle_oracle(world: Store, stream: Stream) -> Draft:
    """Its oracle writes to another field than the one asked for."""
    draft = deals.next_step(world, stream)
    (call,) = draft.oracle
    values = {"description": call.args["values"]["next_step"]}
    return replace(draft, oracle=(replace(call, args={**call.args, "values": values}),), variants=())


@template("crm/planted-refused-variant", kind="mutate", level=1)
def refused_variant(world: Store, stream: Stream) -> Draft:
    """It says that a variant is right which its grader refuses."""
    draft = deals.next_step(world, stream)
    (call,) = draft.oracle
    values = {**call.args["values"], "description": "Done"}
    also = replace(call, args={**call.args, "values": values})
    return replace(draft, variants=(Variant("with a remark", (also,)),))


@template("crm/planted-guessable", kind="answer", level=1)
def guessable(world: Store, stream: Stream) -> Draft:
    """Its answer is one of four."""
    draft = deals.read_deal(world, stream)
    level = stream.uniform_int(1, 4)
    return replace(
        draft,
        expectation=Expectation(answer=answer_spec({"level": Eq(level)}, {"level": "1 to 4"})),
        submission=Submission(answer={"level": level}),
        wrong_answers={"none": {"level": 5}},
    )


@template("crm/planted-same-for-all", kind="mutate", level=1)
def same_for_all(world: Store, _stream: Stream) -> Draft:
    """Every seed asks for the same."""
    return deals.next_step(world, Stream("1", "planted"))
