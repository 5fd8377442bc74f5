"""The lines of the card of interventions in a narrow column."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.interventions.rows import add_outcome
from tests.support.scene import on_screen


def test_the_name_of_an_outcome_is_whole_beside_its_numbers(qtbot: QtBot) -> None:
    card, table = QWidget(), QWidget()
    grid = QGridLayout(table)
    grid.setColumnStretch(0, 1)
    add_outcome(grid, "Cosine with B (pooled)", "of the vectors", "0.9995 → 1.0000")
    column = QVBoxLayout(card)
    column.addWidget(table)
    column.addStretch(1)
    value = next(label for label in table.findChildren(QLabel) if "→" in label.text())
    on_screen(qtbot, card, value.sizeHint().width() + 130, 300)
    name = next(label for label in table.findChildren(QLabel) if label is not value)
    assert name.text() == "Cosine with B (pooled)"
    assert name.width() < name.fontMetrics().horizontalAdvance(name.text()), "it has two lines"
    assert name.height() >= name.heightForWidth(name.width()) > 1.5 * name.fontMetrics().height()
