"""Icons from the set that Bootstrap-Flask ships, drawn inline so that a page needs no sprite."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from markupsafe import Markup

SPRITE = files("flask_bootstrap") / "static/bootstrap5/icons/bootstrap-icons.svg"


def _shapes(name: str) -> Markup:
    text = SPRITE.read_text(encoding="utf-8")
    found = re.search(rf'<symbol class="bi bi-{re.escape(name)}"[^>]*>(.*?)</symbol>', text, re.DOTALL)
    if found is None:
        known = re.findall(r'<symbol class="bi bi-([^"]+)"', text)
        near = ", ".join(get_close_matches(name, known, 3)) or "none near"
        raise LookupError(f"unknown icon {name!r}; nearest: {near}")
    return Markup(found.group(1))


@cache
def icon(name: str, css: str = "") -> Markup:
    """Return a decorative SVG icon (hidden from the accessibility tree). Raises LookupError."""
    return Markup(
        '<svg class="icon {}" viewBox="0 0 16 16" width="16" height="16" fill="currentColor"'
        ' aria-hidden="true" focusable="false">{}</svg>'
    ).format(css, _shapes(name))
