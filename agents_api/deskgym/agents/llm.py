"""The agent that asks a language model: tool calls over MCP, or JSON actions in the browser by tree or by pixels.

    deskgym run -t crm/next-step -a llm -o url=http://127.0.0.1:8080/v1 -o model=some-model

`url` may hold `{task}`, `{seed}` and `{attempt}`, so that a trainer's server can tell trials apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, get_args

from deskgym_apps.kit.errors import ServiceError

from ..errors import DeskgymError
from ..trial import Trial
from .chat import Chat, ChatSettings, cut, opening, read_key

Mode = Literal["tools", "tree", "pixels"]
_NUDGE = "Call one of the tools. When the work is done, call submit_answer, or finish where no answer is asked for."
_TOOL_RULES = (
    "You do office work in a company's applications by calling tools. Do what the instruction says, and nothing else: "
    "every other change counts against you. Read before you write. When the work is done, hand it in with "
    "submit_answer, or with finish where no answer is asked for. If it cannot be done, submit status infeasible."
)


class Llm:
    """Options: `url` and `model` of the endpoint, `key_file`, and how it is asked.

    `mode`: tools for surface mcp; tree (the default) or pixels for surface browser. `pages`: how many of the latest
    pages stay in the conversation in full. `characters`: the most of one result or page that is shown.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key_file: str | None = None,
        mode: Mode | None = None,
        temperature: float = 0.0,
        max_tokens: int = 2048,
        timeout: float = 120.0,
        retries: int = 3,
        pause: float = 1.0,
        pages: int = 2,
        characters: int = 60_000,
    ) -> None:
        if mode is not None and mode not in get_args(Mode):
            raise DeskgymError("usage", f'there is no mode "{mode}"', f"modes: {', '.join(get_args(Mode))}")
        self.settings = ChatSettings(
            str(url), str(model), read_key(key_file), temperature, max_tokens, timeout, retries, pause
        )
        self.mode = mode
        self.pages = pages
        self.characters = characters

    def run(self, trial: Trial) -> None:
        """Ask and act until the work is handed in or the steps are used up."""
        mode: Mode = self.mode or ("tools" if trial.surface == "mcp" else "tree")
        if (mode == "tools") != (trial.surface == "mcp"):
            raise DeskgymError("usage", f"mode {mode} does not go with surface {trial.surface}", "leave mode out")
        with Chat(_of_trial(self.settings, trial)) as chat:
            if mode == "tools":
                _by_tools(chat, trial, self.characters)
            else:
                from .llm_pages import Pages  # the browser's library is loaded where a browser is used

                Pages(chat, trial, mode, self.pages, self.characters).run()


def _of_trial(settings: ChatSettings, trial: Trial) -> ChatSettings:
    task = trial.episode.task
    name = "free" if task is None else task.template.replace("/", ".")
    url = settings.url
    for word, value in {"task": name, "seed": trial.seed, "attempt": trial.attempt}.items():
        url = url.replace(f"{{{word}}}", str(value))
    return ChatSettings(**{**vars(settings), "url": url})


def _by_tools(chat: Chat, trial: Trial, characters: int) -> None:
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
        }
        for tool in trial.episode.tools().values()
    ]
    messages = opening(_TOOL_RULES, trial)
    while not trial.done:
        said = chat.reply(messages, tools)
        messages.append(
            {"role": "assistant", **{key: said.get(key) for key in ("content", "tool_calls") if said.get(key)}}
        )
        calls = said.get("tool_calls") or []
        if not calls:
            trial.note_refusal(str(said.get("content")), _NUDGE)
            messages.append({"role": "user", "content": _NUDGE})
        for call in calls:
            result = _called(trial, call)
            messages.append({"role": "tool", "tool_call_id": call.get("id"), "content": cut(result, characters)})


def _called(trial: Trial, call: Mapping[str, Any]) -> str:
    """What the model is told of one tool call: the result as JSON, or why it was refused."""
    function = call.get("function") or {}
    name, text = str(function.get("name")), function.get("arguments") or "{}"
    try:
        arguments = json.loads(text) if isinstance(text, str) else text
    except ValueError as error:
        arguments = error
    if not isinstance(arguments, dict):
        fault = f"the arguments of {name} are a JSON object, not {str(text)[:200]!r}"
        trial.note_refusal(f"{name}({str(text)[:200]})", fault)
        return f"Error: {fault}"
    try:
        return json.dumps(trial.call(name, arguments), ensure_ascii=False)
    except ServiceError as refused:
        return f"Error: {refused}"
