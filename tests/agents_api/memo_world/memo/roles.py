"""Roles of the memo table."""

from deskgym_apps.kit.roles import ACTOR, BOOL, CLOCK, ID, VERSION, Table, text

TITLE = "Memos"
TABLES = {
    "memo_memo": Table(
        "memo",
        {
            "id": ID,
            "title": text("free"),
            "done": BOOL,
            "created_by": ACTOR,
            "created_at": CLOCK,
            "row_version": VERSION,
        },
        prefix="MEM",
    )
}
