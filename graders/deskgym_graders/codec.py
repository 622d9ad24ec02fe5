"""Frozen dataclasses to JSON data and back, without loss; unknown keys and kinds are refused.

An instance of a class marked `@coded` is `{"is": "Eq", "value": 3}`; a tuple is a list. A field whose metadata says
`raw` (see `raw_json`) holds plain JSON data and goes through as it is, but for `Var`, which is `{"$var": path}`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeVar

from deskgym_apps.kit.errors import nearest

Class = TypeVar("Class", bound=type)
_classes: dict[str, type] = {}


class SpecError(ValueError):
    """A task that cannot be graded soundly: the author must change it (exit code 3, status `spec_error`)."""


@dataclasses.dataclass(frozen=True)
class Var:
    """In the arguments of a call: a path into an earlier result, `<save_as>.<field>`."""

    path: str


def coded(cls: Class) -> Class:
    """Make a frozen dataclass encodable under its name."""
    if cls.__name__ in _classes:
        raise ValueError(f"two coded classes are named {cls.__name__}")
    _classes[cls.__name__] = cls
    return cls


def raw_json() -> dict[str, Any]:
    """Metadata of a field that holds plain JSON data."""
    return {"raw": True}


def encode_raw(value: Any) -> Any:
    """Plain JSON data; `Var` becomes `{"$var": path}`."""
    if isinstance(value, Var):
        return {"$var": value.path}
    if isinstance(value, list | tuple):
        return [encode_raw(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): encode_raw(item) for name, item in value.items()}
    if value is None or isinstance(value, str | int | bool | float):
        return value
    raise SpecError(f"{value!r} is no JSON data")


def decode_raw(value: Any) -> Any:
    """The reverse of `encode_raw`."""
    if isinstance(value, list):
        return [decode_raw(item) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$var"}:
            return Var(value["$var"])
        return {name: decode_raw(item) for name, item in value.items()}
    return value


def encode(value: Any) -> Any:
    """JSON data of a coded instance, a tuple or mapping of such, or a scalar."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if _classes.get(type(value).__name__) is not type(value):
            raise SpecError(f"{type(value).__name__} cannot stand in a task")
        body: dict[str, Any] = {"is": type(value).__name__}
        for item in dataclasses.fields(value):
            inner = getattr(value, item.name)
            body[item.name] = encode_raw(inner) if item.metadata.get("raw") else encode(inner)
        return body
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): encode(item) for name, item in value.items()}
    if value is None or isinstance(value, str | int | bool):
        return value
    raise SpecError(f"{value!r} cannot stand in a task")


def decode(data: Any) -> Any:
    """The reverse of `encode`. Raises SpecError for an unknown kind or key."""
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    if not isinstance(data, dict):
        return data
    if "is" not in data:
        return {name: decode(item) for name, item in data.items()}
    name = data["is"]
    if name not in _classes:
        raise SpecError(f'there is no kind "{name}".{nearest(str(name), sorted(_classes))}')
    known = {item.name: item for item in dataclasses.fields(_classes[name])}
    unknown = sorted(set(data) - set(known) - {"is"})
    if unknown:
        raise SpecError(f'{name} has no key "{unknown[0]}".{nearest(unknown[0], sorted(known))}')
    given = {
        key: decode_raw(value) if known[key].metadata.get("raw") else decode(value)
        for key, value in data.items()
        if key != "is"
    }
    try:
        return _classes[name](**given)
    except (TypeError, ValueError) as error:
        raise SpecError(f"{name}: {error}") from error


def canonical_text(data: Any) -> str:
    """JSON with sorted keys and no spaces."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: Any) -> str:
    """SHA-256 of the canonical JSON of a coded instance."""
    return hashlib.sha256(canonical_text(encode(value)).encode()).hexdigest()
