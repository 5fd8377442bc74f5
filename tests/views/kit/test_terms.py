"""Which term of the glossary a widget explains in its tool tip."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.terms import explain_with, tip_of


@pytest.mark.parametrize("first", ["layer", "head"])
def test_a_widget_and_one_on_it_each_show_the_tool_tip_of_their_own_term(qtbot: QtBot, first: str) -> None:
    outer = QWidget()
    qtbot.addWidget(outer)
    widgets = {"layer": outer, "head": QLabel(outer)}
    for term in sorted(widgets, key=lambda term: term != first):
        explain_with(widgets[term], term)
    for term, widget in widgets.items():
        QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), QPoint(1, 1)))
        assert QToolTip.text() == tip_of(term)
    QToolTip.hideText()
