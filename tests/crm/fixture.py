"""A small hand-made world of Northbeam: a sales team, three companies, a few deals.

Ids read like `ACC000000000001`. It is 14 March 2031, 09:00 UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from deskgym_apps.crm import defaults
from deskgym_apps.crm.rules import contact_name, expected_revenue
from deskgym_apps.crm.rules_views import Filter, normal_form
from deskgym_apps.kit.call import read, run
from deskgym_apps.kit.image import create_tables, finish_image, insert_rows
from deskgym_apps.kit.norm import digits, norm
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool

NOW = "2031-03-14T09:00:00Z"
TODAY = "2031-03-14"
LONG_AGO = "2030-11-04T10:00:00Z"


def ident(prefix: str, number: int) -> str:
    """`ident("ACC", 1)` -> `ACC000000000001`."""
    return f"{prefix}{number:012d}"


# name, title, time zone, locale, currency, profile, role, active
_PEOPLE = {
    "ada": ("Ada Lindqvist", "Administrator", "UTC", "en_GB", "USD", "System Administrator", None, 1),
    "priya": ("Priya Raman", "VP Sales", "Europe/London", "en_GB", "USD", "Sales Manager", "VP Sales", 1),
    "dana": ("Dana Whitcombe", "Account Executive", "America/Denver", "en_US", "USD", "Rep", "AE East", 1),
    "luis": ("Luis Ortega", "Account Executive", "America/New_York", "en_US", "USD", "Rep", "AE East", 1),
    "mei": ("Mei Tanaka", "Deal Desk Analyst", "Asia/Tokyo", "ja_JP", "JPY", "Rep", "Deal Desk", 1),
    "wes": ("Wes Halloran", "Account Executive", "America/Chicago", "en_US", "USD", "Rep", "AE West", 1),
    "rowan": ("Rowan Pryce", "Analyst", "UTC", "en_GB", "GBP", "Read Only", "Deal Desk", 1),
    "tom": ("Tom Bexley", "Account Executive", "UTC", "en_GB", "USD", "Rep", "AE East", 0),
    "olga": ("Olga Brandt", "Sales Operations", "Europe/Berlin", "de_DE", "EUR", "Sales Operations", None, 1),
    "ines": ("Ines Falk", "Support Engineer", "Europe/Berlin", "de_DE", "EUR", "Support Agent", "Support", 1),
    "hugo": ("Hugo Marchand", "Support Engineer", "Europe/Paris", "fr_FR", "EUR", "Support Agent", None, 1),
    "nora": ("Nora Vestergaard", "Head of Support", "Europe/Berlin", "de_DE", "EUR", "Support Manager", "Head", 1),
}
PEOPLE = {name: ident("PRS", number) for number, name in enumerate(_PEOPLE, start=1)}
ADA, PRIYA, DANA, LUIS, MEI, WES, ROWAN, TOM, OLGA, INES, HUGO, NORA = PEOPLE.values()
# role -> the role above
_ROLES = {
    "VP Sales": None,
    "AE East": "VP Sales",
    "AE West": "VP Sales",
    "Deal Desk": None,
    "Head": None,
    "Support": "Head",
}
ROLES = {name: ident("ROL", number) for number, name in enumerate(_ROLES, start=1)}
ALDERCROFT, BRIGHTMOOR, TERN = (ident("ACC", number) for number in (1, 2, 3))
MARTA, OSEI, JUN = (ident("CON", number) for number in (1, 2, 3))
KESTREL, HARBOUR, WON, LOST, YEN = (ident("OPP", number) for number in (1, 2, 3, 4, 5))
CALL, TODO, OVERDUE = (ident("TSK", number) for number in (1, 2, 3))
VISIT, PAST_VISIT = ident("EVT", 1), ident("EVT", 2)
NOTE, MAIL = ident("NTE", 1), ident("EML", 1)
DESK_GROUP, TECH_QUEUE, BILLING_QUEUE = (ident("GRP", number) for number in (1, 2, 3))
LEAK, INVOICE, OLD_CASE = (ident("CAS", number) for number in (1, 2, 3))
TRIAGE, DRAFT, EXPIRED = (ident("ART", number) for number in (1, 2, 3))
CASE_MAIL = ident("EML", 2)
REVIEW = ident("APC", 1)


def _trail(owner: str) -> dict[str, Any]:
    return {
        "owner_id": owner,
        "created_at": LONG_AGO,
        "created_by": owner,
        "updated_at": LONG_AGO,
        "updated_by": owner,
    }


def _people() -> dict[str, list[dict[str, Any]]]:
    persons, users = [], []
    profiles = {profile.name: ident("PRF", number) for number, profile in enumerate(defaults.PROFILES, start=1)}
    for key, (name, title, tz, locale, currency, profile, role, active) in _PEOPLE.items():
        first, last = name.split()
        persons.append(
            {
                "id": PEOPLE[key],
                "first_name": first,
                "last_name": last,
                "name": name,
                "name_norm": norm(name),
                "email": f"{key}@northbeam.example",
                "title": title,
                "tz": tz,
                "locale": locale,
                "currency": currency,
                "hired_on": "2028-01-03",
            }
        )
        named = "Sales Representative" if profile == "Rep" else profile
        users.append(
            {
                "person_id": PEOPLE[key],
                "profile_id": profiles[named],
                "role_id": ROLES[role] if role else None,
                "is_active": active,
            }
        )
    return {
        "org_person": persons,
        "crm_role": [
            {
                "id": ROLES[name],
                "name": name,
                "parent_role_id": ROLES[above] if above else None,
                "is_vp": int(name.startswith("VP")),
            }
            for name, above in _ROLES.items()
        ],
        "crm_profile": [profile.row(profiles[profile.name]) for profile in defaults.PROFILES],
        "crm_object_perm": [row for item in defaults.PROFILES for row in item.object_rows(profiles[item.name])],
        "crm_field_perm": [row for item in defaults.PROFILES for row in item.field_rows(profiles[item.name])],
        "crm_user": users,
        "crm_group": [
            {"id": DESK_GROUP, "name": "Deal Desk"},
            {"id": TECH_QUEUE, "name": "Technical Support", "kind": "queue", "queue_object": "case"},
            {"id": BILLING_QUEUE, "name": "Billing – EU", "kind": "queue", "queue_object": "case"},
        ],
        "crm_group_member": [
            {"id": ident("GRM", 1), "group_id": DESK_GROUP, "member_kind": "user", "member_id": MEI},
            {"id": ident("GRM", 2), "group_id": TECH_QUEUE, "member_kind": "role", "member_id": ROLES["Support"]},
            {"id": ident("GRM", 3), "group_id": BILLING_QUEUE, "member_kind": "user", "member_id": HUGO},
        ],
        "crm_approval_process": [
            {
                "id": REVIEW,
                "object": "quote",
                "name": "Quote review",
                "criteria": '[{"field":"status","op":"equals","type":"picklist","value":"Needs Review"}]',
                "conditions": normal_form([Filter("status", "picklist", "equals", "Needs Review")], None, "all"),
                "approver_kind": "leader",
            }
        ],
        "crm_assignment_rule": [
            {"id": ident("ASR", 1), "object": "case", "name": "Support routing", "default_owner_id": TECH_QUEUE}
        ],
        "crm_assignment_entry": [
            {
                "id": ident("ASE", 1),
                "rule_id": ident("ASR", 1),
                "sort": 1,
                "criteria": '[{"field": "type", "op": "equals", "value": "Billing"}, '
                '{"field": "account.region", "op": "equals", "value": "EMEA"}]',
                "owner_id": BILLING_QUEUE,
            },
            {
                "id": ident("ASE", 2),
                "rule_id": ident("ASR", 1),
                "sort": 2,
                "criteria": '[{"field": "type", "op": "in", "value": ["Billing", "Delivery"]}]',
                "owner_id": OLGA,
            },
        ],
    }


def account(number: int, name: str, owner: str, **more: Any) -> dict[str, Any]:
    phone = more.get("phone")
    derived = {"name_norm": norm(name), "phone_digits": digits(phone) if phone else None, "currency": "USD"}
    return {"id": ident("ACC", number), "name": name} | derived | more | _trail(owner)


def contact(number: int, first: str, last: str, owner: str, **more: Any) -> dict[str, Any]:
    row = {"id": ident("CON", number), "first_name": first, "last_name": last} | more
    for field in ("phone", "mobile"):
        row[f"{field}_digits"] = digits(row[field]) if row.get(field) else None
    row["email_norm"] = norm(row["email"]) if row.get("email") else None
    return row | {"name_norm": norm(contact_name(row))} | _trail(owner)


def opportunity(number: int, name: str, owner: str, stage: str, **more: Any) -> dict[str, Any]:
    found = next(row for row in defaults.STAGES if row["name"] == stage)
    row = {"currency": "USD", "amount": None, "close_date": "2031-04-30"} | more
    return {
        "id": ident("OPP", number),
        "name": name,
        "name_norm": norm(name),
        "stage": stage,
        "probability": found["probability"],
        "forecast_category": found["forecast_category"],
        "expected_revenue": expected_revenue(row["amount"], found["probability"]),
        "closed_at": LONG_AGO if found["is_closed"] else None,
        "last_stage_change_at": LONG_AGO,
        **row,
        **_trail(owner),
    }


def task(number: int, subject: str, owner: str, **more: Any) -> dict[str, Any]:
    row = {"status": "Not Started", "priority": "Normal"} | more
    done = LONG_AGO if row["status"] == "Completed" else None
    base = {"id": ident("TSK", number), "subject": subject, "subject_norm": norm(subject), "completed_at": done}
    return base | row | _trail(owner)


def event(number: int, subject: str, owner: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    base = {"id": ident("EVT", number), "subject": subject, "subject_norm": norm(subject)}
    return base | {"start_at": start, "end_at": end} | more | _trail(owner)


def case(number: int, subject: str, owner: str, **more: Any) -> dict[str, Any]:
    base = {"id": ident("CAS", number), "number": f"{number:08d}", "subject": subject, "subject_norm": norm(subject)}
    return base | {"status": "New", "priority": "Medium"} | _trail(DANA) | {"owner_id": owner} | more


def article(number: int, title: str, **more: Any) -> dict[str, Any]:
    base = {"id": ident("ART", number), "number": f"{number:08d}", "title": title, "title_norm": norm(title)}
    row = base | {"body": "Read this.", "status": "Published", "visibility": "Internal", "category": "Policy"}
    return row | {"valid_from": "2030-01-01"} | more | _trail(NORA)


def _versions(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    same = ("title", "body", "created_at", "created_by")
    return [{"article_id": row["id"], "version": 1, **{name: row[name] for name in same}} for row in articles]


def service_rows() -> dict[str, list[dict[str, Any]]]:
    """Cases and articles to add: one case with a person, one in a queue, one closed."""
    articles = [
        article(1, "Triage of billing cases", body="## Priority\n\n- Gold: **High**\n- others: Low\n\nThat is <all>."),
        article(2, "Draft on refunds", status="Draft", valid_from=None),
        article(3, "Old discount policy", valid_to="2031-01-31"),
    ]
    return {
        "crm_case": [
            case(1, "Leak at the flange", INES, account_id=ALDERCROFT, contact_id=MARTA, type="Technical"),
            case(
                2, "Invoice shows the wrong VAT", BILLING_QUEUE, account_id=BRIGHTMOOR, contact_id=JUN, type="Billing"
            ),
            case(
                3,
                "Sensor drifts",
                INES,
                account_id=ALDERCROFT,
                contact_id=MARTA,
                status="Closed",
                reason="Device Fault",
                resolution="Replaced.",
                closed_at=LONG_AGO,
            ),
        ],
        "crm_article": articles,
        "crm_article_version": _versions(articles),
        "crm_email_message": [
            {
                "id": CASE_MAIL,
                "thread_id": "T2",
                "direction": "in",
                "from_addr": "m.ilic@aldercroft.example",
                "to_addrs": "support@northbeam.example",
                "subject": "Leak at the flange",
                "subject_norm": "leak at the flange",
                "body": "Water drips from the flange of line 2.",
                "sent_at": "2031-03-13T10:30:00Z",
                "who_id": MARTA,
                "what_id": LEAK,
            },
        ],
    }


def _records() -> dict[str, list[dict[str, Any]]]:
    return {
        "crm_account": [
            account(
                1,
                "Aldercroft Ltd",
                DANA,
                account_number="00012345",
                region="EMEA",
                type="Customer",
                industry="Machinery",
                phone="+441632960001",
                bill_city="Leeds",
                bill_country="United Kingdom",
                annual_revenue=1_250_000_000,
                last_activity_on="2031-03-10",
            ),
            account(2, "Brightmoor Süd GmbH", LUIS, region="EMEA", type="Prospect", bill_city="Köln", currency="EUR"),
            account(3, "Tern Logistics", WES, region="AMER", type="Customer", industry="Logistics", bill_city="Boston"),
        ],
        "crm_contact": [
            contact(
                1,
                "Marta",
                "Ilić",
                DANA,
                account_id=ALDERCROFT,
                title="Buyer",
                email="m.ilic@aldercroft.example",
                phone="+441632960014",
            ),
            contact(2, "Kofi", "Osei", DANA, account_id=ALDERCROFT, title="CFO", reports_to_id=None),
            contact(3, "Jun", "Arai", LUIS, account_id=BRIGHTMOOR, email="jun@brightmoor.example"),
        ],
        "crm_account_contact": [
            {"account_id": ALDERCROFT, "contact_id": MARTA, "is_direct": 1},
            {"account_id": ALDERCROFT, "contact_id": OSEI, "is_direct": 1},
            {"account_id": BRIGHTMOOR, "contact_id": JUN, "is_direct": 1},
            {"account_id": BRIGHTMOOR, "contact_id": OSEI, "role": "Influencer", "is_direct": 0},
        ],
        "crm_opportunity": [
            opportunity(
                1,
                "Kestrel – FY26 renewal",
                DANA,
                "Qualification",
                account_id=ALDERCROFT,
                amount=1_234_567,
                last_activity_on="2031-03-10",
            ),
            opportunity(
                2, "Harbour retrofit", LUIS, "Negotiation/Review", account_id=BRIGHTMOOR, amount=50_000, currency="EUR"
            ),
            opportunity(3, "Tern pumps", WES, "Closed Won", account_id=TERN, amount=900_000, close_date="2031-01-20"),
            opportunity(
                4,
                "Aldercroft valves",
                DANA,
                "Closed Lost",
                account_id=ALDERCROFT,
                amount=70_000,
                close_date="2031-02-11",
                lost_reason="Price",
            ),
            opportunity(
                5, "Osaka pilot", DANA, "Prospecting", amount=5_000_000, currency="JPY", close_date="2031-03-01"
            ),
        ],
        "crm_opportunity_contact_role": [
            {"opportunity_id": KESTREL, "contact_id": MARTA, "role": "Evaluator", "is_primary": 1}
        ],
        "crm_task": [
            task(
                1,
                "Call about renewal",
                DANA,
                kind="Call",
                status="Completed",
                due_date="2031-03-10",
                who_id=OSEI,
                what_id=KESTREL,
            ),
            task(2, "Send revised quote", DANA, due_date="2031-03-20", what_id=KESTREL),
            task(3, "Chase the signature", DANA, due_date="2031-03-07", who_id=MARTA, priority="High"),
        ],
        "crm_event": [
            event(1, "Site visit", DANA, "2031-03-14T13:00:00Z", "2031-03-14T15:00:00Z", what_id=ALDERCROFT),
            event(2, "Kick-off", LUIS, "2031-02-03T09:00:00Z", "2031-02-03T10:00:00Z", who_id=JUN),
        ],
        "crm_note": [{"id": NOTE, "title": "Renewal terms", "body": "They want *three* years.", **_trail(DANA)}],
        "crm_note_link": [{"note_id": NOTE, "record_id": KESTREL}, {"note_id": NOTE, "record_id": MARTA}],
        "crm_email_message": [
            {
                "id": MAIL,
                "thread_id": "T1",
                "direction": "in",
                "from_addr": "m.ilic@aldercroft.example",
                "to_addrs": "dana@northbeam.example",
                "subject": "Re: renewal",
                "subject_norm": "re: renewal",
                "body": "Marta Ilić, Head of Purchasing",
                "sent_at": "2031-03-12T10:30:00Z",
                "who_id": MARTA,
                "what_id": KESTREL,
            },
        ],
    }


def _settings() -> dict[str, list[dict[str, Any]]]:
    meta = {
        "sim_now": NOW,
        "world_key": "fixture",
        "world": "fixture:1",
        "company": "Northbeam Pumps",
        "corp_currency": "USD",
        "fiscal_start_month": "2",
    }
    currencies = (("USD", 2, 1), ("EUR", 2, 0), ("GBP", 2, 0), ("JPY", 0, 0), ("KWD", 3, 0))
    rates = (("EUR", 1_100_000), ("GBP", 1_300_000), ("JPY", 9_000), ("KWD", 3_250_000))
    return {
        "org_meta": [{"key": key, "value": value} for key, value in meta.items()],
        "org_currency": [{"code": code, "exponent": size, "is_corporate": own} for code, size, own in currencies],
        "org_fx_rate": [{"code": code, "valid_from": "2031-01-01", "rate_ppm": rate} for code, rate in rates],
        "crm_stage": list(defaults.STAGES),
        "crm_picklist": [
            {"id": ident("PKV", number)} | row for number, row in enumerate(defaults.picklist_rows(), start=1)
        ],
        "crm_owd": list(defaults.OWD),
    }


Rows = Mapping[str, list[dict[str, Any]]]
_OBJECTS = {
    "ACC": "account",
    "CON": "contact",
    "OPP": "opportunity",
    "QUO": "quote",
    "LEA": "lead",
    "CAS": "case",
    "TSK": "task",
    "EVT": "event",
    "NTE": "note",
    "ART": "article",
}


def build_image(more: Rows | None = None, *, owd: Mapping[str, str] | None = None) -> bytes:
    """The world's image; `more`: rows to add by table, or columns of the row of that id; `owd`: other defaults."""
    rows = _settings() | _people() | _records()
    rows["crm_owd"] = [row | {"access": (owd or {}).get(row["object"], row["access"])} for row in rows["crm_owd"]]
    for table, extra in (more or {}).items():
        more_of = {row["id"]: row for row in extra if "id" in row}
        kept = [row | more_of.pop(row.get("id"), {}) for row in rows.get(table, [])]
        rows[table] = kept + [row for row in extra if "id" not in row or row["id"] in more_of]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        create_tables(conn, ["crm", "desk"])
        conn.execute("PRAGMA foreign_keys = OFF")
        for table, given in rows.items():
            insert_rows(conn, table, given)
        finish_image(conn)
        return conn.serialize()


def _made() -> dict[str, Any]:
    return {name: value for name, value in _trail(ADA).items() if name != "owner_id"}


def with_lines(deal: str) -> dict[str, list[dict[str, Any]]]:
    """Rows that give a deal of 12,345.67 USD one product line of that price."""
    return {
        "crm_opportunity": [{"id": deal, "pricebook_id": ident("PBK", 1)}],
        "crm_product": [{"id": ident("PRD", 1), "name": "Pump", "name_norm": "pump", "code": "P-1", **_made()}],
        "crm_pricebook": [
            {"id": ident("PBK", 1), "name": "Standard", "name_norm": "standard", "is_standard": 1, **_made()}
        ],
        "crm_pricebook_entry": [
            {
                "id": ident("PBE", 1),
                "pricebook_id": ident("PBK", 1),
                "product_id": ident("PRD", 1),
                "currency": "USD",
                "unit_price": 1_234_567,
                **_made(),
            }
        ],
        "crm_opportunity_line": [
            {
                "id": ident("OLI", 1),
                "opportunity_id": deal,
                "pricebook_entry_id": ident("PBE", 1),
                "qty_milli": 1000,
                "list_price": 1_234_567,
                "unit_price": 1_234_567,
                "total": 1_234_567,
                "sort": 1,
            }
        ],
    }


class World:
    """One private copy of the world, used through one door: the services, as pages call them, or the tools."""

    def __init__(self, image: bytes, door: str = "service") -> None:
        self.store = Store.memory(image)
        self.door = door

    def close(self) -> None:
        self.store.close()

    def run(self, name: str, arguments: Mapping[str, Any] | None = None, *, by: str = DANA) -> Any:
        """A command of the CRM's services."""
        return run(self.store, f"crm.{name}", arguments or {}, person_id=by, channel="ui")

    def read(self, name: str, arguments: Mapping[str, Any] | None = None, *, by: str = DANA) -> Any:
        """A query of the CRM's services."""
        return read(self.store, f"crm.{name}", arguments or {}, person_id=by)

    def tool(self, name: str, arguments: Mapping[str, Any] | None = None, *, by: str = DANA) -> Any:
        """A tool of the CRM."""
        return call_tool(self.store, f"crm_{name}", dict(arguments or {}), person_id=by, app_names=("crm",))

    def ask(self, name: str, *, by: str = DANA, **arguments: Any) -> Any:
        """A query or a command that has the same name and arguments at both doors."""
        if self.door == "tool":
            action = {"contact_role": "role", "account_contact": "account"}.get(name.partition("_")[2])
            if action is not None:
                return self.tool("link_contact", {"action": f"{name.partition('_')[0]}_{action}"} | arguments, by=by)
            if name == "history":
                return self.tool("timeline", {"action": "history"} | arguments, by=by)
            return self.tool({"merge_records": "merge"}.get(name, name), arguments, by=by)
        is_command = name.startswith(("set_", "remove_", "convert_", "merge_"))
        return self.run(name, arguments, by=by) if is_command else self.read(name, arguments, by=by)

    def create(self, thing: str, *, by: str = DANA, **values: Any) -> str:
        """A new record's id."""
        if self.door == "tool":
            return str(self.tool("create", {"object": thing, "values": values}, by=by)["id"])
        return str(self.run(f"create_{thing}", values, by=by)["id"])

    def log_call(self, *, by: str = DANA, **values: Any) -> str:
        """A logged call's id."""
        if self.door == "tool":
            return str(self.tool("log_activity", {"kind": "call", "values": values}, by=by)["id"])
        return str(self.run("log_call", values, by=by)["id"])

    def update(self, record_id: str, values: Mapping[str, Any], *, by: str = DANA, **more: Any) -> Any:
        """Change a record, at its present version where none is given."""
        arguments = {"id": record_id, "row_version": self.version(record_id), "values": dict(values)} | more
        if self.door == "tool":
            return self.tool("update", arguments, by=by)
        return self.run(f"update_{_OBJECTS[record_id[:3]]}", arguments, by=by)

    def delete(self, record_id: str, *, by: str = DANA, **more: Any) -> Any:
        """Delete a record."""
        return self._on(record_id, "delete", by, more)

    def undelete(self, record_id: str, *, by: str = DANA) -> Any:
        """Bring a record back."""
        return self._on(record_id, "undelete", by, {})

    def _on(self, record_id: str, verb: str, by: str, more: Mapping[str, Any]) -> Any:
        if self.door == "tool":
            return self.tool(verb, {"id": record_id, **more}, by=by)
        return self.run(f"{verb}_{_OBJECTS[record_id[:3]]}", {"id": record_id, **more}, by=by)

    def ids(self, thing: str, *filters: tuple[str, str, Any], by: str = DANA, **more: Any) -> list[str]:
        """Ids of the records that a list shows, in its order; filters are (field, operator, value)."""
        wanted = [
            {"field": field, "op": op} | ({} if value is None else {"value": value}) for field, op, value in filters
        ]
        answer = self.ask("query", by=by, **({"object": thing, "filter": wanted, "fields": [], "limit": 200} | more))
        return [row["id"] for row in answer["rows"]]

    def row(self, table: str, key: str | tuple[Any, ...]) -> dict[str, Any]:
        """One row as stored."""
        found = self.store.get(f"crm_{table}", key)
        assert found is not None
        return dict(found)

    def record(self, record_id: str) -> dict[str, Any]:
        """A record as stored."""
        return self.row(_OBJECTS[record_id[:3]], record_id)

    def version(self, record_id: str) -> int:
        """The row_version of a record."""
        return int(self.record(record_id)["row_version"])

    def history(self, record_id: str) -> list[tuple[str, str | None, str | None]]:
        """(field, old, new) of a record's history, oldest first."""
        rows = self.store.all(
            "SELECT field, old_value, new_value FROM crm_field_history WHERE record_id = ? ORDER BY changed_at, field",
            (record_id,),
        )
        return [(row["field"], row["old_value"], row["new_value"]) for row in rows]

    def notes_to(self, person_id: str) -> list[str]:
        """Bodies of a person's notifications, oldest first."""
        rows = self.store.all(
            "SELECT body FROM crm_notification WHERE person_id = ? ORDER BY created_at, id", (person_id,)
        )
        return [row["body"] for row in rows]
