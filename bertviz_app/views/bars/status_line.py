"""The line at the bottom: what is shown and how long it took, and at the right what goes on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.bars.rounding_label import RoundingLabel
from bertviz_app.views.bars.self_test_badge import SelfTestBadge
from bertviz_app.views.kit.numbers import probability
from bertviz_app.views.kit.style import named, restyle


class StatusLine(QWidget):
    """Describes the result on screen; at the right end a message with a link, e.g. to cancel work."""

    link_clicked = Signal()
    training_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._facts = QLabel()
        self._right = QLabel()
        self.link = named(QPushButton(), "link")
        self.link.clicked.connect(self.link_clicked)
        self.training = named(QPushButton(), "link")
        self.training.clicked.connect(self.training_requested)
        self.self_test = SelfTestBadge()
        self.rounding = RoundingLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(16)
        row.addWidget(self._facts)
        row.addWidget(self.rounding)
        row.addStretch(1)
        row.addWidget(self.training)
        row.addWidget(self.self_test)
        row.addWidget(self._right)
        row.addWidget(self.link)
        self.link.hide()
        self.training.hide()

    @property
    def words(self) -> tuple[str, str]:
        """What stands at the left and at the right."""
        return self._facts.text(), self._right.text()

    def show_result(self, shown: Shown) -> None:
        result, trace = shown.result, shown.result.trace
        device = translated(result.device.label)
        parts = (
            self.tr("{0} tokens").format(trace.n_tokens),
            self.tr("{0} layers × {1} heads").format(trace.n_layers, trace.n_heads),
            self.tr("encoded in {0} on {1}").format(_duration(result.seconds), device)
            if result.seconds
            else self.tr("opened from a file"),
        )
        self._facts.setText("     ".join(parts))
        details = [self.tr("Size of the trace in memory: {0}").format(_size(trace.n_bytes))]
        if shown.overview.sample is None:
            error = probability(max(shown.overview.row_error, 1e-9))
            details.append(self.tr("Each row of attention sums to 1, within {0}").format(error))
        self._facts.setToolTip("\n".join(details))

    def clear(self) -> None:
        """Describe nothing: there is no text."""
        self._facts.clear()
        self._facts.setToolTip("")
        self.show_message("")

    def show_message(self, words: str, tone: str = "", *, link: str = "") -> None:
        """Write at the right end, with a `link` to click; `tone` "warning" for what the user should read."""
        self._right.setText(words)
        if self._right.property("tone") != tone:
            self._right.setProperty("tone", tone)
            restyle(self._right)
        self.link.setText(link)
        self.link.setVisible(bool(link))

    def show_training(self, words: str) -> None:
        """Show how far a training is; a click emits `training_requested`. "" hides it."""
        self.training.setText(words)
        self.training.setVisible(bool(words))


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes < 1e7 else f"{n_bytes / 1e6:.0f} MB"
