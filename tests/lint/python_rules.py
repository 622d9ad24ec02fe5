"""Rules that are read off the syntax tree of Python files."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from .source import PACKAGES, Remark, Rule, Source, below

EXACT_ROOMS = ("apps", "seeds", "graders")
CLOCKS = {
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "time.time",
    "time.time_ns",
    "time.localtime",
    "time.gmtime",
    "time.ctime",
    "time.strftime",
}
CHANCE = ("random", "secrets", "uuid.uuid1", "uuid.uuid4", "os.urandom", "numpy.random")
CODE_AS_DATA = ("pickle", "marshal", "shelve", "dill", "cloudpickle")
SQL_CLOCK = re.compile(
    r"\bCURRENT_(TIMESTAMP|DATE|TIME)\b|\b(date|time|datetime|julianday|unixepoch|strftime)\s*\([^()]*'now'",
    re.I,
)
SQL_CHANCE = re.compile(r"\brandom(blob)?\s*\(", re.I)
SQL_REPLACE = re.compile(r"\bOR\s+REPLACE\b|\bREPLACE\s+INTO\b", re.I)


def imported_names(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Each name that an import binds, with the full name it stands for."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def outside_names(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that is imported, or reached through an import: `time.time`."""
    names = imported_names(nodes)
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for full in imported_names([node]).values():
                yield node.lineno, full
        elif isinstance(node, ast.Attribute):
            parts = [node.attr]
            value: ast.expr = node.value
            while isinstance(value, ast.Attribute):
                parts.append(value.attr)
                value = value.value
            if isinstance(value, ast.Name) and value.id in names:
                yield node.lineno, ".".join([names[value.id], *reversed(parts)])


def texts(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and value of every string in the code, docstrings left out."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def builtin_calls(nodes: Sequence[ast.AST], *names: str) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node.lineno, node.func.id


def comes_from(full: str, *modules: str) -> bool:
    return any(full == module or full.startswith(module + ".") for module in modules)


def reads_the_clock(source: Source) -> Iterator[Remark]:
    for line, full in outside_names(source.nodes):
        if full in CLOCKS:
            yield line, f"{full} reads the machine's clock"
    for line, text in texts(source.nodes):
        if SQL_CLOCK.search(text):
            yield line, "this SQL reads the machine's clock"


def uses_chance(source: Source) -> Iterator[Remark]:
    for line, full in outside_names(source.nodes):
        if comes_from(full, *CHANCE):
            yield line, f"{full} is not a named stream"
    for line, name in builtin_calls(source.nodes, "hash"):
        yield line, f"{name}() of a text differs from process to process"
    for line, text in texts(source.nodes):
        if SQL_CHANCE.search(text):
            yield line, "this SQL draws at random"


def makes_secrets(source: Source) -> Iterator[Remark]:
    for line, full in outside_names(source.nodes):
        if comes_from(full, "secrets", "uuid.uuid1", "uuid.uuid4", "os.urandom"):
            yield line, f"{full} outside control and episode"


def may_not_make_secrets(path: PurePosixPath) -> bool:
    """Everything in `deskgym` but the modules or packages named control, episode and pool."""
    is_maker = any(PurePosixPath(part).stem in {"control", "episode", "pool"} for part in path.parts)
    return below("agents_api", suffix=".py")(path) and not is_maker


def runs_data(source: Source) -> Iterator[Remark]:
    for line, name in builtin_calls(source.nodes, "eval", "exec"):
        yield line, f"{name}() runs data as code"
    for line, full in outside_names(source.nodes):
        if comes_from(full, *CODE_AS_DATA):
            yield line, f"{full} runs data as code when it is read"


def swallows_errors(source: Source) -> Iterator[Remark]:
    for node in source.nodes:
        if isinstance(node, ast.ExceptHandler):
            if node.type is None:
                yield node.lineno, "bare except"
            elif is_any_error(node.type) and all(does_nothing(step) for step in node.body):
                yield node.lineno, "every error is swallowed"
        elif isinstance(node, ast.Call) and any(map(is_any_error, node.args)):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "suppress":
                yield node.lineno, "every error is swallowed"


def is_any_error(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return any(map(is_any_error, node.elts))
    return isinstance(node, ast.Name) and node.id in {"Exception", "BaseException"}


def does_nothing(step: ast.stmt) -> bool:
    is_constant = isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant)
    return is_constant or isinstance(step, ast.Pass | ast.Continue)


def replaces_rows(source: Source) -> Iterator[Remark]:
    for line, text in texts(source.nodes):
        if SQL_REPLACE.search(text):
            yield line, "REPLACE deletes rows behind the journal's back"
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            for keyword in node.keywords:
                is_true = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                if keyword.arg == "replace" and is_true and node.func.attr.startswith("insert"):
                    yield node.lineno, "replace=True deletes rows behind the journal's back"


def app_of(path: PurePosixPath) -> str | None:
    """The app that a file belongs to, by folder name; None for the kit and for what joins the apps."""
    parts = path.parts
    if len(parts) > 3 and path.is_relative_to("apps/deskgym_apps") and path.suffix == ".py":
        return parts[2]
    return None


def imports_beyond_the_kit(source: Source) -> Iterator[Remark]:
    app = app_of(source.path)
    package = source.path.parts[1:-1]
    for node in source.nodes:
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            prefix = ".".join([*start, *([node.module] if node.module else [])])
            targets = [f"{prefix}.{alias.name}" for alias in node.names]
        else:
            continue
        for target in targets:
            if comes_from(target, "deskgym_apps") and not comes_from(target, "deskgym_apps.kit", f"deskgym_apps.{app}"):
                yield node.lineno, f"{app} imports {target}; an app may import the kit and itself"


RULES = [
    Rule(
        "no wall clock",
        "the time of an episode is a row of its store",
        below(*EXACT_ROOMS, suffix=".py"),
        reads_the_clock,
        broken=(
            ("apps/deskgym_apps/crm/a.py", "import datetime\nx = datetime.datetime.now()"),
            ("apps/deskgym_apps/crm/b.py", "from datetime import datetime as dt\nx = dt.utcnow()"),
            ("seeds/deskgym_seeds/a.py", "from datetime import date\nx = date.today()"),
            ("graders/deskgym_graders/a.py", "import time\nx = time.time()"),
            ("graders/deskgym_graders/b.py", "from time import time"),
            ("apps/deskgym_apps/crm/c.py", "db.execute(\"SELECT datetime('now')\")"),
            ("apps/deskgym_apps/crm/d.py", 'sql = "DEFAULT CURRENT_TIMESTAMP"'),
        ),
        kept=(
            ("apps/deskgym_apps/crm/e.py", "from ..kit import clock\nx = clock.now(store)"),
            ("seeds/deskgym_seeds/b.py", '"""Never calls datetime(\'now\')."""\nimport datetime'),
            ("agents_api/deskgym/a.py", "import time\nx = time.time()"),
        ),
    ),
    Rule(
        "no unnamed chance",
        "the same world must come out on every machine",
        below(*EXACT_ROOMS, suffix=".py"),
        uses_chance,
        broken=(
            ("seeds/deskgym_seeds/a.py", "import random"),
            ("seeds/deskgym_seeds/b.py", "from numpy import random"),
            ("apps/deskgym_apps/kit/a.py", "import uuid\nx = uuid.uuid4()"),
            ("apps/deskgym_apps/kit/b.py", "from secrets import token_hex"),
            ("graders/deskgym_graders/a.py", "import os\nx = os.urandom(8)"),
            ("graders/deskgym_graders/b.py", "x = hash('a')"),
            ("apps/deskgym_apps/kit/c.py", 'sql = "SELECT * FROM t ORDER BY RANDOM()"'),
        ),
        kept=(("seeds/deskgym_seeds/c.py", "from .streams import Stream\nx = Stream('a').uniform(1, 6)"),),
    ),
    Rule(
        "secrets come from control and episode",
        "two modules make tokens, so two modules are audited",
        may_not_make_secrets,
        makes_secrets,
        broken=(
            ("agents_api/deskgym/gym.py", "import secrets"),
            ("agents_api/deskgym/run/rollout.py", "from uuid import uuid4"),
        ),
        kept=(
            ("agents_api/deskgym/control.py", "import secrets"),
            ("agents_api/deskgym/episode/tokens.py", "import secrets"),
        ),
    ),
    Rule(
        "no data run as code",
        "run folders and answers come from strangers",
        below(*PACKAGES, suffix=".py"),
        runs_data,
        broken=(
            ("graders/deskgym_graders/a.py", "x = eval('1')"),
            ("agents_api/deskgym/a.py", "exec('x = 1')"),
            ("agents_api/deskgym/b.py", "import pickle"),
            ("agents_api/deskgym/c.py", "from pickle import loads"),
        ),
        kept=(("agents_api/deskgym/d.py", "page.evaluate('1')\ndb.execute('SELECT 1')"),),
    ),
    Rule(
        "no swallowed errors",
        "a failed read must never look like an empty result",
        below(*PACKAGES, "tests", suffix=".py"),
        swallows_errors,
        broken=(
            ("apps/deskgym_apps/kit/a.py", "try:\n    f()\nexcept:\n    raise"),
            ("graders/deskgym_graders/a.py", "try:\n    f()\nexcept Exception:\n    pass"),
            ("tests/kit/test_a.py", "try:\n    f()\nexcept (ValueError, BaseException):\n    ..."),
            (
                "agents_api/deskgym/a.py",
                "from contextlib import suppress\nwith suppress(Exception):\n    f()",
            ),
        ),
        kept=(
            ("agents_api/deskgym/b.py", "try:\n    f()\nexcept KeyError:\n    pass"),
            ("agents_api/deskgym/c.py", "try:\n    f()\nexcept Exception as error:\n    report(error)"),
        ),
    ),
    Rule(
        "no row is replaced",
        "REPLACE deletes and inserts, which is another change than the one that was asked for",
        below(*PACKAGES, suffix=".py"),
        replaces_rows,
        broken=(
            ("apps/deskgym_apps/crm/a.py", 'db.execute("INSERT or replace INTO t VALUES (1)")'),
            ("apps/deskgym_apps/crm/b.py", 'db.execute(f"REPLACE INTO {table} VALUES (1)")'),
            ("seeds/deskgym_seeds/a.py", "db['t'].insert_all(rows, replace=True)"),
        ),
        kept=(("apps/deskgym_apps/crm/c.py", "x = 'a'.replace('a', 'b')"),),
    ),
    Rule(
        "apps do not know each other",
        "an app can be added or removed as one folder",
        lambda path: app_of(path) not in {None, "kit"},
        imports_beyond_the_kit,
        broken=(
            ("apps/deskgym_apps/crm/a.py", "from ..stays import service"),
            ("apps/deskgym_apps/crm/service/b.py", "from ...stays.service import book"),
            ("apps/deskgym_apps/newcomer/c.py", "import deskgym_apps.crm.service"),
            ("apps/deskgym_apps/crm/d.py", "from .. import server"),
        ),
        kept=(
            (
                "apps/deskgym_apps/crm/service/e.py",
                "from ...kit import store\nfrom . import stages\nimport flask",
            ),
        ),
    ),
    Rule(
        "the kit knows no app",
        "every app is made of the kit",
        lambda path: app_of(path) == "kit",
        imports_beyond_the_kit,
        broken=(("apps/deskgym_apps/kit/a.py", "from ..crm import roles"),),
        kept=(("apps/deskgym_apps/kit/b.py", "from . import clock\nfrom .store import Store"),),
    ),
]
