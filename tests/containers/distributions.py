"""What pip would install for a list of requirements, out of what is installed here."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(requirements: Iterable[str]) -> set[str]:
    """The names of all distributions that these requirements bring, themselves included."""
    waiting = [Requirement(text) for text in requirements]
    found: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in found:
            continue
        found.add(key)
        for text in metadata.requires(requirement.name) or ():
            further = Requirement(text)
            marker = further.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)):
                waiting.append(further)
    return {name for name, _ in found}


def entries(names: Iterable[str]) -> dict[str, Path]:
    """The files and folders in site-packages that these distributions own: name -> path."""
    found: dict[str, Path] = {}
    for name in sorted(names):
        distribution = metadata.distribution(name)
        for file in distribution.files or ():
            first = file.parts[0]
            if first not in ("..", "__pycache__", "/"):
                found[first] = Path(str(distribution.locate_file(first)))
    return found
