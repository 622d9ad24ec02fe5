"""Cases by simulation: a mail comes in, somebody takes the case from the queue, asks, answers, closes (CRM-8)."""

from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.crm.rules_cases import CLOSED, ESCALATED, NEW, WAITING, WORKING, may_reopen, number_text
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text
from ..organisation import DOMAIN, Employee, Setting
from ..streams import Stream
from ..text import letter, write
from .case_plans import INTENTS, TERMS, Plan
from .deals import topics
from .facts import Customer, Facts
from .ledger import Ids, Oracle, Record, Row
from .reference import QUEUES
from .territories import moment_after, reply_moment
from .triage import REASONS, priority_of

_ORIGINS: Final = (("Email", 66), ("Phone", 20), ("Web", 14))
_CAUSES: Final = {
    "device": "the sensor element is worn out", "config": "the parameters do not fit the application",
    "user": "the device works as it should", "papers": "the papers were not packed",
    "wrong": "the warehouse packed another type", "late": "the carrier missed two pick-ups",
    "invoice": "the invoice took old master data", "payment": "the payment was booked late",
    "due": "the calibration interval has run out",
}  # fmt: skip
_WORK_ORDERS: Final = (40_000, 89_999)


class CaseMaker:
    """Makes the cases of a world, with their comments and mails. ``queues``: ids by key."""

    def __init__(
        self, setting: Setting, ids: Ids, facts: Facts, oracle: Oracle, queues: dict[str, str], products: list[Row]
    ) -> None:
        self.products = products
        self._setting, self._ids, self._facts, self._oracle = setting, ids, facts, oracle
        self._queues = queues
        self._members = {key: [setting.staff[post] for post in posts] for key, _, _, posts in QUEUES}
        self._boxes = {key: f"{box}@{DOMAIN}" for key, _, box, _ in QUEUES}
        self.cases: list[Record] = []
        self.comments: list[Row] = []
        self.mails: list[Row] = []
        self._made: dict[int, Record] = {}

    def make(self, plans: list[Plan]) -> None:
        """Every planned case, then the ids of what was said, in the order in which it was said."""
        for number, plan in enumerate(plans, 1):
            _Course(self, plan, number).run()
        for rows, table, key in ((self.comments, "crm_case_comment", "created_at"),
                                 (self.mails, "crm_email_message", "sent_at")):  # fmt: skip
            rows.sort(key=lambda row: (row[key], self._ids.order(row.get("case_id") or row["what_id"])))
            for row in rows:
                row["id"] = self._ids.new(table)


class _Course:
    """The course of one case, cut at the reset instant."""

    def __init__(self, maker: CaseMaker, plan: Plan, number: int) -> None:
        self._maker, self._plan, self._number = maker, plan, number
        self._setting, self._facts = maker._setting, maker._facts
        self._stream: Stream = self._setting.stream("crm_case", "course", plan.number)
        self._who: Customer = self._facts.customer(plan.contact, plan.account)
        self._agents = list(maker._members[plan.queue])
        self._cause = "" if plan.intent == TERMS else self._stream.weighted(INTENTS[plan.intent][2])
        self._record = self._open()
        self._thread: list[Row] = []
        self._status = NEW

    def run(self) -> None:
        """Play the case through."""
        self._first_mail()
        if self._plan.course == "fresh":
            return
        if self._plan.course == TERMS:
            self._note_terms()
        agent, at = self._accept()
        if agent is None or self._plan.course == TERMS:
            return
        at = self._respond(agent, at)
        if self._plan.course == "normal":
            agent, at = self._hand_on(agent, at)
            at = self._ask(agent, at)
            at = self._escalate(agent, at)
        self._finish(agent, at)

    def _open(self) -> Record:
        plan, setting = self._plan, self._setting
        facts = self._words()
        source = self._stream if plan.twin is None else setting.stream("crm_case", "course", plan.twin.number)
        subject, self._text = write("cases_in", plan.intent, facts, setting.stream("crm_case", "text", plan.number))
        if plan.twin is not None and plan.twin.number in self._maker._made:
            first = self._maker._made[plan.twin.number]
            subject, self._text = first.values["subject"], first.values["description"] or self._text
        origin = "Email" if plan.course != "normal" or plan.parent else source.weighted(_ORIGINS)
        parent = self._maker._made.get(plan.parent.number) if plan.parent else None
        closed = _closed_at(parent) if parent else None
        follows = closed is not None and not may_reopen(closed, instant_text(plan.at))
        record = Record("case", self._maker._ids.new("crm_case"), plan.at, setting.staff["service"].id, {
            "number": number_text(self._number), "subject": subject, "description": self._text, "status": NEW,
            "priority": "Medium", "origin": origin, "type": plan.type, "reason": None, "resolution": None,
            "account_id": plan.account.record.id, "contact_id": plan.contact.id,
            "product_id": None if plan.intent == TERMS else self._product["id"],
            "parent_id": parent.id if parent and follows else None, "owner_id": self._maker._queues[plan.queue],
            "sla_tier": plan.account.record.at(plan.at).get("sla_tier"),
        })  # fmt: skip
        self._maker.cases.append(record)
        self._maker._made[plan.number] = record
        if plan.twin is not None:
            self._maker._oracle.note("duplicate_case", "crm_case", record.id,
                                     of=self._maker._made[plan.twin.number].id,
                                     handling="close as Duplicate")  # fmt: skip
        return record

    def _words(self) -> dict[str, str]:
        topic = topics(self._plan.account.company.industry)[0]
        facts = self._facts.of_account(self._plan.account, self._who, self._plan.at,
                                       (topic.title, topic.phrase, topic.family))  # fmt: skip
        fixed = self._setting.stream("crm_case", "facts", self._plan.number)
        self._product: Row = fixed.choice(self._maker.products)
        self._order = f"WO-{fixed.uniform_int(*_WORK_ORDERS)}"
        deal = self._plan.deal.record.current["name"] if self._plan.deal else ""
        facts |= {
            "product": self._facts.short_name(self._product["code"]), "wo": self._order,
            "serial": f"{fixed.uniform_int(2, 9)}{fixed.uniform_int(100_000, 999_999)}",
            "invoice": f"INV-{fixed.uniform_int(300_000, 899_999)}", "percent": str(fixed.uniform_int(2, 9)),
            "po": f"PO-{fixed.uniform_int(10_000, 99_999)}", "qty": str(fixed.uniform_int(3, 30)),
            "deal": deal, "deal_short": deal.split(" – ")[-1], "cause_ours": _CAUSES.get(self._cause, ""),
        }  # fmt: skip
        self._facts_here = facts
        return facts

    def _note_terms(self) -> None:
        deal = self._plan.deal
        if deal is None:
            raise ValueError("a case about a contract needs one")
        own = deal.account.record.id == self._plan.account.record.id
        handling = "tell the amount" if own else "refuse: it is another customer's contract"
        self._maker._oracle.note("contract_request", "crm_case", self._record.id, deal=deal.record.id, own=own,
                                 handling=handling)  # fmt: skip

    def _is_over(self, at: datetime) -> bool:
        return at >= self._setting.now - timedelta(minutes=3)

    def _save(self, at: datetime, who: Employee, **values: object) -> None:
        self._status = str(values.get("status", self._status))
        self._record.save(at, who.id, **values)

    def _mail(self, direction: str, text: str, at: datetime, agent: Employee) -> None:
        plan, subject = self._plan, self._record.values["subject"]
        theirs, ours = str(plan.contact.at(at)["email"]), agent.mail if direction == "out" else ""
        if direction == "in":
            outs = [row for row in self._thread if row["direction"] == "out"]
            ours = outs[-1]["from_addr"] if outs else self._maker._boxes[plan.queue]
            body = letter(self._facts.their_voice(self._who, at), agent.person, text, self._stream)
        else:
            body = letter(self._facts.our_voice(agent), self._who.person, text, self._stream)
        shown = f"Re: {subject}" if self._thread else subject
        row = {
            "thread_id": self._setting.id_of("crm_case_thread", self._number, "THR"), "direction": direction,
            "from_addr": theirs if direction == "in" else ours, "to_addrs": ours if direction == "in" else theirs,
            "subject": shown, "subject_norm": norm(shown), "body": body, "sent_at": instant_text(at),
            "who_id": plan.contact.id, "what_id": self._record.id,
        }  # fmt: skip
        self._thread.append(row)
        self._maker.mails.append(row)

    def _comment(self, intent: str, at: datetime, agent: Employee, public: bool = False) -> None:
        kind = "cases_out" if public else "cases_notes"
        self._maker.comments.append({
            "case_id": self._record.id, "body": write(kind, intent, self._facts_here, self._stream)[1],
            "is_public": int(public), "created_at": instant_text(at), "created_by": agent.id,
        })  # fmt: skip

    def _first_mail(self) -> None:
        if self._record.values["origin"] == "Email":
            self._mail("in", self._text, self._plan.at, self._setting.staff["service"])

    def _accept(self) -> tuple[Employee | None, datetime]:
        days = self._stream.weighted([(0, 70), (1, 24), (2, 6)]) if self._plan.course == "normal" else 0
        agents = [one for one in self._agents if self._plan.course != TERMS or one.post.key != "service"]
        agent = self._stream.choice(agents)
        at = moment_after(agent, self._plan.at, days, self._stream)
        if self._is_over(at):
            if self._plan.course == "normal":
                return None, at
            at = self._plan.at + timedelta(minutes=self._stream.uniform_int(2, 30))
        account = self._plan.account.record.current
        priority = priority_of(f"{self._record.values['subject']} {self._text}", account)
        values = {} if self._stream.chance(90) else {"priority": priority}
        self._save(at, agent, owner_id=agent.id, status=WORKING, **values)
        return agent, at

    def _respond(self, agent: Employee, at: datetime) -> datetime:
        later = at + timedelta(minutes=self._stream.uniform_int(4, 170), seconds=self._stream.uniform_int(1, 59))
        if self._stream.chance(250):
            later = moment_after(agent, at, 1, self._stream)
        if self._is_over(later):
            return at
        if self._stream.chance(350):
            self._comment("note", at + timedelta(minutes=1), agent)
        if self._stream.chance(300):
            self._comment("public", later, agent, public=True)
        else:
            text = write("cases_out", "ask", self._facts_here, self._stream)[1]
            self._mail("out", text, later, agent)
        return later

    def _hand_on(self, agent: Employee, at: datetime) -> tuple[Employee, datetime]:
        while self._stream.chance(190):
            other = self._stream.choice([one for one in self._agents if one is not agent])
            later = moment_after(agent, at, self._stream.uniform_int(0, 1), self._stream)
            if self._is_over(later):
                break
            self._save(later, agent, owner_id=other.id)
            agent, at = other, later
        return agent, at

    def _ask(self, agent: Employee, at: datetime) -> datetime:
        if not self._stream.chance(480):
            return at
        waits = moment_after(agent, at, 0, self._stream)
        if self._is_over(waits):
            return at
        self._save(waits, agent, status=WAITING)
        answered = reply_moment(self._who, waits, self._stream)
        if self._is_over(answered):
            return answered
        self._mail("in", write("cases_more", "more", self._facts_here, self._stream)[1], answered, agent)
        back = moment_after(agent, answered, 0, self._stream)
        if self._is_over(back):
            return back
        self._save(back, agent, status=WORKING)
        return back

    def _escalate(self, agent: Employee, at: datetime) -> datetime:
        if not self._stream.chance(70) or self._is_over(at):
            return at
        up, chief = moment_after(agent, at, 0, self._stream), self._setting.staff["lab"]
        if self._is_over(up):
            return up
        self._save(up, agent, status=ESCALATED)
        self._comment("escalate", up + timedelta(seconds=40), agent)
        down = moment_after(chief, up, self._stream.uniform_int(0, 1), self._stream)
        if not self._is_over(down):
            self._save(down, chief, status=WORKING)
        return down

    def _finish(self, agent: Employee, at: datetime) -> None:
        quick = self._plan.course == "ready"
        at = moment_after(agent, at, 0 if quick else self._stream.uniform_int(0, 4), self._stream)
        if self._is_over(at):
            return
        self._mail("out", write("cases_out", "answer", self._facts_here, self._stream)[1], at, agent)
        at = at + timedelta(minutes=self._stream.uniform_int(20, 300))
        if not quick:
            at = reply_moment(self._who, at, self._stream)
        if self._is_over(at):
            return
        self._mail("in", write("cases_more", self._cause, self._facts_here, self._stream)[1], at, agent)
        if quick:
            return
        at = moment_after(agent, at, self._stream.uniform_int(0, 1), self._stream)
        if self._is_over(at):
            return
        self._close(agent, at)
        self._reopen(agent, at)

    def _close(self, agent: Employee, at: datetime) -> None:
        reason = "Duplicate" if self._plan.twin is not None else REASONS[self._cause]
        if self._stream.chance(600):
            self._mail("out", write("cases_out", "close", self._facts_here, self._stream)[1],
                       at - timedelta(seconds=30), agent)  # fmt: skip
        self._save(at, agent, status=CLOSED, reason=reason, resolution=f"{reason}; {self._order}")

    def _reopen(self, agent: Employee, at: datetime) -> None:
        if not self._stream.chance(60):
            return
        again = reply_moment(self._who, at + timedelta(days=self._stream.uniform_int(1, 6)), self._stream)
        if self._is_over(again) or not may_reopen(instant_text(at), instant_text(again)):
            return
        self._mail("in", write("cases_more", "reopen", self._facts_here, self._stream)[1], again, agent)
        self._save(again, agent, status=WORKING, resolution=None)
        later = moment_after(agent, again, self._stream.uniform_int(1, 3), self._stream)
        if not self._is_over(later):
            self._close(agent, later)


def _closed_at(record: Record) -> str | None:
    """The instant at which a case was closed for good so far, or None."""
    current, closed = record.current, None
    for save in sorted(record.saves, key=lambda save: save.at):
        if save.values.get("status") == CLOSED:
            closed = instant_text(save.at)
    return closed if current["status"] == CLOSED else None
