"""What every episode shows an agent, whether its store lies in this process or on a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from deskgym_apps.kit import tools as kit_tools
from deskgym_apps.kit.call import Channel
from deskgym_apps.kit.folder import Public


class Face(ABC):
    """The tools of an episode and how they are called; as a context manager it ends at the end of the block."""

    public: Public
    """What the agent may know."""

    @property
    def app_names(self) -> tuple[str, ...]:
        return tuple(self.public.apps)

    def tools(self) -> Mapping[str, kit_tools.Tool]:
        """The MCP tools of the episode's apps by name, the desk's among them."""
        return kit_tools.tools(self.app_names)

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        person: str | None = None,
        channel: Channel = "mcp",
    ) -> Any:
        """Call one tool as the acting person, or as another of the world, and return its result.

        Raises ServiceError where it is refused. A call to a server that is sent twice, since the first connection
        broke, is carried out once.
        """
        return self._call(name, {} if arguments is None else arguments, person, channel)

    @abstractmethod
    def _call(self, name: str, given: Mapping[str, Any], person: str | None, channel: Channel) -> Any: ...

    @abstractmethod
    def close(self) -> None:
        """End the episode. Safe to call twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
