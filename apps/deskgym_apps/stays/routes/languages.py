"""Languages by the names that people know them by."""

from __future__ import annotations

from collections.abc import Sequence

from .routing import blueprint

NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "ms": "Malay", "nb": "Norwegian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def language(code: str) -> str:
    """`de` -> `German`; another code as it is."""
    return NAMES.get(code.casefold(), code)


@blueprint.app_template_filter("languages")
def languages(codes: Sequence[str]) -> str:
    """`["en", "de"]` -> `English, German`."""
    return ", ".join(map(language, codes))
