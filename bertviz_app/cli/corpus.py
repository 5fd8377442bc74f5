"""`bertviz-app corpus`: its arguments, its progress, and remarks on lines that it leaves out."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from bertviz_app.analysis.measures import KEYS
from bertviz_app.cli.arguments import add_answers, add_model, number
from bertviz_app.cli.printing import print_error, print_text, show_progress
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import INTERRUPTED, Add
from bertviz_app.inference.corpus.measuring import BLOCK_LINES, CorpusSettings, RemarkKind, TextReading
from bertviz_app.inference.corpus.run import CorpusListener, CorpusProgress

if TYPE_CHECKING:
    from bertviz_app.inference.corpus.run import CorpusResult

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
