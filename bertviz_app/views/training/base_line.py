"""`BaseLine`: the checkpoint that a training starts from, and a button that lets the user choose another."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from bertviz_app.inference.training.job import step_of
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.kit.style import named


class BaseLine(QWidget):
    """Shows the base of the form of `training`; `choose` is its button."""

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._label = named(QLabel(), "secondary")
        self.base = named(QLabel(wordWrap=True), "value")
        self.choose = named(QPushButton(), "small")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self._label, 0, 0, 1, 2)
        grid.addWidget(self.base, 1, 0)
        grid.addWidget(self.choose, 1, 1, Qt.AlignmentFlag.AlignTop)
        training.form_changed.connect(self.show_form)

    def retranslate(self) -> None:
        self._label.setText(self.tr("Starts from the checkpoint"))
        self.choose.setText(self.tr("Choose …"))
        self.choose.setAccessibleName(f"{self.choose.text()} {self._label.text()}")
        self.show_form()

    @Slot()
    def show_form(self) -> None:
        form = self._training.form
        lines = [form.base_name or self.tr("The default checkpoint")]
        if form.follows_run_a:
            lines.append(self.tr("that of run A"))
        if form.base is not None and step_of(Path(form.base)) >= 0:
            lines.append(self.tr("saved during a training, before its end"))
        self.base.setText(" · ".join(lines))
