"""Figures for Prometheus, in its text format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from .. import __version__
from .keeper import Keeper

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
Sample = tuple[Mapping[str, str], float]


class Requests:
    """How many requests were answered, and in what time; written on the event loop."""

    def __init__(self) -> None:
        self._answered: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()

    def note(self, call: str, status: int, seconds: float) -> None:
        """Count one request; `call` is the name of a call, never a path."""
        self._answered[call, status] += 1
        self._seconds[call] += seconds  # type: ignore[assignment]  # a Counter adds up any number
        for bucket in BUCKETS_S:
            self._within[call, bucket] += seconds <= bucket

    def lines(self) -> Iterable[str]:
        answered = [({"call": call, "status": str(status)}, n) for (call, status), n in sorted(self._answered.items())]
        yield from family("requests_total", "counter", "Requests answered.", answered)
        yield from _head("request_seconds", "histogram", "Seconds from request to answer.")
        for call in sorted(self._seconds):
            count = sum(n for (name, _), n in self._answered.items() if name == call)
            for bucket in BUCKETS_S:
                yield _line("request_seconds_bucket", {"call": call, "le": f"{bucket:g}"}, self._within[call, bucket])
            yield _line("request_seconds_bucket", {"call": call, "le": "+Inf"}, count)
            yield _line("request_seconds_sum", {"call": call}, self._seconds[call])
            yield _line("request_seconds_count", {"call": call}, count)


def _head(name: str, kind: str, what: str) -> Iterable[str]:
    yield f"# HELP deskgym_{name} {what}"
    yield f"# TYPE deskgym_{name} {kind}"


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"deskgym_{name}{{{inside}}} {value:g}" if inside else f"deskgym_{name} {value:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def family(name: str, kind: str, what: str, samples: Iterable[Sample]) -> Iterable[str]:
    """The lines of one metric."""
    yield from _head(name, kind, what)
    for labels, value in samples:
        yield _line(name, labels, value)


def render(keeper: Keeper, requests: Requests) -> str:
    """Everything, as one text."""
    lines = [
        *family("build_info", "gauge", "Always 1.", [({"version": __version__}, 1)]),
        *family("episodes_live", "gauge", "Episodes that are live.", [({}, keeper.registry.count())]),
        *family("episodes_capacity", "gauge", "Episodes that may be live.", [({}, keeper.settings.capacity)]),
        *family("episodes_started_total", "counter", "Episodes started.", [({}, keeper.started)]),
        *family(
            "episodes_ended_total",
            "counter",
            "Episodes ended.",
            [({"why": why}, count) for why, count in sorted(keeper.ended.items())],
        ),
        *family(
            "verdicts_total",
            "counter",
            "Verdicts given.",
            [({"reason": reason}, count) for reason, count in sorted(keeper.verdicts.items())],
        ),
        *requests.lines(),
    ]
    return "\n".join(lines) + "\n"
