"""One error type for everything that goes wrong outside an app: a kind, the fact, and what to do (DESIGN §5)."""

from __future__ import annotations

import errno

EXIT_CODES = {
    "usage": 2,
    "not_found": 2,
    "no_secret": 2,
    "too_large": 2,
    "conflict": 2,
    "invalid_task": 3,
    "sealed": 4,
    "unauthorized": 4,
    "capacity": 4,
    "port_in_use": 4,
    "no_browser": 4,
    "no_permission": 4,
    "timeout": 4,
    "env_error": 4,
    "internal": 4,
}
_NO_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)


class DeskgymError(Exception):
    """What was wrong, of which kind, and a hint that says what would be right.

    `kind` is one of EXIT_CODES. The command line and the control plane show kind, message and hint as they are.
    """

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        if kind not in EXIT_CODES:
            raise ValueError(f"unknown kind of error {kind!r}")
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[DeskgymError], tuple[str, str, str]]:
        return (DeskgymError, (self.kind, self.message, self.hint))

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.kind]

    def as_dict(self) -> dict[str, str]:
        """`{kind, message, hint}`: the `error` of an envelope."""
        return {"kind": self.kind, "message": self.message, "hint": self.hint}


def describe(error: BaseException) -> DeskgymError:
    """Any exception as a DeskgymError. Errors of lower rooms that carry a known `kind` keep it."""
    if isinstance(error, DeskgymError):
        return error
    kind = getattr(error, "kind", None)
    if kind in EXIT_CODES:
        return DeskgymError(str(kind), str(getattr(error, "message", error)), str(getattr(error, "hint", "") or ""))
    if isinstance(error, OSError):
        return _of_file(error)
    return DeskgymError("internal", f"{type(error).__name__}: {error}", "this is a fault of deskgym; please report it")


def _of_file(error: OSError) -> DeskgymError:
    where = f" ({error.filename})" if error.filename else ""
    text = f"{error.strerror or error}{where}"
    if error.errno in _NO_PERMISSION:
        return DeskgymError("no_permission", text, "choose a folder you may write to")
    if error.errno == errno.ENOSPC:
        return DeskgymError("capacity", text, "free some disk space")
    if error.errno == errno.EADDRINUSE:
        return DeskgymError("port_in_use", text, "stop the other program or choose another port")
    return DeskgymError("env_error", text)
