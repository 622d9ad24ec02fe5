"""Counter-based random streams: the same key gives the same draws, whatever else is drawn.

A stream is keyed by (seed, table, natural key, field): SHA-256 of the key gives the first state of a SplitMix64
generator. Adding a field or a table therefore changes no other value of the world. Integers only.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Final, TypeVar

from .quantiles import exp_scaled, ln_nano, quantile_micro

Item = TypeVar("Item")

_MASK: Final = 2**64 - 1
_ZIPF_UNIT: Final = 10**12


class Stream:
    """A sequence of draws that depends on nothing but its key."""

    __slots__ = ("_state",)

    def __init__(self, seed: str, *key: str | int) -> None:
        digest = hashlib.sha256()
        for part in (seed, *key):
            data = str(part).encode()
            digest.update(len(data).to_bytes(4, "big") + data)
        self._state = int.from_bytes(digest.digest()[:8], "big")

    def next_u64(self) -> int:
        """The next 64 bits (SplitMix64)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def uniform_int(self, low: int, high: int) -> int:
        """An integer from low to high, both included, without modulo bias."""
        span = high - low + 1
        if span < 1:
            raise ValueError(f"empty range {low}..{high}")
        limit = 2**64 - 2**64 % span
        while (draw := self.next_u64()) >= limit:
            pass
        return low + draw % span

    def chance(self, numerator: int, denominator: int = 1000) -> bool:
        """True with probability numerator / denominator."""
        return self.uniform_int(1, denominator) <= numerator

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, all equally likely; ValueError if there are none."""
        return items[self.uniform_int(0, len(items) - 1)]

    def weighted(self, items: Sequence[tuple[Item, int]]) -> Item:
        """One item of (item, weight) pairs; weights are non-negative integers with a positive sum."""
        sums = list(accumulate(weight for _, weight in items))
        return items[bisect_right(sums, self.uniform_int(0, sums[-1] - 1))][0]

    def shuffle(self, items: Sequence[Item]) -> list[Item]:
        """A new list with the items in random order (Fisher-Yates)."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.uniform_int(0, last)
            out[last], out[other] = out[other], out[last]
        return out

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """``count`` different positions of the sequence, in random order; ValueError if it is shorter."""
        if count > len(items):
            raise ValueError(f"cannot draw {count} of {len(items)} items")
        pool = list(items)
        for position in range(count):
            other = self.uniform_int(position, len(pool) - 1)
            pool[position], pool[other] = pool[other], pool[position]
        return pool[:count]

    def normal(self, mean: int, deviation: int) -> int:
        """A normal draw in the unit of its arguments, within 3.3 deviations of the mean."""
        return mean + _scale(quantile_micro("normal", self.next_u64()), deviation)

    def student_t(self, centre: int, scale: int) -> int:
        """A heavy-tailed draw (Student's t, four degrees of freedom) in the unit of its arguments."""
        return centre + _scale(quantile_micro("student_t4", self.next_u64()), scale)

    def lognormal(self, median: int, sigma_milli: int) -> int:
        """A lognormal draw with the given median; sigma of the logarithm in thousandths."""
        return exp_scaled(median, quantile_micro("normal", self.next_u64()) * sigma_milli // 1000)

    def zipf(self, count: int, exponent_milli: int) -> int:
        """A rank in 1..count with probability proportional to ``rank ** -(exponent_milli / 1000)``."""
        sums = _zipf_sums(count, exponent_milli)
        return bisect_right(sums, self.uniform_int(0, sums[-1] - 1)) + 1


def _scale(value_micro: int, factor: int) -> int:
    return (value_micro * factor + 500_000) // 1_000_000


@cache
def _zipf_sums(count: int, exponent_milli: int) -> tuple[int, ...]:
    weights = (exp_scaled(_ZIPF_UNIT, -ln_nano(rank) * exponent_milli // 10**6) for rank in range(1, count + 1))
    return tuple(accumulate(weights))
