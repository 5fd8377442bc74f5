"""Who follows a training: what it is notified of, and how it stops one. Loads no torch."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

_Step = TypeVar("_Step", contravariant=True)
_Evaluation = TypeVar("_Evaluation", contravariant=True)
_Network = TypeVar("_Network", contravariant=True)


class Listener(Protocol[_Step, _Evaluation, _Network]):
    """Follows a training. Any method may raise Cancelled: the run is saved then and can be resumed."""

    def on_stage(self, stage: str) -> None:
        """Take note before something that takes a while: "vocabulary", "rows", "tokens", "training"."""

    def on_notice(self, notice: str) -> None:
        """Take note of something about the data that the user should know."""

    def check(self) -> None:
        """Raise Cancelled to stop: called before every step, outside of the time of training."""

    def on_step(self, report: _Step, network: _Network) -> None:
        """Take note of a step."""

    def on_evaluated(self, result: _Evaluation) -> None:
        """Take note of an evaluation on held-out data."""

    def on_snapshot(self, folder: Path) -> None:
        """Take note that the model at this step was saved to `folder`."""


class SilentListener:
    """Ignores all events and never cancels."""

    def on_stage(self, stage: str) -> None:
        """Report the stage of the work that begins."""

    def on_notice(self, notice: str) -> None:
        """Report something about the data that the user should know."""

    def check(self) -> None:
        """Raise Cancelled if the work has been cancelled."""

    def on_step(self, report: object, network: object) -> None:
        """Report a step."""

    def on_evaluated(self, result: object) -> None:
        """Report an evaluation on held-out data."""

    def on_snapshot(self, folder: Path) -> None:
        """Report the folder of a new snapshot."""
