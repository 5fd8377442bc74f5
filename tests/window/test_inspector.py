"""The inspector in the window: its room, its pair, its predictions, and what it exports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.options import Run
from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Numbers, save_numbers
from bertviz_app.viewmodels.panel import MOST, Content, Panel
from bertviz_app.viewmodels.state import OtherRun, Pair
from bertviz_app.views.inspector.predictions import PredictionsSection, PredictionsView
from bertviz_app.views.kit.subject import ExportSubject
from tests.support.fakes import FakeEngine
from tests.support.scene import expect, lines_drawn_by, not_none, turn_events
from tests.support.window_fixtures import Settle


@pytest.mark.fresh_window
def test_the_steps_from_the_product_to_the_weight_are_written_or_announced(
    window_with_text: MainWindow, app_state: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, page = window_with_text, window_with_text.main_area.inspector_page
    for is_pinned in (False, True):
        if is_pinned:
            app_state.selection.pin(query=1, key=2)
        for size in ((1280, 800), (1024, 700), (1920, 1080)):
            window.resize(*size)
            turn_events()
            words = "\n".join(lines_drawn_by(page.numbers, page.numbers.look, tmp_path))
            for name in ("query · key", "÷ √", "softmax over"):
                assert name in words
            for part in (page.numbers, page.pair_heads, page.predictions):
                assert part.geometry().bottom() <= page.height()
    long = QSize(180, 300)  # lines that wrap in the narrow columns of two runs
    monkeypatch.setattr(PredictionsSection, "minimumSizeHint", lambda _: long)
    lowest = page.minimumSizeHint().height()
    assert lowest < page.pair_heads.desired_height + long.height()
    page.setFixedHeight(lowest)
    turn_events()
    for part in (page.numbers, page.pair_heads, page.predictions):
        assert part.geometry().bottom() <= page.height(), "predictions end sooner"
    assert page.predictions.height() >= 94
    page.numbers.setFixedSize(260, 110)  # a picture of it would grow otherwise
    lines = lines_drawn_by(page.numbers, page.numbers.look, tmp_path)
    assert lines[-1] == "… 5 more: enlarge the card"
    page.setFixedHeight(page.least_height + page.numbers.look.pixels(18))
    turn_events()
    lines = lines_drawn_by(page.numbers, page.numbers.look, tmp_path)
    assert any(line.startswith("Enlarge the card: what ") for line in lines), "what is left out is announced"


@pytest.fixture
def compared(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with "the cat sat" as run A and "a dog ran off" as run B, shown in the active panel."""
    settle("the cat sat")
    app_state.comparison.set_texts("a dog ran off")
    settle()
    active = not_none(app_state.panels.active)
    app_state.panels.show_run(active.number, "B")
    settle()
    return window


def _exported(window: MainWindow) -> ExportSubject:
    return not_none(window.export.subject(window.main_area.cards.inspector))


def _number(numbers: Numbers, name: str) -> int:
    return expect(int, numbers.facts[name])


def _title(window: MainWindow) -> str:
    turn_events()
    return window.main_area.inspector_page.numbers.accessibleDescription().split(",")[0]


def test_of_run_b_the_numbers_and_the_python_are_those_of_run_b(
    compared: MainWindow, app_state: AppState
) -> None:
    app_state.shown_runs.states["B"].selection.pin(1, 4)
    numbers = _exported(compared).numbers()
    shown = not_none(app_state.comparison.shown)
    trace = shown.result.trace
    labels = trace.tokens.labels
    assert _title(compared) == f"{labels[1]} → {labels[4]}"
    assert (numbers.facts["run"], numbers.facts["text"]) == ("B", "a dog ran off")
    assert (numbers.facts["query"], numbers.facts["key"]) == (1, 4)
    assert numbers.labels["tokens"] == trace.tokens.pieces
    weights = trace.attention(_number(numbers, "layer"), _number(numbers, "head"))
    assert_array_equal(numbers.arrays["row"], weights[1])
    assert_array_equal(numbers.arrays["column"], weights[:, 4])
    assert "a dog ran off" in " ".join(_exported(compared).sheet.lines)
    assert "model.trace('a dog ran off')" in _exported(compared).python
    assert "the cat sat" not in _exported(compared).python


def test_without_a_whole_pair_the_exported_pair_is_the_one_on_screen(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    shown = not_none(app_state.workspace.shown)
    labels = shown.result.trace.tokens.labels
    for query, key in ((None, None), (None, 2), (3, None), (3, 2)):
        app_state.selection.clear()
        if query is not None or key is not None:
            app_state.selection.pin(query, key)
        numbers = _exported(window_with_text).numbers()
        pair = _number(numbers, "query"), _number(numbers, "key")
        assert _title(window_with_text) == f"{labels[pair[0]]} → {labels[pair[1]]}"
        if query is None and key is None:
            row = shown.result.trace.attention(_number(numbers, "layer"), _number(numbers, "head"))[1]
            assert pair == (1, int(np.argmax(row)))


@pytest.fixture
def window_with_pair(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    settle("the cat sat down")
    app_state.panels.open([Panel(0, 1, 2, "matrix")])
    app_state.selection.pin(3, 2)
    return window


def explaining(app_state: AppState) -> list[dict[str, object]]:
    found = [one.shown_content for one in app_state.panels.panels if one.content.analysis == "score-parts"]
    return [dict(content.parameters) for content in found]


def test_the_inspector_opens_a_panel_for_its_pair_which_follows_the_pinned_pair(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    QTest.mouseClick(window_with_pair.main_area.inspector_page.pair_heads.why, Qt.MouseButton.LeftButton)
    assert explaining(app_state) == [{"layer": 1, "head": 2, "query": 3, "key": 2}]
    assert len(app_state.panels.panels) == 2
    app_state.selection.pin(1, 4)
    followed = [{"layer": 1, "head": 2, "query": 1, "key": 4}]
    assert explaining(app_state) == followed
    app_state.selection.hover(2, 2)  # the pointer alone changes nothing
    assert explaining(app_state) == followed
    app_state.selection.clear()
    assert explaining(app_state) == followed
    (command,) = [one for one in all_commands(window_with_pair) if one.text == "Why this weight?"]
    assert command.keys == "Shift+Y"
    command.run()
    assert len(explaining(app_state)) == 1


def test_where_no_panel_fits_the_active_one_explains(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    app_state.panels.open([Panel(0, 0, 1, "matrix")] * MOST)
    app_state.shown_runs.why_weight.ask()
    assert len(app_state.panels.panels) == MOST
    assert explaining(app_state) == [{"layer": 0, "head": 1, "query": 3, "key": 2}]


def test_predictions_by_layer_follow_a_piece_that_is_chosen_in_the_inspector(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    by_layer = Content("logit-lens", (("top", 3), ("piece", "dog")))
    app_state.panels.open([Panel(0, 0, 1, "reasons", content=by_layer), Panel(0, 0, 1, "lines")])
    window_with_pair.main_area.inspector_page.predictions.views["A"].piece_chosen.emit(2, "cat")
    followed, other = app_state.panels.panels
    assert followed.shown_content.parameters == (("top", 3), ("piece", "cat"))
    assert not other.content.analysis
    window_with_pair.main_area.inspector_page.predictions.views["B"].piece_chosen.emit(2, "mat")
    assert app_state.panels.panels[0] == followed, "it shows run A"


CTRL = Qt.KeyboardModifier.ControlModifier
CTRL_SHIFT = CTRL | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def predicted(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: FakeEngine, settle: Settle
) -> Callable[[], None]:
    """The window with the text "the cat sat"; called, it waits for the predictions."""
    engine.task_heads = ("masked", "next_sentence")
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
    window: MainWindow, app_state: AppState, predicted: Callable[[], None]
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
    window: MainWindow, app_state: AppState, predicted: Callable[[], None]
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
    window: MainWindow, app_state: AppState, engine: FakeEngine, predicted: Callable[[], None]
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
    app_state: AppState,
    engine: FakeEngine,
    predicted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine.task_heads = ("masked", "token_labels")  # of these the list follows the pointer
    app_state.workspace.set_texts("the dog sat", None, at_once=True)
    for query in (1, 2):
        app_state.selection.hover(query=query)
        predicted()
    shown = list[object]()
    monkeypatch.setattr(PredictionsView, "show_prediction", lambda *_, **__: shown.append(None))
    app_state.selection.hover(query=1)
    QApplication.sendPostedEvents()  # all that a gesture posted: the view under the pointer is painted
    assert not shown
    predicted()
    assert shown


def test_two_runs_stand_side_by_side_and_each_is_filled_by_itself(
    window: MainWindow, app_state: AppState, predicted: Callable[[], None]
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
    window: MainWindow, store: SettingsStore, predicted: Callable[[], None]
) -> None:
    assert store.settings.shows_predictions
    window.main_area.inspector_page.predictions.title.click()
    window.close()
    assert not SettingsStore(store.folder / "settings.json").settings.shows_predictions


def test_its_height_changes_with_the_checkpoint_not_with_the_answer(
    window: MainWindow, app_state: AppState, predicted: Callable[[], None]
) -> None:
    before = window.main_area.inspector_page.predictions.height()
    app_state.selection.pin(query=2)
    predicted()
    app_state.workspace.set_texts("another text", "of two", at_once=True)
    predicted()
    assert window.main_area.inspector_page.predictions.height() == before
    assert "Sentence 2 follows 1 0.8750" in _words(window)


def test_it_is_saved_with_the_inspector(
    window: MainWindow, app_state: AppState, predicted: Callable[[], None], tmp_path: Path
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
    window: MainWindow, app_state: AppState, predicted: Callable[[], None], tmp_path: Path
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
