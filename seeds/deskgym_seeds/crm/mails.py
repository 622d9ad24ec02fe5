"""Mail threads: what customers and sales people write to each other along a deal and between deals."""

from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text, local_date
from ..organisation import Employee, Setting
from ..people import Person
from ..places import mobile
from ..streams import Stream
from ..text import letter, quotation, write
from .accounts import Account
from .contacts import draw_position
from .deals import Deal, topics
from .facts import Customer, Facts
from .ledger import Ids, Oracle, Row
from .territories import Worker, moment_within, reply_moment

Thread = tuple[tuple[str, str], ...]
_OUT, _IN = "mail_out", "mail_in"
# Threads by the stage in which they start, with their weight per mille.
THREADS: Final[dict[str, tuple[tuple[int, Thread], ...]]] = {
    "Prospecting": (
        (430, ((_IN, "enquiry"), (_OUT, "answer"), (_IN, "discovery_reply"))),
        (330, ((_OUT, "intro"),)),
        (160, ((_OUT, "intro"), (_IN, "discovery_reply"))),
    ),
    "Qualification": (
        (520, ((_OUT, "discovery"), (_IN, "discovery_reply"))),
        (220, ((_OUT, "schedule"), (_IN, "reschedule"), (_OUT, "schedule"))),
    ),
    "Needs Analysis": (
        (520, ((_IN, "spec_question"), (_OUT, "spec_answer"))),
        (160, ((_OUT, "discovery"),)),
    ),
    "Value Proposition": (
        (430, ((_OUT, "demo_invite"), (_IN, "demo_accept"), (_OUT, "schedule"))),
        (180, ((_OUT, "demo_invite"),)),
    ),
    "Id. Decision Makers": ((340, ((_OUT, "schedule"), (_IN, "reschedule"))),),
    "Perception Analysis": (
        (330, ((_IN, "comparison"), (_OUT, "competitor_reply"))),
        (170, ((_IN, "spec_question"), (_OUT, "spec_answer"))),
    ),
    "Proposal/Price Quote": (
        (470, ((_OUT, "quote"), (_IN, "quote_receipt"))),
        (300, ((_OUT, "quote"), (_OUT, "quote_chase"), (_IN, "quote_delay"))),
        (230, ((_OUT, "quote"),)),
    ),
    "Negotiation/Review": (
        (460, ((_IN, "discount_ask"), (_OUT, "discount_reply"))),
        (330, ((_OUT, "terms"), (_IN, "terms_reply"))),
        (160, ((_OUT, "quote_chase"), (_IN, "quote_delay"))),
    ),
    "Closed Won": (
        (930, ((_IN, "order"), (_OUT, "thanks_order"))),
        (180, ((_IN, "delivery_question"), (_OUT, "delivery"))),
        (150, ((_OUT, "delivery"),)),
        (150, ((_IN, "cert_ask"), (_OUT, "cert"))),
        (70, ((_IN, "complaint"), (_OUT, "complaint_reply"))),
        (50, ((_IN, "invoice"),)),
    ),
}  # fmt: skip
RENEWAL: Final[tuple[tuple[int, Thread], ...]] = (
    (700, ((_OUT, "renewal_start"), (_IN, "renewal_reply"))),
    (300, ((_OUT, "renewal_start"),)),
)
RELATIONSHIP: Final[tuple[tuple[int, Thread], ...]] = (
    (380, ((_OUT, "checkin"), (_IN, "checkin_reply"))),
    (260, ((_OUT, "checkin"),)),
    (90, ((_IN, "referral"),)),
    (70, ((_IN, "cert_ask"), (_OUT, "cert"))),
    (60, ((_IN, "complaint"), (_OUT, "complaint_reply"))),
)
_DENSITY: Final = 450  # share of deals in mail at all stages but the last, per mille
_LOST: Final = {"Price": "lost_price", "Lost to Competitor": "lost_competitor", "No Budget": "lost_budget",
                "Timing": "lost_timing", "No Decision": "lost_nodecision",
                "Missing Feature": "lost_features"}  # fmt: skip


class MailMaker:
    """Writes the mails of a world; ``rows`` are rows of crm_email_message."""

    def __init__(self, setting: Setting, ids: Ids, facts: Facts, oracle: Oracle) -> None:
        self._setting, self._ids, self._facts, self._oracle = setting, ids, facts, oracle
        self._threads = 0
        self.rows: list[Row] = []

    def of_deal(self, deal: Deal) -> None:
        """The threads along one deal."""
        stream = self._setting.stream("crm_email_message", deal.record.id)
        ends = [step.at for step in deal.steps[1:]] + [self._setting.now]
        for step, end in zip(deal.steps, ends, strict=True):
            if step.stage.startswith("Closed"):
                end = min(end, step.at + timedelta(days=60))
            for thread in self._of_stage(deal, step.stage, stream):
                if step.stage.startswith("Closed") or stream.chance(_DENSITY):
                    self._start(deal, thread, step.at, end, stream)
        if deal.is_open and (self._setting.now - deal.steps[-1].at).days > 25 and stream.chance(420):
            self._start(deal, ((_OUT, "quote_chase"), (_IN, "quote_delay")), self._setting.now - timedelta(days=12),
                        self._setting.now, stream)  # fmt: skip

    def of_account(self, account: Account) -> None:
        """Threads that belong to no deal, more of them at customers of old."""
        stream = self._setting.stream("crm_email_message", account.record.id)
        months = (self._setting.now - account.record.created_at).days // 30
        for _ in range(min(6, months // 12 + stream.uniform_int(0, 1)) if account.contacts else 0):
            thread = stream.weighted([(thread, weight) for weight, thread in RELATIONSHIP])
            topic = stream.choice(topics(account.company.industry))
            who = self._writer(account, stream)
            if who is None:
                return
            at = moment_within(who, max(account.record.created_at, who.record.created_at), self._setting.now, stream)
            if at:
                self._write(thread, who, at, account.record.id, (topic.title, topic.phrase, topic.family), None, stream)

    def _of_stage(self, deal: Deal, stage: str, stream: Stream) -> list[Thread]:
        if stage == "Closed Lost":
            lost = _LOST.get(str(deal.lost_reason))
            answer: Thread = ((_OUT, "lost_ack"),) if stream.chance(650) else ()
            return [((_IN, lost), *answer)] if lost and stream.chance(800) else []
        if deal.topic.family == "Services" and stage in ("Prospecting", "Qualification", "Proposal/Price Quote"):
            choices = RENEWAL if stage == "Prospecting" else ()
        else:
            choices = THREADS[stage]
        if stage == "Closed Won":
            return [thread for weight, thread in choices if stream.chance(weight)]
        rest = max(0, 1000 - sum(weight for weight, _ in choices))
        picked = stream.weighted([*((thread, weight) for weight, thread in choices), ((), rest + 1)])
        return [picked] if picked else []

    def _writer(self, account: Account, stream: Stream) -> Customer | None:
        able = [one for one in account.contacts if one.values["email"]]
        return self._facts.customer(stream.choice(able), account) if able else None

    def _start(self, deal: Deal, thread: Thread, start: datetime, end: datetime, stream: Stream) -> None:
        able = [one for one in deal.contacts if one.values["email"]]
        if not able:
            return
        who = self._facts.customer(able[0] if stream.chance(700) else stream.choice(able), deal.account)
        first: Worker = who if thread[0][0] == _IN else deal.owner_at(start)
        at = moment_within(first, max(start, who.record.created_at), end, stream)
        if thread[0][1] in ("order",) or thread[0][1].startswith("lost"):
            at = start - timedelta(minutes=stream.uniform_int(10, 70))
        if at and at > who.record.created_at:
            self._write(thread, who, at, deal.record.id, None, deal, stream, as_of=start)

    def _write(
        self, thread: Thread, who: Customer, at: datetime, about: str, topic: tuple[str, str, str] | None,
        deal: Deal | None, stream: Stream, as_of: datetime = datetime.min,
    ) -> None:  # fmt: skip
        self._threads += 1
        thread_id = self._setting.id_of("crm_email_thread", self._threads, "THR")
        subject, quoted = "", ""
        for number, (kind, intent) in enumerate(thread):
            owner = self._owner(deal, who.account, at)
            if number:
                at = reply_moment(who if kind == _IN else owner, at, stream)
                owner = self._owner(deal, who.account, at)
            if at >= self._setting.now:
                return
            facts = self._facts_for(deal, who, max(at, as_of), topic)
            drawn, text = write(kind, intent, facts, stream)
            subject = subject or drawn.removeprefix("Re: ")
            body = self._letter(kind, who, owner, text, quoted, at, stream)
            self._add(thread_id, kind, who, owner, f"Re: {subject}" if number else subject, body, at, about)
            sender = who.person.name if kind == _IN else owner.person.name
            quoted = (
                quotation(sender, long_date(local_date(owner.zone, at).isoformat()), text) if stream.chance(620) else ""
            )

    def _facts_for(
        self, deal: Deal | None, who: Customer, at: datetime, topic: tuple[str, str, str] | None
    ) -> dict[str, str]:
        if deal:
            return self._facts.of_deal(deal, who, at)
        if topic is None:
            raise ValueError("a thread that is about no deal needs a topic")
        return self._facts.of_account(who.account, who, at, topic)

    def _owner(self, deal: Deal | None, account: Account, at: datetime) -> Employee:
        owner = (
            deal.owner_at(max(at, deal.record.created_at))
            if deal
            else account.owner_at(max(at, account.record.created_at))
        )
        if owner.left_on and at.date() >= owner.left_on:
            return self._setting.staff["vp_emea"]
        return owner

    def _letter(
        self, kind: str, who: Customer, owner: Employee, text: str, quoted: str, at: datetime, stream: Stream
    ) -> str:
        if kind == _OUT:
            return letter(self._facts.our_voice(owner), who.person, text, stream, quoted)
        return letter(self._facts.their_voice(who, at), owner.person, text, stream, quoted)

    def _add(
        self, thread_id: str, kind: str, who: Customer, owner: Employee, subject: str, body: str, at: datetime,
        about: str,
    ) -> None:  # fmt: skip
        theirs = str(who.record.at(at)["email"])
        self.rows.append({
            "id": self._ids.new("crm_email_message"), "thread_id": thread_id,
            "direction": "in" if kind == _IN else "out",
            "from_addr": theirs if kind == _IN else owner.mail, "to_addrs": owner.mail if kind == _IN else theirs,
            "subject": subject, "subject_norm": norm(subject), "body": body, "sent_at": instant_text(at),
            "who_id": who.record.id, "what_id": about,
        })  # fmt: skip

    def signatures(self, accounts: list[Account], count: int) -> None:
        """Recent mails whose signature shows a number or title that the contact's record does not have yet."""
        stream = self._setting.stream("crm_email_message", "signatures")
        able = [one for one in accounts if one.contacts and one.contacts[0].values["email"] and not one.stale]
        for account in stream.sample(able, count):
            who = self._facts.customer(account.contacts[0], account)
            start = max(self._setting.now - timedelta(days=35), who.record.created_at)
            at = moment_within(who, start, self._setting.now - timedelta(hours=6), stream)
            if at is None or any(save.at >= at for save in who.record.saves):
                continue
            fresh = {"mobile": mobile(account.place, stream)}
            if stream.chance(600):
                fresh["title"] = draw_position(1, stream)[1]
            if any(who.record.current[name] == value for name, value in fresh.items()):
                continue
            self._announce(who, account, fresh, at, stream)

    def _announce(self, who: Customer, account: Account, fresh: dict[str, str], at: datetime, stream: Stream) -> None:
        topic = topics(account.company.industry)[0]
        owner = self._owner(None, account, at)
        facts = self._facts.of_account(account, who, at, (topic.title, topic.phrase, topic.family))
        subject, text = write(_IN, "signature_title" if "title" in fresh else "signature_mobile", facts, stream)
        writer: Person = owner.person
        body = letter(self._facts.their_voice(who, at, **fresh), writer, text, stream)
        if who.person.name not in body:
            body += "\n\n" + "\n".join(self._facts.their_voice(who, at, **fresh).signature)
        self._threads += 1
        thread_id = self._setting.id_of("crm_email_thread", self._threads, "THR")
        self._add(thread_id, _IN, who, owner, subject, body, at, account.record.id)
        self._oracle.note("stale_signature", "crm_contact", who.record.id, mail=self.rows[-1]["id"], **fresh,
                          handling="take title and numbers from the newest signature")  # fmt: skip
