"""What a Dockerfile says, without an engine: its stages, what they hold of this repository, and how they run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class Step:
    """One instruction: `COPY`, and what follows it."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """Its arguments; a list in JSON is that list."""
        return json.loads(self.text) if self.text.startswith("[") else shlex.split(self.text)


@dataclass
class Stage:
    """A part of a build, from one FROM to the next. `base` is another stage, or an image of a registry."""

    name: str
    base: str
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class Copied:
    """Where a path of the repository comes to lie in a stage."""

    source: PurePosixPath
    target: PurePosixPath


def instructions(text: str) -> Iterator[Step]:
    """The instructions in order, continued lines joined, comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield Step(name.upper(), rest.strip())


class Dockerfile:
    """The stages of a Dockerfile beside its .dockerignore."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stages: dict[str, Stage] = {}
        for step in instructions((folder / "Dockerfile").read_text("utf-8")):
            if step.name == "FROM":
                base, _, name = step.words
                self.stages[name] = current = Stage(name, base)
            elif self.stages:
                current.steps.append(step)
        self._ignored = [
            line.strip()
            for line in (folder / ".dockerignore").read_text("utf-8").splitlines()
            if line.strip() and not line.startswith("#")
        ]

    def steps(self, name: str) -> Iterator[Step]:
        """The instructions of a stage after those of the stages under it."""
        stage = self.stages[name]
        if stage.base in self.stages:
            yield from self.steps(stage.base)
        yield from stage.steps

    def last(self, name: str, instruction: str) -> Step:
        """The instruction that holds: the last of that name."""
        return [step for step in self.steps(name) if step.name == instruction][-1]

    def environment(self, name: str) -> dict[str, str]:
        """The variables an image sets, with references to earlier ones resolved."""
        found: dict[str, str] = {}
        for step in self.steps(name):
            if step.name == "ENV":
                for word in step.words:
                    variable, _, value = word.partition("=")
                    found[variable] = re.sub(r"\$(\w+)", lambda at: found.get(at.group(1), at.group()), value)
        return found

    def health(self, name: str) -> list[str]:
        """The command of the HEALTHCHECK."""
        found: list[str] = json.loads(self.last(name, "HEALTHCHECK").text.partition("CMD ")[2])
        return found

    def copied(self, name: str) -> Iterator[Copied]:
        """Every file of the repository that a stage holds by its own COPY lines and those of the stages under it."""
        here = PurePosixPath("/")
        for step in self.steps(name):
            if step.name == "WORKDIR":
                here = here / step.text
            elif step.name == "COPY" and not step.text.startswith("--from="):
                *sources, target = step.words
                for source in sources:
                    yield from self._below(source, here / target, target.endswith("/"))

    def from_stages(self, name: str) -> list[tuple[str, str]]:
        """(stage, path) of each COPY from another stage."""
        lines = [step.words for step in self.steps(name) if step.name == "COPY" and step.text.startswith("--from=")]
        return [(words[0].removeprefix("--from="), words[-1]) for words in lines]

    def _below(self, source: str, target: PurePosixPath, into: bool) -> Iterator[Copied]:
        path = self.folder / source
        assert path.exists(), f"COPY {source}: there is no such path"
        if path.is_file():
            if not self.is_ignored(PurePosixPath(source)):
                yield Copied(PurePosixPath(source), target / path.name if into else target)
            return
        for file in sorted(path.rglob("*")):
            relative = PurePosixPath(file.relative_to(self.folder).as_posix())
            if file.is_file() and not self.is_ignored(relative):
                yield Copied(relative, target / file.relative_to(path).as_posix())

    def is_ignored(self, path: PurePosixPath) -> bool:
        """Whether .dockerignore keeps a file out of every build: the last pattern that fits it or a folder of it."""
        ignored = False
        for line in self._ignored:
            pattern = line.removeprefix("!")
            if any(_fits(part, pattern) for part in (path, *path.parents[:-1])):
                ignored = not line.startswith("!")
        return ignored


def _fits(path: PurePosixPath, pattern: str) -> bool:
    own = pattern.split("/")
    if own[0] == "**":
        return fnmatchcase(path.name, "/".join(own[1:]))
    return len(own) == len(path.parts) and all(
        fnmatchcase(part, one) for part, one in zip(path.parts, own, strict=True)
    )


_USER = re.compile(r"useradd --uid (\d+) --gid (\w+) .*?(\w+)(?=\s*(?:&&|$))")
_GROUP = re.compile(r"groupadd --gid (\d+) (\w+)")
_FOLDER = re.compile(r"install -d -o (\w+) -g (\w+) -m (\d+) (\S+)")


@dataclass(frozen=True)
class Folder:
    """A folder an image makes for a volume: the first container that uses the volume gives it this owner and mode."""

    owner: int
    group: int
    mode: int


def volumes(dockerfile: Dockerfile, name: str) -> dict[str, Folder]:
    """Path -> what an empty volume there begins with."""
    runs = [step.text for step in dockerfile.steps(name) if step.name == "RUN"]
    groups = {group: int(number) for text in runs for number, group in _GROUP.findall(text)}
    users = {user: int(number) for text in runs for number, _, user in _USER.findall(text)}
    return {
        path: Folder(users[owner], groups[group], int(mode, 8))
        for text in runs
        for owner, group, mode, path in _FOLDER.findall(text)
    }
