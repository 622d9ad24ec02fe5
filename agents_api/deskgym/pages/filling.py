"""Filling forms in by label: every control of the page furniture, in both widget variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error, Locator

from .visit import PATIENCE, PageFault, Visit

CHOICES = frozenset({"picklist", "select", "stage", "currency"})
_NOTHING = ("–", "Choose…", "--None--")


@dataclass(frozen=True)
class Named:
    """A record as people know it: what it is called, and the text of its page, which tells namesakes apart."""

    name: str
    text: str


async def fill(visit: Visit, scope: Locator, label: str, kind: str, value: Any) -> None:
    """Bring the control called `label` to a value; None empties it. A lookup takes a Named.

    Raises PageFault where the control or the option is not there.
    """
    try:
        await _fill(visit, scope, label, kind, value)
    except Error as error:
        raise PageFault(f"{visit.path}: {label} takes no {kind}: {error.message.splitlines()[0]}") from error


async def _fill(visit: Visit, scope: Locator, label: str, kind: str, value: Any) -> None:
    name = visit.called(label)
    if kind == "checkbox":
        await scope.get_by_role("checkbox", name=name).set_checked(bool(value), timeout=PATIENCE)
    elif kind in CHOICES:
        await _choose(visit, scope, label, value)
    elif kind == "lookup":
        await _look_up(visit, scope, label, value)
    else:
        await scope.get_by_role("textbox", name=name).fill(written(kind, value), timeout=PATIENCE)


def written(kind: str, value: Any) -> str:
    """A value as a person types it; of an instant the date and the time in UTC."""
    if value is None:
        return ""
    return f"{value[:10]} {value[11:19]}Z" if kind == "instant" else str(value)


async def _choose(visit: Visit, scope: Locator, label: str, value: str | None) -> None:
    name = visit.called(label)
    box = scope.get_by_role("combobox", name=name)
    if visit.widgets == "native":
        labels = [text.strip() for text in await box.get_by_role("option").all_inner_texts()]
        await box.select_option(index=_place(label, value, labels), timeout=PATIENCE)
        return
    await box.click(timeout=PATIENCE)
    options = scope.get_by_role("listbox", name=name).get_by_role("option")
    labels = [text.strip() for text in await options.all_inner_texts()]
    await options.nth(_place(label, value, labels)).click(timeout=PATIENCE)


def _place(label: str, value: str | None, labels: list[str]) -> int:
    for at, text in enumerate(labels):
        if text == value or (value is None and text in _NOTHING):
            return at
    raise PageFault(f'{label} offers no "{value}"; it offers {", ".join(labels)}')


async def _look_up(visit: Visit, scope: Locator, label: str, record: Named | None) -> None:
    box = scope.get_by_role("combobox", name=visit.shown(label), exact=True)
    if record is None:
        await box.fill("", timeout=PATIENCE)
        return
    await box.fill(record.name, timeout=PATIENCE)
    await visit.session.settle()
    options = scope.get_by_role("listbox", name=f"{visit.shown(label)} suggestions", exact=True).get_by_role("option")
    names = [await option.get_attribute("aria-label") or "" for option in await options.all()]
    await options.nth(pick(label, record, names)).click(timeout=PATIENCE)


def pick(label: str, record: Named, names: list[str]) -> int:
    """Which suggestion means the record: the one called so, and among namesakes the one whose every detail is on
    the record's page. Raises PageFault where none or several do."""
    same = [at for at, name in enumerate(names) if name == record.name or name.startswith(f"{record.name}, ")]
    if len(same) > 1:
        same = [at for at in same if _agrees(names[at].removeprefix(record.name), record.text)]
    if len(same) != 1:
        raise PageFault(f'{label}: {len(same)} suggestions mean "{record.name}": {"; ".join(names)}')
    return same[0]


def _agrees(detail: str, text: str) -> bool:
    return all(part.removeprefix("owner ") in text for part in detail.split(", ") if part)


async def fill_all(
    visit: Visit, scope: Locator, controls: Mapping[str, tuple[str, str]], values: Mapping[str, Any]
) -> None:
    """Fill several fields; `controls` gives label and kind of each. Raises PageFault for a field the form lacks."""
    for name, value in values.items():
        if name not in controls:
            raise PageFault(f'{visit.path}: the form has no field "{name}"')
        label, kind = controls[name]
        await fill(visit, scope, label, kind, value)
