"""The page of a training over time: a slider of checkpoints, every head by a measure, and heads that form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSlider,
    QWidget,
)

from bertviz_app.analysis.measures import Head, MeasureKey
from bertviz_app.errors import Check, FileError, Message
from bertviz_app.features.corpora.process.history import (
    TrainingHistory,
    stages_of,
    training_history,
)
from bertviz_app.features.corpora.process.measuring import LineReader
from bertviz_app.features.corpora.state.corpus import Work
from bertviz_app.text_tables.table import TableError
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PictureCurves
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.widgets import NumberedSteps, ProgressLine, SignButton, on_item_chosen, split
from bertviz_app.views.overview.heads_table import measure_number, measure_words

_RUN = "history"
FIRST_MEASURE: MeasureKey = "previous"
"""Heads that look at the previous token are the first that a training forms in most encoders."""


class TrainingTime(Work):
    """Measures the checkpoints of a folder. `changed`: another history, checkpoint, measure or head."""

    def __init__(self, tasks: Tasks, report: Callable[[Exception], None]) -> None:
        super().__init__(tasks, _RUN, report)
        self.history: TrainingHistory | None = None
        self.folder: Path | None = None
        self.at = 0
        """Which of the checkpoints is shown."""
        self.measure: MeasureKey = FIRST_MEASURE
        self.head: Head = (0, 0)

    def open(self, folder: Path, texts: Path) -> None:
        """Measure the checkpoints in a folder on the texts of a file; the last one is shown first."""

        def work(check: Check, progress: FractionDone) -> TrainingHistory:
            try:
                LineReader((str(texts),)).check()
            except TableError as error:  # no column is asked for on this page
                raise FileError(error.message, Message("Give a file of text, a sentence a line.")) from error
            return training_history(stages_of(folder), texts, progress, check)

        def done(history: TrainingHistory) -> None:
            self.history, self.folder = history, folder
            self.at = len(history.stages) - 1
            if self.measure not in history.measures:
                self.measure = history.measures[0]
            self.head = history.formed(self.measure)[0].head

        self._start(folder.name, work, done)

    def show_checkpoint(self, at: int) -> None:
        """Show another checkpoint, by its number in the order of steps."""
        if self.history is not None and 0 <= at < len(self.history.stages) and at != self.at:
            self.at = at
            self.changed.emit()

    def show_measure(self, key: MeasureKey) -> None:
        self.measure = key
        self.changed.emit()

    def show_head(self, head: Head) -> None:
        self.head = head
        self.changed.emit()


_MOST_LISTED = 24


class HistoryPage(Guarded, QWidget):
    """A slider of checkpoints, every head, the curve of one, and the heads that change most.

    A click on `back` leaves the page, one on `folder` or `texts` chooses other files.
    `compare_requested(first, here)` has what opens two checkpoints.
    """

    compare_requested = Signal(str, str)

    def __init__(self, look: Look, study: TrainingTime, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._study = study
        self.folder = named(QPushButton(self.tr("Folder of a training …")), "primary")
        self.texts = QPushButton(self.tr("Other texts …"))
        self.cancel = QPushButton(self.tr("Cancel"))
        self.back = named(SignButton("✕"), "corner", self.tr("Back to the heads (measuring continues)"))
        self.progress = ProgressLine(look)
        self.about = named(QLabel(wordWrap=True), "secondary")
        steps = QSlider(Qt.Orientation.Horizontal, tickPosition=QSlider.TickPosition.TicksBelow)
        self.steps = named(steps, title=self.tr("Checkpoint"))
        self.step = named(QLabel(), "title")
        self.measures = named(QComboBox(), title=self.tr("Measure"))
        self.cells = PictureCells(look)
        self.curve = PictureCurves(look)
        self.heads = named(QListWidget(), title=self.tr("Heads by how much they change"))
        self.compare = QPushButton(self.tr("A: first, B: this one"))
        self.compare.setToolTip(self.tr("Open the first checkpoint as run A and this one as run B"))
        self.card = Card(self.tr("A training over time"), QWidget())
        self.list_card = Card(self.tr("Heads that form"), self.heads)
        self.start, self._shown = named(QWidget(), "clear"), named(QWidget(), "clear")
        guide = NumberedSteps(
            self.tr("Choose the folder in which a training saved checkpoint-100, checkpoint-200, …"),
            self.tr("Every head of every checkpoint is measured once on the same sentences."),
            self.tr("Move the slider: which heads were there from the start, and which form when?"),
        )
        title = named(QLabel(self.tr("What heads become while a model learns")), "headline")
        in_column(title, guide, 2, of=self.start, margins=(20, 40, 20, 0), spacing=16)
        self.card.add_corner(self.back)
        top = in_row(self.folder, self.texts, self.cancel, (self.about, 1), margins=0)
        now = in_row(self.step, (self.steps, 1), self.compare, margins=0)
        choice = in_row(self.measures, 1, margins=0)
        in_column(now, choice, (self.cells, 3), (self.curve, 2), of=self._shown, margins=0)
        parts = top, self.progress, (self.start, 1), (self._shown, 1)
        in_column(*parts, of=self.card.body, margins=(12, 8, 12, 8), spacing=6)
        both = split(Qt.Orientation.Horizontal, 10, (self.card, 3), (self.list_card, 1))
        in_column(both, of=self, margins=10)
        self.cancel.clicked.connect(study.cancel)
        self.steps.valueChanged.connect(study.show_checkpoint)
        self.measures.activated.connect(lambda at: study.show_measure(self.measures.itemData(at)))
        self.cells.part_chosen.connect(study.show_head)
        on_item_chosen(self.heads, lambda head: study.show_head(tuple(head)))
        self.compare.clicked.connect(self._on_compare)
        for signal in (study.changed, study.busy_changed):
            signal.connect(self._show)
        study.progressed.connect(self._show_progress)
        self._show()

    @Slot()
    def _show_progress(self) -> None:
        study = self._study
        self.progress.set_progress(bool(study.busy_with), study.fraction)

    @Slot()
    def _show(self) -> None:
        study, history = self._study, self._study.history
        self._show_progress()
        self.cancel.setVisible(bool(study.busy_with))
        self.start.setVisible(history is None)
        self._shown.setVisible(history is not None)
        self.list_card.setVisible(history is not None)
        self.about.setText(self._words())
        if history is None:
            return
        with QSignalBlocker(self.steps):
            self.steps.setRange(0, len(history.stages) - 1)
            self.steps.setValue(study.at)
        self.step.setText(self.tr("Step {0}").format(f"{history.stages[study.at].step:,}"))
        self.compare.setEnabled(study.at > 0)
        if self.measures.count() != len(history.measures):
            self.measures.clear()
            names = measure_words()
            for key in history.measures:
                self.measures.addItem(names[key].title, key)
        self.measures.setCurrentIndex(history.measures.index(study.measure))
        pictures = {picture.key: picture for picture in history.pictures()}
        self.cells.show_picture(pictures[study.measure].at({"checkpoint": study.at}))
        self.cells.mark(study.head)
        self.curve.show_picture(history.curve(study.measure, study.head))
        self.heads.clear()
        for one in history.formed(study.measure)[:_MOST_LISTED]:
            ends = [measure_number(value) for value in (one.first, one.last)]
            words, step = self.tr("{0}·{1}   {2} → {3}   step {4}"), f"{one.step:,}"
            item = QListWidgetItem(words.format(*one.head, *ends, step))
            item.setToolTip(self.tr("Half of the change is made by step {0}").format(step))
            item.setData(Qt.ItemDataRole.UserRole, one.head)
            self.heads.addItem(item)

    def _words(self) -> str:
        study = self._study
        if study.busy_with:
            return self.tr("Measuring the checkpoints in {0} …").format(study.busy_with)
        if study.history is None:
            return ""
        words = self.tr("{0} checkpoints, {1} texts of {2}")
        facts = study.history.facts
        return words.format(len(study.history.stages), f"{int(facts['texts']):,}", facts["file"])

    @Slot()
    def _on_compare(self) -> None:
        history = self._study.history
        if history is not None:
            self.compare_requested.emit(history.stages[0].ref, history.stages[self._study.at].ref)
