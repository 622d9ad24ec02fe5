"""Global search (CRM-14): words by their beginnings over names, e-mails, numbers, companies and subjects."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import BadQuery, nearest
from ...kit.norm import digits, norm
from ...kit.operations import Input, query
from .access import User, reader
from .kinds import KINDS
from .naming import name_columns, name_norm, named
from .selection import Selection

LEAST_CHARACTERS = 2
LEAST_DIGITS = 4
_COMPANY = "a.name_norm"
# (field it belongs to, SQL of the normed text)
_TEXTS: dict[str, tuple[tuple[str, str], ...]] = {
    "account": (("name", "t.name_norm"), ("account_number", "norm(t.account_number)")),
    "contact": (("last_name", "t.name_norm"), ("email", "t.email_norm"), ("account_id", _COMPANY)),
    "opportunity": (("name", "t.name_norm"), ("account_id", _COMPANY)),
    "case": (("subject", "t.subject_norm"), ("number", "t.number"), ("account_id", _COMPANY)),
    "quote": (("name", "t.name_norm"), ("number", "norm(t.number)"), ("opportunity_id", _COMPANY)),
    "lead": (("last_name", "t.name_norm"), ("email", "t.email_norm"), ("company", "t.company_norm")),
    "task": (("subject", "t.subject_norm"),),
    "event": (("subject", "t.subject_norm"),),
    "note": (("title", "norm(t.title)"),),
    "article": (("title", "t.title_norm"), ("number", "t.number"), ("body", "norm(t.body)")),
    "email": (("subject", "t.subject_norm"),),
    "product": (("name", "t.name_norm"), ("code", "norm(t.code)")),
}
_PHONES: dict[str, tuple[tuple[str, str], ...]] = {
    "account": (("phone", "t.phone_digits"),),
    "contact": (("phone", "t.phone_digits"), ("mobile", "t.mobile_digits")),
    "lead": (("phone", "t.phone_digits"), ("mobile", "t.mobile_digits")),
}
_PHONE_LIKE = re.compile(r"[\d\s+().\-/]+")


class SearchInput(Input):
    """What to look for."""

    text: str = Field(
        max_length=200,
        description="At least 2 characters. Every word must begin a word of a name, e-mail, number, company or "
        "subject; 4 or more digits also match telephone numbers.",
    )
    objects: list[str] | None = Field(
        default=None, max_length=len(_TEXTS), description=f"Where to look: {', '.join(_TEXTS)}; all where left out."
    )
    limit: int = Field(default=5, ge=1, le=200, description="Records of each object.")
    offset: int = Field(default=0, ge=0, le=100_000)


class Group(BaseModel):
    """What was found of one object: `total` in all, `rows` of `{object, id, name, detail}`."""

    object: str
    label: str
    total: int
    rows: list[dict[str, Any]]


class Found(BaseModel):
    """Groups with at least one record, in the order of the tabs."""

    text: str
    groups: list[Group]


@query("crm")
def search(ctx: Context, values: SearchInput) -> Found:
    """Find records by words: exact names first, then names that begin so, then others; newest changes first."""
    whole = norm(values.text)
    if len(whole) < LEAST_CHARACTERS:
        raise BadQuery(f"search for at least {LEAST_CHARACTERS} characters", field="text")
    for name in values.objects or ():
        if name not in _TEXTS:
            message = f'search knows no object "{name}".{nearest(name, list(_TEXTS))}'
            raise BadQuery(message, field="objects", allowed=list(_TEXTS))
    user = reader(ctx)
    groups = [
        _group(user, kind, whole, values)
        for kind in _TEXTS
        if kind in (values.objects or _TEXTS) and "read" in user.rights(kind)
    ]
    return Found(text=values.text, groups=[group for group in groups if group.total])


def _group(user: User, kind: str, whole: str, values: SearchInput) -> Group:
    selection = Selection(user, KINDS[kind])
    condition = f"WHERE ({_matches(selection, kind, whole)}) AND {selection.scope()}"
    selection.params["whole"] = whole
    label, name = KINDS[kind].plural, name_norm(kind)
    rank = f"CASE WHEN {name} = :whole THEN 0 WHEN instr({name}, :whole) = 1 THEN 1 ELSE 2 END"
    newest = "t.sent_at" if kind == "email" else "t.updated_at"
    order = f"ORDER BY {rank}, {newest} DESC, t.id"
    ids = [
        row[0] for row in selection.all(f"SELECT t.id FROM {selection.source(condition, order)} {condition} {order}")
    ]
    shown = json.dumps(ids[values.offset : values.offset + values.limit])
    rows = selection.rows(
        name_columns(selection), f"WHERE t.id IN (SELECT value FROM json_each(:shown)) {order}", shown=shown
    )
    return Group(object=kind, label=label, total=len(ids), rows=[named(kind, row) for row in rows])


def _matches(selection: Selection, kind: str, whole: str) -> str:
    """Every word begins a word of one of the texts, or the digits stand in a telephone number."""
    hidden = selection.user.hidden(kind)
    knows_companies = "read" in selection.user.rights("account")
    texts = [sql for field, sql in _TEXTS[kind] if field not in hidden and (sql != _COMPANY or knows_companies)]
    holder = "account_id" if kind != "quote" else "opportunity_id"
    phones = [sql for field, sql in _PHONES.get(kind, ()) if field not in hidden]
    clauses = []
    for position, word in enumerate(whole.split()):
        key = f"w{position}"
        selection.params[key] = word
        hits = [_hit(text, key, holder) for text in texts]
        hits += _phone_hits(selection, phones, word, f"d{position}")
        clauses.append(f"({' OR '.join(hits) or '0'})")
    together = _phone_hits(selection, phones, whole, "dw")
    return " OR ".join([f"({' AND '.join(clauses)})", *together])


def _hit(text: str, key: str, holder: str) -> str:
    """Whether a word of a text begins so; the companies that match are gathered once for all their records."""
    test = f"(instr({text}, :{key}) > 0 AND has_word({text}, :{key}))"
    if text != _COMPANY:
        return test
    companies = f"SELECT a.id FROM crm_account a WHERE {test}"
    if holder == "account_id":
        return f"+t.account_id IN ({companies})"
    return f"+t.{holder} IN (SELECT o.id FROM crm_opportunity o WHERE o.account_id IN ({companies}))"


def _phone_hits(selection: Selection, phones: list[str], text: str, key: str) -> list[str]:
    wanted = digits(text)
    if len(wanted) < LEAST_DIGITS or not _PHONE_LIKE.fullmatch(text):
        return []
    selection.params[key] = wanted if text.startswith("+") else wanted.lstrip("0") or wanted
    return [f"instr({phone}, :{key}) > 0" for phone in phones]
