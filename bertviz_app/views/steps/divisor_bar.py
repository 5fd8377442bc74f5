"""`DivisorBar`: at the softmax a slider that asks what if √d were another number."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSlider, QWidget

from bertviz_app.viewmodels.steps.walk import RANGE, PanelWalk
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.style import named

_STEPS = 100
"""Of the slider, from the model's own number to either end."""


class DivisorBar(QWidget):
    """Moves the what-if of a walk; it is there at the stop of the softmax alone."""

    def __init__(self, walk: PanelWalk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._walk = walk
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(-_STEPS, _STEPS)
        self.slider.setPageStep(_STEPS // 5)
        self.reset = named(QPushButton(), "plain")
        self.note, self._value = named(QLabel(), "secondary"), named(QLabel(), "value")
        self.note.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 2, 12, 2)
        grid.setVerticalSpacing(0)
        grid.addWidget(self._value, 0, 0)
        grid.addWidget(self.slider, 0, 1)
        grid.addWidget(self.reset, 0, 2)
        grid.addWidget(self.note, 1, 0, 1, 3)
        grid.setColumnStretch(1, 1)
        self.slider.valueChanged.connect(lambda step: walk.what_if.try_factor(RANGE ** (step / _STEPS)))
        self.reset.clicked.connect(lambda: self.slider.setValue(0))
        walk.what_if.changed.connect(self._on_offered)
        walk.what_if.offered.connect(self._on_offered)
        walk.form_changed.connect(self._on_offered)
        self.retranslate()

    def retranslate(self) -> None:
        self.reset.setText(self.tr("Reset"))
        self.slider.setAccessibleName(self.tr("The number that the products are divided by"))
        self.slider.setToolTip(self.slider.accessibleName())
        self._on_offered()

    @Slot()
    def _on_offered(self) -> None:
        what_if = self._walk.what_if
        factor = 1.0 if what_if.divisor is None else what_if.divisor / what_if.own
        self.slider.blockSignals(True)
        self.slider.setValue(round(math.log(factor, RANGE) * _STEPS))
        self.slider.blockSignals(False)
        self.setVisible(what_if.is_offered and self._walk.form == "walk")
        self._write()

    @Slot()
    def _write(self) -> None:
        what_if = self._walk.what_if
        own = fixed(what_if.own, 2)
        self.reset.setEnabled(what_if.divisor is not None)
        self._value.setText(f"÷ {fixed(what_if.divisor or what_if.own, 2)}")
        if what_if.divisor is None:
            text = self.tr("What if √{0} = {1} were another number?")
        else:
            text = self.tr("α' is a what-if. The model's own weights are α: ÷ √{0} = {1}.")
        self.note.setText(text.format(what_if.radicand, own))
