"""Predictions in the inspector: tokens masked and filled, two runs side by side, opened and closed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.options import Run
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import save_numbers
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.views.inspector.predictions import PredictionsView
from tests.support.fakes import FakeEngine
from tests.support.scene import lines_drawn_by, not_none, turn_events
from tests.support.window_fixtures import Settle

CTRL = Qt.KeyboardModifier.ControlModifier
CTRL_SHIFT = CTRL | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.task_heads = ("masked", "next_sentence")
    return engine


@pytest.fixture
def predicted(qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle) -> Settle:
    """The window with the text "the cat sat"; called, it waits for the predictions."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)

    def wait() -> None:
        settle()
        predictions = app_state.shown_runs.predictions
        qtbot.waitUntil(lambda: not any(predictions.is_coming(run) for run in predictions.runs))
        turn_events()

    wait()
    window.main_area.strip.setFocus()
    return wait


def _view(window: MainWindow, run: Run = "A") -> PredictionsView:
    return window.main_area.inspector_page.predictions.views[run]


def _words(window: MainWindow, run: Run = "A") -> str:
    return _view(window, run).accessibleDescription()


def _double_click(window: MainWindow, token: int) -> None:
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token) + 6
    at, left, none = QPointF(x, 40), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind in (
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonRelease,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.MouseButtonRelease,
    ):
        QApplication.sendEvent(strip, QMouseEvent(kind, at, strip.mapToGlobal(at), left, left, none))


def test_a_pinned_token_is_masked_filled_and_read_as_written_again(
    window: MainWindow, app_state: AppState, predicted: Settle
) -> None:
    section = window.main_area.inspector_page.predictions
    assert "Click a token" in _words(window)
    assert not section.mask_button.isEnabled()
    app_state.selection.pin(query=2)
    predicted()
    assert "not masked" in _words(window)
    section.mask_button.click()
    predicted()
    assert app_state.workspace.edits.replaced == ((2, "[MASK]"),)
    assert "dog masked, mouse 0.5000" in _words(window)
    assert section.mask_button.text() == "As written"
    _view(window).setFocus()
    QTest.keyClick(_view(window), Qt.Key.Key_Down)
    QTest.keyClick(_view(window), Qt.Key.Key_Return)
    predicted()
    assert app_state.workspace.edits.replaced == ((2, "mouse"),)
    assert "not masked" in _words(window)
    section.mask_button.click()
    predicted()
    assert not app_state.workspace.edits


def test_a_double_click_on_a_chip_masks_it_and_opens_the_section(
    window: MainWindow, app_state: AppState, predicted: Settle
) -> None:
    window.main_area.docks.toggle("inspector")
    window.main_area.inspector_page.predictions.open(False)
    _double_click(window, 3)
    predicted()
    assert app_state.workspace.edits.replaced == ((3, "[MASK]"),)
    assert app_state.selection.pinned == Pair(3)
    assert _view(window).isVisible()
    _double_click(window, 0)
    predicted()
    assert app_state.workspace.edits.replaced == ((3, "[MASK]"),), "[CLS] cannot be masked"


def test_the_menu_of_a_chip_and_keys_mask_where_there_is_a_head_and_open_and_close(
    window: MainWindow, app_state: AppState, engine: FakeEngine, predicted: Settle
) -> None:
    words, section = "Mask it and show what is expected there", window.main_area.inspector_page.predictions
    run = not_none(dict(window.main_area.edits.chip_menu.items(2))[words])
    run()
    predicted()
    assert app_state.workspace.edits.replaced == ((2, "[MASK]"),)
    app_state.workspace.set_edits(Edits())
    app_state.selection.pin(query=1)
    predicted()
    QTest.keyClick(window, Qt.Key.Key_F, CTRL_SHIFT)
    predicted()
    assert app_state.workspace.edits.replaced == ((1, "[MASK]"),)
    QTest.keyClick(window, Qt.Key.Key_5, CTRL)
    assert not _view(window).isVisible()
    n_before = len(engine.predicted)
    app_state.selection.pin(query=2)
    assert not app_state.shown_runs.predictions.is_coming("A"), "no view shows them"
    QTest.keyClick(window, Qt.Key.Key_5, CTRL)
    predicted()
    assert _view(window).isVisible()
    assert len(engine.predicted) == n_before + 1
    engine.task_heads = ()
    app_state.comparison.set_other(OtherRun(edits=Edits(replaced=((2, "[MASK]"),))))
    app_state.workspace.set_edits(Edits())
    app_state.workspace.set_texts("the cat sat down", None, at_once=True)
    predicted()
    assert "expected" not in " ".join(text for text, _ in window.main_area.edits.chip_menu.items(2))
    assert not section.mask_button.isVisible()
    assert (_view(window).isVisible(), _view(window, "B").isVisible()) == (True, False), "said once"
    assert _words(window) == "No task head: nothing is predicted."


def test_what_is_known_is_not_written_in_the_turn_of_the_gesture(
    window: MainWindow,
    app_state: AppState,
    engine: FakeEngine,
    predicted: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine.task_heads = ("masked", "token_labels")  # of these the list follows the pointer
    app_state.workspace.set_texts("the dog sat", None, at_once=True)
    for query in (1, 2):
        app_state.selection.hover(query=query)
        predicted()
    shown: list[object] = []
    monkeypatch.setattr(PredictionsView, "show_prediction", lambda *_, **__: shown.append(None))
    app_state.selection.hover(query=1)
    QApplication.sendPostedEvents()  # all that a gesture posted: the view under the pointer is painted
    assert not shown
    predicted()
    assert shown


def test_two_runs_stand_side_by_side_and_each_is_filled_by_itself(
    window: MainWindow, app_state: AppState, predicted: Settle
) -> None:
    app_state.selection.pin(query=2)
    app_state.comparison.set_other(OtherRun(edits=Edits(replaced=((2, "[MASK]"),))))
    predicted()
    assert (_view(window).isVisible(), _view(window, "B").isVisible()) == (True, True)
    assert _words(window).startswith("A, cat not masked")
    assert _words(window, "B").startswith("B, dog masked")
    assert _view(window).geometry().right() < _view(window, "B").geometry().left()
    _view(window, "B").piece_chosen.emit(2, "mouse")
    predicted()
    assert not_none(app_state.comparison.other).edits.replaced == ((2, "mouse"),)
    assert not app_state.workspace.edits
    app_state.comparison.end()
    predicted()
    assert not _view(window, "B").isVisible()


def test_whether_it_is_open_is_remembered(
    window: MainWindow, store: SettingsStore, predicted: Settle
) -> None:
    assert store.settings.shows_predictions
    window.main_area.inspector_page.predictions.title.click()
    window.close()
    assert not SettingsStore(store.folder / "settings.json").settings.shows_predictions


def test_its_height_changes_with_the_checkpoint_not_with_the_answer(
    window: MainWindow, app_state: AppState, predicted: Settle
) -> None:
    before = window.main_area.inspector_page.predictions.height()
    app_state.selection.pin(query=2)
    predicted()
    app_state.workspace.set_texts("another text", "of two", at_once=True)
    predicted()
    assert window.main_area.inspector_page.predictions.height() == before
    assert "Sentence 2 follows 1 0.8750" in _words(window)


def test_it_is_saved_with_the_inspector(
    window: MainWindow, app_state: AppState, predicted: Settle, tmp_path: Path
) -> None:
    app_state.selection.pin(query=2)
    predicted()
    subject = not_none(window.export.subject(window.main_area.cards.inspector))
    assert "predictions = model.predict(trace, [2])\n" in subject.python
    save_numbers(subject.numbers(), tmp_path / "inspector.json")
    facts = json.loads((tmp_path / "inspector.json").read_text("utf-8"))["facts"]
    assert facts["predictions"]["fillings"][0]["fillers"][0]["piece"] == "mouse"
    window.main_area.inspector_page.predictions.open(False)
    closed = not_none(window.export.subject(window.main_area.cards.inspector))
    assert "predict" not in closed.python


def test_in_a_small_window_they_are_shortened_before_the_steps_to_the_weight_and_in_korean_all_is_korean(
    window: MainWindow, app_state: AppState, predicted: Settle, tmp_path: Path
) -> None:
    window.resize(1024, 700)
    app_state.selection.pin(query=1, key=2)
    predicted()
    numbers = window.main_area.inspector_page.numbers
    drawn = "\n".join(lines_drawn_by(numbers, numbers.look, tmp_path))
    for name in ("query · key", "÷ √", "softmax over"):
        assert name in drawn
    assert "not masked" in _words(window)
    window.appearance.choose_language("ko")
    predicted()
    section = window.main_area.inspector_page.predictions
    words = [_words(window), section.title.text(), section.mask_button.text(), section.mask_button.toolTip()]
    words += [section.title.toolTip(), section.title.accessibleName(), _view(window).accessibleName()]
    pieces = "mouse bird dog fox cow hen pig ant bee owl the cat sat"
    english = {word for text in words for word in re.findall("[A-Za-z]{2,}", text)} - set(pieces.split())
    assert english == set()
