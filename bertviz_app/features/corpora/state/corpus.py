"""`CorpusStudy`: the heads' distributions over a file, and sentences of a bar; `FileStudy`: other studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.measures import KEYS, Head, HeadOverview, MeasureKey
from bertviz_app.analysis.parameters import read_parameters
from bertviz_app.errors import Check, FileError
from bertviz_app.features.corpora.process.measuring import PROSE, LineReader, TextReading
from bertviz_app.features.corpora.process.reading import (
    CorpusTable,
    FoundSentence,
    StudyRequest,
    measure_file,
    sentences_between,
    study_file,
    summarise,
)
from bertviz_app.features.corpora.process.studies import READ_BY_CONTENT, KeyedStudy, StudySettings
from bertviz_app.features.corpora.studies.catalogue import find_study
from bertviz_app.features.corpora.studies.examples import HeadExamples
from bertviz_app.features.corpora.studies.study import Study
from bertviz_app.features.corpora.summary import CorpusSummary, heads_in_order
from bertviz_app.json_store import decode
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.text_tables.packages import package_rows
from bertviz_app.text_tables.table import TableError
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.results import FractionDone, Tasks

MOST_SENTENCES = 200
"""How many sentences of a bar are listed."""
TABLES = (".parquet", ".csv", ".npz")
_FIRST_COLUMNS = b"line,n_tokens,layer,head,"
_RUN, _BAR, _STUDY = "corpus", "sentences", "study"


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


class Work(QObject):
    """Work in a slot of `tasks`. `progressed`: more is done. `busy_changed`: work began or ended.

    `changed`: what is shown is another one.
    """

    progressed = Signal()
    busy_changed = Signal()
    changed = Signal()

    def __init__(self, tasks: Tasks, slot: str, report: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._tasks, self._slot, self._report = tasks, slot, report
        self.busy_with = ""
        """The name of what is measured or read now; "" where nothing is."""
        self.fraction: float | None = None
        """How much of it is done, from 0 to 1; None where that is not known."""
        tasks.progressed.connect(self._on_progressed)

    def _start(
        self,
        name: str,
        work: Callable[[Check, FractionDone], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Begin to work on what has this name; `done` gets the result, `failed` an error (else reported)."""
        self.busy_with, self.fraction = name, None

        def ended(found: Any) -> None:
            self.busy_with = ""
            try:
                done(found)
            finally:  # of a failure in `done`, too, the views show the end
                self.busy_changed.emit()
                self.changed.emit()

        def stopped(error: Exception) -> None:
            self.busy_with = ""
            (failed or self._report)(error)
            self.busy_changed.emit()

        self._tasks.start(self._slot, work, ended, stopped)
        self.busy_changed.emit()

    def cancel(self) -> None:
        """End the work; what is measured stays saved, and the same choice goes on from there."""
        self._tasks.cancel(self._slot)
        self.busy_with = ""
        self.busy_changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == self._slot:
            self.fraction = fraction
            self.progressed.emit()


class FileWork(Work):
    """Work on a file, and what the user is asked about the file: then `busy_changed` is emitted, too."""

    def __init__(self, tasks: Tasks, slot: str, report: Callable[[Exception], None]) -> None:
        super().__init__(tasks, slot, report)
        self.asked: AskedFile | None = None
        """A file of which the user is to say how it is read; None where nothing is asked."""

    @Slot(dict)
    def answer(self, values: dict[str, str]) -> None:
        """Note which columns were chosen; another separator or encoding shows other rows."""
        asked = self.asked
        if asked is None:
            return
        if any(values[name] != asked.values[name] for name in ("separator", "encoding")):
            self._read_again(asked, StudySettings(separator=values["separator"], encoding=values["encoding"]))
        else:
            self.asked = replace(asked, values={**asked.values, **values})
            self.busy_changed.emit()

    def measure_asked(self, *, is_prose: bool = False) -> None:
        """Measure the columns that were chosen of the file, or its lines as they stand."""
        if self.asked is not None and (is_prose or self.is_answered):
            given = decode(StudySettings, self.asked.values)
            lines = StudySettings(encoding=given.encoding, is_prose=True)
            self._read_again(self.asked, lines if is_prose else given)

    @property
    def is_answered(self) -> bool:
        """Whether the columns that are needed are chosen."""
        raise NotImplementedError

    def _read_again(self, asked: AskedFile, settings: StudySettings) -> None:
        raise NotImplementedError

    def drop_question(self) -> None:
        """Measure nothing of the file."""
        self.asked = None
        self.busy_changed.emit()

    def _on_failed(self, error: Exception, path: Path, ref: str | None, values: dict[str, str]) -> None:
        if isinstance(error, TableError):
            self.asked = AskedFile(path, ref, error, values)
        else:
            self._report(error)


class CorpusStudy(FileWork):
    """Everything that the Corpus page shows. Files are read and texts measured on a worker of its own.

    Sentences are looked for on another one: to measure a file may take hours, in which the table that is open
    can be looked at.

    `changed`: other distributions, another measure or order. `sentences_changed`: other sentences.
    `current_changed`: the sentence on screen is another one.
    """

    sentences_changed = Signal()
    current_changed = Signal()

    def __init__(self, tasks: Tasks, finder: Tasks, report: Callable[[Exception], None]) -> None:
        """`finder` looks for the sentences of a bar."""
        super().__init__(tasks, _RUN, report)
        self._finder = finder
        self.corpus: OpenCorpus | None = None
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

        def work(check: Check, progress: FractionDone) -> OpenCorpus:
            if _is_measured(path):
                table = CorpusTable(path)
            else:
                LineReader((str(path),), reading).check()  # raises TableError, with the first rows
                table = CorpusTable(measure_file(path, ref, progress, check, reading))
            return OpenCorpus(table, summarise(table, check))

        self.asked = None
        self._drop_bar()
        values = {"column": "", "separator": reading.separator, "encoding": reading.encoding}
        failed = partial(self._on_failed, path=path, ref=ref, values=values)
        self._start(path.name, work, self._on_opened, failed)

    def _read_again(self, asked: AskedFile, settings: StudySettings) -> None:
        self.open(asked.path, asked.ref, settings.reading)

    @property
    def is_answered(self) -> bool:
        return self.asked is not None and bool(self.asked.values["column"])

    @property
    def reads_lines(self) -> bool:
        """Whether the lines of the file can be measured as they stand."""
        return self.asked is not None and self.asked.error.preview.is_text

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

    def _on_opened(self, corpus: OpenCorpus) -> None:
        before = self.measures[self.measure] if self.corpus is not None else None
        self.corpus = corpus
        self.measure = self.measures.index(before) if before in self.measures else 0
        self._drop_bar()

    def _on_found(self, sentences: list[FoundSentence]) -> None:
        self.sentences = sentences
        self.sentences_changed.emit()


class FileStudy(FileWork):
    """The study of a file that the Corpus page shows: which one, how far it is, and its result.

    `changed`: another study, other parameters, or another result. `examples_found`: those of heads.
    """

    examples_found = Signal(object)

    def __init__(self, tasks: Tasks, report: Callable[[Exception], None]) -> None:
        super().__init__(tasks, _STUDY, report)
        self.key = ""
        """Of the study that is chosen; "" for the table of measures."""
        self._contents: dict[str, Content] = {}
        self._shown: dict[str, tuple[Analysed, Path, str | None]] = {}
        self._other: str | None = None

    @property
    def entry(self) -> Study[Any, Any] | None:
        """The study that is chosen; None for the table of measures."""
        return find_study(self.key) if self.key else None

    @property
    def content(self) -> Content:
        """The parameters of the study that is chosen."""
        return self._contents.get(self.key, Content(self.key))

    @property
    def shown(self) -> Analysed | None:
        """The newest result of the study that is chosen; None before there is one."""
        return self._shown.get(self.key, (None,))[0]

    @property
    def saved(self) -> Path | None:
        """The file in which the numbers of that result are."""
        return self._shown.get(self.key, (None, None))[1]

    @property
    def shown_ref(self) -> str | None:
        """What opens the checkpoint of that result; None for the default one, and without a result."""
        return self._shown.get(self.key, (None, None, None))[2]

    def choose(self, key: str) -> None:
        """Choose a study; what is measured of another one goes on, and is shown when that is chosen."""
        self.key, self.asked = key, None
        self.changed.emit()
        self.busy_changed.emit()

    @Slot(object)
    def set_content(self, content: Content) -> None:
        """Run the study with other parameters from now on."""
        self._contents[self.key] = content
        self.changed.emit()

    def open(
        self,
        path: Path,
        ref: str | None,
        other: str | None = None,
        settings: StudySettings = READ_BY_CONTENT,
    ) -> None:
        """Run the study that is chosen over a file, by the checkpoint that `ref` names.

        `other` names the second one of a study that compares two.
        """
        entry, content = self.entry, self.content
        assert entry is not None
        chosen = KeyedStudy(entry.key, read_parameters(entry.parameters, dict(content.parameters)))
        self._other, self.asked = other, None

        def work(check: Check, progress: FractionDone) -> tuple[Analysed, Path]:
            result, saved = study_file(StudyRequest(path, ref, chosen, settings, other), progress, check)
            return Analysed(content, (), result, shown_table(result)), saved

        def done(found: tuple[Analysed, Path]) -> None:
            self._shown[entry.key] = *found, ref
            if isinstance(found[0].result, HeadExamples):
                self.examples_found.emit(found[0].result)

        values = {name: getattr(settings, name) for name in QUESTION}
        failed = partial(self._on_failed, path=path, ref=ref, values=values)
        self._start(path.name, work, done, failed)

    def _read_again(self, asked: AskedFile, settings: StudySettings) -> None:
        self.open(asked.path, asked.ref, self._other, settings)

    @property
    def is_answered(self) -> bool:
        if self.asked is None:
            return False
        values = self.asked.values
        needed = set(self.asked.error.unclear) & set(values) or {"text_column"}
        return all(values[name] for name in needed)

    @property
    def reads_lines(self) -> bool:
        """Whether the lines of the file can be measured as they stand."""
        return self.entry is not None and self.entry.reads == "texts"


QUESTION = ("text_column", "label_column", "pair_column", "separator", "encoding")
"""What is asked of a table that a study reads."""


def is_table(path: Path) -> bool:
    """Return whether a path may be that of a finished table, by its name, or the files in a folder."""
    if path.is_dir():
        return next(path.glob("part-*.parquet"), None) is not None
    return path.suffix.lower() in TABLES


def _is_measured(path: Path) -> bool:
    """Return whether a file is a finished table: corpora are CSV and Parquet, too."""
    ending = path.suffix.lower()
    if ending not in (".csv", ".parquet"):
        return is_table(path)
    try:
        if ending == ".parquet":
            with package_rows(str(path), lambda name: Path(name).open("rb")) as found:
                return found is not None and found.columns[:4] == ("line", "n_tokens", "layer", "head")
        with path.open("rb") as file:
            return file.read(len(_FIRST_COLUMNS)) == _FIRST_COLUMNS
    except (OSError, FileError):
        return True  # which says what is wrong with it
