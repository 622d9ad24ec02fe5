"""docs/dependencies.md and pyproject.toml name the same packages with the same floors."""

import re
import tomllib

from .pages import ROOT

Floors = dict[str, str]


def declared(requirements: list[str]) -> Floors:
    """`mcp>=2.3,<3` as `{"mcp": "2.3, below 3"}`."""
    floors = {}
    for requirement in requirements:
        name, floor, ceiling = re.fullmatch(r"([\w-]+)>=([\w.]+)(?:,<([\w.]+))?", requirement).groups()  # type: ignore[union-attr]
        floors[name] = f"{floor}, below {ceiling}" if ceiling else floor
    return floors


def documented(section: str) -> Floors:
    rows = re.findall(r"^\| ([\w-]+) \| (\d[^|]*) \|(.*)\|$", section, re.M)
    assert all(len(rest.split("|")) == 3 and all(cell.strip() for cell in rest.split("|")) for *_, rest in rows)
    return {name: floor.strip() for name, floor, _ in rows}


def test_every_dependency_is_on_the_page_with_its_floor() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    _, core, dev, _ = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8").split("\n## ")
    assert documented(core) == declared(project["project"]["dependencies"])
    assert documented(dev) == declared(project["dependency-groups"]["dev"])
