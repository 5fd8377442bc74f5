"""`bertviz-app pretrain` and `finetune`."""

from __future__ import annotations

import argparse
import shlex
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated, TypeVar

from bertviz_app.cli.arguments import number
from bertviz_app.cli.signatures import Called, Titled, Typed
from bertviz_app.cli.terminal import (
    INTERRUPTED,
    PROGRAM,
    print_error,
    print_text,
    progress,
    show_progress,
    table,
)
from bertviz_app.errors import Cancelled, Message
from bertviz_app.features.training.finetuning.settings import (
    MultiLabelEvaluation,
    ScoreEvaluation,
    SpanCounts,
    TagEvaluation,
    TuningStep,
    TuningVerdict,
)
from bertviz_app.features.training.pretraining.settings import Evaluation, PretrainingSettings, StepReport
from bertviz_app.features.training.settings import STATE, WORK, TrainingError
from bertviz_app.text_tables.table import TableChoices

_R = TypeVar("_R")
_PAUSE = 0.2  # seconds between two drawings of the bar
_WIDTH = 24


class Terminal:
    """The listener of a training: prints its stages and notices, and stops it at Ctrl-C."""

    def __init__(self, stages: dict[str, str]) -> None:
        self.is_stopping = False
        self._stages = stages
        self._shown_at = 0.0

    def on_stage(self, stage: str) -> None:
        self.line(self._stages[stage])

    def on_notice(self, notice: str) -> None:
        show_progress("")
        print_error(notice)

    def check(self) -> None:
        if self.is_stopping:
            raise Cancelled

    def on_snapshot(self, folder: Path) -> None:
        self.line(f"Kept {folder}.")

    def bar(self, share: float, seconds: float, facts: str) -> None:
        """Draw how much is done, 0 to 1, after `seconds`, and its `facts` so far."""
        now = time.monotonic()
        if now - self._shown_at < _PAUSE:
            return
        self._shown_at = now
        done = round(_WIDTH * share)
        left = ""
        if share > 0:
            minutes, rest = divmod(round(seconds * (1 - share) / share), 60)
            hours, minutes = divmod(minutes, 60)
            left = f"  {f'{hours}:{minutes:02}' if hours else minutes}:{rest:02} left"
        show_progress(f"[{'=' * done}{' ' * (_WIDTH - done)}] {share:4.0%}  {facts}{left}")

    def line(self, text: str) -> None:
        show_progress("")
        print_text(text)


def run_training(
    train: partial[_R], terminal: Terminal, options: argparse.Namespace, words_of: Callable[[_R], str]
) -> int:
    """Run a training, print what it found, return the exit code. Ctrl-C stops it after a step."""
    typed = train.keywords
    out, ref = Path(typed["out"]), typed.get("ref", typed.get("base"))
    # the command line that started the run, also if it is resumed
    command = shlex.join([PROGRAM, *(one for one in options.arguments if one != "--resume")])
    try:
        with _interrupting(terminal):
            result = train(listener=terminal, command=command, progress=progress(ref))
    except Cancelled:
        show_progress("")
        saved = f"Stopped. The run is saved in {out}: the same command with --resume continues it."
        lost = "Stopped before the first step: there is no run to go on with."
        print_error(saved if (out / WORK / STATE).exists() else lost)
        return INTERRUPTED
    finally:
        show_progress("")
    print_text(words_of(result))
    print_text(f"Wrote {out}.")
    return 0


@contextmanager
def _interrupting(terminal: Terminal) -> Iterator[None]:
    """Let Ctrl-C end the run between two steps; a second one ends the program at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if terminal.is_stopping:
            raise KeyboardInterrupt
        terminal.is_stopping = True

    before = [(name, signal.signal(name, stop)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)


_RUN = Titled("the run")
_END = Titled(
    "its end",
    "whichever comes first; with --schedule constant it may be left out, and set or moved by --resume",
    "steps tokens minutes",
)
_SIZES = Titled(
    "the model",
    "not with --model, whose sizes it has",
    "n_layers n_heads width vocabulary_size n_positions",
)


def pretrain(
    options: argparse.Namespace,
    train: Annotated[
        partial[Evaluation],
        Called("pretrain", {"files": "--corpus", "out": "--out", "base": "--model"}),
        Titled("", fields="files column out base"),
        _END,
        _SIZES,
        _RUN,
    ],
    batch_growth: Annotated[tuple[int, ...], Typed(number, "FIRST TOKENS"), _RUN] = (),
) -> int:
    """Train a model on texts of your own.

    Parameters
    ----------
    base : REF
    device : DEVICE
        auto, cpu, cuda, mps (auto unless given).
    batch_growth
        Start with FIRST tokens a step, and grow to --batch over TOKENS tokens.
    """
    if "base" in train.keywords and vars(options).keys() & {"layers", "heads", "width", "vocab", "positions"}:
        raise TrainingError(
            Message("The sizes are those of the model that the training begins with."),
            Message("Leave out --layers, --heads, --width, --vocab and --positions."),
        )
    stated: PretrainingSettings = train.keywords["settings"]
    first_batch, growth = batch_growth or (None, 0)
    settings = replace(
        stated,
        first_batch_tokens=first_batch,
        growth_tokens=growth,
        length=min(stated.length, stated.n_positions),
        part_tokens=max(min(stated.part_tokens, stated.batch_tokens), stated.n_positions),
    )
    return run_training(partial(train, settings=settings), _Pretraining(), options, _sentence)


class _Pretraining(Terminal):
    """Shows how far a pre-training is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        stages = {
            "vocabulary": "Making the vocabulary",
            "tokens": "Reading the texts",
            "training": "Training",
        }
        super().__init__(stages)

    def on_step(self, report: StepReport, network: object) -> None:
        self.bar(
            report.share,
            report.seconds,
            f"step {report.step:,}  loss {report.masked_loss:.2f} + {report.next_loss:.2f}  "
            f"{report.tokens_per_second:,.0f} tokens/s",
        )

    def on_evaluated(self, result: Evaluation) -> None:
        self.line(_sentence(result))


def _sentence(result: Evaluation) -> str:
    return (
        f"Step {result.step:,}, on held-out text: {result.masked_accuracy:.1%} of the masked tokens "
        f"predicted (loss {result.masked_loss:.3f}; the most frequent piece: {result.baseline:.1%}), "
        f"{result.next_accuracy:.1%} of the pairs classified correctly (loss {result.next_loss:.3f})."
    )


def finetune(
    options: argparse.Namespace,
    table: Annotated[
        partial[TableChoices], Titled("how the rows are read, where their content does not show it")
    ],
    train: Annotated[
        partial[TuningVerdict],
        Called("finetune", {"ref": "--model", "data": "--data", "out": "--out"}),
        Titled("", fields="ref data test out"),
        _RUN,
    ],
) -> int:
    """Train a classifier of texts or of their words on top of a BERT.

    Parameters
    ----------
    ref : REF
    device : DEVICE
        auto, cpu, cuda, mps (auto unless given).
    """
    terminal = _Tuning(train.keywords["settings"].epochs)
    return run_training(partial(train, **table.keywords), terminal, options, _words_of)


def _words_of(result: TuningVerdict) -> str:
    """Return the tables of what a fine-tuning found."""
    if isinstance(result, ScoreEvaluation):
        scores = [
            ("Pearson", _correlation(result.pearson)),
            ("Spearman", _correlation(result.spearman)),
            ("mean squared error", f"{result.loss:.3f}"),
            ("always the mean", f"{result.baseline:.3f}"),
        ]
        return table(("measure", "held-out rows"), scores, right=(1,))
    if isinstance(result, MultiLabelEvaluation):
        counted = zip(_counted(result.counts), result.thresholds, strict=True)
        labels = [(*one, f"{least:g}") for one, least in counted]
        of_label = "label", "precision", "recall", "F1", "rows", "threshold (stated)"
        return table(of_label, labels, right=range(1, 6))
    spans, whole = "", result.all_spans if isinstance(result, TagEvaluation) else None
    if isinstance(result, TagEvaluation) and result.spans is not None and whole is not None:
        rows = _counted((*result.spans, replace(whole, type="all")))
        spans = table(("spans", "precision", "recall", "F1", "count"), rows, right=range(1, 5)) + "\n"
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
        for index, (label, counts) in enumerate(zip(result.labels, result.confusion, strict=True))
    ]
    titles = ("label", *(f"given {label}" for label in result.labels), "right")
    return spans + table(titles, rows, right=range(1, len(titles)))


class _Tuning(Terminal):
    """Shows how far a fine-tuning is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, n_epochs: int) -> None:
        super().__init__(
            {"rows": "Reading the rows", "tokens": "Cutting them into tokens", "training": "Training"}
        )
        self._n_epochs = n_epochs

    def on_step(self, report: TuningStep, network: object) -> None:
        self.bar(
            report.share,
            report.seconds,
            f"epoch {report.epoch} of {self._n_epochs}  step {report.step:,}  loss {report.loss:.2f}  "
            f"{report.tokens_per_second:,.0f} tokens/s",
        )

    def on_evaluated(self, result: TuningVerdict) -> None:
        if isinstance(result, MultiLabelEvaluation):
            found = (
                f"micro F1 {result.micro_f1:.1%}, macro F1 {result.macro_f1:.1%} (loss {result.loss:.3f}; "
                f"micro F1 of always the commonest label: {result.baseline:.1%})"
            )
        elif not isinstance(result, ScoreEvaluation):
            found = (
                f"{result.accuracy:.1%} correct "
                f"(loss {result.loss:.3f}; always the commonest label: {result.baseline:.1%})"
            )
        else:
            found = (
                f"Pearson {_correlation(result.pearson)}, Spearman {_correlation(result.spearman)} "
                f"(mean squared error {result.loss:.3f}; always the mean: {result.baseline:.3f})"
            )
        rows = f"{result.n_rows:,} held-out rows"
        if isinstance(result, TagEvaluation):
            rows = f"{result.n_units:,} {result.unit} of {result.n_rows:,} held-out sentences"
            found += "" if result.spans is None else f"; F1 of the spans: {result.f1:.1%}"
        self.line(f"Step {result.step:,}, on {rows}: {found}.")


def _correlation(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _counted(counts: Sequence[SpanCounts]) -> list[tuple[str, ...]]:
    return [
        (one.type, f"{one.precision:.1%}", f"{one.recall:.1%}", f"{one.f1:.1%}", f"{one.n_true:,}")
        for one in counts
    ]
