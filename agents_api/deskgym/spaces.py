"""Gymnasium spaces of JSON actions and observations."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

_ALPHABET = "abcdefghijklmnopqrstuvwxyz ÄÖÜßéñ漢字0123456789{}\"':,"


class UnicodeText(gymnasium.Space[str]):
    """Any text of up to `max_length` characters. (Gymnasium's own `Text` takes characters of a fixed set only.)"""

    def __init__(self, max_length: int = 1_000_000, *, seed: int | np.random.Generator | None = None) -> None:
        self.max_length = max_length
        super().__init__((), np.str_, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A short random text, seldom a useful action."""
        if mask is not None or probability is not None:
            raise ValueError("a text space takes neither mask nor probability")
        count = int(self.np_random.integers(0, min(24, self.max_length) + 1))
        return "".join(_ALPHABET[int(place)] for place in self.np_random.integers(0, len(_ALPHABET), count))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def to_jsonable(self, sample_n: Any) -> list[Any]:
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        return [str(item) for item in sample_n]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash(("UnicodeText", self.max_length))

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length})"
