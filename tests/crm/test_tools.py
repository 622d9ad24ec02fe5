"""The tools as a model sees them: schemas that say what is valid, refusals that say what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from deskgym_apps.crm.tools import TOOLS
from deskgym_apps.desk.service import submit
from deskgym_apps.kit.errors import Invalid, NotFound, Sealed, ServiceError
from deskgym_apps.kit.operations import operation

from .fixture import ALDERCROFT, DANA, KESTREL, MAIL, MARTA, World

BY_NAME = {tool.name: tool for tool in TOOLS}
START = "2031-03-20T09:00:00Z"
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("crm_whoami", {}),
    ("crm_describe", {"object": "contact"}),
    (
        "crm_query",
        {
            "object": "opportunity",
            "filter": [
                {"field": "is_closed", "op": "equals", "value": False},
                {"field": "account.region", "op": "equals", "value": "EMEA"},
                {"field": "amount", "op": "gte", "value": 50000},
            ],
            "logic": "1 AND (2 OR 3)",
            "sort": [{"field": "close_date", "direction": "asc"}],
        },
    ),
    ("crm_search", {"text": "kestrel"}),
    ("crm_get", {"id": KESTREL, "related": ["contact_roles", "products", "tasks", "events", "notes", "emails"]}),
    ("crm_timeline", {"id": ALDERCROFT}),
    ("crm_timeline", {"id": KESTREL, "action": "history"}),
    ("crm_create", {"object": "account", "values": {"name": "Example"}}),
    (
        "crm_create",
        {
            "object": "event",
            "values": {"subject": "x", "start_at": "2031-03-20T09:00:00Z", "end_at": "2031-03-20T10:00:00Z"},
        },
    ),
    ("crm_update", {"id": KESTREL, "row_version": 1, "values": {"amount": 12.5, "next_step": None}}),
    ("crm_delete", {"id": MARTA}),
    (
        "crm_log_activity",
        {"kind": "call", "values": {"subject": "Renewal", "what_id": KESTREL, "duration_minutes": 25}},
    ),
    (
        "crm_create",
        {
            "object": "list_view",
            "values": {
                "object": "opportunity",
                "name": "Example",
                "filters": [{"field": "amount", "op": "gte", "value": 50000}],
                "columns": ["name", "amount"],
                "sort": [{"field": "amount", "direction": "desc"}],
            },
        },
    ),
    (
        "crm_bulk_update",
        {
            "object": "task",
            "filter": [{"field": "due_date", "op": "lt", "value": "TODAY"}],
            "values": {"priority": "Low"},
            "expected_count": 2,
        },
    ),
    ("crm_link_contact", {"action": "set_role", "opportunity_id": KESTREL, "contact_id": MARTA, "role": "Evaluator"}),
    ("crm_link_contact", {"action": "remove_role", "opportunity_id": KESTREL, "contact_id": MARTA}),
    ("crm_link_contact", {"action": "set_account", "account_id": ALDERCROFT, "contact_id": MARTA, "role": "Other"}),
]


@pytest.fixture
def world(image: bytes) -> Iterator[World]:
    opened = World(image, "tool")
    yield opened
    opened.close()


def objects_of(schema: Any) -> list[dict[str, Any]]:
    """Every object schema with properties inside a schema."""
    found = []
    if isinstance(schema, dict):
        found += [schema] if "properties" in schema else []
        found += [inner for value in schema.values() for inner in objects_of(value)]
    if isinstance(schema, list):
        found += [inner for value in schema for inner in objects_of(value)]
    return found


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_schema_is_valid_closed_and_without_form_hints(tool: Any) -> None:
    Draft202012Validator.check_schema(dict(tool.schema))
    assert tool.schema["type"] == "object"
    assert not set(tool.schema) & {"oneOf", "anyOf", "allOf"}
    assert all(item["additionalProperties"] is False for item in objects_of(dict(tool.schema)))
    assert "x-widget" not in str(tool.schema)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_says_what_it_does_in_a_few_sentences(tool: Any) -> None:
    assert 60 <= len(tool.description) <= 1200
    assert tool.description.rstrip().endswith(".")


def test_there_are_at_most_20_tools_in_the_surface_of_the_specification() -> None:
    assert len(TOOLS) <= 20
    reading = ("describe", "query", "search", "get", "whoami", "timeline")
    writing = ("approval", "create", "update", "delete", "undelete", "log_activity")
    assert set(BY_NAME) >= {f"crm_{name}" for name in (*reading, *writing)}


@pytest.mark.parametrize(("name", "arguments"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_examples_are_valid_by_schema_and_accepted(world: World, name: str, arguments: dict[str, Any]) -> None:
    Draft202012Validator(dict(BY_NAME[name].schema)).validate(arguments)
    world.tool(name.removeprefix("crm_"), arguments)


@pytest.mark.parametrize(("name", "arguments"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_one_call_is_one_command_or_writes_nothing(world: World, name: str, arguments: dict[str, Any]) -> None:
    world.tool(name.removeprefix("crm_"), arguments)
    commands = world.store.all("SELECT operation FROM jrn_command")
    assert len(commands) == int(BY_NAME[name].writes)
    assert all(operation(row["operation"]).writes for row in commands)


@pytest.mark.parametrize(
    ("name", "arguments", "code", "field", "hint"),
    [
        ("create", {"object": "acount", "values": {}}, "validation", "object", 'Did you mean "account"'),
        ("create", {"object": "account"}, "validation", "values", "needs the argument values"),
        ("create", {"object": "account", "values": []}, "validation", "values", "object, field by field"),
        ("create", {"object": "account", "values": {}}, "validation", "name", "name is required"),
        ("create", {"object": "task", "values": {"subjct": "x"}}, "validation", "subject", "required"),
        ("create", {"object": "account", "value": {}}, "validation", "value", 'Did you mean "values"'),
        ("update", {"id": "XYZ000000000001", "values": {}, "row_version": 1}, "not_found", "id", "ids begin with"),
        ("update", {"id": MAIL, "values": {}, "row_version": 1}, "not_found", "id", "not changed here"),
        ("update", {"id": 7, "values": {}, "row_version": 1}, "validation", "id", "15 characters"),
        ("update", {"id": KESTREL, "values": {}, "row_version": "1"}, "validation", "row_version", "integer"),
        ("update", {"id": KESTREL, "values": {"stag": "x"}, "row_version": 1}, "validation", "values.stag", "stage"),
        (
            "update",
            {"id": KESTREL, "values": {}, "row_version": 3},
            "conflict",
            "row_version",
            "it is now 1",
        ),
        ("get", {"id": KESTREL, "related": ["contacts"]}, "bad_query", "related", 'Did you mean "contact_roles"'),
        ("describe", {"object": "deal"}, "not_found", "object", "there is no object"),
        ("log_activity", {"kind": "meeting", "values": {}}, "validation", "kind", "call, task, event, note"),
        ("query", {"object": "account", "limt": 5}, "validation", "limt", 'Did you mean "limit"'),
    ],
)
def test_refusals_name_the_field_and_what_would_be_right(
    world: World, name: str, arguments: dict[str, Any], code: str, field: str, hint: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        world.tool(name, arguments)
    answer = refused.value.as_dict()
    assert (answer["code"], answer["field"]) == (code, field)
    assert hint in answer["message"]
    assert world.store.all("SELECT * FROM jrn_command") == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("query", {"object": "account", "filter": [{"field": "name", "op": "contains", "value": "\ud800"}]}),
        ("query", {"object": "\ud800"}),
        ("log_activity", {"kind": "event", "values": {"subject": "Visit", "start_at": START, "end_at": "\ud800"}}),
        ("create", {"object": "account", "values": {"\udfff": "x"}}),
    ],
)
def test_half_a_character_is_refused_in_any_argument(world: World, name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="lone surrogate"):
        world.tool(name, arguments)


def test_move_open_activities_is_refused_where_it_means_nothing(world: World) -> None:
    arguments = {"id": "TSK000000000002", "row_version": 1, "values": {}, "move_open_activities": True}
    with pytest.raises(Invalid, match="owner of an account"):
        world.tool("update", arguments)


def test_after_the_seal_nothing_can_be_written_but_all_be_read(world: World) -> None:
    submit(world.store, DANA, "mcp", {"status": "done"})
    with pytest.raises(Sealed):
        world.tool("update", {"id": KESTREL, "row_version": 1, "values": {"next_step": "late"}})
    assert world.tool("get", {"id": KESTREL})["id"] == KESTREL


def test_whoami_says_who_and_when(world: World) -> None:
    me = world.tool("whoami")
    assert (me["id"], me["profile"], me["role"]) == (DANA, "Sales Representative", "AE East")
    assert (me["today"], me["fiscal_quarter"]) == ("2031-03-14", ["2031-02-01", "2031-04-30"])
    assert me["rights"]["account"] == ["create", "edit", "read"]
    assert me["read_only_fields"] == {"account": ["sla_tier"]}
    with pytest.raises(NotFound):
        world.tool("whois")


def test_describe_lists_what_a_form_would_show(world: World) -> None:
    answer = world.tool("describe", {"object": "opportunity"})
    fields = {field["name"]: field for field in answer["fields"]}
    assert fields["stage"]["allowed"][0] == "Prospecting"
    assert (fields["name"]["required"], fields["close_date"]["required"], fields["amount"]["required"]) == (
        True,
        True,
        False,
    )
    assert (fields["amount"]["writable"], fields["expected_revenue"]["writable"]) == (True, False)
    assert fields["account_id"]["target"] == "account"
    assert answer["parents"]["account"] == "account"
    assert "gte" in fields["amount"]["operators"]
    assert (fields["stage"]["default"], fields["owner_id"]["default"], fields["currency"]["default"]) == (
        "Prospecting",
        DANA,
        None,
    )
    tasks = {field["name"]: field for field in world.tool("describe", {"object": "task"})["fields"]}
    assert (tasks["status"]["default"], tasks["kind"]["allowed"]) == ("Not Started", ["Task", "Call"])


def test_no_schema_of_a_tool_refers_to_what_is_not_in_it() -> None:
    assert "$ref" not in json.dumps([tool.schema for tool in TOOLS])
