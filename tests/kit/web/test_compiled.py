"""Compiled templates are shared by the applications of a process, and never served for another text."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest

from deskgym_apps.kit.web.compiled import Compiled

from .conftest import PAGES
from .gallery import create_gallery


def test_a_second_application_compiles_nothing_and_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str | None] = []
    compile_template = jinja2.Environment.compile

    def counted(self: jinja2.Environment, source: Any, name: str | None = None, *rest: Any, **more: Any) -> Any:
        compiled.append(name)
        return compile_template(self, source, name, *rest, **more)

    first = {path: create_gallery().test_client().get(path).text for path in PAGES}
    monkeypatch.setattr(jinja2.Environment, "compile", counted)
    second = create_gallery().test_client()

    assert {path: second.get(path).text for path in PAGES} == first
    assert compiled == []


def test_another_text_under_the_same_name_is_compiled_anew() -> None:
    shared = Compiled()

    def drawn(text: str) -> str:
        loader = jinja2.DictLoader({"page.html": text})
        return jinja2.Environment(loader=loader, bytecode_cache=shared).get_template("page.html").render(name="Ana")

    assert drawn("Good day, {{ name }}.") == "Good day, Ana."
    assert drawn("Bye, {{ name }}.") == "Bye, Ana."
    assert drawn("Good day, {{ name }}.") == "Good day, Ana."
