"""Every kind of page of the desk and the CRM: where it is, and what to press to see it.

`crm_stops(store, person_id)` finds records of a world that show a page at its fullest. A stop without `press` is a
page that a GET draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from deskgym_apps.kit.store import Store

Press = Callable[[Page], None]


@dataclass(frozen=True)
class Stop:
    """One page: a name for it, its path, its status, and what to do there before looking."""

    name: str
    path: str
    status: int = 200
    press: Press | None = None


_FULLEST = {
    "account": "SELECT a.id FROM crm_account a JOIN crm_opportunity o ON o.account_id = a.id AND o.is_deleted = 0 "
    "WHERE a.owner_id = ? AND a.is_deleted = 0 GROUP BY a.id ORDER BY count(*) DESC, a.id",
    "contact": "SELECT c.id FROM crm_contact c JOIN crm_opportunity_contact_role r ON r.contact_id = c.id "
    "WHERE c.owner_id = ? AND c.is_deleted = 0 GROUP BY c.id ORDER BY count(*) DESC, c.id",
    "open": "SELECT o.id FROM crm_opportunity o JOIN crm_stage s ON s.name = o.stage WHERE o.owner_id = ? "
    "AND o.is_deleted = 0 AND s.is_closed = 0 ORDER BY s.sort DESC, o.amount DESC, o.id",
    "won": "SELECT id FROM crm_opportunity WHERE owner_id = ? AND is_deleted = 0 AND stage = 'Closed Won' ORDER BY id",
    "task": "SELECT id FROM crm_task WHERE owner_id = ? AND is_deleted = 0 AND kind = 'Task' AND completed_at IS NULL "
    "AND who_id IS NOT NULL ORDER BY due_date, id",
    "call": "SELECT id FROM crm_task WHERE owner_id = ? AND is_deleted = 0 AND kind = 'Call' ORDER BY id",
    "event": "SELECT id FROM crm_event WHERE owner_id = ? AND is_deleted = 0 ORDER BY id",
    "note": "SELECT id FROM crm_note WHERE owner_id = ? AND is_deleted = 0 ORDER BY length(body) DESC, id",
}


def records(store: Store, person_id: str) -> dict[str, str]:
    """The id of a record of each kind that the person owns and that has much to show."""
    found = {name: store.all(f"{sql} LIMIT 1", (person_id,)) for name, sql in _FULLEST.items()}
    ids = {name: str(rows[0]["id"]) for name, rows in found.items() if rows}
    mail = store.one("SELECT id FROM crm_email_message WHERE what_id = ? ORDER BY id", (ids["account"],))
    ids["email"] = str((mail or store.all("SELECT id FROM crm_email_message ORDER BY id LIMIT 1")[0])["id"])
    return ids


def _click(selector: str) -> Press:
    return lambda page: page.locator(selector).first.click()


def _submit_bare(page: Page) -> None:
    page.locator(".kit-form button[type=submit]").first.click()


def _choose(page: Page) -> None:
    page.locator(".kit-form .combobox, .kit-form select").first.click()


def _pick_date(page: Page) -> None:
    page.locator("button[aria-label^='Choose date']").first.click()


def _look_up(page: Page) -> None:
    page.locator(".kit-form [data-lookup] input[role=combobox]").first.fill("a")


def _leave(page: Page) -> None:
    page.locator(".kit-form input[type=text]").first.fill("Changed")
    toggle = page.locator(".app-nav-toggle")
    if toggle.is_visible():
        toggle.click()
    page.locator(".app-nav a").first.click()


def _close_deal(page: Page) -> None:
    page.locator("[data-path] input[type=radio]").last.check(force=True)
    page.locator("[data-path] button[type=submit]").click()


def _edit_inline(page: Page) -> None:
    page.locator("[data-edit]").nth(2).click()


def _row_menu(page: Page) -> None:
    page.locator("tbody .cell-actions button").first.click()


def _infeasible(page: Page) -> None:
    page.locator("input[name=status][value=infeasible]").check()
    page.locator(".desk-actions button[type=submit]").click()


def _answer(page: Page) -> None:
    for box in page.locator(".desk-form input[type=text]").all():
        name = box.get_attribute("name") or ""
        if name.startswith("answer.") and not box.input_value():
            box.fill("3" if box.get_attribute("inputmode") else "Emballages Serville")
    page.locator(".desk-actions button[type=submit]").click()


def _conflict(page: Page) -> None:
    """Save an edit form after the same form was saved in another window."""
    version = page.locator("input[name=row_version]").first.input_value()  # so that no later visit types the same again
    other = page.context.new_page()
    other.goto(page.url)
    for window, text in ((other, "Theirs"), (page, "Mine")):
        window.locator(".kit-form input[type=text]").first.fill(f"{text} {version}")
        window.locator(".kit-form button[type=submit]").first.click()
        window.wait_for_load_state()
    other.close()


def crm_stops(store: Store, person_id: str) -> tuple[Stop, ...]:
    """The pages of the CRM."""
    at = records(store, person_id)
    account, deal = f"/crm/accounts/{at['account']}", f"/crm/opportunities/{at['open']}"
    contact, task = f"/crm/contacts/{at['contact']}", f"/crm/tasks/{at['task']}"
    won = f"/crm/opportunities/{at['won']}" if "won" in at else deal
    plain = {
        "home": "/crm/",
        "accounts": "/crm/accounts",
        "accounts-filtered": "/crm/accounts?panel=1&scope=mine",
        "accounts-empty": "/crm/accounts?q=zzzzzz",
        "contacts": "/crm/contacts",
        "opportunities": "/crm/opportunities",
        "opportunities-filtered": "/crm/opportunities?panel=1&field1=stage&op1=equals&value1=Closed+Won",
        "tasks": "/crm/tasks",
        "events": "/crm/events",
        "notes": "/crm/notes",
        "board": "/crm/opportunities/board",
        "account": account,
        "account-related": f"{account}/related",
        "account-history": f"{account}/history",
        "account-edit": f"{account}/edit",
        "account-new": "/crm/accounts/new",
        "account-delete": f"{account}/delete",
        "contact": contact,
        "contact-related": f"{contact}/related",
        "contact-edit": f"{contact}/edit",
        "contact-account-new": f"{contact}/accounts/new",
        "opportunity": deal,
        "opportunity-won": won,
        "opportunity-related": f"{deal}/related",
        "opportunity-history": f"{deal}/history",
        "opportunity-edit": f"{deal}/edit",
        "opportunity-new": "/crm/opportunities/new",
        "opportunity-role-new": f"{deal}/contact-roles/new",
        "stage-won": f"{deal}/stage?stage=Closed+Won",
        "stage-lost": f"{deal}/stage?stage=Closed+Lost",
        "task": task,
        "task-edit": f"{task}/edit",
        "call-new": "/crm/calls/new",
        "call": f"/crm/tasks/{at['call']}",
        "event": f"/crm/events/{at['event']}",
        "event-edit": f"/crm/events/{at['event']}/edit",
        "note": f"/crm/notes/{at['note']}",
        "note-new": "/crm/notes/new",
        "email": f"/crm/emails/{at['email']}",
        "search": "/crm/search?q=an",
        "search-empty": "/crm/search?q=zzzzzz",
        "recycle-bin": "/crm/recycle-bin",
        "notifications": "/crm/notifications",
    }
    return (
        *(Stop(name, path) for name, path in plain.items()),
        Stop("error-404", "/crm/accounts/ACC000000000000", 404),
        Stop("error-400", "/crm/accounts?sort=shoe", 400),
        Stop("form-errors", "/crm/opportunities/new", press=_submit_bare),
        Stop("form-select", "/crm/opportunities/new", press=_choose),
        Stop("form-lookup", "/crm/opportunities/new", press=_look_up),
        Stop("form-date", "/crm/opportunities/new", press=_pick_date),
        Stop("form-leave", f"{account}/edit", press=_leave),
        Stop("conflict", f"{account}/edit", press=_conflict),
        Stop("dialog-close", deal, press=_close_deal),
        Stop("menu-new", "/crm/", press=_click(".btn-new")),
        Stop("menu-person", account, press=_click(".app-person")),
        Stop("menu-row", "/crm/tasks", press=_row_menu),
        Stop("inline-edit", account, press=_edit_inline),
    )


def desk_stops() -> tuple[Stop, ...]:
    """The pages of the desk while the work goes on."""
    return (
        Stop("desk", "/desk"),
        Stop("desk-errors", "/desk", press=_infeasible),
        Stop("desk-confirm", "/desk", press=_answer),
        Stop("desk-404", "/nowhere", 404),
    )
