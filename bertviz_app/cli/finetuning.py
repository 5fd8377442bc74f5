"""`bertviz-app finetune`: its arguments and its output on a terminal."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import number
from bertviz_app.cli.printing import progress, table
from bertviz_app.cli.terminal import Add, Terminal, add_course, command_line, course_settings, run_training

if TYPE_CHECKING:
    from bertviz_app.training.finetuning.labelled import ClassifierNetwork
    from bertviz_app.training.finetuning.settings import (
        ScoreEvaluation,
        TagEvaluation,
        TuningStep,
        TuningVerdict,
    )


def add_finetuning(add: Add) -> None:
    parser = add("finetune", "train a classifier of texts or of their words on top of a BERT", _finetune)
    parser.add_argument(
        "--model", metavar="REF", help="the BERT to begin with, named as for the other commands"
    )
    rows = (
        "rows of a label and a text or pair of texts: TSV, CSV, JSON lines or a JSON array; or a label for "
        "each word or character: CoNLL, KLUE-NER; .xz and .gz, too"
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help=rows)
    parser.add_argument(
        "--test",
        type=Path,
        metavar="FILE",
        help="rows to evaluate on; default: a tenth of the data",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model, new")
    _add_table(parser)
    course = add_course(parser)
    course.add_argument(
        "--epochs", type=number, default=3, metavar="N", help="times that all rows are read; 3 unless given"
    )
    course.add_argument(
        "--freeze-encoder",
        action="store_true",
        help="only the pooler and the classifier learn; every head stays as it is",
    )
    course.add_argument("--batch", type=number, default=32, metavar="N", help="rows a step; 32 unless given")
    course.add_argument(
        "--length", type=number, default=128, metavar="N", help="tokens of a row at most; 128 unless given"
    )
    course.add_argument("--rate", type=float, default=5e-5, metavar="R", help="highest; 5e-5 unless given")


def _add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options for tables whose content does not show how they are to be read."""
    table = parser.add_argument_group("how the rows are read, where their content does not show it")
    for option, what in (
        ("--label-column", "the column of the labels, by its name, or its number from 1"),
        ("--text-column", "the column of the texts; without --pair-column there are no pairs then"),
        ("--pair-column", "the column of the second texts of pairs"),
    ):
        table.add_argument(option, default="", metavar="NAME", help=what)
    table.add_argument(
        "--task",
        default="",
        choices=("classes", "scores", "tokens"),
        help="classes or scores of texts, or labels of their words or characters (tokens)",
    )
    separator = "what separates the columns: tab, comma, semicolon, or the character itself"
    table.add_argument("--separator", default="", metavar="CHAR", help=separator)
    table.add_argument("--encoding", default="", metavar="NAME", help="such as utf-8, cp949 or utf-16")


def _finetune(options: argparse.Namespace) -> int:
    from bertviz_app.api import finetune
    from bertviz_app.training.finetuning.settings import ScoreEvaluation, TagEvaluation, TuningSettings

    settings = TuningSettings(
        epochs=options.epochs,
        batch=options.batch,
        length=options.length,
        rate=options.rate,
        freezes_encoder=options.freeze_encoder,
        **course_settings(options),
    )
    terminal = _Tuning(options.epochs)

    def train() -> str:
        result = finetune(
            options.model,
            options.data,
            options.out,
            settings,
            terminal,
            options.device,
            test=options.test,
            label_column=options.label_column,
            text_column=options.text_column,
            pair_column=options.pair_column,
            separator=options.separator,
            encoding=options.encoding,
            target=options.task,
            resume=options.resume,
            command=command_line(options),
            progress=progress(options.model),
        )
        if isinstance(result, ScoreEvaluation):
            return _scores(result)
        spans = _spans(result) if isinstance(result, TagEvaluation) else ""
        return spans + _confusion(result.labels, result.confusion)

    return run_training(terminal, options.out, train)


class _Tuning(Terminal):
    """Shows how far a fine-tuning is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, n_epochs: int) -> None:
        super().__init__(
            {"rows": "Reading the rows", "tokens": "Cutting them into tokens", "training": "Training"}
        )
        self._n_epochs = n_epochs

    def on_step(self, report: TuningStep, network: ClassifierNetwork) -> None:
        self.bar(
            report.share,
            report.seconds,
            f"epoch {report.epoch} of {self._n_epochs}  step {report.step:,}  loss {report.loss:.2f}  "
            f"{report.tokens_per_second:,.0f} tokens/s",
        )

    def on_evaluated(self, result: TuningVerdict) -> None:
        from bertviz_app.training.finetuning.settings import ScoreEvaluation, TagEvaluation

        if not isinstance(result, ScoreEvaluation):
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


def _scores(result: ScoreEvaluation) -> str:
    rows = [
        ("Pearson", _correlation(result.pearson)),
        ("Spearman", _correlation(result.spearman)),
        ("mean squared error", f"{result.loss:.3f}"),
        ("always the mean", f"{result.baseline:.3f}"),
    ]
    return table(("measure", "held-out rows"), rows, right=(1,))


def _spans(result: TagEvaluation) -> str:
    """Return the table of the spans; "" for labels that mark none."""
    whole = result.all_spans
    if result.spans is None or whole is None:
        return ""
    rows = [
        (name, f"{one.precision:.1%}", f"{one.recall:.1%}", f"{one.f1:.1%}", f"{one.n_true:,}")
        for name, one in (*((one.type, one) for one in result.spans), ("all", whole))
    ]
    return table(("spans", "precision", "recall", "F1", "count"), rows, right=range(1, 5)) + "\n"


def _confusion(labels: Sequence[str], confusion: Sequence[Sequence[int]]) -> str:
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
        for index, (label, counts) in enumerate(zip(labels, confusion, strict=True))
    ]
    titles = ("label", *(f"given {label}" for label in labels), "right")
    return table(titles, rows, right=range(1, len(titles)))
