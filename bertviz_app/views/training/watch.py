"""The watched sentence at every saved step: all heads small, one head large, and a slider over the steps."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.overview.view import OverviewView

_HOWS = ("lines", "matrix")
_PLAY_MS = 200
_BESIDE_FROM = 640


class WatchView(QWidget):
    """Shows one step of `training`: a click on a head shows it large, the slider goes back and forth."""

    def __init__(self, look: Look, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._look = look
        self.watched: WatchedSentence = training.watched
        self.hows = Segments([(how, how, "") for how in _HOWS])
        self.overview = OverviewView(look, self.watched.panels)
        shared = look, self.watched.side.selection, self.watched.side.viewport, self.watched.options
        self.views: dict[str, PanelView] = {"lines": LinesView(*shared), "matrix": MatrixView(*shared)}
        self.title = named(QLabel(), "title")
        self.step = named(QLabel(), "value")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.play = named(QPushButton("▶"), "corner")
        self.sentence = named(QLineEdit(), "entry")
        self.empty = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self._timer = QTimer(self, interval=_PLAY_MS)
        self._place()
        self._connect()
        self.retranslate()
        self._on_how_chosen("matrix")
        self._on_changed()

    def _place(self) -> None:
        self._heads = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._heads.setSpacing(8)
        self._large = QStackedLayout()
        for view in self.views.values():
            view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            self._large.addWidget(view)
        head = QVBoxLayout()
        head.setSpacing(0)
        head.addWidget(self.title)
        head.addLayout(self._large, 1)
        self.overview.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._heads.addWidget(self.overview, 5)
        self._heads.addLayout(head, 6)
        self._shown = QWidget()
        column = QVBoxLayout(self._shown)
        column.setContentsMargins(12, 6, 12, 8)
        column.setSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(8)
        for widget in (self.play, self.slider, self.step):
            row.addWidget(widget, int(widget is self.slider))
        column.addLayout(row)
        column.addLayout(self._heads, 1)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self._shown)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self._pages, 1)
        below = QHBoxLayout()
        below.setContentsMargins(12, 0, 12, 10)
        below.addWidget(self.sentence)
        whole.addLayout(below)

    def _connect(self) -> None:
        watched, panels = self.watched, self.watched.panels
        watched.changed.connect(self._on_changed)
        watched.side.pictures.arrived.connect(self._on_picture)
        panels.changed.connect(self._on_head_chosen)
        self.overview.head_chosen.connect(panels.show)
        self.overview.head_added.connect(panels.show)
        self.hows.chosen.connect(self._on_how_chosen)
        self.slider.valueChanged.connect(self._on_slid)
        self.play.clicked.connect(self._on_play)
        self._timer.timeout.connect(self._on_tick)
        self.sentence.returnPressed.connect(self._on_sentence)
        self._training.changed.connect(self._on_training_changed)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        translate = QCoreApplication.translate
        self.hows.set_texts(
            {
                "lines": (self.tr("Lines"), self.tr("Draw the head as lines")),
                "matrix": (self.tr("Matrix"), self.tr("Draw the head as a matrix")),
            }
        )
        names = {
            "lines": translate("LinesView", "Attention lines: queries on the left, keys on the right"),
            "matrix": translate("MatrixView", "Attention matrix: rows look at columns"),
        }
        for how, view in self.views.items():
            view.setAccessibleName(names[how])
        self.empty.setText(self.tr("All its heads appear here with the first step, and change as it learns."))
        self.slider.setAccessibleName(self.tr("Step that is shown"))
        self.play.setAccessibleName(self.tr("Play from the first step to the last"))
        self.play.setToolTip(self.play.accessibleName())
        self.sentence.setAccessibleName(self.tr("Sentence that is watched"))
        self.sentence.setToolTip(self.tr("Another sentence: press Enter to watch it from the next step on"))
        self._say_step()

    def _say_step(self) -> None:
        shown, active = self.watched.shown, self.watched.panels.active
        self.step.setText("" if shown is None else self.tr("Step {0}").format(f"{shown.step:,}"))
        if active is not None:
            self.title.setText(self.tr("Layer {0} · Head {1}").format(active.layer, active.head))

    @property
    def view(self) -> PanelView:
        """The drawing of the head that is on top."""
        return self.views[self.hows.chosen_key]

    @Slot()
    def _on_changed(self) -> None:
        shown = self.watched.shown
        self._pages.setCurrentIndex(int(shown is not None))
        if shown is None:
            self._timer.stop()
            return
        self.overview.show_overview(shown.overview)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(shown.steps) - 1)
        self.slider.setValue(shown.steps.index(shown.step))
        self.slider.blockSignals(False)
        self._on_head_chosen()

    @Slot()
    def _on_head_chosen(self) -> None:
        active = self.watched.panels.active
        if active is None:
            return
        self._say_step()
        picture = self.watched.side.pictures.get(active.layer, active.head)
        if picture is not None:
            self.view.show_picture(picture)

    @Slot(object)
    def _on_picture(self, picture: HeadPicture) -> None:
        active = self.watched.panels.active
        if active is not None and (picture.layer, picture.head) == (active.layer, active.head):
            self.view.show_picture(picture)

    @Slot(str)
    def _on_how_chosen(self, how: str) -> None:
        self.hows.choose(how)
        self._large.setCurrentWidget(self.view)
        self._on_head_chosen()

    @Slot(int)
    def _on_slid(self, place: int) -> None:
        shown = self.watched.shown
        if shown is not None:
            self.watched.choose(shown.steps[min(place, len(shown.steps) - 1)])

    @Slot()
    def _on_play(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
        else:
            if self.slider.value() == self.slider.maximum():
                self.slider.setValue(0)
            self._timer.start()
        self._show_playing()

    @Slot()
    def _on_tick(self) -> None:
        if self.slider.value() >= self.slider.maximum():
            self._timer.stop()
            self._show_playing()
        elif not self.watched.is_busy:
            self.slider.setValue(self.slider.value() + 1)

    def _show_playing(self) -> None:
        self.play.setText("■" if self._timer.isActive() else "▶")

    @Slot()
    def _on_sentence(self) -> None:
        self.sentence.setModified(False)
        self._training.watch(self.sentence.text(), None)

    @Slot()
    def _on_training_changed(self) -> None:
        run = self._training.run
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
