"""The folders of episodes that workers serve: written from the registry, never read back as truth.

<root>/tokens/     where an agent token leads          <root>/reference/    bulk data that nobody changes
<root>/<folder>/   one place of one episode: store.db, files/, public.json
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from deskgym_apps.kit import folder
from deskgym_apps.kit.folder import Public
from deskgym_apps.kit.store import Store

from ..pool import Origin

KEPT = 48
_PLACE = re.compile(r"[0-9a-f]{16}")


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another at the same path; None where there is no file, or a link."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return (facts.st_dev, facts.st_ino) if stat.S_ISREG(facts.st_mode) else None


@dataclass(frozen=True)
class _Held:
    """A store that is kept open, and the file it is."""

    store: Store
    identity: tuple[int, int] | None


class Places:
    """The places under a root, and the few of their stores that control keeps open, least recently used first."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open: OrderedDict[str, _Held] = OrderedDict()

    def public_of(self, public: Public, origin: Origin) -> Public:
        """What workers are told: as `public`, with a copy of the reference database that they may read.

        The world's own folder stays control's: beside its reference database lie S0 and the list of seeded mess.
        """
        if origin.reference is None:
            return replace(public, reference=None)
        target = self.root / "reference" / f"{origin.world.digest[:32]}.db"
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            partial = target.with_suffix(".partial")
            shutil.copyfile(origin.reference, partial)
            partial.chmod(0o444)
            os.replace(partial, target)
        return replace(public, reference=str(target))

    # --- Stores --------------------------------------------------------------------------------------

    def hold(self, name: str, store: Store) -> None:
        """Keep an open store of a place until others need the room."""
        self._open[name] = _Held(store, _identity(self._file(name)))
        while len(self._open) > KEPT:
            self._open.popitem(last=False)[1].store.close()

    def store(self, name: str, origin: Origin) -> Store:
        """The open store of a place. Raises FileNotFoundError and sqlite3.Error where it cannot be opened.

        A link is no store: it would lead control to a file that workers cannot reach.
        """
        path = self._file(name)
        held = self._open.get(name)
        if held is not None and held.identity != _identity(path):
            # Workers open what lies there now; what is held open here is no longer anybody's.
            self._open.pop(name).store.close()
            raise FileNotFoundError(f"{path} is not the store that was put there")
        if held is None:
            if path.is_symlink():
                raise FileNotFoundError(f"{path} is a link")
            store = Store.open(path, origin.reference)
            store.shapes = origin.store.shapes
            self.hold(name, store)
        self._open.move_to_end(name)
        return self._open[name].store

    def _file(self, name: str) -> Path:
        return self.root / name / "store.db"

    # --- Places --------------------------------------------------------------------------------------

    def publish(self, name: str, public: Public, tokens: Mapping[str, str]) -> None:
        """Let the tokens (person -> token) enter a place, and tell workers what they may know of it."""
        folder.write_public(self.root / name, public)
        for person, token in tokens.items():
            folder.grant(self.root, token, name, person)

    def revoke(self, tokens: Iterable[str]) -> None:
        """From now on these tokens answer 410."""
        for token in tokens:
            folder.revoke(self.root, token)

    def discard(self, name: str) -> None:
        """Remove a place that no token enters. A request under way keeps its open files, and nobody reads them."""
        held = self._open.pop(name, None)
        if held is not None:
            held.store.close()
        shutil.rmtree(self.root / name, ignore_errors=True)

    def has(self, name: str) -> bool:
        """Whether the store of a place is there."""
        path = self._file(name)
        return path.is_file() and not path.is_symlink()

    def reconcile(self, known: Collection[str], tokens: Collection[str]) -> None:
        """Remove places that no episode has, and end tokens that nobody was given."""
        for path in sorted(self.root.iterdir()):
            if _PLACE.fullmatch(path.name) and path.name not in known:
                self.discard(path.name)
        folder.revoke_others(self.root, tokens)

    def close(self) -> None:
        """Close every store."""
        while self._open:
            self._open.popitem()[1].store.close()
