"""Closed sets of approvals (row 27)."""

from __future__ import annotations

from collections.abc import Mapping

APPROVABLE = ("account", "opportunity", "lead", "case", "quote")
MANAGER, ONE, GROUP, LEADER = "manager", "user", "group", "leader"
APPROVER_KINDS = (MANAGER, ONE, GROUP, LEADER)
NAMED = (ONE, GROUP)  # whose approver stands in the process
PENDING, APPROVED, REJECTED, RECALLED = "Pending", "Approved", "Rejected", "Recalled"
STATUSES = (PENDING, APPROVED, REJECTED, RECALLED)
OUTCOMES: Mapping[str, str] = {"approve": APPROVED, "reject": REJECTED}
SET_TYPES = ("text", "picklist")  # fields that a final action may set
