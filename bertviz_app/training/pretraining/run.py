"""`pretrain`: a model learns to predict masked tokens, and whether one segment follows another.

Devlin et al. 2019 (arXiv:1810.04805), section 3.1, at sizes that one computer can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from bertviz_app.training.base import Base
from bertviz_app.training.card import RunTotals, write_card
from bertviz_app.training.clock import precision
from bertviz_app.training.loop import Computed, Loop, StepFacts
from bertviz_app.training.optimiser import constant_rate, linear_rate
from bertviz_app.training.ownership import owned
from bertviz_app.training.pretraining.card import Text, pretraining_card
from bertviz_app.training.pretraining.evaluation import baseline, evaluate, evaluation_batches
from bertviz_app.training.pretraining.gradients import Gradients, PartWorkers, workers
from bertviz_app.training.pretraining.materials import Materials, gather
from bertviz_app.training.pretraining.network import Batch
from bertviz_app.training.pretraining.plan import Plan, split_documents
from bertviz_app.training.pretraining.settings import (
    CONSTANT,
    Evaluation,
    PretrainingListener,
    PretrainingSettings,
    StepReport,
)
from bertviz_app.training.pretraining.start import (
    first_turn,
    network_from,
    random_network,
    repeat_trained_positions,
    sized,
    validate_base,
    write_tokenizer,
)
from bertviz_app.training.pretraining.vocabulary import save_tokenizer
from bertviz_app.training.run_folder import WORK, check_folder
from bertviz_app.training.saving import save_model, stored, trained_positions
from bertviz_app.training.state import DataPosition, RunPosition
from bertviz_app.types import Check

__all__ = ["pretrain"]

HELD_OUT = 0.005
"""Of the documents of each corpus; more of one that is so small that this would be a handful of examples."""
_FEWEST_HELD_OUT, _MOST_OF_SMALL = 8_000, 0.05
"""Tokens that are held out at least, and the share of a corpus that they are at most."""
EVALUATED_LENGTH = 128
"""Tokens of a held-out example, at most: the same whatever length is trained with at the moment."""
_MINUTE = 60.0


def held_out_share(n_tokens: int) -> float:
    """Return the share of the documents of a corpus of `n_tokens` that is held out."""
    return max(HELD_OUT, min(_MOST_OF_SMALL, _FEWEST_HELD_OUT / max(1, n_tokens)))


def pretrain(  # noqa: PLR0913 - each is named by its callers
    files: Sequence[Path],
    out: Path,
    settings: PretrainingSettings,
    listener: PretrainingListener,
    device: str = "cpu",
    *,
    base: Base | None = None,
    resume: bool = False,
    command: str = "",
) -> Evaluation:
    """Train a model on the texts of `files`, save it to the folder `out`, and return its last evaluation.

    It begins with the weights, sizes and tokenizer of `base`, which is not changed, or with random weights.
    `resume` continues the run in `out`, with the data in the same order, wherever it was stopped. `command`
    is the line that the model card names. Raises TrainingError, FileError, and Cancelled where the
    listener does: the run is saved then.
    """
    if base is not None:
        validate_base(base)
        settings = sized(settings, base)
    settings.validate()
    check_folder(out, is_resumed=resume)
    with owned(out / WORK):
        if base is not None and not resume:
            write_tokenizer(base, out)
        materials = gather(files, out, settings, listener, has_tokenizer=resume or base is not None)
        listener.on_stage("training")
        with workers(settings.batch_tokens // settings.part_tokens, torch.device(device)) as pool:
            task = _Pretraining(settings, materials, torch.device(device), pool, base)
            loop = Loop(task, settings, out, task.first)
            if resume:
                loop.restore()
            result = loop.run(listener)
        texts = [Text.of(path, corpus) for path, corpus in zip(files, materials.corpora, strict=True)]
        totals = RunTotals.of(loop.position, task.network, command)
        write_card(
            out,
            pretraining_card(out.name, texts, settings, result, totals, base),
        )
    return result


class _Pretraining:
    """The task: masked tokens and next sentences of some corpora."""

    def __init__(
        self,
        settings: PretrainingSettings,
        materials: Materials,
        device: torch.device,
        pool: PartWorkers | None,
        base: Base | None,
    ) -> None:
        self._settings = settings
        self._materials = materials
        self._base = base
        self._cast = precision(settings.precision, device)
        self._shares = [held_out_share(len(corpus.ids)) for corpus in materials.corpora]
        parts = [
            split_documents(corpus, share, settings.seed)
            for corpus, share in zip(materials.corpora, self._shares, strict=True)
        ]
        training, held_out = (tuple(part[side] for part in parts) for side in (0, 1))
        pieces, seed = materials.pieces(), settings.seed
        shares = (settings.single_share, settings.open_share)
        self._plan = Plan(training, pieces, settings.part_tokens, seed, *shares)
        length = min(EVALUATED_LENGTH, settings.n_positions)
        self._held_out = evaluation_batches(Plan(held_out, pieces, settings.part_tokens, seed), length)
        self._baseline = baseline(training, self._held_out, materials.n_pieces)
        self.first = DataPosition(settings.length, 0 if base is None else first_turn(base))
        if base is None:
            network = random_network(settings, materials.n_pieces)
        else:
            network = network_from(base, settings)
            if base.n_trained_positions is not None:
                repeat_trained_positions(network, base.n_trained_positions)
        self.network = network.to(device)
        self._gradients = Gradients(self.network, self._cast, pool)

    def resumable_settings(self) -> dict[str, object]:
        """Return the settings that must be the same when the run is resumed, and the sizes of the corpora."""
        sizes = [len(corpus.ids) for corpus in self._materials.corpora]
        base = None if self._base is None else first_turn(self._base)  # another number for other weights
        settings = {**self._settings.resumable_settings(), "corpora": sizes, "base": base}
        if any(share != HELD_OUT for share in self._shares):  # not named in runs of large corpora
            settings["held_out"] = [round(share, 6) for share in self._shares]
        return settings

    def share(self, position: RunPosition) -> float:
        """Return how much of the run is done, by whichever end is nearest; 0 for an open end."""
        settings = self._settings
        done = (position.step, position.n_tokens, position.seconds)
        ends = (settings.steps, settings.tokens, settings.minutes and settings.minutes * _MINUTE)
        return max((part / end for part, end in zip(done, ends, strict=True) if end), default=0.0)

    def rate(self, position: RunPosition) -> float:
        """Return the learning rate of the next step."""
        settings, share = self._settings, self.share(position)
        if settings.schedule != CONSTANT:
            return settings.rate * linear_rate(share, settings.warm_up)
        warmed = (position.n_tokens + 1) / max(1, settings.warm_up_tokens)
        return settings.rate * constant_rate(share, warmed, settings.cool_down)

    def compute(self, position: RunPosition) -> Computed[StepReport]:
        """Add the gradients of the next batch to the parameters."""
        parts, data = self._parts(position)
        masked_loss, next_loss = self._gradients.add(parts)

        def report(facts: StepFacts) -> StepReport:
            return StepReport(**vars(facts), masked_loss=masked_loss, next_loss=next_loss)

        n_tokens = sum(part.n_tokens for part in parts)
        return Computed(masked_loss + next_loss, n_tokens, data, report)

    def evaluate(self, step: int, check: Check, *, is_last: bool) -> Evaluation:
        """Evaluate the network on documents that are not trained on, always the same."""
        return evaluate(self.network, self._held_out, self._cast, step, self._baseline, check)

    def save_model(self, folder: Path, position: RunPosition) -> None:
        """Write the model, and how many of its positions are trained, into `folder`. Raises FileError."""
        encoder, dtype = self.network.encoder, stored(self._settings.stores)
        stated = {
            "pad_token_id": self._materials.pieces().special.pad,
            **trained_positions(encoder.config, self._n_trained_positions(position)),
        }
        save_model(encoder, self.network.heads, folder, dtype=dtype, stated=stated)

    def save_tokenizer(self, folder: Path) -> None:
        """Write the tokenizer into `folder`. Raises FileError."""
        if self._base is not None:
            write_tokenizer(self._base, folder)
        else:
            save_tokenizer(self._materials.tokenizer, folder, self._settings.n_positions)

    def _n_trained_positions(self, position: RunPosition) -> int:
        """Return how many positions were trained, by the examples up to `position` or by the base."""
        mine = max(position.longest, position.data.length)
        if self._base is None:
            return mine
        return max(mine, self._base.n_trained_positions or self._settings.n_positions)

    def _parts(self, position: RunPosition) -> tuple[list[Batch], DataPosition]:
        """Return the parts of the batch at `position`, and where the next batch begins."""
        settings, data = self._settings, position.data
        length = settings.n_positions if self.share(position) >= settings.long_from else settings.length
        if data.length != length:  # another pass, so that no example comes a second time
            data = DataPosition(length, data.turn + 1)
        parts = []
        for _ in range(self._n_parts(position.n_tokens)):
            part, data = self._plan.batch(data)
            parts.append(part)
        return parts, data

    def _n_parts(self, n_tokens: int) -> int:
        """Return how many parts a batch has after `n_tokens` of the run."""
        settings = self._settings
        first, last = settings.first_batch_tokens, settings.batch_tokens
        if first is not None and n_tokens < settings.growth_tokens:
            last = first + round((last - first) * n_tokens / settings.growth_tokens)
        return max(1, round(last / settings.part_tokens))
