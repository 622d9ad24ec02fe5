"""Entering an episode in a browser, and the app bar of the desk."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.util import find_spec

import flask
from flask import g, request
from werkzeug.wrappers import Response

from ..kit.apps import App, apps
from ..kit.errors import Forbidden, ServiceError
from ..kit.folder import locate
from ..kit.session import COOKIE, Sessions
from ..kit.stores import OpenStores
from ..kit.web import Link, Nav, NavLink, Person, Shell

DESK = "/desk"
_ELSEWHERE = ("cross-site", "same-site")


def served_apps() -> tuple[App, ...]:
    """The apps of the episode that have pages, by name."""
    known = apps()
    chosen = [known[name] for name in sorted(g.public.apps) if name in known and name != "desk"]
    return tuple(app for app in chosen if _has_pages(app.package))


@cache
def _has_pages(package: str) -> bool:
    return find_spec(f"{package}.routes") is not None


def shell() -> Shell:
    """The app bar of a page: that of the app whose address it has, as far as the person is a user of it, or the desk's.

    The pages of refusals have it too, so that nobody is led out of an app by a fault.
    """
    here = next((app for app in served_apps() if request.path.startswith(f"/{app.name}/")), None)
    own = None if here is None else getattr(here.module("routes"), "app_bar", None)
    if own is not None:
        with suppress(Forbidden):
            bar: Shell = own()
            return bar
    return _desk_bar()


def _desk_bar() -> Shell:
    links = [NavLink("Desk", DESK, "house", current=request.path.startswith(DESK))]
    links += [NavLink(app.title, f"/{app.name}/", icon_of(app)) for app in served_apps()]
    return Shell(
        app="desk",
        app_name="Desk",
        home_href=DESK,
        nav=Nav("Desk and apps", tuple(links)),
        person=Person(g.person["name"], g.person["title"] or ""),
        footer_note=f"{g.store.meta('company')} · times in {g.person['tz']}",
    )


def icon_of(app: App) -> str:
    """The icon of an app: `ICON` of its routes."""
    return str(getattr(app.module("routes"), "ICON", "grid"))


def _is_live(stores: OpenStores, token: str | None) -> bool:
    try:
        return token is not None and locate(stores.root, token) is not None
    except ServiceError:
        return False


def _welcome(token: str) -> Response:
    """Set the cookie and go to the desk.

    A strict cookie does not travel with a redirect that another site began; then a page offers the way.
    """
    if request.headers.get("Sec-Fetch-Site") in _ELSEWHERE:
        page = flask.render_template("desk/welcome.html", way=Link("Go to the desk", DESK))
        response: Response = flask.make_response(page)
    else:
        response = flask.redirect(DESK, 303)
    response.set_cookie(COOKIE, token, httponly=True, samesite="Strict", secure=request.scheme == "https", path="/")
    return response


def install(pages: flask.Flask, sessions: Sessions) -> None:
    """Add `/`, `/enter/<token>` and the question before a browser leaves another live episode."""
    stores = sessions.stores

    def home() -> Response:
        return flask.redirect(DESK)

    def enter(token: str) -> Response:
        locate(stores.root, token)
        present = request.cookies.get(COOKIE)
        if present != token and _is_live(stores, present):
            return flask.make_response(flask.render_template("desk/another.html", action=request.path))
        return _welcome(token)

    def enter_anyway(token: str) -> Response:
        locate(stores.root, token)
        return _welcome(token)

    pages.add_url_rule("/", "home", home)
    pages.add_url_rule("/enter/<token>", "enter", enter)
    pages.add_url_rule("/enter/<token>", "enter_anyway", enter_anyway, methods=["POST"])
