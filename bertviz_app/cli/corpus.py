"""`bertviz-app corpus`: every head measured for each line of files; `study` and `studies`: of whole files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertviz_app.analysis.measures import KEYS
from bertviz_app.cli.analyses import print_entry, summary
from bertviz_app.cli.arguments import (
    Add,
    Setting,
    add_answers,
    add_model,
    add_settings,
    check_ending,
    given_settings,
    number,
    setting,
)
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import INTERRUPTED, print_error, print_text, show_progress
from bertviz_app.errors import AppError
from bertviz_app.inference.corpus.measuring import (
    BLOCK_LINES,
    CorpusSettings,
    Remark,
    RemarkKind,
    TextReading,
)
from bertviz_app.inference.corpus.run import CorpusListener, CorpusProgress
from bertviz_app.inference.corpus.studies import ENDINGS, StudySettings

if TYPE_CHECKING:
    from bertviz_app.analysis.results import Result
    from bertviz_app.analysis.studies.study import Study

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


def add_corpus(add: Add) -> None:
    parser = add("corpus", "measure every head for each line of text files", _corpus)
    about = "text, a sentence a line; .gz, .bz2 and .xz, and URLs such as s3://bucket/texts.txt, too"
    parser.add_argument("files", metavar="FILE", nargs="+", help=about)
    add_model(parser)
    add_answers(parser)
    out = "the table (.parquet, .csv, .npz), or a folder or URL of Parquet files, one for each block"
    parser.add_argument("--out", metavar="FILE", required=True, help=out)
    analyses = "write a table for each of these studies, which “studies” lists, to the folder of --out"
    parser.add_argument("--analyses", metavar="KEY,…", type=_keys, help=analyses)
    about_set = "a parameter of one of them, as head-ablation.flavour=mean; repeatable"
    parser.add_argument(
        "--set", type=setting, action="append", default=[], metavar="KEY.NAME=VALUE", help=about_set
    )
    names = "write what each head does over all texts, as the window names it, too (.csv, .json)"
    parser.add_argument("--names", metavar="FILE", type=Path, help=names)
    add_settings(parser, _MEASURING)
    add_settings(parser, LABELS)
    add_settings(parser.add_mutually_exclusive_group(), TEXTS)
    add_settings(parser, TABLE)
    add_settings(parser.add_mutually_exclusive_group(), WORKERS)


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in text.split(",") if key.strip())


_MEASURING = (
    Setting("--measures", "measures", f"all unless given: {', '.join(KEYS)}", "KEY,…", _keys),
    Setting(
        "--truncate",
        "truncates",
        "cut lines with more tokens than the model reads; otherwise they are left out",
        read=bool,
    ),
    Setting(
        "--block",
        "block",
        f"how many lines are measured and saved at a time ({BLOCK_LINES}; of studies fewer)",
        "N",
        number,
    ),
)
TEXTS = (
    Setting(
        "--column",
        "column",
        "the texts are this column of tables (TSV, CSV, JSON, Parquet, .xlsx): its name, or number from 1",
        "NAME",
    ),
    Setting("--prose", "is_prose", "each line is a text, also where it has columns", read=bool),
)
TABLE = (
    Setting(
        "--separator",
        "separator",
        "what separates the columns: tab, comma, semicolon, or the character itself",
        "CHAR",
    ),
    Setting("--encoding", "encoding", "such as cp949 or utf-16; found by the content unless given", "NAME"),
)
LABELS = (
    Setting("--label-column", "label_column", "the column with the labels of rows", "NAME"),
    Setting("--text-column", "text_column", "the column with the texts of rows", "NAME"),
    Setting("--pair-column", "pair_column", "the column with their second texts", "NAME"),
)
WORKERS = (
    Setting(
        "--workers",
        "n_workers",
        "processes that share the blocks, each on one thread; needs the extra “cluster”",
        "N",
        number,
    ),
    Setting(
        "--scheduler",
        "scheduler",
        "the workers of this Dask scheduler do; with a folder or URL as --out they write it, too",
        "tcp://HOST:PORT",
    ),
)


def _corpus(options: argparse.Namespace) -> int:
    if options.analyses:
        return _analyses(options)
    if options.set or any(one.field in vars(options) for one in LABELS):
        raise AppError("--set and the columns of rows are for --analyses.", "Name the analyses, too.")
    if options.names is not None:
        check_ending(options.names, (".csv", ".json"))
        if "://" in options.out:
            hint = "Write the table to this computer, or call corpus_summary in Python for a copy of it."
            raise AppError("The names of a table at a URL are not written.", hint)
    model = open_model(options)
    try:
        result = model.measure_corpus(
            options.files,
            options.out,
            CorpusSettings(
                **given_settings(options, CorpusSettings),
                **({"block_lines": options.block} if "block" in options else {}),
                reading=TextReading(**given_settings(options, TextReading)),
            ),
            progress=CorpusReport(),
        )
    except KeyboardInterrupt:
        show_progress("")
        print_error("Stopped. What is measured is saved: the same command goes on from there.")
        return INTERRUPTED
    finally:
        show_progress("")
    for line in left_out(result.counts, result.remarks, result.remarks_file):
        print_error(line)
    print_text(f"Wrote {result.out}: {result.n_sentences:,} sentences x {result.n_heads} heads.")
    if options.names is not None:
        from bertviz_app.api import corpus_summary

        corpus_summary(result.out).save(options.names)
        print_text(f"Wrote {options.names}.")
    return 0


def _analyses(options: argparse.Namespace) -> int:
    """Run studies of the files, and write a table of each to the folder."""
    from bertviz_app.analysis.parameters import read_parameters
    from bertviz_app.analysis.studies.catalogue import find_study

    if Path(options.out).suffix or "://" in options.out:
        raise AppError(f"“{options.out}” is no folder.", "--analyses writes a table of each to a folder.")
    if "measures" in vars(options) or options.names is not None:
        hint = "The study head-measures has all measures, and names with their shares."
        raise AppError("--measures and --names are of the table of measures.", hint)
    chosen: dict[str, dict[str, str]] = {key: {} for key in options.analyses}
    for name, value in options.set:
        key, dot, parameter = name.partition(".")
        if key not in chosen or not dot:
            raise AppError(f"“{name}” is no parameter of these analyses.", "Write it as KEY.NAME=VALUE.")
        chosen[key][parameter] = value
    for key, given in chosen.items():
        read_parameters(find_study(key).parameters, given)  # raises before a checkpoint is opened
    if run_studies(options, chosen, options.files) is None:
        return INTERRUPTED
    print_text(f"Wrote {len(chosen)} tables to {options.out}.")
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

    def on_finishing(self, share: float) -> None:
        """Say how much of the rest is done, such as of the training of a lens."""
        now, is_terminal = time.monotonic(), sys.stderr.isatty()
        if now - self._shown_at < (_PAUSE if is_terminal else _LONG_PAUSE):
            return
        self._shown_at = now
        (show_progress if is_terminal else print_error)(f"{share:4.0%}  of the last step")

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


def left_out(counts: Mapping[str, int], remarks: Sequence[Remark], file: str) -> list[str]:
    """Return sentences on lines that were left out or cut: how many there are, and the first numbers.

    `file` is the one that names them all, "" where there is none.
    """
    lines = []
    for kind, words in KINDS.items():
        count = counts.get(kind, 0)
        if not count:
            continue
        named = [f"{remark.line}" for remark in remarks if remark.kind == kind]
        more = ", …" if count > len(named) and named else ""
        verb = VERBS.get(kind, "Left out")
        plural = "line" if count == 1 else "lines"
        numbers = f": {', '.join(named)}{more}" if named else "."
        lines.append(f"{verb} {count:,} {plural}, {words}{numbers}")
    return [*lines, f"All of them are named in {file}."] if lines and file else lines


_STUDYING = (
    Setting(
        "--truncate",
        "truncates",
        "cut texts with more tokens than the model reads; otherwise they are left out",
        read=bool,
    ),
    Setting(
        "--block",
        "block",
        "how many texts are measured and saved at a time; unless given, as many as suits the study",
        "N",
        number,
    ),
)
_READ = {
    "texts": "texts, one a line, or the cells of a --column",
    "labelled": "rows of a text with its label",
    "pairs": "rows of two texts",
    "parsed": "parsed sentences (CoNLL-U)",
    "words": "sentences whose words are labelled",
    "mentions": "rows of a text with a mention and its antecedent",
}


def add_study(add: Add) -> None:
    parser = add("study", "run a study of a whole file, and save its numbers", _study)
    parser.add_argument("key", metavar="KEY", help="which study, one that “studies” lists")
    parser.add_argument("file", metavar="FILE", help="the file, of the kind that the study reads")
    add_model(parser)
    parser.add_argument("--other-model", metavar="REF", help="the checkpoint to compare with")
    add_answers(parser)
    parser.add_argument("--out", metavar="FILE", help=f"write all numbers to FILE ({', '.join(ENDINGS)})")
    about = "a parameter of the study, as steps=10; repeatable"
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=about)
    add_settings(parser, (*LABELS, *_STUDYING))
    add_settings(parser.add_mutually_exclusive_group(), TEXTS)
    add_settings(parser, TABLE)
    add_settings(parser.add_mutually_exclusive_group(), WORKERS)


def _study(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.entry import facts_of
    from bertviz_app.analysis.parameters import read_parameters
    from bertviz_app.analysis.studies.catalogue import find_study

    study = find_study(options.key)
    read_parameters(
        study.parameters, dict(options.set)
    )  # what is wrong is said before a checkpoint is opened
    results = run_studies(options, {study.key: dict(options.set)}, [options.file])
    if results is None:
        return INTERRUPTED
    print_text(summary(study, results[0]))
    facts = facts_of(results[0])
    if facts:
        print_text(", ".join(f"{name} {_written(value)}" for name, value in facts.items()) + ".")
    if options.out is not None:
        print_text(f"Wrote {options.out}.")
    return 0


def _written(value: str | float) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def run_studies(
    options: argparse.Namespace, chosen: dict[str, dict[str, Any]], files: list[str]
) -> tuple[Result, ...] | None:
    """Return the results of studies of files, and print what was left out; None where Ctrl-C ended them."""
    model = open_model(options)
    try:
        block = {"block_units": options.block} if "block" in options else {}
        results = model.studies(
            chosen,
            files,
            options.out,
            other=getattr(options, "other_model", None),
            settings=StudySettings(**given_settings(options, StudySettings) | block),
            progress=CorpusReport(),
        )
    except KeyboardInterrupt:
        show_progress("")
        saved = "What is measured is saved: the same command goes on from there."
        print_error(f"Stopped. {saved if options.out else 'With --out, what is measured would be saved.'}")
        return None
    finally:
        show_progress("")
    about = results[0].about or {}
    file = ""
    if options.out:
        has_ending = bool(Path(options.out).suffix)
        file = f"{options.out}.remarks.csv" if has_ending else f"{options.out.rstrip('/')}/remarks.csv"
    for line in left_out(about["remarks"], (), file):
        print_error(line)
    print_text(f"{about['n_measured']:,} of {about['n_lines']:,} lines were measured.")
    return results


def add_studies(add: Add) -> None:
    add("studies", "list the studies of whole files: what they read, their papers and parameters", _list)


def _list(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.studies.catalogue import STUDIES

    for study in STUDIES:
        print_entry(study, study.parameters, _needs(study))
    return 0


def _needs(study: Study[Any, Any]) -> str:
    from bertviz_app.analysis.entry import Needs

    found = _READ[study.reads]
    if Needs.TASK_HEAD in study.needs:
        found += ", and a task head"
    return f"{found}, and --other-model" if Needs.SECOND_RUN in study.needs else found
