"""The palette finds the stops of Steps by their names in both languages, and goes there."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from bertviz_app.shell.commands.menus import stop_entries
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.steps.view import StepsView
from tests.support.window_fixtures import Settle


@pytest.fixture
def shown(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    return window


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("typed", "stage"),
    [
        ("softmax", "softmax"),
        ("소프트맥스", "softmax"),
        ("weighted sum", "mixed"),
        ("쿼리", "queries"),
        ("steps: softmax", "softmax"),
    ],
)
def test_a_stop_is_found_by_its_name_and_gone_to(
    shown: MainWindow, app_state: AppState, settle: Settle, language: str, typed: str, stage: str
) -> None:
    shown.appearance.choose_language(language)
    app_state.panels.open([Panel(0, 1, 2, "matrix")])
    shown.dialogs.open_palette()
    (palette,) = shown.findChildren(CommandPalette)
    palette.findChildren(QLineEdit)[0].setText(f"{typed} · ")
    assert palette.offered
    palette.reject()
    entries = [entry for entry in stop_entries(app_state) if entry.fits(typed.casefold().split())]
    chosen = next(entry for entry in entries if entry.run.args[1].stage == stage)  # type: ignore[attr-defined]
    chosen.run()
    settle()
    (view,) = (each for each in shown.findChildren(StepsView) if each.isVisible())
    assert (view.walk.stop.stage, view.walk.stop.section) == (stage, 1)
    shown.appearance.choose_language("en")


def test_each_stop_of_the_panel_is_a_line_and_the_first_steps_panel_takes_it(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.panels.open([Panel(0, 0, 2, "matrix"), Panel(0, 1, 1, "steps")])
    settle()
    entries = stop_entries(app_state)
    assert len({entry.text for entry in entries}) == len(entries)
    entries[0].run()
    settle()
    (view,) = (each for each in shown.findChildren(StepsView) if each.isVisible())
    assert view.walk.stop == view.walk.stops[0]
    assert [panel.view_kind for panel in app_state.panels.panels] == ["matrix", "steps"]
    view.walk.turn()  # the table
    entries[-1].run()
    settle()
    assert view.walk.form == "walk"
    assert view.walk.stop == view.walk.stops[-1]


def test_without_a_text_there_is_no_stop(window: MainWindow, app_state: AppState, qtbot: QtBot) -> None:
    QApplication.processEvents()
    assert stop_entries(app_state) == []
