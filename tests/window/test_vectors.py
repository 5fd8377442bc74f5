"""Vectors in the window: their pages, the card of a text's vector, and the shelf of sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.vectors import mean_pooled, text_cosines
from bertviz_app.errors import Check, Progress
from bertviz_app.features.vectors.view import VectorsView
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.options import PAGES
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.kit.words import signed
from tests.support.fakes import FakeEngine
from tests.support.scene import expect, not_none
from tests.support.window_fixtures import Settle


def _show(qtbot: QtBot, app_state: AppState, text: str, pair: str | None = None) -> None:
    app_state.workspace.set_texts(text, pair, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)


def _run(window: MainWindow, text: str) -> None:
    """Run a command as from the palette."""
    (command,) = (command for command in window.commands() if command.text == text)
    command.run()


def _view(window: MainWindow, app_state: AppState, qtbot: QtBot) -> VectorsView:
    active = not_none(app_state.panels.active)
    view = expect(VectorsView, window.main_area.area.cards[active.number].view)
    qtbot.waitUntil(lambda: view.shown_head is not None)
    return view


def test_commands_show_every_page(qtbot: QtBot, window_with_text: MainWindow, app_state: AppState) -> None:
    pages = {
        "Vectors: [CLS] in every layer": "cls",
        "Vectors: hidden states of all tokens": "tokens",
        "Vectors: map of the tokens": "map",
        "Vectors: cosine similarity of the tokens": "similar",
        "Vectors: shelf of sentences": "shelf",
    }
    assert tuple(pages.values()) == PAGES
    for text, key in pages.items():
        _run(window_with_text, text)
        view = _view(window_with_text, app_state, qtbot)
        assert view.choice.chosen_key == key
        assert view.page.isVisible()
    assert [panel.view_kind for panel in app_state.panels.panels].count("vectors") == 1


def test_commands_and_keys_in_the_panel_step_through_the_layers_and_turn_the_axes(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    _run(window_with_text, "Map: common axes, or axes per layer")
    view = _view(window_with_text, app_state, qtbot)
    assert view.map.is_common
    state = view.state
    _run(window_with_text, "Vectors: previous layer")
    assert view.state == state - 1
    _run(window_with_text, "Vectors: next layer")
    assert view.state == state
    view.map.map.setFocus()
    QTest.keyClick(window_with_text.windowHandle(), Qt.Key.Key_Comma)
    assert view.state == state - 1
    QTest.keyClick(window_with_text.windowHandle(), Qt.Key.Key_Period)
    assert view.state == state
    assert "steps" not in [panel.view_kind for panel in app_state.panels.panels], "not the steps"


def test_enter_keeps_the_sentence_and_the_shelf_brings_it_back(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text.frame.bar.text, Qt.Key.Key_Return)
    assert [item.text for item in app_state.kept_vectors.items] == ["the cat sat"]
    _show(qtbot, app_state, "a dog", "and a bird")
    _run(window_with_text, "Add the sentence to the shelf")
    assert [item.label for item in app_state.kept_vectors.items] == ["the cat sat", "a dog ‖ and a bird"]
    app_state.kept_vectors.bring_back(app_state.kept_vectors.items[0].number)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert (app_state.workspace.text, app_state.workspace.pair) == ("the cat sat", None)
    assert window_with_text.frame.bar.text.text() == "the cat sat"
    _run(window_with_text, "Clear the shelf")
    assert app_state.kept_vectors.items == ()


def test_a_click_on_a_head_of_another_layer_shows_that_layers_row(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.panels.show(1, 0)
    _run(window_with_text, "Vectors: [CLS] in every layer")
    page = _view(window_with_text, app_state, qtbot).cls
    assert page.heat.marks.row == len(page.row_names) - 1, "what the layers lead to"
    overview = window_with_text.main_area.cards.overview.view
    at = overview.cell_rect(0, 1).center().toPoint()
    QTest.mouseClick(overview.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: page.heat.marks.row == 1)
    assert page.row_names[1] == "layer 0"


@pytest.fixture
def with_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine compute sentence vectors from now on."""
    trace = FakeEngine.trace

    def with_vector(
        self: FakeEngine, request: TraceRequest, check: Check | None = None, progress: Progress | None = None
    ) -> TraceResult:
        found = trace(self, request, check, progress)
        vector = mean_pooled(found.trace)[:5].copy()
        return replace(found, trace=replace(found.trace, sentence_vector=vector))

    monkeypatch.setattr(FakeEngine, "trace", with_vector)


def _type(qtbot: QtBot, app_state: AppState, text: str) -> None:
    app_state.workspace.set_texts(text, None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)


@pytest.mark.fresh_window
@pytest.mark.usefixtures("with_vectors")
def test_the_card_offers_the_sentence_vector_and_compares_it(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    card, plot = window.main_area.cards.pooled, window.main_area.vector.plot
    _type(qtbot, app_state, "the cat sat")
    assert plot.kinds.isVisibleTo(plot)
    assert card.title.text() == "[CLS] pooled"
    plot.kinds.chosen.emit("sentence")
    assert (card.title.text(), card.qualifier.text()) == ("Sentence vector", "5 dimensions")
    shown = not_none(app_state.workspace.shown)
    subject = not_none(window.export.subject(card))
    numbers = subject.numbers()
    np.testing.assert_array_equal(numbers.arrays["sentence"], shown.result.trace.sentence_vector)
    assert "trace.sentence_vector" in subject.python
    app_state.comparison.set_texts("another sentence altogether")
    qtbot.waitUntil(lambda: app_state.comparison.is_current and app_state.comparison.shown is not None)
    other = not_none(app_state.comparison.shown)
    cosine = text_cosines(shown.result.trace, other.result.trace)["sentence"]
    assert (card.title.text(), card.qualifier.text()) == (
        "Sentence vector · A",
        f"5 dimensions · cos A, B {signed(cosine, 4)}",
    )
    app_state.comparison.end()
    assert card.qualifier.text() == "5 dimensions"


@pytest.fixture
def compared(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with two runs, beside each other."""
    settle("the cat sat")
    settle(other="the dog ate")
    app_state.panels.open([Panel(0, 0, 0, "matrix"), Panel(0, 0, 0, "matrix", run="B")])
    settle()
    return window


def test_the_card_follows_the_run_of_the_active_panel(compared: MainWindow, app_state: AppState) -> None:
    card, plot = compared.main_area.cards.pooled, compared.main_area.vector.plot
    shown = {"A": app_state.workspace.shown, "B": app_state.comparison.shown}
    for run, panel in zip(("A", "B", "A"), (0, 1, 0), strict=True):
        app_state.panels.activate(app_state.panels.panels[panel].number)
        one = not_none(shown[run])
        vector = not_none(one.result.trace.pooled)
        assert card.title.text() == f"[CLS] pooled · {run}"
        assert "cos A, B" in card.qualifier.text()
        low, high = (f"{float(end):.4f}".replace("-", "−") for end in (vector.min(), vector.max()))
        assert f"from {low} to {high}" in plot.accessibleDescription()
        subject = not_none(compared.export.subject(card))
        np.testing.assert_array_equal(subject.numbers().arrays["pooled"], vector)
        assert one.result.request.text in subject.python
        assert any(one.result.request.text in line for line in subject.sheet.lines)
    app_state.comparison.end()
    assert card.title.text() == "[CLS] pooled", "without a second run no run is named"
    plot.kinds.chosen.emit("sentence")
    assert not plot.kinds.isVisibleTo(plot), "without a sentence vector there is nothing to choose"
    assert card.title.text() == "[CLS] pooled"
