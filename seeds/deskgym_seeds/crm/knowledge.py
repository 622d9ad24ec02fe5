"""The knowledge base: articles from ``data/articles.txt``, with the people of this company in them."""

from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Final

from deskgym_apps.crm.rules_cases import number_text
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text
from ..organisation import Setting
from .administration import APPROVED, CLOSE_TEAM, listed
from .ledger import Ids, Row
from .territories import moment_on
from .triage import OWNERS

_OLDEST: Final = 800


@cache
def _blocks() -> tuple[tuple[str, str, str], ...]:
    """Head, title and body of every article."""
    text = files("deskgym_seeds").joinpath("data", "articles.txt").read_text("utf-8")
    found = []
    for block in text.split("\n@"):
        head, title, *body = block.removeprefix("@").split("\n")
        found.append((head, title, "\n".join(body).strip()))
    return tuple(found)


def _owners(setting: Setting) -> str:
    """The owners by queue and country, as a list."""
    parts = []
    for queue, rules in OWNERS.items():
        lines = [f"**{queue}**", ""]
        for countries, post in rules:
            where = ", ".join(countries) if countries else "all other countries"
            lines.append(f"- {where}: {setting.staff[post].person.name}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def article_rows(setting: Setting, ids: Ids) -> dict[str, list[Row]]:
    """Articles in the order of their numbers, and what their one version says."""
    names = {key: setting.staff[key].person.name for key in ("lab", "cro")} | {"owners": _owners(setting)}
    names |= {"close_team": listed(setting, CLOSE_TEAM), "approved": listed(setting, APPROVED)}
    articles: list[Row] = []
    for number, (head, title, body) in enumerate(_blocks(), 1):
        articles.append(_article(setting, ids, number, head, title, body.format(number=number_text(number), **names)))
    versions = [
        {"article_id": row["id"], "version": 1,
         **{name: row[name] for name in ("title", "body", "created_at", "created_by")}}
        for row in articles
    ]  # fmt: skip
    return {"crm_article": articles, "crm_article_version": versions}


def _article(setting: Setting, ids: Ids, number: int, head: str, title: str, body: str) -> Row:
    category, status, visibility, since, ended = head.split("|")
    author = setting.staff["lab"]
    stream = setting.stream("crm_article", number)
    at = moment_on(author, (setting.now - timedelta(days=_OLDEST - 9 * number)).date(), stream)
    day = (setting.now - timedelta(days=int(since))).date().isoformat()
    last = (setting.now - timedelta(days=int(ended))).date().isoformat() if ended else None
    return {
        "id": ids.new("crm_article"), "number": number_text(number), "title": title, "title_norm": norm(title),
        "body": body, "category": category, "status": status, "visibility": visibility, "version": 1,
        "valid_from": None if status == "Draft" else day, "valid_to": last, "owner_id": author.id,
        **_trail(at, author.id),
    }  # fmt: skip


def _trail(at: datetime, author: str) -> Row:
    moment = instant_text(at)
    return {"created_at": moment, "created_by": author, "updated_at": moment, "updated_by": author, "row_version": 1}
