"""What each object's pages show: list columns, sections of its form and details, key facts, related lists.

Fields that a person's profile hides are left out where a page is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...kit.errors import NotFound
from ..service.kinds import KINDS
from . import specs_sales, specs_work
from .spec import Pages

__all__ = ["KIND_OF_LIST", "PAGES", "SYSTEM", "Pages", "pages_at", "record_href"]

_ALL = (*specs_sales.ALL, *specs_work.ALL)
PAGES: Mapping[str, Pages] = {page.kind: page for page in _ALL}
_FOLDERS = {KINDS[page.kind].prefix: page.url for page in _ALL}
_FOLDERS |= {KINDS["report"].prefix: "/crm/reports", KINDS["dashboard"].prefix: "/crm/dashboards"}
_BY_PATH = {page.path: page for page in _ALL}
SYSTEM = ("id", "created_at", "created_by", "updated_at", "updated_by")
KIND_OF_LIST: Mapping[str, str] = {
    "contacts": "contact",
    "contact_roles": "contact",
    "direct_reports": "contact",
    "opportunities": "opportunity",
    "cases": "case",
    "child_cases": "case",
    "quotes": "quote",
    "prices": "pricebook_entry",
    "accounts": "account",
    "child_accounts": "account",
    "matching_accounts": "account",
    "matching_contacts": "contact",
    "tasks": "task",
    "events": "event",
    "notes": "note",
    "emails": "email",
}


def pages_at(path: str) -> Pages:
    """The pages whose folder in the URL is `path`. Raises NotFound."""
    if path not in _BY_PATH:
        raise NotFound(f'there are no records called "{path}"')
    return _BY_PATH[path]


def record_href(record_id: str) -> str:
    """The page of a record by its id; "" for a person, who has none."""
    folder = _FOLDERS.get(record_id[:3], "")
    return folder and f"{folder}/{record_id}"
