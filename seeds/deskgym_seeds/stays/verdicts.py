"""Reviews: J-shaped stars, words with facts of the stay, replies (STAY-9). Hosts' words about guests only where the
company's people can read them.
"""

from datetime import datetime, timedelta
from typing import Final

from ..localtime import instant_of, instant_text
from ..numbering import Ids, Oracle, Row
from ..organisation import Setting
from ..streams import Stream
from ..tables import cells, sections
from .geography import Geography
from .homes import Home
from .outcomes import Fate
from .talk import counted, near_of
from .visits import Visit

WINDOW_DAYS: Final = 14
_EDGE_DAYS: Final = (12, 17)  # days since checkout at which a review that waits would be a matter of hours
_CATEGORIES: Final = ("cleanliness", "accuracy", "checkin", "communication", "location", "value")
_STARS: Final = ((5, 800), (4, 140), (3, 30), (2, 12), (1, 18))
_COMPLAINTS: Final = 3
_LIKED: Final = (
    "balcony", "kitchen", "coffee", "garden", "bathtub", "desk", "fireplace", "terrace", "pool", "washer",
)  # fmt: skip


class Reviews:
    """Makes the reviews of completed stays."""

    def __init__(self, setting: Setting, ids: Ids, geography: Geography, oracle: Oracle) -> None:
        self._setting, self._ids, self._geography, self._oracle = setting, ids, geography, oracle
        self._now = setting.now
        self._labels = {code: label.lower() for code, label, *_ in cells("stays/amenities.txt")}
        self._slow: dict[str, int] = {}

    def make(self, stories: list[tuple[Visit, Fate]], homes: list[Home]) -> list[Row]:
        """Rows of reviews in the order they were submitted."""
        self._choose_slow(homes)
        drafts: list[tuple[datetime, Visit, Row]] = []
        for visit, fate in stories:
            if fate.status == "completed":
                drafts += self._of_stay(visit)
            elif fate.status == "cancelled_host" and fate.ended is not None:
                drafts.append((fate.ended, visit, self._system(visit, fate.ended)))
        drafts.sort(key=lambda draft: (draft[0], draft[1].row["code"], draft[2]["direction"]))
        return [{"id": self._ids.new("stays_review")} | row for _, _, row in drafts]

    def _choose_slow(self, homes: list[Home]) -> None:
        """Listings whose guests complain of the Wi-Fi: two of each host of the company with four or more."""
        by_host: dict[str, list[Home]] = {}
        for home in homes:
            if home.host.post:
                by_host.setdefault(home.host.post, []).append(home)
        for own in by_host.values():
            for home in own[:2] if len(own) >= 4 else []:
                self._slow[home.id] = _COMPLAINTS

    def _of_stay(self, visit: Visit) -> list[tuple[datetime, Visit, Row]]:
        stream, now = visit.stream, self._now
        ended = instant_of(f"{visit.row['checkout']}T15:00:00Z")
        age = (now - ended).days
        by_guest = stream.chance(640) and not _EDGE_DAYS[0] <= age <= _EDGE_DAYS[1] and age > 1
        if visit.guest.post and age < _EDGE_DAYS[0]:
            by_guest = False  # still to be written
        concerns = bool(visit.guest.post or visit.home.host.post)
        by_host = concerns and stream.chance(520) and not _EDGE_DAYS[0] <= age <= _EDGE_DAYS[1] and age > 1
        written: list[tuple[datetime, Row]] = []
        for wanted, make in ((by_guest, self._guest), (by_host, self._host)):
            if wanted:
                latest = min(ended + timedelta(days=WINDOW_DAYS - 2), now - timedelta(hours=2))
                at = ended + timedelta(
                    seconds=stream.uniform_int(3600, max(7200, int((latest - ended).total_seconds())))
                )
                written.append((at, make(visit, at)))
        self._publish(written, visit, age)
        return [(at, visit, row) for at, row in written]

    def _publish(self, written: list[tuple[datetime, Row]], visit: Visit, age: int) -> None:
        closes = instant_of(f"{visit.row['checkout']}T00:00:00Z") + timedelta(days=WINDOW_DAYS)
        both = len(written) == 2
        for at, row in written:
            out = max(each for each, _ in written) if both else closes
            if both or age > WINDOW_DAYS:
                row |= {"is_published": 1, "published_at": instant_text(max(out, at))}
                self._reply(row, visit, max(out, at))

    def _reply(self, row: Row, visit: Visit, published: datetime) -> None:
        stream = visit.stream
        at = published + timedelta(seconds=stream.uniform_int(3600, 500_000))
        likely = 110 if row["overall"] == 5 else 300
        if (
            row["direction"] == "guest_to_host"
            and at < self._now
            and "Wi-Fi" not in row["body"]
            and stream.chance(likely)
        ):
            replies = sections("stays/reviews.txt")["reply"]
            text = stream.choice(replies[:2] if row["overall"] == 5 else replies[2:])
            row |= {"reply": text.format(guest=visit.guest.person.called), "reply_at": instant_text(at)}

    def _row(self, visit: Visit, author: str, direction: str, at: datetime, overall: int | None, body: str) -> Row:
        return {
            "reservation_id": visit.row["id"], "listing_id": visit.home.id, "author_id": author,
            "direction": direction, "overall": overall, **dict.fromkeys(_CATEGORIES), "body": body,
            "private_note": None, "submitted_at": instant_text(at), "is_published": 0, "published_at": None,
            "reply": None, "reply_at": None,
        }  # fmt: skip

    def _guest(self, visit: Visit, at: datetime) -> Row:
        stream, home = visit.stream, visit.home
        overall = stream.weighted(_STARS)
        if overall < 5 and home.charm > 150 and stream.chance(500):
            overall = 5
        if overall == 5 and home.charm < -250 and stream.chance(400):
            overall = 4
        topic = str(overall)
        if self._slow.get(home.id) and (self._now - at).days < 200:
            self._slow[home.id] -= 1
            topic, overall = "wifi", min(overall, stream.choice((3, 4)))
        body = stream.choice(sections("stays/reviews.txt")[topic]).format_map(self._facts(visit, stream))
        row = self._row(visit, visit.guest.id, "guest_to_host", at, overall, body)
        for category in _CATEGORIES:
            row[category] = min(5, max(1, overall + stream.weighted(((0, 78), (-1, 12), (1, 10)))))
        if stream.chance(45):
            row["private_note"] = stream.choice(sections("stays/reviews.txt")["private"])
        if topic == "wifi":
            self._oracle.note("wifi_complaint", "stays_listing", home.id, reservation=visit.row["id"])
        return row

    def _facts(self, visit: Visit, stream: Stream) -> dict[str, str]:
        home = visit.home
        liked = [self._labels[code] for code in _LIKED if code in home.amenities]
        return {
            "host": home.host.person.called, "guest": visit.guest.person.called, "city": home.city.name,
            "district": home.spot.name, "near": near_of(self._geography, home),
            "nights": counted(len(visit.nights), "night"), "amenity": stream.choice(liked or ["reading lamp"]),
            "speed": f"{stream.uniform_int(4, 14)} Mbps", "promised": str(home.amenities.get("wifi")),
        }  # fmt: skip

    def _host(self, visit: Visit, at: datetime) -> Row:
        stars = visit.stream.weighted(((5, 88), (4, 9), (3, 3)))
        body = visit.stream.choice(sections("stays/reviews.txt")[f"{stars}_host"])
        text = body.format(guest=visit.guest.person.called)
        return self._row(visit, visit.home.host.id, "host_to_guest", at, stars, text)

    def _system(self, visit: Visit, at: datetime) -> Row:
        days = (instant_of(f"{visit.row['checkin']}T12:00:00Z") - at).days
        body = f"The host cancelled this reservation {counted(max(days, 0), 'day')} before arrival."
        row = self._row(visit, visit.home.host.id, "system", at, None, body)
        return row | {"is_published": 1, "published_at": instant_text(at)}
