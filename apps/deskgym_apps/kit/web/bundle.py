"""The script modules of the kit as one: a page asks for one file, and the browser for no further ones.

    text = bundle({"kit": "import * as menus from \\"./menus.js\\"; …", "menus": "export function start() {…}"}, "kit")

Each module stays a scope of its own, run once, after those that it imports and in the order of its imports, as the
browser runs them. What a module imports or exports stands in lines of four forms; anything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SOME = re.compile(r'import \{ ([\w, ]+) \} from "\./(\w+)\.js";')
_ALL = re.compile(r'import \* as (\w+) from "\./(\w+)\.js";')
_EXPORT = re.compile(r"export ((?:async )?function|class) (\w+)")
_IMPORT_OR_EXPORT = re.compile(r"(?:import|export)\b")


def bundle(modules: Mapping[str, str], first: str) -> str:
    """`first` and all that it imports as one module. `modules`: text by name, without `.js`.

    Raises ValueError for an import in a circle, of no module, or of a form that is not known; and for such an export.
    """
    done: dict[str, str] = {}
    _add(modules, first, done, ())
    return "\n".join(done.values()) + "\n"


def _add(modules: Mapping[str, str], name: str, done: dict[str, str], way: tuple[str, ...]) -> None:
    if name in done:
        return
    if name in way:
        raise ValueError(f"{name}.js imports itself by way of {', '.join(way)}")
    if name not in modules:
        raise ValueError(f"{way[-1] if way else 'a page'} imports {name}.js, which does not exist")
    lines, given = [], []
    for line in modules[name].splitlines():
        if not _IMPORT_OR_EXPORT.match(line):
            lines.append(line)
        elif exported := _EXPORT.match(line):
            given.append(exported[2])
            lines.append(line.removeprefix("export "))
        else:
            bound, source = _imported(name, line)
            _add(modules, source, done, (*way, name))
            lines.append(f"const {bound} = _{source};")
    done[name] = "\n".join((f"const _{name} = (() => {{", *lines, f"return {{ {', '.join(given)} }};", "})();"))


def _imported(name: str, line: str) -> tuple[str, str]:
    """What an import binds, and the module that it imports from."""
    if some := _SOME.fullmatch(line):
        return f"{{ {some[1]} }}", some[2]
    if whole := _ALL.fullmatch(line):
        return whole[1], whole[2]
    raise ValueError(f'{name}.js has a line that cannot be bundled: "{line}"')
