"""The glossary in its window: all terms, found by typing in either language, with the numbers of the run."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QWhatsThisClickedEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.glossary import glossary
from bertviz_app.views.dialogs.entry_page import EntryPopup
from bertviz_app.views.dialogs.glossary_dialog import GlossaryDialog
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import TermButton, explain_with, term_at
from tests.support.scene import on_screen

FACTS = {"layer": "1", "head": "2", "query": "it", "key": "cat", "weight": "0.5000"}


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 900, 700)


@pytest.fixture
def dialog(look: Look, window: QWidget) -> GlossaryDialog:
    dialog = GlossaryDialog(look, glossary(), lambda: FACTS, window)
    dialog.show()
    return dialog


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


def test_it_lists_all_terms_and_shows_the_first(dialog: GlossaryDialog) -> None:
    assert dialog.offered == [entry.key for entry in glossary()]
    assert dialog.shown == "token"
    assert glossary()["token"].text.en in texts(dialog)


@pytest.mark.parametrize("typed", ["어텐션 가중치", "attention weight"])
def test_typing_finds_in_either_language_and_the_example_is_of_the_run(
    dialog: GlossaryDialog, typed: str
) -> None:
    field = dialog.findChildren(QLineEdit)[0]
    field.setText(typed)
    assert dialog.shown == "attention_weight"
    assert "In layer 1, head 2, “it” puts 0.5000 on “cat”." in texts(dialog)
    field.setText("qwertz")
    assert dialog.offered == []
    assert "No term fits. Clear the field to see all of them." in texts(dialog)
    nothing = next(label for label in dialog.findChildren(QLabel) if label.text().startswith("No term"))
    assert nothing.y() - field.geometry().bottom() < 20
    assert glossary()["attention_weight"].text.en not in texts(dialog)


def test_the_arrows_of_the_field_move_in_the_list(dialog: GlossaryDialog) -> None:
    field = dialog.findChildren(QLineEdit)[0]
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert dialog.shown == "tokenizer"
    QTest.keyClick(field, Qt.Key.Key_PageDown)
    assert dialog.shown == [entry.key for entry in glossary()][11]
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert dialog.shown == [entry.key for entry in glossary()][10]
    dialog.show_entry("softmax")
    assert dialog.shown == "softmax"


def test_a_widget_about_a_term_has_it_as_tool_tip_and_so_has_what_lies_in_it(window: QWidget) -> None:
    outer = QWidget(window)
    inner, special = QLabel("Q", outer), QLabel("K", outer)
    special.setToolTip("something more particular")
    explain_with(outer, "attention")
    explain_with(inner, "query")
    explain_with(special, "key")
    assert term_at(QPoint(), inner) == "query"
    assert term_at(QPoint(), QPushButton(outer)) == "attention"
    assert term_at(QPoint(), window) == ""
    for widget, words in ((inner, glossary()["query"].text.en), (special, "something more particular")):
        event = QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), widget.mapToGlobal(QPoint(1, 1)))
        QApplication.sendEvent(widget, event)
        assert words in QToolTip.text()
        QToolTip.hideText()


def test_the_small_i_asks_the_window_for_its_term(qtbot: QtBot, window: QWidget) -> None:
    requests: list[str] = []

    class Listener(QWidget):
        def event(self, event: QEvent) -> bool:
            if isinstance(event, QWhatsThisClickedEvent):
                requests.append(event.href())
            return super().event(event)

    outer = on_screen(qtbot, Listener(), 200, 100)
    floating = QWidget(outer, Qt.WindowType.Tool)
    button = TermButton("softmax", floating)
    floating.show()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert requests == ["softmax"]
    assert button.accessibleName() == "What is this? Softmax"


def test_an_entry_opens_on_the_screen_wherever_it_is_asked_for(look: Look, window: QWidget) -> None:
    room = window.screen().availableGeometry()
    for position in (room.topLeft(), room.bottomRight(), room.center()):
        popup = EntryPopup(look, glossary()["attention_weight"], FACTS, window)
        popup.open_at(position)
        assert room.contains(popup.geometry())
        assert glossary()["attention_weight"].text.en in texts(popup)
        popup.close()
