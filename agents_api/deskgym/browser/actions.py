"""The action vocabulary (DESIGN §5): what a browser agent may send, as typed models with a JSON Schema.

An action is a JSON object with its verb under `action`:

    {"action": "click", "ref": "e12"}          {"action": "click", "coordinate": [640, 212]}
    {"action": "fill", "ref": "e7", "text": "Aldercroft Ltd"}

A `ref` comes from the latest observation; a `coordinate` is [x, y] in CSS pixels of the screenshot.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, model_validator

Ref = Annotated[str, StringConstraints(pattern=r"^(f\d+)?e\d+$"), Field(description="Such as e12, in the observation.")]
Point = Annotated[
    list[Annotated[float, Field(allow_inf_nan=False)]],
    Field(min_length=2, max_length=2, description="[x, y] in pixels of the screenshot."),
]
Modifier = Literal["Alt", "Control", "Meta", "Shift"]
Button = Literal["left", "middle", "right"]


class ActionError(Exception):
    """The action could not be done; the message tells the agent why, and what would be right."""


class _Action(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Aimed(_Action):
    ref: Ref | None = None
    coordinate: Point | None = None

    @model_validator(mode="after")
    def _one_target(self) -> _Aimed:
        if (self.ref is None) == (self.coordinate is None):
            raise ValueError("give either ref or coordinate")
        return self


class _MaybeAimed(_Action):
    ref: Ref | None = None
    coordinate: Point | None = None

    @model_validator(mode="after")
    def _at_most_one_target(self) -> _MaybeAimed:
        if self.ref is not None and self.coordinate is not None:
            raise ValueError("give ref or coordinate, not both")
        return self


class Click(_Aimed):
    """Click an element or a point."""

    action: Literal["click"] = "click"
    button: Button = "left"
    count: int = Field(default=1, ge=1, le=3, description="2 is a double click, 3 selects a line.")
    modifiers: list[Modifier] = Field(default_factory=list, max_length=4)


class Hover(_Aimed):
    """Move the pointer over an element or a point."""

    action: Literal["hover"] = "hover"


class Fill(_Aimed):
    """Replace the content of a text field."""

    action: Literal["fill"] = "fill"
    text: str = Field(max_length=100_000)


class Type(_MaybeAimed):
    """Type text key by key, where the focus is or after a click on a target."""

    action: Literal["type"] = "type"
    text: str = Field(max_length=2_000)


class Key(_Action):
    """Press one key or combination, such as Enter, Escape, PageDown, Control+a."""

    action: Literal["key"] = "key"
    text: str = Field(min_length=1, max_length=60)


class Select(_Aimed):
    """Choose options by their visible name, in a native select, a combobox or a listbox."""

    action: Literal["select"] = "select"
    values: list[str] = Field(min_length=1, max_length=100)


class Check(_Aimed):
    """Set a check box, a switch or a radio button."""

    action: Literal["check"] = "check"
    value: bool


class Drag(_Action):
    """Press at one place, move to another, release. Each is a ref or a [x, y]."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True, serialize_by_alias=True)

    action: Literal["drag"] = "drag"
    source: Ref | Point = Field(alias="from")
    target: Ref | Point = Field(alias="to")


class Upload(_Aimed):
    """Give a file of the episode to a file field."""

    action: Literal["upload"] = "upload"
    file: str = Field(min_length=1, max_length=200, description="The bare name of a file of this episode.")


class Scroll(_MaybeAimed):
    """Turn the mouse wheel over a target, or over the middle of the page."""

    action: Literal["scroll"] = "scroll"
    direction: Literal["up", "down", "left", "right"]
    amount: int = Field(default=3, ge=1, le=100, description="Notches of the wheel, 100 pixels each.")


class Navigate(_Action):
    """Go to an address of this workplace, absolute or beginning with a slash."""

    action: Literal["navigate"] = "navigate"
    url: str = Field(min_length=1, max_length=4_000)


class Back(_Action):
    """Go back in the tab's history."""

    action: Literal["back"] = "back"


class Forward(_Action):
    """Go forward in the tab's history."""

    action: Literal["forward"] = "forward"


class Reload(_Action):
    """Load the page again."""

    action: Literal["reload"] = "reload"


class NewTab(_Action):
    """Open a tab, at the start page or at an address."""

    action: Literal["new_tab"] = "new_tab"
    url: str | None = Field(default=None, min_length=1, max_length=4_000)


class SwitchTab(_Action):
    """Go to another tab."""

    action: Literal["switch_tab"] = "switch_tab"
    tab: int = Field(description="Number of the tab, in the observation.")


class CloseTab(_Action):
    """Close a tab, the present one by default."""

    action: Literal["close_tab"] = "close_tab"
    tab: int | None = None


class Wait(_Action):
    """Do nothing for a while."""

    action: Literal["wait"] = "wait"
    seconds: float = Field(default=1.0, ge=0, le=5, allow_inf_nan=False)


class Submit(_Action):
    """End the work. Exactly one submission counts."""

    action: Literal["submit"] = "submit"
    status: Literal["done", "infeasible"]
    reason_code: str | None = Field(default=None, max_length=60)
    answer: Any = None


Aimed = Click | Hover | Fill | Select | Check | Upload
Action = (
    Click | Hover | Fill | Type | Key | Select | Check | Drag | Upload | Scroll
    | Navigate | Back | Forward | Reload | NewTab | SwitchTab | CloseTab | Wait | Submit
)  # fmt: skip
VERBS: tuple[str, ...] = tuple(model.model_fields["action"].default for model in get_args(Action))
_ADAPTER: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="action")])


def action_schema() -> dict[str, Any]:
    """The JSON Schema of an action: `oneOf` over the verbs."""
    return _ADAPTER.json_schema()


def parse_action(given: Mapping[str, Any] | Action) -> Action:
    """The typed action. Raises ActionError that names every fault."""
    if isinstance(given, _Action):
        return given
    if not isinstance(given, Mapping):
        raise ActionError(
            f'an action is an object like {{"action": "click", "ref": "e12"}}, not {type(given).__name__}'
        )
    verb = given.get("action")
    if verb not in VERBS:
        raise ActionError(_unknown_verb(verb))
    try:
        return _ADAPTER.validate_python(json.loads(json.dumps(dict(given))))
    except ValidationError as error:
        raise ActionError("; ".join(_fault(str(verb), item) for item in error.errors())) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ActionError(f"{verb}: the action is not JSON ({error})") from None


def _unknown_verb(verb: object) -> str:
    if verb is None:
        return f'the action has no verb; give "action" as one of {", ".join(VERBS)}'
    close = get_close_matches(str(verb), VERBS, n=1, cutoff=0.5)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    return f'there is no action "{verb}".{hint} Actions: {", ".join(VERBS)}'


def _fault(verb: str, error: Any) -> str:
    path = ".".join(str(part) for part in error["loc"][1:])
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{verb} needs {path}"
    if error["type"] == "extra_forbidden":
        return f'{verb} has no argument "{path}"'
    return f"{verb}: {path}: {message}" if path else f"{verb}: {message}"
