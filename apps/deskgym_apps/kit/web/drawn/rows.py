"""The rows of a list, written cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from .. import display
from ..icons import icon
from ..tables import Cell, Column, Row, Table
from .menus import Label, NextId, avatar, badge, named, row_menu


def _value(column: Column, cell: Cell) -> str:
    text = escape(cell.text)
    if cell.href:
        return f'<a href="{escape(cell.href)}"{named(cell.label)}>{text}</a>'
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
