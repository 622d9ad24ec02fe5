"""What is said in a case, by hand: a comment, and an answer by e-mail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from deskgym_apps.crm.service.case_threads import CaseCommentInput, CaseReplyInput
from deskgym_apps.crm.service.inputs import label

from ..filling import fill
from ..visit import Visit
from .records import record_path, save

Talk = Callable[[Visit, Mapping[str, Any]], Awaitable[dict[str, Any]]]


async def comment(visit: Visit, values: Mapping[str, Any]) -> dict[str, Any]:
    """Add a comment to a case. No page tells the comment's id."""
    await visit.go(f"{record_path(str(values['case_id']))}/comment")
    await fill(visit, visit.main, label(CaseCommentInput, "body"), "textarea", values["body"])
    if "is_public" in values:
        await fill(visit, visit.main, label(CaseCommentInput, "is_public"), "checkbox", values["is_public"])
    await save(visit)
    return {"id": None, "row_version": 1}


async def reply(visit: Visit, values: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the customer of a case by e-mail."""
    await visit.go(f"{record_path(str(values['case_id']))}/reply")
    await fill(visit, visit.main, label(CaseReplyInput, "body"), "textarea", values["body"])
    await save(visit, "Send")
    return {"id": None, "row_version": 1}


TALKS: Mapping[str, Talk] = {"case_comment": comment, "email_reply": reply}
