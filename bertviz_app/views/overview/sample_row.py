"""`SampleRow`: says that an overview is of a sample while a long text is being computed, and ends that."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.viewmodels.wording import sample_line
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.style import named


class SampleRow(QWidget):
    """A line below the cells, hidden where all of them are exact.

    `stop_requested` and `go_on_requested`: the button was clicked while layers were, or were not, computed.
    """

    stop_requested = Signal()
    go_on_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._overview: HeadOverview | None = None
        self._is_stopped = False
        self.words = named(Elided(), "secondary")
        self.button = named(QPushButton(), "plain")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 4)
        row.setSpacing(6)
        row.addWidget(self.words, 1)
        row.addWidget(self.button)
        self.button.clicked.connect(self._on_clicked)
        self.hide()

    def retranslate(self) -> None:
        line = "" if self._overview is None else sample_line(self._overview)
        about = self.tr("The layers without ≈ are exact; numbers of the others follow.")
        if self._is_stopped:
            about = self.tr("The layers without ≈ are exact; the others were stopped.")
        self.words.setText(line)
        self.words.setToolTip(f"{line}. {about}")
        self.button.setText(self.tr("Go on") if self._is_stopped else self.tr("Stop"))
        self.button.setToolTip(
            self.tr("Compute the numbers of all queries")
            if self._is_stopped
            else self.tr("Leave the other layers as samples")
        )

    def show_sample(self, overview: HeadOverview | None, *, is_stopped: bool) -> None:
        """Say how much of `overview` is a sample, and whether the rest is being computed."""
        self._overview, self._is_stopped = overview, is_stopped
        self.setVisible(overview is not None and overview.sample is not None)
        self.retranslate()

    @Slot()
    def _on_clicked(self) -> None:
        (self.go_on_requested if self._is_stopped else self.stop_requested).emit()
