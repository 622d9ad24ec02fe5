"""The tools of Harbourstay over MCP."""

from __future__ import annotations

from ..kit.tools import Tool
from .tool_guest import GUEST_TOOLS

TOOLS: tuple[Tool, ...] = (*GUEST_TOOLS,)
