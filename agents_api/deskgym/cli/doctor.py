"""`deskgym doctor`: is everything here that deskgym needs?"""

from __future__ import annotations

import click

from ..doctor import examine
from .envelope import as_json, print_table, rows_data, success

_INFRASTRUCTURE = 4


@click.command()
@as_json
def doctor(json_output: bool) -> int:
    """Look at Python, packages, browser, folders and the world; exit code 4 where deskgym cannot work."""
    rows = [finding.as_row() for finding in examine()]
    if json_output:
        success(rows_data(rows, "status"))
    else:
        print_table(rows, ("name", "status", "detail", "hint"))
    return _INFRASTRUCTURE if any(row["status"] == "fail" for row in rows) else 0
