"""Runs the services of compose.yaml as an engine would, as far as this machine allows.

As root: in a mount namespace and a root of its own that cannot be written, under the user of the image, with nothing in
it but the image, the volumes and the machine's own libraries. As another user: the same files and the same environment,
as that user, with nothing else of ours on the path.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from tests.serve.conftest import Server

from .dockerfile import Dockerfile, Folder, volumes
from .image import ROOT, Tree, assemble

IS_ROOT = os.getuid() == 0
_SYSTEM = ("usr", "lib", "lib64", "lib32", "bin", "sbin")
_CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin")
_DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def resolved(text: str) -> str:
    """A value of compose.yaml where no variable is set: `${NAME:-default}` is the default."""
    return _DEFAULT.sub(lambda found: found.group(1), text)


@dataclass(frozen=True)
class Service:
    """A service of compose.yaml: what runs in which image, with which variables and volumes (path -> volume)."""

    name: str
    image: str
    command: list[str]
    environment: dict[str, str]
    volumes: dict[str, str]
    user: tuple[int, int]


def service(dockerfile: Dockerfile, name: str) -> Service:
    """A service with what its image says added."""
    facts = COMPOSE["services"][name]
    image = facts["build"]["target"]
    given = {key: resolved(str(value)) for key, value in facts["environment"].items()}
    user, group = dockerfile.last(image, "USER").text.split(":")
    return Service(
        name,
        image,
        facts.get("command") or dockerfile.last(image, "CMD").words,
        dockerfile.environment(image) | given,
        {path: volume for volume, path in (text.split(":") for text in facts["volumes"])},
        (int(user), int(group)),
    )


class Engine:
    """Images and volumes below a folder."""

    def __init__(self, folder: Path) -> None:
        self.dockerfile = Dockerfile(ROOT)
        self.folder = folder
        self._trees: dict[str, Tree] = {}

    def tree(self, image: str) -> Tree:
        if image not in self._trees:
            self._trees[image] = assemble(self.dockerfile, image, self.folder / "images" / image)
        return self._trees[image]

    def volume(self, name: str, begins: Folder) -> Path:
        """The folder of a volume; an empty one takes owner and mode from the image."""
        path = self.folder / "volumes" / name
        if not path.exists():
            path.mkdir(parents=True)
            if IS_ROOT:
                os.chown(path, begins.owner, begins.group)
            path.chmod(begins.mode)
        return path

    def mounts(self, run: Service) -> dict[str, Path]:
        """Path in the container -> the folder of its volume."""
        begin = volumes(self.dockerfile, run.image)
        return {path: self.volume(name, begin[path]) for path, name in run.volumes.items()}

    def give_worlds(self, other: Container) -> None:
        """Put the worlds that another container has built into the volume `state`."""
        begins = volumes(self.dockerfile, other.run.image)["/state"]
        target = self.volume("state", begins) / "worlds"
        shutil.copytree(other.engine.mounts(other.run)["/state"] / "worlds", target)
        for path in (target, *target.rglob("*")) if IS_ROOT else ():
            os.chown(path, begins.owner, begins.group)

    def words(self, run: Service, command: list[str]) -> list[str]:
        """What to start, so that `command` runs in a container of its own."""
        tree, mounts = self.tree(run.image), self.mounts(run)
        if IS_ROOT:
            return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", _script(tree, mounts, run, command)]
        for target, source in tree.packages.items():
            if not tree.real(target).exists():
                tree.real(target).symlink_to(source)
        return [_outside(word, tree, mounts) for word in command]

    def environment(self, run: Service) -> dict[str, str]:
        """The variables in the container."""
        given = run.environment | {"PATH": run.environment["PATH"].replace("$PATH", "/usr/bin:/bin")}
        if IS_ROOT:
            return given
        tree, mounts = self.tree(run.image), self.mounts(run)
        return {
            name: ":".join(_outside(part, tree, mounts) for part in value.split(":")) for name, value in given.items()
        }

    @contextmanager
    def running(self, name: str, *options: str) -> Iterator[Container]:
        """A service with further options, until the block ends."""
        run = service(self.dockerfile, name)
        words = self.words(run, [*run.command, *options])
        with subprocess.Popen(words, env=self.environment(run), stdout=subprocess.PIPE, text=True, cwd="/") as process:
            container = Container(self, run, Server(process, self.mounts(run).get("/state", self.folder)))
            try:
                yield container
            finally:
                if process.poll() is None:
                    container.server.stop()


@dataclass
class Container:
    """A running service."""

    engine: Engine
    run: Service
    server: Server

    @property
    def pid(self) -> int:
        return self.server.process.pid

    def execute(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in the container, as its user: what a HEALTHCHECK and `docker exec` do."""
        words = command
        if IS_ROOT:
            user, group = self.run.user
            words = ["nsenter", f"--target={self.pid}", "--mount", "--root", f"--setuid={user}", f"--setgid={group}"]
            words += ["env", "-C", "/", *command]
        else:
            tree, mounts = self.engine.tree(self.run.image), self.engine.mounts(self.run)
            words = [_outside(word, tree, mounts) for word in command]
        given = self.engine.environment(self.run)
        return subprocess.run(words, env=given, capture_output=True, text=True, check=False, timeout=60)

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run a line of Python in the container."""
        return self.execute(["python", "-c", code])

    def health(self, port: int) -> subprocess.CompletedProcess[str]:
        """Run the HEALTHCHECK of the image, on the port of the test."""
        words = self.engine.dockerfile.health(self.run.image)
        return self.execute([re.sub(r":\d{4}/", f":{port}/", word) for word in words])


def _outside(text: str, tree: Tree, mounts: Mapping[str, Path]) -> str:
    """A word with the paths of a container put where they lie here."""
    for inside, real in (*mounts.items(), ("/opt", tree.root / "opt")):
        text = re.sub(rf"(^|=){inside}(?=/|$)", lambda at, real=real: f"{at.group(1)}{real}", text)  # type: ignore[misc]
    return text


def _script(tree: Tree, mounts: Mapping[str, Path], run: Service, command: list[str]) -> str:
    """Mount what a container has, everything but volumes and /tmp read-only, and become its user in it."""
    root = tree.root
    lines = [f"mount --bind {root} {root}"]
    read_only = {str(source): path for path, source in tree.packages.items()}
    base = Path(sys._base_executable).resolve().parents[1]  # type: ignore[attr-defined]
    system = [
        Path("/") / name for name in _SYSTEM if not (Path("/") / name).is_symlink() and (Path("/") / name).exists()
    ]
    for source in [*system, *([base] if base not in (Path("/usr"), Path("/")) else [])]:
        read_only[str(source)] = source  # type: ignore[assignment]
    for name in _SYSTEM:
        link = Path("/") / name
        if link.is_symlink() and not (root / name).is_symlink():
            (root / name).symlink_to(os.readlink(link))
    for origin, target in read_only.items():
        real = root / str(target).lstrip("/")
        _place(Path(origin), real)
        lines += [f"mount --bind {origin} {real}", f"mount -o remount,bind,ro {real}"]
    for inside, volume in mounts.items():
        _place(volume, root / inside[1:])
        lines.append(f"mount --bind {volume} {root}{inside}")
    for name in ("tmp", "dev"):
        (root / name).mkdir(exist_ok=True)
    lines += [f"mount -t tmpfs -o mode=1777 tmpfs {root}/tmp", f"mount --rbind /dev {root}/dev"]
    lines.append(f"mount -o remount,bind,ro {root}")
    user, group = run.user
    lines.append(f"exec {_CHROOT} --userspec={user}:{group} --groups= {root} {shlex.join(command)}")
    return "\n".join(lines)


def _place(source: Path, target: Path) -> None:
    """Something to mount over."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
