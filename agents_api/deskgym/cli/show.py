"""`deskgym show`: one task instance."""

from __future__ import annotations

import json
from typing import Any

import click

from .. import catalogue
from ..evidence import status_of
from ..listing import split_of
from ._output import json_option, paragraph, say, success


@click.command()
@click.argument("task")
@click.option("--seed", type=click.IntRange(0), show_envvar=True, help="Which instance; 0 unless TASK names one.")
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world to bind it to.")
@click.option("--oracle", is_flag=True, show_envvar=True, help="Show the solution and the expected rows too.")
@json_option
def show(task: str, seed: int | None, world: str, oracle: bool, as_json: bool) -> None:
    """Show one task.

    The instance of TASK, such as crm/close-won@3: its instruction, its answer, who acts.
    """
    opened = catalogue.world(world)
    bound = catalogue.bind(task, opened, seed)
    template = catalogue.templates()[bound.template]
    data: dict[str, Any] = {
        "task": bound.template,
        "seed": bound.seed,
        "id": bound.id,
        "world": opened.name,
        "split": split_of(opened.name),
        "apps": list(bound.apps),
        "kind": bound.kind,
        "level": template.level,
        "status": status_of(bound.template, opened.name),
        "summary": template.summary,
        "person": bound.person_id,
        "person_name": _name(opened, bound.person_id),
        "instruction": bound.instruction,
        "answer_schema": bound.answer_schema,
        "oracle_steps": len(bound.oracle) + 1,
        "digest": bound.digest,
    }
    if oracle:
        from deskgym_graders.codec import encode_raw
        from deskgym_graders.lint import full_rows

        data["oracle"] = [{"tool": call.tool, "args": encode_raw(call.args)} for call in bound.oracle]
        data["expected"] = [full_rows(goal, bound.person_id) for goal in bound.expectation.any_of]
    if as_json:
        success(data)
        return
    _print(data)


def _name(world: Any, person_id: str) -> str:
    with world.open() as store:
        return str(store.get("org_person", (person_id,))["name"])


def _print(data: dict[str, Any]) -> None:
    say(f"{data['id']}  ({data['kind']}, level {data['level']}, {data['status']})")
    say(f"  {data['summary']}")
    say(f"  in {data['world']} as {data['person_name']}, apps {', '.join(data['apps'])}, {data['oracle_steps']} steps")
    say()
    paragraph(data["instruction"])
    if data["answer_schema"]:
        say(f"\nanswer: {json.dumps(data['answer_schema'], ensure_ascii=False)}")
    for call in data.get("oracle", ()):
        say(f"\n{call['tool']} {json.dumps(call['args'], ensure_ascii=False)}")
    for goal in data.get("expected", ()):
        say("\n" + "\n".join(goal))
