"""The run folder (DESIGN §5): `run.json`, `trials.jsonl`, and a folder a trial. Plain files, no pickle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__, catalogue
from ..errors import DeskgymError
from ..trial import TrialResult, TrialSpec


def _next_folder() -> Path:
    root = Path("runs")
    taken = [int(path.name) for path in root.glob("[0-9]*") if path.name.isdigit()]
    return root / f"{max(taken, default=0) + 1:04d}"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass
class RunFolder:
    """A run being written. `add` each result, then `finish`."""

    path: Path
    results: list[TrialResult] = field(default_factory=list)

    @classmethod
    def create(cls, path: Path | None, specs: Sequence[TrialSpec]) -> RunFolder:
        """Make the folder and `run.json`. Raises DeskgymError (conflict) where the folder holds something."""
        chosen = (path or _next_folder()).resolve()
        if chosen.exists() and any(chosen.iterdir()):
            raise DeskgymError("conflict", f"{chosen} holds something already", "choose a new folder with --out")
        chosen.mkdir(parents=True, exist_ok=True)
        worlds = {spec.world: catalogue.world(spec.world).digest for spec in specs}
        body = {
            "schema": "deskgym/1",
            "version": __version__,
            "worlds": worlds,
            "trials": [
                {"task": spec.instance, "agent": spec.agent, "surface": spec.surface, "attempt": spec.attempt}
                for spec in specs
            ],
        }
        (chosen / "run.json").write_text(_dump(body) + "\n", encoding="utf-8")
        return cls(chosen)

    def _trial_folder(self, result: TrialResult) -> Path:
        return self.path / "trials" / result.task.replace("/", ".") / f"s{result.seed}.a{result.attempt}"

    def add(self, result: TrialResult) -> dict[str, Any]:
        """Write one trial; returns its row of `trials.jsonl`."""
        self.results.append(result)
        folder = self._trial_folder(result)
        folder.mkdir(parents=True, exist_ok=True)
        row = {
            "task": result.task,
            "seed": result.seed,
            "agent": result.agent,
            "surface": result.surface,
            "attempt": result.attempt,
            "status": result.status,
            "reward": result.reward,
            "reason": result.reason,
            "steps": result.steps,
            "wall_s": round(result.wall_s, 3),
            "state_hash": result.state_hash,
            "trial_dir": str(folder),
        }
        (folder / "trial.json").write_text(_dump(result.as_row()) + "\n", encoding="utf-8")
        steps = "".join(_dump(step.as_dict()) + "\n" for step in result.trace)
        (folder / "steps.jsonl").write_text(steps, encoding="utf-8")
        journal = "".join(_dump(entry) + "\n" for entry in result.journal)
        (folder / "journal.jsonl").write_text(journal, encoding="utf-8")
        with (self.path / "trials.jsonl").open("a", encoding="utf-8") as file:
            file.write(_dump(row) + "\n")
        return row

    def finish(self) -> dict[str, Any]:
        """`{trials, passed, failed, errors, run_dir}`."""
        graded = [result for result in self.results if result.status == "graded"]
        passed = sum(result.passed for result in graded)
        return {
            "trials": len(self.results),
            "passed": passed,
            "failed": len(graded) - passed,
            "errors": len(self.results) - len(graded),
            "run_dir": str(self.path),
        }
