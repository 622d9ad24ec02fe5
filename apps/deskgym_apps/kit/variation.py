"""How one episode's pages may differ from another's, its task and state being equal (DESIGN §4, Variation).

Axes, all off by default; none may change a verdict:

    theme         light, dark, contrast
    accent        indigo, teal
    density       comfortable, compact
    widgets       aria, native
    labels        {usual label: the one shown}
    field_order   text; fields stand in another order within their section, drawn from it
    locale        en_GB, …; how dates and numbers are read and phone numbers written
    page_size     rows of a list page
    latency_ms    every page and look-up answers late, by half to one and a half of this, the same for the same address
    notice        key of NOTICES; an announcement on top of every page that has nothing to do with the work

`draw(seed)` draws every axis; `check(variation)` refuses what is not listed here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from .errors import Invalid, nearest

Item = TypeVar("Item")

PAGE_SIZES = (10, 25, 50, 100)
LATENCIES_MS = (0, 80, 250)
MOST_LATENCY_MS = 2000
LOCALES = ("en_GB", "en_US", "de_DE", "fr_FR", "sv_SE", "pt_BR", "en_SG")
NOTICES: Mapping[str, str] = {
    "canteen": "The canteen on the ground floor stays closed on Thursday. The coffee bar is open.",
    "fire-drill": "There is a fire drill in all buildings next Tuesday morning. Please use the stairs.",
    "parking": "The car park behind the main building is being repainted. Please use the street side until Friday.",
    "newsletter": "The staff newsletter is out, with pictures of the summer party.",
    "badges": "New badges are ready at the reception desk. Old ones open the doors until the end of the month.",
}
GLOSSARY: Mapping[str, tuple[str, ...]] = {
    "Account": ("Company", "Customer account"),
    "Amount": ("Deal amount", "Deal value"),
    "Close date": ("Expected close date", "Closing date"),
    "Contact": ("Contact person",),
    "Due date": ("Deadline", "Due by"),
    "Industry": ("Line of business", "Sector"),
    "Lead source": ("Source",),
    "Next step": ("Next action",),
    "Phone": ("Telephone", "Phone number"),
    "Priority": ("Urgency",),
    "Stage": ("Deal stage", "Sales stage"),
    "Subject": ("Topic",),
    "Website": ("Web address",),
}
_CHOICES: Mapping[str, Collection[Any]] = {
    "theme": ("light", "dark", "contrast"),
    "accent": ("indigo", "teal"),
    "density": ("comfortable", "compact"),
    "widgets": ("aria", "native"),
    "locale": LOCALES,
    "page_size": PAGE_SIZES,
    "notice": tuple(NOTICES),
}


def _is_labels(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(text, str) and 0 < len(text.strip()) <= 80 for pair in value.items() for text in pair
    )


def _is_latency(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_LATENCY_MS


_TESTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "labels": (_is_labels, "an object of usual label to shown label"),
    "field_order": (lambda value: isinstance(value, str) and len(value) <= 60, "a text of at most 60 characters"),
    "latency_ms": (_is_latency, f"a whole number from 0 to {MOST_LATENCY_MS}"),
}
AXES = (*_CHOICES, *_TESTS)


def check(variation: Mapping[str, Any]) -> None:
    """Raise Invalid for an axis that does not exist, or a value that its axis does not have."""
    for axis, value in variation.items():
        if axis in _CHOICES:
            if value not in _CHOICES[axis] or isinstance(value, bool):
                known = ", ".join(str(choice) for choice in _CHOICES[axis])
                raise Invalid(f'variation: {axis} is "{value}"; it must be one of {known}', field=axis)
        elif axis in _TESTS:
            fits, wanted = _TESTS[axis]
            if not fits(value):
                raise Invalid(f'variation: {axis} is "{value}"; it must be {wanted}', field=axis)
        else:
            raise Invalid(f'variation: there is no axis "{axis}".{nearest(axis, AXES)}', field=axis)


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:8])


def draw(seed: int | str, axes: Iterable[str] = AXES) -> dict[str, Any]:
    """A variation drawn from a seed: the same seed draws the same; each axis is drawn by itself."""
    found: dict[str, Any] = {}
    for axis in axes:
        at = _number("variation", str(seed), axis)
        if axis in _CHOICES:
            choices = list(_CHOICES[axis])
            found[axis] = choices[at % len(choices)]
        elif axis == "latency_ms":
            found[axis] = LATENCIES_MS[at % len(LATENCIES_MS)]
        elif axis == "field_order":
            found[axis] = f"{at:016x}"
        elif axis == "labels":
            found[axis] = _labels(seed)
        else:
            raise Invalid(f'variation: there is no axis "{axis}".{nearest(axis, AXES)}', field=axis)
    return found


def _labels(seed: int | str) -> dict[str, str]:
    """A synonym for about half of the glossary's labels."""
    found = {}
    for usual, synonyms in GLOSSARY.items():
        at = _number("label", str(seed), usual) % (2 * len(synonyms))
        if at < len(synonyms):
            found[usual] = synonyms[at]
    return found


def reordered(items: Iterable[Item], order: str, key: Callable[[Item], str]) -> tuple[Item, ...]:
    """The items in the order that `order` draws for their keys; as they came where it is empty."""
    if not order:
        return tuple(items)
    return tuple(sorted(items, key=lambda item: (_number("order", order, key(item)), key(item))))


def delay_ms(latency_ms: int, method: str, path: str) -> int:
    """How late one request is answered: between half and one and a half of the latency, by its address."""
    return latency_ms * (50 + _number("delay", method, path) % 101) // 100
