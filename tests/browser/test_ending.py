"""What is not wanted any more ends: browsers that were still starting, contexts that were still being prepared."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from pathlib import Path

import pytest
from tests.browser.site import Site

from deskgym.browser import Browser, Chromium, Parts, Start, find_chromium

pytestmark = pytest.mark.browser


def _processes(folder: Path) -> list[int]:
    """Processes whose home lies in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"HOME={folder}/".encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def _gated(folder: Path) -> tuple[Chromium, Path]:
    """A Chromium that starts only while a certain file is there, and that file."""
    gate, program, real = folder / "gate", folder / "chromium", find_chromium().path
    gate.touch()
    program.write_text(f'#!/bin/sh\nuntil [ -e "{gate}" ]; do sleep 0.02; done\nexec "{real}" "$@"\n')
    program.chmod(0o755)
    return find_chromium({"DESKGYM_CHROMIUM": str(program), "PATH": os.defpath}), gate


def test_a_browser_that_was_still_starting_when_nobody_waited_any_more_ends_and_its_folder_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = tmp_path / "homes"
    homes.mkdir()
    chromium, gate = _gated(tmp_path)

    async def work() -> None:
        async with await Browser.start(chromium) as browser:
            monkeypatch.setattr(tempfile, "tempdir", str(homes))
            gate.unlink()
            unwanted = asyncio.create_task(browser._launch())
            while not _processes(homes):
                await asyncio.sleep(0)
            unwanted.cancel()
            with pytest.raises(asyncio.CancelledError):
                await unwanted
            monkeypatch.setattr(tempfile, "tempdir", None)
            gate.touch()
            later = await browser._launch()  # the driver has started the first by then
            await browser.ready()
            assert _processes(homes) == []
            assert list(homes.iterdir()) == []
            await later.close()

    asyncio.run(work())


@pytest.mark.parametrize("contexts", [1, 2])
def test_a_context_that_was_still_being_prepared_ends_with_its_task(site: Site, contexts: int) -> None:
    """`contexts`: how many there are when the task is cancelled, that of the session included."""

    async def work() -> None:
        async with await Browser.start() as browser:
            session = await browser.open(site.url, start=Start(parts=Parts(screenshot=False)))
            generation = browser._generation
            assert generation is not None
            (task,) = browser._spare.values()
            while len(generation.browser.contexts) < contexts or generation.given < 2:
                await session.page.title()
            assert not task.done()
            task.cancel()
            await browser.ready()
            assert task.cancelled()
            assert generation.open == 1
            assert generation.browser.contexts == [session.context]
            browser._spare.clear()
            await session.close()

    asyncio.run(work())
