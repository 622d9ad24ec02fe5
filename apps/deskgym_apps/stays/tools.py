"""The tools of Harbourstay over MCP."""

from __future__ import annotations

from ..kit.tools import Tool

TOOLS: tuple[Tool, ...] = ()
