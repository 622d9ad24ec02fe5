"""The environment of each process that a server starts: written out, so that no secret of ours is handed on."""

from __future__ import annotations

import os
import site
import sysconfig
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

_ROOMS = ("deskgym", "deskgym_graders", "deskgym_seeds", "deskgym_apps")
_PLAIN = {"LANG": "C.UTF-8", "TZ": "UTC"}
# What control needs to find its worlds. The variable of the secret names a file; the secret itself is in none.
_CONTROLS = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "DESKGYM_CACHE", "DESKGYM_EVIDENCE", "DESKGYM_TEST_SECRET_FILE")


def _installed() -> set[Path]:
    return {Path(path).resolve() for path in (sysconfig.get_path("purelib"), *site.getsitepackages())}


def python_path(packages: tuple[str, ...]) -> dict[str, str]:
    """`PYTHONPATH` where packages of ours lie outside the installed ones, as in a checkout; else nothing."""
    homes = [Path(str(import_module(name).__file__)).resolve().parents[1] for name in packages]
    outside = [str(home) for home in dict.fromkeys(homes) if home not in _installed()]
    return {"PYTHONPATH": os.pathsep.join(outside)} if outside else {}


def worker_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Of a worker of the agent plane: it finds the apps, and in a checkout nothing else of ours."""
    return {"PATH": environ.get("PATH", os.defpath), **_PLAIN, **python_path(("deskgym_apps",))}


def control_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Of the control plane: where worlds and their secret file are. The control token comes by a descriptor."""
    known = {name: environ[name] for name in _CONTROLS if name in environ}
    return {"PATH": environ.get("PATH", os.defpath), **known, **_PLAIN, **python_path(_ROOMS)}
