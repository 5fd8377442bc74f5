"""`LiveRun`: one training as the window shows it: progress, curves and snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bertviz_app.errors import AppError, from_json
from bertviz_app.inference.training.job import SavedRun, Step, TrainingJob, Verdict, as_held_out, as_step
from bertviz_app.training.finetuning.settings import ScoreEvaluation, TagEvaluation, Unit
from bertviz_app.types import Doubles

STATES = ("starting", "running", "pausing", "paused", "stopping", "stopped", "failed", "done")
_ALIVE = STATES[:5]
_SMOOTHED_OVER = 25  # points
_MOST_POINTS = 4_000


@dataclass(eq=False)
class LiveRun:
    """The job of a run, and all that its process has reported.

    `state` is one of STATES. `stage` is what the process does now: "vocabulary", "opening", "rows", "tokens"
    or "training", "" before the first report. `remark` is what is wrong with the watched sentence, `problem`
    what ended the run; `notices` are sentences about rows that cannot be used.
    """

    job: TrainingJob
    state: str = "starting"
    stage: str = ""
    steps: list[Step] = field(default_factory=list)
    held_out: list[Verdict] = field(default_factory=list)
    snapshots: tuple[Path, ...] = ()
    notices: list[str] = field(default_factory=list)
    remark: AppError | None = None
    problem: AppError | None = None

    @property
    def has_scores(self) -> bool:
        """Whether real numbers are predicted, and not classes; False before the first evaluation."""
        return bool(self.held_out) and isinstance(self.held_out[-1], ScoreEvaluation)

    @property
    def unit(self) -> Unit | None:
        """What has a label of its own, None for whole texts, and before the first evaluation."""
        last = self.held_out[-1] if self.held_out else None
        return last.unit if isinstance(last, TagEvaluation) else None

    @property
    def has_spans(self) -> bool:
        """Whether labels are learnt that mark spans; False before the first evaluation."""
        last = self.held_out[-1] if self.held_out else None
        return isinstance(last, TagEvaluation) and last.spans is not None

    @property
    def is_alive(self) -> bool:
        """Whether its process has not ended."""
        return self.state in _ALIVE

    @property
    def can_go_on(self) -> bool:
        """Whether it can be resumed: not after its end, nor if it failed before its first step."""
        return self.state in ("stopped", "failed") and not self.never_began

    @property
    def never_began(self) -> bool:
        """Whether it failed before its first step: there is nothing of it to see, or to resume."""
        return self.state == "failed" and not self.steps

    @property
    def last(self) -> Step | None:
        """The last step, or None."""
        return self.steps[-1] if self.steps else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the pace so far; None before the first step."""
        last = self.last
        if last is None or last.share <= 0.005:
            return None
        return last.seconds * (1 - last.share) / last.share

    def take(self, message: Mapping[str, object]) -> str:
        """Apply a message of the process; return the kind of change, "" for none."""
        report, result = as_step(message), as_held_out(message)
        if report is not None:
            self._add(report)
            return "curves"
        if result is not None:
            while self.held_out and self.held_out[-1].step >= result.step:  # done again after a kill
                self.held_out.pop()
            self.held_out.append(result)
            return "curves"
        kind = message.get("kind")
        if kind == "remark":
            self.remark = _error(message)
            return "state"
        if kind in ("watched", "snapshots"):
            self.remark = None if kind == "watched" else self.remark
            return str(kind)
        if kind == "notice":
            self._note(_text(message.get("notice")))
            return "state"
        return self._take_state(kind, message)

    def _note(self, notice: str) -> None:
        if notice not in self.notices:  # a resumed run reads its rows again
            self.notices.append(notice)

    def _take_state(self, kind: object, message: Mapping[str, object]) -> str:
        if kind == "stage":
            self.stage = str(message.get("stage"))
            self.state = "running" if self.state == "starting" else self.state
        elif kind == "going on":
            self.state = "running" if self.state != "stopping" else self.state
        elif kind in ("paused", "stopped", "done"):
            self.state = str(kind)
        elif kind == "error":
            self.fail(_error(message))
        else:
            return ""
        return "state"

    def fail(self, problem: AppError) -> None:
        self.state, self.problem = "failed", problem

    def _add(self, report: Step) -> None:
        while self.steps and self.steps[-1].step >= report.step:  # done again after a kill
            self.steps.pop()
        self.steps.append(report)
        if len(self.steps) > _MOST_POINTS:
            del self.steps[1:-1:2]


def from_saved(saved: SavedRun, snapshots: tuple[Path, ...]) -> LiveRun:
    run = LiveRun(saved.job, "done" if saved.is_done else "stopped", "training", snapshots=snapshots)
    run.steps = list(saved.steps[:: max(1, len(saved.steps) // _MOST_POINTS)])
    if saved.steps and run.steps[-1] is not saved.steps[-1]:
        run.steps.append(saved.steps[-1])
    run.held_out = list(saved.held_out)
    return run


def column(reports: Sequence[Step | Verdict], name: str) -> Doubles:
    """Return one number of each report: [N]."""
    return np.array([getattr(report, name) for report in reports], np.float64)


def smoothed(values: Doubles, over: int = _SMOOTHED_OVER) -> Doubles:
    """Return [N]: each value averaged with those before it, of which recent ones count more."""
    result = np.empty_like(values)
    mean, weight = 0.0, 0.0
    decay = 1 - 1 / over
    for index, value in enumerate(values.tolist()):
        mean, weight = decay * mean + (1 - decay) * value, decay * weight + (1 - decay)
        result[index] = mean / weight  # corrected for the start at zero
    return result


def _error(message: Mapping[str, object]) -> AppError:
    return AppError(_text(message.get("message")), _text(message.get("hint", "")))


def _text(value: object) -> str:
    """Return what the process wrote as a message; what is none as plain text."""
    try:
        return from_json(value)
    except ValueError:
        return str(value)
