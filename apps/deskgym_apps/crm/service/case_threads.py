"""What is said in a case: comments, replies by e-mail, and the mails of customers (CRM-8)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Invalid
from ...kit.fields import Body, Id, Line, widget
from ...kit.norm import norm
from ...kit.operations import Input, command
from ...kit.roles import Row
from .. import rules_cases as rules
from .access import WRITE, User
from .assignment import assign
from .case_clocks import refresh_clocks
from .cases import next_number
from .inputs import Created, RecordInput
from .kinds import KINDS
from .records import save

_CASE = widget("lookup", object="case")
_BODY = widget("textarea")
MAX_TEXT = 4000


class CaseCommentInput(RecordInput):
    """A comment on a case. It cannot be changed or withdrawn."""

    case_id: Id = Field(title="Case", json_schema_extra=_CASE)
    body: Body = Field(title="Comment", max_length=MAX_TEXT, json_schema_extra=_BODY)
    is_public: bool = Field(
        default=False,
        title="Public",
        description="Whether the customer sees it; internal, where left out.",
        json_schema_extra=widget("checkbox"),
    )


class CaseReplyInput(RecordInput):
    """An e-mail to the customer of a case. It cannot be taken back."""

    case_id: Id = Field(title="Case", json_schema_extra=_CASE)
    body: Body = Field(
        title="Message",
        max_length=MAX_TEXT,
        description="Goes to the sender of the latest mail of the case, else to its contact.",
        json_schema_extra=_BODY,
    )


class CaseMailInput(Input):
    """A mail that a customer sends to a case."""

    case_id: Id = Field(title="Case")
    from_addr: Line = Field(title="From", max_length=254)
    subject: Line = Field(title="Subject", max_length=200)
    body: Body = Field(title="Text", max_length=20_000)


class Received(BaseModel):
    """The mail, and the case it now belongs to: the same one, or a child of it."""

    id: str
    case_id: str
    reopened: bool


def _editable(ctx: Context, case_id: str) -> Row:
    user = User(ctx)
    user.need(KINDS["case"], "edit")
    return user.load(KINDS["case"], case_id, WRITE)


@command("crm")
def create_case_comment(ctx: Context, values: CaseCommentInput) -> Created:
    """Comment on a case, for colleagues or for the customer too. Needs write access to the case."""
    _editable(ctx, values.case_id)
    comment_id = ctx.new_id("crm_case_comment")
    ctx.insert(
        "crm_case_comment",
        {
            "id": comment_id,
            "case_id": values.case_id,
            "body": values.body,
            "is_public": int(values.is_public),
            "created_at": ctx.now,
            "created_by": ctx.person_id,
        },
    )
    refresh_clocks(ctx, values.case_id)
    return Created(id=comment_id, row_version=1, name=values.body[:60])


@command("crm")
def send_case_reply(ctx: Context, values: CaseReplyInput) -> Created:
    """Answer the customer of a case by e-mail. Needs write access to the case; raises Invalid without an address."""
    case = _editable(ctx, values.case_id)
    last = _last_mail(ctx, case["id"])
    to_addr, who_id = reply_address(ctx, case, last)
    if to_addr is None:
        raise Invalid("this case has no mail to answer, and no contact with an e-mail address", field="case_id")
    mail_id = _add_mail(
        ctx, case, last, "out", ctx.person["email"], to_addr, reply_subject(case, last), values.body, who_id
    )
    refresh_clocks(ctx, case["id"])
    return Created(id=mail_id, row_version=1, name=reply_subject(case, last))


def _last_mail(ctx: Context, case_id: str) -> Row | None:
    sql = "SELECT * FROM crm_email_message WHERE what_id = ? ORDER BY sent_at DESC, id LIMIT 1"
    return ctx.store.one(sql, (case_id,))


def reply_address(ctx: Context, case: Row, last: Row | None) -> tuple[str | None, str | None]:
    """To whom a reply goes, address and contact: the customer of the latest mail, else the contact of the case."""
    if last is not None:
        return str(last["from_addr"] if last["direction"] == "in" else last["to_addrs"]), last["who_id"]
    contact = ctx.store.get("crm_contact", case["contact_id"]) if case["contact_id"] else None
    return (None, None) if contact is None else (contact["email"], contact["id"])


def reply_subject(case: Row, last: Row | None) -> str:
    """`Re: ` and the subject of the thread; of the first mail of a case its number and subject."""
    if last is None:
        return f"[{case['number']}] {case['subject']}"
    return str(last["subject"]) if last["subject"].startswith("Re: ") else f"Re: {last['subject']}"


def _add_mail(
    ctx: Context,
    case: Row,
    last: Row | None,
    direction: str,
    from_addr: str,
    to_addr: str,
    subject: str,
    body: str,
    who_id: str | None,
) -> str:
    mail_id = ctx.new_id("crm_email_message")
    ctx.insert(
        "crm_email_message",
        {
            "id": mail_id,
            "thread_id": last["thread_id"] if last else f"THR{case['id'][3:]}",
            "direction": direction,
            "from_addr": from_addr,
            "to_addrs": to_addr,
            "subject": subject,
            "subject_norm": norm(subject),
            "body": body,
            "sent_at": ctx.now,
            "who_id": who_id,
            "what_id": case["id"],
        },
    )
    return mail_id


@command("crm")
def receive_case_mail(ctx: Context, values: CaseMailInput) -> Received:
    """A customer's mail about a case. Only simulated people send these.

    A closed case is opened again for 14 days after it was closed; later a child case is opened.
    """
    case = ctx.store.get("crm_case", values.case_id)
    if case is None or case["is_deleted"]:
        raise Invalid(f'there is no case "{values.case_id}"', field="case_id")
    last, reopened = _last_mail(ctx, case["id"]), False
    if case["status"] == rules.CLOSED:
        if rules.may_reopen(case["closed_at"], ctx.now):
            save(ctx, KINDS["case"], case, {"status": rules.WORKING, "closed_at": None, "resolution": None})
            reopened = True
        else:
            case, last = _child_of(ctx, case, values), None
    sender = ctx.store.one(
        "SELECT id FROM crm_contact WHERE email_norm = ? AND is_deleted = 0 ORDER BY id", (norm(values.from_addr),)
    )
    ours = _our_address(ctx, case, last)
    who_id = sender["id"] if sender else case["contact_id"]
    mail_id = _add_mail(ctx, case, last, "in", values.from_addr, ours, values.subject, values.body, who_id)
    refresh_clocks(ctx, case["id"])
    return Received(id=mail_id, case_id=case["id"], reopened=reopened)


def _our_address(ctx: Context, case: Row, last: Row | None) -> str:
    """Where customers write to: as before, else the owner of the case."""
    if last is not None:
        return str(last["to_addrs"] if last["direction"] == "in" else last["from_addr"])
    owner = ctx.store.get("org_person", case["owner_id"]) or ctx.store.get("crm_group", case["owner_id"])
    return str((owner and owner["email"]) or ctx.person["email"])


def _child_of(ctx: Context, parent: Row, values: CaseMailInput) -> Row:
    """A new case that follows from a closed one, with an owner by the assignment rule."""
    account = ctx.store.get("crm_account", parent["account_id"]) if parent["account_id"] else None
    row: dict[str, object] = {
        **{name: parent[name] for name in ("type", "account_id", "contact_id", "product_id")},
        "id": ctx.new_id("crm_case"),
        "number": next_number(ctx, "crm_case"),
        "subject": values.subject,
        "subject_norm": norm(values.subject),
        "description": values.body[:MAX_TEXT],
        "status": rules.NEW,
        "priority": parent["priority"],
        "origin": "Email",
        "parent_id": parent["id"],
        "sla_tier": account["sla_tier"] if account else None,
        "created_at": ctx.now,
        "created_by": ctx.person_id,
        "updated_at": ctx.now,
        "updated_by": ctx.person_id,
    }
    row["owner_id"] = assign(ctx, "case", row, ctx.person_id)
    ctx.insert("crm_case", row)
    found = ctx.store.get("crm_case", str(row["id"]))
    if found is None:
        raise ValueError("the child case was not written")
    return found
