"""What every page of the set-up has: administrators only, the tree at the left, quick find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import request

from ...kit.errors import Forbidden
from ...kit.norm import norm
from ...kit.web import Link, PageHeader
from .going import page
from .reading import whoami
from .setup_places import DEFAULTS, PLACES, ROOT, SHARING, Place


@dataclass(frozen=True)
class Leaf:
    """One entry of the tree."""

    label: str
    href: str
    icon: str
    about: str
    is_current: bool


def need_administrator() -> None:
    """Raises Forbidden for everybody else, whatever the address."""
    if not whoami()["is_admin"]:
        raise Forbidden("only administrators may open the set-up")


def tree() -> list[tuple[str, list[Leaf]]]:
    """The places by group; with `find` in the address those whose name or description has it."""
    wanted = norm(request.args.get("find", ""))
    groups: dict[str, list[Leaf]] = {}
    for place in PLACES:
        groups.setdefault(place.group, []).append(_leaf(place.title, place.slug, place.pages.icon, place.about))
    text = "What everybody may do with records of others."
    groups[SHARING].insert(0, _leaf("Sharing defaults", DEFAULTS, "globe", text))
    found = [
        (group, [leaf for leaf in leaves if wanted in norm(f"{leaf.label} {leaf.about}")])
        for group, leaves in groups.items()
    ]
    return [(group, leaves) for group, leaves in found if leaves]


def _leaf(label: str, slug: str, icon: str, about: str) -> Leaf:
    href = f"{ROOT}/{slug}"
    return Leaf(label, href, icon, about, request.path == href or request.path.startswith(f"{href}/"))


def setup_page(template: str, header: PageHeader, status: int = 200, crumbs: Sequence[Link] = (), **values: Any) -> Any:
    """A page of the set-up within its frame."""
    trail = [Link("Setup", ROOT), *crumbs] if header.title != "Setup" else []
    return page(
        f"crm/{template}",
        status,
        header=header,
        heading=header.title if header.title == "Setup" else f"{header.title} · Setup",
        groups=tree(),
        find=request.args.get("find", ""),
        crumbs=trail,
        crumb_here=header.title,
        **values,
    )


def crumb(place: Place) -> Link:
    """The way back to a place's list."""
    return Link(place.title, f"{ROOT}/{place.slug}")
