"""The desk has no graded tables."""

from __future__ import annotations

from ..kit.roles import Table

TITLE = "Desk"
TABLES: dict[str, Table] = {}
