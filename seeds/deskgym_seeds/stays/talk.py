"""What guests and hosts write to each other: threads and messages from the facts of the reservations.

Only threads of the company's people are written: nobody can read those between two outsiders. Whoever acts has read
most of theirs.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ..localtime import instant_of, instant_text
from ..numbering import Ids, Oracle, Row
from ..organisation import Setting
from ..streams import Stream
from ..tables import sections
from .community import Member
from .geography import Geography
from .homes import Home
from .outcomes import Fate
from .visits import Visit

_UNREAD_PER_MILLE: Final = 240
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_ONE: Final = ("one person", "two adults", "three adults", "four adults", "five adults", "six adults")


def near_of(geography: Geography, home: Home) -> str:
    """What people name as near a listing: the landmark of the city."""
    landmark = geography.landmark(home.city.key)
    return landmark.name if landmark else "the main station"


def counted(number: int, noun: str) -> str:
    """`1, "night"` -> `1 night`; `2, "night"` -> `2 nights`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(slots=True)
class Thread:
    """One thread and its messages as (instant, sender, kind, body)."""

    id: str
    home: Home
    guest: Member
    said: list[tuple[datetime, Member, str, str]]


class Talk:
    """Writes threads for stories, reservation by reservation."""

    def __init__(self, setting: Setting, ids: Ids, geography: Geography, oracle: Oracle) -> None:
        self._setting, self._ids, self._geography, self._oracle = setting, ids, geography, oracle
        self._now = setting.now
        self._threads: dict[tuple[str, str], Thread] = {}

    def tell(self, visit: Visit, fate: Fate) -> None:
        """What was written about a reservation, in its thread."""
        if not (visit.guest.post or visit.home.host.post):
            return
        key = (visit.home.id, visit.guest.id)
        thread = self._threads.get(key)
        if thread is None:
            thread = self._threads[key] = Thread("", visit.home, visit.guest, [])
        Conversation(self, visit, fate, thread).run()

    def facts(self, visit: Visit, fate: Fate, stream: Stream) -> dict[str, str]:
        """What messages may mention."""
        home, near = visit.home, near_of(self._geography, visit.home)
        party = _ONE[visit.party.adults - 1]
        if visit.party.children:
            party += f" and {counted(visit.party.children, 'child').replace('childs', 'children')}"
        hour = int(home.row["checkin_from"][:2]) + stream.uniform_int(0, 5)
        purpose = stream.choice(sections("stays/messages.txt")["purpose"]).format(near=near)
        return {
            "host": home.host.person.called,
            "guest": visit.guest.person.called,
            "title": home.row["title"].strip(),
            "city": home.city.name,
            "near": near,
            "from_day": _day(visit.row["checkin"]),
            "to_day": _day(visit.row["checkout"]),
            "nights": counted(len(visit.nights), "night"),
            "party": party,
            "party_cap": _large(party),
            "purpose": purpose,
            "purpose_cap": _large(purpose),
            "checkin": home.row["checkin_from"],
            "checkout": home.row["checkout_by"],
            "street": home.row["street"],
            "arrival": f"{min(hour, 23)}:{10 * stream.uniform_int(0, 5):02d}",
            "later": f"{min(hour + 2, 23)}:{10 * stream.uniform_int(0, 5):02d}",
            "code": str(stream.uniform_int(1000, 9999)),
            "code_text": visit.row["code"],
            "reason_low": _small(fate.reason or "plans changed"),
        }

    @property
    def now(self) -> datetime:
        return self._now

    def note(self, rule: str, key: str) -> None:
        """Note mess of a thread's reservation."""
        self._oracle.note(rule, "stays_reservation", key)

    def rows(self) -> dict[str, list[Row]]:
        """Rows of threads, messages and read marks, in the order they were begun."""
        threads = sorted((one for one in self._threads.values() if one.said), key=_begun)
        messages: list[Row] = []
        reads: list[Row] = []
        for thread in threads:
            thread.id = self._ids.new("stays_thread")
            thread.said.sort(key=lambda said: said[0])
        everything = [(said, thread) for thread in threads for said in thread.said]
        for (at, sender, kind, body), within in sorted(everything, key=_in_order):
            messages.append(
                {"id": self._ids.new("stays_message"), "thread_id": within.id, "sender_id": sender.id, "kind": kind,
                 "body": body, "at": instant_text(at)},
            )  # fmt: skip
        for thread in threads:
            reads += self._read(thread)
        return {
            "stays_thread": [
                {"id": one.id, "listing_id": one.home.id, "guest_id": one.guest.id, "host_id": one.home.host.id,
                 "created_at": instant_text(one.said[0][0])}
                for one in threads
            ],
            "stays_message": messages,
            "stays_ui_thread_read": reads,
        }  # fmt: skip

    def _read(self, thread: Thread) -> list[Row]:
        out = []
        for member in (thread.guest, thread.home.host):
            if not member.post:
                continue
            stream = self._setting.stream(
                "stays_ui_thread_read", member.post, thread.home.key.strip(), thread.guest.mail
            )
            last = thread.said[-1][0]
            if last > self._now - timedelta(days=6) and stream.chance(_UNREAD_PER_MILLE * 3):
                last = thread.said[-1][0] - timedelta(seconds=1)
            out.append({"thread_id": thread.id, "user_id": member.id, "last_read_at": instant_text(last)})
        return out


def _begun(thread: Thread) -> tuple[datetime, str, str]:
    return min(said[0] for said in thread.said), thread.home.key, thread.guest.mail


def _in_order(pair: tuple[tuple[datetime, Member, str, str], Thread]) -> tuple[datetime, str, str, str]:
    (at, _, kind, body), thread = pair
    return at, thread.home.key, kind, body


def _day(text: str) -> str:
    _, month, day = text.split("-")
    return f"{int(day)} {_MONTHS[int(month) - 1]}"


def _large(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


class Conversation:
    """One reservation's part of a thread."""

    def __init__(self, talk: Talk, visit: Visit, fate: Fate, thread: Thread) -> None:
        self._talk, self._visit, self._fate, self._thread = talk, visit, fate, thread
        self._stream = visit.stream
        self._facts = talk.facts(visit, fate, self._stream)

    def run(self) -> None:
        """Everything in the order of time; what would be said after now is not."""
        visit, fate, guest, host = self._visit, self._fate, self._visit.guest, self._visit.home.host
        if fate.status == "inquiry":
            self._pair("ask", guest, host, visit.created, self._talk.now)  # nobody has answered yet
            return
        if fate.confirmed is None or fate.confirmed > visit.created:
            self._say(visit.created, guest, "system_requested", "system")
            words = f"request_{visit.intent}" if visit.intent else "request"
            self._say(visit.created + timedelta(seconds=1), guest, words)
        if fate.confirmed is None:
            self._refused(fate, guest, host)
            return
        self._say(fate.confirmed, host if fate.confirmed > visit.created else guest, "system_booked", "system")
        self._booked(fate.confirmed, guest, host)
        if fate.status.startswith("cancelled") and fate.ended is not None:
            by = guest if fate.status == "cancelled_guest" else host
            self._say(fate.ended, by, "system_cancelled", "system")
            self._say(fate.ended + self._minutes(2, 50), by, fate.status)
            return
        self._stayed(guest, host)

    def _refused(self, fate: Fate, guest: Member, host: Member) -> None:
        if fate.ended is None:
            return
        by = host if fate.status == "declined" else guest
        self._say(fate.ended, by, f"system_{fate.status}", "system")
        if fate.status == "declined" and self._stream.chance(600):
            self._say(fate.ended + self._minutes(1, 9), host, "decline")

    def _booked(self, at: datetime, guest: Member, host: Member) -> None:
        self._say(at + self._minutes(1, 25), guest, "booked")
        self._say(at + self._minutes(26, 400), host, "welcome")
        if self._stream.chance(300):
            asked = at + self._minutes(500, 4000)
            self._pair("ask", guest, host, asked, asked + self._minutes(5, 600))

    def _stayed(self, guest: Member, host: Member) -> None:
        start = instant_of(f"{self._visit.row['checkin']}T12:00:00Z")
        end = instant_of(f"{self._visit.row['checkout']}T12:00:00Z")
        before = start - timedelta(days=2) + self._minutes(0, 500)
        self._say(before, host, "way")
        if self._stream.chance(130):
            self._say(before + self._minutes(30, 900), guest, "later")
            self._say(before + self._minutes(901, 1200), host, "fine")
            self._talk.note("arrival_changed", self._visit.row["id"])
        if self._stream.chance(260):
            asked = start + self._minutes(300, 1300)
            self._pair("during", guest, host, asked, asked + self._minutes(5, 90))
        if self._stream.chance(550):
            self._say(end + self._minutes(0, 700), guest, "thanks")
            self._say(end + self._minutes(701, 2000), host, "goodbye")

    def _pair(self, intent: str, asks: Member, answers: Member, at: datetime, later: datetime) -> None:
        """A question, and the answer to that question."""
        question, _, answer = self._stream.choice(sections("stays/messages.txt")[intent]).partition(" || ")
        self._write(at, asks, question, "user")
        self._write(later, answers, answer, "user")

    def _say(self, at: datetime, sender: Member, intent: str, kind: str = "user") -> None:
        self._write(at, sender, self._stream.choice(sections("stays/messages.txt")[intent]), kind)

    def _write(self, at: datetime, sender: Member, text: str, kind: str) -> None:
        if self._visit.created <= at < self._talk.now:
            self._thread.said.append((at, sender, kind, text.format_map(self._facts)))

    def _minutes(self, low: int, high: int) -> timedelta:
        return timedelta(seconds=self._stream.uniform_int(low * 60, high * 60))
