"""Find a Chromium and say how it is started: which arguments, which environment (DESIGN §5, §8)."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .account import VARIABLE as ACCOUNT_VARIABLE
from .account import Account, NoAccount, lower_account

VARIABLE = "DESKGYM_CHROMIUM"
# The headless shell starts a context in a fifth of the time and half the memory of a full Chromium.
_PROGRAMS = (
    "chromium-headless-shell",
    "/usr/bin/chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
_PLAYWRIGHT_PROGRAMS = (
    "chromium_headless_shell-*/chrome-*/headless_shell",
    "chromium_headless_shell-*/*/chrome-headless-shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
)
_HINT = (
    f"set {VARIABLE}=/path/to/chromium, or install one: `apt-get install chromium-headless-shell` on Debian, "
    "`playwright install --only-shell chromium-headless-shell` elsewhere"
)

# Names nobody can resolve: whatever the guard's proxy list does not let through ends here (see guard.py).
DEAD_PROXY = "http://deskgym-blocked.invalid:9"

ARGUMENTS = (
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-gpu",
    "--disable-lcd-text",
    "--disable-partial-raster",  # a tile painted in parts has other pixels at round corners than one painted at once
    "--disable-quic",
    "--disable-smooth-scrolling",
    "--disable-sync",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP deskgym-blocked.invalid ~NOTFOUND",
    "--no-first-run",
    "--no-pings",
)


class NoBrowser(Exception):
    """No Chromium can be started. `hint` says what to do."""

    kind = "no_browser"

    def __init__(self, message: str, hint: str = _HINT) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Chromium:
    """An executable and what it calls itself, such as `Chromium 156.0.8078.108`; `account`: who runs it, if not us."""

    path: Path
    version: str
    account: Account | None = None

    def facts(self) -> dict[str, str]:
        """What a run records, since pixels and trees are the same only for the same builds."""
        return {"browser": self.version, "playwright": version("playwright")}

    def program(self, home: Path) -> Path:
        """What to start: the executable, or a script in its home that lowers itself first."""
        if self.account is None:
            return self.path
        lower = Path(__file__).with_name("lower.py")
        words = (sys.executable, "-I", "-S", lower, self.account.uid, self.account.gid, self.path)
        script = home / "start"
        script.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
        script.chmod(0o700)
        return script


def find_chromium(environ: Mapping[str, str] = os.environ) -> Chromium:
    """The Chromium to use: `DESKGYM_CHROMIUM`, a headless shell, a full Chromium, Playwright's own, in this order.

    Where root asks, it is the `nobody` of this machine, or `DESKGYM_BROWSER_USER`, who runs it, if that account may
    enter the folders. Raises NoBrowser where there is none or where the named one does not run.
    """
    try:
        account = lower_account(environ)
    except NoAccount as error:
        raise NoBrowser(str(error), f"set {ACCOUNT_VARIABLE} to a user without rights, or leave it out") from error
    path = _find(environ)
    if account is not None and account.may_enter(Path(tempfile.gettempdir())) and account.may_enter(path.parent):
        return Chromium(
            path, _ask_version(path, {"user": account.uid, "group": account.gid, "extra_groups": []}), account
        )
    return Chromium(path, _ask_version(path, {}))


def _find(environ: Mapping[str, str]) -> Path:
    named = environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise NoBrowser(f'{VARIABLE} is "{named}", which is not a program')
        return Path(found)
    for name in _PROGRAMS:
        found = shutil.which(name, path=environ.get("PATH", os.defpath))
        if found is not None:
            return Path(found)
    own = _playwright_chromium(environ)
    if own is None:
        raise NoBrowser("no Chromium was found on this machine")
    return own


def _playwright_folder(environ: Mapping[str, str]) -> Path:
    home = Path(environ.get("HOME", "/"))
    cache = (
        home / "Library/Caches" if sys.platform == "darwin" else Path(environ.get("XDG_CACHE_HOME", home / ".cache"))
    )
    return Path(environ.get("PLAYWRIGHT_BROWSERS_PATH") or cache / "ms-playwright")


def _revision(path: Path) -> int:
    numbers = re.findall(r"-(\d+)/", path.as_posix())
    return int(numbers[-1]) if numbers else 0


def _playwright_chromium(environ: Mapping[str, str]) -> Path | None:
    folder = _playwright_folder(environ)
    for pattern in _PLAYWRIGHT_PROGRAMS:
        found = [path for path in folder.glob(pattern) if os.access(path, os.X_OK)]
        if found:
            return max(found, key=_revision)
    return None


def _ask_version(path: Path, by: Mapping[str, Any]) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=True, **by)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoBrowser(f"{path} does not run ({type(error).__name__})") from error
    return str(done.stdout).strip().split(" built on")[0]


def environment(home: Path) -> dict[str, str]:
    """The whole environment of the browser's processes: nothing of ours is handed on, secrets least of all."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
