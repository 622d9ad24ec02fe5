"""The CRM's invariants (crm.md §1.2) hold in the seeded rows, but for mess that the oracle file lists."""

from itertools import pairwise
from typing import Any

import pytest

from deskgym_apps.crm import rules
from deskgym_apps.kit.apps import registry
from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World

Rows = list[dict[str, Any]]
DELETED = "is_deleted = 0"


def listed(small: World, rule: str) -> set[str]:
    return {entry["key"] for entry in small.oracle[f"crm.{rule}"]}


def test_i1_expected_revenue_is_amount_times_probability(store: Store) -> None:
    for row in store.all("SELECT id, amount, probability, expected_revenue FROM crm_opportunity"):
        assert row["expected_revenue"] == rules.expected_revenue(row["amount"], row["probability"]), row


def test_i2_closed_deals_are_closed_in_every_column(store: Store) -> None:
    query = "SELECT o.*, s.is_closed, s.is_won FROM crm_opportunity o JOIN crm_stage s ON s.name = o.stage"
    for row in store.all(query):
        assert bool(row["is_closed"]) == (row["closed_at"] is not None), row
        if row["is_won"]:
            assert row["probability"] == 100
        lost = row["is_closed"] and not row["is_won"]
        assert bool(lost) == (row["lost_reason"] is not None), row
        assert not lost or row["probability"] == 0
        assert (row["lost_reason"] == "Other") == (row["lost_detail"] is not None), row


def test_i3_amount_is_the_sum_of_the_lines(store: Store) -> None:
    found = store.all(
        "SELECT o.id, o.amount, o.currency, o.pricebook_id, sum(l.total) AS total, "
        "min(e.pricebook_id = o.pricebook_id AND e.currency = o.currency) AS fits "
        "FROM crm_opportunity o JOIN crm_opportunity_line l ON l.opportunity_id = o.id "
        "JOIN crm_pricebook_entry e ON e.id = l.pricebook_entry_id GROUP BY o.id"
    )
    assert len(found) > 50
    for row in found:
        assert (row["total"], row["fits"]) == (row["amount"], 1), row
    without = store.all(
        "SELECT id FROM crm_opportunity WHERE pricebook_id IS NOT NULL "
        "AND id NOT IN (SELECT opportunity_id FROM crm_opportunity_line)"
    )
    assert without == []


def test_i4_line_totals_follow_from_quantity_price_and_discount(store: Store) -> None:
    for row in store.all("SELECT * FROM crm_opportunity_line"):
        assert row["total"] == rules.line_total(row["qty_milli"], row["unit_price"], row["discount_bp"]), row


def test_i5_live_rows_refer_to_live_parents(store: Store) -> None:
    for query in (
        "SELECT c.id FROM crm_contact c JOIN crm_account a ON a.id = c.account_id WHERE c.is_deleted < a.is_deleted",
        "SELECT o.id FROM crm_opportunity o JOIN crm_account a ON a.id = o.account_id "
        "WHERE o.is_deleted < a.is_deleted",
        "SELECT a.id FROM crm_account a JOIN crm_account p ON p.id = a.parent_id WHERE a.is_deleted < p.is_deleted",
        "SELECT c.id FROM crm_contact c JOIN crm_contact b ON b.id = c.reports_to_id WHERE c.is_deleted < b.is_deleted",
        "SELECT t.id FROM crm_task t JOIN crm_contact c ON c.id = t.who_id WHERE t.is_deleted < c.is_deleted",
        "SELECT t.id FROM crm_task t JOIN crm_account a ON a.id = t.what_id WHERE t.is_deleted < a.is_deleted",
        "SELECT e.id FROM crm_event e JOIN crm_contact c ON c.id = e.who_id WHERE e.is_deleted < c.is_deleted",
    ):
        assert store.all(query) == [], query


def test_what_activities_and_notes_are_about_exists(store: Store) -> None:
    known = {
        row["id"]
        for table in ("account", "opportunity", "contact", "lead", "case")
        for row in store.all(f"SELECT id FROM crm_{table}")
    }
    for table, column in (
        ("crm_task", "what_id"), ("crm_event", "what_id"), ("crm_email_message", "what_id"), ("crm_task", "who_id"),
        ("crm_event", "who_id"), ("crm_email_message", "who_id"),
        ("crm_note_link", "record_id"),
    ):  # fmt: skip
        assert {row[column] for row in store.all(f"SELECT {column} FROM {table}")} - {None} <= known


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("crm_account", "parent_id"),
        ("crm_role", "parent_role_id"),
        ("crm_contact", "reports_to_id"),
        ("crm_user", "manager_id"),
    ],
)
def test_i6_hierarchies_have_no_cycle(store: Store, table: str, column: str) -> None:
    key = "person_id" if table == "crm_user" else "id"
    parents = {row[key]: row[column] for row in store.all(f"SELECT {key}, {column} FROM {table}")}
    for start in parents:
        seen, current = {start}, parents[start]
        while current is not None:
            assert current not in seen
            seen.add(current)
            current = parents[current]


@pytest.mark.parametrize(
    "table", ["crm_account", "crm_contact", "crm_opportunity", "crm_lead", "crm_task", "crm_event"]
)
def test_i7_owners_of_open_records_are_active_users(store: Store, small: World, table: str) -> None:
    still_open = {
        "crm_lead": "r.is_converted = 0", "crm_opportunity": "r.closed_at IS NULL",
        "crm_task": "r.completed_at IS NULL",
        "crm_event": "r.end_at > (SELECT value FROM org_meta WHERE key = 'sim_now')",
    }.get(table, "1")  # fmt: skip
    rows = store.all(
        f"SELECT r.id FROM {table} r LEFT JOIN crm_user u ON u.person_id = r.owner_id AND u.is_active = 1 "
        f"WHERE u.person_id IS NULL AND {still_open}"
    )
    assert {row["id"] for row in rows} <= listed(small, "stale_owner")


def test_i7_the_stale_owners_of_the_oracle_are_real(store: Store, small: World) -> None:
    for entry in small.oracle["crm.stale_owner"]:
        row = store.get(entry["table"], entry["key"])
        assert row is not None
        user = store.get("crm_user", row["owner_id"])
        assert user is not None
        assert user["is_active"] == 0


def test_i8_every_contact_is_linked_directly_to_its_account(store: Store) -> None:
    assert (
        store.all(
            "SELECT c.id FROM crm_contact c LEFT JOIN crm_account_contact l "
            "ON l.contact_id = c.id AND l.account_id = c.account_id AND l.is_direct = 1 "
            "WHERE c.account_id IS NOT NULL AND l.contact_id IS NULL"
        )
        == []
    )
    assert (
        store.all(
            "SELECT l.contact_id FROM crm_account_contact l JOIN crm_contact c ON c.id = l.contact_id "
            "WHERE l.is_direct = 1 AND c.account_id <> l.account_id"
        )
        == []
    )


@pytest.mark.parametrize("object_name", ["account", "contact", "opportunity", "lead", "task", "event"])
def test_i9_history_replayed_ends_at_the_current_value(store: Store, object_name: str) -> None:
    current = {row["id"]: row for row in store.all(f"SELECT * FROM crm_{object_name}")}
    chains: dict[tuple[str, str], Rows] = {}
    for row in store.all("SELECT * FROM crm_field_history WHERE object = ? ORDER BY changed_at", (object_name,)):
        chains.setdefault((row["record_id"], row["field"]), []).append(row)
    assert chains
    for (record_id, field), chain in chains.items():
        assert field in rules.TRACKED[object_name]
        assert all(row["old_value"] != row["new_value"] for row in chain)
        assert all(one["changed_at"] < two["changed_at"] for one, two in pairwise(chain))
        assert all(one["new_value"] == two["old_value"] for one, two in pairwise(chain))
        value = current[record_id][field]
        assert chain[-1]["new_value"] == (None if value is None else str(value))
        assert chain[0]["changed_at"] > current[record_id]["created_at"]
        assert chain[-1]["changed_at"] <= current[record_id]["updated_at"]


def test_i9_unchanged_deals_have_no_stage_history_and_moved_ones_have_all_of_it(store: Store) -> None:
    moved = {row["record_id"] for row in store.all("SELECT record_id FROM crm_field_history WHERE field = 'stage'")}
    for row in store.all("SELECT id, stage, created_at, last_stage_change_at FROM crm_opportunity"):
        if row["id"] in moved:
            last = store.one(
                "SELECT max(changed_at) AS at FROM crm_field_history WHERE record_id = ? AND field = 'stage'",
                (row["id"],),
            )
            assert last is not None
            assert last["at"] == row["last_stage_change_at"]
        else:
            assert (row["stage"], row["last_stage_change_at"]) == ("Prospecting", row["created_at"])


@pytest.mark.parametrize("table", ["crm_account", "crm_contact", "crm_opportunity", "crm_opportunity_line", "crm_lead",
                                   "crm_task",
                                   "crm_event", "crm_email_message"])  # fmt: skip
def test_i11_and_norms_derived_columns_are_what_the_registry_derives(store: Store, table: str) -> None:
    derived = {name: role.derive for name, role in registry()[table].columns.items() if role.derive is not None}
    assert derived
    for row in store.all(f"SELECT * FROM {table}"):
        assert {name: row[name] for name in derived} == {name: derive(store, row) for name, derive in derived.items()}


def test_crm_1_stage_sets_probability_and_forecast_unless_somebody_chose_another(store: Store) -> None:
    query = (
        "SELECT o.id, o.probability, o.forecast_category, s.probability AS usual, s.forecast_category AS category, "
        "s.is_closed FROM crm_opportunity o JOIN crm_stage s ON s.name = o.stage"
    )
    rows = store.all(query)
    assert all(row["forecast_category"] == row["category"] for row in rows)
    chosen = [row for row in rows if row["probability"] != row["usual"]]
    assert all(not row["is_closed"] for row in chosen)
    assert 1 <= len(chosen) <= len(rows) // 10


def test_crm_9_b_amount_is_positive_from_proposal_on(store: Store) -> None:
    needed = ("Proposal/Price Quote", "Negotiation/Review", "Closed Won")
    for row in store.all("SELECT id, stage, amount FROM crm_opportunity"):
        if row["stage"] in needed:
            assert row["amount"] is not None
            assert row["amount"] > 0


def test_crm_9_d_account_numbers_have_eight_characters_and_are_unique(store: Store) -> None:
    numbers = [
        row["account_number"] for row in store.all("SELECT account_number FROM crm_account") if row["account_number"]
    ]
    assert all(len(number) == 8 for number in numbers)
    assert len(numbers) == len(set(numbers))


def test_crm_9_f_phones_are_e164_but_for_listed_free_text(store: Store, small: World) -> None:
    odd = listed(small, "free_text_phone")
    for row in store.all("SELECT id, phone, mobile FROM crm_contact"):
        for number in (row["phone"], row["mobile"]):
            plain = number is None or (number.startswith("+") and number[1:].isdigit() and 8 <= len(number) <= 16)
            assert plain or row["id"] in odd, row


def test_crm_9_h_tasks_of_high_priority_have_a_contact(store: Store) -> None:
    assert store.all("SELECT id FROM crm_task WHERE priority = 'High' AND who_id IS NULL") == []


def test_crm_10_deleted_rows_are_few_recent_and_deleted_by_a_user(store: Store) -> None:
    for table in ("crm_account", "crm_contact", "crm_task", "crm_note"):
        for row in store.all(f"SELECT * FROM {table} WHERE is_deleted = 1"):
            assert row["deleted_by"] is not None
            assert row["delete_batch"] is not None
            assert row["created_at"] < row["deleted_at"] == row["updated_at"]
    assert len(store.all("SELECT id FROM crm_task WHERE is_deleted = 1")) >= 3


def test_picklist_columns_hold_values_of_their_picklist(store: Store) -> None:
    lists: dict[tuple[str, str], set[str]] = {}
    for row in store.all("SELECT * FROM crm_picklist"):
        lists.setdefault((row["object"], row["field"]), set()).add(row["value"])
    for (name, column), values in lists.items():
        found = {row[column] for row in store.all(f"SELECT DISTINCT {column} FROM crm_{name}")}
        assert found - {None} <= values, (name, column)


def test_every_role_column_of_an_instant_or_date_is_well_formed(store: Store) -> None:
    for table, roles in registry(("crm",)).items():
        for column, role in roles.columns.items():
            if role.kind not in ("instant", "date", "clock", "touch", "clock_when", "clock_if"):
                continue
            pattern = "????-??-??" if role.kind == "date" else "????-??-??T??:??:??Z"
            bad = store.all(f'SELECT "{column}" FROM "{table}" WHERE "{column}" NOT GLOB ? LIMIT 1', (pattern,))
            assert bad == [], (table, column)
