"""The folder of a run: plain JSON, pictures by content, and each trial's final store as pages that differ from S0.

    run.json                         versions, digests, the resolved configuration
    trials.jsonl                     a row per trial, as it ended
    trials/crm.close-won/s3.a0/      trial.json, steps.jsonl, journal.jsonl, final.json (net changes), final.pages
    blobs/<sha256>.png               pictures

`final.pages` is exact: world image + pages = the sealed store, byte for byte, so that grading needs no new run.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import DeskgymError, describe
from ..trial import Step, Trial, TrialResult, TrialSpec

PAGE = 4096
FORMAT = "deskgym-run/1"


def json_text(data: Any) -> str:
    """JSON on one line, keys in the order given."""
    return json.dumps(data, ensure_ascii=False, default=str)


# --- The final store ------------------------------------------------------------------------------------


def pack(image: bytes, final: bytes) -> bytes:
    """The pages of `final` that differ from `image`: 8 bytes of length, then number and page each, compressed."""
    parts = [len(final).to_bytes(8, "big"), hashlib.sha256(image).digest()]
    for number, start in enumerate(range(0, len(final), PAGE)):
        page = final[start : start + PAGE]
        if page != image[start : start + PAGE]:
            parts.append(number.to_bytes(4, "big") + page)
    return zlib.compress(b"".join(parts), 6)


def unpack(image: bytes, packed: bytes) -> bytes:
    """The final store. Raises DeskgymError: conflict for another world's image, env_error for damaged data."""
    try:
        data = zlib.decompress(packed)
    except zlib.error as error:
        raise DeskgymError("env_error", f"a stored final state is damaged: {error}") from error
    length, digest, rest = int.from_bytes(data[:8], "big"), data[8:40], data[40:]
    if digest != hashlib.sha256(image).digest():
        raise DeskgymError("conflict", "the run was made in another build of this world", "run it again")
    final = bytearray(image[:length].ljust(length, b"\0"))
    for start in range(0, len(rest), PAGE + 4):
        at = int.from_bytes(rest[start : start + 4], "big") * PAGE
        final[at : at + PAGE] = rest[start + 4 : start + 4 + PAGE]
    return bytes(final)


# --- Writing --------------------------------------------------------------------------------------------


class RunFolder:
    """A run on disk. Make one with `create`, open one with `RunFolder(path)`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, facts: Mapping[str, Any]) -> RunFolder:
        """A new run. Raises DeskgymError: conflict where there is one, no_permission where it cannot be written."""
        try:
            path.mkdir(parents=True)
            folder = cls(path)
            folder._write(path / "run.json", json.dumps(facts, ensure_ascii=False, indent=1, default=str) + "\n")
            folder._write(path / "trials.jsonl", "")
        except FileExistsError as error:
            raise DeskgymError("conflict", f"{path} exists already", "name a new folder, or use --resume") from error
        except OSError as error:
            raise describe(error) from error
        return folder

    @classmethod
    def create_numbered(cls, parent: Path, facts: Mapping[str, Any]) -> RunFolder:
        """A new run under the next free number: `runs/run-0001`."""
        taken = [int(path.name[4:]) for path in parent.glob("run-*") if path.name[4:].isdigit()]
        number = max(taken, default=0) + 1
        while True:
            try:
                return cls.create(parent / f"run-{number:04}", facts)
            except DeskgymError as error:
                if error.kind != "conflict":
                    raise
                number += 1

    @staticmethod
    def _write(path: Path, text: str) -> None:
        """Whole or not at all."""
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        partial.write_text(text, "utf-8")
        partial.replace(path)

    def trial_folder(self, spec: TrialSpec) -> Path:
        """`trials/crm.close-won/s3.a0`."""
        return self.path / "trials" / spec.task.replace("/", ".") / f"s{spec.seed}.a{spec.attempt}"

    def write_state(self, spec: TrialSpec, trial: Trial) -> None:
        """The final store of a graded trial, and what it changed."""
        folder = self.trial_folder(spec)
        folder.mkdir(parents=True, exist_ok=True)
        episode = trial.episode
        (folder / "final.pages").write_bytes(pack(episode.origin.image, episode.image()))
        self._write(folder / "final.json", json_text({"hash": episode.state_hash(), "changes": episode.diff()}) + "\n")

    def write_trial(self, spec: TrialSpec, result: TrialResult) -> dict[str, Any]:
        """Steps, journal and verdict of a trial; returns its row for `trials.jsonl`."""
        folder = self.trial_folder(spec)
        folder.mkdir(parents=True, exist_ok=True)
        steps = [step.as_dict() | {"picture": self._blob(step)} for step in result.trace]
        self._write(folder / "steps.jsonl", _lines(steps))
        self._write(folder / "journal.jsonl", _lines(result.journal))
        row = result.as_row() | {"trial_dir": str(folder.relative_to(self.path))}
        self._write(folder / "trial.json", json.dumps(row, ensure_ascii=False, indent=1, default=str) + "\n")
        return row

    def _blob(self, step: Step) -> str | None:
        if step.picture is None:
            return None
        name = f"{hashlib.sha256(step.picture).hexdigest()}.png"
        place = self.path / "blobs" / name
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            partial = place.with_name(f".{name}.{os.getpid()}")
            partial.write_bytes(step.picture)
            partial.replace(place)
        return f"blobs/{name}"

    def append(self, row: Mapping[str, Any]) -> None:
        """Note a trial that ended."""
        with (self.path / "trials.jsonl").open("a", encoding="utf-8") as file:
            file.write(json_text(row) + "\n")

    # --- Reading -------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """`run.json`. Raises DeskgymError where this is no run folder."""
        try:
            found: dict[str, Any] = json.loads((self.path / "run.json").read_text("utf-8"))
        except FileNotFoundError as error:
            raise DeskgymError("not_found", f"{self.path} is no run folder", "it has no run.json") from error
        except ValueError as error:
            raise DeskgymError("env_error", f"{self.path / 'run.json'} is damaged: {error}") from error
        except OSError as error:
            raise describe(error) from error
        if found.get("format") != FORMAT:
            raise DeskgymError("conflict", f"{self.path} is not of format {FORMAT}", "run it again")
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The last row of each trial, in the order they first ended; a line that a kill cut off is left out."""
        found: dict[str, dict[str, Any]] = {}
        for line in (self.path / "trials.jsonl").read_text("utf-8").split("\n"):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                continue  # only the last line can be cut off: each is written in one piece
            found[row["trial_dir"]] = row
        return list(found.values())

    def steps(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The recorded steps of a trial."""
        text = (self.path / row["trial_dir"] / "steps.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.split("\n") if line.strip()]

    def final_image(self, row: Mapping[str, Any], image: bytes) -> bytes:
        """The bytes of a trial's final store. Raises DeskgymError where none is stored."""
        place = self.path / row["trial_dir"] / "final.pages"
        try:
            return unpack(image, place.read_bytes())
        except FileNotFoundError as error:
            raise DeskgymError("not_found", f"{place} is missing", "a trial that failed has no final state") from error


def _lines(items: Iterable[Any]) -> str:
    return "".join(json_text(item) + "\n" for item in items)
