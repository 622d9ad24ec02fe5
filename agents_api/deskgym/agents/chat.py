"""A client of an OpenAI-compatible chat endpoint: `POST {url}/chat/completions`, by plain HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from ..errors import DeskgymError, describe
from ..trial import Trial

_TRY_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_LONGEST_PAUSE = 30.0
_SHOWN = 300

Message = dict[str, Any]


@dataclass(frozen=True)
class ChatSettings:
    """Where the model is and how it is asked. `timeout` and `pause` in seconds; `key` goes into Authorization."""

    url: str
    model: str
    key: str | None = None
    temperature: float = 0.0
    max_tokens: int = 2048
    timeout: float = 120.0
    retries: int = 3
    pause: float = 1.0


def read_key(path: str | Path | None) -> str | None:
    """The key in a file, without white space around it. Raises DeskgymError where there is none."""
    if path is None:
        return None
    try:
        key = Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise describe(error) from error
    if not key:
        raise DeskgymError("usage", f"{path} holds no key", "write the key into the file, and nothing else")
    return key


class Chat:
    """One conversation's connection. Use it as a context manager.

    What the endpoint gets wrong is a fault of the infrastructure, never of the agent: DeskgymError of kind
    unauthorized, timeout or env_error.
    """

    def __init__(self, settings: ChatSettings) -> None:
        self.settings = settings
        headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        self._client = httpx.Client(timeout=settings.timeout, headers=headers)

    def __enter__(self) -> Chat:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> Message:
        """The assistant's next message, as the endpoint sent it: `content`, `tool_calls`."""
        asked: dict[str, Any] = {
            "model": self.settings.model,
            "messages": list(messages),
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.max_tokens,
        }
        if tools:
            asked["tools"] = list(tools)
        response = self._post(asked)
        try:
            message = response.json()["choices"][0]["message"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise self._fault(f"sent no message: {response.text[:_SHOWN]!r}") from None
        if not isinstance(message, dict):
            raise self._fault(f"sent no message: {message!r}")
        return message

    def _post(self, asked: dict[str, Any]) -> httpx.Response:
        address = f"{self.settings.url.rstrip('/')}/chat/completions"
        for left in range(self.settings.retries, -1, -1):
            try:
                response = self._client.post(address, json=asked)
            except httpx.TimeoutException:
                if not left:
                    raise DeskgymError(
                        "timeout", f"{address} gave no reply in {self.settings.timeout:g} s", "raise timeout"
                    ) from None
            except httpx.HTTPError as error:
                if not left:
                    raise self._fault(f"cannot be reached: {error}") from error
            else:
                if response.status_code < 400:
                    return response
                if response.status_code not in _TRY_AGAIN or not left:
                    raise self._refused(response)
                time.sleep(_pause(response, self.settings.pause))
                continue
            time.sleep(self.settings.pause)
        raise AssertionError("the last try either returns or raises")

    def _refused(self, response: httpx.Response) -> DeskgymError:
        said = f"answered {response.status_code}: {response.text[:_SHOWN]!r}"
        if response.status_code in (401, 403):
            return DeskgymError("unauthorized", f"{self.settings.url} {said}", "give the key in a file: key_file=…")
        return self._fault(said)

    def _fault(self, said: str) -> DeskgymError:
        return DeskgymError("env_error", f"{self.settings.url} {said}", "check the endpoint's address and its log")


def _pause(response: httpx.Response, usual: float) -> float:
    """Seconds until the next try: what `Retry-After` says, within reason."""
    try:
        wanted = float(response.headers.get("retry-after", usual))
    except ValueError:
        wanted = usual
    return min(max(wanted, 0.0), _LONGEST_PAUSE)


def opening(rules: str, trial: Trial) -> list[Message]:
    """The first messages of a conversation: the rules, and the task's public face."""
    asked = f"Instruction:\n{trial.instruction}"
    if trial.answer_schema is not None:
        asked += f"\n\nThe answer's JSON Schema:\n{json.dumps(trial.answer_schema, ensure_ascii=False)}"
    return [{"role": "system", "content": rules}, {"role": "user", "content": asked}]


def cut(text: str, most: int) -> str:
    """Text of `most` characters, and what was left out."""
    return text if len(text) <= most else f"{text[:most]}\n… {len(text) - most} more characters are left out"
