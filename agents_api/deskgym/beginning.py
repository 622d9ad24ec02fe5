"""What an episode begins with: names resolved, task bound, S0 opened, the acting person found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deskgym_apps.kit.apps import apps
from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.folder import Public
from deskgym_apps.kit.store import Store

from . import catalogue
from .errors import DeskgymError
from .pool import Injected, Origin, World, origin_of

if TYPE_CHECKING:
    from deskgym_graders.spec import Task


@dataclass(frozen=True)
class Beginning:
    """What an episode begins with: S0, the task if there is one, what the agent may know, and who acts."""

    origin: Origin
    task: Task | None
    public: Public
    person_id: str


def prepare(
    task: Task | str | None = None,
    *,
    world: World | str = "small:1",
    seed: int | None = None,
    person: str | None = None,
    variation: Mapping[str, Any] | None = None,
    inject: Injected | None = None,
    app_names: Sequence[str] | None = None,
) -> Beginning:
    """Resolve what `Episode.start` is given; it says what the arguments are. Raises DeskgymError."""
    opened = catalogue.world(world)
    bound = catalogue.bind(task, opened, seed) if isinstance(task, str) else task
    origin = origin_of(opened, inject)
    names = tuple(bound.apps if bound else app_names if app_names is not None else catalogue.app_names())
    public = Public(
        instruction=bound.instruction if bound else "",
        answer_schema=bound.answer_schema if bound else None,
        apps=names,
        reference=str(origin.reference) if origin.reference else None,
        variation=dict(variation or {}),
    )
    own = bound.person_id if bound else None
    return Beginning(origin, bound, public, find_person(origin.store, person or own, names))


def find_person(store: Store, person: str | None, names: Sequence[str]) -> str:
    """The id of a person of the world; the first who may use every app where none is named."""
    if person is not None:
        if store.get("org_person", person) is None:
            known = [row["id"] for row in store.all("SELECT id FROM org_person ORDER BY id")]
            raise DeskgymError("not_found", f'there is no person "{person}" in this world.{nearest(person, known)}')
        return person
    users = [f"{name}_user" for name in names if name in apps() and f"{name}_user" in store.shapes]
    joins = " ".join(f'JOIN "{table}" ON "{table}".person_id = org_person.id' for table in users)
    row = store.one(f"SELECT org_person.id FROM org_person {joins} WHERE left_on IS NULL ORDER BY org_person.id")
    if row is None:
        raise DeskgymError("not_found", "nobody in this world may use all of these apps", "name a person")
    return str(row["id"])
