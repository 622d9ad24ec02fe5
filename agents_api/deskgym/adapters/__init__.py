"""Other vocabularies of actions, put into ours (DESIGN §5; ecosystem.md §8-9).

    translator = anthropic.Computer()
    done = translator.translate("left_click", {"coordinate": [640, 212]}, seen)
    for action in done.actions:
        seen = window.act(action)

`seen` is the latest observation. A translator keeps what its vocabulary leaves to the browser, such as where the
pointer rests. No translator needs the library of the vocabulary's maker.
"""

from __future__ import annotations

from .translation import Translation, Translator

__all__ = ["Translation", "Translator"]
