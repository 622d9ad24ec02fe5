"""The guard (grading.md C5): the browser reaches the episode's origin and nothing else.

Two walls. The network: every context has a proxy that does not exist, and an exception for `scheme://host:port` of
the episode, so pages, redirects, fetches, images, frames, sockets and workers to any other place fail in the
network stack, other loopback ports included (an exception names one scheme, so web sockets fail too). The address:
what an agent navigates to is checked before, and what every tab shows is checked after each action, since `file:`,
`view-source:`, `chrome:`, `data:` and `javascript:` are no network requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from playwright.async_api import ProxySettings

from .actions import ActionError
from .chromium import DEAD_PROXY

BLANK = "about:blank"
ERROR_PAGE = "chrome-error:"
_PORTS = {"http": 80, "https": 443}
# Browsers forgive these in addresses, each in its own way; a parser that reads them differently is a way around.
_STRANGE = re.compile(r"[\x00-\x20\x7f\\]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port that an episode lives on."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Origin:
        """The origin of an http(s) address. Raises ValueError for anything else."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError(f'"{url}" is not an http(s) address')
        if parts.username is not None or parts.password is not None:
            raise ValueError(f'"{url}" carries a user name')
        return cls(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = self.port == _PORTS[self.scheme]
        return f"{self.scheme}://{host}" if default else f"{self.scheme}://{host}:{self.port}"

    def holds(self, url: str) -> bool:
        """Whether an address that a browser shows belongs to this origin."""
        try:
            return Origin.of(url) == self
        except ValueError:
            return False

    def proxy(self) -> ProxySettings:
        """Proxy settings of a context: everything but this origin goes to a host that does not exist."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return {"server": DEAD_PROXY, "bypass": f"{self.scheme}://{host}:{self.port}"}

    def resolve(self, address: str) -> str:
        """The full address an agent asks for. Raises ActionError unless it is http(s) on this origin."""
        if _STRANGE.search(address):
            raise ActionError("the address holds a space, a backslash or a control character; percent-encode it")
        is_path = not _SCHEME.match(address) and not address.startswith("//")
        full = urljoin(f"{self}/", address) if is_path or address.startswith("//") else address
        try:
            target = Origin.of(full)
        except ValueError:
            raise ActionError(f'"{address}" is blocked: only http(s) addresses of {self} can be opened') from None
        if target != self:
            raise ActionError(f'"{address}" is blocked: it is outside this workplace ({self})')
        return full
