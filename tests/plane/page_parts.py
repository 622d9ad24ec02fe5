"""What a page without a script offers: its links, its forms with what they send, its buttons. Read in one pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_ADDRESSES = ("href", "data-dialog-href", "data-url")


@dataclass(frozen=True)
class Button:
    """A button: its attributes, its start tag as written, and whether it stands in a form."""

    given: dict[str, str]
    tag: str
    in_form: bool


@dataclass
class Control:
    """A named control of a form and what a browser sends of it where nobody touched it."""

    name: str
    value: str = ""
    is_sent: bool = True


@dataclass
class Form:
    """A form, its controls and its buttons."""

    given: dict[str, str]
    controls: list[Control] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)

    def values(self) -> list[tuple[str, str]]:
        """What a browser sends of the form untouched, but for its buttons."""
        return [(control.name, control.value) for control in self.controls if control.is_sent]


class PageParts(HTMLParser):
    """The parts of a page, each in the order of the page; a tree of all of it takes six times as long to make."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[str] = []
        self.anchors: list[str] = []
        self.forms: list[Form] = []
        self.buttons: list[Button] = []
        self.texts: list[str] = []
        self._form: Form | None = None
        self._control: Control | None = None
        self._area: Control | None = None
        self._options = 0
        self._is_chosen = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a":
            self.anchors.append(given.get("href", ""))
        if (tag == "a" and "href" in given) or "data-dialog-href" in given or "data-url" in given:
            self.addresses += [given[name] for name in _ADDRESSES if name in given]
        if tag == "form":
            self._form = Form(given)
            self.forms.append(self._form)
        elif tag == "button":
            self._press(given)
        elif tag in ("input", "select", "textarea"):
            self._control = Control(given.get("name", ""), given.get("value", "") if tag == "input" else "")
            self._control.is_sent = (
                tag != "input" or given.get("type") not in ("checkbox", "radio") or "checked" in given
            )
            self._area = self._control if tag == "textarea" else None
            self._options, self._is_chosen = 0, False
            if self._form is not None and "name" in given:
                self._form.controls.append(self._control)
        elif tag == "option" and self._control is not None:
            self._choose(self._control, given)

    def _press(self, given: dict[str, str]) -> None:
        button = Button(given, self.get_starttag_text() or "", self._form is not None)
        self.buttons.append(button)
        if self._form is not None:
            self._form.buttons.append(button)

    def _choose(self, control: Control, given: dict[str, str]) -> None:
        """The first option that is selected, else the first."""
        is_first, self._options = self._options == 0, self._options + 1
        if is_first or ("selected" in given and not self._is_chosen):
            control.value = given["value"]
        self._is_chosen = self._is_chosen or "selected" in given

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag in ("select", "textarea"):
            self._control = self._area = None

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._area is not None:
            self._area.value += data
