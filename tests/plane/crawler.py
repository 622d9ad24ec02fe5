"""Follows every link and presses every button of the pages, as one person, without a script (X-17).

Addresses that only differ in ids or in the values of their query are one kind; one of each kind is tried.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx
from bs4 import BeautifulSoup, Tag

OF_A_KIND = 1
HOMES = ("/desk", "/crm/")
_ID = re.compile(r"\b[A-Z]{3}[0-9A-Z]{12}\b")
_HOOKS = ("data-dismiss", "data-clear", "data-calendar", "data-select-matching", "data-select-none", "data-move")
_TARGETS = ("popovertarget", "commandfor", "data-disclose")


def kind_of(address: str) -> str:
    """An address without what tells records, pages and values apart; stages stay."""
    parts = urlsplit(address)
    kept = {name: value if name == "stage" else "" for name, value in parse_qsl(parts.query)}
    return _ID.sub("*", parts.path) + "?" + "&".join(f"{name}={value}" for name, value in sorted(kept.items()))


@dataclass(frozen=True)
class Press:
    """A button of a form: where it stands, where it goes and what it sends."""

    page: str
    action: str
    fields: tuple[tuple[str, str], ...]


@dataclass
class Crawler:
    """One person's browser, what it saw, and what was dead."""

    client: httpx.Client
    dead: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    _kinds: Counter[str] = field(default_factory=Counter)
    _known: set[str] = field(default_factory=set)

    def walk(self) -> None:
        """Visit every kind of page that links lead to from the homes."""
        waiting = deque((home, "start") for home in HOMES)
        while waiting:
            address, source = waiting.popleft()
            answer = self.client.get(address, follow_redirects=True)
            if answer.status_code != 200:
                self.dead.append(f"{source} leads to {address}: {answer.status_code}")
                continue
            self.pages.append(address)
            soup = BeautifulSoup(answer.text, "html.parser")
            self.dead += [f"{address}: {fault}" for fault in dead_parts(soup)]
            for link in links(soup):
                there = urljoin(address, link)
                self._kinds[kind_of(there)] += there not in self._known
                if there not in self._known and self._kinds[kind_of(there)] <= OF_A_KIND:
                    waiting.append((there, address))
                self._known.add(there)
            self.presses += list(presses(address, soup))

    def press(self) -> int:
        """Press a button of each kind, on a page fetched anew. Returns how many were pressed."""
        kinds: Counter[str] = Counter()
        done = 0
        for known in self.presses:
            kind = f"{kind_of(known.page)} {kind_of(known.action)}"
            kinds[kind] += 1
            page = self.client.get(known.page) if kinds[kind] <= OF_A_KIND else None
            if page is None or page.status_code != 200:  # the record may be gone by a press of ours
                continue
            fresh = list(presses(known.page, BeautifulSoup(page.text, "html.parser")))
            same = next((one for one in fresh if one.action == known.action), None)
            if same is None:
                continue
            done += 1
            answer = self.client.post(same.action, data=dict(same.fields), follow_redirects=True)
            if answer.status_code not in (200, 409, 422):
                self.dead.append(f"{known.page}: pressing {same.action} answers {answer.status_code}")
        return done


def links(soup: BeautifulSoup) -> Iterator[str]:
    """Addresses inside the site, templates of inline editors included; of a GET form the address it asks."""
    for link in soup.select("a[href], [data-dialog-href], [data-url]"):
        for name in ("href", "data-dialog-href", "data-url"):
            target = str(link.get(name) or "")
            if target.startswith(("/", "?")):
                yield target
    for form in soup.select("form[method=get]"):
        yield str(form["action"]) + "?" + "&".join(f"{name}={value}" for name, value in values(form))


def values(form: Tag) -> list[tuple[str, str]]:
    """What a browser sends of a form that nobody touched, but for its buttons."""
    found = []
    for control in form.select("input[name], select[name], textarea[name]"):
        name = str(control["name"])
        if control.name == "select":
            chosen = control.select_one("option[selected]") or control.select_one("option")
            found.append((name, str(chosen["value"]) if chosen else ""))
        elif control.name == "textarea":
            found.append((name, control.get_text()))
        elif control.get("type") not in ("checkbox", "radio") or control.has_attr("checked"):
            found.append((name, str(control.get("value", ""))))
    return found


def presses(address: str, soup: BeautifulSoup) -> Iterator[Press]:
    """The buttons of the forms that post."""
    for form in soup.select("form[method=post]"):
        for button in form.select("button[type=submit]:not([disabled])"):
            action = str(button.get("formaction") or form.get("action") or "")
            own = [(str(button["name"]), str(button.get("value", "")))] if button.get("name") else []
            yield Press(address, urljoin(address, action), (*values(form), *own))


def dead_parts(soup: BeautifulSoup) -> Iterator[str]:
    """What looks alive and leads nowhere."""
    ids = {str(one["id"]) for one in soup.select("[id]")}
    for link in soup.select("a"):
        target = str(link.get("href") or "")
        if not target.startswith(("/", "?", "#", "mailto:", "tel:", "https://")):
            yield f'a link leads to "{target}"'
        elif target.startswith("#") and target[1:] not in ids:
            yield f"a link leads to {target}, which is not there"
    for button in soup.select("button"):
        targets = [str(button[name]) for name in _TARGETS if button.get(name)]
        if any(target not in ids for target in targets):
            yield f"a button is for {targets}, which is not there"
        hooked = targets or any(button.has_attr(name) for name in _HOOKS)
        submits = button.get("type") == "submit" and (
            button.get("form") in ids or button.find_parent("form") is not None
        )
        if not (hooked or submits or button.has_attr("data-dialog-open")):
            yield f"a button does nothing: {button}"
    if "lorem ipsum" in soup.get_text().lower():
        yield "text that means nothing"
