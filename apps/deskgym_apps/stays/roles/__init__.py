"""Roles of the columns of Harbourstay (grading.md §3.2)."""

from __future__ import annotations

from ...kit.roles import Table
from . import listings, payments, people, places, reservations, words

TITLE = "Harbourstay"
TABLES: dict[str, Table] = {
    **people.TABLES,
    **places.TABLES,
    **listings.TABLES,
    **reservations.TABLES,
    **payments.TABLES,
    **words.TABLES,
}
