"""`RecordingListener`: records all that a training notifies, and stops it where a test wants that."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from bertviz_app.errors import Cancelled

_Step = TypeVar("_Step")
_Evaluation = TypeVar("_Evaluation")
_Network = TypeVar("_Network")


@dataclass
class RecordingListener(Generic[_Step, _Evaluation, _Network]):
    """Records everything, and stops the run after `stop_after` steps."""

    stop_after: int | None = None
    stages: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    reports: list[_Step] = field(default_factory=list)
    evaluations: list[_Evaluation] = field(default_factory=list)
    snapshots: list[Path] = field(default_factory=list)

    def on_stage(self, stage: str) -> None:
        self.stages.append(stage)

    def on_notice(self, notice: str) -> None:
        self.notices.append(notice)

    def check(self) -> None:
        if self.stop_after is not None and len(self.reports) >= self.stop_after:
            raise Cancelled

    def on_step(self, report: _Step, network: _Network) -> None:
        self.reports.append(report)

    def on_evaluated(self, result: _Evaluation) -> None:
        self.evaluations.append(result)

    def on_snapshot(self, folder: Path) -> None:
        self.snapshots.append(folder)
