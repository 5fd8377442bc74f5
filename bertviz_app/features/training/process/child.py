"""The training process: `python -m bertviz_app.features.training.process.child`.

Its own command is {"do": "watch", "text": ..., "pair": ...}: a sentence to encode between two steps.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from bertviz_app.errors import AppError, Cancelled, DeviceError, FileError, Message, as_json
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.process.job import (
    Step,
    TrainingJob,
    Verdict,
    Watch,
    check_job,
    from_plain,
    remove_unbegun,
    save_job,
)
from bertviz_app.inference.child_process import Commands, Send, run_as_child
from bertviz_app.inference.opened_checkpoint import find_device, out_of_memory_as
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.json_store import decode

if TYPE_CHECKING:
    from bertviz_app.features.training.finetuning.labelled import ClassifierNetwork
    from bertviz_app.features.training.pretraining.network import PretrainingNetwork
    from bertviz_app.features.training.process.watch import ModelSnapshots, Watcher

_PAUSE = 0.1  # seconds between two reports


class RunReporter:
    """The listener of the run: reports it, encodes the watched sentence, saves snapshots, reads commands."""

    def __init__(self, commands: Commands, watcher: Watcher, snapshots: ModelSnapshots, send: Send) -> None:
        self._commands = commands
        self._watcher = watcher
        self._snapshots = snapshots
        self._send = send
        self._reported_at = 0.0

    def on_stage(self, stage: str) -> None:
        """Report the stage of the work that begins."""
        self._send(kind="stage", stage=stage)

    def check(self) -> None:
        """Raise Cancelled if the work has been cancelled."""
        self._commands.check()

    def on_notice(self, notice: str) -> None:
        """Report something about the data that the user should know."""
        self._send(kind="notice", notice=as_json(notice))

    def on_step(self, report: Step, network: PretrainingNetwork | ClassifierNetwork) -> None:
        now = monotonic()
        if now - self._reported_at >= _PAUSE or report.share >= 1:
            self._reported_at = now
            self._send(kind="step", **asdict(report))
        watch = self._commands.newest("watch")
        if watch is not None:
            self._watcher.change(decode(Watch, watch))
        self._watcher.encode_if_due(report, network.encoder)
        self._snapshots.save_if_due(report, network)

    def on_evaluated(self, result: Verdict) -> None:
        """Report an evaluation on held-out data."""
        self._send(kind="held-out", **asdict(result))

    def on_snapshot(self, folder: Path) -> None:
        """Report the folder of a new snapshot."""
        self._send(kind="snapshots")


def train(job: TrainingJob, commands: Commands, send: Send) -> None:
    """Start the run of `job`, or resume it. Raises AppError, and Cancelled after the command to stop."""
    check_job(job)
    preload_torch()
    device = find_device(job.device).name
    try:
        from bertviz_app.features.training.settings import STATE, owned

        with owned(job.work):
            save_job(job)
            is_begun = (job.work / STATE).exists()
            if job.is_tuning:
                _run(job, commands, send, device, is_begun=is_begun)
        if not job.is_tuning:  # a pre-training takes the lock itself
            _run(job, commands, send, device, is_begun=is_begun)
    except Cancelled:
        raise
    except Exception:
        # A job that failed before its first step goes, unless another process works in its folder.
        from bertviz_app.features.training.settings import owned

        with suppress(AppError, OSError), owned(job.work):
            remove_unbegun(job)
        raise


def _run(job: TrainingJob, commands: Commands, send: Send, device: str, *, is_begun: bool) -> None:
    if job.has_base:
        send(kind="stage", stage="opening")
    from bertviz_app.features.training.base import open_base
    from bertviz_app.features.training.finetuning.run import finetune
    from bertviz_app.features.training.pretraining.run import pretrain
    from bertviz_app.features.training.process.watch import ModelSnapshots, Watcher

    base = open_base(job.base, check=commands.check) if job.has_base else None
    tokenizer = None if base is None else base.tokenizer
    reporter = RunReporter(commands, Watcher(job, send, tokenizer), ModelSnapshots(job, send), send)
    if isinstance(job.settings, PretrainingSettings):
        pretrain(job.files, job.out, job.settings, reporter, device, base=base, resume=is_begun)
        return
    assert base is not None
    finetune(
        *(base, job.files[0], job.out, job.settings, reporter, device),
        test=job.test,
        resume=is_begun,
        choices=job.table,
    )


def run(plain: dict[str, object], commands: Commands, send: Send) -> None:
    """Run a job, and report when it is done. Raises Cancelled after the command to stop, and AppError."""
    job = from_plain(plain)
    message = Message("There is not enough memory to train this model.")
    try:
        with out_of_memory_as(DeviceError(message, Message("Choose a smaller one."))):
            train(replace(job, out=job.out.absolute()), commands, send)
    except OSError as error:
        message = Message("{0} could not be written: {1}.", job.out, error.strerror or error)
        hint = Message("Free some space, then resume: the training is as last saved.")
        raise FileError(message, hint) from error
    send(kind="done")


if __name__ == "__main__":
    sys.exit(run_as_child(run))
