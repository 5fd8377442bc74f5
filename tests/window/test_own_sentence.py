"""A sentence that is typed on the start page opens on its most specific pair of words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.pairs import most_specific_pair
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from tests.support.window_fixtures import Settle

TEXT = "the cat sat on the mat"


@pytest.mark.parametrize("is_wanted", [True, False])
def test_it_opens_on_the_pair_and_says_so(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    store: SettingsStore,
    settle: Settle,
    is_wanted: bool,
) -> None:
    store.change(opens_on_pair=is_wanted)
    field = window.frame.welcome.field
    field.setText(TEXT)
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app_state.workspace.shown is not None)
    shown, active = app_state.workspace.shown, app_state.panels.active
    assert shown is not None
    found = most_specific_pair(shown.result.trace)
    assert found is not None
    assert active is not None
    if not is_wanted:
        settle()
        assert not app_state.selection.pinned
        return
    qtbot.waitUntil(lambda: bool(app_state.selection.pinned))
    settle()
    active = app_state.panels.active
    assert active is not None
    assert (active.layer, active.head) == (found.layer, found.head)
    assert app_state.selection.pinned == Pair(found.query, found.key)
    assert f"Opened on layer {found.layer}, head {found.head}" in " ".join(window.frame.status.words)


def test_another_text_typed_meanwhile_stays_as_it_is(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    window.own_sentence.expect(TEXT)
    app_state.workspace.set_texts("the dog", None, at_once=True)
    settle()
    assert not app_state.selection.pinned
