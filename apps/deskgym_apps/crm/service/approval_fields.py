"""Fields of approval requests, as queries know them (row 27)."""

from __future__ import annotations

from .catalog_fields import Field, own, ref

FIELDS: tuple[Field, ...] = (
    own("id", "Record id", "id"),
    own("process", "Process", "text", "(SELECT a.name FROM crm_approval_process a WHERE a.id = {t}.process_id)"),
    own("object", "Object", "text"),
    own("record_id", "Record", "id"),
    own("status", "Status", "text", help="Pending, Approved, Rejected or Recalled."),
    own("approver_kind", "Approver (kind)", "text"),
    own("approver_id", "Approver (id)", "id", help="Empty where whoever leads the owner decides."),
    own("request_comment", "Comment of the request", "text"),
    own("submitted_at", "Submitted", "instant"),
    ref("submitted_by", "Submitted by", "user"),
    own("decided_at", "Decided", "instant"),
    ref("decided_by", "Decided by", "user"),
    own("comment", "Comment", "text"),
)
COLUMNS = ("object", "record_id", "process", "status", "submitted_by.name", "submitted_at")
