"""The fenced blocks and links of the documentation, and what is wrong with them."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import click

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^ *(?P=fence) *$", re.M | re.S
)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)|(?:src|href)=\"(?P<html>[^\"]+)\"")
OPERATORS = {"|", "||", "&&", ";", "&"}
REDIRECTIONS = {">", ">>", "<", ">&", "<<"}
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True)
class Block:
    """One fenced block. `info` is the word list after the fence; `line` is where its first line of text stands."""

    page: str
    line: int
    info: tuple[str, ...]
    text: str

    @property
    def language(self) -> str:
        return self.info[0] if self.info else ""

    @property
    def file(self) -> str | None:
        """The file that the reader is to save the block as: `python file=my_tasks.py`."""
        return next((word.removeprefix("file=") for word in self.info if word.startswith("file=")), None)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str, text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order, without the indentation of the list they may stand in."""
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("body")) + 1
        body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.M)
        yield Block(page, line, tuple(match["info"].split()), body)


def pages() -> dict[str, str]:
    """README.md and every page below docs/, by path from the repository's root."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def commands(block: Block) -> Iterator[list[str]]:
    """Each simple command of a shell block as a list of words, without variables set for it and redirections.

    In a `console` block only the lines after `$ ` are commands; the others are what they print.
    """
    text = block.text.replace("\\\n", " ")
    lines = text.splitlines()
    if block.language == "console":
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    for line in lines:
        words: list[str] = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        tokens = iter([*lexer, ";"])
        for token in tokens:
            if token in OPERATORS:
                if words:
                    yield words
                words = []
            elif token in REDIRECTIONS:
                next(tokens)
            elif words or not ASSIGNMENT.match(token):
                words.append(token)


def command_fault(words: list[str], main: click.Command) -> str | None:
    """What is wrong with a command of ours, or None; a command of others is not judged."""
    name = words[0]
    if name == "deskgym":
        return usage_fault(main, name, words[1:])
    if name.startswith(("./scripts/", "scripts/", ".ci/", "./.ci/")):
        script = ROOT / name
        if not script.is_file() or not script.stat().st_mode & 0o100:
            return f"{name} is not a script of this repository"
        if script.name == "demo":
            return usage_fault(main, "deskgym", ["demo", *words[1:]])
    return None


def usage_fault(command: click.Command, name: str, words: list[str], parent: click.Context | None = None) -> str | None:
    """What `deskgym --help` would not confirm: an unknown verb or option, a wrong choice, something left out."""
    context = click.Context(command, info_name=name, parent=parent)
    try:
        values, rest, _ = command.make_parser(context).parse_args(list(words))
        if isinstance(command, click.Group):
            if not rest:
                return None
            verb, found, rest = command.resolve_command(context, rest)
            assert found is not None
            assert verb is not None
            return usage_fault(found, verb, rest, context)
        if rest:
            return f"{context.command_path}: unexpected {' '.join(rest)}"
        check_values(command, context, values)
    except click.UsageError as error:
        return f"{context.command_path}: {error.format_message()}"
    return None


def check_values(command: click.Command, context: click.Context, values: dict[str, object]) -> None:
    """Raise click.UsageError for a choice that is not offered and for a required value that is not given.

    Other values (paths, addresses) belong to the reader's machine. After `--help` nothing else is needed.
    """
    parameters = command.get_params(context)
    if any(parameter.is_eager and parameter.name in values for parameter in parameters):
        return
    for parameter in parameters:
        given = values.get(parameter.name or "")
        if isinstance(parameter.type, click.Choice) and isinstance(given, str | list | tuple):
            parameter.type_cast_value(context, given)
        # An argument that was left out is present as click's own marker.
        is_given = isinstance(given, str | bool | list | tuple) and given != ()
        if parameter.required and not is_given:
            raise click.MissingParameter(ctx=context, param=parameter)


def shell_fault(block: Block, main: click.Command) -> str | None:
    try:
        faults = [command_fault(words, main) for words in commands(block)]
    except ValueError as error:
        return str(error)
    return next((fault for fault in faults if fault), None)


def parse_fault(parse: Callable[[str], object], text: str) -> str | None:
    try:
        parse(text)
    except (ValueError, SyntaxError) as error:
        return str(error)
    return None


def block_fault(block: Block, main: click.Command) -> str | None:
    """What is wrong with a block without running it, or None. Languages that nothing here can test are refused."""
    match block.language:
        case "bash" | "sh" | "console":
            return shell_fault(block, main)
        case "json":
            return parse_fault(json.loads, block.text)
        case "toml":
            return parse_fault(tomllib.loads, block.text)
        case "python":
            return parse_fault(lambda text: compile(text, str(block), "exec"), block.text)
        case "text":
            return None
    return f"no test knows the language {block.language!r}: use python, bash, console, json, toml, or text for output"


def run_python(page_blocks: list[Block]) -> None:
    """Run the Python blocks of one page in order and in one namespace, but those marked `python no-run`.

    A block with a file is saved in the current folder instead. Line numbers in tracebacks are those of the page.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in page_blocks:
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python" and "no-run" not in block.info:
            code = compile("\n" * (block.line - 1) + block.text, str(ROOT / block.page), "exec")
            exec(code, namespace)


def broken_links(page: str, text: str) -> list[str]:
    """The relative links of a page that lead to no file of this repository."""
    found = []
    for match in LINK.finditer(FENCE.sub("", text)):
        target = (match["target"] or match["html"]).split("#")[0]
        is_outside = re.match(r"[a-z]+:", target)
        if target and not is_outside and not (ROOT / PurePosixPath(page).parent / target).exists():
            found.append(f"{page}: {target}")
    return found
