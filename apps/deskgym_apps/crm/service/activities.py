"""Tasks, calls and events (CRM-12): `who_id` is a contact or a lead, `what_id` an account, an opportunity or a case."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.entry import written_instant
from ...kit.fields import Body, Day, Id, Instant, Line, Version, widget
from ...kit.operations import Input, command
from .activity_days import refresh
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

COMPLETED = "Completed"
_ABOUT = "An account, an opportunity or a case."


class TaskChanges(RecordInput):
    """Fields of a task or a call."""

    subject: Line | None = line("Subject", 200)
    status: Line | None = picklist("Status", "task", "status", "Completed sets the instant of completion.")
    priority: Line | None = picklist("Priority", "task", "priority")
    due_date: Day | None = optional("Due date", "date", "Of a call: the day it was held.")
    duration_minutes: int | None = optional("Duration in minutes", "number", "Of a call.", ge=1, le=1440)
    who_id: Id | None = lookup("Contact or lead", "who", "The person it is with.")
    what_id: Id | None = lookup("Related to", "what", _ABOUT)
    owner_id: Id | None = lookup("Assigned to", "user", "You, where left out.")
    comments: Body | None = body("Comments", 4000)


class TaskInput(RecordInput):
    """A new task."""

    subject: Line = Field(title="Subject", max_length=200, json_schema_extra=widget("text"))
    status: Line | None = picklist("Status", "task", "status", "Completed sets the instant of completion.")
    priority: Line | None = picklist("Priority", "task", "priority")
    due_date: Day | None = optional("Due date", "date")
    who_id: Id | None = lookup("Contact or lead", "who", "The person it is with.")
    what_id: Id | None = lookup("Related to", "what", _ABOUT)
    owner_id: Id | None = lookup("Assigned to", "user", "You, where left out.")
    comments: Body | None = body("Comments", 4000)


class CallInput(RecordInput):
    """A call that was held."""

    subject: Line = Field(title="Subject", max_length=200, json_schema_extra=widget("text"))
    due_date: Day | None = optional("Date of the call", "date", "Today, where left out; not in the future.")
    duration_minutes: int | None = optional("Duration in minutes", "number", ge=1, le=1440)
    who_id: Id | None = lookup("Contact or lead", "who", "The person you spoke with.")
    what_id: Id | None = lookup("Related to", "what", _ABOUT)
    comments: Body | None = body("Comments", 4000, "What was said.")


class UpdateTaskInput(Input):
    """Changes of one task: only the fields to change; null clears one."""

    id: Id = Field(title="Task")
    row_version: Version
    values: TaskChanges


class EventChanges(RecordInput):
    """Fields of an event."""

    subject: Line | None = line("Subject", 200)
    start_at: Instant | None = optional("Start", "instant", "When it begins.")
    end_at: Instant | None = optional("End", "instant", "When it ends; not before the start.")
    location: Line | None = line("Location", 120)
    who_id: Id | None = lookup("Contact or lead", "who", "The person it is with.")
    what_id: Id | None = lookup("Related to", "what", _ABOUT)
    owner_id: Id | None = lookup("Assigned to", "user", "You, where left out.")
    description: Body | None = body("Description", 4000)


class EventInput(EventChanges):
    """A new event."""

    subject: Line = Field(title="Subject", max_length=200, json_schema_extra=widget("text"))
    start_at: Instant = Field(title="Start", description="When it begins.", json_schema_extra=widget("instant"))
    end_at: Instant = Field(
        title="End", description="When it ends; not before the start.", json_schema_extra=widget("instant")
    )


class UpdateEventInput(Input):
    """Changes of one event: only the fields to change; null clears one."""

    id: Id = Field(title="Event")
    row_version: Version
    values: EventChanges


def _begin_task(change: Change) -> None:
    for field in ("status", "priority"):
        if change.after[field] is None:
            change.after[field] = picklist_default(change.ctx, "task", field)


def _task_rules(change: Change) -> None:
    after, ctx = change.after, change.ctx
    if change.moved("status"):
        after["completed_at"] = ctx.now if after["status"] == COMPLETED else None
    is_held_call = after["kind"] == "Call" and after["status"] == COMPLETED
    if is_held_call and after["due_date"] and change.moved("due_date", "status") and after["due_date"] > ctx.today:
        change.refuse("due_date", f"a call that was held cannot lie in the future: {after['due_date']}")
    if after["kind"] != "Call" and after["duration_minutes"] is not None and change.moved("duration_minutes"):
        change.refuse("duration_minutes", "only a call has a duration")


def _begin_call(change: Change) -> None:
    change.after["due_date"] = change.ctx.today
    _begin_task(change)


def _event_rules(change: Change) -> None:
    """CRM-9 i."""
    start, end = change.after["start_at"], change.after["end_at"]
    if start and end and change.moved("start_at", "end_at") and end < start:
        tz = change.ctx.person["tz"]
        said = f"{written_instant(end, tz)} is before the start, {written_instant(start, tz)} ({tz})"
        change.refuse("end_at", f"the end, {end}, is before the start, {start}", said=said)


def _follow(change: Change) -> None:
    refresh(change.ctx, change.was("what_id"), change.after["what_id"])


TASK = record_type("task", TaskInput, TaskChanges, _task_rules, _follow, _begin_task)
CALL = record_type("task", CallInput, TaskChanges, _task_rules, _follow, _begin_call)
EVENT = record_type("event", EventInput, EventChanges, _event_rules, _follow)


@command("crm")
def create_task(ctx: Context, values: TaskInput) -> Created:
    """Create a task."""
    return create(ctx, TASK, values, {"kind": "Task"})


@command("crm")
def log_call(ctx: Context, values: CallInput) -> Created:
    """Log a call that was held: a completed task of kind Call."""
    return create(ctx, CALL, values, {"kind": "Call", "status": COMPLETED})


@command("crm")
def update_task(ctx: Context, values: UpdateTaskInput) -> Updated:
    """Change fields of a task or a call; status Completed completes it, another status opens it again."""
    return update(ctx, TASK, values.id, values.row_version, values.values)


@command("crm")
def delete_task(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a task or a call."""
    return delete(ctx, TASK.kind, values)


@command("crm")
def undelete_task(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted task back."""
    return undelete(ctx, TASK.kind, values)


@command("crm")
def create_event(ctx: Context, values: EventInput) -> Created:
    """Create an event."""
    return create(ctx, EVENT, values)


@command("crm")
def update_event(ctx: Context, values: UpdateEventInput) -> Updated:
    """Change fields of an event."""
    return update(ctx, EVENT, values.id, values.row_version, values.values)


@command("crm")
def delete_event(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete an event."""
    return delete(ctx, EVENT.kind, values)


@command("crm")
def undelete_event(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted event back."""
    return undelete(ctx, EVENT.kind, values)
