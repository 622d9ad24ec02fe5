"""What holds in every state of the CRM (I1-I9, I11), as a list of what is broken. Seeds and tests both use it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from deskgym_apps.crm import rules
from deskgym_apps.crm.roles import TABLES
from deskgym_apps.crm.rules_views import MAX_COLUMNS
from deskgym_apps.crm.service.access import User
from deskgym_apps.crm.service.catalog import catalog
from deskgym_apps.crm.service.report_inputs import ReportParts
from deskgym_apps.crm.service.report_specs import SpecMaker, as_given, base_of
from deskgym_apps.kit.call import Context
from deskgym_apps.kit.store import Store

_REFS = {
    "account": ("parent_id",),
    "contact": ("account_id", "reports_to_id"),
    "opportunity": ("account_id",),
    "case": ("account_id", "contact_id", "parent_id"),
    "quote": ("opportunity_id", "contact_id"),
    "lead": (),
    "task": ("what_id", "who_id"),
    "event": ("what_id", "who_id"),
}
_RECORDS = (*_REFS, "note", "article")


def _live(store: Store, kind: str) -> Iterator[dict[str, Any]]:
    yield from store.all(f"SELECT * FROM crm_{kind} WHERE is_deleted = 0 ORDER BY id")


def _deals(store: Store) -> Iterator[str]:
    """I1, I2, I3."""
    stages = {row["name"]: row for row in store.all("SELECT * FROM crm_stage")}
    for row in _live(store, "opportunity"):
        stage, name = stages[row["stage"]], f"opportunity {row['id']}"
        if row["expected_revenue"] != rules.expected_revenue(row["amount"], row["probability"]):
            yield f"I1 {name}"
        if stage["is_closed"] and row["probability"] != stage["probability"]:
            yield f"I2 {name}: probability"
        if bool(stage["is_closed"]) != (row["closed_at"] is not None):
            yield f"I2 {name}: closed_at"
        if (stage["is_closed"] and not stage["is_won"]) != (row["lost_reason"] is not None):
            yield f"I2 {name}: lost_reason"
        if row["forecast_category"] != stage["forecast_category"]:
            yield f"CRM-1 {name}: forecast category"
        lines = store.all(
            "SELECT l.total, e.pricebook_id, e.currency FROM crm_opportunity_line l "
            "JOIN crm_pricebook_entry e ON e.id = l.pricebook_entry_id WHERE l.opportunity_id = ?",
            (row["id"],),
        )
        if lines and row["amount"] != sum(item["total"] for item in lines):
            yield f"I3 {name}"
        for item in lines:
            if (item["pricebook_id"], item["currency"]) != (row["pricebook_id"], row["currency"]):
                yield f"I3 {name}: price book or currency"


def _quotes(store: Store) -> Iterator[str]:
    """CRM-7: a quote's lines are in its currency, and those of a synced one are its opportunity's."""
    columns = "l.pricebook_entry_id, l.qty_milli, l.list_price, l.unit_price, l.discount_bp, l.total, l.sort"
    for row in _live(store, "quote"):
        own = store.all(f"SELECT {columns} FROM crm_quote_line l WHERE l.quote_id = ? ORDER BY l.sort", (row["id"],))
        sql = f"SELECT {columns} FROM crm_opportunity_line l WHERE l.opportunity_id = ? ORDER BY l.sort"
        if row["is_synced"] and own != store.all(sql, (row["opportunity_id"],)):
            yield f"CRM-7 quote {row['id']}: its lines are not its opportunity's"
        entries = [store.get("crm_pricebook_entry", line["pricebook_entry_id"]) for line in own]
        if any(entry is None or entry["currency"] != row["currency"] for entry in entries):
            yield f"CRM-7 quote {row['id']}: currency"


def _refs(store: Store) -> Iterator[str]:
    """I5: no live row points to a deleted one."""
    live = {row["id"] for kind in _RECORDS for row in _live(store, kind)}
    for kind, columns in _REFS.items():
        for row in _live(store, kind):
            for column in columns:
                if row[column] is not None and row[column] not in live:
                    yield f"I5 {kind} {row['id']}.{column}"


def _graphs(store: Store) -> Iterator[str]:
    """I6 and CRM-9 j: nothing stands above itself."""
    for kind, column in (("account", "parent_id"), ("contact", "reports_to_id"), ("case", "parent_id")):
        above = {row["id"]: row[column] for row in _live(store, kind)}
        for start in above:
            seen, at = {start}, above[start]
            while at is not None and at not in seen:
                seen.add(at)
                at = above.get(at)
            if at is not None:
                yield f"I6 {kind} {start}"


def _owners(store: Store) -> Iterator[str]:
    """I7: open deals, tasks and accounts belong to active users, cases to these or to a queue of cases."""
    active = {row["person_id"] for row in store.all("SELECT person_id FROM crm_user WHERE is_active = 1")}
    queues = {row["id"] for row in store.select("crm_group", queue_object="case")}
    for kind in _RECORDS:
        for row in _live(store, kind) if kind != "quote" else ():
            is_done = any(row.get(name) for name in ("closed_at", "completed_at", "is_converted"))
            may = active | queues if kind == "case" else active
            if row["owner_id"] not in may and not is_done:
                yield f"I7 {kind} {row['id']}"


def _relations(store: Store) -> Iterator[str]:
    """I8: the contact's account is its one direct account."""
    for row in _live(store, "contact"):
        direct = [link["account_id"] for link in store.select("crm_account_contact", contact_id=row["id"], is_direct=1)]
        if direct != ([row["account_id"]] if row["account_id"] else []):
            yield f"I8 contact {row['id']}"


def _histories(store: Store) -> Iterator[str]:
    """I9: history of a tracked field links up and ends at the present value."""
    for kind, fields in rules.TRACKED.items():
        for row in store.all(f"SELECT * FROM crm_{kind} ORDER BY id"):
            for field in fields:
                changes = store.all(
                    "SELECT old_value, new_value FROM crm_field_history WHERE record_id = ? AND field = ? "
                    "ORDER BY changed_at",
                    (row["id"], field),
                )
                ends = [change["new_value"] for change in changes]
                starts = [change["old_value"] for change in changes]
                if ends and (ends[-1] != rules.history_text(row[field]) or starts[1:] != ends[:-1]):
                    yield f"I9 {kind} {row['id']}.{field}"
                if any(old == new for old, new in zip(starts, ends, strict=True)):
                    yield f"CRM-11 {kind} {row['id']}.{field}: nothing changed"


def _derived(store: Store) -> Iterator[str]:
    """I4, I11 and every other derived column."""
    for name, table in TABLES.items():
        derived = {
            role.of if role.kind == "worded" else column: role.derive
            for column, role in table.columns.items()
            if role.derive is not None
        }
        if not derived:
            continue
        for row in store.select(name):
            for column, derive in derived.items():
                if row.get("is_deleted") != 1 and row[column] != derive(store, row):
                    yield f"derived {name}.{column} of {row['id']}"


def _views(store: Store) -> Iterator[str]:
    """CRM-6: views show fields that exist, belong to active users, and are shared with groups where they say so."""
    active = {row["person_id"] for row in store.all("SELECT person_id FROM crm_user WHERE is_active = 1")}
    shares = {row["list_view_id"] for row in store.select("crm_list_view_share")}
    for row in store.select("crm_list_view"):
        parts = list(store.select("crm_list_view_filter", list_view_id=row["id"]))
        names = [*json.loads(row["columns"]), *(field for field, _ in json.loads(row["sort"]))]
        for name in [*names, *(part["field"] for part in parts)]:
            prefix, _, own = name.partition(".")
            parent = catalog(row["object"]).parents.get(prefix)
            known = catalog(parent.target or "").fields if parent is not None and own else catalog(row["object"]).fields
            if (own if parent is not None and own else name) not in known:
                yield f"CRM-6 view {row['id']}: there is no field {name}"
        if [part["pos"] for part in parts] != list(range(1, len(parts) + 1)):
            yield f"CRM-6 view {row['id']}: filters are not numbered through"
        if not 1 <= len(json.loads(row["columns"])) <= MAX_COLUMNS:
            yield f"CRM-6 view {row['id']}: columns"
        if row["owner_id"] not in active:
            yield f"I7 view {row['id']}"
        if (row["visibility"] == "groups") != (row["id"] in shares):
            yield f"CRM-6 view {row['id']}: shares"


def _reports(store: Store) -> Iterator[str]:
    """CRM-13: reports belong to active users, and their definitions are what the app itself would keep of them."""
    active = {row["person_id"] for row in store.all("SELECT person_id FROM crm_user WHERE is_active = 1")}
    for row in store.select("crm_report"):
        if row["owner_id"] not in active:
            yield f"I7 report {row['id']}"
            continue
        user = User(Context(store, row["owner_id"], "ui", store.now))
        spec = json.loads(row["spec"])
        kept = SpecMaker(user, base_of(user, row["object"])).spec(ReportParts.model_validate(as_given(spec)))
        if kept != spec:
            yield f"CRM-13 report {row['id']}: kept as {spec}, would be {kept}"
        if row["chart_measure"] is not None and row["chart_measure"] not in spec["measures"]:
            yield f"CRM-13 report {row['id']}: chart of {row['chart_measure']}"


def broken(store: Store) -> list[str]:
    """Every invariant that does not hold, in words; empty when all do."""
    checks = (_deals, _quotes, _refs, _graphs, _owners, _relations, _histories, _derived, _views, _reports)
    return [fault for check in checks for fault in check(store)]
