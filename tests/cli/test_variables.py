"""Every flag of every verb can be given by its DESKGYM_… variable, and the help names it."""

from collections.abc import Iterator

import click
import pytest

from deskgym.cli import main


def verbs(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    """The context of every verb that does something, groups opened."""
    context = click.Context(command, info_name=name, parent=parent, auto_envvar_prefix=None if parent else "DESKGYM")
    if not isinstance(command, click.Group):
        yield context
        return
    for verb in command.list_commands(context):
        found = command.get_command(context, verb)
        assert found is not None
        yield from verbs(found, verb, context)


FLAGS = [
    pytest.param(context, option, id=f"{context.command_path} {option.opts[-1]}")
    for context in verbs(main, "deskgym")
    for option in context.command.params
    if isinstance(option, click.Option)
]


def value_for(option: click.Option) -> str:
    """Text that the option takes and that is not its default."""
    if option.is_flag:
        return "0" if option.default is True else "1"
    if isinstance(option.type, click.Choice):
        return str([choice for choice in option.type.choices if choice != option.default][-1])
    if isinstance(option.type, click.types.IntParamType):
        return "3"
    if isinstance(option.type, click.types.FloatParamType):
        return "0.5"
    return "something"


@pytest.mark.parametrize(("context", "option"), FLAGS)
def test_a_flag_has_a_variable(context: click.Context, option: click.Option, monkeypatch: pytest.MonkeyPatch) -> None:
    words = context.command_path.split()[1:]
    variable = "_".join(["DESKGYM", *words, str(option.name)]).upper()
    monkeypatch.setenv(variable, value_for(option))
    taken, source = option.consume_value(context, {})
    assert (source, taken) == (click.core.ParameterSource.ENVIRONMENT, option.value_from_envvar(context))
    assert option.type_cast_value(context, taken) != option.get_default(context)


def test_every_verb_was_looked_at() -> None:
    words = {str(parameter.id).split()[1] for parameter in FLAGS}
    assert words == set(main.list_commands(click.Context(main)))
