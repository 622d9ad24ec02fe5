"""Northbeam's pages. Every page reads through queries and writes through one command of the service layer."""

from . import board, editing, home, links, lists, records, searching, stages
from .routing import blueprint

ICON = "people"
TAGLINE = "Accounts, contacts, opportunities and activities"

__all__ = [
    "ICON",
    "TAGLINE",
    "blueprint",
    "board",
    "editing",
    "home",
    "links",
    "lists",
    "records",
    "searching",
    "stages",
]
