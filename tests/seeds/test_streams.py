"""Streams depend on their key alone, and their draws have the distributions they promise."""

from collections import Counter

import pytest

from deskgym_seeds.quantiles import ln_nano
from deskgym_seeds.streams import Stream


def draws(stream: Stream, count: int) -> list[int]:
    return [stream.next_u64() for _ in range(count)]


def test_a_stream_is_the_same_everywhere() -> None:
    """Fixed for ever: other values would change every world."""
    assert draws(Stream("1", "crm_account", 7, "name"), 3) == [
        13755480230528726814,
        10919952012381487569,
        16552706791418153312,
    ]


def test_keys_that_join_to_the_same_text_are_different_streams() -> None:
    keys = [("1", "ab", "c"), ("1", "a", "bc"), ("1a", "b", "c"), ("1", "abc"), ("1", "ab", "c", "")]
    assert len({Stream(*key).next_u64() for key in keys}) == len(keys)


def test_uniform_integers_cover_the_range_evenly() -> None:
    stream = Stream("t", "uniform")
    counts = Counter(stream.uniform_int(-2, 4) for _ in range(14_000))
    assert set(counts) == set(range(-2, 5))
    assert all(1_800 < count < 2_200 for count in counts.values())


def test_uniform_integers_have_no_modulo_bias() -> None:
    """Taking the rest of 64 bits by three quarters of their range would give two thirds to the lower third."""
    stream = Stream("t", "bias")
    span = 3 * 2**62
    low = sum(stream.uniform_int(0, span - 1) < span // 3 for _ in range(6_000))
    assert 1_850 < low < 2_150


@pytest.mark.parametrize(("low", "high"), [(5, 4), (0, -1)])
def test_an_empty_range_is_refused(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="empty range"):
        Stream("t").uniform_int(low, high)


def test_weights_decide_and_zero_never_comes() -> None:
    stream = Stream("t", "weights")
    counts = Counter(stream.weighted([("a", 3), ("never", 0), ("b", 1)]) for _ in range(8_000))
    assert set(counts) == {"a", "b"}
    assert 5_800 < counts["a"] < 6_200


def test_shuffle_and_sample_keep_the_items() -> None:
    stream = Stream("t", "shuffle")
    items = list(range(50))
    assert sorted(stream.shuffle(items)) == items
    assert stream.shuffle(items) != items
    chosen = stream.sample(items, 20)
    assert len(set(chosen)) == 20
    with pytest.raises(ValueError, match="cannot draw 51"):
        stream.sample(items, 51)
    firsts = Counter(stream.sample(items, 1)[0] for _ in range(5_000))
    assert len(firsts) == 50


def test_chance_is_per_mille() -> None:
    stream = Stream("t", "chance")
    assert 230 < sum(stream.chance(50) for _ in range(5_000)) < 275
    assert not any(stream.chance(0) for _ in range(200))
    assert all(stream.chance(1000) for _ in range(200))


def test_normal_and_student_t_have_their_spread() -> None:
    stream = Stream("t", "normal")
    values = [stream.normal(500, 1_000) for _ in range(8_000)]
    assert 470 < sum(values) // 8_000 < 530
    assert 0.66 < sum(-500 <= value <= 1_500 for value in values) / 8_000 < 0.70
    tails = [stream.student_t(0, 1_000) for _ in range(8_000)]
    assert sum(abs(value) > 3_000 for value in tails) > 5 * sum(abs(value - 500) > 3_000 for value in values)


def test_lognormal_keeps_median_and_sigma() -> None:
    stream = Stream("t", "lognormal")
    values = sorted(stream.lognormal(26_000, 1_100) for _ in range(8_001))
    assert 25_000 < values[4_000] < 27_000
    assert 2.8 < values[8_001 * 8_413 // 10_000] / values[4_000] < 3.2


def test_zipf_slope_is_the_exponent() -> None:
    """seed-data.md §7.1: within 0.15."""
    stream = Stream("t", "zipf")
    counts = Counter(stream.zipf(400, 1_100) for _ in range(60_000))
    slope = (ln_nano(counts[1]) - ln_nano(counts[20])) / ln_nano(20)
    assert abs(slope - 1.1) < 0.15
    assert max(counts) <= 400
