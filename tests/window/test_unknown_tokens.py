"""The tool tip of a token that the vocabulary lacks explains it."""

from __future__ import annotations

from html import unescape

from PySide6.QtCore import QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState


def _tip(window: MainWindow, token: int) -> str:
    """Return the tool tip of a chip."""
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token)
    at = QPoint(x + 10, 30)
    QApplication.sendEvent(strip, QHelpEvent(QHelpEvent.Type.ToolTip, at, strip.mapToGlobal(at)))
    return unescape(QToolTip.text())


def test_the_tip_of_an_unknown_token_explains_it(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    app_state.workspace.set_texts("the [UNK] sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert "is not in this checkpoint's vocabulary" in _tip(window, 2)
    assert "vocabulary" not in _tip(window, 1)
    QToolTip.hideText()
