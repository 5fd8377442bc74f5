"""`finetune`: a classifier of texts, of pairs of them, or of their words is trained on top of an encoder.

Devlin et al. 2019 (arXiv:1810.04805), sections 3.2, 4.1 and 5.3.
"""

from __future__ import annotations

import math
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

import torch

from bertviz_app.errors import FileError, Message
from bertviz_app.paths import examining
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices
from bertviz_app.training.base import Base
from bertviz_app.training.card import RunTotals, write_card
from bertviz_app.training.clock import precision
from bertviz_app.training.finetuning.card import tuning_card
from bertviz_app.training.finetuning.classifier import (
    ClassifierNetwork,
    Predicted,
    accuracy_of,
    dropout,
    network_on,
)
from bertviz_app.training.finetuning.evaluation import HeldOut, sample
from bertviz_app.training.finetuning.gathering import Gathered, gather_rows
from bertviz_app.training.finetuning.labelled import Integers, training_batches
from bertviz_app.training.finetuning.settings import (
    TuningListener,
    TuningSettings,
    TuningStep,
    TuningVerdict,
)
from bertviz_app.training.loop import Computed, Loop, StepFacts
from bertviz_app.training.optimiser import linear_rate
from bertviz_app.training.run_folder import STATE, WORK, check_folder
from bertviz_app.training.saving import save_model, stored, trained_positions
from bertviz_app.training.settings import TrainingError
from bertviz_app.training.state import DataPosition, RunPosition
from bertviz_app.types import Check

__all__ = ["finetune"]

_Loop = Loop[TuningStep, TuningVerdict, ClassifierNetwork]


def finetune(  # noqa: PLR0913 - each is named by its callers
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
    choices: TableChoices = BY_CONTENT,
) -> TuningVerdict:
    """Train a classifier of the labels in `data` on top of `base`, save it to `out`, and evaluate it.

    The labels are those of texts, or, in files such as CoNLL's and KLUE-NER's, those of words or characters.
    Labels that are real numbers are predicted as numbers: one output, mean squared error. `choices` are how
    the tables `data` and `test` are read.

    `base` is not changed; a classifier that it has is not used. The evaluation is on the rows of `test`, or
    on a share of those of `data` which is not trained on. The folder appears complete, and can be opened as a
    checkpoint whenever the run is stopped; `resume` continues it, with the rows in the same order. `command`
    is the line that the model card names. Raises TrainingError, FileError, and Cancelled where the
    listener does.
    """
    settings.validate()
    _check_folder(out, is_resumed=resume)
    base.validate(has_pairs=False)
    gathered = gather_rows(base, data, test, settings, listener, choices)
    listener.on_stage("training")
    task = _Tuning(base, settings, gathered, torch.device(device))
    loop = Loop(task, settings, out, DataPosition(settings.length))
    if resume:
        loop.restore()
    else:
        _begin(loop, base, out)
    result = loop.run(listener)
    sources = (data.name, None if test is None else test.name)
    totals = RunTotals.of(loop.position, task.network, command)
    write_card(out, tuning_card(out.name, base, settings, sources, gathered, result, totals))
    _clear(out / WORK)
    return result


def _check_folder(out: Path, *, is_resumed: bool) -> None:
    check_folder(out, is_resumed=is_resumed)
    with examining(out, Message("Choose another folder.")):
        is_taken = not is_resumed and out.exists() and not _is_free(out)
    if is_taken:
        raise TrainingError(
            Message("There is something at {0} already.", out), Message("Give the name of a new folder.")
        )


def _is_free(out: Path) -> bool:
    """Return whether `out` is an empty folder, or one that holds nothing but the folder of a run."""
    return out.is_dir() and {path.name for path in out.iterdir()} <= {WORK}


def _begin(loop: _Loop, base: Base, out: Path) -> None:
    """Make the folder, with the model before its training: beside `out`, then renamed. Raises FileError.

    One that has the folder of a run already is filled where it is, the state of the run last.
    """
    beside = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        if (out / WORK).is_dir():
            _fill(loop, base, out)
            return
        beside.mkdir(parents=True)
        _fill(loop, base, beside)
        if out.exists():
            out.rmdir()
        beside.rename(out)
    except OSError as error:
        raise FileError(
            Message("{0} could not be made: {1}.", out, error.strerror or error),
            Message("Give another folder."),
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _fill(loop: _Loop, base: Base, folder: Path) -> None:
    base.copy_tokenizer(folder)
    loop.save(folder)


def _clear(work: Path) -> None:
    """Remove the state of the finished run; what others keep beside it stays."""
    with suppress(OSError):
        (work / STATE).unlink(missing_ok=True)
        work.rmdir()


class _Tuning:
    """The task: the labels of some rows."""

    def __init__(
        self, base: Base, settings: TuningSettings, gathered: Gathered, device: torch.device
    ) -> None:
        self._base = base
        self._settings = settings
        self._gathered = gathered
        self._device = device
        self._cast = precision(settings.precision, device)
        self.network = network_on(base.encoder, gathered.target.heads, settings.seed)
        if settings.freezes_encoder:
            self.network.freeze_encoder()
        self.network.to(device)
        self._batches: list[Integers] = []  # of the current epoch

    def resumable_settings(self) -> dict[str, object]:
        """Return the settings, and marks of the rows, that must be the same when the run is resumed."""
        gathered = self._gathered
        marks = {"rows": gathered.training.mark(), "rows to evaluate on": gathered.evaluation.mark()}
        return {**self._settings.resumable_settings(), **marks}

    def share(self, position: RunPosition) -> float:
        """Return how much of the run is done, 0 to 1."""
        n_batches = math.ceil(len(self._gathered.trained_on) / self._settings.batch)
        return position.step / (self._settings.epochs * n_batches)

    def rate(self, position: RunPosition) -> float:
        """Return the learning rate of the next step."""
        return self._settings.rate * linear_rate(self.share(position), self._settings.warm_up)

    def compute(self, position: RunPosition) -> Computed[TuningStep]:
        """Add the gradients of the next batch to the parameters."""
        settings = self._settings
        rows, data = self._next(position.data)
        batch = self._gathered.training.batch(rows)
        width = self._base.encoder.config.width
        shape = (*batch.labels.shape, width)  # [B, D], or of tokens [B, T, D]
        factors = dropout(shape, settings.dropout, [settings.seed, position.step])
        with self._cast():
            predicted: Predicted = self.network(batch.to(self._device), factors)
        torch.autograd.backward(predicted.loss)
        loss = float(predicted.loss.detach())
        accuracy = accuracy_of(predicted.logits.detach().cpu(), batch.labels)

        def report(facts: StepFacts) -> TuningStep:
            return TuningStep(**vars(facts), epoch=position.data.turn + 1, loss=loss, accuracy=accuracy)

        return Computed(loss, batch.n_tokens, data, report)

    def evaluate(self, step: int, check: Check, *, is_last: bool) -> TuningVerdict:
        """Evaluate the network on all held-out rows at the end, on a sample of them before."""
        gathered = self._gathered
        rows = gathered.held_out if is_last else sample(gathered.held_out, self._settings.seed)
        return gathered.target.evaluate(
            HeldOut(self.network, gathered.evaluation, rows, self._cast, check), step
        )

    def save_model(self, folder: Path, position: RunPosition) -> None:
        """Write the model into `folder`. Raises FileError."""
        del position  # a few rows do not train positions that the base had hardly trained
        encoder, dtype = self.network.encoder, stored(self._settings.stores)
        stated = trained_positions(encoder.config, self._base.n_trained_positions)
        save_model(encoder, self.network.heads, folder, self._gathered.target.labels, dtype, stated)

    def save_tokenizer(self, folder: Path) -> None:
        """Write the tokenizer of the base into `folder`. Raises FileError."""
        self._base.copy_tokenizer(folder)

    def _next(self, data: DataPosition) -> tuple[Integers, DataPosition]:
        """Return the numbers of the rows at `data`, and where the next batch begins."""
        settings = self._settings
        if not data.batch or not self._batches:
            lengths = self._gathered.training.lengths
            seed = [settings.seed, data.turn]
            self._batches = training_batches(self._gathered.trained_on, lengths, settings.batch, seed)
        is_last = data.batch + 1 == len(self._batches)
        turn, batch = (data.turn + 1, 0) if is_last else (data.turn, data.batch + 1)
        return self._batches[data.batch], DataPosition(data.length, turn, batch)
