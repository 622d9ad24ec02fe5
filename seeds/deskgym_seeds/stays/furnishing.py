"""What is in a listing and what it says of itself: amenities with notes, house rules, photos, the description."""

from typing import Final

from ..numbering import Oracle, Row
from ..organisation import Setting
from ..streams import Stream
from ..tables import cells, sections
from .geography import Geography
from .homes import Home

_OTHER_RULES: Final = (
    "Shoes off at the door", "No candles", "Please sort the rubbish", "No visitors overnight", "Keep the gate shut",
)  # fmt: skip


def policy_rows() -> list[Row]:
    """The cancellation policies, in the order they are shown."""
    return [
        {"code": code, "title": title, "summary": summary, "sort": number, "is_choice": int(choice)}
        for number, (code, title, summary, choice) in enumerate(cells("stays/policies.txt"), start=1)
    ]


def amenity_rows() -> list[Row]:
    """Every amenity, in the order they are shown."""
    return [
        {"code": code, "label": label, "grp": group, "sort": number}
        for number, (code, label, group, *_) in enumerate(cells("stays/amenities.txt"), start=1)
    ]


class Furnisher:
    """Furnishes listings and describes them."""

    def __init__(self, setting: Setting, geography: Geography, oracle: Oracle) -> None:
        self._setting, self._geography, self._oracle = setting, geography, oracle

    def furnish(self, homes: list[Home]) -> dict[str, list[Row]]:
        """Completes the rows of listings; rows of rooms, amenities, rules and photos."""
        tables: dict[str, list[Row]] = {
            f"stays_listing_{part}": [] for part in ("room", "amenity", "rule", "photo")
        }  # fmt: skip
        for home in homes:
            stream = self._setting.stream("stays_listing", "furnish", home.key.strip())
            self._amenities(home, stream)
            self._rules(home, stream)
            home.row["description"] = self._description(home, stream)
            for number, room in enumerate(home.rooms, start=1):
                tables["stays_listing_room"].append({"listing_id": home.id, "pos": number} | room)
            tables["stays_listing_amenity"] += [
                {"listing_id": home.id, "amenity": code, "note": note} for code, note in sorted(home.amenities.items())
            ]
            tables["stays_listing_rule"] += [
                {"listing_id": home.id, "code": code, "value": value} for code, value in sorted(home.rules.items())
            ]
            tables["stays_listing_photo"] += self._photos(home, stream)
        self._stale_policies(homes)
        return tables

    def _amenities(self, home: Home, stream: Stream) -> None:
        for code, _, group, share, notes in cells("stays/amenities.txt"):
            likely = int(share) + home.charm // 8
            if group == "Kitchen" and home.row["room_type"] in ("hotel_room", "shared_room"):
                likely //= 4
            if code in ("garden", "pool", "barbecue", "piano") and home.row["bedrooms"] >= 3:
                likely = likely * 2
            if stream.chance(max(5, min(995, likely))):
                options = [note.strip() for note in notes.split(";") if note.strip()]
                home.amenities[code] = stream.choice(options) if options and stream.chance(720) else None
        if home.amenities.get("wifi", "") is None:
            home.amenities["wifi"] = "100 Mbps"
        if home.row["self_checkin"]:
            home.amenities["self_service"] = None

    @staticmethod
    def _rules(home: Home, stream: Stream) -> None:
        home.rules = {
            "smoking": "yes" if stream.chance(60) else "no",
            "parties": "yes" if stream.chance(40) else "no",
            "children": "no" if stream.chance(70) else "yes",
        }
        if stream.chance(640):
            home.rules["quiet_hours"] = stream.choice(("22:00-07:00", "22:00-08:00", "23:00-07:00"))
        if stream.chance(260):
            home.rules["other"] = stream.choice(_OTHER_RULES)

    def _description(self, home: Home, stream: Stream) -> str:
        parts = sections("stays/homes.txt")
        landmark = self._geography.landmark(home.city.key)
        near = landmark.full_name.split(",")[0] if landmark else "the main station"
        facts = {
            "kind": home.row["property_type"],
            "guests": _counted(home.row["max_guests"], "guest"),
            "beds": _counted(home.row["beds"], "bed"),
            "floor": stream.choice(("first", "second", "third", "fourth")),
            "district": home.spot.name,
            "near": near if near[:1].isupper() and landmark else "the main station",
            "walk": str(stream.uniform_int(3, 28)),
            "checkin": home.row["checkin_from"],
        }
        chosen = [stream.choice(parts[home.row["room_type"]]), stream.choice(parts["where"])]
        chosen += [stream.choice(parts["hint"])] if stream.chance(700) else []
        return " ".join(_sentence(text.format_map(facts)) for text in chosen)

    def _photos(self, home: Home, stream: Stream) -> list[Row]:
        shown = dict(row.split("|") for row in sections("stays/homes.txt")["photo"])
        rooms = ["outside", "bedroom", "bath"]
        if home.row["room_type"] == "entire_home":
            rooms += ["living", "kitchen", *(["bedroom"] if home.row["bedrooms"] > 1 else [])]
        rooms += [code for code in ("balcony", "desk") if code in home.amenities]
        rooms += ["view"] if stream.chance(500) else []
        first, *rest = stream.shuffle(rooms)
        used: set[str] = set()
        out = []
        for number, room in enumerate((first, *rest), start=1):
            options = [text.strip() for text in shown[room].split(";") if text.strip() not in used]
            caption = stream.choice(options)
            used.add(caption)
            seed = stream.uniform_int(1, 2**31 - 1)
            out.append({"listing_id": home.id, "pos": number, "caption": caption, "room": room, "seed": seed})
        return out

    def _stale_policies(self, homes: list[Home]) -> None:
        """Descriptions that name a policy which was changed since: the policy of the listing holds."""
        strict = [home for home in homes if home.row["policy_code"] in ("firm", "strict") and not home.host.post]
        stream = self._setting.stream("stays_listing", "stale policy")
        for home in stream.sample(strict, min(len(strict), max(2, len(homes) // 60))):
            home.row["description"] += " Cancellation is flexible: tell us a day before."
            self._oracle.note("stale_policy", "stays_listing", home.id, says="flexible", holds=home.row["policy_code"])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
