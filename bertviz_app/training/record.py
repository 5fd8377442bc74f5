"""The log of a run: one JSON object a line, of its steps and of what was found on held-out text."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from bertviz_app.paths import replacing
from bertviz_app.training.finetuning.settings import Judged, TuningStep
from bertviz_app.training.pretraining.settings import HeldOut, StepReport

LOG = "log.jsonl"


class Record:
    """Adds lines to the log in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG

    def add(self, report: StepReport | HeldOut | TuningStep | Judged) -> None:
        """Write one line: `kind` is "step" or "held-out"."""
        kind = "step" if isinstance(report, StepReport | TuningStep) else "held-out"
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, **asdict(report)}) + "\n")

    def forget_after(self, step: int) -> None:
        """Take out the lines of steps after `step`, which are done again, and half a line of a kill."""
        if self._path.exists():
            kept = [line for line in read_record(self._path.parent) if _step(line) <= step]
            with replacing(self._path) as path:
                path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def read_record(folder: Path) -> list[dict[str, object]]:
    """Return the lines of the log in `folder`, without what is no whole line; none where there is no log."""
    path = folder / LOG
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            found.append(entry)
    return found


def _step(line: dict[str, object]) -> int:
    step = line.get("step")
    return step if isinstance(step, int) else 0
