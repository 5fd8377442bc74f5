"""`bertviz-app finetune`: its arguments and its output on a terminal."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import number
from bertviz_app.cli.printing import progress, table
from bertviz_app.cli.terminal import Add, Terminal, add_course, command_line, course_settings, run_training

if TYPE_CHECKING:
    from bertviz_app.training.finetuning.classifier import ClassifierNetwork
    from bertviz_app.training.finetuning.settings import TuningEvaluation, TuningStep


def add_finetuning(add: Add) -> None:
    """Add the sub-command by `add`, which takes its name, its help and the function that it runs."""
    parser = add("finetune", "train a classifier of texts on top of a BERT", _finetune)
    parser.add_argument(
        "--model", metavar="REF", help="the BERT to begin with, named as for the other commands"
    )
    columns = "UTF-8 rows, .xz and .gz too, of tab-separated columns: label, text, and text_b of pairs"
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help=f"{columns}; a first line may name them"
    )
    parser.add_argument(
        "--test",
        type=Path,
        metavar="FILE",
        help="rows to evaluate on; default: a tenth of the data",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model, new")
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


def _finetune(options: argparse.Namespace) -> int:
    from bertviz_app.api import finetune
    from bertviz_app.training.finetuning.settings import TuningSettings

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
            resume=options.resume,
            command=command_line(options),
            progress=progress(options.model),
        )
        return _confusion(result)

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

    def on_evaluated(self, result: TuningEvaluation) -> None:
        self.line(
            f"Step {result.step:,}, on {result.n_rows:,} held-out rows: {result.accuracy:.1%} correct "
            f"(loss {result.loss:.3f}; always the commonest label: {result.baseline:.1%})."
        )


def _confusion(result: TuningEvaluation) -> str:
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
        for index, (label, counts) in enumerate(zip(result.labels, result.confusion, strict=True))
    ]
    titles = ("label", *(f"given {label}" for label in result.labels), "right")
    return table(titles, rows, right=range(1, len(titles)))
