"""`bertviz-app corpus`: every head measured for each line of files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence

from bertviz_app.analysis.measures import KEYS
from bertviz_app.cli.arguments import (
    Add,
    Setting,
    add_answers,
    add_model,
    add_settings,
    given_settings,
    number,
)
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import INTERRUPTED, print_error, print_text, show_progress
from bertviz_app.inference.corpus.measuring import (
    BLOCK_LINES,
    CorpusSettings,
    Remark,
    RemarkKind,
    TextReading,
)
from bertviz_app.inference.corpus.run import CorpusListener, CorpusProgress

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
    add_settings(parser, _MEASURING)
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
        "block_lines",
        f"how many lines are measured and saved at a time; {BLOCK_LINES} unless given",
        "N",
        number,
    ),
)
TEXTS = (
    Setting(
        "--column",
        "column",
        "the texts are this column of tables (TSV, CSV, JSON lines): its name, or its number from 1",
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
    model = open_model(options)
    try:
        result = model.measure_corpus(
            options.files,
            options.out,
            CorpusSettings(
                **given_settings(options, CorpusSettings),
                reading=TextReading(**given_settings(options, TextReading)),
            ),
            listener=CorpusReport(),
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
