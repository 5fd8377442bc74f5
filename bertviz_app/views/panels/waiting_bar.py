"""`WaitingBar`: over a view whose result is being computed: how far it is, and how to cancel it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.progress_line import ProgressLine
from bertviz_app.views.kit.style import named

_LATE_MS = 150


class WaitingBar(QWidget):
    """Appears when a result takes longer than 150 ms, over the top of its parent, so that nothing moves.

    `late` is emitted then, `cancelled` when the user cancels the computation. Where a sample is drawn
    meanwhile the bar appears at once and names it.
    """

    late = Signal()
    cancelled = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self._progress: float | None = None
        self._timer = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._timer.timeout.connect(self._on_late)
        self.line = ProgressLine(look)
        self.button = named(QPushButton("✕"), "corner")
        self.button.clicked.connect(self.cancelled)
        self.sample = named(QLabel(), "note")
        self.sample.hide()
        row = QHBoxLayout()
        row.addWidget(self.sample)
        row.addStretch(1)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(0)
        column.addWidget(self.line)
        column.addLayout(row)
        self.hide()
        self.retranslate()

    def retranslate(self) -> None:
        self.button.setToolTip(self.tr("Cancel the computation"))
        self.button.setAccessibleName(self.tr("Cancel the computation"))

    def begin(self, progress: float | None, sample: str = "") -> None:
        """Wait for a result that is being computed; `progress` is from 0 to 1, None if unknown.

        `sample`: what is drawn meanwhile, in words, if it is a sample.
        """
        self._progress = progress
        if self.sample.text() and not sample:
            self.hide()  # the sample is of what was waited for before
        self.sample.setText(sample)
        self.sample.setVisible(bool(sample))
        if sample:
            self._timer.stop()
            self._appear()
        elif self.isVisibleTo(self._view):
            self.line.set_progress(True, progress)
        elif not self._timer.isActive():
            self._timer.start()

    def end(self) -> None:
        """Hide: the result has been computed, or there is none."""
        self._timer.stop()
        self.line.set_progress(False, None)
        self.hide()

    @Slot()
    def _on_late(self) -> None:
        self._appear()
        self.late.emit()

    def _appear(self) -> None:
        self.setGeometry(0, 0, self._view.width(), self.sizeHint().height())
        self.line.set_progress(True, self._progress)
        self.show()
        self.raise_()
