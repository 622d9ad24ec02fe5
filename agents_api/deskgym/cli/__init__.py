"""The `deskgym` command."""

import click

from .. import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="deskgym")
def main() -> None:
    """Office applications built to be used by agents and graded."""
