"""What pages read of the services once a request, and how values are written on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from flask import g, request

from ...kit.errors import BadQuery
from ...kit.money import format_money, parse_money
from ...kit.session import read, read_kept
from ...kit.web.display import instant, long_date
from ...kit.web.tables import CellKind
from ..service import phones
from ..service.kinds import kind_of

Writer = Callable[[Mapping[str, Any]], str]
# Kinds whose details hold dates, and nothing that people type
_DATED = ("task", "event", "note", "case_comment", "email")
_INSTANT = re.compile(r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z\b", re.ASCII)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b", re.ASCII)
_PERCENT = ("probability", "tax_percent", "discount_percent")
_CELLS: Mapping[str, CellKind] = {
    "money": "money",
    "number": "number",
    "date": "date",
    "phone": "phone",
    "picklist": "choice",
}


def whoami() -> dict[str, Any]:
    """The signed-in person as the CRM knows them."""
    if "crm_whoami" not in g:
        g.crm_whoami = read_kept("crm.whoami")
    me: dict[str, Any] = g.crm_whoami
    return me


def may(right: str, kind: str) -> bool:
    """Whether the profile allows create, read, edit or delete of a kind."""
    return right in whoami()["rights"].get(kind, ("read",))


def described(kind: str) -> dict[str, Any]:
    """The object as `describe` gives it."""
    known: dict[str, dict[str, Any]] = g.setdefault("crm_described", {})
    if kind not in known:
        known[kind] = read_kept("crm.describe", {"object": kind})
    return known[kind]


def fields_of(kind: str) -> dict[str, dict[str, Any]]:
    """The fields of a kind that the person sees, by name."""
    known: dict[str, dict[str, dict[str, Any]]] = g.setdefault("crm_fields", {})
    if kind not in known:
        known[kind] = {item["name"]: item for item in described(kind)["fields"]}
    return known[kind]


def field_info(kind: str, key: str) -> dict[str, Any] | None:
    """A field by its key, `account.region` included; None where the profile hides it."""
    prefix, _, name = key.rpartition(".")
    if not prefix:
        return fields_of(kind).get(key)
    parent = described(kind)["parents"].get(prefix)
    return None if parent is None else fields_of(parent).get(name)


def label_of(kind: str, key: str) -> str:
    """The label of a column: the lookup's own label for a parent's name."""
    prefix, _, name = key.rpartition(".")
    if not prefix:
        return str(fields_of(kind)[key]["label"])
    own = fields_of(kind)
    holder = str(own.get(f"{prefix}_id", own.get(prefix, {"label": prefix}))["label"])
    if name == "name":
        return holder
    return f"{holder}: {fields_of(described(kind)['parents'][prefix])[name]['label']}"


def cell_kind(kind: str, key: str) -> CellKind:
    """How a column draws its cells."""
    if key in ("owner.name", "owner_name"):
        return "person"
    if key == "email":
        return "email"
    info = field_info(kind, key)
    return "text" if info is None else _CELLS.get(info["type"], "text")


@lru_cache(maxsize=1 << 12)
def amount(text: str | None, currency: str | None) -> str:
    """Decimal text as "12,345.67 USD"; nothing is ""."""
    return "" if text is None or not currency else format_money(parse_money(text, currency), currency)


def total(sum_: Mapping[str, Any]) -> str:
    """A total of the services, marked where it was converted."""
    if sum_["total"] is None:
        return "no exchange rate"
    return ("≈ " if sum_["approximate"] else "") + amount(sum_["total"], sum_["currency"])


def text_of(kind: str, key: str, record: Mapping[str, Any]) -> str:
    """A record's value as pages write it; "" for none."""
    return writer(kind, key)(record)


def writer(kind: str, key: str) -> Writer:
    """What writes one value of many records: `writer(kind, key)(record)` is `text_of(kind, key, record)`."""
    known: dict[tuple[str, str], Writer] = g.setdefault("crm_writers", {})
    if (kind, key) not in known:
        known[kind, key] = _writer(kind, key)
    return known[kind, key]


def _writer(kind: str, key: str) -> Writer:
    info = field_info(kind, key)
    if info is None:
        return lambda record: ""
    if info["type"] == "ref":
        return lambda record: "" if record.get(key) is None else name_behind(key, record)
    if info["type"] == "money":
        prefix = key.rpartition(".")[0]
        currency = f"{prefix}.currency" if prefix else "currency"
        return lambda record: amount(record.get(key), record.get(currency))
    shown = _shown(key, info["type"])
    return lambda record: "" if record.get(key) is None else shown(record[key])


def _shown(key: str, type_: str) -> Callable[[Any], str]:
    if type_ == "date":
        return long_date
    if type_ == "instant":
        zone = str(g.person["tz"])
        return lambda value: instant(value, zone)
    if type_ == "bool":
        return lambda value: "Yes" if value else "No"
    if type_ == "phone":
        country = phones.country_code(g.person["locale"])
        return lambda value: phones.shown(value, country)
    return (lambda value: f"{value}%") if key in _PERCENT else str


def detail_of(row: Mapping[str, Any]) -> str:
    """What tells a found record apart, with instants and dates as pages write them."""
    detail = str(row["detail"])
    if row["object"] not in _DATED:
        return detail
    detail = _INSTANT.sub(lambda found: instant(found[0], g.person["tz"]), detail)
    return _DAY.sub(lambda found: long_date(found[0]), detail)


def name_behind(key: str, record: Mapping[str, Any]) -> str:
    """The name of the record that a lookup holds."""
    if key in ("what_id", "who_id", "owner_id") and f"{key[:-3]}_name" in record:
        return str(record[f"{key[:-3]}_name"] or "")
    prefix = key.removesuffix("_id")
    for name in ("name", "subject"):
        if record.get(f"{prefix}.{name}"):
            return str(record[f"{prefix}.{name}"])
    return ""


def inside(path: str) -> str:
    """A path within the app that a page may lead back to, else ""."""
    parts = urlsplit(path)
    return path if path.startswith("/crm/") and not parts.netloc and "\\" not in path and "//" not in path else ""


def locked(kind: str, record_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """By record, the fields that cannot be set by hand as things are, with the reason."""
    if kind not in ("opportunity", "quote") or not record_ids:
        return {}
    found: dict[str, dict[str, str]] = read("crm.locked_fields", {"ids": list(record_ids)})
    return found


def is_readable(record_id: str) -> bool:
    """Whether the person may still read a record that a command of theirs wrote."""
    return record_id in access_to(kind_of(record_id).name, [record_id])


def access_to(kind: str, ids: Sequence[str]) -> dict[str, dict[str, bool]]:
    """What the person may do with live records of a kind, by id: edit, delete, transfer."""
    found: dict[str, dict[str, bool]] = read("crm.record_access", {"object": kind, "ids": list(ids)})["access"]
    return found


def whole_number(text: str, name: str) -> int:
    """A whole number of a URL or a hidden field. Raises BadQuery."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise BadQuery(f'{name} is "{text}"; it must be a whole number', field=name)
    return int(text)


def posted_version() -> int:
    """The row_version that the form was drawn from (X-7). Raises BadQuery."""
    return whole_number(request.form.get("row_version", ""), "row_version")
