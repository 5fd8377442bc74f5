"""A file of attention weights alone in the window: what is shown, what is said instead, and what goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.parameters import SILENT
from bertviz_app.api import ANALYSES, from_arrays
from bertviz_app.errors import AnalysisError
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.trace import WeightsTrace
from bertviz_app.viewmodels.analyses.gallery import RunsThere, obstacle
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Runs
from tests.api.test_analyse import OF_WEIGHTS
from tests.support.scene import expect, not_none

WORDS = ["The", "keys", "to", "the", "cabinet", "are", "lost"]


def weights(*shape: int, seed: int = 0) -> Any:
    numbers = np.tril(np.random.default_rng(seed).random(shape, np.float32) + np.float32(0.01))
    return numbers / numbers.sum(-1, keepdims=True)


def _file(path: Path, *, seed: int = 0, **arrays: Any) -> Path:
    given = arrays or {"attention": weights(2, 3, 7, 7, seed=seed)}
    np.savez(path, tokens=[WORDS[0], *(f"Ġ{word}" for word in WORDS[1:])], **given)
    return path


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path) -> WeightsTrace:
    """The trace of the file that the window shows."""
    window.files.open_path(_file(tmp_path / "mine.npz"))
    return _shown(qtbot, window, app_state)


def _shown(qtbot: QtBot, window: MainWindow, app_state: AppState) -> WeightsTrace:
    def is_shown() -> bool:
        shown = app_state.workspace.shown
        is_there = shown is not None and isinstance(shown.result.trace, WeightsTrace)
        return is_there and app_state.workspace.is_current and window.main_area.area.is_complete

    qtbot.waitUntil(is_shown, timeout=20_000)
    return expect(WeightsTrace, not_none(app_state.workspace.shown).result.trace)


def _messages(window: MainWindow) -> list[str]:
    return [card.stack.message for card in window.main_area.area.cards.values()]


def test_its_weights_are_shown_and_measured(
    opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    shown = not_none(app_state.workspace.shown)
    assert shown.overview.pictures.shape[:2] == (2, 3)
    assert _messages(window) == [""] * len(_messages(window))
    assert window.main_area.strip.tokens is opened.tokens
    assert not not_none(app_state.workspace.saved).is_here


def test_the_bars_follow_saved_weights_in_and_out(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    app_state.rooms.enter("research")
    bar, special = window.frame.bar, ["[CLS]", *["[SEP]"] * 6]
    np.savez(tmp_path / "special.npz", tokens=special, attention=weights(2, 3, 7, 7))
    window.files.open_path(_file(tmp_path / "mine.npz"))
    _shown(qtbot, window, app_state)
    assert bar.compare.isVisibleTo(bar)
    window.open_start_page()
    qtbot.waitUntil(lambda: not bar.compare.isVisibleTo(bar))
    window.files.open_path(tmp_path / "special.npz")
    _shown(qtbot, window, app_state)
    assert bar.compare.isVisibleTo(bar), "special tokens are no text, and numbers of them are shown"


@pytest.mark.parametrize("kind", ["steps", "vectors", "parameters"])
def test_views_of_more_say_what_is_lacking(
    kind: str, qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    active = not_none(app_state.panels.active)
    app_state.panels.draw_as(active.number, kind)
    qtbot.waitUntil(lambda: any("came without queries" in message for message in _messages(window)))


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda one: one.key)
def test_an_analysis_runs_or_says_what_it_lacks(analysis: Any) -> None:
    trace = from_arrays(weights(2, 3, 7, 7), WORDS)
    other = from_arrays(weights(2, 3, 7, 7, seed=1), WORDS)
    request = AnalysisRequest.of(TraceRequest("/nowhere", "auto", "", None), analysis.key, {})
    there = RunsThere(trace, (), is_model_open=False, has_second=True)
    if analysis in OF_WEIGHTS:
        assert obstacle(analysis, there) is None
        assert list(Engine().analyse(request, trace, SILENT, other).as_table().rows)
    else:
        found = not_none(obstacle(analysis, there))
        assert "weights alone are not enough" in found.message
        with pytest.raises(AnalysisError, match="weights alone are not enough"):
            Engine().analyse(request, trace, SILENT, other)


def test_cells_of_later_keys_are_hatched(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    active = not_none(app_state.panels.active)
    app_state.panels.draw_as(active.number, "matrix")
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    view: Any = window.main_area.area.cards[active.number].view
    assert not np.triu(
        view.picture.source.masked(range(7), range(7)) ^ np.triu(np.ones((7, 7), bool), 1)
    ).any()
    image = view.plot.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    masked, plain = (_colours(image, view.plot.cell_rect(*cell)) for cell in ((1, 5), (5, 1)))
    assert len(masked) > len(plain)


def _colours(image: QImage, box: Any) -> set[int]:
    inner = box.adjusted(4, 4, -4, -4).toRect()
    return {
        image.pixel(x, y)
        for x in range(inner.left(), inner.right())
        for y in range(inner.top(), inner.bottom())
    }


def test_two_files_stand_beside_each_other(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    window.files.compare_with_file(_file(tmp_path / "other.npz", seed=1))
    comparison = app_state.comparison
    qtbot.waitUntil(
        lambda: comparison.difference is not None and comparison.difference.divergence is not None
    )
    other = not_none(comparison.shown).result.trace
    np.testing.assert_array_equal(other.attention(), weights(2, 3, 7, 7, seed=1))
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    assert _messages(window) == [""] * len(_messages(window))
    assert comparison.is_current
    window.frame.toggle_comparison()
    assert not comparison.is_on


def test_a_file_of_no_weights_is_not_compared(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("a text")
    with qtbot.waitSignal(window.files.refused) as refused:
        window.files.compare_with_file(tmp_path / "a.txt")
    assert "holds no attention weights alone" in refused.args[0]
    assert not app_state.comparison.is_on


def test_the_code_that_is_copied_runs(opened: WeightsTrace, window: MainWindow, app_state: AppState) -> None:
    shown = not_none(app_state.workspace.shown)
    card = next(iter(window.main_area.area.cards.values()))
    subject = not_none(card.subject(Runs(shown.result)))
    space: dict[str, Any] = {}
    exec(subject.python, space)
    np.testing.assert_array_equal(space["weights"], opened.attention(card.panel.layer, card.panel.head))


def test_layers_may_have_different_numbers_of_heads(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    arrays = {"attention_0": weights(4, 7, 7), "attention_1": weights(2, 7, 7)}
    window.files.open_path(_file(tmp_path / "mine.npz", **arrays))
    _shown(qtbot, window, app_state)
    app_state.panels.show(1, 3)
    words = "There is no head 3: layer 1 has the heads 0, 1"
    qtbot.waitUntil(lambda: any(words in message for message in _messages(window)))
    app_state.panels.show(0, 3)
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    assert _messages(window) == [""] * len(_messages(window))


def test_the_difference_of_two_causal_runs_is_hatched_where_both_are(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    window.files.compare_with_file(_file(tmp_path / "other.npz", seed=1))
    comparison = app_state.comparison
    qtbot.waitUntil(lambda: comparison.difference is not None and window.main_area.area.is_complete)
    card: Any = next(card for card in window.main_area.area.cards.values() if card.panel.run == "A-B")
    masked = card.view.picture.source.masked(range(7), range(7))
    np.testing.assert_array_equal(masked, np.triu(np.ones((7, 7), bool), 1))
    full = np.full((2, 3, 7, 7), 1 / 7, np.float32)
    window.files.compare_with_file(_file(tmp_path / "full.npz", attention=full))
    qtbot.waitUntil(
        lambda: (
            comparison.difference is not None
            and comparison.difference.traces[1].mask is None
            and card.view.picture.source.traces[1].mask is None
        )
    )
    assert card.view.picture.source.masked(range(7), range(7)) is None
