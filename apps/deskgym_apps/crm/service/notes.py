"""Notes: markdown text attached to one or several accounts, contacts, opportunities, leads or cases."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Body, Id, Line, Version, widget
from ...kit.operations import Input, command
from .changes import Change, is_readable
from .deletion import delete, note_links, undelete
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
)
from .kinds import SHARED, kind_of
from .records import create, record_type, touch, update

_ATTACHED = "1 to 10 ids of accounts, contacts, opportunities, leads or cases."
MAX_LINKS = 10


class NoteChanges(RecordInput):
    """Fields of a note."""

    title: Line | None = line("Title", 120)
    body: Body | None = body("Text", 20_000, "Plain text or markdown.")
    record_ids: list[Id] | None = optional("Attached to", "records", _ATTACHED, min_length=1, max_length=MAX_LINKS)
    owner_id: Id | None = lookup("Note owner", "user", "You, where left out.")


class NoteInput(NoteChanges):
    """A new note."""

    title: Line = Field(title="Title", max_length=120, json_schema_extra=widget("text"))
    body: Body = Field(
        title="Text",
        max_length=20_000,
        description="Plain text or markdown.",
        json_schema_extra=widget("textarea"),
    )
    record_ids: list[Id] = Field(
        title="Attached to",
        description=_ATTACHED,
        min_length=1,
        max_length=MAX_LINKS,
        json_schema_extra=widget("records"),
    )


class UpdateNoteInput(Input):
    """Changes of one note: only the fields to change."""

    id: Id = Field(title="Note")
    row_version: Version
    values: NoteChanges


def _rules(change: Change) -> None:
    wanted = change.given.get("record_ids")
    if wanted is None:
        if "record_ids" in change.given:
            change.refuse("record_ids", "a note stays attached to at least one record")
        return
    known = note_links(change.ctx, change.after["id"]) if not change.is_new else set()
    for record_id in wanted:
        kind = kind_of(record_id)
        if record_id not in known and (kind.name not in SHARED or not is_readable(change.user, kind, record_id)):
            message = f'there is no account, contact, opportunity, lead or case "{record_id}"'
            change.refuse("record_ids", message)


def _attach(ctx: Context, note_id: str, wanted: list[str]) -> bool:
    """Make the note's links the wanted ones. Returns whether that changed any."""
    known = note_links(ctx, note_id)
    for record_id in sorted(known - set(wanted)):
        ctx.delete("crm_note_link", (note_id, record_id))
    for record_id in sorted(set(wanted) - known):
        ctx.insert("crm_note_link", {"note_id": note_id, "record_id": record_id})
    return known != set(wanted)


def _follow(change: Change) -> None:
    if change.is_new:
        _attach(change.ctx, change.after["id"], change.given["record_ids"])


NOTE = record_type("note", NoteInput, NoteChanges, _rules, _follow)


@command("crm")
def create_note(ctx: Context, values: NoteInput) -> Created:
    """Write a note and attach it."""
    return create(ctx, NOTE, values)


@command("crm")
def update_note(ctx: Context, values: UpdateNoteInput) -> Updated:
    """Change a note's title, text, owner, or what it is attached to."""
    done = update(ctx, NOTE, values.id, values.row_version, values.values)
    wanted = values.values.record_ids
    is_moved = wanted is not None and _attach(ctx, values.id, wanted)
    if is_moved and done.row_version == values.row_version:
        return Updated(id=done.id, row_version=touch(ctx, NOTE.kind, done.id))
    return done


@command("crm")
def delete_note(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a note."""
    return delete(ctx, NOTE.kind, values)


@command("crm")
def undelete_note(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted note back."""
    return undelete(ctx, NOTE.kind, values)
