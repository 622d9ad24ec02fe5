"""The OpenAPI document of the control plane, made from its calls."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from deskgym_apps.kit.operations import Input

from .. import __version__
from ..errors import EXIT_CODES
from .calls import CALLS, ROWS, TEXT, Call

REFUSALS = {
    400: "usage: what was sent cannot be understood",
    401: "unauthorized: no token, or another one",
    404: "not_found: nothing of that name",
    405: "usage: the path does not answer to this method",
    409: "conflict",
    410: "sealed: the work was handed in",
    413: "too_large: more than 1 MB",
    415: "usage: the body is not JSON",
    422: "invalid_task, no_secret",
    429: "capacity: try again after the seconds of Retry-After",
}
OPEN = {"/healthz": "Whether the process answers; no token", "/readyz": "Whether it can start episodes; no token"}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _envelope(data: dict[str, Any]) -> dict[str, Any]:
    return _object({"schema": {"const": "deskgym/1"}, "ok": {"const": True}, "data": data})


def _json(schema: dict[str, Any], what: str) -> dict[str, Any]:
    return {"description": what, "content": {"application/json": {"schema": schema}}}


def _error() -> dict[str, Any]:
    inside = _object({"kind": {"enum": sorted(EXIT_CODES)}, "message": TEXT, "hint": TEXT})
    return _object({"schema": {"const": "deskgym/1"}, "ok": {"const": False}, "error": inside})


def _rows() -> dict[str, Any]:
    counts = {"type": "object", "additionalProperties": {"type": "integer"}}
    return _object({"rows": ROWS, "counts": counts, "truncated": {"type": "boolean"}})


def _parameters(call: Call) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{id}" in call.path:
        found.append({"name": "id", "in": "path", "required": True, "schema": TEXT})
    for name, default in call.query.items():
        kind = {"type": "integer", "minimum": 0} if isinstance(default, int) else dict(TEXT)
        found.append({"name": name, "in": "query", "required": False, "schema": kind | {"default": default}})
    return found


def _operation(call: Call, schemas: dict[str, Any]) -> dict[str, Any]:
    data = _rows() if call.answers is None else _object(dict(call.answers))
    refused = {"$ref": "#/components/schemas/Error"}
    operation: dict[str, Any] = {
        "operationId": call.name,
        "summary": call.what,
        "parameters": _parameters(call),
        "responses": {
            str(call.status): _json(_envelope(data), call.what),
            **{str(status): _json(refused, what) for status, what in REFUSALS.items()},
        },
    }
    if call.body is not None:
        schemas.update(_schemas(call.body))
        body = {"schema": {"$ref": f"#/components/schemas/{call.body.__name__}"}}
        needed = any(item.is_required() for item in call.body.model_fields.values())
        operation["requestBody"] = {"required": needed, "content": {"application/json": body}}
    return operation


def _schemas(model: type[Input]) -> dict[str, Any]:
    schema = TypeAdapter(model).json_schema(ref_template="#/components/schemas/{model}")
    inner = schema.pop("$defs", {})
    return {model.__name__: schema, **inner}


def document() -> dict[str, Any]:
    """The document as JSON data."""
    schemas: dict[str, Any] = {"Error": _error()}
    paths: dict[str, Any] = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call, schemas)
    for path, what in OPEN.items():
        answer = _json(_envelope({"type": "object"}), what)
        paths[path] = {"get": {"operationId": path[1:], "summary": what, "security": [], "responses": {"200": answer}}}
    figures = {"description": "Figures", "content": {"text/plain": {"schema": TEXT}}}
    paths["/metrics"] = {"get": {"operationId": "metrics", "summary": "Figures", "responses": {"200": figures}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "deskgym control plane", "version": __version__},
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }
