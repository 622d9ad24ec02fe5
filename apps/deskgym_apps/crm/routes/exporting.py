"""A list as a CSV file (CRM-6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import flask

from ...kit.session import read
from ...kit.web import Column, MenuItem
from ..service.kinds import RECORDS
from . import filters as filtering
from .reading import field_info, label_of, may
from .specs import Pages


def items(pages: Pages, filters: filtering.Filters) -> tuple[MenuItem, ...]:
    """The entry of a list's menu, for those who may."""
    if pages.kind not in RECORDS or not may("export", pages.kind):
        return ()
    url = f"{pages.url}/export.csv{filtering.export_query(filters)}"
    return (MenuItem(label="Export as CSV", href=url, icon="download"),)


def file_of(pages: Pages, columns: Sequence[Column], wanted: Mapping[str, Any]) -> Any:
    """The answer with the file. Money is followed by its currency, which amounts in the pages show too."""
    keys = [column.key for column in columns]
    money = [column.key for column in columns if column.kind == "money"]
    if money and "currency" not in keys and field_info(pages.kind, "currency") is not None:
        keys.insert(keys.index(money[0]) + 1, "currency")
    headings = [label_of(pages.kind, key) for key in keys]
    made = read("crm.export_list", dict(wanted) | {"fields": keys, "headings": headings})
    answer = flask.Response("\ufeff" + made["text"], content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{pages.path}.csv"'
    return answer
