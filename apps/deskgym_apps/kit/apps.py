"""The apps, found by folder name: a package of `deskgym_apps` that has `schema.sql` and `roles.py` is one."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
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
        files = resources.files(package)
        if not (files.joinpath("schema.sql").is_file() and files.joinpath("roles.py").is_file()):
            continue
        roles = import_module(f"{package}.roles")
        name = package.rsplit(".", 1)[-1]
        schema = files.joinpath("schema.sql").read_text(encoding="utf-8")
        found[name] = App(name, package, roles.TITLE, schema, roles.TABLES)
    return dict(sorted(found.items()))


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
