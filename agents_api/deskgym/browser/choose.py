"""Choosing by name in both widget variants: native selects, comboboxes, listboxes (accessibility.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from difflib import get_close_matches

from playwright.async_api import ElementHandle, Error, Page

from .actions import ActionError
from .aim import Aim, aim_at_element
from .tabs import script

OPEN_SECONDS = 2.0
_SHOWN = 30

_OPTIONS = script("options.js")


def tidy(text: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(text.split())


async def choose(page: Page, spot: Aim, values: Sequence[str]) -> None:
    """Choose `values` in the control at `spot`. Raises ActionError that lists the options where one is missing."""
    about = spot.about
    if about["tag"] == "select":
        await _choose_native(spot, values)
    elif about["role"] == "listbox":
        for value in values:
            await _pick(page, await spot.element(), spot.what, value, toggle=True)
    elif about["role"] == "combobox":
        if len(values) != 1:
            raise ActionError(f"{spot.what} takes one value, not {len(values)}")
        await _choose_in_combobox(page, spot, values[0])
    else:
        raise ActionError(f"{spot.what} is neither a select, a combobox nor a listbox")


async def _choose_native(spot: Aim, values: Sequence[str]) -> None:
    facts = await (await spot.element()).evaluate(
        "(select) => ({ many: select.multiple, options: [...select.options].map("
        "(option) => [option.label.replace(/\\s+/g, ' ').trim(), option.value, option.disabled]) })"
    )
    labels = [label for label, _value, _disabled in facts["options"]]
    if len(values) > 1 and not facts["many"]:
        raise ActionError(f"{spot.what} takes one value, not {len(values)}")
    places = []
    for value in values:
        found = [at for at, label in enumerate(labels) if label == tidy(value)]
        found = found or [at for at, option in enumerate(facts["options"]) if option[1] == value]
        if not found:
            raise ActionError(_missing(spot.what, value, labels))
        if facts["options"][found[0]][2]:
            raise ActionError(f'{spot.what}: the option "{labels[found[0]]}" is disabled')
        places.append(found[0])
    await (await spot.element()).select_option(index=places, timeout=1_500)


async def _choose_in_combobox(page: Page, spot: Aim, value: str) -> None:
    editable = spot.about["editable"] or spot.about["tag"] in ("input", "textarea")
    if editable and spot.about["readonly"]:
        raise ActionError(f"{spot.what} is read-only")
    if editable:
        await (await spot.element()).select_text(timeout=1_500)
        await page.keyboard.insert_text(value)
    elif not spot.about["expanded"]:
        await page.mouse.click(spot.x, spot.y)
    try:
        await _pick(page, await spot.element(), spot.what, value)
    except ActionError:
        await page.keyboard.press("Escape")
        raise


async def _pick(page: Page, owner: ElementHandle, what: str, value: str, *, toggle: bool = False) -> None:
    names, chosen = await _wait_for_option(owner, value)
    at = _match(what, value, names)
    if toggle and chosen[at]:
        return
    handle = await owner.evaluate_handle(_OPTIONS, at)
    option = handle.as_element()
    if option is None:
        raise ActionError(f'{what}: the option "{value}" went away')
    target = await aim_at_element(option, f'the option "{names[at]}"')
    await page.mouse.click(target.x, target.y)


async def _wait_for_option(owner: ElementHandle, value: str) -> tuple[list[str], list[bool]]:
    """Names and states of the options once `value` is among them, or after OPEN_SECONDS without it."""
    end = asyncio.get_running_loop().time() + OPEN_SECONDS
    while True:
        try:
            found = await owner.evaluate(_OPTIONS)
        except Error as error:
            raise ActionError("the control went away while its options opened") from error
        wanted = tidy(value)
        is_there = any(name == wanted or name.startswith(f"{wanted},") for name in found["names"])
        late = asyncio.get_running_loop().time() > end
        if (is_there and not found["busy"]) or late:
            return found["names"], found["chosen"]
        await asyncio.sleep(0.02)


def _match(what: str, value: str, names: Sequence[str]) -> int:
    """The option that is called `value`, or the only one called `value` plus a disambiguator after a comma."""
    wanted = tidy(value)
    exact = [at for at, name in enumerate(names) if name == wanted]
    near = exact or [at for at, name in enumerate(names) if name.startswith(f"{wanted},")]
    if not near:
        raise ActionError(_missing(what, value, names))
    if len(near) > 1:
        raise ActionError(f'{what}: "{value}" is ambiguous; it may be {_list([names[at] for at in near])}')
    return near[0]


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def _missing(what: str, value: str, names: Sequence[str]) -> str:
    if not names:
        return f'{what} shows no options for "{value}"'
    close = get_close_matches(tidy(value), names, n=1, cutoff=0.6)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    return f'{what} has no option "{value}".{hint} Options: {_list(names)}'
