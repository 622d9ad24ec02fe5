"""The control token comes from a private file or a descriptor, and is compared in constant time."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from deskgym.control.secret import is_same, kept_token, new_token, read_descriptor, read_token
from deskgym.errors import DeskgymError

TOKEN = "t" * 40


def kind_of(error: pytest.ExceptionInfo[DeskgymError]) -> str:
    return error.value.kind


def test_a_token_is_made_once_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = kept_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_token(path) == token
    assert len(token) >= 43
    assert new_token() != token


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN)
    path.chmod(mode)
    with pytest.raises(DeskgymError) as error:
        read_token(path)
    assert kind_of(error) == "no_permission"
    assert "chmod 600" in error.value.hint


def test_a_link_or_a_folder_is_no_token_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN)
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    for other in (tmp_path / "link", tmp_path):
        with pytest.raises(DeskgymError):
            read_token(other)


@pytest.mark.parametrize("text", ["", "short", "two words of a token here", "x" * 600, "ä" * 30, "a" * 20 + "\x00"])
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(DeskgymError) as error:
        read_token(path)
    assert kind_of(error) == "usage"
    assert "x" * 30 not in str(error.value), "an error never quotes a token"


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(DeskgymError) as error:
        read_token(tmp_path / "nothing")
    assert kind_of(error) == "not_found"


def test_a_token_comes_by_a_descriptor_which_is_closed(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, TOKEN.encode() + b"\n")
    os.close(writer)
    assert read_descriptor(reader) == TOKEN
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(reader)


def test_only_the_same_token_is_the_same() -> None:
    assert is_same(TOKEN, TOKEN)
    for other in ("", TOKEN[:-1], TOKEN + "t", TOKEN.upper(), "\udcff" * 40):
        assert not is_same(other, TOKEN)
