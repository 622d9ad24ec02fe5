"""Two small CRM templates for the tests of trials, environments and audits."""

from __future__ import annotations

from deskgym_apps.kit.store import Store
from deskgym_graders.expected import answer_spec, changed
from deskgym_graders.spec import Call, Distractors, Draft, Eq, Expectation, Number, Submission, TextEq, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

_DEALS = (
    "SELECT o.id, o.name, o.next_step, o.owner_id, o.row_version, o.amount, o.probability FROM crm_opportunity o "
    "WHERE o.is_deleted = 0 AND o.stage NOT LIKE 'Closed%' "
    "AND (SELECT count(*) FROM crm_opportunity n WHERE n.name = o.name) = 1 ORDER BY o.id"
)


@template("crm/test-next-step", kind="mutate", level=1)
def next_step(world: Store, stream: Stream) -> Draft:
    """Write the next step of one open deal."""
    deals = world.all(_DEALS)
    deal = stream.choice(deals)
    text = f"Send offer {stream.uniform_int(1000, 9999)}"
    others = [row["id"] for row in deals if row["id"] != deal["id"]]
    values = {"id": deal["id"], "values": {"next_step": text}, "row_version": deal["row_version"]}
    back = {"id": deal["id"], "values": {"next_step": "Wait"}, "row_version": deal["row_version"]}
    again = values | {"row_version": deal["row_version"] + 1}
    return Draft(
        instruction=f'Set the next step of the opportunity "{deal["name"]}" to "{text}".',
        person_id=deal["owner_id"],
        expectation=Expectation(any_of=((changed("crm_opportunity", deal["id"], next_step=TextEq(text)),),)),
        oracle=(Call("crm_update", values),),
        variants=(Variant("a slip put right", (Call("crm_update", back), Call("crm_update", again))),),
        distractors=(Distractors("other open deals", "crm_opportunity", tuple((key,) for key in others[:3])),),
    )


@template("crm/test-read-deal", kind="answer", level=1)
def read_deal(world: Store, stream: Stream) -> Draft:
    """Read two facts of one open deal."""
    deal = stream.choice(world.all(_DEALS))
    answer = {"id": deal["id"], "probability": deal["probability"]}
    return Draft(
        instruction=f'Give the id and the probability, in percent, of the opportunity "{deal["name"]}".',
        person_id=deal["owner_id"],
        expectation=Expectation(
            answer=answer_spec(
                {"id": Eq(deal["id"]), "probability": Number(str(deal["probability"]), 0)},
                {"id": "Id of the record", "probability": "In percent"},
            )
        ),
        oracle=(Call("crm_get", {"id": deal["id"]}),),
        submission=Submission(answer=answer),
        wrong_answers={"the certain one": {"id": deal["id"], "probability": 100}},
        distractors=(),
        because={"distractors": "the name is the only one of its kind"},
    )
