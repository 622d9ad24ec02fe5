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

from .page_parts import PageParts

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
            parts = PageParts(answer.text)
            self.dead += [f"{address}: {fault}" for fault in dead_parts(parts)]
            for link in links(parts):
                there = urljoin(address, link)
                self._kinds[kind_of(there)] += there not in self._known
                if there not in self._known and self._kinds[kind_of(there)] <= OF_A_KIND:
                    waiting.append((there, address))
                self._known.add(there)
            self.presses += list(presses(address, parts))

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
            fresh = list(presses(known.page, PageParts(page.text)))
            same = next((one for one in fresh if one.action == known.action), None)
            if same is None:
                continue
            done += 1
            answer = self.client.post(same.action, data=dict(same.fields), follow_redirects=True)
            if answer.status_code not in (200, 409, 422):
                self.dead.append(f"{known.page}: pressing {same.action} answers {answer.status_code}")
        return done


def links(page: PageParts) -> Iterator[str]:
    """Addresses inside the site, templates of inline editors included; of a GET form the address it asks."""
    yield from (target for target in page.addresses if target.startswith(("/", "?")))
    for form in page.forms:
        if form.given.get("method") == "get":
            yield form.given["action"] + "?" + "&".join(f"{name}={value}" for name, value in form.values())


def presses(address: str, page: PageParts) -> Iterator[Press]:
    """The buttons of the forms that post."""
    for form in page.forms:
        for button in form.buttons if form.given.get("method") == "post" else ():
            if button.given.get("type") == "submit" and "disabled" not in button.given:
                action = button.given.get("formaction") or form.given.get("action", "")
                own = [(button.given["name"], button.given.get("value", ""))] if button.given.get("name") else []
                yield Press(address, urljoin(address, action), (*form.values(), *own))


def dead_parts(page: PageParts) -> Iterator[str]:
    """What looks alive and leads nowhere."""
    for target in page.anchors:
        if not target.startswith(("/", "?", "#", "mailto:", "tel:", "https://")):
            yield f'a link leads to "{target}"'
        elif target.startswith("#") and target[1:] not in page.ids:
            yield f"a link leads to {target}, which is not there"
    for button in page.buttons:
        targets = [button.given[name] for name in _TARGETS if button.given.get(name)]
        if any(target not in page.ids for target in targets):
            yield f"a button is for {targets}, which is not there"
        hooked = targets or any(name in button.given for name in _HOOKS)
        submits = button.given.get("type") == "submit" and (button.given.get("form") in page.ids or button.in_form)
        if not (hooked or submits or "data-dialog-open" in button.given):
            yield f"a button does nothing: {button.tag}"
    if "lorem ipsum" in "".join(page.texts).lower():
        yield "text that means nothing"
