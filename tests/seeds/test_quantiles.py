"""Every checked-in number is computed again with `decimal`, and the integer functions keep their bounds."""

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext

import pytest

from deskgym_seeds import quantiles
from deskgym_seeds.quantiles import exp_scaled, ln_nano, quantile_micro, table

HALF = Decimal("0.5")
PI = Decimal("3.14159265358979323846264338327950288419716939937510")


def rounded(value: Decimal, unit: int) -> int:
    return int((value * unit).to_integral_value(ROUND_HALF_UP))


def normal_cdf(z: Decimal) -> Decimal:
    term, total, k = z, z, 1
    while abs(term) > Decimal(10) ** -30:
        term = term * z * z / (2 * k + 1)
        total += term
        k += 1
    return HALF + (-z * z / 2).exp() / (2 * PI).sqrt() * total


def student_t4_cdf(t: Decimal) -> Decimal:
    w = 1 + t * t / 4
    return HALF + Decimal(3) / 8 * t / w.sqrt() * (1 - t * t / (12 * w))


@pytest.mark.parametrize(("name", "cdf"), [("normal", normal_cdf), ("student_t4", student_t4_cdf)])
def test_each_quantile_is_the_nearest_millionth(name: str, cdf: object) -> None:
    assert callable(cdf)
    with localcontext() as context:
        context.prec = 34
        values = table(name)
        assert len(values) == 512
        for index, value in enumerate(values):
            wanted = (512 + index + HALF) / 1024
            assert cdf((value - HALF) / 10**6) <= wanted <= cdf((value + HALF) / 10**6)


def test_logarithms_and_exponentials_are_exact_to_their_last_digit() -> None:
    with localcontext() as context:
        context.prec = 34
        assert list(table("ln")) == [rounded((1 + Decimal(i) / 1024).ln(), 10**9) for i in range(1025)]
        assert list(quantiles._EXP_WHOLE) == [rounded(Decimal(k).exp(), 10**12) for k in range(-25, 26)]
        for place, digits in enumerate(quantiles._EXP_DIGITS, start=1):
            assert list(digits) == [rounded((Decimal(d) / 10**place).exp(), 10**12) for d in range(10)]
        assert rounded(Decimal(2).ln(), 10**9) == quantiles._LN2_NANO


def test_quantiles_are_symmetric_and_increase() -> None:
    points = [quantile_micro("normal", (2 * step + 1) * 2**63 // 997) for step in range(997)]
    assert points == sorted(points)
    assert all(abs(points[i] + points[996 - i]) <= 1 for i in range(997))
    assert quantile_micro("normal", 2**63) == 0
    assert 3_200_000 < quantile_micro("normal", 2**64 - 1) < 3_300_000


def test_exp_and_ln_agree_with_floating_point_to_six_digits() -> None:
    for x in range(-7_000_000, 7_000_000, 333_331):
        assert math.isclose(exp_scaled(10**12, x) / 10**12, math.exp(x / 10**6), rel_tol=1e-6)
    for n in (1, 2, 3, 10, 1023, 1024, 1025, 99_991, 10**7):
        assert abs(ln_nano(n) / 10**9 - math.log(n)) < 2e-7


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        exp_scaled(1, 26_000_000)
    with pytest.raises(ValueError, match="at least 1"):
        ln_nano(0)
