"""The `deskgym` command: one module a verb. Every verb takes `--json` (DESIGN §5)."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import click

from deskgym_apps.kit.errors import nearest

from .. import __version__

_NOT_VERBS = {"envelope"}


class Verbs(click.Group):
    """Finds the verbs among the modules of this package: `list` is the command `command` of `cli/list.py`."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name not in _NOT_VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        found: click.Command = import_module(f"{__name__}.{name}").command
        return found

    def resolve_command(self, context: click.Context, args: list[str]) -> Any:
        if args and self.get_command(context, args[0]) is None:
            context.fail(f'there is no verb "{args[0]}".{nearest(args[0], self.list_commands(context))}')
        return super().resolve_command(context, args)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "DESKGYM"})
@click.version_option(__version__, prog_name="deskgym")
def main() -> None:
    """Office applications built to be used by agents and graded."""
