"""While two runs are compared, the tokens and ids of run B stand below those of run A."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.text.edits import TokenIntervention, TokenKind
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.shown import OtherRun
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.tokens.strip import OtherStrip


def _compare(qtbot: QtBot, app_state: AppState, other: OtherRun) -> None:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    app_state.comparison.set_other(other)
    qtbot.waitUntil(
        lambda: app_state.workspace.is_current and app_state.comparison.is_current, timeout=20_000
    )


def test_other_tokens_are_shown_with_their_ids(qtbot: QtBot, window: MainWindow, app_state: AppState) -> None:
    _compare(qtbot, app_state, OtherRun(None, "the dog sat there", None))
    (strip,) = window.main_area.findChildren(OtherStrip)
    assert strip.isVisible()
    texts = [text for _, text in drawn_texts(strip)]
    assert texts[:2] == ["B   token", "id"]
    assert app_state.comparison.shown is not None
    tokens = app_state.comparison.shown.result.trace.tokens
    assert texts[2:] == [
        text for pair in zip(tokens.labels, map(str, tokens.ids), strict=True) for text in pair
    ]
    strip_a = window.main_area.strip
    assert next(text for _, text in drawn_texts(strip_a)) == "A   token"
    assert (
        strip.mapTo(window, strip.rect().topLeft()).y()
        >= strip_a.mapTo(window, strip_a.rect().bottomLeft()).y()
    )
    app_state.comparison.end()
    assert not strip.isVisible()
    assert next(text for _, text in drawn_texts(strip_a)) == "token"


def test_the_same_tokens_are_not_shown_twice(qtbot: QtBot, window: MainWindow, app_state: AppState) -> None:
    _compare(qtbot, app_state, OtherRun(edits=Edits(muted=((0, 1),))))
    (strip,) = window.main_area.findChildren(OtherStrip)
    assert not strip.isVisible()


@pytest.mark.parametrize("kind", ["segment", "position"])
def test_tokens_with_another_segment_or_position_are_shown_and_marked(
    qtbot: QtBot, window: MainWindow, app_state: AppState, kind: TokenKind
) -> None:
    _compare(qtbot, app_state, OtherRun(edits=Edits.of([TokenIntervention(2, kind, 1)])))
    (strip,) = window.main_area.findChildren(OtherStrip)
    assert strip.isVisible()
    assert strip.edited == {2: {2 if kind == "segment" else 3}}


def test_a_token_that_is_pinned_in_run_b_is_pinned_in_run_a(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    _compare(qtbot, app_state, OtherRun(None, "the dog sat", None))
    app_state.shown_runs.states["B"].selection.pin(3)
    assert app_state.selection.pinned.query == 3


def test_in_a_low_window_both_strips_have_two_rows(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    _compare(qtbot, app_state, OtherRun(None, "the dog sat", None))
    window.resize(1280, 800)
    strip, (other,) = window.main_area.strip, window.main_area.findChildren(OtherStrip)
    qtbot.waitUntil(lambda: strip.height() == other.height())
    app_state.comparison.end()
    qtbot.waitUntil(lambda: strip.height() > other.height())
