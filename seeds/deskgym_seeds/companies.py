"""Invented companies: an industry and a country give word order, trade word, stem and legal form.

Domains are made from the stem under ``.example``; no name is meant to be a company's.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from .people import PATTERNS, ascii_letters
from .places import Place
from .streams import Stream
from .tables import cells, sections

_WORDS_OF_FAMILY: Final = ("en", "de", "fr", "es", "pt", "it", "nl", "nordic")


@dataclass(frozen=True, slots=True)
class Industry:
    """``employees`` is the median head count; ``words`` are trade words by word family."""

    name: str
    weight: int
    employees: int
    words: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Company:
    """``brand`` is the name without its legal form, as people say it; ``mail_pattern`` is the company's own."""

    name: str
    brand: str
    stem: str
    legal: str
    domain: str
    industry: str
    place: Place
    employees: int
    mail_pattern: str


@cache
def industries() -> tuple[Industry, ...]:
    """Every industry of ``data/industries.txt``."""
    return tuple(_industry(body) for body in sections("industries.txt").values())


def _industry(body: tuple[str, ...]) -> Industry:
    facts = [part.strip() for part in body[0].split(":", 1)[1].split(";")]
    words = {}
    for line in body[1:]:
        family, names = line.split(":", 1)
        words[family] = tuple(name.strip() for name in names.split(","))
    return Industry(facts[0], int(facts[1].split()[1]), int(facts[2].split()[1]), words)


@cache
def _stems() -> dict[str, dict[str, tuple[str, ...]]]:
    out = {}
    for family, body in sections("stems.txt").items():
        parts = (line.split(":", 1) for line in body)
        out[family] = {kind: tuple(word.strip() for word in words.split(",")) for kind, words in parts}
    return out


@cache
def legal_forms(iso: str) -> tuple[str, tuple[tuple[str, int], ...], str]:
    """Word family, weighted legal forms ("" for none) and word order of a country."""
    for country, family, forms, order in cells("legal.txt"):
        if country == iso:
            pairs = (form.rsplit(":", 1) for form in _split_forms(forms))
            return family, tuple((name.strip(), int(weight)) for name, weight in pairs), order
    raise KeyError(f"no legal forms for country {iso}")


def _split_forms(text: str) -> list[str]:
    forms, words = [], []
    for word in text.split():
        words.append(word)
        if word.rpartition(":")[2].isdigit() and ":" in word:
            forms.append(" ".join(words))
            words = []
    return forms


def draw_stem(stream: Stream, family: str) -> str:
    """A brandable stem such as "Aldermere" or "Kestrel"."""
    stems = _stems()[family]
    if stream.chance(380):
        return stream.choice(stems["whole"])
    first, second = stream.choice(stems["first"]), stream.choice(stems["second"])
    while second in first.lower():
        second = stream.choice(stems["second"])
    if first[-1] == second[0]:
        second = second[1:]
    return first + second


def draw_industry(stream: Stream) -> Industry:
    """An industry by how many customers it gives."""
    return stream.weighted([(industry, industry.weight) for industry in industries()])


def draw_company(stream: Stream, place: Place, taken_domains: set[str], industry: Industry | None = None) -> Company:
    """A company with its seat in the place. Its domain is new and is added to ``taken_domains``."""
    industry = industry or draw_industry(stream)
    family, forms, order = legal_forms(place.country.iso)
    while True:
        stem = draw_stem(stream, _family_here(family, place))
        word = stream.choice(industry.words.get(_word_family(family), industry.words["en"]))
        legal = stream.weighted(forms)
        brand = _brand(stem, word, order, stream)
        domain = _domain(stem, brand, place, stream)
        if domain not in taken_domains:
            break
    taken_domains.add(domain)
    employees = max(8, stream.lognormal(industry.employees, 950))
    name = _with_legal(brand, legal, order)
    return Company(name, brand, stem, legal, domain, industry.name, place, employees, stream.weighted(PATTERNS))


def _family_here(family: str, place: Place) -> str:
    by_streets = {"CA-QC": "fr", "CH-GE": "fr"}
    return by_streets.get(place.street_set, family)


def _word_family(family: str) -> str:
    return family if family in _WORDS_OF_FAMILY else "en"


def _brand(stem: str, word: str, order: str, stream: Stream) -> str:
    if stream.chance(140) or word.split()[0] in stem:
        return stem
    before = order == "before" or (order == "either" and stream.chance(350))
    return f"{word} {stem}" if before and " & " not in stem and stem.split()[0] != word.split()[0] else f"{stem} {word}"


def _with_legal(brand: str, legal: str, order: str) -> str:
    prefix = "PT " if order == "pt" else ""
    return f"{prefix}{brand} {legal}".strip()


def _domain(stem: str, brand: str, place: Place, stream: Stream) -> str:
    language = "de" if place.street_set == "DE" else ""
    words = (brand if stream.chance(450) else stem).replace("&", " ").split()
    joiner = "-" if stream.chance(400) else ""
    label = joiner.join(part for part in (ascii_letters(word, language) for word in words[:3]) if part)
    return f"{label}.example"


def subsidiary(parent: Company, place: Place, stream: Stream) -> Company:
    """A daughter of the company in another place: same stem and domain, the local legal form."""
    _, forms, _ = legal_forms(place.country.iso)
    legal = stream.weighted([form for form in forms if form[0]])
    abroad = 5 if place.country != parent.place.country else 0
    label = stream.weighted([(place.country.name, abroad), (place.city, 3), ("Services", 2), ("International", 1)])
    brand = f"{parent.brand} {label}"
    employees = max(6, parent.employees * stream.uniform_int(6, 35) // 100)
    return Company(f"{brand} {legal}", brand, parent.stem, legal, parent.domain, parent.industry, place, employees,
                   parent.mail_pattern)  # fmt: skip
