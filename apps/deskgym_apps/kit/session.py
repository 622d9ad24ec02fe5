"""A request of a person in an episode: token -> folder -> store, look, read transaction, refusals as pages.

Routes find `g.store`, `g.person_id`, `g.person` (their row of org_person) and `g.public`, and use `run` and `read`.
A GET reads inside one read transaction from beginning to end and cannot write (X-11).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from typing import Any
from weakref import WeakKeyDictionary

import flask
from flask import g, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from . import call
from .dates import local_date
from .errors import Forbidden, NotFound, Sealed, ServiceError
from .folder import Gone, Public
from .forms import Filler
from .operations import Input
from .origin import check_host, check_same_origin
from .store import Store
from .stores import OpenStores
from .variation import NOTICES, delay_ms
from .web import Banner, Link, Look, Shell, current_shell, register_furniture, use_look, use_shell
from .web.display import dated

COOKIE = "deskgym_token"
MAX_BODY = 1_000_000
LOOKS = ("theme", "accent", "density", "widgets", "labels", "field_order")
DELAY_HEADER = "X-Deskgym-Delay"
OPEN_ENDPOINTS = ("kit_static", "home", "enter", "enter_anyway")
_KEPT: WeakKeyDictionary[Store, tuple[tuple[int, int, int], dict[tuple[str, str, str], Any]]] = WeakKeyDictionary()
_DESK = Link("Go to the desk", "/desk")
_log = logging.getLogger("deskgym.pages")
_HEADINGS = {
    400: "This request cannot be read",
    401: "You are not in an episode",
    403: "You cannot do this",
    404: "There is no such page",
    405: "This page does not take that request",
    409: "Someone changed this meanwhile",
    410: "This work is over",
    413: "This is too large",
    421: "Wrong address",
    422: "Nothing was saved",
    500: "Something went wrong",
    503: "Not available just now",
}


_SEALED = "This work has been handed in; nothing can be changed any more."


class NoSession(ServiceError):
    """No live episode goes with this browser (401)."""

    code = "no_session"
    status = 401


def run(name: str, arguments: Mapping[str, Any] | Input) -> Any:
    """Run one command as the signed-in person, with the posted form's token. Raises ServiceError."""
    token = request.form.get("form_token", "")[:200] or None
    return call.run(g.store, name, arguments, person_id=g.person_id, channel="ui", token=token)


def read(name: str, arguments: Mapping[str, Any] | Input | None = None) -> Any:
    """Run one query as the signed-in person. Raises ServiceError."""
    given = {} if arguments is None else arguments
    return call.read(g.store, name, given, person_id=g.person_id, context=g.get("context"))


def read_kept(name: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """As `read`, for what every page asks: remembered while nothing is written to the store. Do not change the result.

    A page that answers a POST reads anew.
    """
    if "context" not in g:
        return read(name, arguments)
    known, key = _kept(), (g.person_id, name, call.canonical_json(arguments or {}))
    if key not in known:
        known[key] = read(name, arguments)
    return known[key]


def _kept() -> dict[tuple[str, str, str], Any]:
    """What was read of this store since it was last written to, by any connection."""
    if "kept" not in g:
        version = g.store.conn.execute("PRAGMA data_version").fetchone()[0]
        stamp = (version, g.store.conn.total_changes, g.store.rollbacks)
        held = _KEPT.get(g.store)
        if held is None or held[0] != stamp:
            held = _KEPT[g.store] = (stamp, {})
        g.kept = held[1]
    found: dict[tuple[str, str, str], Any] = g.kept
    return found


def filler() -> Filler:
    """How the signed-in person writes dates and numbers; the episode's variation may change the locale."""
    return Filler(str(g.public.variation.get("locale", g.person["locale"])), str(g.person["tz"]))


def sealed() -> bool:
    """Whether the work was handed in before this request."""
    if "sealed" not in g:
        g.sealed = "store" in g and call.is_sealed(g.store)
    return bool(g.sealed)


def banners() -> tuple[Banner, ...]:
    """What stands above every page of this episode: that it is sealed, and the announcement of its variation."""
    found = []
    if sealed() and request.endpoint != "desk.desk":
        link = Link("See what was handed in", "/desk")
        found.append(Banner("Work handed in", _SEALED, "lock-fill", "warning", link))
    if "public" in g and "notice" in g.public.variation:
        found.append(Banner("Announcement", NOTICES[g.public.variation["notice"]], "megaphone-fill"))
    return tuple(found)


def today() -> str:
    """Today's date in the signed-in person's zone (X-2)."""
    return local_date(g.store.now, g.person["tz"])


def page_size(default: int = 25) -> int:
    """Rows of a list page; the episode's variation may change it."""
    return int(g.public.variation.get("page_size", default))


def _ways() -> tuple[Link, ...]:
    """Where a page of a refusal leads: the home of the app that it stands in, and the desk."""
    shell = current_shell()
    home = () if shell is None or shell.home_href == _DESK.href else (Link(f"Go to {shell.app_name}", shell.home_href),)
    return (*home, _DESK)


def error_page(status: int, reason: str, ways: tuple[Link, ...] = ()) -> flask.Response:
    """The page of a refusal: heading, reason, ways on, usually home; JSON for a script that asks for it."""
    if request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json":
        response = flask.jsonify({"code": status, "message": reason})
    else:
        heading = _HEADINGS.get(status, "This did not work")
        page = flask.render_template(
            "kit/error.html", code=status, heading=heading, reason=reason, ways=ways or _ways()
        )
        response = flask.make_response(page)
    response.status_code = status
    return response


def sentence(text: str) -> str:
    """A message of a service as a sentence."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


class Sessions:
    """The session of every request of one Flask app.

    `default_shell()` gives the app bar of pages that set none, once one is drawn; `hosts` are the names the server
    answers to.
    """

    def __init__(self, stores: OpenStores, hosts: Collection[str], default_shell: Callable[[], Shell]) -> None:
        self.stores = stores
        self._hosts = hosts
        self._default_shell = default_shell

    def install(self, app: flask.Flask) -> None:
        """Attach to a Flask app, before its first request."""
        register_furniture(app)
        app.jinja_env.globals.update(banners=banners)
        app.after_request(_late)
        app.config.update(MAX_CONTENT_LENGTH=MAX_BODY, MAX_FORM_MEMORY_SIZE=MAX_BODY)
        app.before_request(self._begin)
        app.teardown_request(self._end)
        app.register_error_handler(ServiceError, _refused)
        app.register_error_handler(HTTPException, _not_served)
        app.register_error_handler(Exception, _broken)

    def _begin(self) -> None:
        check_host(request.host, self._hosts)
        if request.routing_exception is not None:
            self._dress_refusal()
            return
        writes = request.method not in ("GET", "HEAD", "OPTIONS")
        if writes:
            here = f"{request.scheme}://{request.host}"
            check_same_origin(request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site"), here)
            if (request.content_length or 0) > MAX_BODY:
                raise RequestEntityTooLarge
        endpoint = request.endpoint or ""
        if endpoint in OPEN_ENDPOINTS or endpoint.endswith(".static"):
            return
        self._enter()
        if request.blueprint is not None and request.blueprint.split(".")[0] not in ("desk", *g.public.apps):
            raise NotFound("this episode has no such app")
        if not writes:
            g.transaction = ExitStack()
            g.transaction.enter_context(g.store.reading())
            g.context = call.Context(g.store, g.person_id, "ui", g.store.now)
        elif sealed():
            raise Sealed(_SEALED)

    def _dress_refusal(self) -> None:
        """Give the page of a refusal its app bar where there is a session."""
        with suppress(ServiceError):
            self._enter()

    def _enter(self) -> None:
        token = request.cookies.get(COOKIE)
        if token is None:
            raise NoSession("open the link that you were given for this episode")
        try:
            entry, g.store = self.stores.enter(token)
        except Gone:
            raise
        except NotFound:
            raise NoSession(
                "the episode of this browser is not known here; open the link that you were given"
            ) from None
        g.person_id, g.public = entry.person_id, g.store.public
        g.person = g.store.get("org_person", entry.person_id)
        if g.person is None:
            raise NoSession("this episode does not know the person of your link")
        use_look(look(g.public, today()))
        use_shell(self._default_shell)

    def _end(self, _error: BaseException | None) -> None:
        g.pop("context", None)
        transaction = g.pop("transaction", None)
        if transaction is not None:
            transaction.close()


def look(public: Public, day: str) -> Look:
    """How the episode's variation draws its pages."""
    chosen = {name: public.variation[name] for name in LOOKS if name in public.variation}
    return Look(today=day, **chosen)


def _late(response: flask.Response) -> flask.Response:
    """Say how late the episode's variation wants this answer; the gate waits, so that no thread does."""
    latency = g.public.variation.get("latency_ms", 0) if "public" in g else 0
    if latency:
        response.headers[DELAY_HEADER] = str(delay_ms(latency, request.method, request.path))
    return response


def _takes_posts() -> bool:
    """Whether the address of this request is that of a form."""
    return flask.current_app.url_map.bind("").test(request.path, "POST")


def _zone() -> str:
    """Where the person is, as far as they are known."""
    return str(g.person["tz"]) if g.get("person") else "UTC"


def _refused(error: ServiceError) -> flask.Response:
    if isinstance(error, Forbidden) and sealed() and _takes_posts():
        error = Sealed(_SEALED)
    ways = (Link("Try again", _DESK.href),) if isinstance(error, NoSession | Gone) else ()
    return error_page(error.status, sentence(dated(error.message, _zone())), ways)


def _not_served(error: HTTPException) -> flask.Response:
    status = error.code or 500
    if status < 400:
        return flask.make_response(error.get_response())
    reasons = {
        404: f"Nothing is at {request.path}.",
        405: f"{request.path} does not answer to {request.method}.",
        413: f"A request holds at most {MAX_BODY // 1000} kB.",
    }
    response = error_page(status, reasons.get(status, error.description or ""))
    if status == 405 and error.response is None:
        response.headers["Allow"] = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
    return response


def _broken(_error: Exception) -> flask.Response:
    _log.exception("%s %s failed", request.method, request.endpoint)
    if callable(g.get("kit_shell")):  # not made yet: the fault may lie in the app bar itself
        g.pop("kit_shell")
    return error_page(500, "The fault is on our side, and nothing was changed.")
