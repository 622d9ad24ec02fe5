"""Texts of mails, calls, tasks, events and notes: templates by intent, filled with facts of the same rows.

A template file under ``data/text/`` holds blocks ``@intent``, a subject line and a body. ``[a|b]`` picks one of the
alternatives, ``{slot}`` is a fact. A slot without a fact is a KeyError: nothing is ever left unfilled.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from .people import Person
from .streams import Stream
from .tables import sections

KINDS: Final = ("mail_out", "mail_in", "calls", "tasks", "events", "notes", "leads")
TYPOS_PER_MILLE: Final = 20
_CHOICE: Final = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_WORD: Final = re.compile(r"\b[a-z]{6,}\b")
_GREETINGS: Final = {
    "formal": ("Dear {title} {last},", "Dear {title} {last},", "Good morning {title} {last},"),
    "warm": ("Hi {called},", "Hello {called},", "Good morning {called},", "Dear {called},"),
    "brisk": ("{called},", "Hi {called},", "Hi,"),
}
_CLOSINGS: Final = {
    "formal": ("Kind regards", "Yours sincerely", "Best regards", "With kind regards"),
    "warm": ("Best wishes", "Many thanks and best regards", "Kind regards", "All the best"),
    "brisk": ("Best", "Thanks", "Regards", "Cheers"),
}


@dataclass(frozen=True, slots=True)
class Template:
    """One way to say something. Events keep their location as the first line of the body."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Voice:
    """How somebody writes: a tone (formal, warm, brisk), and the lines under the name."""

    person: Person
    tone: str
    signature: tuple[str, ...]


@cache
def templates(kind: str) -> dict[str, tuple[Template, ...]]:
    """Every template of a kind by intent; KeyError from the caller's lookup if there is no such intent."""
    text = files("deskgym_seeds").joinpath("data", "text", f"{kind}.txt").read_text("utf-8")
    out: dict[str, list[Template]] = {}
    for block in text.split("\n@"):
        intent, subject, *body = block.removeprefix("@").split("\n")
        out.setdefault(intent.strip(), []).append(Template(subject, "\n".join(body).strip()))
    return {intent: tuple(found) for intent, found in out.items()}


def write(kind: str, intent: str, facts: Mapping[str, str], stream: Stream) -> tuple[str, str]:
    """Subject and body of a text of that kind and intent. Raises KeyError for an unknown intent or slot."""
    template = stream.choice(templates(kind)[intent])
    subject = _fill(template.subject, facts, stream)
    return _start_large(subject), _mistyped(_fill(template.body, facts, stream), stream)


def _fill(text: str, facts: Mapping[str, str], stream: Stream) -> str:
    def pick(found: re.Match[str]) -> str:
        alternatives: list[str] = found.group(1).split("|")
        return stream.choice(alternatives)

    return _CHOICE.sub(pick, text).format_map(facts)


def _start_large(text: str) -> str:
    return text[:1].upper() + text[1:]


def _mistyped(text: str, stream: Stream) -> str:
    words = list(_WORD.finditer(text))
    if not words or not stream.chance(TYPOS_PER_MILLE):
        return text
    word = stream.choice(words)
    at = word.start() + stream.uniform_int(1, len(word.group()) - 3)
    swapped = text[at + 1] + text[at] if stream.chance(600) else text[at]
    return text[:at] + swapped + text[at + 2 :]


def phrase(title: str, facts: Mapping[str, str], stream: Stream) -> str:
    """One line of that section of ``phrases.txt``, filled."""
    return _fill(stream.choice(sections("text/phrases.txt")[title]), facts, stream)


def voice_of(person: Person, signature: tuple[str, ...], stream: Stream) -> Voice:
    """How a person writes, always the same for the same stream key."""
    tone = stream.weighted([("warm", 50), ("formal", 30), ("brisk", 20)])
    return Voice(person, tone, signature)


def letter(sender: Voice, to: Person, body: str, stream: Stream, quoted: str = "") -> str:
    """A mail body: greeting, text, closing, name, signature (left out by brisk writers in replies), quotation."""
    title = "Ms." if to.is_woman else "Mr."
    greeting = stream.choice(_GREETINGS[sender.tone]).format(title=title, last=to.last, called=to.called)
    closing = stream.choice(_CLOSINGS[sender.tone])
    short = sender.tone == "brisk" and bool(quoted)
    name = sender.person.called if short or sender.tone != "formal" else sender.person.name
    body = _padded(body, stream)
    lines = [greeting, "", body, "", f"{closing}," if sender.tone == "formal" else closing, name]
    if not short:
        lines += ["", *sender.signature]
    return "\n".join(lines) + (f"\n\n{quoted}" if quoted else "")


def _padded(body: str, stream: Stream) -> str:
    if stream.chance(240):
        body = f"{phrase('opening', {}, stream)} {body}"
    if stream.chance(300):
        body = f"{body}\n\n{phrase('closing', {}, stream)}"
    return body


def quotation(name: str, day: str, body: str) -> str:
    """The beginning of an earlier mail as it is quoted under a reply; ``day`` as shown, such as 4 May 2031."""
    lines = [line for line in body.split("\n") if line.strip() and not line.startswith(">")]
    kept = [f"> {line}" for line in lines[:5]]
    if len(lines) > 5:
        kept.append("> …")
    return f"On {day}, {name} wrote:\n" + "\n".join(kept)
