"""The blueprint that every module of the pages adds its routes to."""

from __future__ import annotations

import flask
from flask import g

from ...kit.web import use_shell
from .shell import app_bar

blueprint = flask.Blueprint("crm", __name__, template_folder="../templates")


@blueprint.before_request
def _dress() -> None:
    if "store" in g:
        use_shell(app_bar())
