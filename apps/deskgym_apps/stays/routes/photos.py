"""The pictures of listings. They are the same for everybody, so browsers may keep them."""

from __future__ import annotations

import flask

from ..pictures import SCENES, picture_svg, version
from .routing import blueprint

YEAR_S = 31_536_000
photos = flask.Blueprint("photos", __name__, url_prefix="/photos")
blueprint.register_blueprint(photos)


@photos.get("/<digest>/<room>/<int:number>.svg", endpoint="static")
def photo(digest: str, room: str, number: int) -> flask.Response:
    """A picture by scene and number. 404 for an unknown scene or another way of drawing."""
    if digest != version() or room not in SCENES or number >= 1 << 63:
        flask.abort(404)
    response = flask.Response(picture_svg(room, number), content_type="image/svg+xml")
    response.cache_control.public = True
    response.cache_control.max_age = YEAR_S
    response.cache_control.immutable = True
    return response
