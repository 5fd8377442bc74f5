"""`CorpusStudy`: a run over a file's lines, the distributions of its heads, and the sentences of a bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.measures import KEYS, Head, HeadOverview, MeasureKey
from bertviz_app.analysis.pure.corpus_summary import CorpusSummary, heads_in_order
from bertviz_app.inference.corpus.measuring import PROSE, LineReader, TextReading
from bertviz_app.inference.corpus.reading import (
    CorpusTable,
    FoundSentence,
    measure_file,
    sentences_between,
    summarise,
)
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.text_tables.table import TableError
from bertviz_app.trace import Trace
from bertviz_app.types import Check, Doubles, Floats
from bertviz_app.viewmodels.results import FractionDone, Tasks

MOST_SENTENCES = 200
"""How many sentences of a bar are listed."""
TABLES = (".parquet", ".csv", ".npz")
_FIRST_COLUMNS = b"line,n_tokens,layer,head,"
_RUN, _BAR = "corpus", "sentences"


@dataclass(frozen=True, eq=False)
class OpenCorpus:
    """A table and its summary."""

    table: CorpusTable
    summary: CorpusSummary


@dataclass(frozen=True)
class Bar:
    """One bar of the distribution of a head: of which measure, by its number, and which part of the range."""

    measure: int
    head: Head
    number: int


@dataclass(frozen=True)
class MeasureOf:
    """A measure of every head: the mean over the corpus, or the number of the sentence on screen."""

    of: Literal["corpus", "sentence"]
    key: MeasureKey


@dataclass(frozen=True, eq=False)
class AskedFile:
    """A file that is a table, with the question about it, and what the user has answered so far."""

    path: Path
    ref: str | None
    error: TableError
    values: dict[str, str]


class CorpusStudy(QObject):
    """Everything that the Corpus page shows. Files are read and texts measured on a worker of its own.

    Sentences are looked for on another one: to measure a file may take hours, in which the table that is open
    can be looked at.

    `changed`: other distributions, another measure or order. `sentences_changed`: other sentences.
    `current_changed`: the sentence on screen is another one. `progressed`: more is done. `busy_changed`: work
    began or ended.
    """

    changed = Signal()
    sentences_changed = Signal()
    current_changed = Signal()
    progressed = Signal()
    busy_changed = Signal()

    def __init__(self, tasks: Tasks, finder: Tasks, report: Callable[[Exception], None]) -> None:
        """`finder` looks for the sentences of a bar."""
        super().__init__(tasks)
        self._tasks = tasks
        self._finder = finder
        self._report = report
        self.corpus: OpenCorpus | None = None
        self.busy_with = ""
        """The name of the file that is measured or read now; "" where none is."""
        self.fraction: float | None = None
        """How much of it is done, from 0 to 1; None where that is not known."""
        self.asked: AskedFile | None = None
        """A file of which the user is to say how it is read; None where nothing is asked."""
        self.measure = 0
        self.is_by_mean = False
        self.is_scatter = False
        """Whether all heads are shown as dots by two measures, the `axes`, in place of distributions."""
        self.axes = MeasureOf("corpus", "distance"), MeasureOf("corpus", "entropy")
        self.bar: Bar | None = None
        self.sentences: Sequence[FoundSentence] | None = None
        """Those of `bar`; None before they are found."""
        self._current: HeadOverview | None = None
        self.trace: Trace | None = None
        """That of the sentence on screen."""
        tasks.progressed.connect(self._on_progressed)

    @property
    def measures(self) -> tuple[MeasureKey, ...]:
        return () if self.corpus is None else self.corpus.summary.measures

    @property
    def heads(self) -> Sequence[Head]:
        """The heads in the order chosen."""
        if self.corpus is None:
            return ()
        return heads_in_order(self.corpus.summary, self.measure if self.is_by_mean else None)

    @property
    def current(self) -> Floats | None:
        """The measure of every head for the sentence on screen [L, H].

        None where that is of another checkpoint, or where other numbers than weights are shown of it.
        """
        overview = self._compared
        return None if overview is None else overview.measures.get(self.measures[self.measure])

    @property
    def _compared(self) -> HeadOverview | None:
        """The measures of the sentence on screen, where they can be compared with the corpus."""
        if self.corpus is None or self._current is None or not self.is_of_weights:
            return None
        return None if self.is_of_other_checkpoint else self._current

    @property
    def is_of_weights(self) -> bool:
        """Whether attention weights of all tokens are shown of the sentence on screen, as of the corpus."""
        return self._current is None or self._current.stamp == Stamp()

    @property
    def is_of_other_checkpoint(self) -> bool:
        """Whether there is a sentence on screen, encoded by another checkpoint than the corpus."""
        if self.corpus is None or self.trace is None:
            return False
        return self.trace.fingerprint != self.corpus.table.about.fingerprint

    @property
    def special_names(self) -> SpecialNames:
        """The names of the special tokens, those of the sentence on screen."""
        return BERT_NAMES if self._current is None else self._current.special_names

    def show_current(self, overview: HeadOverview | None, trace: Trace) -> None:
        """Compare with another sentence, whose trace this is; None: its numbers are not there yet."""
        self._current, self.trace = overview, trace
        self.current_changed.emit()

    def open(self, path: Path, ref: str | None, reading: TextReading = PROSE) -> None:
        """Show a finished table, or measure the texts of a file with the checkpoint that `ref` names.

        A file whose content does not show which texts are meant is `asked` about.
        """
        work = _opening(path, ref, reading)
        self.busy_with, self.fraction, self.asked = path.name, None, None
        self._drop_bar()

        def failed(error: Exception) -> None:
            if isinstance(error, TableError):
                values = {"column": "", "separator": reading.separator, "encoding": reading.encoding}
                self._ask(AskedFile(path, ref, error, values))
            else:
                self._on_failed(error)

        self._tasks.start(_RUN, work, self._on_opened, failed)
        self.busy_changed.emit()

    @Slot(dict)
    def answer(self, values: dict[str, str]) -> None:
        """Note the column that was chosen; another separator or encoding shows other rows."""
        asked = self.asked
        if asked is None:
            return
        names = ("separator", "encoding")
        if any(values[name] != asked.values[name] for name in names):
            reading = TextReading(separator=values["separator"], encoding=values["encoding"])
            self.open(asked.path, asked.ref, reading)
        else:
            self._ask(replace(asked, values={**asked.values, **values}))

    def measure_column(self) -> None:
        """Measure the texts of the column that was chosen."""
        asked = self.asked
        if asked is not None and asked.values["column"]:
            values = asked.values
            reading = TextReading(values["column"], values["separator"], values["encoding"])
            self.open(asked.path, asked.ref, reading)

    def measure_lines(self) -> None:
        """Measure each line of the file as it stands."""
        if self.asked is not None:
            encoding = self.asked.values["encoding"]
            self.open(self.asked.path, self.asked.ref, TextReading(encoding=encoding, is_prose=True))

    def drop_question(self) -> None:
        """Measure nothing of the file."""
        self._ask(None)

    def _ask(self, asked: AskedFile | None) -> None:
        self.asked, self.busy_with = asked, ""
        self.busy_changed.emit()

    def cancel(self) -> None:
        """End the work; what is measured stays saved, and the same file goes on from there."""
        self._tasks.cancel(_RUN)
        self.busy_with = ""
        self.busy_changed.emit()

    def show_measure(self, key: MeasureKey) -> None:
        """Show the distributions of another measure."""
        self.measure = self.measures.index(key)
        self._drop_bar()
        self.changed.emit()

    def set_order(self, *, is_by_mean: bool) -> None:
        """Order the heads by their mean of the measure, highest first, or by layer and head."""
        self.is_by_mean = is_by_mean
        self.changed.emit()

    def set_scatter(self, *, is_scatter: bool) -> None:
        """Show dots by two measures, or a distribution for each head."""
        self.is_scatter = is_scatter
        self.changed.emit()

    def set_axes(self, axes: tuple[MeasureOf, MeasureOf]) -> None:
        """Choose the two measures of the dots."""
        self.axes = axes
        self.changed.emit()

    @property
    def offered_measures(self) -> list[MeasureOf]:
        """The measures that there are: of the corpus, and of the sentence on screen where it compares."""
        found = [MeasureOf("corpus", key) for key in self.measures]
        overview = self._compared
        return found + [MeasureOf("sentence", key) for key in KEYS if overview and key in overview.measures]

    def numbers_of(self, measure: MeasureOf) -> Doubles:
        """Return an offered measure of every head [L, H]."""
        assert self.corpus is not None
        if measure.of == "corpus":
            means: Doubles = self.corpus.summary.means[self.measures.index(measure.key)]
            return means
        assert self._current is not None
        return self._current.measures[measure.key].astype(np.float64)

    def choose(self, head: Head, number: int) -> None:
        """Find the sentences in a bar of a head."""
        corpus = self.corpus
        if corpus is None:
            return
        self.bar = Bar(self.measure, head, number)
        self.sentences = None
        self.sentences_changed.emit()
        limits = corpus.summary.range_of(self.measure, number)
        column = (self.measure, *head)

        def find(check: Check, progress: FractionDone) -> list[FoundSentence]:
            return sentences_between(corpus.table, column, limits, MOST_SENTENCES, check)

        self._finder.start(_BAR, find, self._on_found, self._report)

    def count_of(self, bar: Bar) -> int:
        """Return how many sentences are in a bar."""
        assert self.corpus is not None
        return int(self.corpus.summary.bars[(bar.measure, *bar.head, bar.number)])

    def _drop_bar(self) -> None:
        self._finder.cancel(_BAR)
        self.bar = self.sentences = None
        self.sentences_changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == _RUN:
            self.fraction = fraction
            self.progressed.emit()

    def _on_opened(self, corpus: OpenCorpus) -> None:
        before = self.measures[self.measure] if self.corpus is not None else None
        self.corpus, self.busy_with = corpus, ""
        self.measure = self.measures.index(before) if before in self.measures else 0
        self._drop_bar()
        self.busy_changed.emit()
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        self.busy_with = ""
        self.busy_changed.emit()
        self._report(error)

    def _on_found(self, sentences: list[FoundSentence]) -> None:
        self.sentences = sentences
        self.sentences_changed.emit()


def is_table(path: Path) -> bool:
    """Return whether a path may be that of a finished table, by its name, or the files in a folder."""
    if path.is_dir():
        return next(path.glob("part-*.parquet"), None) is not None
    return path.suffix.lower() in TABLES


def _opening(
    path: Path, ref: str | None, reading: TextReading
) -> Callable[[Check, FractionDone], OpenCorpus]:
    def work(check: Check, progress: FractionDone) -> OpenCorpus:
        found = _reading(path) if _is_measured(path) else _measuring(path, ref, reading)
        return found(check, progress)

    return work


def _is_measured(path: Path) -> bool:
    """Return whether a file is a finished table; of CSV that are not all, since corpora are CSV, too."""
    if path.suffix.lower() != ".csv":
        return is_table(path)
    try:
        with path.open("rb") as file:
            return file.read(len(_FIRST_COLUMNS)) == _FIRST_COLUMNS
    except OSError:
        return True  # which says what is wrong with it


def _reading(path: Path) -> Callable[[Check, FractionDone], OpenCorpus]:
    def work(check: Check, progress: FractionDone) -> OpenCorpus:
        table = CorpusTable(path)
        return OpenCorpus(table, summarise(table, check))

    return work


def _measuring(
    path: Path, ref: str | None, reading: TextReading
) -> Callable[[Check, FractionDone], OpenCorpus]:
    def work(check: Check, progress: FractionDone) -> OpenCorpus:
        LineReader((str(path),), reading).form(str(path))  # raises TableError, with the first rows
        return _reading(measure_file(path, ref, progress, check, reading))(check, progress)

    return work
