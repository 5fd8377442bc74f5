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
from bertviz_app.training.optimiser import change, constant_rate, linear_rate, optimiser
from bertviz_app.training.pretraining.evaluation import baseline, judge, judging_batches
from bertviz_app.training.pretraining.gradients import Gradients, workers
from bertviz_app.training.pretraining.materials import WORK, Materials, gather
from bertviz_app.training.pretraining.network import Batch, PretrainingNetwork, fill, fill_positions
from bertviz_app.training.pretraining.plan import Place, Plan, held_out
from bertviz_app.training.pretraining.settings import (
    CONSTANT,
    SINUSOIDS,
    HeldOut,
    Listener,
    PretrainingSettings,
    StepReport,
)
from bertviz_app.training.pretraining.vocabulary import save_tokenizer
from bertviz_app.training.record import Record
from bertviz_app.training.saving import as_stored, save_model, stored
from bertviz_app.training.state import STATE, Progress, judge_place, load_state, save_state

__all__ = ["pretrain"]

HELD_OUT = 0.005
"""Of the documents of each corpus."""
EVALUATED_LENGTH = 128
"""Tokens of a held-out example, at most: the same whatever length is trained with at the moment."""
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
        pieces, seed = materials.pieces(), settings.seed
        shares = (settings.single_share, settings.open_share)
        self._plan = Plan(self._learnt, pieces, settings.part_tokens, seed, *shares)
        self._judging = judging_batches(
            Plan(self._kept, pieces, settings.part_tokens, seed), min(EVALUATED_LENGTH, settings.n_positions)
        )
        self._baseline = baseline(self._learnt, self._judging, materials.n_pieces)
        self._network = PretrainingNetwork(settings.encoder(materials.n_pieces))
        fill(self._network, seed, settings.initial_std)
        if settings.positions_start == SINUSOIDS:
            fill_positions(self._network.encoder, settings.initial_std)
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
        n_parts = self._settings.batch_tokens // self._settings.part_tokens
        try:
            with workers(n_parts, self._device) as pool:
                gradients = Gradients(self._network, self._cast, pool)
                while self._share() < 1:
                    self._check(listener)
                    self._do_step(gradients, listener)
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

    def _do_step(self, gradients: Gradients, listener: Listener) -> None:
        settings, share = self._settings, self._share()
        length = settings.n_positions if share >= settings.long_from else settings.length
        if self._place.length != length:  # another pass, so that no example comes a second time
            self._place = Place(length, self._place.turn + 1)
        parts = self._next_parts()
        rate = settings.rate * self._rate_share(share)
        losses = gradients.add(parts)
        change(self._optimiser, self._parameters, rate, settings.clip)
        n_tokens = sum(part.n_tokens for part in parts)
        self._step += 1
        self._n_tokens += n_tokens
        report = self._report(losses, rate, self._clock.tick(n_tokens))
        self._record.add(report)
        listener.on_step(report, self._network)
        self._keep(listener)

    def _next_parts(self) -> list[Batch]:
        """Return the parts of the next batch, which has as many tokens as the settings ask for by now."""
        parts = []
        for _ in range(self._n_parts()):
            part, self._place = self._plan.batch(self._place)
            parts.append(part)
        return parts

    def _n_parts(self) -> int:
        settings = self._settings
        first, last = settings.first_batch_tokens, settings.batch_tokens
        if first is not None and self._n_tokens < settings.growth_tokens:
            last = first + round((last - first) * self._n_tokens / settings.growth_tokens)
        return max(1, round(last / settings.part_tokens))

    def _rate_share(self, share: float) -> float:
        settings = self._settings
        if settings.schedule == CONSTANT:
            warmed = (self._n_tokens + 1) / max(1, settings.warm_up_tokens)
            return constant_rate(share, warmed, settings.cool_down)
        return linear_rate(share, settings.warm_up)

    def _report(self, losses: tuple[float, float], rate: float, pace: float) -> StepReport:
        return StepReport(
            step=self._step,
            share=min(1.0, self._share()),
            seconds=self._clock.seconds,
            n_tokens=self._n_tokens,
            tokens_per_second=pace,
            masked_loss=losses[0],
            next_loss=losses[1],
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
        """Return how much of the run is done, 0 to 1, by whichever end is nearest; 0 for an open end."""
        settings = self._settings
        done = (self._step, self._n_tokens, self._clock.seconds)
        ends = (settings.steps, settings.tokens, settings.minutes and settings.minutes * _MINUTE)
        return max((part / end for part, end in zip(done, ends, strict=True) if end), default=0.0)
