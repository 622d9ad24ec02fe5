"""What a page holds by the hundred, written here and not in a template: rows of lists, menus, avatars.

A macro call costs more than the cell that it writes. The templates have the same pieces under the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from . import display
from .actions import MenuItem, Pairs
from .icons import icon
from .tables import Cell, Column, Row, Table

Label = Callable[[str], str]
NextId = Callable[[str], str]


@lru_cache(maxsize=1 << 12)
def avatar(name: str, size: int = 28, named: bool = False) -> Markup:
    """Initials in a colour that depends on the name; decorative unless named."""
    told = f'role="img" aria-label="{escape(name)}"' if named else 'aria-hidden="true"'
    box = f'class="avatar avatar-{display.colour_of(name)}" viewBox="0 0 32 32" width="{size}" height="{size}"'
    text = f'<text x="16" y="20.6" text-anchor="middle">{escape(display.initials(name))}</text>'
    return Markup(f'<svg {box} {told} focusable="false"><circle cx="16" cy="16" r="16"/>{text}</svg>')


def hidden(pairs: Pairs) -> Markup:
    """Hidden fields."""
    return Markup("".join(f'<input type="hidden" name="{escape(n)}" value="{escape(v)}">' for n, v in pairs))


def _named(name: str) -> str:
    return f' aria-label="{escape(name)}"' if name else ""


def _item(item: MenuItem) -> str:
    css = "menu-item is-danger" if item.danger else "menu-item"
    picture = icon(item.icon) if item.icon else ""
    face, name = f"{picture}<span>{escape(item.label)}</span>", _named(item.name)
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
    return Markup(f'<div class="menu-list" id="{id}" popover role="menu"{_named(name)}>{entries}</div>')


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
    told = _named(name or (label if icon_only else ""))
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


def _value(column: Column, cell: Cell) -> str:
    text = escape(cell.text)
    if cell.href:
        return f'<a href="{escape(cell.href)}"{_named(cell.label)}>{text}</a>'
    if column.kind == "badge" and cell.text:
        return badge(cell.text, cell.tone)
    if column.kind == "person" and cell.text:
        return f'<span class="person">{avatar(cell.text, 20)}{text}</span>'
    if column.kind == "email" and cell.text:
        return f'<a href="mailto:{text}">{text}</a>'
    shown = str(text) or display.EMPTY
    if cell.tone != "neutral":
        return f'<span class="tone-{cell.tone}">{shown}</span>'
    return f"<span>{shown}</span>" if cell.edit_href else shown


def _cell(column: Column, shown_label: str, cell: Cell | str, row_name: str) -> str:
    if isinstance(cell, str):
        if column.plain:
            return str(escape(cell)) or display.EMPTY
        cell = Cell(text=cell)
    if not cell.edit_href:
        return _value(column, cell)
    pencil = (
        f'<a class="pencil" role="button" href="{escape(cell.edit_href)}" data-edit'
        f' aria-label="Edit {escape(shown_label)} of {row_name}">{icon("pencil")}</a>'
    )
    return f'<span class="editable">{_value(column, cell)}{pencil}</span>'


def _row(table: Table, row: Row, columns: Sequence[tuple[Column, str, str]], next_id: NextId) -> str:
    name = escape(row.name)
    parts = [f'<tr aria-label="{name}" class="is-overdue">' if row.overdue else f'<tr aria-label="{name}">']
    if table.selectable:
        box = f'name="row" value="{escape(row.id)}" form="{table.id}-selection" aria-label="Select {name}"'
        parts.append(f'<td class="cell-check"><input class="form-check-input" type="checkbox" {box}></td>')
    tag, scope = "th", ' scope="row"'
    for column, shown, opening in columns:
        parts.append(f"<{tag}{scope or opening}>{_cell(column, shown, row.cells[column.key], name)}</{tag}>")
        tag, scope = "td", ""
    if row.actions:
        parts.append(f'<td class="cell-actions">{row_menu(row.name, row.actions, next_id)}</td>')
    elif table.has_actions:
        parts.append('<td class="cell-actions"></td>')
    parts.append("</tr>")
    return "".join(parts)


def table_rows(table: Table, label: Label, next_id: NextId) -> Markup:
    """The rows of a list's body. `label` gives the shown label of a column."""
    columns = []
    for column in table.columns:
        shown = label(column.label)
        css = f' class="{column.css}"' if column.css else ""
        columns.append((column, shown, f'{css} data-label="{escape(shown)}"'))
    return Markup("\n".join([_row(table, row, columns, next_id) for row in table.rows]))
