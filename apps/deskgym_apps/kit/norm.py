"""Text as it is sorted and matched: NFKD, accents stripped, casefolded (DESIGN §3). SQLite's own rules are ASCII."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "AE"})


def norm(text: str) -> str:
    """Casefolded, without accents, whitespace collapsed: `" Åland  Øst "` -> `"aland ost"`."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _SPACES.sub(" ", bare.casefold()).strip()


def clean_text(text: str) -> str:
    """NFC, newlines as `\\n`, outer whitespace removed.

    Raises ValueError where control characters other than tab and newline stand in it.
    """
    unified = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    for char in unified:
        if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t":
            raise ValueError(f"control character U+{ord(char):04X} is not allowed")
    return unified


def digits(text: str) -> str:
    """The ASCII digits of a text, in order: phone numbers are matched on them."""
    return "".join(char for char in text if char in "0123456789")
