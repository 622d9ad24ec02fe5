"""The two doors of Northbeam, pages and MCP tools, behind one face: each rule is tried through both.

Pages are used without scripts: a form is fetched, filled in and sent as a browser would. Tools are called as the MCP
server calls them, so that a refusal comes back as its `isError` result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode

from tests.crm.fixture import DANA
from tests.crm.pages.conftest import FORM, fields_of
from werkzeug.test import TestResponse

from deskgym_apps.crm.service.activities import CallInput
from deskgym_apps.crm.service.catalog import MODELS
from deskgym_apps.crm.service.inputs import widgets
from deskgym_apps.kit.entry import written_instant

from .house import CODES, FOLDERS, OBJECTS, Draft, House, Outcome, Refused, plain

_SUMMARY = re.compile(r'<div class="error-summary".*?</div>', re.DOTALL)
_LINE = re.compile(r'<li>(?:<a href="#([^"]*)">)?(.*?)(?:</a>)?</li>', re.DOTALL)
_ID = re.compile(r'href="/crm/[a-z-]+/([A-Z]{3}[A-Z0-9]{12})(?:\?[^"]*)?"')


@dataclass
class ToolDoorway:
    """By MCP tools."""

    house: House
    name: str = "tool"

    def _call(self, tool: str, arguments: Mapping[str, Any], by: str) -> Outcome:
        found = self.house.tool(tool, arguments, by)
        if "message" not in found:
            return Outcome("done", str(found.get("id", "")))
        faults = found.get("errors") or [{"field": found.get("field"), "message": found["message"]}]
        named = {str(fault["field"] or "").removeprefix("values."): fault["message"] for fault in reversed(faults)}
        return Outcome(found["code"], faults=named, text=json.dumps(found, ensure_ascii=False))

    def create(self, kind: str, *, by: str = DANA, **values: Any) -> Outcome:
        if kind == "call":
            return self._call("log_activity", {"kind": "call", "values": values}, by)
        return self._call("create", {"object": kind, "values": values}, by)

    def draft(self, record_id: str, *, by: str = DANA) -> Draft:
        found = self.house.tool("get", {"id": record_id}, by)
        if "message" in found:
            raise Refused(Outcome(found["code"], text=found["message"]))
        return Draft(record_id, by, found["record"]["row_version"])

    def save(self, draft: Draft, values: Mapping[str, Any], *, moves: bool = False) -> Outcome:
        more = {"move_open_activities": True} if moves else {}
        arguments = {"id": draft.id, "row_version": draft.version, "values": dict(values)} | more
        return self._call("update", arguments, draft.by)

    def update(self, record_id: str, values: Mapping[str, Any], *, by: str = DANA, moves: bool = False) -> Outcome:
        """Change a record as it now is."""
        try:
            return self.save(self.draft(record_id, by=by), values, moves=moves)
        except Refused as refused:
            return refused.outcome

    def move(self, draft: Draft, stage: str, **more: Any) -> Outcome:
        return self.save(draft, {"stage": stage} | more)

    def delete(self, record_id: str, *, by: str = DANA, version: int | None = None) -> Outcome:
        given = {} if version is None else {"row_version": version}
        return self._call("delete", {"id": record_id} | given, by)

    def undelete(self, record_id: str, *, by: str = DANA) -> Outcome:
        return self._call("undelete", {"id": record_id}, by)

    def link(self, name: str, one: str, other: str, *, by: str = DANA, **values: Any) -> Outcome:
        return self._call("link_contact", {"action": f"set_{_PART[name]}"} | _keys(name, one, other) | values, by)

    def unlink(self, name: str, one: str, other: str, *, by: str = DANA) -> Outcome:
        return self._call("link_contact", {"action": f"remove_{_PART[name]}"} | _keys(name, one, other), by)

    def sees(self, record_id: str, *, by: str = DANA) -> str:
        return str(self.house.tool("get", {"id": record_id}, by).get("code", "done"))

    def _query(self, kind: str, filters: tuple[tuple[str, str, Any], ...], more: Mapping[str, Any]) -> dict[str, Any]:
        wanted = [
            {"field": name, "op": op} | ({} if value is None else {"value": value}) for name, op, value in filters
        ]
        return {"object": kind, "filter": wanted, "limit": 100, **more}

    def ids(self, kind: str, *filters: tuple[str, str, Any], by: str = DANA, **more: Any) -> list[str]:
        found = self.house.tool("query", self._query(kind, filters, more), by)
        assert "rows" in found, found
        return [row["id"] for row in found["rows"]]

    def refusal(self, kind: str, *filters: tuple[str, str, Any], by: str = DANA, **more: Any) -> Outcome:
        return self._call("query", self._query(kind, filters, more), by)

    def found(self, text: str, *, by: str = DANA, kind: str = "") -> list[str]:
        more = {"objects": [kind], "limit": 200} if kind else {}
        groups = self.house.tool("search", {"text": text} | more, by)["groups"]
        return [row["id"] for group in groups for row in group["rows"]]

    def history_text(self, record_id: str, *, by: str = DANA) -> str:
        return json.dumps(self.house.tool("timeline", {"id": record_id, "action": "history"}, by), ensure_ascii=False)

    def timeline_text(self, record_id: str, *, by: str = DANA) -> str:
        return json.dumps(self.house.tool("timeline", {"id": record_id, "limit": 200}, by), ensure_ascii=False)


_PART = {"contact_role": "role", "account_contact": "account"}


def _keys(name: str, one: str, other: str) -> dict[str, str]:
    first = "opportunity_id" if name == "contact_role" else "account_id"
    return {first: one, "contact_id": other}


@dataclass
class PageDoorway:
    """By pages."""

    house: House
    name: str = "page"
    forms: dict[tuple[str, str, str, int], dict[str, str]] = field(default_factory=dict)

    def form(self, path: str, by: str, action: str = "") -> dict[str, str]:
        """The fields of a page's form, untouched. Raises Refused where the page is refused or has no such form.

        A form is fetched once between two commands: until the next one it is drawn the same.
        """
        last = self.house.store.conn.execute("SELECT coalesce(max(seq), 0) FROM jrn_command").fetchone()[0]
        key = (path, by, action, last)
        if key not in self.forms:
            self.forms[key] = self._fetched(path, by, action)
        return dict(self.forms[key])

    def _fetched(self, path: str, by: str, action: str) -> dict[str, str]:
        response = self.house.get(path, by)
        if response.status_code != 200:
            raise Refused(Outcome(CODES[response.status_code], text=response.text))
        wanted = action or path.split("?")[0]
        for found, body in FORM.findall(response.text):
            if unescape(found) == wanted:
                return fields_of(body)
        raise Refused(Outcome("no form", text=response.text))

    def card(self, deal: str, by: str = DANA) -> dict[str, str] | None:
        """What moving a card of the board sends, but for the stage; None where the card cannot be moved."""
        text = self.house.get("/crm/opportunities/board", by).text
        found = re.search(rf'data-post="/crm/opportunities/{deal}/stage"[^>]*data-fields="([^"]*)"', text)
        return None if found is None else dict(json.loads(unescape(found[1])))

    def outcome(self, response: TestResponse) -> Outcome:
        """What a page says that came back from a post."""
        code = CODES[response.status_code]
        summary = _SUMMARY.search(response.text)
        faults: dict[str, str] = {}
        for target, line in _LINE.findall(summary[0]) if summary else ():
            faults.setdefault(re.sub(r"^.*-", "", unescape(target)), plain(line))
        made = re.search(r"[?&]id=([A-Z0-9]{15})", response.location or "")
        return Outcome(code, made[1] if made else "", faults, response.text)

    def typed(self, kind: str, values: Mapping[str, Any], by: str, new: bool) -> dict[str, str]:
        """Values as a person enters them: lookups as chosen, instants in their own time."""
        model: Any = CallInput if kind == "call" else MODELS[kind][0 if new else 1]
        fields: dict[str, str] = {}
        for name, value in values.items():
            if name == "record_ids":
                fields |= _slots(value)
                continue
            sort = widgets(model).get(name, {"kind": "text"})["kind"]
            if sort == "lookup" and value is not None:
                fields |= {name: value, f"{name}__label": "chosen", f"{name}__text": "chosen"}
            elif sort == "lookup":
                fields |= {name: "", f"{name}__label": "", f"{name}__text": ""}
            elif sort == "instant" and value is not None and value.endswith("Z"):
                fields[name] = written_instant(value, self.house.zone(by))
            elif sort == "checkbox":
                fields[name] = "1" if value else ""
            else:
                fields[name] = "" if value is None else str(value)
        return fields

    def create(self, kind: str, *, by: str = DANA, **values: Any) -> Outcome:
        path = f"/crm/{FOLDERS[kind]}/new"
        try:
            form = self.form(path, by)
        except Refused as refused:
            return refused.outcome
        return self.outcome(self.house.post(path, form | self.typed(kind, values, by, True), by))

    def draft(self, record_id: str, *, by: str = DANA) -> Draft:
        form = self.form(f"/crm/{FOLDERS[OBJECTS[record_id[:3]]]}/{record_id}/edit", by)
        return Draft(record_id, by, int(form["row_version"]), form)

    def save(self, draft: Draft, values: Mapping[str, Any], *, moves: bool = False) -> Outcome:
        kind = OBJECTS[draft.id[:3]]
        typed = self.typed(kind, values, draft.by, False) | ({"move_open_activities": "1"} if moves else {})
        return self.outcome(self.house.post(f"/crm/{FOLDERS[kind]}/{draft.id}/edit", {**draft.form, **typed}, draft.by))

    def update(self, record_id: str, values: Mapping[str, Any], *, by: str = DANA, moves: bool = False) -> Outcome:
        """Change a record as it now is."""
        try:
            return self.save(self.draft(record_id, by=by), values, moves=moves)
        except Refused as refused:
            return refused.outcome

    def move(self, draft: Draft, stage: str, **more: Any) -> Outcome:
        """By the path of the deal's page and the dialog that closing shows."""
        path = f"/crm/opportunities/{draft.id}/stage"
        fields = {"form_token": draft.form["form_token"], "row_version": str(draft.version), "stage": stage}
        response = self.house.post(path, fields, draft.by)
        if response.status_code == 200:
            body = next(body for action, body in FORM.findall(response.text) if unescape(action) == path)
            typed = self.typed("opportunity", more, draft.by, False)
            response = self.house.post(path, fields_of(body) | typed, draft.by)
        return self.outcome(response)

    def delete(self, record_id: str, *, by: str = DANA, version: int | None = None) -> Outcome:
        path = f"/crm/{FOLDERS[OBJECTS[record_id[:3]]]}/{record_id}/delete"
        try:
            form = self.form(path, by)
        except Refused as refused:
            return refused.outcome
        given = {} if version is None else {"row_version": str(version)}
        return self.outcome(self.house.post(path, form | given, by))

    def undelete(self, record_id: str, *, by: str = DANA) -> Outcome:
        for scope in ("mine", "org"):
            response = self.house.get(f"/crm/recycle-bin?scope={scope}", by)
            for action, body in FORM.findall(response.text):
                if action == "/crm/recycle-bin" and fields_of(body).get("id") == record_id:
                    return self.outcome(self.house.post("/crm/recycle-bin", fields_of(body), by))
        shown = self.house.get(f"/crm/recycle-bin/{record_id}", by)
        return Outcome("not_found" if shown.status_code == 404 else "no form", text=shown.text)

    def _link_path(self, name: str, one: str, other: str) -> str:
        if name == "contact_role":
            return f"/crm/opportunities/{one}/contact-roles"
        return f"/crm/contacts/{other}/accounts"

    def link(self, name: str, one: str, other: str, *, by: str = DANA, **values: Any) -> Outcome:
        path, chosen = self._link_path(name, one, other), other if name == "contact_role" else one
        table, row = (
            ("opportunity_contact_role", (one, other)) if name == "contact_role" else ("account_contact", (one, other))
        )
        known = self.house.store.get(f"crm_{table}", row) is not None
        path += f"/{chosen}" if known else "/new"
        try:
            form = self.form(path, by)
        except Refused as refused:
            return refused.outcome
        key = "contact_id" if name == "contact_role" else "account_id"
        given = {} if known else {key: chosen, f"{key}__label": "chosen", f"{key}__text": "chosen"}
        given |= {"role": values.get("role") or "", "is_primary": "1" if values.get("is_primary") else ""}
        return self.outcome(self.house.post(path, form | given, by))

    def unlink(self, name: str, one: str, other: str, *, by: str = DANA) -> Outcome:
        chosen = other if name == "contact_role" else one
        path = f"{self._link_path(name, one, other)}/{chosen}/remove"
        try:
            form = self.form(path, by)
        except Refused as refused:
            return refused.outcome
        return self.outcome(self.house.post(path, form, by))

    def sees(self, record_id: str, *, by: str = DANA) -> str:
        folder = FOLDERS[{**OBJECTS, "EML": "email"}[record_id[:3]]]
        status = self.house.get(f"/crm/{folder}/{record_id}", by).status_code
        return "done" if status == 200 else CODES[status]

    def _list(
        self, kind: str, filters: tuple[tuple[str, str, Any], ...], by: str, more: Mapping[str, Any]
    ) -> TestResponse:
        pairs = [("size", "100")]
        for at, (name, op, value) in enumerate(filters, 1):
            text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
            pairs += [(f"field{at}", name), (f"op{at}", op), (f"value{at}", text)]
        if more.get("scope"):
            pairs.append(("scope", more["scope"]))
        for item in more.get("sort", ()):
            pairs += [("sort", item["field"]), ("dir", item.get("direction", "asc"))]
        return self.house.get(f"/crm/{FOLDERS[kind]}?{urlencode(pairs)}", by)

    def ids(self, kind: str, *filters: tuple[str, str, Any], by: str = DANA, **more: Any) -> list[str]:
        response = self._list(kind, filters, by, more)
        assert response.status_code == 200, response.text
        return listed(response.text)

    def refusal(self, kind: str, *filters: tuple[str, str, Any], by: str = DANA, **more: Any) -> Outcome:
        response = self._list(kind, filters, by, more)
        return Outcome(CODES[response.status_code], text=response.text)

    def found(self, text: str, *, by: str = DANA, kind: str = "") -> list[str]:
        response = self.house.get(f"/crm/search?{urlencode({'q': text, 'object': kind})}", by)
        assert response.status_code == 200, response.text
        main = response.text[response.text.index("<main") :]
        return list(dict.fromkeys(_ID.findall(main)))

    def history_text(self, record_id: str, *, by: str = DANA) -> str:
        return self._text(f"/crm/{FOLDERS[OBJECTS[record_id[:3]]]}/{record_id}/history", by)

    def timeline_text(self, record_id: str, *, by: str = DANA) -> str:
        return self._text(f"/crm/{FOLDERS[OBJECTS[record_id[:3]]]}/{record_id}", by, '<section class="panel timeline"')

    def _text(self, path: str, by: str, start: str = "<main") -> str:
        response = self.house.get(path, by)
        assert response.status_code == 200, path
        return plain(response.text[response.text.index(start) :])


def _slots(record_ids: Any) -> dict[str, str]:
    """The lookups of a note's form."""
    fields: dict[str, str] = {}
    for at in range(1, 11):
        value = record_ids[at - 1] if record_ids and at <= len(record_ids) else ""
        text = "chosen" if value else ""
        if value or at <= 3:
            fields |= {f"record_{at}": value, f"record_{at}__label": text, f"record_{at}__text": text}
    return fields


def listed(page: str) -> list[str]:
    """Ids of the records in the table of a list, in order."""
    body = re.search(r"<tbody.*?</tbody>", page, re.DOTALL)
    rows = re.findall(r"<tr\b.*?</tr>", body[0], re.DOTALL) if body else []
    found = []
    for row in rows:
        first = _ID.search(row)
        if first:
            found.append(first[1])
    return found
