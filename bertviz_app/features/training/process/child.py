"""The training process: `python -m bertviz_app.features.training.process.child`.

Its own command is {"do": "watch", "text": ..., "pair": ...}: a sentence to encode between two steps.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from bertviz_app.errors import AppError, Cancelled, DeviceError, FileError, Message, as_json
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.pretraining.vocabulary import TOKENIZER
from bertviz_app.features.training.process.job import (
    MOST_FRAMES,
    WATCHED,
    Step,
    TrainingJob,
    Verdict,
    Watch,
    check_job,
    from_plain,
    in_steps,
    remove_unbegun,
    save_job,
    step_of,
)
from bertviz_app.inference.child_process import Commands, Send, run_as_child
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.inference.opened_checkpoint import find_device, out_of_memory_as
from bertviz_app.json_store import decode
from bertviz_app.text import Tokenizer
from bertviz_app.trace.archive import save_arrays

if TYPE_CHECKING:
    from bertviz_app.encoder.encoder import Encoder
    from bertviz_app.features.training.finetuning.labelled import ClassifierNetwork
    from bertviz_app.features.training.pretraining.network import PretrainingNetwork

MOST_TOKENS = 64
"""A longer sentence is cut: each trace is drawn whole, and more than a hundred are saved."""


class Watcher:
    """Encodes the watched sentence with the current model every few steps, and saves the traces."""

    def __init__(self, job: TrainingJob, send: Send, tokenizer: Tokenizer | None = None) -> None:
        """`tokenizer`: that of the checkpoint that the training begins with; None: the training makes one."""
        self._job = job
        self._send = send
        self._watch = job.watch
        self._folder = job.work / WATCHED
        self._tokenizer = tokenizer
        self._is_new = False

    def change(self, watch: Watch) -> None:
        """Watch another sentence from the next step on; the traces of the previous one are deleted."""
        self._watch = watch
        self._is_new = True
        for path in in_steps(self._folder, ".npz"):
            path.unlink(missing_ok=True)

    def encode_if_due(self, report: Step, encoder: Encoder) -> None:
        """Encode the sentence at some steps, and report the trace, or what is wrong with the text."""
        from bertviz_app.encoder.recorder import record

        is_due = report.step == 1 or report.step % self._job.watch.every == 0 or report.share >= 1
        if not (is_due or self._is_new):
            return
        self._is_new = False
        try:
            if self._tokenizer is None:
                self._tokenizer = Tokenizer.from_json(self._job.out / TOKENIZER, encoder.config.n_positions)
            tokens = self._tokenizer.limited(MOST_TOKENS).encode(self._watch.text, self._watch.pair)
            trace = record(encoder, tokens, self._job.out.name)
            self._folder.mkdir(exist_ok=True)
            save_arrays(trace, self._folder / f"step-{report.step:06d}.npz")
            thin(self._folder)
            self._send(kind="watched", step=report.step)
        except AppError as error:
            self._send(kind="remark", message=as_json(error.message), hint=as_json(error.hint))


def thin(folder: Path, most: int = MOST_FRAMES) -> None:
    """Delete traces until `most` are left: first those with the closest neighbours, never the ends."""
    paths = list(in_steps(folder, ".npz"))
    while len(paths) > max(2, most):
        gaps = [later - earlier for earlier, later in pairwise([step_of(path) for path in paths])]
        # Deleting a trace joins the gaps on its two sides.
        index = min(range(1, len(paths) - 1), key=lambda at: gaps[at - 1] + gaps[at])
        paths.pop(index).unlink(missing_ok=True)


SHARES = (0.05, 0.15, 0.35, 0.65)
"""Shares of the run at which a snapshot is saved, besides that of the first step of a new model."""
_PAUSE = 0.1  # seconds between two reports


class RunReporter:
    """The listener of the run: reports it, encodes the watched sentence, reads commands.

    Snapshots are saved at SHARES of the run, and after the first step of a new model; one that began with a
    checkpoint, `has_base`, has that one to be compared with.
    """

    def __init__(self, commands: Commands, watcher: Watcher, send: Send, *, has_base: bool) -> None:
        self._commands = commands
        self._watcher = watcher
        self._send = send
        self._has_base = has_base
        self._reported_at = 0.0
        self._share: float | None = None  # at the step before; None before the first step of this process

    def on_stage(self, stage: str) -> None:
        self._send(kind="stage", stage=stage)

    def check(self) -> None:
        self._commands.check()

    def on_notice(self, notice: str) -> None:
        self._send(kind="notice", notice=as_json(notice))

    def on_step(self, report: Step, network: PretrainingNetwork | ClassifierNetwork) -> bool:
        now = monotonic()
        if now - self._reported_at >= _PAUSE or report.share >= 1:
            self._reported_at = now
            self._send(kind="step", **asdict(report))
        watch = self._commands.newest("watch")
        if watch is not None:
            self._watcher.change(decode(Watch, watch))
        self._watcher.encode_if_due(report, network.encoder)
        before, self._share = self._share, report.share
        is_passed = before is not None and any(before < share <= report.share for share in SHARES)
        return is_passed or (report.step == 1 and not self._has_base)

    def on_evaluated(self, result: Verdict) -> None:
        self._send(kind="held-out", **asdict(result))

    def on_snapshot(self, folder: Path) -> None:
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

    base = open_base(job.base, check=commands.check) if job.has_base else None
    tokenizer = None if base is None else base.tokenizer
    reporter = RunReporter(commands, Watcher(job, send, tokenizer), send, has_base=job.has_base)
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
