"""The file tree of an image, made of what is installed here: as a build would lay it out, without an engine."""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from .distributions import closure, entries
from .dockerfile import Copied, Dockerfile

ROOT = Path(__file__).resolve().parents[2]
VENV = PurePosixPath("/opt/venv")
SITE = VENV / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ROOMS = {
    "apps/deskgym_apps": "deskgym_apps",
    "seeds/deskgym_seeds": "deskgym_seeds",
    "graders/deskgym_graders": "deskgym_graders",
    "agents_api/deskgym": "deskgym",
}


@dataclass
class Tree:
    """`root`: files of ours. `packages`: what pip would have installed, by its place in the image."""

    root: Path
    packages: dict[PurePosixPath, Path] = field(default_factory=dict)

    def real(self, path: PurePosixPath) -> Path:
        """Where a path of the image lies here."""
        return self.root / path.relative_to("/")


def files_of_ours(dockerfile: Dockerfile, image: str) -> list[Copied]:
    """Every file of this repository in an image: its COPY lines, and what `pip install .` makes of its build stage."""
    found = list(dockerfile.copied(image))
    for stage, target in dockerfile.from_stages(image):
        assert target == str(VENV), target
        if installs_project(dockerfile, stage):
            for copied in dockerfile.copied(stage):
                top = "/".join(copied.source.parts[:2])
                if top in ROOMS:
                    rest = PurePosixPath(*copied.source.parts[2:])
                    found.append(Copied(copied.source, SITE / ROOMS[top] / rest))
    return found


def installs_project(dockerfile: Dockerfile, stage: str) -> bool:
    """Whether a stage installs this project itself, and not only packages of others."""
    return any(
        step.name == "RUN" and step.text.endswith("pip install --no-cache-dir .") for step in dockerfile.steps(stage)
    )


def requirements(dockerfile: Dockerfile, image: str) -> list[str]:
    """What pip is asked for in the stages an image takes its packages from."""
    asked: list[str] = []
    for stage, _ in dockerfile.from_stages(image):
        runs = [step.text for step in dockerfile.steps(stage) if step.name == "RUN"]
        if any(text.endswith("--group app") for text in runs):
            asked += PROJECT["dependency-groups"]["app"]
        if installs_project(dockerfile, stage):
            asked += PROJECT["project"]["dependencies"]
    return asked


def assemble(dockerfile: Dockerfile, image: str, folder: Path) -> Tree:
    """Lay out an image below `folder`, for everybody to read and nobody to write."""
    tree = Tree(folder)
    for copied in files_of_ours(dockerfile, image):
        target = tree.real(copied.target)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / copied.source, target)
    python = tree.real(VENV / "bin" / "python")
    python.parent.mkdir(parents=True)
    python.symlink_to(Path(sys._base_executable).resolve())  # type: ignore[attr-defined]
    home = python.resolve().parent
    tree.real(VENV / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n", "utf-8")
    if image == "gym":
        module, _, function = PROJECT["project"]["scripts"]["deskgym"].partition(":")
        script = python.with_name("deskgym")
        script.write_text(f"#!/usr/bin/env python\nfrom {module} import {function}\n{function}()\n", "utf-8")
    tree.packages = {SITE / name: path for name, path in entries(closure(requirements(dockerfile, image))).items()}
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            os.chmod(path, 0o755 if path.is_dir() or path.parent.name == "bin" else 0o444)
    return tree
