"""Northbeam by hand: every CRM tool as a person does it in the pages.

What changes records is always exactly one form, so exactly one command. Results hold what the tool's would as far as
the pages show it: after a restore `row_version` is None, and what only reads carries the text of the page.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import approvals, changing, importing, leads, links, merging, quotes, reading, reports, setup, views
from .records import Action

ACTIONS: Mapping[str, Action] = {
    **approvals.ACTIONS,
    **changing.ACTIONS,
    **importing.ACTIONS,
    **leads.ACTIONS,
    **links.ACTIONS,
    **merging.ACTIONS,
    **quotes.ACTIONS,
    **reading.ACTIONS,
    **reports.ACTIONS,
    **setup.ACTIONS,
    **views.ACTIONS,
}
