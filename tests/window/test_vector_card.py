"""The card of the vector that stands for a text is of the run of the active panel, and names it."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs.shown import OtherRun
from tests.support.window_fixtures import Settle


@pytest.fixture
def compared(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with two runs, beside each other."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    app_state.comparison.set_other(OtherRun(text="the dog ate"))
    settle()
    app_state.panels.open([Panel(0, 0, 0, "matrix"), Panel(0, 0, 0, "matrix", run="B")])
    settle()
    return window


def test_the_card_follows_the_run_of_the_active_panel(compared: MainWindow, app_state: AppState) -> None:
    card, plot = compared.main_area.cards.pooled, compared.main_area.pooled
    shown = {"A": app_state.workspace.shown, "B": app_state.comparison.shown}
    for run, panel in zip(("A", "B", "A"), (0, 1, 0), strict=True):
        app_state.panels.activate(app_state.panels.panels[panel].number)
        one = shown[run]
        assert one is not None
        vector = one.result.trace.pooled
        assert vector is not None
        assert card.title.text() == f"[CLS] pooled · {run}"
        assert "cos A, B" in card.qualifier.text()
        low, high = (f"{float(end):.4f}".replace("-", "−") for end in (vector.min(), vector.max()))
        assert f"from {low} to {high}" in plot.accessibleDescription()
        subject = compared.export.subject(card)
        assert subject is not None
        np.testing.assert_array_equal(subject.numbers().arrays["pooled"], vector)
        assert one.result.request.text in subject.python
        assert any(one.result.request.text in line for line in subject.sheet.lines)


def test_without_a_second_run_no_run_is_named(compared: MainWindow, app_state: AppState) -> None:
    app_state.comparison.end()
    assert compared.main_area.cards.pooled.title.text() == "[CLS] pooled"
