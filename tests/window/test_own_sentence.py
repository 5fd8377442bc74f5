"""A sentence that is typed on the start page is drawn there, and opens on its most specific pair of words."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.pairs import most_specific_pair
from bertviz_app.errors import TextError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.learning.words import first_picture
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import Pair
from tests.support.fakes import FakeEngine
from tests.support.scene import move, not_none
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
    found = not_none(most_specific_pair(shown.result.trace))
    assert active is not None
    if not is_wanted:
        settle()
        assert not app_state.selection.pinned
        return
    qtbot.waitUntil(lambda: bool(app_state.selection.pinned))
    settle()
    active = not_none(app_state.panels.active)
    assert (active.layer, active.head) == (found.layer, found.head)
    assert app_state.selection.pinned == Pair(found.query, found.key)
    assert f"Opened on layer {found.layer}, head {found.head}" in " ".join(window.frame.status.words)


def test_another_text_typed_meanwhile_stays_as_it_is(
    window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    window.own_sentence.expect(TEXT)
    settle("the dog")
    assert not app_state.selection.pinned


def _is_drawn(window: MainWindow, text: str) -> bool:
    return window.frame.welcome.picture.text == text


def _said(window: MainWindow) -> str:
    return " ".join(label.text() for label in window.frame.welcome.findChildren(QLabel))


def test_the_arcs_are_those_of_the_newest_text_while_one_types(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    page = window.frame.welcome
    for end in range(1, len(TEXT) + 1):
        page.field.setText(TEXT[:end])  # far faster than they are encoded
    qtbot.waitUntil(lambda: _is_drawn(window, TEXT))
    trace = app_state.engine.trace(TraceRequest(None, "cpu", TEXT)).trace
    found = not_none(most_specific_pair(trace))
    qtbot.waitUntil(lambda: (page.picture.layer, page.picture.head) == (found.layer, found.head))
    assert page.ribbons.query == found.query
    weights = trace.attention(found.layer, found.head)
    np.testing.assert_allclose(page.picture.weights, weights, atol=1e-6)
    assert f"layer {found.layer}, head {found.head}" in _said(window)
    assert app_state.workspace.is_blank, "it is opened by Enter"
    page.field.clear()
    assert page.picture == first_picture("en")


def test_where_a_text_cannot_be_encoded_it_is_said_and_the_last_picture_stays(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    engine, field = app_state.engine, window.frame.welcome.field
    assert isinstance(engine, FakeEngine)
    engine.errors["too much"] = TextError("That is too much.")
    field.setText(TEXT)
    qtbot.waitUntil(lambda: _is_drawn(window, TEXT))
    field.setText("too much")
    qtbot.waitUntil(lambda: "That is too much." in _said(window))
    assert _is_drawn(window, TEXT)
    field.setText("the cat")
    qtbot.waitUntil(lambda: _is_drawn(window, "the cat"))
    assert "That is too much." not in _said(window)


def test_what_is_typed_while_the_model_is_opened_is_drawn_when_it_is_there(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    workspace = app_state.workspace
    facts, workspace.facts = workspace.facts, None
    window.frame.welcome.field.clear()
    window.frame.welcome.field.setText(TEXT)
    assert "The model is still being opened" in _said(window)
    assert window.frame.welcome.picture == first_picture("en")
    workspace.facts = facts
    workspace.facts_changed.emit()
    qtbot.waitUntil(lambda: _is_drawn(window, TEXT))
    assert "still being opened" not in _said(window)


def test_another_word_that_is_clicked_is_what_is_looked_from_inside(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    page = window.frame.welcome
    page.field.setText(TEXT)
    qtbot.waitUntil(lambda: _is_drawn(window, TEXT))
    picture, box = page.picture, page.ribbons.arcs.boxes[-1].center()
    assert picture.query != len(picture.tokens) - 1
    move(page.ribbons, box.x(), box.y())
    QTest.mouseClick(page.ribbons, Qt.MouseButton.LeftButton, pos=box.toPoint())
    qtbot.waitUntil(lambda: bool(app_state.selection.pinned))
    row = picture.weights[-1]
    assert app_state.selection.pinned == Pair(len(row) - 1, row.index(max(row)))
    active = not_none(app_state.panels.active)
    assert (active.layer, active.head) == (picture.layer, picture.head)


def test_the_sentence_and_its_arcs_stay_in_another_language(qtbot: QtBot, window: MainWindow) -> None:
    window.frame.welcome.field.setText(TEXT)
    qtbot.waitUntil(lambda: _is_drawn(window, TEXT))
    window.frame.bar.language.click()
    assert window.frame.welcome.field.text() == TEXT
    qtbot.waitUntil(lambda: _is_drawn(window, TEXT))
    assert "토큰" in _said(window)
    window.frame.bar.language.click()
    assert "BERT is" in _said(window)
