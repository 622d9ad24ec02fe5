"""The apps, found by folder name: a package of `deskgym_apps` that has a schema and `roles` is one.

The schema is `schema.sql`, or the files of a folder `schema` in the order of their names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from types import ModuleType

from . import org_roles
from .roles import Table

_registered: list[str] = []


@dataclass(frozen=True)
class App:
    """One clone: the word `name` is folder, URL, table prefix, tool prefix and task id."""

    name: str
    package: str
    title: str
    schema: str
    tables: Mapping[str, Table]

    def module(self, name: str) -> ModuleType:
        """A module of the app, such as `service` or `routes`."""
        return import_module(f"{self.package}.{name}")


def register_app(package: str) -> None:
    """Make a package outside `deskgym_apps` an app (fixtures of tests). Import `<package>.service` yourself."""
    if package not in _registered:
        _registered.append(package)
        apps.cache_clear()
        registry.cache_clear()


@cache
def shipped_apps() -> Mapping[str, App]:
    """The apps of `deskgym_apps` by name, sorted: what worlds are made of, whatever else is registered."""
    home = import_module(__name__.split(".", 1)[0])
    packages = [
        f"{home.__name__}.{info.name}"
        for info in pkgutil.iter_modules(home.__path__)
        if info.ispkg and info.name != "kit"
    ]
    return _found(packages)


@cache
def apps() -> Mapping[str, App]:
    """Every app by name, sorted: the shipped ones and those registered."""
    return dict(sorted({**shipped_apps(), **_found(_registered)}.items()))


def _found(packages: Iterable[str]) -> dict[str, App]:
    found = {}
    for package in packages:
        schema = _schema(resources.files(package))
        if schema is None or find_spec(f"{package}.roles") is None:
            continue
        roles = import_module(f"{package}.roles")
        name = package.rsplit(".", 1)[-1]
        found[name] = App(name, package, roles.TITLE, schema, roles.TABLES)
    return dict(sorted(found.items()))


def _schema(files: Traversable) -> str | None:
    """The SQL of an app, or None where the package has none."""
    whole, parts = files.joinpath("schema.sql"), files.joinpath("schema")
    if whole.is_file():
        return whole.read_text(encoding="utf-8")
    if not parts.is_dir():
        return None
    named = sorted((part.name, part) for part in parts.iterdir() if part.name.endswith(".sql"))
    return "\n".join(part.read_text(encoding="utf-8") for _, part in named) or None


def kit_schema() -> str:
    """The SQL of the shared tables."""
    return resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")


@cache
def registry(names: tuple[str, ...] | None = None) -> Mapping[str, Table]:
    """Roles of every graded table: the kit's and those of the named apps (all by default)."""
    tables: dict[str, Table] = dict(org_roles.TABLES)
    for name, app in apps().items():
        if names is None or name in names:
            tables.update(app.tables)
    return dict(sorted(tables.items()))
