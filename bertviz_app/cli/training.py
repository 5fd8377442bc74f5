"""`bertviz-app pretrain` and `finetune`."""

from __future__ import annotations

import argparse
import shlex
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import Add, Setting, add_settings, given_settings, number, real
from bertviz_app.cli.corpus import TABLE
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
from bertviz_app.text_tables.table import TARGETS, TableChoices
from bertviz_app.training.finetuning.settings import (
    MultiLabelEvaluation,
    ScoreEvaluation,
    SpanCounts,
    TagEvaluation,
    TuningSettings,
    TuningStep,
    TuningVerdict,
)
from bertviz_app.training.pretraining.settings import POSITION_STARTS, SCHEDULES, PretrainingSettings
from bertviz_app.training.settings import PRECISIONS, STATE, STORES, WORK, TrainingError

if TYPE_CHECKING:
    from bertviz_app.training.finetuning.labelled import ClassifierNetwork
    from bertviz_app.training.pretraining.network import PretrainingNetwork
    from bertviz_app.training.pretraining.settings import Evaluation, StepReport

_PAUSE = 0.2  # seconds between two drawings of the bar
_WIDTH = 24


class Terminal:
    """The listener of a training: prints its stages and notices, and stops it at Ctrl-C."""

    def __init__(self, stages: dict[str, str]) -> None:
        self.is_stopping = False
        self._stages = stages
        self._shown_at = 0.0

    def on_stage(self, stage: str) -> None:
        """Report the stage of the work that begins."""
        self.line(self._stages[stage])

    def on_notice(self, notice: str) -> None:
        """Report something about the data that the user should know."""
        self.clear()
        print_error(notice)

    def check(self) -> None:
        """Raise Cancelled if the work has been cancelled."""
        if self.is_stopping:
            raise Cancelled

    def on_snapshot(self, folder: Path) -> None:
        """Report the folder of a new snapshot."""
        self.line(f"Kept {folder}.")

    def bar(self, share: float, seconds: float, facts: str) -> None:
        """Draw how much is done, 0 to 1, after `seconds`, and its `facts` so far."""
        now = time.monotonic()
        if now - self._shown_at < _PAUSE:
            return
        self._shown_at = now
        done = round(_WIDTH * share)
        left = f"  {_duration(seconds * (1 - share) / share)} left" if share > 0 else ""
        bar = f"[{'=' * done}{' ' * (_WIDTH - done)}] {share:4.0%}"
        show_progress(f"{bar}  {facts}{left}")

    def line(self, text: str) -> None:
        """Print a line in place of the bar."""
        self.clear()
        print_text(text)

    def clear(self) -> None:
        """Remove the bar."""
        show_progress("")


def run_training(terminal: Terminal, out: Path, train: Callable[[], str]) -> int:
    """Run a training, print the sentence it returns, return the exit code. Ctrl-C stops it after a step."""
    try:
        with _interrupting(terminal):
            sentence = train()
    except Cancelled:
        terminal.clear()
        if (out / WORK / STATE).exists():
            words = f"Stopped. The run is saved in {out}: the same command with --resume continues it."
        else:
            words = "Stopped before the first step: there is no run to go on with."
        print_error(words)
        return INTERRUPTED
    finally:
        terminal.clear()
    print_text(sentence)
    print_text(f"Wrote {out}.")
    return 0


def command_line(options: argparse.Namespace) -> str:
    """Return the command line that started the run, also if it is resumed by `options`."""
    return shlex.join([PROGRAM, *(argument for argument in options.arguments if argument != "--resume")])


_COURSE = (
    Setting("--precision", "precision", "auto: bfloat16 where the device computes in it", choices=PRECISIONS),
    Setting("--seed", "seed", "0 unless given", "N", number),
    Setting("--snapshots", "snapshot_every", "keep the model every N steps, too", "N", number),
    Setting(
        "--store",
        "stores",
        "how the numbers are written; float16 takes half the space",
        choices=STORES,
    ),
)


def add_course(parser: argparse.ArgumentParser, settings: Iterable[Setting]) -> argparse._ArgumentGroup:
    """Add the options that both trainings have, then those of one."""
    course = parser.add_argument_group("the run")
    course.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    course.add_argument("--device", default="auto", help="auto, cpu, cuda, mps (auto unless given)")
    add_settings(course, (*_COURSE, *settings))
    return course


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


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def add_pretraining(add: Add) -> None:
    parser = add("pretrain", "train a model on texts of your own", _pretrain)
    parser.add_argument(
        "--corpus",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="UTF-8 texts with a blank line between documents, else each line is one; or Parquet, .xlsx, "
        "folders of datasets, a document a row; .xz and .gz, too",
    )
    add_settings(parser, (_COLUMN,))
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model, new")
    parser.add_argument(
        "--model",
        metavar="REF",
        help="begin with the weights, the sizes and the vocabulary of this BERT, named as for the other "
        "commands, instead of random weights",
    )
    about = "whichever comes first; with --schedule constant it may be left out, and set or moved by --resume"
    add_settings(parser.add_argument_group("its end", about), _END)
    add_settings(parser.add_argument_group("the model", "not with --model, whose sizes it has"), _SIZES)
    course = add_course(parser, (*_SCHEDULE, _BATCH))
    course.add_argument(
        "--batch-growth",
        type=number,
        nargs=2,
        metavar=("FIRST", "TOKENS"),
        help="start with FIRST tokens a step, and grow to --batch over TOKENS tokens",
    )
    add_settings(course, _RECIPE)


_COLUMN = Setting(
    "--column",
    "column",
    "the column of the texts, by its name, or its number from 1; with it CSV, TSV and JSON are tables, too",
    "NAME",
)
_minutes = real(lambda minutes: 0 < minutes < 1e6, " is no number of minutes above 0", "no number of minutes")
_share = real(lambda share: 0 <= share <= 1, " is no share: it must be from 0 to 1")

_END = (
    Setting("--steps", "steps", None, "N", number),
    Setting("--tokens", "tokens", "read, without padding", "N", number),
    Setting("--minutes", "minutes", "of training, over all parts of the run", "N", _minutes),
)
_SIZES = (
    Setting("--layers", "n_layers", "6 unless given", "N", number),
    Setting("--heads", "n_heads", "8 unless given", "N", number),
    Setting("--width", "width", "256 unless given", "N", number),
    Setting("--vocab", "vocabulary_size", "pieces at most; 16000 unless given", "N", number),
    Setting("--positions", "n_positions", "tokens it reads at most; 256 unless given", "N", number),
)
_SCHEDULE = (
    Setting("--rate", "rate", "highest; 0.001 unless given", "R", float),
    Setting(
        "--schedule",
        "schedule",
        "linear: warms up, then falls to 0; constant: warms up, stays, and falls at the end",
        choices=SCHEDULES,
    ),
    Setting(
        "--cool-down",
        "cool_down",
        "of the run, over which a constant rate falls at its end; 0.1 unless given",
        "SHARE",
        _share,
    ),
    Setting(
        "--long-from",
        "long_from",
        "from this share of the run on examples are as long as can be; 0.9 unless given",
        "SHARE",
        _share,
    ),
)
_BATCH = Setting("--batch", "batch_tokens", "tokens a step; 4096 unless given", "N", number)
_RECIPE = (
    Setting(
        "--part",
        "part_tokens",
        "tokens of one pass; a batch is the sum of several; 2048 unless given",
        "N",
        number,
    ),
    Setting("--length", "length", "tokens of an example; 128 unless given", "N", number),
    Setting("--single", "single_share", "examples that are no pair; 0 unless given", "SHARE", _share),
    Setting(
        "--open",
        "open_share",
        "segments without their final full stop, as texts are typed; 0 unless given",
        "SHARE",
        _share,
    ),
    Setting("--initial-std", "initial_std", "of the first weights; 0.02 unless given", "S", float),
    Setting(
        "--positions-start",
        "positions_start",
        "what the position embeddings are before the training",
        choices=POSITION_STARTS,
    ),
)


def _pretrain(options: argparse.Namespace) -> int:
    from bertviz_app.api import pretrain

    given = given_settings(options, PretrainingSettings)
    if options.model is not None and any(size.field in given for size in _SIZES):
        raise TrainingError(
            Message("The sizes are those of the model that the training begins with."),
            Message("Leave out --layers, --heads, --width, --vocab and --positions."),
        )
    first_batch, growth = options.batch_growth or (None, 0)
    stated = PretrainingSettings(**given, first_batch_tokens=first_batch, growth_tokens=growth)
    settings = replace(
        stated,
        length=min(stated.length, stated.n_positions),
        part_tokens=max(min(stated.part_tokens, stated.batch_tokens), stated.n_positions),
    )
    terminal = _Pretraining()

    def train() -> str:
        result = pretrain(
            options.corpus,
            options.out,
            settings,
            terminal,
            options.device,
            base=options.model,
            resume=options.resume,
            command=command_line(options),
            progress=progress(options.model),
        )
        return _sentence(result)

    return run_training(terminal, options.out, train)


class _Pretraining(Terminal):
    """Shows how far a pre-training is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        stages = {
            "vocabulary": "Making the vocabulary",
            "tokens": "Reading the texts",
            "training": "Training",
        }
        super().__init__(stages)

    def on_step(self, report: StepReport, network: PretrainingNetwork) -> None:
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


def add_finetuning(add: Add) -> None:
    parser = add("finetune", "train a classifier of texts or of their words on top of a BERT", _finetune)
    parser.add_argument(
        "--model", metavar="REF", help="the BERT to begin with, named as for the other commands"
    )
    rows = (
        "rows of a label and a text or pair of texts: TSV, CSV, JSON lines or a JSON array, Parquet, .xlsx, "
        "a folder of datasets; or a label for each word or character: CoNLL, KLUE-NER; .xz and .gz, too"
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help=rows)
    parser.add_argument(
        "--test",
        type=Path,
        metavar="FILE",
        help="rows to evaluate on; default: a tenth of the data",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model, new")
    about = "how the rows are read, where their content does not show it"
    add_settings(parser.add_argument_group(about), _TABLE)
    add_course(parser, _TUNING)


_TABLE = (
    Setting(
        "--label-column",
        "label_column",
        "the column of the labels, by its name, or its number from 1; several of 0 and 1 with commas",
        "NAME",
    ),
    Setting(
        "--text-column",
        "text_column",
        "the column of the texts; without --pair-column there are no pairs then",
        "NAME",
    ),
    Setting("--pair-column", "pair_column", "the column of the second texts of pairs", "NAME"),
    Setting(
        "--task",
        "target",
        "classes or scores of texts, labels of their words or characters (tokens), or several labels a text",
        choices=TARGETS,
    ),
    *TABLE,
)
_TUNING = (
    Setting("--epochs", "epochs", "times that all rows are read; 3 unless given", "N", number),
    Setting(
        "--freeze-encoder",
        "freezes_encoder",
        "only the pooler and the classifier learn; every head stays as it is",
        read=bool,
    ),
    Setting("--batch", "batch", "rows a step; 32 unless given", "N", number),
    Setting("--length", "length", "tokens of a row at most; 128 unless given", "N", number),
    Setting("--rate", "rate", "highest; 5e-5 unless given", "R", float),
)


def _finetune(options: argparse.Namespace) -> int:
    from bertviz_app.api import finetune

    settings = TuningSettings(**given_settings(options, TuningSettings))
    terminal = _Tuning(settings.epochs)

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
            **given_settings(options, TableChoices),
        )
        if isinstance(result, ScoreEvaluation):
            return _scores(result)
        if isinstance(result, MultiLabelEvaluation):
            return _several(result)
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


def _scores(result: ScoreEvaluation) -> str:
    rows = [
        ("Pearson", _correlation(result.pearson)),
        ("Spearman", _correlation(result.spearman)),
        ("mean squared error", f"{result.loss:.3f}"),
        ("always the mean", f"{result.baseline:.3f}"),
    ]
    return table(("measure", "held-out rows"), rows, right=(1,))


def _several(result: MultiLabelEvaluation) -> str:
    """Return the table of the labels, with the thresholds from which on they are predicted."""
    thresholds = (f"{threshold:g}" for threshold in result.thresholds)
    rows = [(*one, threshold) for one, threshold in zip(_counted(result.counts), thresholds, strict=True)]
    titles = ("label", "precision", "recall", "F1", "rows", "threshold (stated)")
    return table(titles, rows, right=range(1, 6))


def _spans(result: TagEvaluation) -> str:
    """Return the table of the spans; "" for labels that mark none."""
    whole = result.all_spans
    if result.spans is None or whole is None:
        return ""
    rows = _counted((*result.spans, replace(whole, type="all")))
    return table(("spans", "precision", "recall", "F1", "count"), rows, right=range(1, 5)) + "\n"


def _counted(counts: Sequence[SpanCounts]) -> list[tuple[str, ...]]:
    return [
        (one.type, f"{one.precision:.1%}", f"{one.recall:.1%}", f"{one.f1:.1%}", f"{one.n_true:,}")
        for one in counts
    ]


def _confusion(labels: Sequence[str], confusion: Sequence[Sequence[int]]) -> str:
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
        for index, (label, counts) in enumerate(zip(labels, confusion, strict=True))
    ]
    titles = ("label", *(f"given {label}" for label in labels), "right")
    return table(titles, rows, right=range(1, len(titles)))
