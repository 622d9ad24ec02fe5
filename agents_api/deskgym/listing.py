"""Rows about tasks, worlds and apps, as the command line and the control plane show them."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from deskgym_apps.kit.apps import apps
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import tools

from .catalogue import app_names, templates
from .evidence import status_of
from .pool import World
from .trial import SURFACES


def split_of(world_name: str) -> str:
    """The split whose instances a world holds: world 1 is train, `test-k` is test, any other is dev."""
    number = world_name.partition(":")[2]
    return "test" if number.startswith("test-") else "train" if number == "1" else "dev"


def task_rows(world: World) -> list[dict[str, Any]]:
    """One row a template, bound to seed 0. `oracle_steps`: tool calls and the handing in, or None."""
    from deskgym_graders.codec import SpecError
    from deskgym_graders.tasks import bind

    rows = []
    with closing(Store.read_image(world.store_path, world.reference_path)) as store:
        for name, template in templates().items():
            try:
                steps: int | None = len(bind(template, store, 0, check=False).oracle) + 1
                status = status_of(name, world.name)
            except SpecError:
                steps, status = None, "broken"
            rows.append(
                {
                    "task": name,
                    "apps": list(template.apps),
                    "kind": template.kind,
                    "level": template.level,
                    "split": split_of(world.name),
                    "surfaces": list(SURFACES),
                    "oracle_steps": steps,
                    "status": status,
                    "summary": template.summary,
                }
            )
    return rows


def world_rows() -> list[dict[str, Any]]:
    """Public worlds, and whatever else lies built in the cache."""
    from deskgym_seeds.world import cached_worlds, world_names

    cached = {world.name: world for world in cached_worlds()}
    return [
        {
            "world": name,
            "split": split_of(name),
            "cached": name in cached,
            "folder": str(cached[name].folder) if name in cached else None,
            "digest": cached[name].digest if name in cached else None,
        }
        for name in dict.fromkeys([*world_names(), *cached])
    ]


def app_rows() -> list[dict[str, Any]]:
    """One row an app that agents work in."""
    known = apps()
    return [
        {
            "app": name,
            "tables": len(known[name].tables),
            "tools": sum(tool.startswith(f"{name}_") for tool in tools((name,))),
        }
        for name in app_names()
    ]
