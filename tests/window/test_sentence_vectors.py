"""The sentence vector in the window: in its card, compared between runs, and on the shelf."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.vectors import mean_pooled, text_cosines
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.types import Check, Progress
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.canvas import signed
from tests.support.fakes import FakeEngine


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


def test_without_a_sentence_vector_there_is_nothing_to_choose(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    _type(qtbot, app_state, "the cat sat")
    plot = window.main_area.pooled
    plot.kinds.chosen.emit("sentence")
    assert not plot.kinds.isVisibleTo(plot)
    assert window.main_area.cards.pooled.title.text() == "[CLS] pooled"


@pytest.mark.usefixtures("with_vectors")
def test_the_card_offers_the_sentence_vector_and_compares_it(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    card, plot = window.main_area.cards.pooled, window.main_area.pooled
    _type(qtbot, app_state, "the cat sat")
    assert plot.kinds.isVisibleTo(plot)
    assert card.title.text() == "[CLS] pooled"
    plot.kinds.chosen.emit("sentence")
    assert (card.title.text(), card.qualifier.text()) == ("Sentence vector", "5 dimensions")
    shown = app_state.workspace.shown
    assert shown is not None
    subject = window.export.subject(card)
    assert subject is not None
    numbers = subject.numbers()
    np.testing.assert_array_equal(numbers.arrays["sentence"], shown.result.trace.sentence_vector)
    assert "trace.sentence_vector" in subject.python
    app_state.comparison.editor.set_texts("another sentence altogether")
    qtbot.waitUntil(lambda: app_state.comparison.is_current and app_state.comparison.shown is not None)
    other = app_state.comparison.shown
    assert other is not None
    cosine = text_cosines(shown.result.trace, other.result.trace)["sentence"]
    assert (card.title.text(), card.qualifier.text()) == (
        "Sentence vector · A",
        f"5 dimensions · cos A, B {signed(cosine, 4)}",
    )
    app_state.comparison.end()
    assert card.qualifier.text() == "5 dimensions"


@pytest.mark.usefixtures("with_vectors", "window")
def test_the_shelf_compares_sentence_vectors(qtbot: QtBot, app_state: AppState) -> None:
    traces = []
    for text in ("the cat ate", "a dog"):
        _type(qtbot, app_state, text)
        app_state.kept_vectors.keep()
        shown = app_state.workspace.shown
        assert shown is not None
        traces.append(shown.result.trace)
    found = app_state.kept_vectors.compared("sentence")
    np.testing.assert_array_equal(found.vectors, [trace.sentence_vector for trace in traces])
    assert found.cosines[0, 1] == pytest.approx(text_cosines(*traces)["sentence"], abs=1e-6)
