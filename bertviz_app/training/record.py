"""The log of a run: one JSON object a line, of its steps and of its evaluations on held-out data."""

from __future__ import annotations

import json
from dataclasses import Field, asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol

from bertviz_app.errors import Message
from bertviz_app.paths import replacing
from bertviz_app.training.settings import TrainingError

LOG = "log.jsonl"


class LogEntry(Protocol):
    """A dataclass, of the numbers of one line."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


class RunLog:
    """Adds lines to the log in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG

    def add_step(self, report: LogEntry) -> None:
        """Write the line of a step. Raises TrainingError for a number that is infinite or none."""
        self._add("step", report)

    def add_evaluation(self, result: LogEntry) -> None:
        """Write the line of an evaluation. Raises TrainingError for a number that is infinite or none."""
        self._add("held-out", result)

    def forget_after(self, step: int) -> None:
        """Remove the lines of steps after `step`, which are done again, and an incomplete last line."""
        if self._path.exists():
            lines = [line for line in read_record(self._path.parent) if _step(line) <= step]
            with replacing(self._path) as path:
                path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def _add(self, kind: str, entry: LogEntry) -> None:
        values = asdict(entry)
        try:
            line = json.dumps({"kind": kind, **values}, allow_nan=False)
        except ValueError as error:
            message = Message("The loss is not a number any more at step {0}.", f"{values['step']:,}")
            raise TrainingError(message, Message("Start again with a smaller learning rate.")) from error
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def read_record(folder: Path) -> list[dict[str, object]]:
    """Return the complete lines of the log in `folder`; none where there is no log."""
    path = folder / LOG
    found = []
    text = path.read_bytes().decode("utf-8", "replace") if path.exists() else ""
    for line in text.splitlines():  # a damaged one is left out
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
