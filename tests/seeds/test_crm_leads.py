"""Seeded leads: where they came from, how far they are, and what the converted ones became (CRM-2)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from deskgym_apps.crm.rules import contact_name
from deskgym_apps.crm.rules_leads import CONVERTED_STATUSES, company_key
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World


def leads(store: Store, condition: str = "1") -> list[dict[str, Any]]:
    return [dict(row) for row in store.all(f"SELECT * FROM crm_lead WHERE {condition} ORDER BY id")]


def of(store: Store, table: str, key: str) -> dict[str, Any]:
    row = store.get(table, key)
    assert row is not None
    return dict(row)


def test_every_stage_of_a_lead_is_there_and_a_quarter_is_converted(store: Store) -> None:
    found = Counter(row["status"] for row in leads(store))
    assert set(found) == {"Open - Not Contacted", "Working - Contacted", "Nurturing", "Unqualified", "Qualified"}
    assert min(found.values()) >= 12
    assert 0.2 <= found["Qualified"] / found.total() <= 0.32


def test_converted_leads_point_to_a_contact_of_their_account_at_the_instant_it_happened(store: Store) -> None:
    rows = leads(store, "is_converted = 1")
    assert all(row["status"] in CONVERTED_STATUSES and row["unread"] == 0 for row in rows)
    assert any(row["converted_opportunity_id"] for row in rows)
    assert any(row["converted_opportunity_id"] is None for row in rows)
    for row in rows:
        contact = of(store, "crm_contact", row["converted_contact_id"])
        assert contact["account_id"] == row["converted_account_id"]
        assert row["created_at"] < row["converted_at"] == row["updated_at"]
        deal = row["converted_opportunity_id"]
        made = of(store, "crm_opportunity", deal) if deal else contact
        assert row["converted_at"] == made["created_at"]


def test_leads_that_are_leads_belong_to_active_users_and_are_read_where_their_owner_wrote_last(store: Store) -> None:
    for row in leads(store, "is_converted = 0"):
        assert row["status"] not in CONVERTED_STATUSES
        if row["updated_by"] == row["owner_id"]:
            assert row["unread"] == 0, row


def test_leads_at_customers_match_them_and_lookalikes_do_not(store: Store, small: World) -> None:
    for entry in small.oracle["crm.lead_at_customer"]:
        company, account = of(store, "crm_lead", entry["key"])["company"], of(store, "crm_account", entry["account"])
        assert company_key(company) == company_key(account["name"])
    spelled = [of(store, "crm_lead", entry["key"])["company"] for entry in small.oracle["crm.lead_at_customer"]]
    names = {row["name"] for row in store.all("SELECT name FROM crm_account")}
    assert any(name not in names for name in spelled)
    for entry in small.oracle["crm.lead_lookalike"]:
        assert company_key(of(store, "crm_lead", entry["key"])["company"]) not in {company_key(name) for name in names}


def test_leads_of_known_contacts_have_their_name(store: Store, small: World) -> None:
    for entry in small.oracle["crm.lead_of_contact"]:
        lead, contact = of(store, "crm_lead", entry["key"]), of(store, "crm_contact", entry["contact"])
        assert norm(contact_name(lead)) == norm(contact_name(contact))


def test_new_details_stand_in_the_latest_mail_and_not_in_the_lead(store: Store, small: World) -> None:
    entries = small.oracle["crm.lead_stale_details"]
    assert len(entries) >= 5
    for entry in entries:
        lead, mail = of(store, "crm_lead", entry["key"]), of(store, "crm_email_message", entry["mail"])
        latest = store.one("SELECT max(sent_at) AS at FROM crm_email_message WHERE who_id = ?", (lead["id"],))
        assert latest is not None
        assert latest["at"] == mail["sent_at"]
        assert lead["phone"] != entry["phone"]
        assert "".join(char for char in mail["body"] if char.isdigit()).find(entry["mobile"][-6:]) >= 0
