"""The command line as a caller sees it: exit code, stdout, stderr."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deskgym.cli import main

Deskgym = Callable[..., Result]


@pytest.fixture
def deskgym(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deskgym:
    """Runs a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def invoke(*words: str, **env: str) -> Result:
        return CliRunner(env=env).invoke(main, list(words), prog_name="deskgym")

    return invoke


def envelope(result: Result) -> dict[str, Any]:
    """The one envelope that was printed."""
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["schema"] == "deskgym/1"
    return found


def error(result: Result) -> dict[str, str]:
    """The error of a failed envelope."""
    found = envelope(result)
    assert found["ok"] is False
    body: dict[str, str] = found["error"]
    assert set(body) == {"kind", "message", "hint"}
    return body
