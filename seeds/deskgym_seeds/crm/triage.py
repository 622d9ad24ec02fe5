"""The rules by which new cases are sorted: what the knowledge base tells people, as data that texts and tasks share."""

from collections.abc import Mapping
from typing import Any, Final

STOP_WORDS: Final = ("stopped", "safety", "interlock")
FORMER: Final = "Former Customer"
# Queue -> (countries of the account or None for all others, post that takes the case), the first that fits
OWNERS: Final[Mapping[str, tuple[tuple[tuple[str, ...] | None, str], ...]]] = {
    "Technical Support": (
        (("Germany", "Austria", "Switzerland"), "engineer"),
        (("United States", "Canada", "Mexico"), "service"),
        (None, "lab"),
    ),
    "Calibration & Repair": ((("Germany", "Austria", "Switzerland"), "lab"), (None, "planner")),
    "Billing – EU": (
        (("Germany", "Austria", "Switzerland"), "service"),
        (("France", "Belgium", "Italy", "Spain", "Portugal"), "controller"),
        (None, "planner"),
    ),
    "Billing – Americas & APAC": ((("United States", "Canada"), "controller"), (None, "planner")),
}
# Post -> the title of who holds it; nobody else has it
TITLES: Final[Mapping[str, str]] = {
    "engineer": "Application Engineer",
    "service": "Service Contracts Coordinator",
    "lab": "Head of Calibration Laboratory",
    "planner": "Production Planner",
    "controller": "Financial Controller",
}
# Cause as customers tell it in the end -> the reason of the closed case
REASONS: Final[Mapping[str, str]] = {
    "device": "Device Fault",
    "config": "Configuration",
    "user": "User Question",
    "papers": "Missing Documentation",
    "wrong": "Wrong Delivery",
    "late": "Late Delivery",
    "invoice": "Invoice Error",
    "payment": "Payment Question",
    "due": "Calibration Due",
}

# Words of the last mail that tell the cause
TOLD: Final[Mapping[str, str]] = {
    "device": "so it really is the device",
    "config": "the damping had been set to zero",
    "user": "read the wrong line of the display",
    "papers": "only the paper that was missing",
    "wrong": "another type than we ordered",
    "late": "days late but complete",
    "invoice": "The invoice was wrong indeed",
    "payment": "the money reached you",
    "due": "the interval had simply run out",
}
REFUSAL: Final = "We cannot share information about other customers."


def priority_of(text: str, account: Mapping[str, Any]) -> str:
    """The priority of a new case from its words and its account."""
    if account["type"] == FORMER:
        return "Low"
    if any(word in text.casefold() for word in STOP_WORDS) or account["sla_tier"] == "Gold":
        return "High"
    return "Medium" if account["sla_tier"] == "Silver" else "Low"


def post_of(queue: str, country: str) -> str:
    """Who takes a new case of a queue, by the country of the account."""
    return next(post for countries, post in OWNERS[queue] if countries is None or country in countries)
