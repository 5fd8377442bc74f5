"""`PairHeadsView`: the heads that give the pinned pair most weight, as buttons that go there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from bertviz_app.analysis.pairs import PairHead
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import cell_measure, fixed
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.kit.words import plain

N_HEADS = 3
_HEIGHT = 30
_GAP = 4
_MARGINS = (14, 0, 8, 0)


class PairHeadsView(QWidget):
    """A row with a button for each of its strongest heads; without a pair how to pin one."""

    head_chosen = Signal(int, int)
    why_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._pair: PairInHeads | None = None
        self.title = named(QLabel(wordWrap=True), "secondary")
        self.buttons = [named(QPushButton(), "head") for _ in range(N_HEADS)]
        self.why = named(QPushButton(), "link")
        self.why.clicked.connect(self.why_requested)
        self._lay_out()
        explain_with(self.title, "pair_weight")
        look.changed.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(*_MARGINS)
        row.setSpacing(_GAP)
        row.addWidget(self.title, 1)
        for number, button in enumerate(self.buttons):
            row.addWidget(button)
            button.clicked.connect(partial(self._on_clicked, number))
        row.addWidget(self.why)

    def retranslate(self) -> None:
        self._show()

    @property
    def heads(self) -> list[PairHead]:
        """The heads that are named, the strongest first."""
        return [] if self._pair is None else self._pair.strongest(N_HEADS)

    def show_pair(self, pair: PairInHeads | None) -> None:
        if pair is not self._pair:  # it is handed over with each move of the pointer, and is mostly the same
            self._pair = pair
            self._show()

    @property
    def desired_height(self) -> int:
        """The height, the same with a pair and without: that of the question, in one line or in two."""
        self.title.ensurePolished()  # else its font is another before it is first shown
        metrics = self.title.fontMetrics()
        room = self.width() - _MARGINS[0] - _MARGINS[2] - _GAP - self.why.sizeHint().width()
        n_lines = 1 if metrics.horizontalAdvance(self._question) < room else 2
        return max(self._look.pixels(_HEIGHT), n_lines * metrics.lineSpacing() + 2)

    @property
    def _question(self) -> str:
        return self.tr("Which head? Click a cell.")

    @Slot()
    def _show(self) -> None:
        pair, heads = self._pair, self.heads
        self.why.setText(self.tr("Why?"))
        self.why.setToolTip(
            self.tr("Why this weight? By dimension, competitors, positions, earlier heads (Shift+Y)")
        )
        self.why.setAccessibleName(self.tr("Why this weight?"))
        if pair is None:
            self.title.setText(self._question)
            self.title.setAccessibleName(self.title.text())
        else:
            self.title.setText(self.tr("Most in"))
            self.title.setAccessibleName(self.tr("{0}: most weight in these heads").format(pair.title))
        for button, one in zip(self.buttons, heads, strict=False):
            has_heads = pair is None or pair.numbers.has_heads
            name = f"{one.layer}·{one.head}" if has_heads else str(one.layer)
            button.setText(f"{name}  {cell_measure(one.weight)}")
            words = self.tr("{0}: weight {1} in layer {2}, head {3}. Click: show that head")
            if pair is not None and pair.stamp.numbers != "weight":
                words = self.tr("{0}: norm {1} in layer {2}, head {3}. Click: show that head")
            tip = words.format("" if pair is None else pair.title, fixed(one.weight), one.layer, one.head)
            button.setToolTip(plain(tip))
            button.setAccessibleName(tip)
        self._fit()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show all heads; where there is too little room for them, first without the words, then fewer."""
        if self.height() != self.desired_height:
            self.setFixedHeight(self.desired_height)
        n_heads = min(N_HEADS, len(self.heads))
        widths = [button.sizeHint().width() + _GAP for button in self.buttons[:n_heads]]
        metrics = self.title.fontMetrics()
        # The question wraps; the two words beside the heads are on one line, or are left out.
        unbroken = self.title.text().split() if self._pair is None else [self.title.text()]
        words = max(map(metrics.horizontalAdvance, unbroken)) + 1 + _GAP
        room = self.width() - _MARGINS[0] - _MARGINS[2] - self.why.sizeHint().width()
        while n_heads > 1 and sum(widths[:n_heads]) > room:
            n_heads -= 1
        self.title.setVisible(n_heads == 0 or sum(widths[:n_heads]) + words <= room)
        for number, button in enumerate(self.buttons):
            button.setVisible(number < n_heads)

    def _on_clicked(self, number: int, _: bool = False) -> None:
        one = self.heads[number]
        self.head_chosen.emit(one.layer, one.head)
