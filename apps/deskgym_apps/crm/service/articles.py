"""The knowledge base: articles that are drafted, published in versions, and archived."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Body, Day, Id, Line, Version, widget
from ...kit.operations import Input, command
from .cases import next_number
from .changes import Change, picklist_default
from .deletion import delete, undelete
from .inputs import (
    Created,
    Deleted,
    DeleteInput,
    RecordInput,
    Restored,
    UndeleteInput,
    Updated,
    body,
    line,
    lookup,
    optional,
    picklist,
)
from .records import create, record_type, update

PUBLISHED = "Published"
MAX_BODY = 20_000
_TEXT_HELP = "Paragraphs; ## begins a heading, - an item of a list, **bold**."


class ArticleChanges(RecordInput):
    """Fields of an article. A new title or text is a new version."""

    title: Line | None = line("Title", 200)
    category: Line | None = picklist("Category", "article", "category")
    status: Line | None = picklist("Status", "article", "status", "Colleagues see it while Published and valid.")
    visibility: Line | None = picklist("Visibility", "article", "visibility", "Public ones may be sent to customers.")
    valid_from: Day | None = optional("Valid from", "date", "The day of publication, where left out.")
    valid_to: Day | None = optional("Valid to", "date", "The last day; without end, where left out.")
    owner_id: Id | None = lookup("Article owner", "user", "You, where left out.")
    body: Body | None = body("Text", MAX_BODY, _TEXT_HELP)


class ArticleInput(ArticleChanges):
    """A new article."""

    title: Line = Field(title="Title", max_length=200, json_schema_extra=widget("text"))
    body: Body = Field(title="Text", max_length=MAX_BODY, description=_TEXT_HELP, json_schema_extra=widget("textarea"))


class UpdateArticleInput(Input):
    """Changes of one article: only the fields to change; null clears one."""

    id: Id = Field(title="Article")
    row_version: Version
    values: ArticleChanges


def _begin(change: Change) -> None:
    for field in ("status", "visibility"):
        change.after[field] = picklist_default(change.ctx, "article", field)


def _rules(change: Change) -> None:
    after, ctx = change.after, change.ctx
    if change.is_new:
        after["number"] = next_number(ctx, "crm_article")
    elif change.moved("title", "body"):
        after["version"] = change.was("version") + 1
    if after["status"] == PUBLISHED and change.moved("status") and after["valid_from"] is None:
        after["valid_from"] = ctx.today
    first, last = after["valid_from"], after["valid_to"]
    if first and last and last < first:
        change.refuse("valid_to", f"the last day, {last}, is before the first, {first}")


def _follow(change: Change) -> None:
    """Keep what the new version says."""
    ctx, after = change.ctx, change.after
    if change.moved("version"):
        row = {name: after[name] for name in ("version", "title", "body")}
        trail = {"created_at": ctx.now, "created_by": ctx.person_id}
        ctx.insert("crm_article_version", {"article_id": after["id"], **row, **trail})


ARTICLE = record_type("article", ArticleInput, ArticleChanges, _rules, _follow, _begin)


@command("crm")
def create_article(ctx: Context, values: ArticleInput) -> Created:
    """Write an article, a draft where nothing else is said."""
    return create(ctx, ARTICLE, values)


@command("crm")
def update_article(ctx: Context, values: UpdateArticleInput) -> Updated:
    """Change an article: a new title or text is a new version; its status publishes and archives it."""
    return update(ctx, ARTICLE, values.id, values.row_version, values.values)


@command("crm")
def delete_article(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete an article."""
    return delete(ctx, ARTICLE.kind, values)


@command("crm")
def undelete_article(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted article back."""
    return undelete(ctx, ARTICLE.kind, values)
