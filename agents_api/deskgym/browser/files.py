"""Files that an agent may upload: plain files directly in the episode's `files/`, by bare name."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .actions import ActionError

MAX_BYTES = 20 * 1024 * 1024


def read_upload(folder: Path | None, name: str) -> tuple[str, bytes]:
    """Name and content of a file in `folder`. Raises ActionError for any path, link, folder or oversized file.

    The content is read here, through a descriptor that follows no link, so nothing can be swapped in later.
    """
    if folder is None:
        raise ActionError("this episode has no files to upload")
    if name in (".", "..") or "/" in name or "\\" in name or "\x00" in name:
        raise ActionError(f'upload: "{name}" is not the bare name of a file')
    try:
        descriptor = os.open(Path(os.path.realpath(folder)) / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        raise ActionError(f'upload: there is no file "{name}".{_listing(folder)}') from None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise ActionError(f'upload: "{name}" is not a plain file')
        if facts.st_size > MAX_BYTES:
            raise ActionError(f'upload: "{name}" is larger than {MAX_BYTES // 1024 // 1024} MB')
        with open(descriptor, "rb", closefd=False) as file:
            return name, file.read(MAX_BYTES)
    finally:
        os.close(descriptor)


def _listing(folder: Path) -> str:
    names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    return f" Files: {', '.join(names[:20])}" if names else " The episode has no files."
