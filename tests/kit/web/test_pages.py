"""What holds for every page: landmarks, names, references, headers (accessibility.md)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from deskgym_apps.kit.web.assets import digest, manifest

from .conftest import PAGES
from .naming import actionable, by_id, name_of, region_of, role_of

if TYPE_CHECKING:
    import flask
    from bs4 import BeautifulSoup

Draw = Callable[[str], "BeautifulSoup"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_labelled_landmarks_one_h1_a_title_and_a_skip_link(draw: Draw, path: str) -> None:
    soup = draw(path)
    assert len(soup.find_all("h1")) == 1
    assert soup.h1 is not None
    assert soup.h1["id"] == "page-title"
    assert soup.title is not None
    assert soup.title.get_text().endswith(" · Northbeam")
    for tag in ("header", "nav", "main", "footer"):
        assert soup.find_all(tag), tag
        assert all(name_of(soup, one) for one in soup.find_all(tag)), tag
    assert soup.select_one("body > a.skip-link[href='#main']")
    assert soup.select_one(".toasts[role=status]")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("widgets", ["aria", "native"])
def test_every_reference_between_elements_finds_its_element(draw: Draw, path: str, widgets: str) -> None:
    soup = draw(path + ("&" if "?" in path else "?") + f"widgets={widgets}")
    ids = [str(one["id"]) for one in soup.select("[id]")]
    assert [key for key, count in Counter(ids).items() if count > 1] == []
    for attribute in (
        "aria-labelledby",
        "aria-describedby",
        "aria-controls",
        "for",
        "popovertarget",
        "commandfor",
        "form",
    ):
        for element in soup.select(f"[{attribute}]"):
            for key in str(element[attribute]).split():
                assert by_id(soup, key), f"{attribute}={key} on {element.name}"


@pytest.mark.parametrize("path", PAGES)
def test_everything_that_can_be_used_has_a_name_and_leads_somewhere(draw: Draw, path: str) -> None:
    soup = draw(path)
    for element in actionable(soup):
        assert name_of(soup, element), str(element)[:200]
        assert element.get("href") not in ("#", ""), str(element)[:200]


@pytest.mark.parametrize("path", PAGES)
def test_no_two_usable_things_share_role_and_name_in_one_region(draw: Draw, path: str) -> None:
    soup = draw(path)
    seen = Counter((id(region_of(one)), role_of(one), name_of(soup, one)) for one in actionable(soup))
    assert [key[1:] for key, count in seen.items() if count > 1] == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_carries_no_inline_style_or_script(draw: Draw, path: str) -> None:
    soup = draw(path)
    assert not soup.select("[style], style, script:not([src])")
    assert not [one.name for one in soup.find_all() for attribute in one.attrs if attribute.startswith("on")]
    assert not [one for one in soup.select("[src], link[href]") if "//" in str(one.get("src") or one.get("href"))]


def test_every_answer_carries_the_strict_content_policy(gallery: flask.Flask) -> None:
    for path in ("/crm/", "/crm/missing", f"/kit/static/{digest()}/js/kit.js", "/kit/static/x/js/kit.js"):
        headers = gallery.test_client().get(path).headers
        assert headers["Content-Security-Policy"] == (
            "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; form-action 'self'; "
            "object-src 'none'; base-uri 'none'"
        )
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_only_the_files_of_the_manifest_are_served_and_kept_for_a_year(gallery: flask.Flask) -> None:
    client = gallery.test_client()
    for path, asset in manifest().items():
        answer = client.get(f"/kit/static/{digest()}/{path}")
        assert answer.status_code == 200
        assert answer.data == asset.body
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    for path in ("", "js", "js/", "js/../furniture.py", "../furniture.py", "css/tokens.css", "fonts/black.ttf"):
        assert client.get(f"/kit/static/{digest()}/{path}").status_code == 404, path
    assert client.get("/kit/static/0000000000000000/js/kit.js").status_code == 404


def test_the_same_page_is_the_same_bytes_twice(gallery: flask.Flask) -> None:
    for path in PAGES:
        assert gallery.test_client().get(path).data == gallery.test_client().get(path).data


def test_scripts_never_ask_the_browser_for_time_chance_or_a_native_dialog() -> None:
    for path, asset in manifest().items():
        if path.startswith("js/"):
            assert not re.search(
                rb"new Date\(\)|Date\.now|Math\.random|\b(alert|confirm|prompt)\(|innerHTML", asset.body
            ), path


def test_one_font_family_is_used_and_it_comes_from_the_font_package() -> None:
    css = manifest()["css/kit.css"].body.decode()
    assert set(re.findall(r"font-family: ([^;]+);|--font: ([^;]+);", css)) == {
        ('"Deskgym"', ""),
        ("var(--font)", ""),
        ("", '"Deskgym"'),
    }
    assert manifest()["fonts/regular.ttf"].body[:4] == b"\x00\x01\x00\x00"


def test_the_look_of_an_episode_stands_on_the_html_element(draw: Draw) -> None:
    html = draw("/crm/?theme=dark&accent=teal&density=compact&widgets=native").html
    assert html is not None
    shown = {key: html[key] for key in html.attrs}
    assert shown == {
        "lang": "en", "data-busy": "0", "data-theme": "dark", "data-accent": "teal", "data-bs-theme": "dark",
        "data-density": "compact", "data-widgets": "native", "data-today": "2027-05-14", "data-app": "crm",
    }  # fmt: skip


def test_the_look_changes_nothing_but_the_look(draw: Draw) -> None:
    def outline(path: str) -> list[tuple[str, str]]:
        soup = draw(path)
        return [(role_of(one), name_of(soup, one)) for one in actionable(soup)]

    for path in PAGES:
        joint = "&" if "?" in path else "?"
        assert outline(path) == outline(f"{path}{joint}theme=contrast&accent=teal&density=compact&widgets=native")
