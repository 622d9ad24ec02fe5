"""The columns of cases that follow from what happened: closing, clocks, first response (CRM-8)."""

from collections.abc import Iterator, Mapping
from typing import Any

from deskgym_apps.crm import rules_cases as rules
from deskgym_apps.kit.norm import norm

from .ledger import Row

_BY: Mapping[str, str] = {
    "crm_field_history": "record_id",
    "crm_case_comment": "case_id",
    "crm_email_message": "what_id",
}


class Happened:
    """Rows of history, comments and mails, found by the case that they are about."""

    def __init__(self, tables: Mapping[str, list[Row]]) -> None:
        self._rows: dict[tuple[str, str], list[Row]] = {}
        for table, column in _BY.items():
            for row in tables[table]:
                self._rows.setdefault((table, row[column]), []).append(row)

    def get(self, table: str, key: tuple[Any, ...]) -> Row | None:
        """Nothing is looked up by key here."""
        raise KeyError(f"{table} {key}")

    def select(self, table: str, **equals: Any) -> Iterator[Row]:
        """The rows of a table about a case that also equal the other values."""
        about = equals.pop(_BY[table])
        for row in self._rows.get((table, about), []):
            if all(row[name] == value for name, value in equals.items()):
                yield row


def finish_cases(tables: dict[str, list[Row]]) -> None:
    """Sets norms, closing and clocks of every case."""
    happened = Happened(tables)
    for row in tables["crm_case"]:
        row["subject_norm"] = norm(row["subject"])
        closings = [change["changed_at"] for change in happened.select("crm_field_history", record_id=row["id"])
                    if change["field"] == "status" and change["new_value"] == rules.CLOSED]  # fmt: skip
        row["closed_at"] = max(closings) if row["status"] == rules.CLOSED else None
        row["is_escalated"] = rules.was_escalated(happened, row)
        row["first_response_at"] = rules.first_response(happened, row)
        row["paused_minutes"] = rules.paused_minutes(happened, row)
        row["first_response_due"] = rules.first_response_due(happened, row)
        row["resolution_due"] = rules.resolution_due(happened, row)
