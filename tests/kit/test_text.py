"""Text as it is stored, sorted and matched; numbers and names in messages."""

from __future__ import annotations

import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import given

from deskgym_apps.kit.errors import Conflict, FieldError, Invalid, nearest
from deskgym_apps.kit.norm import clean_text, digits, norm


@pytest.mark.parametrize(
    ("text", "normed"),
    [
        (" Åland  Øst ", "aland ost"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("Ångström", "angstrom"),
        ("é", "e"),
        ("e\u0301", "e"),
        ("ﬁne", "fine"),
        ("İstanbul", "istanbul"),
        ("a\u00a0b\tc", "a b c"),
        ("東京", "東京"),
        ("", ""),
    ],
)
def test_text_is_matched_without_case_accents_and_spaces(text: str, normed: str) -> None:
    assert norm(text) == normed


@given(st.text())
def test_norm_is_stable_and_equal_for_equal_unicode(text: str) -> None:
    assert norm(norm(text)) == norm(text)
    assert norm(unicodedata.normalize("NFD", text)) == norm(unicodedata.normalize("NFC", text))


def test_stored_text_is_composed_and_trimmed_with_one_kind_of_newline() -> None:
    assert clean_text("  e\u0301\r\nb\rc \n") == "é\nb\nc"
    assert clean_text("a\tb") == "a\tb"


@pytest.mark.parametrize("bad", ["a\x00b", "a\x1bb", "a\x7fb", "a\ud800b", "a\x85b"])
def test_control_characters_are_refused(bad: str) -> None:
    with pytest.raises(ValueError, match=r"control character U\+"):
        clean_text(bad)


def test_only_ascii_digits_count() -> None:
    assert digits("+44 (0)20 7946-٠١2") == "44020794 62".replace(" ", "")


def test_an_unknown_name_suggests_the_nearest() -> None:
    assert nearest("acount", ["account", "contact", "task"]) == ' Did you mean "account" or "contact"?'
    assert nearest("zzz", ["account"]) == ""


def test_an_error_says_code_field_and_what_is_allowed() -> None:
    faults = (FieldError("stage", "no such stage", ("New", "Won")), FieldError("amount", "too small"))
    assert Invalid(faults).as_dict() == {
        "code": "validation",
        "message": "no such stage; too small",
        "field": "stage",
        "allowed": ["New", "Won"],
        "errors": [
            {"field": "stage", "message": "no such stage", "allowed": ["New", "Won"]},
            {"field": "amount", "message": "too small"},
        ],
    }
    assert Conflict("changed", field="row_version", details={"changed_by": "P"}).as_dict() == {
        "code": "conflict",
        "message": "changed",
        "field": "row_version",
        "details": {"changed_by": "P"},
    }


@pytest.mark.parametrize("unseen", ["\ufeff", "\u200b", "\u2060\u200d", " \u00ad ", "\u3000"])
def test_text_of_which_nothing_can_be_seen_is_empty(unseen: str) -> None:
    assert clean_text(unseen) == ""


@pytest.mark.parametrize("turning", ["\u202eevil", "a\u2067b", "a\u200f"])
def test_marks_that_turn_the_reading_direction_are_refused(turning: str) -> None:
    with pytest.raises(ValueError, match="direction mark"):
        clean_text(turning)


def test_joiners_inside_seen_text_stay() -> None:
    assert clean_text("👩\u200d🔬 lab") == "👩\u200d🔬 lab"
