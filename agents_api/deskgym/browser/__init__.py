"""Driving the pages: an async core (`Browser`, `Session`) and a face without `await` (`deskgym.browser.sync`)."""

from .actions import VERBS, Action, ActionError, action_schema, parse_action
from .chromium import Chromium, NoBrowser, find_chromium
from .engine import Browser, Look
from .observation import Node, Observation, Parts, TabInfo
from .session import Session, Start
from .tabs import BrowserFault

__all__ = [
    "VERBS",
    "Action",
    "ActionError",
    "Browser",
    "BrowserFault",
    "Chromium",
    "Look",
    "NoBrowser",
    "Node",
    "Observation",
    "Parts",
    "Session",
    "Start",
    "TabInfo",
    "action_schema",
    "find_chromium",
    "parse_action",
]
