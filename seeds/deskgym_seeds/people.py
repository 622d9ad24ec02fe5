"""Invented people: names by culture and frequency, nicknames, and addresses of mail made from them.

The lists in ``data/names.txt`` are ours and weighted by how common a name is; no person is meant. Surnames follow the
culture: two surnames in Spanish, women's forms in Polish, Czech and Greek, particles, hyphens and apostrophes.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final

from .places import Country
from .streams import Stream
from .tables import sections

PERSONAL_DOMAINS: Final = ("mailbox.example", "inboxly.example", "fastpost.example", "lettera.example")
PATTERNS: Final = (
    ("{first}.{last}", 46), ("{f}{last}", 18), ("{f}.{last}", 14), ("{first}", 6), ("{last}", 3),
    ("{first}_{last}", 4), ("{first}{last}", 3), ("{last}.{first}", 4), ("{first}.{l}", 2),
)  # fmt: skip
_SECOND_SURNAME: Final = {"es": 620, "latin": 330, "pt": 380}
_HYPHENATED: Final = {"en": 25, "de": 35, "fr": 35, "nl": 25, "nordic": 40, "pl": 30}
_SPELLED: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "å": "a", "Å": "A", "ł": "l", "Ł": "L", "đ": "d",
     "Đ": "D", "ı": "i", "ð": "d", "þ": "th"}
)  # fmt: skip
_GERMAN: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})

Weighted = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Culture:
    """Weighted names: ``given`` by woman (True) or man, surnames as (man's, woman's) forms, nicknames by name."""

    women: Weighted
    men: Weighted
    surnames: Weighted
    nicknames: dict[str, str]


@dataclass(frozen=True, slots=True)
class Person:
    """A name as its bearer writes it; ``called`` is what colleagues say and how short mails are signed."""

    first: str
    last: str
    called: str
    is_woman: bool
    culture: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first} {self.last}"


@cache
def cultures() -> dict[str, Culture]:
    """Every name culture of ``data/names.txt``."""
    return {title: _culture(body) for title, body in sections("names.txt").items()}


def _culture(body: tuple[str, ...]) -> Culture:
    lists: dict[str, list[tuple[str, int]]] = {"f": [], "m": [], "s": [], "n": []}
    for line in body:
        head, names = line.split(":", 1)
        kind, weight = head.split()
        lists[kind] += [(name.strip(), int(weight)) for name in names.split(",")]
    nicknames = dict(pair.split("=") for pair, _ in lists["n"])
    return Culture(tuple(lists["f"]), tuple(lists["m"]), tuple(lists["s"]), nicknames)


def draw_person(stream: Stream, country: Country) -> Person:
    """A person as one meets them in that country."""
    return draw_person_of(stream, stream.weighted(country.cultures))


def draw_person_of(stream: Stream, culture: str) -> Person:
    """A person of a name culture; KeyError if there is none of that name."""
    names = cultures()[culture]
    is_woman = stream.chance(470)
    first = stream.weighted(names.women if is_woman else names.men)
    last = _surname(stream, culture, names, is_woman)
    nickname = names.nicknames.get(first)
    called = nickname if nickname and stream.chance(550) else first
    return Person(first, last, called, is_woman, culture)


def _surname(stream: Stream, culture: str, names: Culture, is_woman: bool) -> str:
    last = _form(stream.weighted(names.surnames), is_woman)
    second = _form(stream.weighted(names.surnames), is_woman)
    if second != last and " " not in second:
        if stream.chance(_SECOND_SURNAME.get(culture, 0)):
            return f"{last} {second}"
        if stream.chance(_HYPHENATED.get(culture, 0)) and "-" not in last + second:
            return f"{last}-{second}"
    return last


def _form(surname: str, is_woman: bool) -> str:
    man, _, woman = surname.partition("/")
    return woman if is_woman and woman else man


def ascii_letters(text: str, culture: str = "") -> str:
    """The text in lower-case ASCII letters and digits as used in addresses (German umlauts become ae, oe, ue)."""
    if culture == "de":
        text = text.translate(_GERMAN)
    bare = unicodedata.normalize("NFKD", text.translate(_SPELLED))
    return "".join(sign for sign in bare.lower() if sign.isascii() and sign.isalnum())


def mail_local_part(person: Person, pattern: str) -> str:
    """What stands before the @ for a person under a company's pattern."""
    first = ascii_letters(person.first, person.culture)
    surnames = person.last.split()
    short = surnames[0] if person.culture in ("es", "latin") else person.last
    last = ascii_letters(short, person.culture)
    return pattern.format(first=first, last=last, f=first[0], l=last[0])


def company_mail(person: Person, pattern: str, domain: str, taken: set[str]) -> str:
    """The person's address at a company; a name that exists already gets a number. Adds it to ``taken``."""
    local = mail_local_part(person, pattern)
    address = f"{local}@{domain}"
    number = 2
    while address in taken:
        address = f"{local}{number}@{domain}"
        number += 1
    taken.add(address)
    return address


def personal_mail(person: Person, stream: Stream, taken: set[str]) -> str:
    """A private address, not at any company. Adds it to ``taken``."""
    shapes = ("{first}.{last}", "{first}{last}", "{f}{last}", "{first}.{last}{n}", "{first}{n}", "{last}.{first}")
    first, last = ascii_letters(person.called, person.culture), ascii_letters(person.last, person.culture)
    while True:
        number = stream.uniform_int(1, 99)
        local = stream.choice(shapes).format(first=first, last=last, f=first[0], n=f"{number:02d}")
        address = f"{local}@{stream.choice(PERSONAL_DOMAINS)}"
        if address not in taken:
            taken.add(address)
            return address
