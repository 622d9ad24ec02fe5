"""Which requests are the person's own: the Host they name and where they come from (DESIGN §4, CSRF).

A request names a host that this server answers to, which stops a foreign name that was pointed at this address. A
request that may write carries `Origin` or `Sec-Fetch-Site`, and each that it carries says "same origin". Browsers send
them by themselves; a request without either is refused, since no page of ours sends one.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from .errors import Forbidden, ServiceError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_HOST = "*"
_PORT = re.compile(r":\d{1,5}$")


class WrongHost(ServiceError):
    """The request names a host that this server does not answer to (421)."""

    code = "wrong_host"
    status = 421


def check_host(host: str, allowed: Collection[str]) -> None:
    """Raise WrongHost unless the Host header, its port aside, is one of `allowed` ("*" allows every name)."""
    if ANY_HOST not in allowed and _PORT.sub("", host.lower()) not in allowed:
        raise WrongHost(f'this server does not answer to the name "{host[:100]}"')


def check_same_origin(origin: str | None, site: str | None, here: str, *, required: bool = True) -> None:
    """Raise Forbidden where a request comes from elsewhere; with `required`, also where it does not say.

    `origin` and `site` are the headers Origin and Sec-Fetch-Site; `here` is scheme and host, `http://127.0.0.1:8000`.
    """
    if origin is not None and origin.lower() != here.lower():
        raise Forbidden("this request comes from another site; nothing was changed")
    if site is not None and site != "same-origin":
        raise Forbidden("this request comes from another site; nothing was changed")
    if required and origin is None and site is None:
        raise Forbidden("this request does not say where it comes from (Origin); nothing was changed")
