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
        """Called before something that takes a while: "vocabulary", "rows", "tokens", "training"."""

    def on_notice(self, notice: str) -> None:
        """Called with something about the data that the user should know."""

    def check(self) -> None:
        """Called before every step and often during long work. Its time is not counted as training."""

    def on_step(self, report: _Step, network: _Network) -> None:
        """Called after every step."""

    def on_evaluated(self, result: _Evaluation) -> None:
        """Called after the model was evaluated on held-out data."""

    def on_snapshot(self, folder: Path) -> None:
        """Called after the model was saved to `folder` as it is at this step."""


class SilentListener:
    """Ignores all events and never cancels."""

    def on_stage(self, stage: str) -> None: ...

    def on_notice(self, notice: str) -> None: ...

    def check(self) -> None: ...

    def on_step(self, report: object, network: object) -> None: ...

    def on_evaluated(self, result: object) -> None: ...

    def on_snapshot(self, folder: Path) -> None: ...
