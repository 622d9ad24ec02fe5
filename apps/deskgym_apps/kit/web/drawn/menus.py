"""Menus, avatars and badges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from .. import display
from ..actions import MenuItem, Pairs
from ..icons import icon

Label = Callable[[str], str]
NextId = Callable[[str], str]


@lru_cache(maxsize=1 << 12)
def avatar(name: str, size: int = 28, is_named: bool = False) -> Markup:
    """Initials in a colour that depends on the name; decorative unless named."""
    told = f'role="img" aria-label="{escape(name)}"' if is_named else 'aria-hidden="true"'
    box = f'class="avatar avatar-{display.colour_of(name)}" viewBox="0 0 32 32" width="{size}" height="{size}"'
    text = f'<text x="16" y="20.6" text-anchor="middle">{escape(display.initials(name))}</text>'
    return Markup(f'<svg {box} {told} focusable="false"><circle cx="16" cy="16" r="16"/>{text}</svg>')


def hidden(pairs: Pairs) -> Markup:
    """Hidden fields."""
    return Markup("".join(f'<input type="hidden" name="{escape(n)}" value="{escape(v)}">' for n, v in pairs))


def named(name: str) -> str:
    """The accessible name as an attribute; nothing for none."""
    return f' aria-label="{escape(name)}"' if name else ""


def _item(item: MenuItem) -> str:
    css = "menu-item is-danger" if item.danger else "menu-item"
    picture = icon(item.icon) if item.icon else ""
    face, name = f"{picture}<span>{escape(item.label)}</span>", named(item.name)
    start = f'class="{css}" role="menuitem"'
    if item.href:
        return f'<a {start} href="{escape(item.href)}"{name}>{face}</a>'
    if item.dialog_href:
        return f'<a {start} href="{escape(item.dialog_href)}" data-dialog-href aria-haspopup="dialog"{name}>{face}</a>'
    if item.dialog:
        to = escape(item.dialog)
        opens = f'data-dialog-open="{to}" command="show-modal" commandfor="{to}" aria-haspopup="dialog"'
        return f'<button {start} type="button" {opens}{name}>{face}</button>'
    button = f'<button {start} type="submit"{name}>{face}</button>'
    form = f'<form class="one-button" role="none" method="post" action="{escape(item.post)}">'
    return f"{form}{hidden(item.fields)}{button}</form>"


def menu_list(id: str, name: str, items: Iterable[MenuItem]) -> Markup:
    """The menu that a button with `popovertarget=id` opens."""
    entries = "".join([_item(item) for item in items])
    return Markup(f'<div class="menu-list" id="{id}" popover role="menu"{named(name)}>{entries}</div>')


def menu_button(
    id: str,
    label: str,
    items: Iterable[MenuItem],
    *,
    icon_name: str = "",
    style: str = "secondary",
    name: str = "",
    icon_only: bool = False,
    small: bool = False,
) -> Markup:
    """A button that opens a menu. `name` is the accessible name where the label alone is not unique."""
    css = f"btn btn-{style}{' btn-icon' if icon_only else ''}{' btn-sm' if small else ''}"
    picture = icon(icon_name) if icon_name else ""
    text = "" if icon_only else f"<span>{escape(label)}</span>{icon('chevron-down', 'icon-caret')}"
    told = named(name or (label if icon_only else ""))
    opens = f'popovertarget="{id}" aria-haspopup="menu" aria-expanded="false" aria-controls="{id}"'
    button = f'<button class="{css}" type="button" {opens}{told}>{picture}{text}</button>'
    return Markup(f'<div class="menu">{button}{menu_list(id, name or label, items)}</div>')


def row_menu(name: str, items: Sequence[MenuItem], next_id: NextId) -> Markup:
    """The "Actions" of one row, card or entry that is called `name`."""
    id, told = next_id("row-menu"), f"Actions for {name}"
    return menu_button(
        id, "Actions", items, icon_name="three-dots", style="quiet", name=told, icon_only=True, small=True
    )


def badge(text: str, tone: str = "neutral") -> Markup:
    """A word in a tinted pill."""
    return Markup(f'<span class="tag tag-{tone}">{escape(text)}</span>')
