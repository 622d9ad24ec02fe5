"""Measure every figure in turn, some rounds long, and write a table: what was aimed at, what came of it."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from deskgym import catalogue
from deskgym.bench import Bench, Figure, chosen, measure


@dataclass(frozen=True)
class Row:
    """Medians of one figure over the rounds."""

    figures: Sequence[Figure]

    def of(self, column: str) -> float | None:
        values = [getattr(figure, column) for figure in self.figures]
        return None if None in values else median(values)


@dataclass(frozen=True)
class Target:
    """What a figure aims at: a sentence, and whether a row meets it."""

    said: str
    met: Callable[[Row], bool]


def at_most(column: str, most: float, said: str) -> Target:
    """The median of a column is no more than that."""
    return Target(said, lambda row: (value := row.of(column)) is not None and value <= most)


def targets(world: str) -> dict[str, Target]:
    """The aims by figure; that of a memory home depends on how large the world is."""
    size = catalogue.world(world).store_path.stat().st_size / 1e6
    page = at_most("p95", 80, "")
    return {
        "episode.new.file": at_most("p50", 5, "≤ 5 ms"),
        "episode.new.memory": at_most("p50", size, f"≤ {size:.1f} ms (1 ms per MB)"),
        "grade": at_most("p50", 3, "≤ 3 ms"),
        "oracle.episode": at_most("p50", 10, "≤ 10 ms (100 a second)"),
        "mcp.call": at_most("ratio", 2, "≤ 2 × floor"),
        "browser.step": at_most("ratio", 1.5, "≤ 1.5 × floor"),
        "browser.reset": at_most("p50", 100, "≤ 100 ms"),
        "page.server": Target("≤ 15 ms, p95 ≤ 80 ms", lambda row: (row.of("p50") or 0) <= 15 and page.met(row)),
        "memory.worker": at_most("p50", 120, "≤ 120 MiB"),
        "memory.per_episode": at_most("p50", 1, "≤ 1 MiB"),
        "world.build": at_most("p50", 10_000, "≤ 10 s"),
    }


def rounds(names: Sequence[str], bench: Bench, count: int) -> dict[str, Row]:
    """Every figure once a round, in turn."""
    found: dict[str, list[Figure]] = {name: [] for name in names}
    for number in range(1, count + 1):
        for name in names:
            print(f"round {number}/{count}: {name}", file=sys.stderr)
            found[name].append(measure(name, bench))
    return {name: Row(figures) for name, figures in found.items()}


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(rows: dict[str, Row], aims: dict[str, Target], heading: str) -> str:
    """The rows as Markdown."""
    lines = [
        heading,
        "",
        "| figure | p50 | p95 | unit | floor | ratio | target | met |",
        "|---|--:|--:|---|--:|--:|---|---|",
    ]
    for name, row in rows.items():
        aim = aims.get(name)
        cells = [number(row.of(column)) for column in ("p50", "p95")]
        cells += [row.figures[0].unit, *(number(row.of(column)) for column in ("floor_p50", "ratio"))]
        cells += ["reported", ""] if aim is None else [aim.said, "yes" if aim.met(row) else "no"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", help="names of figures; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of samples")
    parser.add_argument("--world", default="small:1")
    parser.add_argument("--out", type=Path, help="a file for the table; printed by default")
    asked = parser.parse_args()
    rows = rounds(chosen(asked.figures), Bench(world=asked.world, share=asked.share), asked.rounds)
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    text = table(rows, targets(asked.world), f"Measured on {asked.world}, {machine}, {asked.rounds} rounds.")
    if asked.out is None:
        print(text, end="")
    else:
        asked.out.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
