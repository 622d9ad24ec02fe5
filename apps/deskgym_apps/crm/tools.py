"""The CRM's MCP tools (mcp.md §8.2). Each call is one command or one query of the service layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from ..kit.errors import FieldError, Invalid, NotFound, nearest
from ..kit.store import Store
from ..kit.tools import Planned, Tool
from . import tool_setup
from .service.activities import CallInput
from .service.bulk import BulkInput
from .service.case_threads import CaseCommentInput, CaseReplyInput
from .service.catalog import MODELS
from .service.conversion import ConvertLeadInput
from .service.dashboards import DashboardChanges, DashboardInput
from .service.describe import DescribeInput
from .service.details import GetInput
from .service.duplicates import MATCHED
from .service.kinds import RECORDS, SAVED, SHARED, VIEW, kind_of
from .service.list_views import ListViewChanges, ListViewInput
from .service.queries import QueryInput
from .service.report_inputs import ReportChanges, ReportInput
from .service.search import SearchInput
from .service.sharing import ShareInput
from .tool_approval import APPROVAL_TOOL
from .tool_import import IMPORT_TOOL
from .tool_link import LINK_TOOL
from .tool_merge import MERGE_TOOL
from .tool_quote import QUOTE_TOOL
from .tool_report import REPORT_TOOL
from .tool_schemas import schema_of as _of
from .tool_timeline import TIMELINE_TOOL

Plan = Callable[[Store, str, Mapping[str, Any]], Planned]
_ID = {"type": "string", "pattern": "^[A-Z0-9]{15}$", "description": "15 characters; the first three say which object."}
_VERSION = {"type": "integer", "minimum": 1, "description": "The row_version you read with the record."}
_ALLOW = {
    "type": "boolean",
    "default": False,
    "description": "Save although matching rules warn of an account, contact or lead like this one.",
}
_IDS = (
    "Ids begin with ACC account, CON contact, OPP opportunity, OLI opportunity_line, QUO quote, QLI quote_line, "
    "LEA lead, CAS case, TSK task, EVT event, NTE note, ART article, CCM case comment, EML e-mail, PRD "
    "product, PBK pricebook, PBE pricebook_entry, GRP queue, PRS user, LVW list view, RPT report, DSH dashboard, "
    "APR approval_request."
)
_WRITTEN: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    **{kind: (models[0], models[1]) for kind, models in MODELS.items()},
    VIEW: (ListViewInput, ListViewChanges),
    "report": (ReportInput, ReportChanges),
    "dashboard": (DashboardInput, DashboardChanges),
}
_CREATED = {**{kind: models[0] for kind, models in _WRITTEN.items()}, **tool_setup.CREATED}
_CHANGED = {**{kind: models[1] for kind, models in _WRITTEN.items()}, **tool_setup.CHANGED}
_FOR_GOOD = ("undelete",)
_LOGGED: dict[str, type[BaseModel]] = {
    "call": CallInput,
    **{kind: MODELS[kind][0] for kind in ("task", "event", "note")},
    "case_comment": CaseCommentInput,
    "email_reply": CaseReplyInput,
}
_LOGGING = {"call": "crm.log_call", "email_reply": "crm.send_case_reply"}


def _schema(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """A closed object."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _within(model: type[BaseModel]) -> dict[str, Any]:
    """The same for a place inside another schema: whole, since what it refers to is looked for at the very top."""
    schema = _of(model)
    parts = schema.pop("$defs", {})

    def whole(item: Any) -> Any:
        if isinstance(item, dict):
            if "$ref" in item:
                rest = {key: value for key, value in item.items() if key != "$ref"}
                return {**whole(parts[item["$ref"].removeprefix("#/$defs/")]), **rest}
            return {key: whole(value) for key, value in item.items()}
        return [whole(one) for one in item] if isinstance(item, list) else item

    found: dict[str, Any] = whole(schema)
    return found


def _one_of(models: Mapping[str, type[BaseModel]], keyword: str) -> dict[str, Any]:
    """One of several objects' values, by object."""
    return {keyword: [_within(model) | {"title": name} for name, model in models.items()]}


def _straight(operation: str) -> Plan:
    """A tool whose arguments are the operation's."""

    def plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
        return operation, arguments

    return plan


def _chosen(argument: str, value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        message = f'{argument} is "{value}"; it must be one of {", ".join(known)}.{nearest(str(value), known)}'
        raise Invalid(message, field=argument, allowed=known)
    return str(value)


def _values(arguments: Mapping[str, Any]) -> dict[str, Any]:
    values = arguments["values"]
    if not isinstance(values, dict):
        raise Invalid(f"values is an object, field by field, not {type(values).__name__}", field="values")
    return values


def _record_kind(record_id: Any, verb: str = "") -> str:
    """The object of a record, or list view, that tools may change. Raises NotFound."""
    if not isinstance(record_id, str):
        raise Invalid(f"id is text of 15 characters, not {type(record_id).__name__}", field="id")
    kind = kind_of(record_id)
    if kind.name not in _WRITTEN or (kind.name in SAVED and verb in _FOR_GOOD):
        raise NotFound(f"{kind.plural.lower()} can be read but not changed here", field="id")
    return kind.name


def _create(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    kind = _chosen("object", arguments["object"], tuple(_CREATED))
    more = {"allow_duplicates": arguments["allow_duplicates"]} if "allow_duplicates" in arguments else {}
    if more and kind not in MATCHED:
        raise Invalid("allow_duplicates goes with an account, contact or lead", field="allow_duplicates")
    return f"crm.create_{kind}", _values(arguments) | more


def _update(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    kind = tool_setup.changes(arguments["id"]) or _record_kind(arguments["id"])
    values = dict(arguments)
    if kind not in SHARED and "move_open_activities" in values:
        message = "move_open_activities goes with the owner of an account, contact, opportunity or lead"
        raise Invalid([FieldError("move_open_activities", message)])
    if kind not in MATCHED and "allow_duplicates" in values:
        raise Invalid([FieldError("allow_duplicates", "allow_duplicates goes with an account, contact or lead")])
    if kind != "opportunity" and "remove_products" in values:
        raise Invalid([FieldError("remove_products", "remove_products goes with the price book of an opportunity")])
    return f"crm.update_{kind}", values | {"values": _values(arguments)}


def _on_record(verb: str) -> Plan:
    def plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
        name = tool_setup.changes(arguments["id"], verb) or _record_kind(arguments["id"], verb)
        kind = kind_of(arguments["id"])
        if kind.is_setting:
            raise NotFound(f"{kind.plural.lower()} are never deleted; set is_active to false", field="id")
        if kind.part_of and verb == "undelete":
            raise NotFound(f"{kind.plural.lower()} do not go to the recycle bin; create the line again", field="id")
        return f"crm.{verb}_{name}", arguments

    return plan


def _bulk(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if "values" in arguments:
        _values(arguments)
    return "crm.bulk_update", arguments


def _bulk_schema() -> dict[str, Any]:
    """The schema of many changes, with the fields that each object has."""
    schema = _of(BulkInput)
    schema["properties"]["object"] |= {"enum": list(RECORDS)}
    schema["properties"]["values"] = _one_of({kind: MODELS[kind][1] for kind in RECORDS}, "anyOf")
    return schema


def _log(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    kind = _chosen("kind", arguments["kind"], tuple(_LOGGED))
    return _LOGGING.get(kind, f"crm.create_{kind}"), _values(arguments)


def _read(name: str, title: str, description: str, schema: Mapping[str, Any]) -> Tool:
    return Tool(f"crm_{name}", title, description, schema, writes=False, plan=_straight(f"crm.{name}"))


_READING = (
    _read(
        "whoami",
        "Who am I",
        "Your user in Northbeam: profile, role, rights by object, time zone, currency, today's date and the company's "
        "fiscal quarter.",
        _schema({}),
    ),
    _read(
        "describe",
        "Describe an object",
        "Fields of an object with type, allowed values, operators, whether they are required and whether you may set "
        "them; the stages of the pipeline; related lists for crm_get. Objects: account, contact, opportunity, "
        "quote, lead, case, "
        "task, event, note, article, case_comment, email, product, pricebook, pricebook_entry, opportunity_line, "
        f"quote_line, queue, user, list_view, report, dashboard, approval_request. {tool_setup.OBJECTS}",
        _of(DescribeInput),
    ),
    _read(
        "query",
        "List records",
        "Records of one object that match a filter, sorted and paged: 25 by default, 200 at most; next_offset gives "
        "the next page. total and sums cover every match, not the page. Only records you may read. Amounts are decimal "
        "text in the record's own currency, and filters and sorting compare them as such numbers; a sum over several "
        "currencies is converted to yours and flagged approximate. Text is compared without case and accents. Dates "
        'are YYYY-MM-DD or words such as TODAY, THIS FISCAL QUARTER, LAST 30 DAYS. Example: {"object": '
        '"opportunity", "filter": [{"field": "is_closed", "op": "equals", "value": false}, {"field": '
        '"account.region", "op": "equals", "value": "EMEA"}, {"field": "amount", "op": "gte", "value": 50000}], '
        '"logic": "1 AND (2 OR 3)", "sort": [{"field": "close_date", "direction": "asc"}]}. list_view runs a saved '
        "list view.",
        _of(QueryInput),
    ),
    _read(
        "search",
        "Search",
        "Finds accounts, contacts, opportunities, quotes, products, leads, cases, tasks, events, notes, articles of "
        "the knowledge base and e-mails by the beginnings of words in names, e-mail addresses, numbers, companies, "
        "subjects and the text of articles, or by 4 or more digits of a telephone "
        "number. 5 records of each object by default, with the total of each.",
        _of(SearchInput),
    ),
    _read(
        "get",
        "Read a record",
        "One record with all its fields or those named, what you may do with it, and related lists on request. "
        f"Its row_version is what crm_update asks for. {_IDS} {tool_setup.IDS}",
        _of(GetInput),
    ),
    TIMELINE_TOOL,
)
_WRITING = (
    Tool(
        name="crm_create",
        title="Create a record",
        description="Creates one record and returns its id. values are the object's fields: crm_describe lists them "
        "with their allowed values. Lookups such as account_id and owner_id take ids. Money is a decimal number in "
        "major units, dates are YYYY-MM-DD, instants are UTC. What is left out takes its default; the owner is you, "
        "of a case who the assignment rule says. An account, contact or lead like another one is refused as a "
        "duplicate; the error lists those, and allow_duplicates=true saves it where it may be saved. "
        'Example: {"object": "opportunity", "values": {"name": "Pump upgrade", "account_id": "ACC…", "close_date": '
        '"2031-06-30", "amount": "12345.67"}}. A list_view is a saved list: object, name, filters, filter_logic, '
        "columns, sort, scope, visibility and group_ids. A report is what crm_run_report takes as spec, with a name, "
        "folder, visibility and chart; a dashboard has widgets that show reports.",
        schema=_schema(
            {
                "object": {"type": "string", "enum": list(_CREATED)},
                "values": _one_of(_CREATED, "anyOf"),
                "allow_duplicates": _ALLOW,
            },
            "object",
            "values",
        ),
        writes=True,
        plan=_create,
    ),
    Tool(
        name="crm_update",
        title="Change a record",
        description="Changes the given fields of one record; null clears a field; others stay. row_version is the one "
        "you read: if the record changed since, the call is refused as a conflict and nothing is written. A deal is "
        "moved by its stage: that sets probability and forecast category unless probability is given too; Closed Lost "
        "needs lost_reason, and lost_detail when that is Other; closing sets a later close_date to today. A case is "
        "closed by status Closed with reason and resolution; its owner is a user or a queue. "
        "move_open_activities=true hands the old owner's open tasks and coming events to a new owner. An opportunity "
        "with products has their sum as its amount; remove_products=true with a new pricebook_id takes them away. The "
        "row_version of a line is that of its opportunity or quote.",
        schema=_schema(
            {
                "id": _ID,
                "values": _one_of(_CHANGED, "anyOf"),
                "row_version": _VERSION,
                "move_open_activities": {"type": "boolean", "default": False},
                "remove_products": {"type": "boolean", "default": False},
                "allow_duplicates": _ALLOW,
            },
            "id",
            "values",
            "row_version",
        ),
        writes=True,
        plan=_update,
    ),
    Tool(
        name="crm_delete",
        title="Delete a record",
        description="Moves a record to the recycle bin, for 15 days. An account takes along its contacts, "
        "opportunities with their quotes, cases, and the activities and notes about nothing else; it is refused while "
        "one of its opportunities is Closed Won, and anything while an approval of it "
        "is pending. A list view or report goes for good. Returns how many records went.",
        schema=_schema({"id": _ID, "row_version": _VERSION}, "id"),
        writes=True,
        destructive=True,
        plan=_on_record("delete"),
    ),
    Tool(
        name="crm_undelete",
        title="Bring a record back",
        description="Brings a record back from the recycle bin with everything that was deleted together with it. "
        "Refused where its account number was given to another account meanwhile, or its parent is still deleted.",
        schema=_schema({"id": _ID}, "id"),
        writes=True,
        plan=_on_record("undelete"),
    ),
    Tool(
        name="crm_bulk_update",
        title="Change many records",
        description="Sets the same values on many records of one object, gives them to another owner, or deletes them "
        "(action delete), in one step: all of them, or none where one is refused; the answer then names each. The "
        "records are those of ids, or all that match filter, logic, scope and list_view. expected_count is how many "
        "you mean: crm_query gives it as total; another number is a conflict. 2,000 at most. Needs the right mass, "
        'which crm_whoami lists. Example: {"object": "task", "filter": [{"field": "due_date", "op": "lt", "value": '
        '"TODAY"}], "values": {"priority": "High"}, "expected_count": 12}.',
        schema=_bulk_schema(),
        writes=True,
        destructive=True,
        plan=_bulk,
    ),
    Tool(
        name="crm_log_activity",
        title="Log an activity",
        description="Writes a call that was held (a completed task of kind Call), a task to do, an event, a note, a "
        "comment on a case, or the answer to a case's customer by e-mail (email_reply: it is sent and cannot be taken "
        "back). who_id is a contact or a lead, what_id an account, an opportunity or a case; a note names its "
        "record_ids. Example: "
        '{"kind": "call", "values": {"subject": "Renewal", "who_id": "CON…", "what_id": "OPP…", "due_date": '
        '"2031-03-13", "duration_minutes": 25}}.',
        schema=_schema(
            {"kind": {"type": "string", "enum": list(_LOGGED)}, "values": _one_of(_LOGGED, "anyOf")},
            "kind",
            "values",
        ),
        writes=True,
        plan=_log,
    ),
    Tool(
        name="crm_convert_lead",
        title="Convert a lead",
        description="Turns a lead into an account, a contact and perhaps an opportunity; it cannot be undone. Each is "
        "the id of a record that exists, of which only blank fields are filled, or new; the opportunity may be none. "
        "crm_get of the lead with related matching_accounts and matching_contacts says which records it may be. The "
        "lead's activities, e-mails and notes go to the contact, and to the opportunity or else the account. A new "
        "opportunity closes on the last day of the company's fiscal quarter. The lead becomes read-only and leaves "
        "lists and search.",
        schema=_of(ConvertLeadInput),
        writes=True,
        destructive=True,
        plan=_straight("crm.convert_lead"),
    ),
)

_SHARE_TOOL = tool_setup.share_tool(_of(ShareInput))
TOOLS = (*_READING, *_WRITING, APPROVAL_TOOL, IMPORT_TOOL, LINK_TOOL, MERGE_TOOL, QUOTE_TOOL, REPORT_TOOL, _SHARE_TOOL)
