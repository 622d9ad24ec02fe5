"""What happens around leads: mails, calls, tasks, events and notes with the person, about nothing else (CRM-12)."""

from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.kit.norm import norm

from ..localtime import add_workdays, instant_text, local_date, workday_from
from ..organisation import NAME, OFFICES, Setting
from ..people import Person
from ..places import mobile, places, telephone
from ..streams import Stream
from ..text import Voice, letter, voice_of, write
from .activities import ActivityMaker
from .contacts import draw_position
from .deals import topics
from .facts import COMPETITORS, FAMILIES, Facts, shown_phone
from .leads import LeadMaker, Prospect
from .ledger import Ids, Oracle, Record
from .mails import MailMaker
from .territories import Worker, moment_after

_KIND: Final = "leads"
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_FRESH_DETAILS: Final = 16  # leads whose latest mail has a new number or title
_MINUTES: Final = ((5, 20), (10, 26), (15, 24), (20, 14), (30, 8))


class LeadWork:
    """Adds to the activities and mails of a world what concerns its leads."""

    def __init__(
        self, setting: Setting, ids: Ids, facts: Facts, activities: ActivityMaker, mails: MailMaker, oracle: Oracle
    ) -> None:
        self._setting, self._ids, self._facts, self._oracle = setting, ids, facts, oracle
        self._activities, self._mails = activities, mails
        self._threads = 0

    def make(self, leads: LeadMaker) -> None:
        """Work on every lead that was never converted, then the mails with new details."""
        for prospect in leads.prospects:
            stream = self._setting.stream("crm_lead", prospect.record.id, "work")
            facts = self._facts_of(prospect, stream)
            if stream.chance(540):
                prospect.record.values["description"] = write(_KIND, "description", facts, stream)[1]
            self._enquiry(prospect, facts, stream)
            if prospect.fate != "Open - Not Contacted":
                self._worked(prospect, facts, stream)
        self._details(leads)

    def _facts_of(self, prospect: Prospect, stream: Stream) -> dict[str, str]:
        topic = stream.choice(topics(prospect.company.industry))
        person, company = prospect.person, prospect.company
        return {
            "they_first": prospect.record.values["first_name"] or person.name,
            "they_name": f"{prospect.record.values['first_name'] or ''} {prospect.record.values['last_name']}".strip(),
            "they_title": str(prospect.record.values["title"] or "engineering"),
            "they_company": company.brand,
            "they_city": company.place.city,
            "topic": topic.phrase,
            "topic_cap": topic.title,
            "product_family": FAMILIES[topic.family],
            "qty": str(stream.uniform_int(4, 90)),
            "competitor": stream.choice(COMPETITORS),
            "employees": str(company.employees),
            "day": stream.choice(_DAYS),
            "our_city": places()[OFFICES[prospect.owner.region]].city,
            "company": NAME,
        }

    def _enquiry(self, prospect: Prospect, facts: dict[str, str], stream: Stream) -> None:
        """The mail that a lead begins with, and often an answer."""
        record = prospect.record
        if not record.values["email"] or not stream.chance(430):
            return
        at = record.created_at + timedelta(minutes=stream.uniform_int(4, 50), seconds=stream.uniform_int(0, 59))
        if at >= self._setting.now:
            return
        thread = self._thread()
        subject = self._mail(prospect, thread, "in", "mail_in_enquiry", "", at, facts, stream)
        if prospect.fate == "Open - Not Contacted":
            return
        answered = moment_after(prospect.owner, at, stream.uniform_int(0, 2), stream)
        if answered < self._setting.now:
            self._mail(prospect, thread, "out", "mail_out_answer", subject, answered, facts, stream)
            later = moment_after(prospect, answered, stream.uniform_int(1, 5), stream)
            if prospect.fate == "Nurturing" and later < self._setting.now:
                self._mail(prospect, thread, "in", "mail_in_later", subject, later, facts, stream)

    def _thread(self) -> str:
        self._threads += 1
        return self._setting.id_of("crm_lead_thread", self._threads, "THR")

    def _mail(
        self, prospect: Prospect, thread: str, direction: str, intent: str, subject: str, at: datetime,
        facts: dict[str, str], stream: Stream, fresh: dict[str, str] | None = None,
    ) -> str:  # fmt: skip
        """Write a mail; returns the thread's subject."""
        drawn, text = write(_KIND, intent, facts, stream)
        shown = f"Re: {subject}" if subject else drawn.removeprefix("Re: ")
        owner, theirs = prospect.owner, str(prospect.record.at(at)["email"])
        if direction == "in":
            voice = self._voice(prospect, at, fresh or {})
            body = letter(voice, owner.person, text, stream)
            if fresh and not body.endswith("\n".join(voice.signature)):
                body += "\n\n" + "\n".join(voice.signature)
        else:
            body = letter(self._facts.our_voice(owner), self._addressee(prospect), text, stream)
        self._mails.rows.append({
            "id": self._ids.new("crm_email_message"), "thread_id": thread, "direction": direction,
            "from_addr": theirs if direction == "in" else owner.mail,
            "to_addrs": owner.mail if direction == "in" else theirs,
            "subject": shown, "subject_norm": norm(shown), "body": body, "sent_at": instant_text(at),
            "who_id": prospect.record.id, "what_id": None,
        })  # fmt: skip
        return shown.removeprefix("Re: ")

    def _addressee(self, prospect: Prospect) -> Person:
        values, person = prospect.record.values, prospect.person
        first = values["first_name"] or person.first
        return Person(first, values["last_name"], first, person.is_woman, person.culture)

    def _voice(self, prospect: Prospect, at: datetime, fresh: dict[str, str]) -> Voice:
        values = prospect.record.at(at) | fresh
        person = self._addressee(prospect)
        lines = [person.name, str(values["title"] or "Engineering"), prospect.company.name]
        for label, name in (("T", "phone"), ("M", "mobile")):
            if values[name]:
                lines.append(f"{label} {shown_phone(values[name], prospect.company.place.country)}")
        return voice_of(person, tuple(lines), self._setting.stream("voice", prospect.record.id))

    def _worked(self, prospect: Prospect, facts: dict[str, str], stream: Stream) -> None:
        """Calls, a task, perhaps a meeting and a note, after the first contact."""
        at = moment_after(prospect.owner, prospect.record.created_at, stream.uniform_int(0, 2), stream)
        for _ in range(stream.uniform_int(1, 2)):
            if at >= self._setting.now:
                return
            self._call(prospect, at, "call_missed" if stream.chance(280) else "call_first", facts, stream)
            at = moment_after(prospect.owner, at, stream.uniform_int(1, 6), stream)
        if at < self._setting.now and prospect.fate != "Unqualified" and stream.chance(560):
            self._task(prospect, at, "task_later" if prospect.fate == "Nurturing" else "task_next", facts, stream)
        if at < self._setting.now and prospect.fate == "Working - Contacted" and stream.chance(240):
            self._event(prospect, at, facts, stream)
        if at < self._setting.now and stream.chance(220):
            self._note(prospect, at, facts, stream)

    def _call(self, prospect: Prospect, at: datetime, intent: str, facts: dict[str, str], stream: Stream) -> None:
        owner = prospect.owner
        subject, comments = write(_KIND, intent, facts, stream)
        minutes = stream.uniform_int(1, 3) if intent == "call_missed" else stream.weighted(_MINUTES)
        self._activities.tasks.append(Record("task", self._ids.new("crm_task"), at, owner.id, {
            "subject": subject, "kind": "Call", "status": "Completed", "priority": "Normal",
            "due_date": local_date(owner.zone, at).isoformat(), "duration_minutes": minutes,
            "completed_at": instant_text(at), "who_id": prospect.record.id, "what_id": None, "owner_id": owner.id,
            "comments": comments,
        }))  # fmt: skip

    def _task(self, prospect: Prospect, at: datetime, intent: str, facts: dict[str, str], stream: Stream) -> None:
        owner = prospect.owner
        subject, comments = write(_KIND, intent, facts, stream)
        first = workday_from(at.date(), owner.region)
        days = stream.uniform_int(30, 90) if intent == "task_later" else stream.uniform_int(1, 12)
        record = Record("task", self._ids.new("crm_task"), at, owner.id, {
            "subject": subject, "kind": "Task", "status": "Not Started",
            "priority": stream.weighted([("Normal", 76), ("High", 14), ("Low", 10)]),
            "due_date": add_workdays(first, days, owner.region).isoformat(), "duration_minutes": None,
            "completed_at": None, "who_id": prospect.record.id, "what_id": None, "owner_id": owner.id,
            "comments": comments or None,
        })  # fmt: skip
        self._activities.tasks.append(record)
        done = moment_after(owner, at, stream.uniform_int(1, 14), stream)
        if stream.chance(520) and done < self._setting.now:
            record.save(done, owner.id, status="Completed", completed_at=instant_text(done))

    def _event(self, prospect: Prospect, at: datetime, facts: dict[str, str], stream: Stream) -> None:
        owner: Worker = prospect.owner
        subject, location = write(_KIND, "event_online" if stream.chance(600) else "event_visit", facts, stream)
        start = moment_after(owner, at, stream.uniform_int(3, 14), stream).replace(minute=0, second=0)
        if start <= at:
            start += timedelta(hours=1)
        length = timedelta(minutes=30 if location == "Online" else 90)
        self._activities.events.append(Record("event", self._ids.new("crm_event"), at, prospect.owner.id, {
            "subject": subject, "start_at": instant_text(start), "end_at": instant_text(start + length),
            "location": location, "who_id": prospect.record.id, "what_id": None, "owner_id": prospect.owner.id,
            "description": None,
        }))  # fmt: skip

    def _note(self, prospect: Prospect, at: datetime, facts: dict[str, str], stream: Stream) -> None:
        title, body = write(_KIND, "note", facts, stream)
        record = Record("note", self._ids.new("crm_note"), at, prospect.owner.id,
                        {"title": title, "body": body, "owner_id": prospect.owner.id})  # fmt: skip
        self._activities.notes.append(record)
        self._activities.note_links.append({"note_id": record.id, "record_id": prospect.record.id})

    def _details(self, leads: LeadMaker) -> None:
        """Recent mails whose signature has a number or title that the lead does not have yet."""
        stream = self._setting.stream("crm_lead", "details")
        spoilt = {key for rule in ("lead_all_caps", "lead_trailing_space", "lead_free_text_phone", "lead_of_contact")
                  for key in self._oracle.keys(rule)}  # fmt: skip
        able = [one for one in leads.prospects if one.record.values["email"] and one.record.values["first_name"]
                and one.fate != "Unqualified" and one.record.id not in spoilt]  # fmt: skip
        count = min(len(able), self._setting.scale.leads * _FRESH_DETAILS // 300)
        for prospect in stream.sample(able, count):
            at = moment_after(prospect, self._setting.now - timedelta(days=stream.uniform_int(2, 9)), 0, stream)
            last = max([prospect.record.created_at, *(save.at for save in prospect.record.saves)])
            written = [row["sent_at"] for row in self._mails.rows if row["who_id"] == prospect.record.id]
            is_latest = all(sent < instant_text(at) for sent in written)
            if not (is_latest and last + timedelta(hours=3) < at < self._setting.now - timedelta(hours=1)):
                continue
            place = prospect.company.place
            fresh = {"phone": telephone(place, stream), "mobile": mobile(place, stream)}
            if stream.chance(500):
                fresh["title"] = draw_position(1, stream)[1]
            facts = self._facts_of(prospect, stream)
            self._mail(prospect, self._thread(), "in", "mail_in_details", "", at, facts, stream, fresh)
            self._oracle.note("lead_stale_details", "crm_lead", prospect.record.id, mail=self._mails.rows[-1]["id"],
                              **fresh, handling="take title and numbers from the newest signature")  # fmt: skip
