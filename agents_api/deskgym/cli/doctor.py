"""`deskgym doctor`: is everything here that deskgym needs?"""

from __future__ import annotations

import click

from ..doctor import examine
from ._output import json_option, listing, success, table

_INFRASTRUCTURE = 4


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Say whether this machine has what deskgym needs.

    Looks at Python, packages, browser, folders and the world; exit code 4 where deskgym cannot work.
    """
    rows = [finding.as_row() for finding in examine()]
    if as_json:
        success(listing(rows, "status"))
    else:
        table(rows, ("name", "status", "detail", "hint"))
    return _INFRASTRUCTURE if any(row["status"] == "fail" for row in rows) else 0
