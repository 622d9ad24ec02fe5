"""Reads names and regions out of rendered HTML, as far as the kit's own markup needs it."""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag

REGIONS = ("nav", "main", "aside", "footer", "header", "dialog", "tr")
REGION_ROLES = ("menu", "group", "search", "region", "status")


def by_id(soup: BeautifulSoup, key: str) -> Tag | None:
    """The element with an id."""
    return soup.find(id=key)


def name_of(soup: BeautifulSoup, element: Tag) -> str:
    """The accessible name: aria-labelledby, aria-label, <label for>, else the text."""
    ids = str(element.get("aria-labelledby") or "").split()
    if ids:
        return " ".join(found.get_text(" ", strip=True) for key in ids if (found := by_id(soup, key)))
    if label := element.get("aria-label"):
        return str(label)
    if element.name in ("input", "select", "textarea") and element.get("id"):
        tied = soup.find("label", attrs={"for": str(element["id"])})
        return tied.get_text(" ", strip=True) if tied else ""
    return element.get_text(" ", strip=True)


def role_of(element: Tag) -> str:
    """The role, explicit or implied by the tag."""
    if role := element.get("role"):
        return str(role)
    return {"a": "link", "select": "combobox", "textarea": "textbox"}.get(
        element.name, str(element.get("type") or element.name)
    )


def actionable(soup: BeautifulSoup) -> list[Tag]:
    """Every link, button and field that can be used, in document order."""
    found = soup.select("a[href], button, input:not([type=hidden]), select, textarea")
    return found


def region_of(element: Tag) -> Tag:
    """The nearest named landmark, group, row, dialog or menu around an element."""
    for parent in element.parents:
        named = parent.get("aria-label") or parent.get("aria-labelledby")
        if parent.name in ("section", "form", "ul") and named:
            return parent
        if parent.name == "fieldset" or parent.get("role") in REGION_ROLES or parent.name in REGIONS:
            return parent
        if parent.name == "body":
            return parent
    raise ValueError(f"{element.name} stands outside a page")
