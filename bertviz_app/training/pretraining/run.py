"""`pretrain`: a model learns to guess hidden tokens, and whether one segment follows another.

Devlin et al. 2019 (arXiv:1810.04805), section 3.1, at sizes that one computer can do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import torch

from bertviz_app.errors import Cancelled
from bertviz_app.training.card import Course, Text, pretraining_card, write_card
from bertviz_app.training.clock import Clock, precision
from bertviz_app.training.optimiser import change, optimiser, rate_at
from bertviz_app.training.pretraining.evaluation import baseline, judge, judging_batches
from bertviz_app.training.pretraining.materials import WORK, Materials, gather
from bertviz_app.training.pretraining.network import Batch, Losses, PretrainingNetwork, fill
from bertviz_app.training.pretraining.plan import Place, Plan, held_out
from bertviz_app.training.pretraining.settings import HeldOut, Listener, PretrainingSettings, StepReport
from bertviz_app.training.pretraining.vocabulary import save_tokenizer
from bertviz_app.training.record import Record
from bertviz_app.training.saving import as_stored, save_model, stored
from bertviz_app.training.state import STATE, Progress, judge_place, load_state, save_state

__all__ = ["pretrain"]

HELD_OUT = 0.005
"""Of the documents of each corpus."""
SNAPSHOTS = "snapshots"
_MINUTE = 60.0


def pretrain(
    files: Sequence[Path],
    out: Path,
    settings: PretrainingSettings,
    listener: Listener,
    device: str = "cpu",
    *,
    resume: bool = False,
    command: str = "",
) -> HeldOut:
    """Train a model on the texts of `files`, keep it in the folder `out`, and say how well it does.

    `resume` goes on with the run in `out`, in the same order of data, whenever it was stopped. `command` is
    what the model card says this was done by. Raises TrainingError, FileError, and Cancelled where the
    listener does: the run is kept then.
    """
    settings.judge()
    judge_place(out, out / WORK / STATE, is_resumed=resume)
    materials = gather(files, out, settings, listener)
    listener.on_stage("training")
    run = _Run(out, settings, materials, torch.device(device))
    if resume:
        run.restore()
    result = run.go(listener)
    texts = [Text.of(path, corpus) for path, corpus in zip(files, materials.corpora, strict=True)]
    write_card(out, pretraining_card(out.name, texts, settings, result, run.course(command)))
    return result


class _Run:
    """One run: its network, how far it is, and where it is kept."""

    def __init__(
        self, out: Path, settings: PretrainingSettings, materials: Materials, device: torch.device
    ) -> None:
        self._out = out
        self._settings = settings
        self._materials = materials
        self._device = device
        self._cast = precision(settings.precision, device)
        parts = [held_out(corpus, HELD_OUT, settings.seed) for corpus in materials.corpora]
        self._learnt, self._kept = (tuple(part[side] for part in parts) for side in (0, 1))
        is_start = materials.is_start()
        self._plan = Plan(self._learnt, is_start, settings.batch_tokens, settings.seed)
        self._judging = judging_batches(
            Plan(self._kept, is_start, settings.batch_tokens, settings.seed), settings.length
        )
        self._baseline = baseline(self._learnt, self._judging, materials.n_pieces)
        self._network = PretrainingNetwork(settings.encoder(materials.n_pieces))
        fill(self._network, settings.seed)
        self._network.to(device)
        self._optimiser = optimiser(self._network, settings.rate, settings.decay)
        self._parameters = list(self._network.parameters())
        self._record = Record(out)
        self._clock = Clock()
        self._step = self._n_tokens = 0
        self._place = Place(settings.length)
        self._saved_at = 0.0

    def restore(self) -> None:
        """Go on where the run in the folder was kept. Raises TrainingError if it was another one."""
        progress = load_state(self._out / WORK / STATE, self._network, self._optimiser)
        progress.judge(self._course())
        self._step, self._n_tokens, self._place = progress.step, progress.n_tokens, progress.place
        self._clock.seconds = self._saved_at = progress.seconds
        self._record.forget_after(self._step)

    def go(self, listener: Listener) -> HeldOut:
        """Do the steps that are left; whatever ends them, the run is kept."""
        if not self._step:
            self._record.forget_after(-1)
            self._judge(listener)
        self._clock.start()
        try:
            while self._share() < 1:
                self._check(listener)
                self._do_step(listener)
        except (Cancelled, KeyboardInterrupt):
            self._save()
            raise
        as_stored(self._network, self._settings.stores)
        result = self._judge(listener)
        self._save()
        return result

    def course(self, command: str) -> Course:
        """Return what the model card says of the run."""
        n_parameters = sum(parameter.numel() for parameter in self._parameters)
        return Course(self._step, self._n_tokens, self._clock.seconds, n_parameters, command)

    def _check(self, listener: Listener) -> None:
        began = time.perf_counter()
        listener.check()
        self._clock.leave_out(time.perf_counter() - began)

    def _do_step(self, listener: Listener) -> None:
        settings, share = self._settings, self._share()
        if share >= settings.long_from and self._place.length != settings.n_positions:
            self._place = Place(settings.n_positions)
        batch, self._place = self._plan.batch(self._place)
        rate = settings.rate * rate_at(share, settings.warm_up)
        losses = self._learn(batch, rate)
        self._step += 1
        self._n_tokens += batch.n_tokens
        report = self._report(losses, rate, self._clock.tick(batch.n_tokens))
        self._record.add(report)
        listener.on_step(report, self._network)
        self._keep(listener)

    def _learn(self, batch: Batch, rate: float) -> Losses:
        with self._cast():
            losses: Losses = self._network(batch.to(self._device))
        torch.autograd.backward(losses.total)
        change(self._optimiser, self._parameters, rate, self._settings.clip)
        return losses

    def _report(self, losses: Losses, rate: float, pace: float) -> StepReport:
        return StepReport(
            step=self._step,
            share=min(1.0, self._share()),
            seconds=self._clock.seconds,
            n_tokens=self._n_tokens,
            tokens_per_second=pace,
            masked_loss=float(losses.masked.detach()),
            next_loss=float(losses.next_sentence.detach()),
            rate=rate,
        )

    def _keep(self, listener: Listener) -> None:
        """Judge, keep a snapshot, and keep the run, each when its time has come."""
        settings = self._settings
        if self._step % settings.evaluate_every == 0:
            self._judge(listener)
        if settings.snapshot_every and self._step % settings.snapshot_every == 0:
            folder = self._out / SNAPSHOTS / f"step-{self._step:06d}"
            save_model(
                self._network.encoder, self._network.heads, folder, dtype=stored(self._settings.stores)
            )
            save_tokenizer(self._materials.tokenizer, folder, settings.n_positions)
            listener.on_snapshot(folder)
        if self._clock.seconds - self._saved_at >= settings.save_every:
            self._save()

    def _judge(self, listener: Listener) -> HeldOut:
        check = partial(self._check, listener)
        result = judge(self._network, self._judging, self._cast, self._step, self._baseline, check)
        self._record.add(result)
        listener.on_judged(result)
        return result

    def _save(self) -> None:
        progress = Progress(self._step, self._clock.seconds, self._n_tokens, self._place, self._course())
        network = self._network
        save_model(network.encoder, network.heads, self._out, dtype=stored(self._settings.stores))
        save_state(self._out / WORK / STATE, self._network, self._optimiser, progress)
        self._saved_at = self._clock.seconds

    def _course(self) -> dict[str, object]:
        sizes = [len(corpus.ids) for corpus in self._materials.corpora]
        return {**self._settings.course(), "corpora": sizes}

    def _share(self) -> float:
        """Return how much of the run is done, 0 to 1: of its steps or of its minutes, whichever is more."""
        by_steps = self._step / self._settings.steps if self._settings.steps else 0.0
        minutes = self._settings.minutes
        by_time = self._clock.seconds / (minutes * _MINUTE) if minutes else 0.0
        return max(by_steps, by_time)
