"""`deskgym show`: one task instance as the agent and the grader see it."""

from __future__ import annotations

import click

from .envelope import as_json, envelope, plain_text, verb


@click.command()
@click.argument("task")
@click.option("--world", default="small:1", show_default=True, help="World to bind it to.")
@as_json
@verb
def command(task: str, world: str, json_output: bool) -> None:
    """Show a task, such as crm/close-won@3: instruction, goal, oracle."""
    from .. import catalogue

    bound = catalogue.bind(task, catalogue.world(world))
    if json_output:
        click.echo(envelope(bound.to_json()))
        return
    click.echo(f"{bound.id}  ({bound.kind}, level {bound.level}, {bound.world})\n\n{plain_text(bound.instruction)}\n")
    for call in bound.oracle:
        click.echo(f"  {call.tool}  {plain_text(str(dict(call.args)))}")
