"""`bertviz-app pretrain`, `finetune`, `corpus` and `parameters`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.analysis.measures import KEYS
from bertviz_app.cli.arguments import (
    INTERRUPTED,
    Add,
    Setting,
    Terminal,
    add_answers,
    add_course,
    add_model,
    add_settings,
    check_ending,
    command_line,
    given_settings,
    number,
    open_model,
    print_error,
    print_text,
    progress,
    run_training,
    show_progress,
    table,
)
from bertviz_app.errors import Message
from bertviz_app.inference.corpus.measuring import BLOCK_LINES, CorpusSettings, RemarkKind, TextReading
from bertviz_app.inference.corpus.run import CorpusListener, CorpusProgress
from bertviz_app.training.pretraining.settings import (
    POSITION_STARTS,
    SCHEDULES,
    PretrainingSettings,
)
from bertviz_app.training.settings import TrainingError

if TYPE_CHECKING:
    from bertviz_app.inference.corpus.run import CorpusResult
    from bertviz_app.training.finetuning.labelled import ClassifierNetwork
    from bertviz_app.training.finetuning.settings import (
        ScoreEvaluation,
        TagEvaluation,
        TuningStep,
        TuningVerdict,
    )
    from bertviz_app.training.pretraining.network import PretrainingNetwork
    from bertviz_app.training.pretraining.settings import Evaluation, StepReport


def add_pretraining(add: Add) -> None:
    parser = add("pretrain", "train a model on texts of your own", _pretrain)
    parser.add_argument(
        "--corpus",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="UTF-8 texts, .xz and .gz too; a blank line between documents, else each line is one",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model, new")
    parser.add_argument(
        "--model",
        metavar="REF",
        help="begin with the weights, the sizes and the vocabulary of this BERT, named as for the other "
        "commands, instead of random weights",
    )
    about = "whichever comes first; with --schedule constant it may be left out, and set or moved by --resume"
    add_settings(parser.add_argument_group("its end", about), _END)
    sizes = parser.add_argument_group("the model", "not with --model, whose sizes it has")
    add_settings(sizes, _SIZES)
    course = add_course(parser, (*_SCHEDULE, _BATCH))
    course.add_argument(
        "--batch-growth",
        type=number,
        nargs=2,
        metavar=("FIRST", "TOKENS"),
        help="start with FIRST tokens a step, and grow to --batch over TOKENS tokens",
    )
    add_settings(course, _RECIPE)


def _minutes(text: str) -> float:
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number of minutes") from error
    if not 0 < found < 1e6:
        raise argparse.ArgumentTypeError(f"“{text}” is no number of minutes above 0")
    return found


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number") from error
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"“{text}” is no share: it must be from 0 to 1")
    return found


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


def _settings(options: argparse.Namespace) -> PretrainingSettings:
    """Return the settings of a pre-training. Raises TrainingError for sizes together with --model."""
    given = given_settings(options, PretrainingSettings)
    if options.model is not None and any(size.field in given for size in _SIZES):
        message = Message("The sizes are those of the model that the training begins with.")
        raise TrainingError(
            message, Message("Leave out --layers, --heads, --width, --vocab and --positions.")
        )
    first_batch, growth = options.batch_growth or (None, 0)
    settings = PretrainingSettings(**given, first_batch_tokens=first_batch, growth_tokens=growth)
    return replace(
        settings,
        length=min(settings.length, settings.n_positions),
        part_tokens=max(min(settings.part_tokens, settings.batch_tokens), settings.n_positions),
    )


def _pretrain(options: argparse.Namespace) -> int:
    from bertviz_app.api import pretrain

    settings = _settings(options)
    terminal = _Pretraining()

    def train() -> str:
        command = command_line(options)
        result = pretrain(
            options.corpus,
            options.out,
            settings,
            terminal,
            options.device,
            base=options.model,
            resume=options.resume,
            command=command,
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
    epochs = Setting("--epochs", "epochs", "times that all rows are read; 3 unless given", "N", number)
    course = add_course(parser, [epochs])
    course.add_argument(
        "--freeze-encoder",
        action="store_true",
        dest="freezes_encoder",
        help="only the pooler and the classifier learn; every head stays as it is",
    )
    add_settings(
        course,
        (
            Setting("--batch", "batch", "rows a step; 32 unless given", "N", number),
            Setting("--length", "length", "tokens of a row at most; 128 unless given", "N", number),
            Setting("--rate", "rate", "highest; 5e-5 unless given", "R", float),
        ),
    )


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


_PAUSE, _LONG_PAUSE = 0.2, 30.0  # seconds between two reports: on a terminal, and in a log
KINDS: dict[RemarkKind, str] = {
    "empty": "empty",
    "long": "too long (--truncate cuts such lines)",
    "undecodable": "not in the encoding of the file (--encoding names another)",
    "refused": "with nothing that the tokenizer reads",
    "truncated": "longer than the model reads",
    "dropped": "whose invisible characters the tokenizer drops, as the model's own does",
}
VERBS: dict[RemarkKind, str] = {"truncated": "Cut", "dropped": "Measured"}
"""What was done with such lines; the others were left out."""


def add_corpus(add: Add) -> None:
    parser = add("corpus", "measure every head for each line of text files", _corpus)
    about = "text, a sentence a line; .gz, .bz2 and .xz, and URLs such as s3://bucket/texts.txt, too"
    parser.add_argument("files", metavar="FILE", nargs="+", help=about)
    add_model(parser)
    add_answers(parser)
    out = "the table (.parquet, .csv, .npz), or a folder or URL of Parquet files, one for each block"
    parser.add_argument("--out", metavar="FILE", required=True, help=out)
    parser.add_argument(
        "--measures", type=_keys, default=KEYS, metavar="KEY,…", help=f"all unless given: {', '.join(KEYS)}"
    )
    cut = "cut lines with more tokens than the model reads; otherwise they are left out"
    parser.add_argument("--truncate", action="store_true", help=cut)
    block = f"how many lines are measured and saved at a time; {BLOCK_LINES} unless given"
    parser.add_argument("--block", type=number, default=BLOCK_LINES, metavar="N", help=block)
    kind = parser.add_mutually_exclusive_group()
    about = "the texts are this column of tables (TSV, CSV, JSON lines): its name, or its number from 1"
    kind.add_argument("--column", default="", metavar="NAME", help=about)
    kind.add_argument("--prose", action="store_true", help="each line is a text, also where it has columns")
    about = "what separates the columns: tab, comma, semicolon, or the character itself"
    parser.add_argument("--separator", default="", metavar="CHAR", help=about)
    about = "such as cp949 or utf-16; found by the content unless given"
    parser.add_argument("--encoding", default="", metavar="NAME", help=about)
    who = parser.add_mutually_exclusive_group()
    about = "processes that share the blocks, each on one thread; needs the extra “cluster”"
    who.add_argument("--workers", type=number, metavar="N", help=about)
    about = "the workers of this Dask scheduler do; with a folder or URL as --out they write it, too"
    who.add_argument("--scheduler", metavar="tcp://HOST:PORT", help=about)


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in text.split(",") if key.strip())


def _corpus(options: argparse.Namespace) -> int:
    model = open_model(options)
    try:
        result = model.measure_corpus(
            options.files,
            options.out,
            CorpusSettings(
                *(options.measures, options.truncate, options.block, options.workers, options.scheduler),
                TextReading(options.column, options.separator, options.encoding, options.prose),
            ),
            listener=CorpusReport(),
        )
    except KeyboardInterrupt:
        show_progress("")
        print_error("Stopped. What is measured is saved: the same command goes on from there.")
        return INTERRUPTED
    finally:
        show_progress("")
    for line in _left_out(result):
        print_error(line)
    print_text(f"Wrote {result.out}: {result.n_sentences:,} sentences x {result.n_heads} heads.")
    return 0


class CorpusReport(CorpusListener):
    """Shows how far a run is on standard error: one line that changes, or several lines in a log."""

    def __init__(self) -> None:
        self._started = self._shown_at = time.monotonic()

    def on_progress(self, done: CorpusProgress) -> None:
        """Say how many lines are done, how many a second, and how long the rest will take."""
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if now - self._shown_at < (_PAUSE if is_terminal else _LONG_PAUSE):
            return
        self._shown_at = now
        line = f"{done.n_lines:,} lines"
        measured = done.n_lines - done.n_earlier  # those of an earlier run took no time
        if measured:
            speed = measured / (now - self._started)
            line += f"  {speed:,.0f} lines/s"
            if done.share:
                line += f"  {_duration(done.n_lines * (1 / done.share - 1) / speed)} left"
        if done.share:
            line = f"{done.share:4.0%}  {line}"
        (show_progress if is_terminal else print_error)(line)

    def on_notice(self, notice: str) -> None:
        print_error(notice)

    def on_dashboard(self, address: str) -> None:
        print_error(f"Dask's dashboard: {address}")


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    )


def _left_out(result: CorpusResult) -> list[str]:
    """Return the remarks on lines that were left out or cut: how many there are, and the first numbers."""
    lines = []
    for kind, words in KINDS.items():
        count = result.counts.get(kind, 0)
        if not count:
            continue
        named = [f"{remark.line}" for remark in result.remarks if remark.kind == kind]
        more = ", …" if count > len(named) else ""
        verb = VERBS.get(kind, "Left out")
        plural = "line" if count == 1 else "lines"
        lines.append(f"{verb} {count:,} {plural}, {words}: {', '.join(named)}{more}")
    return [*lines, f"All of them are named in {result.remarks_file}."] if lines else []


ENDINGS = (".csv", ".json")


def add_parameters(add: Add) -> None:
    parser = add(
        "parameters", "print every matrix and vector of a checkpoint, and save the table", _parameters
    )
    add_model(parser)
    add_answers(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write the table to FILE ({', '.join(ENDINGS)})"
    )


def _parameters(options: argparse.Namespace) -> int:
    if options.out is not None:
        check_ending(options.out, ENDINGS)
    found = open_model(options).parameters()
    for title, entries in found.sections():
        rows = [
            (
                f"  {entry.title}",
                entry.symbol,
                entry.name or entry.key,
                " x ".join(map(str, entry.shape)),
                f"{entry.n_numbers:,}",
                f"{found.share(entry):.2%}",
                " ".join(entry.notes),
            )
            for entry in entries
        ]
        count = sum(entry.n_numbers for entry in entries)
        print_text(f"{title}: {count:,} parameters")
        print_text(
            table(("  what", "", "name in the file", "shape", "parameters", "share", ""), rows, right=(4, 5))
        )
        print_text("")
    print_text(f"{found.total:,} parameters in {len(found)} matrices and vectors")
    if options.out is not None:
        found.save(options.out)
        print_text(f"Wrote {options.out}.")
    return 0
