"""The tools of what people write: messages, wishlists, reviews (mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .service.inputs import ReviewsInput, ThreadInput, ThreadsInput, WishlistInput
from .service.social_inputs import (
    MessageInput,
    ReplyReviewInput,
    ResolutionInput,
    ResolutionsInput,
    ReviewInput,
    StayReviewsInput,
)
from .service.wishlists import WishlistCommand
from .tool_actions import fitting, names_of, word_of
from .tool_schemas import closed, optional

# action -> operation, arguments it needs, arguments it may take
_MESSAGE: Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "send": ("stays.message", ("body",), ("thread", "listing", "code")),
    "read": ("stays.read_thread", ("thread",), ()),
    "create_quick_reply": ("stays.quick_reply", ("title", "body"), ()),
    "update_quick_reply": ("stays.quick_reply", ("quick_reply",), ("title", "body")),
    "delete_quick_reply": ("stays.quick_reply", ("quick_reply",), ()),
}
_WISHLISTS = ("list", "items")
_ID = {"type": "string", "pattern": "^[A-Z0-9]{15}$"}


def _messages(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if "id" in arguments:
        return "stays.thread", fitting("one thread", arguments, {"id"}, set(names_of(ThreadInput)))
    return "stays.threads", fitting("a list", arguments, set(), set(names_of(ThreadsInput)))


def _message(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    action = word_of("action", _MESSAGE, arguments, "send")
    operation, needed, optional_ones = _MESSAGE[action]
    rest = {name: value for name, value in arguments.items() if name != "action"}
    given = fitting(action, rest, set(needed), {*needed, *optional_ones})
    if action == "read":
        return operation, {"id": given["thread"]}
    if operation == "stays.quick_reply":
        own = {"id": given.pop("quick_reply")} if "quick_reply" in given else {}
        return operation, {"action": action.partition("_")[0], **own, **given}
    return operation, given


def _wishlist(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    action = arguments["action"]
    rest = {name: value for name, value in arguments.items() if name != "action"}
    if action == "list":
        return "stays.wishlists", fitting("list", rest, set(), set())
    if action == "items":
        return "stays.wishlist_items", fitting("items", rest, {"id"}, set(names_of(WishlistInput)))
    return "stays.wishlist", arguments


def _reviews(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if "code" in arguments:
        return "stays.stay_reviews", fitting("one stay", arguments, {"code"}, set(names_of(StayReviewsInput)))
    if not arguments:
        return "stays.reviews_to_write", arguments
    return "stays.reviews", fitting("a listing's reviews", arguments, {"listing"}, set(names_of(ReviewsInput)))


def _review(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if "id" in arguments or "reply" in arguments:
        return "stays.reply_review", fitting("a reply", arguments, {"id", "reply"}, set(names_of(ReplyReviewInput)))
    needed = {"code", "overall", "body"}
    return "stays.review", fitting("a review", arguments, needed, set(names_of(ReviewInput)))


def _resolution(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    rest = {name: value for name, value in arguments.items() if name != "action"}
    if arguments["action"] == "list":
        return "stays.resolutions", fitting("list", rest, set(), set(names_of(ResolutionsInput)))
    return "stays.resolution", arguments


def _resolution_schema() -> dict[str, Any]:
    properties = optional(ResolutionInput, ResolutionsInput)
    properties["action"] = {"type": "string", "enum": ["list", *properties["action"]["enum"]]}
    return closed(properties, "action")


def _wishlist_schema() -> dict[str, Any]:
    properties = optional(WishlistCommand)
    action = properties["action"]
    properties["action"] = {"type": "string", "enum": [*_WISHLISTS, *action["enum"]]}
    return closed(properties, "action")


SOCIAL_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="stays_messages",
        title="Read messages",
        description="Without id: your threads as guest and as host, the newest message first, with how many are unread "
        "(unread, text, limit at most 200). With id: one thread with all messages, its reservations and, for hosts, "
        "your quick replies. Reading marks nothing as read; stays_message with action read does.",
        schema=closed(optional(ThreadInput, ThreadsInput)),
        writes=False,
        plan=_messages,
    ),
    Tool(
        name="stays_message",
        title="Write a message",
        description="send (the default): body goes at once into a thread, to a listing's host, or to the other side of "
        "a reservation; give one of thread, listing and code. A guest and a listing have one thread. It cannot be "
        "taken back. read marks a thread as read. create_quick_reply (title, body), update_quick_reply and "
        "delete_quick_reply (quick_reply: its id) keep texts that you often write as a host. An inquiry with dates is "
        'stays_decide with action inquire. Example: {"code": "HB000123", "body": "We land at 23:10."}.',
        schema=closed(
            {"action": {"type": "string", "enum": list(_MESSAGE), "default": "send"}}
            | optional(MessageInput)
            | {
                "quick_reply": _ID | {"description": "A quick reply of yours."},
                "title": {"type": "string", "maxLength": 60, "description": "Of a quick reply."},
            }
        ),
        writes=True,
        plan=_message,
    ),
    Tool(
        name="stays_wishlist",
        title="Work on wishlists",
        description="list: your wishlists. items (id): a list's saved listings with notes; with the list's dates each "
        "with its total and whether it is free. create (name; perhaps listing, note, checkin, checkout), rename, "
        "delete, dates (checkin and checkout; neither takes them away): id, and row_version if you wish to be told of "
        "other changes. add (note if you like), remove, note: id and listing. share lets whoever has the id read "
        "the list, unshare ends that. No two lists of yours have one name, and "
        'a list holds a listing once. Example: {"action": "add", "id": "WSH…", "listing": "LST…", "note": "sea view"}.',
        schema=_wishlist_schema(),
        writes=True,
        plan=_wishlist,
    ),
    Tool(
        name="stays_reviews",
        title="Read reviews",
        description="listing: its published reviews with the host's replies (text searches them, sort newest, oldest, "
        "highest or lowest; limit at most 200), the rating to 2 decimals (null under 3 reviews) and the categories. "
        "Hosts see the reservations' codes as well. code: what was written about one stay of yours and whether you can "
        "review it. Nothing: the stays you can review now.",
        schema=closed(optional(ReviewsInput, StayReviewsInput)),
        writes=False,
        plan=_reviews,
    ),
    Tool(
        name="stays_review",
        title="Review a stay or reply to a review",
        description="A review: code, overall and body; as guest also the six categories cleanliness, accuracy, "
        "checkin, communication, location and value, each 1 to 5; private_note is for the other side only. Possible "
        "once, within 14 days after checkout of a stay that was completed or cancelled after check-in; published when "
        "both sides have written or the 14 days are over. A reply: id of a published review of a guest at your "
        "listing, and reply; one each. Neither can be changed.",
        schema=closed(optional(ReviewInput, ReplyReviewInput)),
        writes=True,
        plan=_review,
    ),
    Tool(
        name="stays_resolution",
        title="Settle money after a stay",
        description="list (code, status): requests about your stays; with code also returnable, what the host could "
        "give back at most. As host: refund gives money back at once to the card of a stay that is over and takes it "
        "off your payout; payment asks the guest for money. As guest: refund asks for money back. Both: problem only "
        "says what is wrong, from check-in on. A new one takes code, reason, body and, but for a problem, amount (a "
        "decimal number in the reservation's charge currency). accept (id, and amount as it was asked for) and decline "
        "(id) answer the other side; withdraw (id) takes back your own. Money that moved cannot be called back. "
        'Example: {"action": "refund", "code": "HB000123", "amount": "41.50", "reason": "price", "body": "Priced with '
        'the old weekend rate."}.',
        schema=_resolution_schema(),
        writes=True,
        plan=_resolution,
        destructive=True,
    ),
)
