"""The `deskgym` command. Every module of this package without a leading underscore is a verb with one click command."""

from __future__ import annotations

import os
import pkgutil
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from deskgym_apps.kit.errors import nearest

from .. import __version__
from ..errors import DeskgymError, describe
from ._output import failure

INTERRUPTED = 130


class Verbs(click.Group):
    """The group of verbs: imports a verb when it is asked for, and turns every error into a message and a code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs, sorted."""
        return sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb's module, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"{__name__}.{cmd_name}")
        for value in vars(module).values():
            if isinstance(value, click.Command) and value.name == cmd_name:
                return value
        raise TypeError(f"{module.__name__} holds no click command named {cmd_name}")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest verb where there is none of that name."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise DeskgymError(
                "usage", f'there is no verb "{args[0]}".{nearest(args[0], known)}', f"verbs: {', '.join(known)}"
            )
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run and exit: 0 done, 1 a gate failed, 2 usage, 3 a task that does not compile, 4 infrastructure, 130."""
        given = list(sys.argv[1:] if args is None else args)
        extra |= {"standalone_mode": False, "auto_envvar_prefix": "DESKGYM"}
        try:
            code = super().main(given, *rest, **extra)
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except click.UsageError as error:
            hint = error.ctx.get_usage() if error.ctx else "see: deskgym --help"
            sys.exit(failure(DeskgymError("usage", error.format_message(), hint), as_json=_wants_json(given)))
        except click.ClickException as error:
            sys.exit(failure(DeskgymError("usage", error.format_message()), as_json=_wants_json(given)))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has seen enough
            sys.exit(128 + signal.SIGPIPE)
        except Exception as error:
            fault = describe(error)
            if fault.kind == "internal" and os.environ.get("DESKGYM_TRACEBACK"):
                raise
            sys.exit(failure(fault, as_json=_wants_json(given)))
        sys.exit(code if isinstance(code, int) else 0)


def _wants_json(args: Sequence[str]) -> bool:
    """Whether `--json` is asked for, even where the rest of the line cannot be understood."""
    asked = {name for name in os.environ if name.startswith("DESKGYM_") and name.endswith("_JSON")}
    return "--json" in args or any(os.environ[name].lower() in ("1", "true", "yes", "on") for name in asked)


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="deskgym")
def main() -> None:
    """Office applications built to be used by agents and graded."""
