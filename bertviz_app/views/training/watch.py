"""The watched sentence at every saved step: all heads small, one head large, and a slider over the steps."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.viewmodels.training.training import LiveRun, Training
from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.overview.view import OverviewView
from bertviz_app.views.training.step_player import StepPlayer
from bertviz_app.views.training.watched_head import WatchedHead

_BESIDE_FROM = 640


class WatchView(QWidget):
    """Shows one step of `training`: a click on a head shows it large, the slider goes back and forth."""

    def __init__(self, look: Look, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._run: LiveRun | None = None  # the one that the field of the sentence is of
        self._look = look
        self.watched: WatchedSentence = training.watched
        self.overview = OverviewView(look, self.watched.panels)
        self.head = WatchedHead(look, self.watched)
        self.player = StepPlayer(self.watched)
        self.sentence = named(QLineEdit(), "entry")
        self.empty = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self._heads = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._pages = QStackedLayout()
        self._lay_out()
        self._connect()
        self.retranslate()
        self._on_changed()

    def _lay_out(self) -> None:
        self._heads.setSpacing(8)
        self.overview.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._heads.addWidget(self.overview, 5)
        self._heads.addWidget(self.head, 6)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(12, 6, 12, 8)
        column.setSpacing(6)
        column.addWidget(self.player)
        column.addLayout(self._heads, 1)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(shown)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self._pages, 1)
        below = QHBoxLayout()
        below.setContentsMargins(12, 0, 12, 10)
        below.addWidget(self.sentence)
        whole.addLayout(below)

    def _connect(self) -> None:
        panels = self.watched.panels
        self.watched.changed.connect(self._on_changed)
        self.overview.head_chosen.connect(panels.show)
        self.overview.head_added.connect(panels.show)
        self.sentence.returnPressed.connect(self._on_sentence)
        self._training.changed.connect(self._on_training_changed)

    def retranslate(self) -> None:
        self.empty.setText(self.tr("All its heads appear here with the first step, and change as it learns."))
        self.sentence.setAccessibleName(self.tr("Sentence that is watched"))
        self.sentence.setToolTip(self.tr("Another sentence: press Enter to watch it from the next step on"))

    @Slot()
    def _on_changed(self) -> None:
        shown = self.watched.shown
        self._pages.setCurrentIndex(int(shown is not None))
        if shown is not None:
            self.overview.show_overview(shown.overview)

    @Slot()
    def _on_sentence(self) -> None:
        self.sentence.setModified(False)
        self._training.watch(self.sentence.text(), None)

    @Slot()
    def _on_training_changed(self) -> None:
        run = self._training.run
        if run is not self._run:
            self._run = run
            self.sentence.setModified(False)  # what was typed was for the run before
        self.sentence.setEnabled(run is not None and run.is_alive)
        if run is not None and not self.sentence.isModified():  # what is being typed stays
            self.sentence.setText(run.job.watch.text)
            self.sentence.setCursorPosition(0)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(460, 560)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(260, 300)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the two beside each other where it is wide."""
        is_wide = self.width() >= self._look.pixels(_BESIDE_FROM)
        self._heads.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )
