"""What is left: wishlists of the company's people, quick replies of hosts, gifts, and what others do by themselves."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from deskgym_apps.kit.norm import norm

from ..localtime import instant_text
from ..numbering import Ids, Row
from ..organisation import Setting
from .community import Community, Member
from .geography import Geography
from .homes import Home

_NOTES: Final = (
    "Ask about parking",
    "Close to the office",
    "Desk looks good",
    "Too far out?",
    "For the family trip",
    None,
    None,
)
_REPLIES: Final = (
    ("Directions", "From the station take the tram to the third stop. Ring the top bell, I come down."),
    ("Late arrival", "No problem. The key is in the box left of the door; I send the code on the day."),
    ("Check-out", "Please leave the key on the table and close the windows. Thank you for staying!"),
    ("Early bags", "You may leave your bags from 11:00 on in the hall."),
)
_GIFT: Final = 5000


class Remainder:
    """Rows of wishlists, quick replies, credit that was given, and rules of simulated people."""

    def __init__(
        self, setting: Setting, ids: Ids, geography: Geography, community: Community, homes: list[Home]
    ) -> None:
        self._setting, self._ids, self._geography, self._community = setting, ids, geography, community
        self._listed = [home for home in homes if home.row["status"] == "listed"]

    def rows(self) -> dict[str, list[Row]]:
        """All of them by table."""
        lists: list[Row] = []
        items: list[Row] = []
        for member in (one for one in self._community.travellers if one.post):
            for row, listings in self._wishlists(member):
                lists.append(row)
                items += listings
        return {
            "stays_wishlist": lists,
            "stays_wishlist_item": items,
            "stays_quick_reply": [
                {"id": self._ids.new("stays_quick_reply"), "host_id": host.id, "title": title, "body": body}
                for host in self._community.hosts
                if host.post
                for title, body in _REPLIES
            ],
            "stays_npc_rule": [row for host in self._community.hosts if not host.post for row in self._rules(host)],
        }

    def gifts(self) -> list[Row]:
        """Credit that some of the company's people were given."""
        now = self._setting.now
        return [
            {"id": self._ids.new("stays_credit"), "user_id": member.id, "kind": "gift", "reservation_id": None,
             "amount": _GIFT if member.currency != "JPY" else _GIFT * 100, "currency": member.currency,
             "created_at": instant_text(now - timedelta(days=20 + number)),
             "expires_on": (now.date() + timedelta(days=300)).isoformat()}
            for number, member in enumerate(one for one in self._community.travellers if one.post)
            if number % 4 == 2
        ]  # fmt: skip

    def _wishlists(self, member: Member) -> list[tuple[Row, list[Row]]]:
        stream = self._setting.stream("stays_wishlist", member.post)
        out = []
        cities = stream.sample(self._geography.of_kind("city"), 3)
        for number in range(stream.uniform_int(1, 3)):
            city = cities[number]
            near = [home for home in self._listed if home.city is city and home.host is not member]
            if not near:
                continue
            name = stream.choice((city.name, f"{city.name} {stream.choice(('May', 'autumn', 'with the team'))}"))
            made = self._setting.now - timedelta(seconds=stream.uniform_int(100_000, 20_000_000))
            first = (self._setting.now + timedelta(days=stream.uniform_int(20, 200))).date()
            dated = stream.chance(450)
            row = {
                "id": self._ids.new("stays_wishlist"), "user_id": member.id, "name": name, "name_norm": norm(name),
                "is_private": int(stream.chance(800)), "checkin": first.isoformat() if dated else None,
                "checkout": (first + timedelta(days=stream.uniform_int(2, 6))).isoformat() if dated else None,
                "created_at": instant_text(made), "updated_at": instant_text(made), "updated_by": member.id,
                "row_version": 1,
            }  # fmt: skip
            chosen = stream.sample(near, min(len(near), stream.uniform_int(1, 5)))
            items = [
                {"wishlist_id": row["id"], "listing_id": home.id, "note": stream.choice(_NOTES),
                 "added_at": instant_text(made + timedelta(seconds=40 * (place + 1)))}
                for place, home in enumerate(chosen)
            ]  # fmt: skip
            out.append((row, items))
        return out

    def _rules(self, host: Member) -> list[Row]:
        """Outside hosts answer by themselves: requests and changes mostly with yes, messages with a sentence."""
        stream = self._setting.stream("stays_npc_rule", host.mail)
        dear = {"delta_at_least": 0} if stream.chance(500) else {}
        chosen = [
            ("request", {"nights_at_most": 20}, {"action": "accept"}, 45),
            ("alteration", dear, {"action": "accept"}, 30),
            ("message", {}, {"message": "Thank you, I have seen your message and write more today."}, 20),
        ]
        return [
            {"id": self._ids.new("stays_npc_rule"), "user_id": host.id, "trigger": trigger,
             "condition_json": _json(condition), "action_json": _json(action),
             "delay_minutes": delay + stream.uniform_int(0, 40), "sort": number}
            for number, (trigger, condition, action, delay) in enumerate(chosen, start=1)
        ]  # fmt: skip


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
