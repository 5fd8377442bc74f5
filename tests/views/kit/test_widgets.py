"""Tables that copy their rows, and the big buttons of the start page."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.widgets import BigButton, CopyingTable


def test_a_big_button_shows_its_title_over_its_sentence_and_reads_both_aloud(qtbot: QtBot) -> None:
    button = BigButton()
    qtbot.addWidget(button)
    button.write("Continue", "the last text")
    assert [label.text() for label in button.findChildren(QLabel)] == ["Continue", "the last text"]
    assert button.accessibleName() == "Continue. the last text"


class _Table(CopyingTable):
    """A table of one row, whose token has a character that ends a line elsewhere."""

    def copied(self) -> str:
        return "token\tweight\na\u2028b\t0.5\n"


def test_copied_rows_have_the_interventions_once_whatever_a_token_has_in_it(qtbot: QtBot) -> None:
    table = _Table()
    qtbot.addWidget(table)
    table.interventions = "0·1 muted"
    QTest.keySequence(table, QKeySequence.StandardKey.Copy)
    copied = QGuiApplication.clipboard().text()
    assert copied == "token\tweight\tinterventions\na\u2028b\t0.5\t0·1 muted\n"
