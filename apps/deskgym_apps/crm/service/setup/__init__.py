"""What administrators set up: users, roles, groups, permissions, sharing, rules and picklists."""

from . import (
    approval_processes,
    assignment_rules,
    groups,
    people,
    permissions,
    picklists,
    sharing_rules,
    validation_rules,
)

__all__ = [
    "approval_processes",
    "assignment_rules",
    "groups",
    "people",
    "permissions",
    "picklists",
    "sharing_rules",
    "validation_rules",
]
