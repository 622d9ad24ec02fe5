"""A file of the source tree, and what a rule says about it."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "apps/deskgym_apps",
    "seeds/deskgym_seeds",
    "graders/deskgym_graders",
    "agents_api/deskgym",
)
WRITTEN_BY_HAND = {".py", ".sql", ".html", ".js", ".css", ".svg"}

Remark = tuple[int, str]
"""Line number and what is wrong there."""


@dataclass(frozen=True)
class Source:
    """One file: its path from the repository's root, and its text."""

    path: PurePosixPath
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree: to list them takes as long as to parse the file, and each rule wants them."""
        return tuple(ast.walk(self.tree))


@dataclass(frozen=True)
class Rule:
    """A rule of the house, with code that breaks it and code that does not.

    `where` says which paths it covers. `broken` and `kept` are pairs of path and text: the rule must
    object to each of the first and to none of the second.
    """

    name: str
    reason: str
    where: Callable[[PurePosixPath], bool]
    check: Callable[[Source], Iterator[Remark]]
    broken: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...] = ()

    def remarks(self, source: Source) -> list[str]:
        """`path:line: what` for each place where the source breaks this rule; empty if it is not covered."""
        if not self.where(source.path):
            return []
        return [f"{source.path}:{line}: {what}" for line, what in self.check(source)]


def hand_written_files(*folders: str) -> Iterator[Source]:
    """The code, SQL and page files below the folders, in path order."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in WRITTEN_BY_HAND and path.is_file():
                yield Source(PurePosixPath(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))


def below(*folders: str, suffix: str | None = None) -> Callable[[PurePosixPath], bool]:
    """Whether a path lies below one of the folders (and ends with the suffix)."""

    def covers(path: PurePosixPath) -> bool:
        inside = any(path.is_relative_to(folder) for folder in folders)
        return inside and (suffix is None or path.suffix == suffix)

    return covers
