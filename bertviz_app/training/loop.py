"""`Loop`: the steps of a run, which can be stopped at any moment and resumed. What is trained is a `TrainedTask`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from torch import nn

from bertviz_app.errors import Cancelled, Message
from bertviz_app.training.clock import Clock
from bertviz_app.training.listener import Listener
from bertviz_app.training.optimiser import change, optimiser
from bertviz_app.training.record import LogEntry, RunLog
from bertviz_app.training.run_folder import SNAPSHOTS, STATE, WORK
from bertviz_app.training.saving import as_stored
from bertviz_app.training.settings import LoopSettings, TrainingError
from bertviz_app.training.state import DataPosition, RunPosition, check_settings, load_state, save_state
from bertviz_app.types import Check

_Step = TypeVar("_Step", bound=LogEntry)
_Evaluation = TypeVar("_Evaluation", bound=LogEntry)
_Network = TypeVar("_Network", bound=nn.Module)


@dataclass(frozen=True)
class StepFacts:
    """What the report of a step has in every training."""

    step: int  # from 1
    share: float  # of the run that is done, 0 to 1
    seconds: float  # of training so far, over all parts of the run
    n_tokens: int  # trained on so far, without padding
    tokens_per_second: float  # recently
    rate: float


@dataclass(frozen=True)
class Computed(Generic[_Step]):
    """A batch whose gradients were added to the parameters."""

    loss: float  # nats
    n_tokens: int  # of the batch, without padding
    data: DataPosition  # of the next batch
    report: Callable[[StepFacts], _Step]


_Evaluated = TypeVar("_Evaluated", bound=LogEntry, covariant=True)
_Trained = TypeVar("_Trained", bound=nn.Module, covariant=True)


class TrainedTask(Protocol[_Step, _Evaluated, _Trained]):
    """What a run trains, and on which data."""

    @property
    def network(self) -> _Trained:
        """The network, on its device."""

    def resumable_settings(self) -> Mapping[str, object]:
        """Return the settings, and marks of the data, that must be the same when the run is resumed."""

    def share(self, position: RunPosition) -> float:
        """Return how much of the run is done at `position`; from 1 on it ends."""

    def rate(self, position: RunPosition) -> float:
        """Return the learning rate of the next step."""

    def compute(self, position: RunPosition) -> Computed[_Step]:
        """Add the gradients of the batch at `position` to the parameters; change nothing else."""

    def evaluate(self, step: int, check: Check, *, is_last: bool) -> _Evaluated:
        """Evaluate the network on held-out data. `check` is called before each batch and may raise."""

    def save_model(self, folder: Path, position: RunPosition) -> None:
        """Write the model, which is as trained up to `position`, into `folder`. Raises FileError."""

    def save_tokenizer(self, folder: Path) -> None:
        """Write the tokenizer into `folder`. Raises FileError."""


class Loop(Generic[_Step, _Evaluation, _Network]):
    """Trains the network of a task, and saves the run to a folder."""

    def __init__(
        self,
        task: TrainedTask[_Step, _Evaluation, _Network],
        settings: LoopSettings,
        out: Path,
        first: DataPosition,
    ) -> None:
        self._task = task
        self._settings = settings
        self._out = out
        self._optimiser = optimiser(task.network, settings.rate, settings.decay)
        self._parameters = [one for one in task.network.parameters() if one.requires_grad]
        self._record = RunLog(out)
        self._clock = Clock()
        self._saved_at = 0.0  # seconds of training
        self.position = RunPosition(first)

    def restore(self) -> None:
        """Continue where the run in the folder was saved. Raises TrainingError if it was another one."""
        self.position, saved = load_state(self._out / WORK / STATE, self._task.network, self._optimiser)
        check_settings(saved, self._task.resumable_settings())
        self._clock.seconds = self._saved_at = self.position.seconds
        self._record.forget_after(self.position.step)

    def run(self, listener: Listener[_Step, _Evaluation, _Network]) -> _Evaluation:
        """Do the steps that are left and return the last evaluation.

        A run that is stopped is saved. Where the loss is no number the last saved state stays.
        """
        try:
            if not self.position.step:
                self._record.forget_after(-1)
                self._evaluate(listener, is_last=False)
            self._clock.start()
            while self._task.share(self.position) < 1:
                self._check(listener)
                self._do_step(listener)
            as_stored(self._task.network, self._settings.stores)
            result = self._evaluate(listener, is_last=True)
        except (Cancelled, KeyboardInterrupt):
            self.save(self._out)
            raise
        self.save(self._out)
        return result

    def save(self, folder: Path) -> None:
        """Write the model and the state of the run into `folder`. Raises FileError."""
        self._task.save_model(folder, self.position)
        settings = self._task.resumable_settings()
        save_state(folder / WORK / STATE, self._task.network, self._optimiser, self.position, settings)
        self._saved_at = self.position.seconds

    def _do_step(self, listener: Listener[_Step, _Evaluation, _Network]) -> None:
        task, before = self._task, self.position
        rate = task.rate(before)
        computed = task.compute(before)
        self._change(computed.loss, rate)
        pace = self._clock.tick(computed.n_tokens)
        self.position = RunPosition(
            data=computed.data,
            step=before.step + 1,
            n_tokens=before.n_tokens + computed.n_tokens,
            seconds=self._clock.seconds,
            longest=max(before.longest, computed.data.length),
        )
        report = computed.report(self._facts(rate, pace))
        self._record.add_step(report)
        listener.on_step(report, task.network)
        self._follow_up(listener)

    def _change(self, loss: float, rate: float) -> None:
        """Change the parameters, unless the loss or the gradient is no number."""
        try:
            if not math.isfinite(loss):
                raise FloatingPointError
            change(self._optimiser, self._parameters, rate, self._settings.clip)
        except FloatingPointError as error:
            message = Message("The loss is not a number any more at step {0}.", f"{self.position.step + 1:,}")
            raise TrainingError(message, Message("Start again with a smaller learning rate.")) from error

    def _facts(self, rate: float, pace: float) -> StepFacts:
        at = self.position
        share = min(1.0, self._task.share(at))
        return StepFacts(at.step, share, at.seconds, at.n_tokens, pace, rate)

    def _follow_up(self, listener: Listener[_Step, _Evaluation, _Network]) -> None:
        """Evaluate, save a snapshot, and save the run, each when it is due."""
        settings, step = self._settings, self.position.step
        if step % settings.evaluate_every == 0 and self._task.share(self.position) < 1:
            self._evaluate(listener, is_last=False)
        if settings.snapshot_every and step % settings.snapshot_every == 0:
            folder = self._out / SNAPSHOTS / f"step-{step:06d}"
            self._task.save_model(folder, self.position)
            self._task.save_tokenizer(folder)
            listener.on_snapshot(folder)
        if self.position.seconds - self._saved_at >= settings.save_every:
            self.save(self._out)

    def _evaluate(self, listener: Listener[_Step, _Evaluation, _Network], *, is_last: bool) -> _Evaluation:
        result = self._task.evaluate(self.position.step, lambda: self._check(listener), is_last=is_last)
        self._record.add_evaluation(result)
        listener.on_evaluated(result)
        return result

    def _check(self, listener: Listener[_Step, _Evaluation, _Network]) -> None:
        """Let the listener cancel or pause the run; a pause is not counted as training."""
        began = time.perf_counter()
        listener.check()
        self._clock.leave_out(time.perf_counter() - began)
