"""Rows as SQLite writes them: the records of WITHOUT ROWID tables, values and order of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

_WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of a whole number by its serial type


class Unreadable(ValueError):
    """The bytes are no sound tree of such a table, or no sound row."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of 1 to 9 bytes, and where it ends."""
    if data[at] < 0x80:
        return data[at], at + 1
    value = 0
    for count in range(8):
        byte = data[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    return value << 8 | data[at + 8], at + 9


def record_values(record: bytes, most: int) -> Iterator[Any]:
    """The first `most` values of a record: NULL, whole numbers and text. Raises Unreadable for anything else."""
    try:
        end, at = varint(record, 0)
        body = end
        while at < end and most != 0:
            kind, at = varint(record, at)
            value, body = _value(record, kind, body)
            yield value
            most -= 1
    except (IndexError, UnicodeDecodeError) as error:
        raise Unreadable(f"a record is damaged: {error}") from error
    if most:
        raise Unreadable(f"a record is {most} values short")


def all_values(record: bytes) -> list[Any]:
    """Every value of a record. Raises Unreadable as `record_values`, and where it is not as long as its values."""
    try:
        end, at = varint(record, 0)
        body, values = end, []
        while at < end:
            kind = record[at]
            at += 1
            if kind >= 0x80:
                kind, at = varint(record, at - 1)
            if kind >= 13 and kind & 1:
                start, body = body, body + (kind - 13) // 2
                values.append(record[start:body].decode())
            else:
                value, body = _value(record, kind, body)
                values.append(value)
    except (IndexError, UnicodeDecodeError) as error:
        raise Unreadable(f"a record is damaged: {error}") from error
    if (at, body) != (end, len(record)):
        raise Unreadable("a record is not as long as its values")
    return values


def _value(record: bytes, kind: int, at: int) -> tuple[Any, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    if kind >= 13 and kind % 2:
        length = (kind - 13) // 2
    elif kind in _WIDTHS:
        length = _WIDTHS[kind]
    else:
        raise Unreadable(f"a value is of type {kind}")
    if at + length > len(record):
        raise Unreadable("a value goes beyond its record")
    part = record[at : at + length]
    return part.decode() if kind >= 13 else int.from_bytes(part, "big", signed=True), at + length


def stored_columns(columns: Sequence[str], key: Sequence[str]) -> tuple[str, ...]:
    """The columns of a WITHOUT ROWID table in the order of its records: the primary key first."""
    return (*key, *(name for name in columns if name not in key))
