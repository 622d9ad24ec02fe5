"""Text as it is sorted and matched: NFKD, accents stripped, casefolded (DESIGN §3). SQLite's own rules are ASCII."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "AE"})


def norm(text: str) -> str:
    """Casefolded, without accents, whitespace collapsed: `" Åland  Øst "` -> `"aland ost"`."""
    if not text.isascii():  # most text is, and has nothing to take apart
        decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _SPACES.sub(" ", text.casefold()).strip()


# Marks that turn the reading direction: text would be read otherwise than it is stored.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_unseen(text: str) -> bool:
    """Whether nothing of a text can be seen: it is empty, or all space and format characters."""
    return all(char.isspace() or unicodedata.category(char) in ("Cf", "Zs", "Zl", "Zp") for char in text)


def clean_text(text: str) -> str:
    """NFC, newlines as `\\n`, outer whitespace removed; text of which nothing can be seen is empty.

    Raises ValueError where control characters other than tab and newline stand in it, or marks of direction.
    """
    unified = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    for char in unified:
        if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t":
            raise ValueError(f"control character U+{ord(char):04X} is not allowed")
        if char in _TURNING:
            raise ValueError(f"the direction mark U+{ord(char):04X} is not allowed")
    return "" if is_unseen(unified) else unified


def digits(text: str) -> str:
    """The ASCII digits of a text, in order: phone numbers are matched on them."""
    return "".join(char for char in text if char in "0123456789")
