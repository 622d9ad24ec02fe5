"""Words of an address that may only be some (X-9), and lists that go on over pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from flask import request

from ...kit.errors import BadQuery
from .routing import href

_MONTH = re.compile(r"(19|2[01])\d\d-(0[1-9]|1[0-2])", re.ASCII)
_PAGE = re.compile(r"[1-9]\d{0,3}", re.ASCII)


def chosen(name: str, allowed: Collection[str], default: str = "", *, given: Mapping[str, str] | None = None) -> str:
    """One of the allowed words, from the address or a form; the default where it is empty. Raises BadQuery."""
    word = (request.args if given is None else given).get(name, "") or default
    if word != default and word not in allowed:
        raise BadQuery(
            f'{name} is "{word}"; it must be one of {", ".join(allowed)}', field=name, allowed=tuple(allowed)
        )
    return word


def chosen_month(given: Mapping[str, str] | None = None) -> str:
    """The month (YYYY-MM) of the address or a form, or "". Raises BadQuery."""
    month = (request.args if given is None else given).get("month", "")
    if month and not _MONTH.fullmatch(month):
        raise BadQuery(f'month is "{month}"; write it like 2031-06', field="month")
    return month


def page_number() -> int:
    """The page that the address asks for, the first by default. Raises BadQuery."""
    text = request.args.get("page", "") or "1"
    if not _PAGE.fullmatch(text):
        raise BadQuery(f'page is "{text}"; it must be a whole number from 1', field="page")
    return int(text)


def pager(path: str, state: Mapping[str, Any], number: int, size: int, total: int) -> dict[str, Any]:
    """What the macro `pager` shows of page `number` of a list: which part it is, and addresses of the others."""
    pages = -(-total // size)
    return {
        "range": f"{(number - 1) * size + 1:,}–{min(number * size, total):,} of {total:,}",
        "number": number,
        "pages": [{"number": n, "href": href(path, state, page=n if n > 1 else "")} for n in range(1, pages + 1)],
        "back": href(path, state, page=number - 1 if number > 2 else "") if number > 1 else "",
        "on": href(path, state, page=number + 1) if number < pages else "",
    }
