"""Whoever cannot use a mouse, or cannot see, reaches everything and is told what it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QButtonGroup, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import MOST, PANEL_KINDS, Panel
from tests.support.scene import turn_events


@pytest.fixture
def full(qtbot: QtBot, window: MainWindow, app_state: AppState) -> MainWindow:
    """A window with a pair, run B, and a panel of each kind."""
    app_state.workspace.set_texts("the cat sat", "it slept", at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    app_state.comparison.begin()
    app_state.panels.open([Panel(0, 0, 0, view_kind) for view_kind in list(PANEL_KINDS)[:MOST]])
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: not app_state.workspace.is_busy and not app_state.comparison.is_busy)
    turn_events()
    return window


def _reachable(window: QWidget) -> Iterator[QWidget]:
    """Yield the visible widgets that take the focus."""
    for widget in window.findChildren(QWidget):
        is_part = widget.objectName().startswith("qt_")  # the inner parts of Qt's own widgets
        if widget.isVisible() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not is_part:
            yield widget


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or (text if any(c.isalnum() for c in text) else "")


def _described(widget: QWidget) -> str:
    parent = widget.parentWidget()
    words = widget.text() if isinstance(widget, QAbstractButton) else ""
    return f"{type(widget).__name__}#{widget.objectName()} {words} in {type(parent).__name__}"


def _is_frame(widget: QWidget) -> bool:
    """Return whether a widget only scrolls another."""
    return type(widget).__name__ == "QScrollArea" and isinstance(widget, QAbstractScrollArea)


def _group(widget: QWidget) -> QButtonGroup | None:
    """Return the group in which the arrows go from button to button, once Tab has come to one of them."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group if group is not None and group.exclusive() else None


def test_everything_that_takes_the_focus_has_a_name_and_every_button_a_tooltip_or_words(
    full: MainWindow,
) -> None:
    nameless = {_described(w) for w in _reachable(full) if not _name(w) and not _is_frame(w)}
    assert nameless == set()
    silent = {
        _described(button)
        for button in full.findChildren(QAbstractButton)
        if button.isVisible() and not button.toolTip() and not any(c.isalpha() for c in button.text())
    }
    assert silent == {f for f in silent if "QTableView" in f}  # the corner of a table does nothing


def test_tab_goes_through_everything_and_back(full: MainWindow, app_state: AppState) -> None:
    app_state.panels.open([Panel(0, 0, 0, view_kind) for view_kind in ("lines", "matrix", "steps")])
    turn_events()
    full.frame.bar.text.setFocus()
    reached: list[QWidget] = []
    heights: list[int] = []
    for _ in range(400):
        now = QApplication.focusWidget()
        if now is None or now in reached:
            break
        reached.append(now)
        heights.append(now.mapTo(full, now.rect().topLeft()).y())
        QTest.keyClick(now, Qt.Key.Key_Tab)
    tabbed = {w for w in _reachable(full) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isEnabled()}
    groups = {group for w in reached if (group := _group(w)) is not None}
    left_out = {
        _described(w) for w in tabbed if w not in reached and not _is_frame(w) and _group(w) not in groups
    }
    assert QApplication.focusWidget() is reached[0]
    assert left_out == set()
    assert heights[:8] == sorted(heights[:8]), "from the bar Tab goes on to what is below"


def test_nothing_flashes_as_a_window_of_its_own(
    full: MainWindow, app_state: AppState, qapp: QApplication
) -> None:
    flashed: list[str] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
                flashed.append(_described(watched))
            return False

    watch = Watch()
    qapp.installEventFilter(watch)
    app_state.panels.open(
        [Panel(0, 1, 1, view_kind, run) for view_kind in PANEL_KINDS for run in ("A", "B")][:MOST]
    )
    turn_events()
    qapp.removeEventFilter(watch)
    assert flashed == []
