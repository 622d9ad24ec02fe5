"""A report's chart as shapes: bars, columns or lines of one figure by the outermost groups, in whole pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any

from .report_table import figure_text, measure_head

MOST_GROUPS, MOST_SERIES = 16, 6
_WIDTH, _LEFT, _RIGHT, _TOP = 760, 64, 16, 16
_HEIGHT, _FOOT = 280, 44
_BAR_LEFT, _BAR_PITCH = 190, 30
_ROOM_FOR_VALUE = 96
_LETTER = 7  # pixels that a letter takes


@dataclass(frozen=True)
class Mark:
    """A rectangle, or a point of a line, with the words that say what it stands for."""

    x: int
    y: int
    width: int
    height: int
    series: int
    title: str


@dataclass(frozen=True)
class Word:
    """A piece of text; `anchor` is start, middle or end; `full` what a shortened one says in full."""

    x: int
    y: int
    text: str
    anchor: str
    full: str = ""


@dataclass
class Chart:
    """What the page draws, and the same figures as a table."""

    kind: str
    title: str
    summary: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    width: int = _WIDTH
    height: int = _HEIGHT
    marks: list[Mark] = field(default_factory=list)
    paths: list[tuple[int, str]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    rules: list[tuple[int, int, int, int]] = field(default_factory=list)
    legend: tuple[str, ...] = ()
    legend_title: str = ""


Values = Sequence[Sequence[Decimal | None]]


def chart_of(report: Mapping[str, Any], kind: str, measure_name: str | None, width: int = _WIDTH) -> Chart | None:
    """The chart of a result, so many pixels wide; None where there is nothing to draw."""
    measure = next((item for item in report["measures"] if item["measure"] == measure_name), None)
    groups = [group for group in report["groups"] if group["level"] == 1][:MOST_GROUPS]
    if kind == "none" or measure is None or not groups or measure["type"] in ("date", "instant"):
        return None
    series = _series(report)
    values = [_values(group, measure, len(series)) for group in groups]
    labels = [_named(group["path"][0]["label"], report["row_levels"][0]["by"]) for group in groups]
    texts = [tuple("–" if value is None else figure_text(measure, str(value)) for value in row) for row in values]
    by = report["row_levels"][0]["label"]
    heads = (by, *(series or (measure_head(measure),)))
    whole = sum(1 for group in report["groups"] if group["level"] == 1)
    cut = f", the first {len(groups)} of {whole}" if whole > len(groups) else ""
    chart = Chart(
        kind=kind,
        title=f"{measure_head(measure)} by {by}{cut}",
        summary=f"{len(groups)} {'group' if len(groups) == 1 else 'groups'}",
        heads=heads,
        rows=tuple((label, *row) for label, row in zip(labels, texts, strict=True)),
        width=width,
        legend=tuple(series),
        legend_title=" · ".join(level["label"] for level in report["across_levels"]),
    )
    {"bar": _bars, "column": _columns, "line": _lines}[kind](chart, labels, values, texts)
    return chart


def _named(label: str, by: str | None) -> str:
    """A group's name, months in short."""
    return f"{label[:3]} {label[-4:]}" if by == "month" and label != "-" else label


def _series(report: Mapping[str, Any]) -> list[str]:
    """Groups across as series, unless they are too many to tell apart; then the totals alone are drawn."""
    names = [" · ".join(place["label"] for place in path) for path in report["across_groups"]]
    return names if 1 < len(names) <= MOST_SERIES else []


def _values(group: Mapping[str, Any], measure: Mapping[str, Any], series: int) -> list[Decimal | None]:
    cells = group["cells"] if series else [group["figures"]]
    found = [None if cell is None else cell[measure["measure"]] for cell in cells]
    return [None if value is None else Decimal(str(value)) for value in found]


def _ceiling(values: Values) -> tuple[Decimal, Decimal]:
    """A round number above all values, and the step of the scale."""
    highest = max((value for row in values for value in row if value is not None), default=Decimal(0))
    highest = max(highest, Decimal(1))
    power = Decimal(10) ** (len(str(int(highest))) - 1)
    step = next(power * size for size in (Decimal("0.2"), Decimal("0.5"), 1, 2, 5) if power * size * 5 >= highest)
    step = max(step, Decimal(1))
    return step * (highest / step).to_integral_value(ROUND_CEILING), step


def _short(number: Decimal) -> str:
    for size, mark in ((10**9, "bn"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{(number / size).normalize():f}{mark}"
    return f"{number.normalize():f}" if number else "0"


def _cut(text: str, pixels: int) -> tuple[str, str]:
    most = max(3, pixels // _LETTER)
    return (text, "") if len(text) <= most else (text[: most - 1].rstrip() + "…", text)


def _scale(chart: Chart, values: Values) -> Decimal:
    """Draw the scale at the left; the number that the top stands for."""
    top, step = _ceiling(values)
    height = chart.height - _TOP - _FOOT
    for at in range(int(top / step) + 1):
        y = _TOP + height - int(height * step * at / top)
        chart.rules.append((_LEFT, y, chart.width - _RIGHT, y))
        chart.words.append(Word(_LEFT - 8, y + 4, _short(step * at), "end"))
    return top


def _title(chart: Chart, at: int, series: int, text: str) -> str:
    name = f"{chart.rows[at][0]}, {chart.legend[series]}" if chart.legend else chart.rows[at][0]
    return f"{name}: {text}"


def _columns(chart: Chart, labels: Sequence[str], values: Values, texts: Sequence[Sequence[str]]) -> None:
    top, height = _scale(chart, values), chart.height - _TOP - _FOOT
    slot = (chart.width - _LEFT - _RIGHT) // len(labels)
    wide = max(3, min(56, slot * 7 // 10 // max(1, len(values[0]))))
    for at, row in enumerate(values):
        left = _LEFT + slot * at + (slot - wide * len(row)) // 2
        for series, value in enumerate(row):
            if value is not None:
                tall = max(1, int(height * max(value, Decimal(0)) / top))
                title = _title(chart, at, series, texts[at][series])
                gap = 2 if len(row) > 1 else 0
                chart.marks.append(
                    Mark(left + wide * series, _TOP + height - tall, max(2, wide - gap), tall, series, title)
                )
        _foot(chart, labels[at], _LEFT + slot * at + slot // 2, slot)


def _foot(chart: Chart, label: str, x: int, slot: int) -> None:
    """The name of a group below its columns, in up to two lines."""
    most, lines = max(4, slot // _LETTER), [""]
    for word in label.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= most or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], " ".join(lines[1:])]
    for at, line in enumerate(lines):
        text, full = _cut(line, slot)
        chart.words.append(Word(x, chart.height - _FOOT + 18 + 15 * at, text, "middle", label if full else ""))


def _lines(chart: Chart, labels: Sequence[str], values: Values, texts: Sequence[Sequence[str]]) -> None:
    top, height = _scale(chart, values), chart.height - _TOP - _FOOT
    slot = (chart.width - _LEFT - _RIGHT) // len(labels)
    for series in range(len(values[0])):
        points = []
        for at, row in enumerate(values):
            value = row[series]
            if value is None:
                continue
            x, y = _LEFT + slot * at + slot // 2, _TOP + height - int(height * max(value, Decimal(0)) / top)
            points.append(f"{x},{y}")
            chart.marks.append(Mark(x, y, 0, 0, series, _title(chart, at, series, texts[at][series])))
        chart.paths.append((series, " ".join(points)))
    for at, label in enumerate(labels):
        _foot(chart, label, _LEFT + slot * at + slot // 2, slot)


def _bars(chart: Chart, labels: Sequence[str], values: Values, texts: Sequence[Sequence[str]]) -> None:
    top, _ = _ceiling(values)
    deep = max(14, 20 // len(values[0]))
    pitch = max(_BAR_PITCH, deep * len(values[0]) + 10)
    start = min(_BAR_LEFT, chart.width // 3)
    room = chart.width - start - _ROOM_FOR_VALUE
    chart.height = pitch * len(labels) + 12
    for at, row in enumerate(values):
        first = 6 + pitch * at + (pitch - deep * len(row)) // 2
        for series, value in enumerate(row):
            long = 0 if value is None else max(1, int(room * max(value, Decimal(0)) / top))
            y = first + deep * series
            if value is not None:
                title = _title(chart, at, series, texts[at][series])
                chart.marks.append(Mark(start, y, long, deep - 2, series, title))
            chart.words.append(Word(start + long + 6, y + deep // 2 + 3, texts[at][series], "start"))
        text, full = _cut(labels[at], start - 14)
        chart.words.append(Word(start - 8, 6 + pitch * at + pitch // 2 + 4, text, "end", full))
