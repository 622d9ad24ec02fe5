"""Templates are compiled once a process, whichever of its applications draws them first."""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class Compiled(BytecodeCache):
    """Compiled templates by file and text. In memory alone: from a folder, a stranger's file could be run as code."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket its code, if a template of that name, file and text was compiled before."""
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code
