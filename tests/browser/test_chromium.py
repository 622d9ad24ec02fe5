"""Which Chromium is used, and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deskgym.browser import NoBrowser, find_chromium
from deskgym.browser.chromium import environment
from deskgym.browser.sync import Browser


def _program(path: Path, text: str = "echo 'Chromium 1.2.3 built on nothing'") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_named_program_comes_first(tmp_path: Path) -> None:
    named = _program(tmp_path / "mine")
    found = find_chromium({"DESKGYM_CHROMIUM": str(named), "PATH": os.defpath})
    assert (found.path, found.version) == (named, "Chromium 1.2.3")


def test_a_named_program_that_is_missing_is_an_error_and_no_reason_to_take_another() -> None:
    with pytest.raises(NoBrowser, match='DESKGYM_CHROMIUM is "/no/such/thing"'):
        find_chromium({"DESKGYM_CHROMIUM": "/no/such/thing", "PATH": os.defpath})


def test_a_headless_shell_on_the_path_comes_before_a_full_chromium(tmp_path: Path) -> None:
    _program(tmp_path / "chromium")
    shell = _program(tmp_path / "chromium-headless-shell")
    assert find_chromium({"PATH": str(tmp_path)}).path == shell


def test_playwrights_newest_browser_is_found_where_the_system_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.browser.chromium._PROGRAMS", ("chromium",))
    for revision in ("999", "1200"):
        _program(tmp_path / f"chromium_headless_shell-{revision}" / "chrome-linux" / "headless_shell")
    found = find_chromium({"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)})
    assert "1200" in str(found.path)


def test_without_any_browser_the_message_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskgym.browser.chromium._PROGRAMS", ("chromium",))
    with pytest.raises(NoBrowser, match="apt-get install chromium-headless-shell") as raised:
        find_chromium({"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)})
    assert raised.value.kind == "no_browser"


def test_a_program_that_does_not_run_is_named(tmp_path: Path) -> None:
    broken = _program(tmp_path / "broken", "exit 3")
    with pytest.raises(NoBrowser, match="broken does not run"):
        find_chromium({"DESKGYM_CHROMIUM": str(broken), "PATH": os.defpath})


def test_a_program_that_is_no_browser_ends_in_no_browser_and_not_in_a_hang(tmp_path: Path) -> None:
    fake = _program(tmp_path / "fake", 'case "$1" in --version) echo Chromium 1;; *) exit 9;; esac')
    with pytest.raises(NoBrowser, match="does not start"):
        Browser(find_chromium({"DESKGYM_CHROMIUM": str(fake), "PATH": os.defpath}))


def test_the_browser_gets_no_variable_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_TEST_SECRET_FILE", "/run/secret")
    variables = environment(tmp_path)
    assert not [name for name in variables if name.startswith("DESKGYM")]
    assert variables["TZ"] == "UTC"


@pytest.mark.browser
def test_no_process_of_the_browser_has_a_secret_in_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKGYM_TOKEN_FOR_TEST", "hidden")
    marker = tmp_path / "environment"
    real = find_chromium().path
    wrapper = _program(tmp_path / "wrapper", f'env > "{marker}"\nexec "{real}" "$@"')
    with Browser(find_chromium({"DESKGYM_CHROMIUM": str(wrapper), "PATH": os.defpath})):
        assert "HOME=" in marker.read_text()
        assert "DESKGYM" not in marker.read_text()
