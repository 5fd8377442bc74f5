"""A slider over the saved steps of a training, with a button that plays them from the first to the last."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSlider, QWidget

from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence
from bertviz_app.views.kit.style import named

_PLAY_MS = 200


class StepPlayer(QWidget):
    """Chooses which step `watched` shows; while it plays, the next one follows once the last one is read."""

    def __init__(self, watched: WatchedSentence, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watched = watched
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.play = named(QPushButton("▶"), "corner")
        self.step = named(QLabel(), "value")
        self._timer = QTimer(self, interval=_PLAY_MS)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.play, self.slider, self.step):
            row.addWidget(widget, int(widget is self.slider))
        self.slider.valueChanged.connect(self._on_slid)
        self.play.clicked.connect(self._on_play)
        self._timer.timeout.connect(self._on_tick)
        watched.changed.connect(self._on_changed)
        self.retranslate()

    def retranslate(self) -> None:
        self.slider.setAccessibleName(self.tr("Step that is shown"))
        self.play.setAccessibleName(self.tr("Play from the first step to the last"))
        self.play.setToolTip(self.play.accessibleName())
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        shown = self._watched.shown
        self.step.setText("" if shown is None else self.tr("Step {0}").format(f"{shown.step:,}"))
        if shown is None:
            self._timer.stop()
            self._show_playing()
            return
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(shown.steps) - 1)
        self.slider.setValue(shown.steps.index(shown.step))
        self.slider.blockSignals(False)

    @Slot(int)
    def _on_slid(self, position: int) -> None:
        shown = self._watched.shown
        if shown is not None:
            self._watched.choose(shown.steps[min(position, len(shown.steps) - 1)])

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
        elif not self._watched.is_busy:
            self.slider.setValue(self.slider.value() + 1)

    def _show_playing(self) -> None:
        self.play.setText("■" if self._timer.isActive() else "▶")
