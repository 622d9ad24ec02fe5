"""Harbourstay by hand: every tool as a person does it in the pages.

What changes something is always exactly one form, so exactly one command. Results hold what the tool's would as far as
the pages show it; what only reads carries the text of the page.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import booking, changing, finding, hosting, listing, wishing, writing
from .going import Action

ACTIONS: Mapping[str, Action] = {
    **booking.ACTIONS,
    **changing.ACTIONS,
    **finding.ACTIONS,
    **hosting.ACTIONS,
    **listing.ACTIONS,
    **wishing.ACTIONS,
    **writing.ACTIONS,
}
