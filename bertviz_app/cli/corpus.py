"""`bertviz-app corpus`, `study`, `studies` and `history`: heads measured over files, and over a training."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from bertviz_app.analysis.entry import Needs, facts_of
from bertviz_app.analysis.measures import KEYS, MeasureKey
from bertviz_app.analysis.parameters import read_parameters
from bertviz_app.analysis.results import Result
from bertviz_app.cli.analyses import SET, print_entry, summary
from bertviz_app.cli.arguments import keys, setting
from bertviz_app.cli.reading import Checkpoint, file, finish
from bertviz_app.cli.signatures import Called, Typed
from bertviz_app.cli.terminal import SAVED, print_error, print_text, resumable, show_progress, table
from bertviz_app.errors import AppError
from bertviz_app.features.corpora.process.history import TrainingHistory, save_history
from bertviz_app.features.corpora.process.measuring import Remark, RemarkKind
from bertviz_app.features.corpora.process.run import CorpusListener, CorpusProgress, CorpusResult
from bertviz_app.features.corpora.process.studies import (
    ENDINGS,  # noqa: F401 - in a docstring
    StudySettings,
)
from bertviz_app.features.corpora.studies.catalogue import STUDIES, find_study

_PAUSE, _LONG_PAUSE = 0.2, 30.0  # seconds between two reports: on a terminal, and in a log

KINDS: dict[RemarkKind, str] = {
    "empty": "empty",
    "long": "too long (--truncate cuts such lines)",
    "undecodable": "not in the encoding of the file (--encoding names another)",
    "refused": "with nothing that the tokenizer reads",
    "damaged": "that cannot be read",
    "truncated": "longer than the model reads",
    "dropped": "whose invisible characters the tokenizer drops, as the model's own does",
}

VERBS: dict[RemarkKind, str] = {"truncated": "Cut", "dropped": "Measured"}
"""What was done with such lines; the others were left out."""


def corpus(
    checkpoint: Checkpoint,
    measured: Annotated[
        partial[CorpusResult], Called("Model.measure_corpus", {"out": "--out", "text": "--column"})
    ],
    studied: StudySettings,
    analyses: Annotated[tuple[str, ...], Typed(keys, "KEY,…")] = (),
    settings: Annotated[Sequence[tuple[str, str]], Typed(setting, "KEY.NAME=VALUE", "--set")] = (),
    names: Annotated[Path | None, file(".csv", ".json")] = None,
) -> int:
    """Measure every head for each line of text files.

    Parameters
    ----------
    out : FILE
        The table (.parquet, .csv, .npz), or a folder or URL of Parquet files, one for each block.
    block_lines : N
        How many lines are measured and saved at a time, of studies fewer.
    analyses
        Write a table for each of these studies, which “studies” lists, to the folder of --out.
    settings
        A parameter of one of them, as head-ablation.flavour=mean; repeatable.
    names
        Write what each head does over all texts, as the window names it, too.
    """
    typed = measured.keywords
    if analyses:
        if typed["settings"].measures != KEYS or names is not None:
            hint = "The study head-measures has all measures, and names with their shares."
            raise AppError("--measures and --names are of the table of measures.", hint)
        return _analyses(checkpoint, typed, studied, analyses, settings)
    if settings or studied.label_column or studied.text_column or studied.pair_column:
        raise AppError("--set and the columns of rows are for --analyses.", "Name the analyses, too.")
    if names is not None and "://" in typed["out"]:
        hint = "Write the table to this computer, or call corpus_summary in Python for a copy of it."
        raise AppError("The names of a table at a URL are not written.", hint)
    model = checkpoint.open()
    with resumable():
        result = measured(model, progress=CorpusReport())
    for line in left_out(result.counts, result.remarks, result.remarks_file):
        print_error(line)
    print_text(f"Wrote {result.out}: {result.n_sentences:,} sentences x {result.n_heads} heads.")
    if names is not None:
        from bertviz_app.api import corpus_summary

        corpus_summary(result.out).save(names)
        print_text(f"Wrote {names}.")
    return 0


def _analyses(
    checkpoint: Checkpoint,
    measured: Mapping[str, Any],
    settings: StudySettings,
    keys: Sequence[str],
    parameters: Sequence[tuple[str, str]],
) -> int:
    """Run studies of the files, and write a table of each to the folder."""
    out = measured["out"]
    if Path(out).suffix or "://" in out:
        raise AppError(f"“{out}” is no folder.", "--analyses writes a table of each to a folder.")
    chosen: dict[str, dict[str, str]] = {key: {} for key in keys}
    for name, value in parameters:
        key, dot, parameter = name.partition(".")
        if key not in chosen or not dot:
            raise AppError(f"“{name}” is no parameter of these analyses.", "Write it as KEY.NAME=VALUE.")
        chosen[key][parameter] = value
    for key, given in chosen.items():
        read_parameters(find_study(key).parameters, given)  # raises before a checkpoint is opened
    run_studies(checkpoint, chosen, measured["files"], out, settings)
    print_text(f"Wrote {len(chosen)} tables to {out}.")
    return 0


class CorpusReport(CorpusListener):
    """Shows how far a run is on standard error: one line that changes, or several lines in a log."""

    def __init__(self) -> None:
        self._started = self._shown_at = time.monotonic()

    def on_progress(self, done: CorpusProgress) -> None:
        """Say how many lines are done, how many a second, and how long the rest will take."""
        line = f"{done.n_lines:,} lines"
        measured = done.n_lines - done.n_earlier  # those of an earlier run took no time
        if measured:
            speed = measured / max(time.monotonic() - self._started, 1e-9)
            line += f"  {speed:,.0f} lines/s"
            if done.share:
                minutes, seconds = divmod(round(done.n_lines * (1 / done.share - 1) / speed), 60)
                hours, minutes = divmod(minutes, 60)
                left = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
                line += f"  {f'{hours} h {minutes} min' if hours else left} left"
        self._show(f"{done.share:4.0%}  {line}" if done.share else line)

    def on_finishing(self, share: float) -> None:
        """Say how much of the rest is done, such as of the training of a lens."""
        self._show(f"{share:4.0%}  of the last step")

    def _show(self, line: str) -> None:
        now, is_terminal = time.monotonic(), sys.stderr.isatty()
        if now - self._shown_at >= (_PAUSE if is_terminal else _LONG_PAUSE):
            self._shown_at = now
            (show_progress if is_terminal else print_error)(line)

    def on_notice(self, notice: str) -> None:
        print_error(notice)

    def on_dashboard(self, address: str) -> None:
        print_error(f"Dask's dashboard: {address}")


def left_out(counts: Mapping[str, int], remarks: Sequence[Remark], file: str) -> list[str]:
    """Return sentences on lines that were left out or cut: how many there are, and the first numbers.

    `file` is the one that names them all, "" where there is none.
    """
    lines = []
    for kind, words in KINDS.items():
        if not (count := counts.get(kind, 0)):
            continue
        named = [f"{remark.line}" for remark in remarks if remark.kind == kind]
        named += ["…"] if count > len(named) and named else []
        verb, plural = VERBS.get(kind, "Left out"), "line" if count == 1 else "lines"
        numbers = f": {', '.join(named)}" if named else "."
        lines.append(f"{verb} {count:,} {plural}, {words}{numbers}")
    return [*lines, f"All of them are named in {file}."] if lines and file else lines


_READ = {
    "texts": "texts, one a line, or the cells of a --column",
    "labelled": "rows of a text with its label",
    "pairs": "rows of two texts",
    "parsed": "parsed sentences (CoNLL-U)",
    "words": "sentences whose words are labelled",
    "mentions": "rows of a text with a mention and its antecedent",
}


def study(  # noqa: PLR0913 - each is an option
    key: str,
    file: str,
    checkpoint: Checkpoint,
    studied: StudySettings,
    other_model: str | None = None,
    out: str | None = None,
    settings: Annotated[Sequence[tuple[str, str]], SET] = (),
) -> int:
    """Run a study of a whole file, and save its numbers.

    Parameters
    ----------
    key : KEY
        Which study, one that “studies” lists.
    file : FILE
        The file, of the kind that the study reads.
    other_model : REF
        The checkpoint to compare with.
    out : FILE
        Write all numbers to FILE ({ENDINGS}).
    settings
        A parameter of the study, as steps=10; repeatable.
    """
    found = find_study(key)
    read_parameters(found.parameters, dict(settings))  # what is wrong is said before a checkpoint is opened
    result, *_ = run_studies(checkpoint, {found.key: dict(settings)}, [file], out, studied, other_model)
    print_text(summary(found, result))
    if facts := facts_of(result):
        values = {name: f"{one:.4f}" if isinstance(one, float) else str(one) for name, one in facts.items()}
        print_text(", ".join(f"{name} {value}" for name, value in values.items()) + ".")
    if out is not None:
        print_text(f"Wrote {out}.")
    return 0


def run_studies(
    checkpoint: Checkpoint,
    chosen: Mapping[str, Mapping[str, object]],
    files: Sequence[str],
    out: str | None,
    settings: StudySettings,
    other: str | None = None,
) -> tuple[Result, ...]:
    """Return the results of studies of files, and print what was left out."""
    model = checkpoint.open()
    with resumable(SAVED if out else "With --out, what is measured would be saved."):
        results = model.studies(chosen, files, out, other=other, settings=settings, progress=CorpusReport())
    about, file = results[0].about or {}, ""
    if out:
        file = f"{out}.remarks.csv" if Path(out).suffix else f"{out.rstrip('/')}/remarks.csv"
    for line in left_out(about["remarks"], (), file):
        print_error(line)
    print_text(f"{about['n_measured']:,} of {about['n_lines']:,} lines were measured.")
    return results


def studies() -> int:
    """List the studies of whole files: what they read, their papers and parameters."""
    for one in STUDIES:
        needs = _READ[one.reads]
        needs += ", and a task head" if Needs.TASK_HEAD in one.needs else ""
        needs += ", and --other-model" if Needs.SECOND_RUN in one.needs else ""
        print_entry(one, one.parameters, needs)
    return 0


def history(
    measured: Annotated[
        partial[TrainingHistory], Called("training_history", {"file": "--texts", "reading": ""})
    ],
    measure: MeasureKey = "previous",
    out: Annotated[Path | None, file(".csv", ".json", ".npz")] = None,
) -> int:
    """Measure the heads of every checkpoint of a training.

    Parameters
    ----------
    checkpoints : CHECKPOINT
    measure
        The measure by which the heads that change most are listed.
    out
        Write all numbers to FILE.
    """
    named = measured.keywords["checkpoints"]
    checkpoints = named[0] if len(named) == 1 else named
    with resumable():
        found = measured(checkpoints=checkpoints, progress=lambda share: show_progress(f"{share:.0%}"))
    rows = [
        (f"{one.head[0]}.{one.head[1]}", f"{one.first:.4f}", f"{one.last:.4f}", f"{one.step:,}")
        for one in found.formed(measure)[:20]
    ]
    print_text(f"{measure}, steps {found.stages[0].step:,} to {found.stages[-1].step:,}:")
    print_text(table(("head", "first", "last", "half by step"), rows, right=(1, 2, 3)))
    return finish(out, lambda path: save_history(found, path))
