"""Checked-in integer tables that stand in for logarithm, exponential and quantile functions.

How each table was computed (``tests/seeds/test_quantiles.py`` computes every entry again with ``decimal``):

* ``normal.txt``: entry *i* of 512 is the standard normal quantile at ``(512 + i + 1/2) / 1024``, in millionths,
  rounded half up. The lower half of the distribution is its mirror image.
* ``student_t4.txt``: the same for Student's t with four degrees of freedom.
* ``ln.txt``: entry *i* of 1025 is ``ln(1 + i/1024)`` in billionths.
* ``_EXP_WHOLE``, ``_EXP_DIGITS``: ``exp(k)`` and ``exp(d / 10**p)``, in units of 1e-12.

No float takes part at run time, so that a world is the same on every machine.
"""

from functools import cache
from importlib.resources import files
from typing import Final

MICRO: Final = 1_000_000
_EXP_UNIT: Final = 10**12
_LN2_NANO: Final = 693_147_181
_HALF: Final = 512

_EXP_WHOLE: Final = (  # exp(k) for k in -25..25
    14,
    38,
    103,
    279,
    758,
    2_061,
    5_603,
    15_230,
    41_399,
    112_535,
    305_902,
    831_529,
    2_260_329,
    6_144_212,
    16_701_701,
    45_399_930,
    123_409_804,
    335_462_628,
    911_881_966,
    2_478_752_177,
    6_737_946_999,
    18_315_638_889,
    49_787_068_368,
    135_335_283_237,
    367_879_441_171,
    1_000_000_000_000,
    2_718_281_828_459,
    7_389_056_098_931,
    20_085_536_923_188,
    54_598_150_033_144,
    148_413_159_102_577,
    403_428_793_492_735,
    1_096_633_158_428_459,
    2_980_957_987_041_728,
    8_103_083_927_575_384,
    22_026_465_794_806_717,
    59_874_141_715_197_818,
    162_754_791_419_003_921,
    442_413_392_008_920_503,
    1_202_604_284_164_776_778,
    3_269_017_372_472_110_639,
    8_886_110_520_507_872_637,
    24_154_952_753_575_298_215,
    65_659_969_137_330_511_139,
    178_482_300_963_187_260_845,
    485_165_195_409_790_277_969,
    1_318_815_734_483_214_697_210,
    3_584_912_846_131_591_561_681,
    9_744_803_446_248_902_600_035,
    26_489_122_129_843_472_294_139,
    72_004_899_337_385_872_524_161,
)
_EXP_DIGITS: Final = (  # exp(d / 10**p) for p in 1..6, d in 0..9
    (
        1_000_000_000_000,
        1_105_170_918_076,
        1_221_402_758_160,
        1_349_858_807_576,
        1_491_824_697_641,
        1_648_721_270_700,
        1_822_118_800_391,
        2_013_752_707_470,
        2_225_540_928_492,
        2_459_603_111_157,
    ),
    (
        1_000_000_000_000,
        1_010_050_167_084,
        1_020_201_340_027,
        1_030_454_533_954,
        1_040_810_774_192,
        1_051_271_096_376,
        1_061_836_546_545,
        1_072_508_181_254,
        1_083_287_067_675,
        1_094_174_283_705,
    ),
    (
        1_000_000_000_000,
        1_001_000_500_167,
        1_002_002_001_334,
        1_003_004_504_503,
        1_004_008_010_677,
        1_005_012_520_859,
        1_006_018_036_054,
        1_007_024_557_267,
        1_008_032_085_504,
        1_009_040_621_774,
    ),
    (
        1_000_000_000_000,
        1_000_100_005_000,
        1_000_200_020_001,
        1_000_300_045_005,
        1_000_400_080_011,
        1_000_500_125_021,
        1_000_600_180_036,
        1_000_700_245_057,
        1_000_800_320_085,
        1_000_900_405_122,
    ),
    (
        1_000_000_000_000,
        1_000_010_000_050,
        1_000_020_000_200,
        1_000_030_000_450,
        1_000_040_000_800,
        1_000_050_001_250,
        1_000_060_001_800,
        1_000_070_002_450,
        1_000_080_003_200,
        1_000_090_004_050,
    ),
    (
        1_000_000_000_000,
        1_000_001_000_001,
        1_000_002_000_002,
        1_000_003_000_005,
        1_000_004_000_008,
        1_000_005_000_013,
        1_000_006_000_018,
        1_000_007_000_025,
        1_000_008_000_032,
        1_000_009_000_041,
    ),
)


@cache
def table(name: str) -> tuple[int, ...]:
    """The integers of ``data/quantiles/<name>.txt`` in order."""
    text = (files("deskgym_seeds") / "data" / "quantiles" / f"{name}.txt").read_text("ascii")
    return tuple(int(word) for word in text.split())


def quantile_micro(name: str, u64: int) -> int:
    """The quantile in millionths of the symmetric distribution ``name`` at ``u64 / 2**64``.

    Knots lie at ``(i + 1/2) / 1024`` for *i* in 0..1023; between two knots the value is interpolated, so the
    range ends at the outermost knots (about 3.3 standard deviations for ``normal``).
    """
    position = u64 * (2 * _HALF - 1)
    index, rest = position >> 64, position & (2**64 - 1)
    low, high = _knot(name, index), _knot(name, index + 1)
    return low + ((high - low) * (rest >> 32) >> 32)


def _knot(name: str, index: int) -> int:
    upper = table(name)
    return upper[index - _HALF] if index >= _HALF else -upper[_HALF - 1 - index]


def exp_scaled(scale: int, x_micro: int) -> int:
    """``scale * exp(x_micro / 1e6)`` rounded half up; ``x_micro`` within ±25 million, else ValueError."""
    whole, rest = divmod(x_micro, MICRO)
    if not -25 <= whole <= 25:
        raise ValueError(f"exponent {x_micro} is outside ±25 000 000 millionths")
    product = _EXP_WHOLE[whole + 25]
    for place, digits in enumerate(_EXP_DIGITS):
        digit = rest // 10 ** (5 - place) % 10
        product = product * digits[digit] // _EXP_UNIT
    return (scale * product + _EXP_UNIT // 2) // _EXP_UNIT


def ln_nano(n: int) -> int:
    """``ln(n)`` in billionths for an integer n >= 1; interpolated above 1024, error below 2e-7."""
    if n < 1:
        raise ValueError(f"ln of {n}: needs an integer of at least 1")
    power = n.bit_length() - 1
    mantissa = (n << 20) >> power if power <= 20 else n >> (power - 20)
    index, rest = divmod(mantissa - (1 << 20), 1 << 10)
    knots = table("ln")
    low = knots[index]
    high = knots[index + 1] if rest else low
    return power * _LN2_NANO + low + ((high - low) * rest >> 10)
