"""The control token: made here or read from a private file or a descriptor; never from arguments or environment."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from ..errors import DeskgymError, describe

_SHORTEST, _LONGEST = 20, 512


def new_token() -> str:
    """A token of 256 random bits."""
    return secrets.token_urlsafe(32)


def new_id() -> str:
    """A random name of an episode, folder or snapshot: 16 hexadecimal digits."""
    return secrets.token_hex(8)


def is_same(given: str, own: str) -> bool:
    """Whether two tokens are equal, in a time that does not tell how much of them is."""
    digests = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (given, own))
    return hmac.compare_digest(*digests)


def _checked(text: str, where: str) -> str:
    token = text.strip()
    if not (_SHORTEST <= len(token) <= _LONGEST and token.isascii() and token.isprintable() and " " not in token):
        raise DeskgymError(
            "usage", f"{where} holds no token", f"a token is one line of {_SHORTEST} to {_LONGEST} ASCII characters"
        )
    return token


def read_token(path: Path) -> str:
    """The token in a file. Raises DeskgymError: not_found, usage, or no_permission where others may read it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError as error:
        raise DeskgymError("not_found", f"there is no token file {path}", "deskgym serve says where it is") from error
    except OSError as error:
        raise describe(error) from error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise DeskgymError("usage", f"{path} is no file", "name the file that holds the token")
        if facts.st_mode & 0o077 or facts.st_uid not in (os.getuid(), 0):
            raise DeskgymError("no_permission", f"others may read the token file {path}", f"chmod 600 {path}")
        return _checked(os.read(descriptor, _LONGEST * 4).decode("utf-8", "replace"), str(path))
    finally:
        os.close(descriptor)


def read_descriptor(descriptor: int) -> str:
    """The token that an open descriptor gives; it is closed. Raises DeskgymError (usage)."""
    try:
        with open(descriptor, encoding="utf-8", errors="replace") as file:
            return _checked(file.read(_LONGEST * 4), f"descriptor {descriptor}")
    except OSError as error:
        raise DeskgymError("usage", f"descriptor {descriptor} cannot be read ({error.strerror})") from error


def kept_token(path: Path) -> str:
    """The token in a file, made there (0600) where there is none. Raises DeskgymError as `read_token`."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return read_token(path)
    except OSError as error:
        raise describe(error) from error
    token = new_token()
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(token + "\n")
    return token
