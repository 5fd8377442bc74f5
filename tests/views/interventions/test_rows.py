"""The lines of the card of interventions in a narrow column."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QInputDialog, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.interventions.rows import SwitchRow, add_outcome
from bertviz_app.views.tokens.intervention_items import ask_for_weight
from tests.support.scene import on_screen


def _ignored(*_: object) -> None:
    """Take whatever is chosen."""


def test_no_text_takes_a_token_for_a_tag(qtbot: QtBot) -> None:
    row = SwitchRow("<s> → x", "Position 0: <s> is read as x", True, _ignored, _ignored)
    qtbot.addWidget(row)
    for part in (row.switch, row.label, row.remove):
        assert "&lt;s&gt;" in part.toolTip()
    assert row.label.text() == "<s> → x"
    ask_for_weight(row, "Set this weight", "Weight with which <s> attends to </s>", 0.5, _ignored)
    (dialog,) = row.findChildren(QInputDialog)
    assert dialog.labelText() == "<qt>Weight with which &lt;s&gt; attends to &lt;/s&gt;</qt>"
    dialog.close()


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
