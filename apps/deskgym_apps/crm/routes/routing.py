"""The blueprint that every module of the pages adds its routes to."""

from __future__ import annotations

import re

import flask
from flask import request

from ...kit.errors import BadQuery

_TOKEN = re.compile(r"[0-9a-f]{64}", re.ASCII)
blueprint = flask.Blueprint("crm", __name__, template_folder="../templates")


@blueprint.before_request
def _need_form_token() -> None:
    """Every form is sent with the token it was drawn with: without it, sending twice would write twice (X-6)."""
    if request.method == "POST" and not _TOKEN.fullmatch(request.form.get("form_token", "")):
        raise BadQuery(
            "nothing was saved, because the form came without its token; open its page again and send it from there",
            field="form_token",
        )
