"""The desk by hand: reading the instruction, filling the answer form in, handing in the work."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playwright.async_api import Locator

from deskgym_apps.desk.answers import label_of

from .visit import PATIENCE, PageFault, Refused, Visit

Action = Callable[[Visit, dict[str, Any]], Awaitable[dict[str, Any]]]
_OUTCOMES = {"done": "Done", "infeasible": "Cannot be done"}


async def instruction(visit: Visit, _args: Mapping[str, Any]) -> dict[str, Any]:
    """Read what the desk asks for; `instruction` is empty where nothing is asked."""
    await visit.go("/desk")
    heading = visit.main.get_by_role("heading", name="Instruction")
    if not await heading.count():
        return {"instruction": ""}
    asked = visit.main.get_by_role("region", name="Instruction").get_by_role("paragraph")
    return {"instruction": await asked.first.inner_text(timeout=PATIENCE)}


async def finish(visit: Visit, _args: Mapping[str, Any]) -> dict[str, Any]:
    """Hand in without an answer."""
    return await submit_answer(visit, {"status": "done"})


async def submit_answer(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the form in, look at what will be handed in, and submit. Raises Refused where the desk refuses it."""
    await visit.go("/desk")
    form = visit.main.get_by_role("form", name="Hand in the work")
    if not await form.count():
        raise Refused("the work was handed in already")
    if isinstance(args.get("answer"), dict):
        await _fill_object(visit, form, "Answer", args["answer"])
    elif args.get("answer") is not None:
        await _fill_value(visit, form, "Answer", args["answer"])
    outcome = form.get_by_role("radio", name=re.compile(rf"^{re.escape(_OUTCOMES[args['status']])}\b"))
    await outcome.check(timeout=PATIENCE)
    if args.get("reason_code") is not None:
        await _fill_value(visit, form, "Reason code", args["reason_code"])
    await visit.press(form.get_by_role("button", name="Submit", exact=True))
    await visit.check()
    await visit.press(visit.main.get_by_role("button", name="Submit and end the work"))
    await visit.check()
    if not await visit.page.get_by_role("status").filter(has_text="Your work was handed in").count():
        raise PageFault(f"{visit.path}: the desk does not say that the work was handed in")
    return {"submitted": True}


async def _fill_object(visit: Visit, form: Locator, title: str, answer: Mapping[str, Any]) -> None:
    """The properties of an object: those that hold a plain value stand in the group of that title."""
    group = form.get_by_role("group", name=title, exact=True)
    for key, value in answer.items():
        label = label_of(key)
        is_rows = isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
        if isinstance(value, dict):
            await _fill_object(visit, form, label, value)
        elif is_rows and await form.get_by_role("group", name=label, exact=True).count():
            await _fill_rows(visit, form, label, value)
        elif value is not None:
            await _fill_value(visit, group, label, value)


async def _fill_rows(visit: Visit, form: Locator, title: str, rows: list[dict[str, Any]]) -> None:
    group = form.get_by_role("group", name=title, exact=True)
    last = group.get_by_text(re.compile(rf"^Row {len(rows)}: "))
    while not await last.count():
        await visit.press(group.get_by_role("button", name=f"Add rows to {title}"))
    for at, row in enumerate(rows, start=1):
        for key, value in row.items():
            if value is not None:
                await _fill_value(visit, group, f"Row {at}: {label_of(key)}", value)


async def _fill_value(visit: Visit, scope: Locator, label: str, value: Any) -> None:
    """One control, whatever it is: text, choice or yes and no."""
    name = re.compile(rf"^{re.escape(label)}( \([^()]*\))?$")
    text = scope.get_by_role("textbox", name=name)
    if await text.count():
        await text.fill(_written(value), timeout=PATIENCE)
        return
    box = scope.get_by_role("combobox", name=name)
    if await box.count():
        await _choose(visit, scope, box, label, _written(value))
        return
    choices = scope.get_by_role("radiogroup", name=re.compile(rf"^{re.escape(label)}"))
    wanted = ("Yes" if value else "No") if isinstance(value, bool) else _written(value)
    await choices.get_by_role("radio", name=wanted, exact=True).check(timeout=PATIENCE)


async def _choose(visit: Visit, scope: Locator, box: Locator, label: str, value: str) -> None:
    """An option by its label, which may go on with an explanation after a comma."""
    wanted = re.compile(rf"^{re.escape(value)}(, .*)?$")
    if visit.widgets == "native":
        shown = await box.get_by_role("option", name=wanted).first.inner_text(timeout=PATIENCE)
        await box.select_option(label=shown.strip(), timeout=PATIENCE)
        return
    await box.click(timeout=PATIENCE)
    await scope.get_by_role("listbox", name=label).get_by_role("option", name=wanted).click(timeout=PATIENCE)


def _written(value: Any) -> str:
    """A value as a person types it: a list of plain values one a line, other shapes as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(not isinstance(item, dict | list) for item in value):
        return "\n".join(_written(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


ACTIONS: Mapping[str, Action] = {"instruction": instruction, "submit_answer": submit_answer, "finish": finish}
