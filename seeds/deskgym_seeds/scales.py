"""How many rows a world has: the presets of the scales, as targets for the generators."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class StaysScale:
    """Targets of Harbourstay; nights, price lines, payments and messages follow from the reservations."""

    places: int
    hosts: int
    guests: int
    listings: int
    reservations: int
    overrides: int
    seasons: int
    coupons: int


@dataclass(frozen=True, slots=True)
class Scale:
    """Targets; counts of processes (tasks, mails, history) follow from the records and land near theirs."""

    name: str
    users: int
    accounts: int
    contacts: int
    opportunities: int
    leads: int
    activities: int
    mails: int
    history: int
    stays: StaysScale


SCALES: Final = {
    "small": Scale(
        "small", 14, 140, 420, 260, 300, 1_200, 1_500, 4_000, StaysScale(80, 120, 500, 300, 1_900, 6_000, 400, 12)
    ),
    "medium": Scale(
        "medium", 60, 1_800, 6_500, 3_600, 4_000, 18_000, 24_000, 65_000,
        StaysScale(250, 1_100, 8_000, 3_000, 26_000, 70_000, 4_000, 40),
    ),
}  # fmt: skip
