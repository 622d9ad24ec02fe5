"""A report's result as tables: groups with subtotals, a matrix, records. Everything is text by then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from flask import g

from ...kit.money import format_amount, parse_money
from ...kit.web import Cell, Column, Highlight, Page, Row, Table
from ...kit.web.actions import Pairs
from ...kit.web.display import instant, long_date
from .lists import columns_of, distinct_names
from .reading import text_of
from .report_choices import report_pages
from .specs import PAGES, record_href


@dataclass(frozen=True)
class Head:
    """One heading over so many columns."""

    text: str
    span: int = 1
    is_figure: bool = True


@dataclass(frozen=True)
class Line:
    """One group: its level, how it is called, and its figures."""

    level: int
    label: str
    cells: tuple[str, ...]
    is_subtotal: bool = False


@dataclass(frozen=True)
class ResultTable:
    """Groups with figures. `heads`: rows of headings; the first cell of each is the groups' own."""

    caption: str
    corner: str
    heads: tuple[tuple[Head, ...], ...]
    lines: tuple[Line, ...]
    totals: tuple[str, ...]
    is_matrix: bool
    width: int
    """Cells of the totals at the right."""


def figure_text(measure: Mapping[str, Any], value: Any, *, code: bool = False) -> str:
    """A figure as people read it; `code`: with the currency behind an amount."""
    if value is None:
        return "–"
    if measure["type"] == "money":
        text = format_amount(parse_money(value, measure["currency"]), measure["currency"])
        return f"{text} {measure['currency']}" if code else text
    if measure["type"] == "date":
        return long_date(value)
    if measure["type"] == "instant":
        return instant(value, g.person["tz"])
    whole, _, rest = str(value).partition(".")
    return f"{int(whole):,}" + (f".{rest}" if rest else "")


def measure_head(measure: Mapping[str, Any]) -> str:
    """The heading of a figure, with the currency of amounts; ≈ where they were converted."""
    if measure["type"] != "money":
        return str(measure["label"])
    mark = "≈ " if measure["converted"] else ""
    return f"{measure['label']} ({mark}{measure['currency']})"


def highlights(report: Mapping[str, Any]) -> tuple[Highlight, ...]:
    """The totals as key facts."""
    found = [Highlight(label="Records", value=f"{report['record_count']:,}")]
    for item in report["measures"]:
        if item["measure"] != "count":
            mark = "≈ " if item["converted"] else ""
            text = mark + figure_text(item, report["totals"][item["measure"]], code=True)
            found.append(Highlight(label=item["label"], value=text))
    return tuple(found)


def result_table(report: Mapping[str, Any]) -> ResultTable | None:
    """The table of groups; None for a plain list."""
    if not report["row_levels"]:
        return None
    measures, across = report["measures"], report["across_groups"]
    is_matrix = bool(report["across_levels"])
    deepest = len(report["row_levels"])
    lines = []
    for group in report["groups"]:
        cells = _cells(measures, group["cells"] if is_matrix else (), group["figures"])
        lines.append(Line(group["level"], group["path"][-1]["label"], cells, group["level"] < deepest))
    corner = " / ".join(level["label"] for level in report["row_levels"])
    if is_matrix:
        corner += " by " + " / ".join(level["label"] for level in report["across_levels"])
    return ResultTable(
        caption=str(report["name"] or "Result"),
        corner=corner,
        heads=_matrix_heads(measures, across, report["across_levels"]) if is_matrix else (_plain_heads(measures),),
        lines=tuple(lines),
        totals=_cells(measures, report["across_totals"] if is_matrix else (), report["totals"]),
        is_matrix=is_matrix,
        width=len(measures),
    )


def _cells(
    measures: Sequence[Mapping[str, Any]], cells: Sequence[Mapping[str, Any] | None], total: Mapping[str, Any]
) -> tuple[str, ...]:
    found = []
    for cell in (*cells, total):
        found += ["" if cell is None else figure_text(item, cell[item["measure"]]) for item in measures]
    return tuple(found)


def _plain_heads(measures: Sequence[Mapping[str, Any]]) -> tuple[Head, ...]:
    return tuple(Head(measure_head(item)) for item in measures)


def _matrix_heads(
    measures: Sequence[Mapping[str, Any]], across: Sequence[Sequence[Mapping[str, Any]]], levels: Sequence[Any]
) -> tuple[tuple[Head, ...], ...]:
    width = len(measures)
    rows: list[tuple[Head, ...]] = []
    for depth in range(len(levels)):
        heads = [
            Head(str(prefix[-1]), len(list(some)) * width)
            for prefix, some in groupby(across, key=lambda path: [place["label"] for place in path[: depth + 1]])
        ]
        rows.append((*heads, Head("Total" if depth == 0 else "", width)))
    if width > 1:
        rows.append(_plain_heads(measures) * (len(across) + 1))
    return tuple(rows)


def records_table(report: Mapping[str, Any], url: str, page: Page | None = None, query: Pairs = ()) -> Table | None:
    """The records of a report with the groups they stand in; None where they are not listed."""
    listing = report["details"]
    if listing is None:
        return None
    kind, pages = report["object"], report_pages(report["object"])
    columns = tuple(replace(column, sortable=False) for column in columns_of(pages, listing["columns"]))
    levels = tuple(Column(f"level{at}", level["label"]) for at, level in enumerate(report["row_levels"]))
    names = distinct_names(pages, listing["rows"]) if kind in PAGES and _has_name(pages.quick, listing) else []
    rows = []
    for at, (row, path) in enumerate(zip(listing["rows"], listing["paths"], strict=True)):
        cells: dict[str, Cell | str] = {column.key: text_of(kind, column.key, row) for column in columns}
        if columns:
            first = columns[0].key
            cells[first] = Cell(text=str(cells[first]) or "–", href=record_href(row["id"]))
        cells |= {f"level{depth}": label for depth, label in enumerate(path)}
        rows.append(Row(id=row["id"], name=names[at] if names else row["id"], cells=cells))
    shown, total = len(listing["rows"]), listing["total"]
    noun = ("record", "records") if page or shown == total else (f"of {total:,} records", f"of {total:,} records")
    return Table(
        id="report-records",
        caption="Records in the report",
        columns=(*columns[:1], *levels, *columns[1:]),
        rows=tuple(rows),
        url=url,
        query=query,
        page=page if page is not None and total > page.size else None,
        noun=noun,
        empty_title="No records match",
        empty_text="Widen the filters or the date range to see more.",
    )


def _has_name(quick: str, listing: Mapping[str, Any]) -> bool:
    return bool(listing["rows"]) and quick in listing["rows"][0]
