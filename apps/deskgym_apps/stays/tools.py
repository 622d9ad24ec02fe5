"""The tools of Harbourstay over MCP."""

from __future__ import annotations

from ..kit.tools import Tool
from .tool_guest import GUEST_TOOLS
from .tool_host import HOST_TOOLS
from .tool_social import SOCIAL_TOOLS

TOOLS: tuple[Tool, ...] = (*GUEST_TOOLS, *HOST_TOOLS, *SOCIAL_TOOLS)
