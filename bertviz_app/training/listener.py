"""`Listener`: what is notified of the events of a training, and can stop it. Loads no torch."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

_Step = TypeVar("_Step", contravariant=True)
_Evaluation = TypeVar("_Evaluation", contravariant=True)
_Network = TypeVar("_Network", contravariant=True)


class Listener(Protocol[_Step, _Evaluation, _Network]):
    """Follows a training. Any method may raise Cancelled: the run is then saved and can be resumed."""

    def on_stage(self, stage: str) -> None:
        """Handle the start of a stage: "vocabulary", "rows", "tokens" or "training"."""

    def on_notice(self, notice: str) -> None:
        """Handle a sentence about the data that the user should know."""

    def check(self) -> None:
        """Raise Cancelled to stop. Called before every step; the time it takes is not counted as training."""

    def on_step(self, report: _Step, network: _Network) -> None:
        """Handle the report of a step."""

    def on_evaluated(self, result: _Evaluation) -> None:
        """Handle an evaluation on held-out data."""

    def on_snapshot(self, folder: Path) -> None:
        """Handle a snapshot: the model at this step was saved to `folder`."""


class SilentListener:
    """Ignores all events and never cancels."""

    def on_stage(self, stage: str) -> None:
        """Ignore the stage."""

    def on_notice(self, notice: str) -> None:
        """Ignore the notice."""

    def check(self) -> None:
        """Let the training go on."""

    def on_step(self, report: object, network: object) -> None:
        """Ignore the step."""

    def on_evaluated(self, result: object) -> None:
        """Ignore the evaluation."""

    def on_snapshot(self, folder: Path) -> None:
        """Ignore the snapshot."""
