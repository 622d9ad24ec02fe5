"""What listings are called: words and patterns of the language of the place, namesakes on purpose among them."""

from functools import cache
from typing import Final

from ..streams import Stream
from ..tables import sections

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "ja")
_TITLES_OF: Final = {
    "pt": "pt", "es": "es", "it": "it", "fr": "fr", "nl": "nl", "de": "de", "nb": "nordic", "sv": "nordic",
    "da": "nordic", "ja": "ja",
}  # fmt: skip
# Listings whose names differ by little, in one city or in two: (city, property type, title).
NAMESAKES: Final = (
    (("porto", "house", "Casa Fonte"), ("porto", "house", "Casa da Fonte"), ("lisbon", "house", "Casa Fonte")),
    (("ghent", "loft", "Loft Nine"), ("ghent", "loft", "Loft Nineteen")),
    (("lisbon", "apartment", "Apartamento Lua"), ("lisbon", "apartment", "Apartamento da Lua")),
    (("naples", "house", "Casa Limone"), ("naples", "house", "Casa Limoni")),
    (("bergen", "house", "Fjordhuset"), ("bergen", "cottage", "Fjordhuset II")),
    (("hamburg", "house", "Haus am Speicher"), ("hamburg", "house", "Haus Speicher")),
    (("valencia", "apartment", "Ático Faro"), ("valencia-ca", "house", "Faro House")),
    (("pittsburgh", "house", "Foundry House"), ("pittsburgh", "loft", "Foundry Loft")),
)
NAMED: Final = tuple(one for group in NAMESAKES for one in group)
NAMED_CITIES: Final = tuple(city for city, _, _ in NAMED)
"""The first hosts from outside have these, one each."""


@cache
def _grammar(language: str) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Patterns by property type, and words."""
    patterns: dict[str, tuple[str, ...]] = {}
    for line in sections("stays/titles.txt")[language]:
        kind, _, rest = line.partition(":")
        patterns[kind] = tuple(part.strip() for part in rest.split(";"))
    words = patterns.pop("w")
    return patterns, words


def property_types(locale: str) -> tuple[str, ...]:
    """Property types that have names in the language of a locale, such as pt_PT."""
    return tuple(_grammar(_language(locale))[0])


def draw_title(stream: Stream, locale: str, kind: str, taken: set[str]) -> str:
    """A title that no listing of the city has yet. Adds it to ``taken``."""
    patterns, words = _grammar(_language(locale))
    number = 0
    while True:
        word, pattern = stream.choice(words), stream.choice(patterns[kind])
        title = pattern.format(w=word, n=stream.uniform_int(2, 60))
        if number > 20:
            title = f"{title} {stream.uniform_int(2, 99)}"
        number += 1
        if title not in taken:
            taken.add(title)
            return title


def _language(locale: str) -> str:
    return _TITLES_OF.get(locale.split("_")[0], "en")
