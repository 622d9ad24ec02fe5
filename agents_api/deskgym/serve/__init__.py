"""Both planes as processes of one server: `deskgym serve`.

FOLDER/episodes/   what workers serve; elsewhere with --root
FOLDER/control/    what only control reads (0700): its registry, its lock, the token
"""

from __future__ import annotations

import os
from pathlib import Path


def default_folder() -> Path:
    """Where a server keeps itself: `$XDG_STATE_HOME/deskgym/serve`, else below `~/.local/state`."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "deskgym" / "serve"


def default_token_file() -> Path:
    """Where a server started without options keeps its control token."""
    return default_folder() / "control" / "token"
