"""Every fenced block, link and verb of the documentation holds, and the test sees it when one does not."""

import os
import sys
from pathlib import Path

import click
import pytest

from deskgym.cli import main

from .pages import Block, block_fault, blocks, broken_links, pages, run_python

PAGES = {page: list(blocks(page, text)) for page, text in pages().items()}
BLOCKS = [block for page_blocks in PAGES.values() for block in page_blocks]


def page_parameters() -> list[object]:
    """One parameter per page, marked `browser` if a block of it says so: ```python browser."""
    return [
        pytest.param(page, id=page, marks=[pytest.mark.browser] if any("browser" in b.info for b in found) else [])
        for page, found in PAGES.items()
    ]


@click.group()
def sample() -> None:
    """A small command tree, so that these tests do not depend on the real one."""


@sample.command()
@click.argument("run_folder")
@click.option("-a", "--agent", type=click.Choice(["oracle", "noop"]), multiple=True)
@click.option("--seeds")
@click.option("--json", "as_json", is_flag=True)
def grade(run_folder: str, agent: tuple[str, ...], seeds: str, as_json: bool) -> None:
    """Grade again."""


@sample.command()
@click.option("--level", type=click.Choice(["1", "2"]), required=True)
def audit(level: str) -> None:
    """Prove."""


def block(language: str, text: str) -> Block:
    return Block("README.md", 3, tuple(language.split()), text)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_of_the_docs_is_right(block: Block) -> None:
    assert block_fault(block, main) is None


@pytest.mark.parametrize("page", page_parameters())
def test_the_python_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))
    run_python(PAGES[page])


@pytest.mark.parametrize("page", list(PAGES))
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    assert broken_links(page, pages()[page]) == []


def test_every_verb_is_in_the_docs() -> None:
    text = "\n".join(pages().values())
    verbs = main.list_commands(click.Context(main))
    assert [verb for verb in verbs if f"deskgym {verb}" not in text and f"scripts/{verb}" not in text] == []


@pytest.mark.parametrize(
    ("language", "text", "fault"),
    [
        ("bash", "deskgym nope", "No such command 'nope'"),
        ("bash", "deskgym grade runs/1 --jsom", "No such option '--jsom'"),
        ("bash", "deskgym grade runs/1 -x", "No such option '-x'"),
        ("bash", "deskgym grade runs/1 -a oracel", "is not one of"),
        ("bash", "deskgym grade", "Missing argument 'RUN_FOLDER'"),
        ("bash", "deskgym grade runs/1 runs/2", "unexpected runs/2"),
        ("bash", "deskgym audit", "Missing option '--level'"),
        ("bash", "cd x && TZ=UTC deskgym nope > out.txt", "No such command"),
        ("bash", "echo a | deskgym nope", "No such command"),
        ("bash", "deskgym grade \\\n  runs/1 \\\n  --nope", "No such option '--nope'"),
        ("console", "$ deskgym nope\nsome output", "No such command"),
        ("bash", "./scripts/nope", "not a script"),
        ("bash", "./scripts/demo --nope", "No such command 'demo'"),
        ("bash", "deskgym grade 'runs/1", "No closing quotation"),
        ("json", "{'a': 1}", "property name"),
        ("toml", "a = ", "Invalid value"),
        ("python", "x = (", "never closed"),
        ("cobol", "MOVE A TO B", "no test knows"),
        ("", "no language", "no test knows"),
    ],
)
def test_a_wrong_block_is_found(language: str, text: str, fault: str) -> None:
    assert fault in str(block_fault(block(language, text), sample))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("bash", "deskgym --help"),
        ("bash", "deskgym grade --help"),
        ("bash", "# a comment\ndeskgym grade 'runs/*' --seeds=0-4 -a oracle -a noop --json | jq .data"),
        ("console", "$ deskgym audit --level 2\ndeskgym nope is only output here"),
        ("bash", "git clone there && cd deskgym\n./scripts/test -k anything"),
        ("json", '{"a": 1}'),
        ("text", "anything"),
    ],
)
def test_a_right_block_passes(language: str, text: str) -> None:
    assert block_fault(block(language, text), sample) is None


def test_blocks_are_found_with_their_lines_and_without_the_indentation_of_a_list() -> None:
    text = "# A\n\n1. First:\n\n   ```python no-run\n   x = 1\n   ```\n\n```bash\nls\n```\n"
    assert list(blocks("a.md", text)) == [
        Block("a.md", 6, ("python", "no-run"), "x = 1\n"),
        Block("a.md", 10, ("bash",), "ls\n"),
    ]


def test_python_blocks_of_a_page_share_their_names_and_a_failing_one_fails() -> None:
    good = [block("python", "x = 1\n"), block("python no-run", "x = 1 / 0\n"), block("python", "assert x == 1\n")]
    run_python(good)
    with pytest.raises(AssertionError):
        run_python([*good, block("python", "assert x == 2\n")])


def test_a_block_with_a_file_is_saved_for_those_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    saved = block("python file=saved_by_a_docs_test.py", "x = 1\n")
    run_python([saved, block("python", "from saved_by_a_docs_test import x\nassert x == 1\n")])
    assert (tmp_path / "saved_by_a_docs_test.py").read_text("utf-8") == saved.text


def test_a_link_to_a_missing_file_is_found() -> None:
    text = '[a](docs/decisions.md#top) [b](https://example.org) [c](docs/nope.md) <img src="docs/nope.png">'
    assert broken_links("README.md", text) == ["README.md: docs/nope.md", "README.md: docs/nope.png"]
