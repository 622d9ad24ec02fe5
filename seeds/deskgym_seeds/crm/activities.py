"""Tasks, logged calls, events and notes along deals and between them (CRM-12)."""

from datetime import datetime, timedelta
from typing import Final

from ..localtime import add_workdays, instant_text, local_date, offset_minutes, to_utc, workday_from
from ..organisation import Employee, Setting
from ..streams import Stream
from ..text import write
from .accounts import Account
from .deals import Deal, topics
from .facts import Customer, Facts
from .ledger import Ids, Oracle, Record, Row
from .territories import moment_after, moment_on, moment_within

# By stage: what may happen, as (kind, intent, chance per mille).
PLAN: Final[dict[str, tuple[tuple[str, str, int], ...]]] = {
    "Prospecting": (("task", "prospecting", 620), ("call", "discovery", 420), ("call", "voicemail", 180)),
    "Qualification": (("task", "qualifying", 520), ("call", "discovery", 330), ("event", "online", 140)),
    "Needs Analysis": (("task", "qualifying", 420), ("event", "site", 330), ("call", "followup", 200)),
    "Value Proposition": (("task", "trial", 430), ("event", "online", 330), ("event", "works", 100)),
    "Id. Decision Makers": (("call", "followup", 330), ("task", "prospecting", 160)),
    "Perception Analysis": (("call", "followup", 260), ("event", "site", 160)),
    "Proposal/Price Quote": (("task", "quoting", 620), ("call", "followup", 420), ("task", "chasing", 520)),
    "Negotiation/Review": (("task", "negotiating", 560), ("call", "negotiation", 480), ("event", "online", 360)),
    "Closed Won": (("task", "won", 760), ("call", "won", 230), ("event", "kickoff", 240), ("task", "service", 380)),
    "Closed Lost": (("call", "lost", 300), ("task", "lost", 420)),
}
_DENSITY: Final = 690
_NOTE_CHANCE: Final = {"account": 400, "deal": 300, "contact": 60}
_RENEWAL: Final = {"discovery": "renewal", "followup": "renewal", "online": "renewal", "site": "renewal",
                   "works": "renewal", "qualifying": "renewal", "prospecting": "renewal", "trial": "service",
                   "kickoff": "kickoff"}  # fmt: skip
_MINUTES: Final = ((5, 14), (10, 22), (15, 22), (20, 16), (25, 8), (30, 12), (45, 6))


class ActivityMaker:
    """Makes tasks (calls among them), events and notes; ``assigned`` lists tasks that somebody gave to another."""

    def __init__(self, setting: Setting, ids: Ids, facts: Facts, oracle: Oracle) -> None:
        self._setting, self._ids, self._facts, self._oracle = setting, ids, facts, oracle
        self.tasks: list[Record] = []
        self.events: list[Record] = []
        self.notes: list[Record] = []
        self.note_links: list[Row] = []
        self.assigned: list[tuple[Record, Employee]] = []

    def of_deal(self, deal: Deal) -> None:
        """What happens along one deal, stage by stage, and what is still planned for it."""
        stream = self._setting.stream("crm_task", deal.record.id)
        ends = [step.at for step in deal.steps[1:]] + [self._setting.now]
        for step, end in zip(deal.steps, ends, strict=True):
            if step.stage.startswith("Closed"):
                end = min(end, step.at + timedelta(days=50))
            for kind, intent, chance in PLAN[step.stage]:
                if stream.chance(chance * _DENSITY // 1000):
                    self._happen(deal, kind, intent, step.at, end, stream)
        if deal.is_open and deal.owners[-1][1].left_on is None:
            self._plan_ahead(deal, stream)
        self._deal_notes(deal, stream)

    def of_account(self, account: Account) -> None:
        """Relationship work and notes at an account."""
        stream = self._setting.stream("crm_task", account.record.id)
        if not account.contacts:
            return
        topic = topics(account.company.industry)[0]
        months = (self._setting.now - account.record.created_at).days // 30
        for _ in range(min(3, months // 13 + stream.uniform_int(0, 1))):
            who = self._facts.customer(stream.choice(account.contacts), account)
            start = max(account.record.created_at, who.record.created_at)
            owner = account.owner_at(start)
            at = moment_within(owner, start, self._setting.now, stream)
            if at is None:
                continue
            owner = self._present(account.owner_at(at), at)
            facts = self._facts.of_account(account, who, at, (topic.title, topic.phrase, topic.family))
            if stream.chance(480):
                self._call(owner, at, facts, "relationship", who, account.record.id, stream)
            else:
                self._task(owner, at, facts, "relationship", who, account.record.id, stream)
        self._account_notes(account, stream)

    def hand_over(self, stale: set[str]) -> None:
        """Gives open tasks and coming events of the person who left to a successor, but for ``stale`` records."""
        leaver, successor = self._setting.staff["leaver"], self._setting.staff["ae_dach"]
        chief = self._setting.staff["vp_emea"]
        for record in self.tasks + self.events:
            values = record.current
            over = values.get("completed_at") or values.get("end_at", "9") < instant_text(self._setting.now)
            if values["owner_id"] != leaver.id or over:
                continue
            if values["what_id"] in stale:
                table = f"crm_{record.object}"
                self._oracle.note("stale_owner", table, record.id, handling="give to the owner of the territory")
                continue
            stream = self._setting.stream("crm_task", record.id, "handover")
            last = max([record.created_at, *(save.at for save in record.saves)])
            at = moment_after(chief, last, 1, stream)
            record.save(at, chief.id, owner_id=successor.id)
            done = moment_after(successor, at, stream.uniform_int(1, 20), stream)
            if record.object == "task" and stream.chance(800) and done < self._setting.now:
                record.save(done, successor.id, status="Completed", completed_at=instant_text(done))

    def _present(self, owner: Employee, at: datetime) -> Employee:
        return self._setting.staff["vp_emea"] if owner.left_on and at.date() >= owner.left_on else owner

    def _happen(self, deal: Deal, kind: str, intent: str, start: datetime, end: datetime, stream: Stream) -> None:
        if deal.topic.family == "Services":
            intent = _RENEWAL.get(intent, intent)
        if intent in ("won", "lost"):
            end = min(end, start + timedelta(days=7))
        who = self._facts.customer(stream.choice(deal.contacts), deal.account)
        owner = self._present(deal.owner_at(start), start)
        at = moment_within(owner, max(start, who.record.created_at), end, stream)
        if at is None:
            return
        owner = self._present(deal.owner_at(at), at)
        facts = self._facts.of_deal(deal, who, at)
        over = end if end < self._setting.now else None
        if kind == "task":
            self._task(owner, at, facts, intent, who, deal.record.id, stream, until=over)
        elif kind == "event":
            self._event(owner, at, facts, intent, who, deal.record.id, stream, until=over)
        else:
            self._call(owner, at, facts, intent, who, deal.record.id, stream)

    def _plan_ahead(self, deal: Deal, stream: Stream) -> None:
        who = self._facts.customer(stream.choice(deal.contacts), deal.account)
        owner = deal.owners[-1][1]
        since = max(self._setting.now - timedelta(days=9), deal.steps[-1].at, who.record.created_at, deal.owners[-1][0])
        at = moment_within(owner, since, self._setting.now, stream)
        if at is None:
            return
        facts = self._facts.of_deal(deal, who, at)
        late = deal.stage in ("Proposal/Price Quote", "Negotiation/Review")
        if stream.chance(560):
            self._task(owner, at, facts, "chasing" if late else "qualifying", who, deal.record.id, stream, ahead=True)
        if stream.chance(260):
            self._event(owner, at, facts, "online" if late else "site", who, deal.record.id, stream, ahead=True)

    def _task(
        self, owner: Employee, at: datetime, facts: dict[str, str], intent: str, who: Customer, about: str,
        stream: Stream, ahead: bool = False,
        until: datetime | None = None,
    ) -> None:  # fmt: skip
        subject, comments = write("tasks", intent, facts, stream)
        due = add_workdays(workday_from(at.date(), owner.region), stream.uniform_int(1, 12), owner.region)
        if ahead:
            today = workday_from(self._setting.now.date(), owner.region)
            due = max(due, add_workdays(today, stream.uniform_int(0, 9), owner.region))
        if until:
            due = min(due, max(until.date(), at.date() + timedelta(days=1)))
        creator, superior = owner, self._superior(owner)
        if superior is not owner and stream.chance(110):
            creator = superior
        called = subject.startswith(("Call ", "Chase ")) and stream.chance(500)
        record = Record("task", self._ids.new("crm_task"), at, creator.id, {
            "subject": subject, "kind": "Call" if called else "Task", "status": "Not Started",
            "priority": stream.weighted([("Normal", 74), ("High", 18), ("Low", 8)]),
            "due_date": due.isoformat(), "duration_minutes": None, "completed_at": None,
            "who_id": who.record.id, "what_id": about, "owner_id": owner.id, "comments": comments or None,
        })  # fmt: skip
        self.tasks.append(record)
        if creator is not owner:
            self.assigned.append((record, creator))
        self._work_off(record, owner, stream)

    def _superior(self, owner: Employee) -> Employee:
        return self._setting.staff[{"AMER": "vp_amer", "EMEA": "vp_emea", "APAC": "ae_apac"}[owner.region]]

    def _work_off(self, record: Record, owner: Employee, stream: Stream) -> None:
        at, now = record.created_at, self._setting.now
        due = datetime.fromisoformat(record.values["due_date"])
        for status, chance in (("In Progress", 620), ("Waiting on Someone Else", 260), ("In Progress", 160)):
            if stream.chance(chance):
                at = moment_after(owner, at, stream.uniform_int(0, 2), stream)
                if not self._could(owner, at):
                    return
                record.save(at, owner.id, status=status)
        if stream.chance(120):
            record.save(at + timedelta(minutes=3), owner.id, priority=stream.choice(("High", "Normal", "Low")))
        while stream.chance(330):
            moved = moment_after(owner, max(at, due - timedelta(days=stream.uniform_int(0, 3))), 0, stream)
            if not self._could(owner, moved):
                return
            following = add_workdays(workday_from(moved.date(), owner.region), stream.uniform_int(2, 10), owner.region)
            if following <= due.date():
                break
            record.save(moved, owner.id, due_date=following.isoformat())
            at, due = moved, datetime(following.year, following.month, following.day)
        forgotten = 40 if (now - at).days > 45 else 150
        if stream.chance(forgotten):
            return
        done = moment_on(
            owner, due.date() + timedelta(days=stream.weighted([(-2, 14), (-1, 18), (0, 44), (1, 14), (4, 10)])), stream
        )
        if done <= at:
            done = moment_after(owner, at, 0, stream)
        if self._could(owner, done):
            record.save(done, owner.id, status="Completed", completed_at=instant_text(done))

    def _could(self, owner: Employee, at: datetime) -> bool:
        return at < self._setting.now and not (owner.left_on and at.date() >= owner.left_on)

    def _call(
        self, owner: Employee, at: datetime, facts: dict[str, str], intent: str, who: Customer, about: str,
        stream: Stream,
    ) -> None:  # fmt: skip
        subject, comments = write("calls", intent, facts, stream)
        minutes = stream.weighted(_MINUTES) if intent != "voicemail" else stream.uniform_int(1, 3)
        self.tasks.append(Record("task", self._ids.new("crm_task"), at, owner.id, {
            "subject": subject, "kind": "Call", "status": "Completed", "priority": "Normal",
            "due_date": local_date(owner.zone, at).isoformat(), "duration_minutes": minutes,
            "completed_at": instant_text(at), "who_id": who.record.id, "what_id": about, "owner_id": owner.id,
            "comments": comments or None,
        }))  # fmt: skip

    def _event(
        self, owner: Employee, at: datetime, facts: dict[str, str], intent: str, who: Customer, about: str,
        stream: Stream, ahead: bool = False,
        until: datetime | None = None,
    ) -> None:  # fmt: skip
        subject, body = write("events", intent, facts, stream)
        location, _, description = body.partition("\n")
        start = self._slot(owner, at, stream.uniform_int(2, 12), stream)
        if until and start > until:
            start = self._slot(owner, at, 1, stream)
        if ahead and start <= self._setting.now:
            start = self._slot(owner, self._setting.now, stream.uniform_int(1, 8), stream)
        if subject.startswith("Lunch"):
            local = start + timedelta(minutes=offset_minutes(owner.zone, start))
            start = to_utc(local.replace(hour=12, minute=30), owner.zone)
        if until and start > until:
            return
        length = timedelta(minutes=stream.choice((30, 45, 60, 60, 90) if location == "Online" else (90, 120, 180, 240)))
        record = Record("event", self._ids.new("crm_event"), at, owner.id, {
            "subject": subject, "start_at": instant_text(start), "end_at": instant_text(start + length),
            "location": location, "who_id": who.record.id, "what_id": about, "owner_id": owner.id,
            "description": description or None,
        })  # fmt: skip
        self.events.append(record)
        if stream.chance(240):
            moved = moment_within(owner, at, min(start, self._setting.now), stream)
            later = self._slot(owner, start, stream.uniform_int(1, 6), stream)
            if moved and (until is None or later <= until) and self._could(owner, moved):
                record.save(moved, owner.id, start_at=instant_text(later), end_at=instant_text(later + length))

    def _slot(self, owner: Employee, after: datetime, workdays: int, stream: Stream) -> datetime:
        day = add_workdays(workday_from(after.date(), owner.region), workdays, owner.region)
        local = datetime(day.year, day.month, day.day, stream.uniform_int(8, 16), stream.choice((0, 0, 30)))
        return to_utc(local, owner.zone)

    def _deal_notes(self, deal: Deal, stream: Stream) -> None:
        if not stream.chance(_NOTE_CHANCE["deal"]):
            return
        who = self._facts.customer(deal.contacts[0], deal.account)
        owner = self._present(deal.owner_at(deal.steps[-1].at), deal.steps[-1].at)
        end = self._setting.now if deal.is_open else min(self._setting.now, deal.steps[-1].at + timedelta(days=5))
        start = deal.steps[-1].at if len(deal.steps) > 1 else deal.record.created_at
        at = moment_within(owner, max(start, who.record.created_at), end, stream)
        if at is None or not self._could(owner, at):
            return
        intent = {"Closed Won": "deal_won", "Closed Lost": "deal_lost"}.get(deal.stage, "deal")
        self._note(owner, at, self._facts.of_deal(deal, who, at), intent, [deal.record.id], stream)

    def _account_notes(self, account: Account, stream: Stream) -> None:
        topic = topics(account.company.industry)[0]
        first = self._facts.customer(account.contacts[0], account)
        for intent, chance in (("account", _NOTE_CHANCE["account"]), ("contact", _NOTE_CHANCE["contact"])):
            if not stream.chance(chance):
                continue
            owner = account.owner_at(account.record.created_at)
            start = max(account.record.created_at, first.record.created_at)
            at = moment_within(owner, start, self._setting.now, stream)
            if at is None:
                continue
            owner = self._present(account.owner_at(at), at)
            about = [account.record.id] if intent == "account" else [account.record.id, first.record.id]
            facts = self._facts.of_account(account, first, at, (topic.title, topic.phrase, topic.family))
            self._note(owner, at, facts, intent, about, stream)
            if intent == "account" and stream.chance(120):
                self._contradict(account, first, owner, at, stream)

    def _contradict(self, account: Account, who: Customer, owner: Employee, at: datetime, stream: Stream) -> None:
        later = moment_within(owner, at, self._setting.now, stream)
        if later is None or not self._could(owner, later):
            return
        gate, hour = stream.sample((1, 2, 3, 5, 7), 2), stream.uniform_int(14, 17)
        texts = (f"Deliveries to gate {gate[0]}. Register two days ahead.",
                 f"Deliveries now go to gate {gate[1]}, open until {hour}:00. The old gate is closed.")  # fmt: skip
        for instant, text in zip((at + timedelta(minutes=4), later), texts, strict=True):
            record = Record("note", self._ids.new("crm_note"), instant, owner.id,
                            {"title": "Delivery address and gate", "body": text, "owner_id": owner.id})  # fmt: skip
            self.notes.append(record)
            self.note_links.append({"note_id": record.id, "record_id": account.record.id})
        self._oracle.note("contradictory_notes", "crm_account", account.record.id, gate=gate[1],
                          handling="the latest note wins")  # fmt: skip

    def _note(
        self, owner: Employee, at: datetime, facts: dict[str, str], intent: str, about: list[str], stream: Stream
    ) -> None:
        title, body = write("notes", intent, facts, stream)
        record = Record("note", self._ids.new("crm_note"), at, owner.id,
                        {"title": title, "body": body, "owner_id": owner.id})  # fmt: skip
        self.notes.append(record)
        self.note_links += [{"note_id": record.id, "record_id": key} for key in about]
