"""How many rows a world has: the presets of the scales, as targets for the generators."""

from dataclasses import dataclass
from typing import Final


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


SCALES: Final = {
    "small": Scale("small", 14, 140, 420, 260, 300, 1_200, 1_500, 4_000),
    "medium": Scale("medium", 60, 1_800, 6_500, 3_600, 4_000, 18_000, 24_000, 65_000),
}
