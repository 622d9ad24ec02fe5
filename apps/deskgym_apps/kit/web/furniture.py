"""Page furniture for a Flask app: templates, static files, filters, security headers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import flask
from jinja2 import ChoiceLoader, FileSystemLoader, Undefined
from markupsafe import Markup, escape

from ..variation import reordered
from . import assets, display, drawn
from .actions import Banner, Look, Shell
from .compiled import Compiled
from .forms import FieldSection, Form
from .icons import icon

CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; form-action 'self'; "
    "object-src 'none'; base-uri 'none'"
)
YEAR_S = 31_536_000
_PLAIN = Look()
_COMPILED = Compiled()


def register_furniture(app: flask.Flask) -> None:
    """Give `app` the kit's templates (`kit/…`), `/kit/static/…`, filters, globals and headers.

    Call it once, before the first request. A page needs `use_look` and `use_shell` for its request;
    without them it is drawn with the defaults and without an app bar.
    """
    folder = FileSystemLoader(Path(__file__).parent / "templates")
    loaders = [folder] if app.jinja_loader is None else [app.jinja_loader, folder]
    app.jinja_loader = ChoiceLoader(loaders)
    app.jinja_env.bytecode_cache = _COMPILED
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(
        money=display.money, number=display.number, date=display.long_date, full_date=display.full_date,
        instant=display.instant, initials=display.initials, colour=display.colour_of,
    )  # fmt: skip
    app.jinja_env.globals.update(
        icon=icon, kit_asset=asset_url, look=current_look, shell=current_shell,
        label=shown_label, attr=attributes, uid=unique_id, arranged=arranged, arranged_fields=arranged_fields,
        banners=no_banners, **_drawn(),
    )  # fmt: skip
    app.add_url_rule("/kit/static/<digest>/<path:path>", "kit_static", _serve)
    app.after_request(_secure)


def use_look(look: Look) -> None:
    """Set how the pages of this request are drawn."""
    flask.g.kit_look = look


def use_shell(shell: Shell | Callable[[], Shell]) -> None:
    """Set the app bar of this request, or what makes it once a page is drawn."""
    flask.g.kit_shell = shell


def relabel(**labels: str) -> None:
    """Add label synonyms to this request's look."""
    look = current_look()
    use_look(replace(look, labels={**look.labels, **labels}))


def current_look() -> Look:
    """Return this request's look, the default if none was set."""
    look: Look | None = flask.g.get("kit_look")
    return look or _PLAIN


def current_shell() -> Shell | None:
    """Return this request's app bar, None if none was set."""
    shell: Shell | Callable[[], Shell] | None = flask.g.get("kit_shell")
    if callable(shell):
        shell = flask.g.kit_shell = shell()
    return shell


def shown_label(text: str) -> str:
    """Return the synonym this episode shows for a label, usually the label itself."""
    return current_look().labels.get(text, text)


def arranged_fields(section: FieldSection) -> FieldSection:
    """A section with its fields in this episode's order, under the labels that it shows."""
    order = "" if section.is_fixed else current_look().field_order
    fields = reordered(section.fields, order, lambda item: item.name)
    return replace(section, fields=tuple(replace(item, label=shown_label(item.label)) for item in fields))


def arranged(form: Form) -> Form:
    """A form as this episode shows it; its list of problems follows."""
    return replace(form, sections=tuple(arranged_fields(section) for section in form.sections))


def no_banners() -> tuple[Banner, ...]:
    """What stands above every page, until the global `banners` is replaced."""
    return ()


def asset_url(path: str) -> str:
    """Return the URL of a static file of the kit. Raises KeyError for one not in the manifest."""
    assets.manifest()[path]
    return f"/kit/static/{assets.digest()}/{path}"


def unique_id(prefix: str) -> str:
    """Return an element id that is unique in this page: `prefix-1`, `prefix-2`, in drawing order."""
    counts: dict[str, int] = flask.g.setdefault("kit_ids", {})
    counts[prefix] = counts.get(prefix, 0) + 1
    return f"{prefix}-{counts[prefix]}"


def attributes(**values: str | int | bool | Undefined | None) -> Markup:
    """Write HTML attributes: True is a bare name, None, False, "" and undefined are left out, _ becomes -."""
    written = ""
    for key, value in values.items():
        if value is None or value is False or value == "" or isinstance(value, Undefined):
            continue
        written += f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{escape(value)}"'
    return Markup(written)


@cache
def _attribute(key: str) -> str:
    return key.strip("_").replace("_", "-")


def _drawn() -> dict[str, Callable[..., Markup]]:
    """The pieces that are written in Python, as templates call them: with this request's labels, look and ids."""
    return {
        "drawn_rows": lambda table: drawn.table_rows(table, shown_label, unique_id),
        "drawn_row_menu": lambda name, items: drawn.row_menu(name, items, unique_id),
        "drawn_field": lambda item, form_id: drawn.field(item, form_id, shown_label, current_look().widgets),
        "drawn_detail": lambda item: drawn.detail_entry(item, shown_label, unique_id),
        "drawn_related": lambda item: drawn.related_entry(item, shown_label, unique_id),
        "drawn_activity": lambda item: drawn.activity_entry(item, unique_id),
        "drawn_card": lambda item: drawn.board_card(item, shown_label),
        "drawn_menu": drawn.menu_list,
        "drawn_menu_button": drawn.menu_button,
        "drawn_avatar": drawn.avatar,
        "drawn_hidden": drawn.hidden,
    }


def _serve(digest: str, path: str) -> flask.Response:
    asset = assets.manifest().get(path)
    if asset is None or digest != assets.digest():
        flask.abort(404)
    response = flask.Response(asset.body, content_type=asset.content_type)
    response.cache_control.public = True
    response.cache_control.max_age = YEAR_S
    response.cache_control.immutable = True
    return response


def _secure(response: flask.Response) -> flask.Response:
    response.headers["Content-Security-Policy"] = CONTENT_POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store"
    return response
