"""Leads beside the hand-made world: one at a customer, one at a stranger, one that is a contact already."""

from __future__ import annotations

from typing import Any

from deskgym_apps.crm.rules import contact_name
from deskgym_apps.kit.norm import digits, norm

from .fixture import DANA, LUIS, Rows, event, ident, task

NORA, IVO, MARTA_AGAIN, STALE = (ident("LEA", number) for number in (1, 2, 3, 4))
LEAD_CALL, LEAD_TODO, LEAD_VISIT = ident("TSK", 21), ident("TSK", 22), ident("EVT", 21)
LEAD_NOTE, LEAD_MAIL = ident("NTE", 21), ident("EML", 21)
_ASKED = "2031-01-20T10:00:00Z"


def lead(number: int, first: str | None, last: str, company: str, owner: str, **more: Any) -> dict[str, Any]:
    """A row of crm_lead."""
    row = {"id": ident("LEA", number), "first_name": first, "last_name": last, "company": company} | more
    row |= {"company_norm": norm(company), "name_norm": norm(contact_name(row))}
    row["email_norm"] = norm(row["email"]) if row.get("email") else None
    for name in ("phone", "mobile"):
        row[f"{name}_digits"] = digits(row[name]) if row.get(name) else None
    trail = {"created_at": _ASKED, "created_by": owner, "updated_at": _ASKED, "updated_by": owner}
    return {"status": "Working - Contacted", "currency": "USD", "unread": 0, "owner_id": owner} | row | trail


def lead_rows() -> Rows:
    """The rows, for `build_image`."""
    return {
        "crm_lead": [
            lead(
                1,
                "Nora",
                "Haldane",
                "ALDERCROFT LIMITED",
                DANA,
                title="Plant Manager",
                email="n.haldane@aldercroft.example",
                phone="+441632960077",
                website="www.aldercroft.example",
                street="1 Mill Lane",
                city="Leeds",
                postcode="LS1 4DY",
                country="United Kingdom",
                industry="Chemicals",
                employees=320,
                annual_revenue=900_000_000,
                rating="Hot",
                lead_source="Trade Show",
                do_not_call=1,
            ),
            lead(
                2,
                "Ivo",
                "Petrov",
                "Halden Optik GmbH",
                LUIS,
                status="Open - Not Contacted",
                unread=1,
                currency="EUR",
                email="ivo@halden.example",
                mobile="+491711234567",
                city="Kassel",
                country="Germany",
                industry="Machinery",
                employees=90,
                annual_revenue=12_000_000_00,
                lead_source="Web",
                email_opt_out=1,
            ),
            lead(
                3,
                "Marta",
                "Ilić",
                "Aldercroft",
                DANA,
                email="M.Ilic@aldercroft.example",
                title="Head of Purchasing",
                phone="+441632960099",
                mobile="+447700900123",
                do_not_call=1,
            ),
            lead(4, None, "Unreachable", "Halden Optik GmbH", DANA, phone="call reception first"),
        ],
        "crm_task": [
            task(
                21, "Call Nora", DANA, kind="Call", status="Completed", due_date="2031-03-01", who_id=NORA,
            ),
            task(22, "Send Nora the overview", DANA, due_date="2031-03-28", who_id=NORA),
        ],
        "crm_event": [event(21, "Visit Nora", DANA, "2031-03-20T10:00:00Z", "2031-03-20T11:00:00Z", who_id=NORA)],
        "crm_note": [
            {
                "id": LEAD_NOTE,
                "title": "Nora's plans",
                "body": "Two plants.",
                "owner_id": DANA,
                "created_at": _ASKED,
                "created_by": DANA,
                "updated_at": _ASKED,
                "updated_by": DANA,
            }
        ],
        "crm_note_link": [{"note_id": LEAD_NOTE, "record_id": NORA}],
        "crm_email_message": [
            {
                "id": LEAD_MAIL,
                "thread_id": "T21",
                "direction": "in",
                "from_addr": "n.haldane@aldercroft.example",
                "to_addrs": "dana@northbeam.example",
                "subject": "Enquiry",
                "subject_norm": "enquiry",
                "body": "Please call me.",
                "sent_at": "2031-02-02T10:30:00Z",
                "who_id": NORA,
            }
        ],
    }  # fmt: skip
