"""One labelled control: its label, help, format and error, tied together by ids (accessibility.md, Forms)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from markupsafe import Markup, escape

from .. import display
from ..forms import FormField, Option
from ..icons import icon
from .menus import Label

_TYPES = {"email": "email", "phone": "tel", "url": "url"}
_MODES = {"number": "numeric", "money": "decimal", "percent": "decimal"}
_FORMATS = {
    "date": "Format: 2027-05-14 or 14 May 2027",
    "datetime": "Format: 2027-05-14 09:30 or 14 May 2027 09:30",
}


def ties(field: FormField, id: str) -> str:
    """The aria attributes that tie a control to its required mark, help, format, error and candidates."""
    required = field.required and field.kind != "checkbox"
    notes = (
        ("required", required), ("choice", field.kind == "lookup"), ("help", field.help),
        ("format", field.kind in _FORMATS), ("error", field.error), ("candidates", field.candidates),
    )  # fmt: skip
    ids = " ".join([f"{id}-{note}" for note, shown in notes if shown])
    described = f' aria-describedby="{ids}"' if ids else ""
    invalid = ' aria-invalid="true"' if field.error else ""
    return f"{described}{invalid}" + (' aria-required="true"' if required else "")


@lru_cache(maxsize=1 << 12)
def _option(option: Option, selected: bool) -> str:
    detail = f", {escape(option.detail)}" if option.detail else ""
    chosen = " selected" if selected else ""
    return f'<option value="{escape(option.value)}"{chosen}>{escape(option.label)}{detail}</option>'


def _options(options: Iterable[Option], value: str) -> str:
    return "".join([_option(option, option.value == value) for option in options])


def _checkbox(f: FormField, id: str, shown: str) -> str:
    state = (" checked" if f.value == "1" else "") + ties(f, id)
    box = f'<input class="form-check-input" type="checkbox" id="{id}" name="{f.name}" value="1"{state}>'
    return f'<div class="field-check">{box}<label for="{id}" id="{id}-label">{shown}</label></div>'


def _choice(f: FormField, id: str, option: Option, number: int) -> str:
    checked = " checked" if option.value == f.value else ""
    detail = f' <span class="muted">{escape(option.detail)}</span>' if option.detail else ""
    box = (
        f'<input class="form-check-input" type="radio" id="{id}-{number}" name="{f.name}"'
        f' value="{escape(option.value)}"{checked}>'
    )
    label = f'<label for="{id}-{number}">{escape(option.label)}{detail}</label>'
    return f'<div class="field-check">{box}{label}</div>'


def _radios(f: FormField, id: str, shown: str) -> str:
    choices = "".join([_choice(f, id, option, number) for number, option in enumerate(f.options, 1)])
    legend = f'<legend id="{id}-label">{shown}{_required(f, id)}</legend>'
    return f'<fieldset class="field-radios" role="radiogroup"{ties(f, id)}>{legend}{choices}</fieldset>'


def _static(f: FormField, id: str, shown: str) -> str:
    label = f'<span class="field-label" id="{id}-label">{shown}</span>'
    value = str(escape(f.value)) or display.EMPTY
    return f'{label}<output class="field-static" id="{id}" aria-labelledby="{id}-label">{value}</output>'


def _required(f: FormField, id: str) -> str:
    return f'<span class="field-required" id="{id}-required">Required</span>' if f.required else ""


def _line(f: FormField, id: str) -> str:
    mode = f' inputmode="{_MODES[f.kind]}"' if f.kind in _MODES else ""
    start = f'class="form-control" type="{_TYPES.get(f.kind, "text")}" id="{id}" name="{f.name}"'
    return f'<input {start} value="{escape(f.value)}"{mode}{_limits(f)}{ties(f, id)}>'


def _limits(f: FormField) -> str:
    longest = f' maxlength="{f.max_length}"' if f.max_length is not None else ""
    return longest + (f' autocomplete="{f.autocomplete}"' if f.autocomplete else "")


def _textarea(f: FormField, id: str) -> str:
    start = f'class="form-control" id="{id}" name="{f.name}" rows="{f.rows}"'
    return f"<textarea {start}{_limits(f)}{ties(f, id)}>\n{escape(f.value)}</textarea>"


def _select(f: FormField, id: str, widgets: str) -> str:
    combobox = " data-combobox" if widgets == "aria" else ""
    start = f'class="form-select" id="{id}" name="{f.name}"{combobox}{ties(f, id)}'
    return f"<select {start}>{_options(f.options, f.value)}</select>"


def _lookup(f: FormField, id: str, label: str) -> str:
    kind = 'type="text" role="combobox" aria-autocomplete="list" aria-haspopup="listbox" aria-expanded="false"'
    held, value = escape(f.value_label), escape(f.value)
    off = 'autocomplete="off" spellcheck="false"'
    box = (
        f'<input class="form-control" id="{id}" name="{f.name}__text" value="{held}" {kind}'
        f' aria-controls="{id}-list" {off}{ties(f, id)}>'
    )
    clear = (
        '<button class="btn btn-secondary btn-icon needs-script" type="button" data-clear'
        f' aria-label="Clear {label}"{"" if held else " hidden"}>{icon("x-lg")}</button>'
    )
    ids = (
        f'<input type="hidden" name="{f.name}" value="{value}" data-id>'
        f'<input type="hidden" name="{f.name}__label" value="{held if value else ""}" data-label>'
    )
    start = f'class="listbox" id="{id}-list" role="listbox" popover="manual"'
    found = f'<ul {start} aria-label="{label} suggestions"></ul>'
    note = (escape(f.value_detail) or "Selected") if f.value else "Type to search"
    return (
        f'<div class="lookup" data-lookup data-url="{escape(f.lookup_url)}">{box}{clear}{ids}{found}</div>'
        f'<p class="field-choice" id="{id}-choice">{note}</p>'
    )


def _date(f: FormField, id: str, label: str) -> str:
    with_time = " data-with-time" if f.kind == "datetime" else ""
    start = f'class="form-control" type="text" id="{id}" name="{f.name}" value="{escape(f.value)}"'
    opens = 'type="button" data-calendar aria-haspopup="dialog"'
    button = (
        f'<button class="btn btn-secondary btn-icon needs-script" {opens} aria-label="Choose date for {label}">'
        f"{icon('calendar3')}</button>"
    )
    box = f'<input {start} autocomplete="off"{ties(f, id)}>'
    return f'<div class="date-field" data-date{with_time}>{box}{button}</div>'


def _file(f: FormField, id: str) -> str:
    kinds = ".csv,.txt,text/csv,text/plain"
    return f'<input class="form-control" type="file" id="{id}" name="{f.name}" accept="{kinds}"{ties(f, id)}>'


def _control(f: FormField, id: str, label: str, widgets: str) -> str:
    if f.kind == "textarea":
        return _textarea(f, id)
    if f.kind == "file":
        return _file(f, id)
    if f.kind == "select":
        return _select(f, id, widgets)
    if f.kind == "lookup":
        return _lookup(f, id, label)
    return _date(f, id, label) if f.kind in _FORMATS else _line(f, id)


def _candidates(f: FormField, id: str, label: str) -> str:
    """What the text of a lookup could mean, as radio buttons. Submits NAME__pick and NAME__asked."""
    asked = f'<input type="hidden" name="{f.name}__asked" value="{escape(f.value_label)}">'
    parts = []
    for number, option in enumerate(f.candidates, 1):
        name, detail = escape(option.label), escape(option.detail)
        box = (
            f'<input class="form-check-input" type="radio" id="{id}-pick-{number}" name="{f.name}__pick"'
            f' value="{escape(option.value)}" data-pick data-name="{name}" data-detail="{detail}">'
        )
        told = f', <span class="muted">{detail}</span>' if detail else ""
        parts.append(f'<div class="field-check">{box}<label for="{id}-pick-{number}">{name}{told}</label></div>')
    question = "is this the one you mean?" if len(parts) == 1 else "which one do you mean?"
    legend = f"<legend>{label}: {question}</legend>"
    return f'<fieldset class="field-candidates" id="{id}-candidates">{legend}{asked}{"".join(parts)}</fieldset>'


def _notes(f: FormField, id: str, label: str) -> str:
    parts = []
    if f.help:
        parts.append(f'<p class="field-help" id="{id}-help">{escape(f.help)}</p>')
    if f.kind in _FORMATS:
        parts.append(f'<p class="field-help" id="{id}-format">{_FORMATS[f.kind]}</p>')
    if f.error:
        told = escape(f.error[:1].upper() + f.error[1:])
        parts.append(f'<p class="field-error" id="{id}-error">{icon("exclamation-circle-fill")}{told}</p>')
    if f.candidates:
        parts.append(_candidates(f, id, label))
    return "".join(parts)


_WHOLE: dict[str, Callable[[FormField, str, str], str]] = {"checkbox": _checkbox, "radio": _radios, "static": _static}


def field(f: FormField, form_id: str, label: Label, widgets: str) -> Markup:
    """One labelled control; ids are FORM_ID-NAME, and -label, -help, -error, -required, -format, -choice after it."""
    id, name = f"{form_id}-{f.name}", str(escape(label(f.label)))
    shown = f"{name} ({escape(f.unit)})" if f.unit else name
    if f.kind in _WHOLE:
        body = _WHOLE[f.kind](f, id, shown)
    else:
        head = f'<label for="{id}" id="{id}-label">{shown}</label>{_required(f, id)}'
        body = f'<div class="field-head">{head}</div>{_control(f, id, name, widgets)}'
    css = f"field field-{f.kind}" + (" field-wide" if f.wide or f.kind == "textarea" else "")
    css += " has-error" if f.error else ""
    return Markup(f'<div class="{css}">{body}{_notes(f, id, name)}</div>')
