"""The account that a browser runs as: where root starts it, one without rights (DESIGN §5, docs/security.md)."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "DESKGYM_BROWSER_USER"
_USUAL = "nobody"


class NoAccount(Exception):
    """The named account cannot be used. The message says why."""


@dataclass(frozen=True)
class Account:
    """A user of this machine and its first group."""

    name: str
    uid: int
    gid: int

    def may_enter(self, folder: Path) -> bool:
        """Whether the account may go through this folder and every one above it."""
        folder = folder.resolve()
        return all(self._passes(place.stat()) for place in (folder, *folder.parents))

    def _passes(self, found: os.stat_result) -> bool:
        if found.st_uid == self.uid:
            return bool(found.st_mode & stat.S_IXUSR)
        if found.st_gid == self.gid:
            return bool(found.st_mode & stat.S_IXGRP)
        return bool(found.st_mode & stat.S_IXOTH)


def lower_account(environ: Mapping[str, str] = os.environ) -> Account | None:
    """Whom root gives the browser to: `DESKGYM_BROWSER_USER`, else `nobody`; None for everyone but root, who cannot.

    The name `root` keeps the browser with root. Raises NoAccount where the variable names nobody of this machine.
    """
    named = environ.get(VARIABLE)
    if os.geteuid() != 0 or named == "root":
        return None
    try:
        found = pwd.getpwnam(named or _USUAL)
    except KeyError:
        if named:
            raise NoAccount(f'{VARIABLE} is "{named}", which is not a user of this machine') from None
        return None
    return Account(found.pw_name, found.pw_uid, found.pw_gid)
