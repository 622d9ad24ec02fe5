"""Texts of which something can be seen: names of one line, and what people say in several."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from ...kit.fields import Body, Line


def _some(text: str) -> str:
    if not text:
        raise ValueError("give some text; nothing of this can be seen")
    return text


Named = Annotated[Line, AfterValidator(_some)]
Said = Annotated[Body, AfterValidator(_some)]
