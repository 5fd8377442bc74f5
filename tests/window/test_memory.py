"""The window never has the attention of all heads in memory: [L, H, T, T] of a long text is gigabytes."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.types import Check, Progress
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel
from tests.support.factories import long_trace
from tests.support.fakes import FACTS, FakeEngine

N_LAYERS, N_HEADS, N_TOKENS = 24, 16, 600


class LongText(FakeEngine):
    """Returns one trace of many tokens for every text."""

    def __init__(self) -> None:
        super().__init__()
        self.long = long_trace(N_TOKENS, N_LAYERS, N_HEADS)

    def trace(
        self, request: TraceRequest, check: Check | None = None, progress: Progress | None = None
    ) -> TraceResult:
        found = super().trace(request, check, progress)
        facts = replace(FACTS, n_layers=N_LAYERS, n_heads=N_HEADS)
        return replace(found, trace=replace(self.long, provenance=found.trace.provenance), facts=facts)


@pytest.fixture
def engine() -> FakeEngine:
    return LongText()


def test_the_window_shows_a_long_text_without_the_attention_of_all_heads(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    one_byte_for_each_weight = N_LAYERS * N_HEADS * N_TOKENS**2
    tracemalloc.start()
    try:
        app_state.workspace.set_texts("a long text", None, at_once=True)
        qtbot.waitUntil(lambda: _is_whole(app_state), timeout=60_000)
        app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "lines")])
        qtbot.waitUntil(lambda: window.main_area.area.is_complete, timeout=60_000)
        app_state.selection.pin(query=3, key=5)
        window.grab()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < one_byte_for_each_weight


def _is_whole(app_state: AppState) -> bool:
    """Return whether the overview has every row of every layer, not only samples."""
    shown = app_state.workspace.shown
    return shown is not None and shown.overview.sample is None
