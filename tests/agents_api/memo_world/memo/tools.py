"""Memo tools: one each."""

from collections.abc import Callable, Mapping
from typing import Any

from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import Tool

from . import service


def _to(operation: str) -> Callable[[Store, str, Mapping[str, Any]], tuple[str, Mapping[str, Any]]]:
    return lambda _store, _person, arguments: (operation, arguments)


TOOLS = (
    Tool(
        name="memo_add",
        title="Add",
        description="Write a memo.",
        schema=service.MemoInput.model_json_schema(),
        writes=True,
        plan=_to("memo.add_memo"),
    ),
    Tool(
        name="memo_finish",
        title="Finish",
        description="Mark a memo as done.",
        schema=service.DoneInput.model_json_schema(),
        writes=True,
        plan=_to("memo.finish_memo"),
    ),
    Tool(
        name="memo_list",
        title="List",
        description="The memos.",
        schema=service.ListInput.model_json_schema(),
        writes=False,
        plan=_to("memo.list_memos"),
    ),
)
