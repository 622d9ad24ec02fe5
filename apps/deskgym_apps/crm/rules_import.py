"""Reading files of records (CRM-5): separators, quotes, numbers and dates as chosen, nothing guessed of a value."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from .rules_export import FORMULA

MOST_TEXT, MOST_ROWS, MOST_COLUMNS = 400_000, 2_000, 60
SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t"}
# As a number is written in the file -> the sign between thousands, and the decimal sign
NUMBERS: Mapping[str, tuple[str, str]] = {
    "1,234.50": (",", "."),
    "1.234,50": (".", ","),
    "1 234,50": (" ", ","),
    "1'234.50": ("'", "."),
}
DATES: Mapping[str, str] = {
    "YYYY-MM-DD": r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})",
    "DD.MM.YYYY": r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})",
    "DD/MM/YYYY": r"(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4})",
    "MM/DD/YYYY": r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})",
}
_YES, _NO = ("yes", "true", "1", "y", "x"), ("no", "false", "0", "n")
_SPACES = re.compile(r"[\u00a0\u2009\u202f]")
ERROR_COLUMN = "_error"


@dataclass(frozen=True)
class Sheet:
    """A file: its separator by name, its columns, and its rows, each with as many cells as it had."""

    separator: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def plain_text(text: str) -> str:
    """Without byte order mark and empty lines at both ends, lines ended by `\\n`."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8. Raises ValueError that says what it is instead, or where it breaks off."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("the file is UTF-16; save it as CSV in UTF-8")
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise ValueError("this is a workbook, not a CSV file; save the sheet as CSV in UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"line {line} is not UTF-8 (byte 0x{content[error.start]:02X}); save it in UTF-8") from None


def _separator(text: str) -> str:
    """The sign that stands most often in the first line, outside quotes; a comma where none does."""
    counts = dict.fromkeys(SEPARATORS.values(), 0)
    quoted = False
    for char in text.lstrip("\n"):
        if char == '"':
            quoted = not quoted
        elif char == "\n" and not quoted:
            break
        elif not quoted and char in counts:
            counts[char] += 1
    return max(counts, key=lambda sign: counts[sign])


def read_sheet(text: str, separator: str = "auto") -> Sheet:
    """The columns and rows of a file; empty lines are left out. Raises ValueError that says where it cannot be read."""
    plain = plain_text(text)
    if len(plain) > MOST_TEXT:
        raise ValueError(f"the file has {len(plain):,} characters; at most {MOST_TEXT:,} can be imported at a time")
    if "\x00" in plain:
        raise ValueError("the file holds NUL characters; it is no text")
    sign = _separator(plain) if separator == "auto" else SEPARATORS[separator]
    reader = csv.reader(io.StringIO(plain, newline=""), delimiter=sign, strict=True)
    lines: list[tuple[str, ...]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append(tuple(cells))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} cannot be read: {_said(error)}") from None
    if not lines:
        raise ValueError("the file is empty")
    if len(lines) - 1 > MOST_ROWS:
        raise ValueError(f"the file has {len(lines) - 1:,} rows; at most {MOST_ROWS:,} can be imported at a time")
    columns = _columns(lines[0])
    names = {value: name for name, value in SEPARATORS.items()}
    return Sheet(names[sign], columns, tuple(lines[1:]))


def _said(error: csv.Error) -> str:
    known = {
        "unexpected end of data": "a quote is opened and never closed",
        "field larger than field limit": "a cell is too long; perhaps a quote is never closed",
    }
    text = str(error)
    return next((said for start, said in known.items() if text.startswith(start)), text)


def _columns(cells: Sequence[str]) -> tuple[str, ...]:
    columns = tuple(cell.strip() for cell in cells)
    if len(columns) > MOST_COLUMNS:
        raise ValueError(f"the file has {len(columns)} columns; at most {MOST_COLUMNS} can be imported")
    blank = next((at for at, name in enumerate(columns, 1) if not name), None)
    if blank is not None:
        raise ValueError(f"column {blank} has no name in the first line")
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f'two columns are called "{twice}"; give each its own name')
    return columns


def cell_text(cell: str) -> str:
    """A cell without outer spaces, and without the apostrophe that a file of errors puts before a formula's sign."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text


def number_text(text: str, written: str) -> str:
    """Canonical decimal text of a number written as chosen: `1.234,50` -> `1234.50`. Raises ValueError."""
    group, point = NUMBERS[written]
    plain = _SPACES.sub(" ", text.strip()).replace("−", "-").replace("’", "'")
    sign = r"[+\-]?"
    digits = rf"(\d+|\d{{1,3}}({re.escape(group)}\d{{3}})+)({re.escape(point)}\d+)?"
    if not re.fullmatch(sign + digits, plain, re.ASCII):
        raise ValueError(f'"{text[:80]}" is not a number as in {written}')
    return plain.replace(group, "").replace(point, ".").removeprefix("+")


def whole_text(text: str, written: str) -> int:
    """A whole number written as chosen. Raises ValueError."""
    plain = number_text(text, written)
    head, _, rest = plain.partition(".")
    if rest.strip("0") or len(head) > 18:
        raise ValueError(f'"{text[:80]}" is not a whole number')
    return int(head)


def day_text(text: str, written: str) -> str:
    """`YYYY-MM-DD` of a date written as chosen. Raises ValueError."""
    found = re.fullmatch(DATES[written], text.strip(), re.ASCII)
    if found is None:
        raise ValueError(f'"{text[:80]}" is not a date as in {written}')
    try:
        return date(int(found["y"]), int(found["m"]), int(found["d"])).isoformat()
    except ValueError:
        raise ValueError(f'"{text[:80]}" is no day of the calendar') from None


def truth(text: str) -> bool:
    """Whether a cell says yes. Raises ValueError."""
    plain = text.strip().casefold()
    if plain not in (*_YES, *_NO):
        raise ValueError(f'"{text[:80]}" is neither yes nor no')
    return plain in _YES


def error_file(columns: Sequence[str], rows: Sequence[tuple[Sequence[str], str]], separator: str) -> str:
    """The failed rows with what was wrong. What a spreadsheet would run begins with an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=SEPARATORS[separator], lineterminator="\r\n")
    names = [name for name in columns if name != ERROR_COLUMN]
    writer.writerow([_safe(cell) for cell in (*names, ERROR_COLUMN)])
    for cells, error in rows:
        kept = [cell for at, cell in enumerate(cells) if at >= len(columns) or columns[at] != ERROR_COLUMN]
        padded = kept + [""] * (len(names) - len(kept))
        writer.writerow([_safe(cell) for cell in (*padded, error)])
    return file.getvalue()


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
