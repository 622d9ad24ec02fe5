"""The files of an episode, read and written as what they are: plain files, by bare name.

Workers may run as another user than control, and an agent may have taken a worker over. So no link is followed: it
could lead to a file that only the reader may read, or over one that only the writer may change.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .errors import DeskgymError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


@contextmanager
def _folder_of(place: Path) -> Iterator[int]:
    """`files/` of an episode's folder as a descriptor. Raises DeskgymError (env_error) where that is no folder."""
    try:
        descriptor = os.open(place / "files", _FOLDER)
    except OSError as error:
        raise _spoilt("files", error.strerror or "it cannot be opened") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _spoilt(name: str, why: str) -> DeskgymError:
    return DeskgymError("env_error", f'the episode\'s "{name[:80]}" is not as it was made: {why}', "start a new one")


def read_files(place: Path) -> dict[str, bytes]:
    """Name -> content. Raises DeskgymError (env_error) for a link, a pipe, a folder, or a second name of a file."""
    with _folder_of(place) as folder:
        return {name: _read(folder, name) for name in sorted(os.listdir(folder))}


def _read(folder: int, name: str) -> bytes:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        raise _spoilt(name, error.strerror or "it cannot be opened") from error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise _spoilt(name, "it is no plain file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def write_files(place: Path, files: Mapping[str, bytes]) -> None:
    """Put files into a new place. Raises DeskgymError (env_error) where something is in the way."""
    with _folder_of(place) as folder:
        for name, content in files.items():
            try:
                descriptor = os.open(name, _WRITE, 0o666, dir_fd=folder)
            except OSError as error:
                raise _spoilt(name, error.strerror or "it cannot be written") from error
            with open(descriptor, "wb") as file:
                file.write(content)
