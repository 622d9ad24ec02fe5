"""Root does not browse: the pages of an agent run in processes of an account without rights."""

from __future__ import annotations

import asyncio
import os
import pwd
from pathlib import Path

import pytest
from tests.browser.site import Site

from deskgym.browser import Browser, NoBrowser, Parts, Start, find_chromium
from deskgym.browser.account import Account, NoAccount, lower_account

NOBODY = pwd.getpwnam("nobody")


def _owners(home: Path) -> set[int]:
    """The users of every process whose home this is."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}\0".encode() in (process / "environ").read_bytes():
                found.add(process.stat().st_uid)
        except OSError:
            continue  # it has ended, or is not ours to look at
    return found


@pytest.mark.browser
def test_every_process_of_the_browser_has_the_lowered_user(site: Site) -> None:
    async def work() -> tuple[set[int], str]:
        async with await Browser.start() as browser:
            session = await browser.open(site.url, start=Start(parts=Parts(screenshot=False)))
            generation = await browser._current()
            return _owners(Path(generation.home.name)), (await session.observe()).title

    owners, title = asyncio.run(work())
    account = lower_account()
    assert owners == {os.geteuid() if account is None else account.uid}
    assert title == "index"


def test_root_hands_the_browser_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert lower_account({}) == Account("nobody", NOBODY.pw_uid, NOBODY.pw_gid)


def test_who_is_not_root_cannot_become_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert lower_account({"DESKGYM_BROWSER_USER": "nobody"}) is None


def test_root_may_insist_on_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert lower_account({"DESKGYM_BROWSER_USER": "root"}) is None


def test_an_account_that_does_not_exist_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(NoAccount, match='"nobody-here", which is not a user'):
        lower_account({"DESKGYM_BROWSER_USER": "nobody-here"})
    with pytest.raises(NoBrowser, match="nobody-here"):
        find_chromium({"DESKGYM_BROWSER_USER": "nobody-here", "PATH": os.defpath})


def test_a_program_in_a_folder_the_account_may_not_enter_runs_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'Chromium 1.2.3'\n")
    program.chmod(0o755)
    tmp_path.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert find_chromium({"DESKGYM_CHROMIUM": str(program), "PATH": os.defpath}).account is None


def test_what_an_account_may_enter_is_read_from_every_folder_above(tmp_path: Path) -> None:
    account = Account("somebody", 54321, 54321)
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    assert account.may_enter(Path("/"))
    inner.parent.chmod(0o700)
    assert not account.may_enter(inner)
