"""Things a person can press or follow: buttons, menu entries, links, navigation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Pairs = tuple[tuple[str, str], ...]
"""Hidden form fields as (name, value), in order."""


@dataclass(frozen=True, kw_only=True)
class MenuItem:
    """One entry of a menu, or one button.

    Exactly one target is expected: `href` (a page), `post` (a form action sent with `fields`),
    `dialog` (the id of a dialog on the same page), or `dialog_href` (a page whose form is shown in
    a dialog; without JavaScript the page itself opens).
    """

    label: str
    href: str = ""
    post: str = ""
    dialog: str = ""
    dialog_href: str = ""
    fields: Pairs = ()
    icon: str = ""
    danger: bool = False
    primary: bool = False
    current: bool = False
    name: str = ""
    """Accessible name where the visible label alone is not unique; starts with the label."""

    def __post_init__(self) -> None:
        targets = [self.href, self.post, self.dialog, self.dialog_href]
        if sum(bool(target) for target in targets) != 1:
            raise ValueError(
                f"MenuItem {self.label!r} needs exactly one of href, post, dialog, dialog_href; got {targets}"
            )


@dataclass(frozen=True)
class Link:
    """A text link."""

    label: str
    href: str


@dataclass(frozen=True)
class NavLink:
    """One object tab of the app bar; `current` marks the section being shown."""

    label: str
    href: str
    icon: str = ""
    current: bool = False


@dataclass(frozen=True)
class Nav:
    """The object tabs of an app. `label` names the navigation landmark."""

    label: str
    links: tuple[NavLink, ...]


@dataclass(frozen=True)
class Person:
    """The signed-in person as the app bar shows them."""

    name: str
    detail: str = ""
    menu: tuple[MenuItem, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Shell:
    """What surrounds every page of one app: brand, tabs, search, New menu, notifications, person."""

    app: str
    app_name: str
    home_href: str
    nav: Nav
    person: Person
    search_href: str = ""
    search_label: str = "Search"
    search_value: str = ""
    new_items: tuple[MenuItem, ...] = ()
    notifications_href: str = ""
    notifications_unread: int = 0
    footer: tuple[Link, ...] = ()
    footer_note: str = ""


@dataclass(frozen=True)
class Toast:
    """A message about what just happened. `tone` is success, info, warning or danger."""

    text: str
    tone: Literal["success", "info", "warning", "danger"] = "success"
    link: Link | None = None


@dataclass(frozen=True)
class Banner:
    """A line above every page of an episode, with nothing to press but perhaps a link. `name` is its region's name."""

    name: str
    text: str
    icon: str = "info-circle-fill"
    tone: Literal["info", "warning"] = "info"
    link: Link | None = None


@dataclass(frozen=True)
class Look:
    """How one episode's pages are drawn (DESIGN §4 Variation); no value may change behaviour.

    `today` is the acting person's date as YYYY-MM-DD: the date picker starts there, since a page
    never asks the browser for the time.
    """

    theme: Literal["light", "dark", "contrast"] = "light"
    accent: Literal["indigo", "teal"] = "indigo"
    density: Literal["comfortable", "compact"] = "comfortable"
    widgets: Literal["aria", "native"] = "aria"
    lang: str = "en"
    today: str = ""
    field_order: str = ""
    """Draws the order of the fields within a section; "" leaves them as they are."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Label synonyms: the usual label to the one shown in this episode."""
