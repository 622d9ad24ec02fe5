"""Rules for what a browser loads (templates, scripts, style sheets) and for SQL files."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import PurePosixPath

from .python_rules import SQL_CHANCE, SQL_CLOCK, SQL_REPLACE, texts
from .source import Remark, Rule, Source, below

JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
# The names of XML vocabularies look like addresses and are never fetched.
ADDRESS = re.compile(r"https?://(?!www\.w3\.org/)|(?:src|href|url)\s*[=(]\s*[\"']?//", re.I)
SCRIPT_CLOCK = re.compile(r"\bnew\s+Date\b(?!\s*\()|\bnew\s+Date\s*\(\s*\)|\bDate\.now\b|(?<![\w.])(?<!new )Date\s*\(")
SCRIPT_CHANCE = re.compile(r"\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b")
SCRIPT_EVAL = re.compile(r"(?<![\w.])eval\s*\(|\bnew\s+Function\b|setAttribute\(\s*[\"'](style|on\w+)[\"']")
SQL_COMMENT = re.compile(r"--.*")
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//.*", re.S | re.M)


def blank(pattern: re.Pattern[str], text: str) -> str:
    """The text without the matches of the pattern, every line still in its place."""
    return pattern.sub(lambda match: "\n" * match.group().count("\n"), text)


def lines_with(pattern: re.Pattern[str], text: str, what: str) -> Iterator[Remark]:
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, f"{what}: {match.group().strip()}"


class Markup(HTMLParser):
    """Collects what `default-src 'self'` would block: inline styles, handlers and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.remarks: list[Remark] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        given = dict(attrs)
        if tag == "style":
            self.remarks.append((line, "<style> in a page"))
        # A block of JSON is data: nothing runs it, and the policy lets it stand.
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.remarks.append((line, "<script> without src"))
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.remarks.append((line, f"inline {name}="))
            if (value or "").strip().lower().startswith("javascript:"):
                self.remarks.append((line, f"code in {name}="))


def markup_remarks(text: str) -> list[Remark]:
    markup = Markup()
    markup.feed(blank(JINJA, text))
    markup.close()
    return markup.remarks


def is_blocked_by_policy(source: Source) -> Iterator[Remark]:
    if source.path.suffix == ".html":
        yield from markup_remarks(source.text)
    elif source.path.suffix == ".js":
        yield from lines_with(SCRIPT_EVAL, blank(SCRIPT_COMMENT, source.text), "blocked by the policy")
    else:
        for line, text in texts(source.nodes):
            if "<" in text:
                yield from ((line + at - 1, what) for at, what in markup_remarks(text))


def makes_markup(path: PurePosixPath) -> bool:
    return below("apps")(path) and path.suffix in {".html", ".js", ".py"}


def is_page_file(path: PurePosixPath) -> bool:
    return below("apps")(path) and ("templates" in path.parts or "static" in path.parts)


def calls_outside(source: Source) -> Iterator[Remark]:
    yield from lines_with(ADDRESS, source.text, "an address outside")


def script_reads_clock(source: Source) -> Iterator[Remark]:
    yield from lines_with(SCRIPT_CLOCK, blank(SCRIPT_COMMENT, source.text), "reads the machine's clock")


def script_uses_chance(source: Source) -> Iterator[Remark]:
    yield from lines_with(SCRIPT_CHANCE, blank(SCRIPT_COMMENT, source.text), "is not a named stream")


def sql_is_inexact(source: Source) -> Iterator[Remark]:
    code = blank(SQL_COMMENT, source.text)
    yield from lines_with(SQL_CLOCK, code, "reads the machine's clock")
    yield from lines_with(SQL_CHANCE, code, "draws at random")
    yield from lines_with(SQL_REPLACE, code, "deletes rows behind the journal's back")


RULES = [
    Rule(
        "pages obey the content security policy",
        "the browser drops inline code without a word",
        makes_markup,
        is_blocked_by_policy,
        broken=(
            ("apps/deskgym_apps/crm/templates/a.html", '<p\n  style="color: red">'),
            ("apps/deskgym_apps/crm/templates/b.html", '<a href="{{ url }}" onclick="go()">Go</a>'),
            ("apps/deskgym_apps/crm/templates/c.html", "<script>go()</script>"),
            ("apps/deskgym_apps/crm/templates/d.html", "<style>p { margin: 0 }</style>"),
            ("apps/deskgym_apps/crm/templates/e.html", '<a href="javascript:go()">Go</a>'),
            ("apps/deskgym_apps/crm/static/a.js", 'node.setAttribute("style", "top: 0")'),
            ("apps/deskgym_apps/crm/static/b.js", 'const go = new Function("x", "return x")'),
            ("apps/deskgym_apps/crm/a.py", "x = Markup('<p style=\"top: 0\">')"),
        ),
        kept=(
            (
                "apps/deskgym_apps/crm/templates/f.html",
                '{{ button(style="primary") }}<p class="style">on=</p>',
            ),
            ("apps/deskgym_apps/crm/templates/g.html", '<script type="module" src="/static/a.js"></script>'),
            ("apps/deskgym_apps/crm/templates/h.html", '<script type="application/json">[1]</script>'),
            ("apps/deskgym_apps/crm/static/c.js", "node.style.top = `${y}px`; model.eval(1) // eval(x)"),
        ),
    ),
    Rule(
        "pages ask nobody else",
        "an episode must run without a network and be the same in ten years",
        is_page_file,
        calls_outside,
        broken=(
            ("apps/deskgym_apps/crm/templates/a.html", '<link href="https://fonts.example/a.css">'),
            ("apps/deskgym_apps/crm/templates/b.html", '<script src="//cdn.example/a.js"></script>'),
            ("apps/deskgym_apps/kit/static/a.css", "@import url(http://fonts.example/a.css);"),
        ),
        kept=(
            ("apps/deskgym_apps/kit/templates/c.html", '<svg xmlns="http://www.w3.org/2000/svg"></svg>'),
            ("apps/deskgym_apps/kit/static/b.js", "// a comment\nconst x = a / b"),
        ),
    ),
    Rule(
        "scripts read no clock",
        "the time of an episode comes with the page",
        below("apps", suffix=".js"),
        script_reads_clock,
        broken=(
            ("apps/deskgym_apps/kit/static/a.js", "const t = Date.now()"),
            ("apps/deskgym_apps/kit/static/b.js", "const t = new Date( )"),
            ("apps/deskgym_apps/kit/static/c.js", "const t = new Date"),
            ("apps/deskgym_apps/kit/static/d.js", "const t = Date()"),
        ),
        kept=(
            (
                "apps/deskgym_apps/kit/static/e.js",
                "const t = new Date(Date.UTC(2027, 0, 1)) // not Date.now()",
            ),
            ("apps/deskgym_apps/kit/static/f.js", "showDate(x); picker.Date(x); const d = new Date(text)"),
        ),
    ),
    Rule(
        "scripts use no chance",
        "the same page must come out twice",
        below("apps", suffix=".js"),
        script_uses_chance,
        broken=(
            ("apps/deskgym_apps/kit/static/a.js", "const x = Math.random()"),
            ("apps/deskgym_apps/kit/static/b.js", "const x = crypto.randomUUID()"),
        ),
        kept=(("apps/deskgym_apps/kit/static/c.js", "const x = Math.round(1.5)"),),
    ),
    Rule(
        "schemas are exact",
        "what SQLite fills in by itself is not in the journal's command",
        below("apps", "seeds", "graders", "agents_api", suffix=".sql"),
        sql_is_inexact,
        broken=(
            ("apps/deskgym_apps/crm/schema.sql", "CREATE TABLE t (a TEXT DEFAULT CURRENT_TIMESTAMP) STRICT;"),
            ("apps/deskgym_apps/crm/seed.sql", "INSERT\n  OR REPLACE INTO t VALUES (1);"),
            ("seeds/deskgym_seeds/a.sql", "SELECT random();"),
        ),
        kept=(("apps/deskgym_apps/kit/schema.sql", "-- never OR REPLACE\nCREATE TABLE t (a TEXT) STRICT;"),),
    ),
]
