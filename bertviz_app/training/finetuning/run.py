"""`finetune`: a classifier of texts, or of pairs of them, is trained on top of an encoder.

Devlin et al. 2019 (arXiv:1810.04805), sections 3.2 and 4.1.
"""

from __future__ import annotations

import math
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch

from bertviz_app.errors import Cancelled, FileError
from bertviz_app.training.card import Course, tuning_card, write_card
from bertviz_app.training.clock import Clock, precision
from bertviz_app.training.finetuning.base import Base
from bertviz_app.training.finetuning.classifier import LabelledBatch, Verdicts, dropout, network_on
from bertviz_app.training.finetuning.evaluation import judge_classes, sample
from bertviz_app.training.finetuning.gathering import Gathered, gather_rows
from bertviz_app.training.finetuning.labelled import Integers, learning_batches
from bertviz_app.training.finetuning.settings import Judged, TuningListener, TuningSettings, TuningStep
from bertviz_app.training.optimiser import change, linear_rate, optimiser
from bertviz_app.training.pretraining.materials import WORK
from bertviz_app.training.pretraining.plan import Place
from bertviz_app.training.pretraining.run import SNAPSHOTS
from bertviz_app.training.pretraining.settings import TrainingError
from bertviz_app.training.record import Record
from bertviz_app.training.saving import as_stored, save_model, stored
from bertviz_app.training.state import STATE, Progress, judge_place, load_state, save_state

__all__ = ["finetune"]


def finetune(
    base: Base,
    data: Path,
    out: Path,
    settings: TuningSettings,
    listener: TuningListener,
    device: str = "cpu",
    *,
    test: Path | None = None,
    resume: bool = False,
    command: str = "",
) -> Judged:
    """Train a classifier of the labels in `data` on top of `base`, keep it in the folder `out`, and judge it.

    `base` stays as it is; a classifier it has is not gone on with. The rows of `test` judge, or a share of
    those of `data` which is not learnt from. The folder comes into being whole, and opens as a checkpoint
    whenever the run is stopped; `resume` goes on with it, in the same order of rows. `command` is what the
    model card says this was done by. Raises TrainingError, FileError, and Cancelled where the listener does.
    """
    settings.judge()
    _judge_folder(out, is_resumed=resume)
    base.judge(has_pairs=False)
    gathered = gather_rows(base, data, test, settings, listener)
    listener.on_stage("training")
    run = _Run(base, out, settings, gathered, torch.device(device))
    if resume:
        run.restore()
    else:
        run.begin()
    result = run.go(listener)
    sources = (data.name, None if test is None else test.name)
    card = tuning_card(out.name, base, settings, sources, gathered, result, run.course(command))
    write_card(out, card)
    _clear(out / WORK)
    return result


def _judge_folder(out: Path, *, is_resumed: bool) -> None:
    judge_place(out, out / WORK / STATE, is_resumed=is_resumed)
    if not is_resumed and out.exists() and not _is_free(out):
        raise TrainingError(f"There is something at {out} already.", "Give the name of a new folder.")


def _is_free(out: Path) -> bool:
    """Return whether `out` is an empty folder, or one with nothing but a place for the run."""
    return out.is_dir() and {path.name for path in out.iterdir()} <= {WORK}


def _clear(work: Path) -> None:
    """Take out the run, which is done; what others keep beside it stays."""
    with suppress(OSError):
        (work / STATE).unlink(missing_ok=True)
        work.rmdir()


class _Run:
    """One run: its network, how far it is, and where it is kept."""

    def __init__(
        self, base: Base, out: Path, settings: TuningSettings, gathered: Gathered, device: torch.device
    ) -> None:
        self._base = base
        self._out = out
        self._settings = settings
        self._gathered = gathered
        self._device = device
        self._cast = precision(settings.precision, device)
        self._network = network_on(base.encoder, len(gathered.labels), settings.seed)
        if settings.freezes_encoder:
            self._network.freeze_encoder()
        self._network.to(device)
        self._optimiser = optimiser(self._network, settings.rate, settings.decay)
        self._parameters = [one for one in self._network.parameters() if one.requires_grad]
        self._record = Record(out)
        self._clock = Clock()
        self._step = self._n_tokens = 0
        self._place = Place(settings.length)
        self._saved_at = 0.0
        self._batches: list[Integers] = []

    def begin(self) -> None:
        """Make the folder, with the model as it begins: beside its place, then there. Raises FileError.

        One that has a place for the run already is filled where it is, with what tells of the run last.
        """
        place = self._out
        beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
        try:
            if (place / WORK).is_dir():
                self._fill(place)
                return
            beside.mkdir(parents=True)
            self._fill(beside)
            if place.exists():
                place.rmdir()
            beside.rename(place)
        except OSError as error:
            raise FileError(
                f"{place} could not be made: {error.strerror}.", "Give another folder."
            ) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def _fill(self, folder: Path) -> None:
        self._base.copy_tokenizer(folder)
        self._save(folder)

    def restore(self) -> None:
        """Go on where the run in the folder was kept. Raises TrainingError if it was another one."""
        progress = load_state(self._out / WORK / STATE, self._network, self._optimiser)
        progress.judge(self._settings_of_run())
        self._step, self._n_tokens, self._place = progress.step, progress.n_tokens, progress.place
        self._clock.seconds = self._saved_at = progress.seconds
        self._record.forget_after(self._step)

    def go(self, listener: TuningListener) -> Judged:
        """Do the steps that are left; whatever ends them, the run is kept."""
        try:
            if not self._step:
                self._record.forget_after(-1)
                self._judge(listener, sample(self._gathered.kept, self._settings.seed))
            self._clock.start()
            while self._share() < 1:
                self._check(listener)
                self._do_step(listener)
            as_stored(self._network, self._settings.stores)
            result = self._judge(listener, self._gathered.kept)
        except (Cancelled, KeyboardInterrupt):
            self._save(self._out)
            raise
        self._save(self._out)
        return result

    def course(self, command: str) -> Course:
        """Return what the model card says of the run."""
        n_parameters = sum(parameter.numel() for parameter in self._network.parameters())
        return Course(self._step, self._n_tokens, self._clock.seconds, n_parameters, command)

    def _check(self, listener: TuningListener) -> None:
        began = time.perf_counter()
        listener.check()
        self._clock.leave_out(time.perf_counter() - began)

    def _do_step(self, listener: TuningListener) -> None:
        settings, epoch = self._settings, self._place.turn + 1
        rate = settings.rate * linear_rate(self._share(), settings.warm_up)
        batch = self._gathered.learning.batch(self._next())
        verdicts = self._learn(batch, rate)
        self._step += 1
        self._n_tokens += batch.n_tokens
        pace = self._clock.tick(batch.n_tokens)
        report = self._report(verdicts, batch, epoch, rate, pace)
        self._record.add(report)
        if not math.isfinite(report.loss):
            message = f"The loss is no number any more at step {self._step:,}."
            raise TrainingError(message, "Start anew with a smaller rate.")
        listener.on_step(report, self._network)
        self._keep(listener)

    def _next(self) -> Integers:
        """Return the numbers of the next rows, and move on."""
        settings, place = self._settings, self._place
        if not place.batch or not self._batches:
            lengths = self._gathered.learning.lengths
            seed = [settings.seed, place.turn]
            self._batches = learning_batches(self._gathered.learnt, lengths, settings.batch, seed)
        is_last = place.batch + 1 == len(self._batches)
        turn, batch = (place.turn + 1, 0) if is_last else (place.turn, place.batch + 1)
        self._place = Place(place.length, turn, batch)
        return self._batches[place.batch]

    def _learn(self, batch: LabelledBatch, rate: float) -> Verdicts:
        settings = self._settings
        width = self._base.encoder.config.width
        kept = dropout(len(batch.labels), width, settings.dropout, [settings.seed, self._step])
        with self._cast():
            verdicts: Verdicts = self._network(batch.to(self._device), kept)
        torch.autograd.backward(verdicts.loss)
        change(self._optimiser, self._parameters, rate, settings.clip)
        return verdicts

    def _report(
        self, verdicts: Verdicts, batch: LabelledBatch, epoch: int, rate: float, pace: float
    ) -> TuningStep:
        is_right = verdicts.logits.detach().argmax(-1).cpu() == batch.labels
        return TuningStep(
            step=self._step,
            epoch=epoch,
            share=min(1.0, self._share()),
            seconds=self._clock.seconds,
            n_tokens=self._n_tokens,
            tokens_per_second=pace,
            loss=float(verdicts.loss.detach()),
            accuracy=float(is_right.float().mean()),
            rate=rate,
        )

    def _keep(self, listener: TuningListener) -> None:
        """Judge, keep a snapshot, and keep the run, each when its time has come."""
        settings = self._settings
        if self._step % settings.evaluate_every == 0 and self._share() < 1:
            self._judge(listener, sample(self._gathered.kept, settings.seed))
        if settings.snapshot_every and self._step % settings.snapshot_every == 0:
            folder = self._out / SNAPSHOTS / f"step-{self._step:06d}"
            self._save_model(folder)
            self._base.copy_tokenizer(folder)
            listener.on_snapshot(folder)
        if self._clock.seconds - self._saved_at >= settings.save_every:
            self._save(self._out)

    def _judge(self, listener: TuningListener, rows: Integers) -> Judged:
        gathered = self._gathered
        result = judge_classes(
            self._network,
            gathered.judging,
            rows,
            gathered.labels,
            self._cast,
            listener.check,
            self._step,
            int(np.argmax(gathered.counts)),
        )
        self._record.add(result)
        listener.on_judged(result)
        return result

    def _save(self, folder: Path) -> None:
        progress = Progress(
            self._step, self._clock.seconds, self._n_tokens, self._place, self._settings_of_run()
        )
        self._save_model(folder)
        (folder / WORK).mkdir(exist_ok=True)
        save_state(folder / WORK / STATE, self._network, self._optimiser, progress)
        self._saved_at = self._clock.seconds

    def _save_model(self, folder: Path) -> None:
        network = self._network
        dtype = stored(self._settings.stores)
        save_model(network.encoder, network.heads, folder, self._gathered.labels, dtype)

    def _settings_of_run(self) -> dict[str, object]:
        gathered = self._gathered
        marks = {"rows": gathered.learning.mark(), "rows to judge by": gathered.judging.mark()}
        return {**self._settings.course(), **marks}

    def _share(self) -> float:
        """Return how much of the run is done, 0 to 1."""
        n_batches = math.ceil(len(self._gathered.learnt) / self._settings.batch)
        return self._step / (self._settings.epochs * n_batches)
