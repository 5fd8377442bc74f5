"""The stop of a Steps panel and the page of a Vectors panel come back with an undo and with a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel, StepsChoice, VectorsChoice
from bertviz_app.viewmodels.session.snapshot import snapshot_from_plain, snapshot_to_plain
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.dialogs.export_dialog import PictureChoice
from bertviz_app.views.export.recording import write
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.view import DivisorBar, StepsView
from bertviz_app.views.vectors.view import VectorsView
from tests.support.scene import turn_events
from tests.support.svg_text import lines_of_text
from tests.support.window_fixtures import Settle

Tried = tuple[bool, float | None, bool, int]
"""Whether the reason is unfolded, the divisor, whether its weights are drawn, and the slider."""


@pytest.fixture
def settle(settle: Settle) -> Settle:
    """Wait for the workers, then for the turn of the event loop that ends a step."""

    def wait() -> None:
        settle()
        turn_events()

    return wait


@pytest.fixture
def steps_and_vectors(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with a Steps panel and a Vectors panel of layer 1."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    window.session.history.end_typing()  # the typing of the text is a step of its own
    app_state.panels.open([Panel(0, 1, 0, "steps"), Panel(0, 1, 0, "vectors")])
    settle()
    return window


def _views(window: MainWindow, app_state: AppState) -> tuple[StepsView, VectorsView]:
    cards = [window.main_area.area.cards[panel.number] for panel in app_state.panels.panels]
    steps, vectors = cards[0].view, cards[1].view
    assert isinstance(steps, StepsView)
    assert isinstance(vectors, VectorsView)
    return steps, vectors


def _choose(window: MainWindow, app_state: AppState) -> None:
    steps, vectors = _views(window, app_state)
    steps.walk.go(Stop(1, "softmax"))
    steps.walk.show_form("table")
    vectors.show_page("similar")
    vectors.show_state(0)


def _is_chosen(window: MainWindow, app_state: AppState) -> bool:
    steps, vectors = _views(window, app_state)
    shown = steps.walk.stop, steps.walk.form, vectors.page is vectors.stack.similar, vectors.state
    return shown == (Stop(1, "softmax"), "table", True, 0)


def test_stop_and_page_are_part_of_the_panels_and_undone_with_them(
    steps_and_vectors: MainWindow, app_state: AppState, settle: Settle
) -> None:
    _choose(steps_and_vectors, app_state)
    settle()
    app_state.panels.show(0, 2)
    settle()
    walked, paged = _views(steps_and_vectors, app_state)
    assert (walked.walk.stop, paged.state) == (Stop(0, "softmax"), 1), "both follow the layer"
    steps_and_vectors.session.history.undo()
    settle()
    assert _is_chosen(steps_and_vectors, app_state)
    assert app_state.panels.panels[0].layer == 1
    steps, vectors = app_state.panels.panels
    assert steps.steps == StepsChoice("layer", "softmax", "table")
    assert vectors.vectors == VectorsChoice("similar", 0)
    steps_and_vectors.session.history.undo()
    settle()
    kinds = [panel.view_kind for panel in app_state.panels.panels]
    assert kinds == ["lines", "matrix"], "walking is no step: as before the two panels were opened"


def _tried(steps_and_vectors: MainWindow, app_state: AppState) -> Tried:
    """Return what is unfolded and tried in the Steps panel."""
    view, _ = _views(steps_and_vectors, app_state)
    bar = view.findChild(DivisorBar)
    assert isinstance(bar, DivisorBar)
    sheet = view.walking.sheet
    is_drawn = isinstance(sheet, FlowSheet) and any(column.name == "what_if" for column in sheet.columns)
    return view.why.isVisible(), view.walk.what_if.divisor, is_drawn, bar.slider.value()


@pytest.fixture
def tried(steps_and_vectors: MainWindow, app_state: AppState, settle: Settle) -> Tried:
    """A reason unfolded and then a divisor tried, in two movements of the slider, at a softmax."""
    view, _ = _views(steps_and_vectors, app_state)
    view.walk.go(Stop(1, "softmax"))
    settle()
    QTest.keyClick(view, Qt.Key.Key_Y)
    settle()
    bar = view.findChild(DivisorBar)
    assert isinstance(bar, DivisorBar)
    for step in (-20, -50):
        bar.slider.setValue(step)
        settle()
    state = _tried(steps_and_vectors, app_state)
    assert state[0]
    assert state[1] is not None
    assert state[2:] == (True, -50)
    return state


def test_the_reason_and_the_divisor_are_undone_one_by_one(
    steps_and_vectors: MainWindow, app_state: AppState, settle: Settle, tried: Tried
) -> None:
    for undo, expected in (
        (True, (True, None, False, 0)),
        (True, (False, None, False, 0)),
        (False, (True, None, False, 0)),
        (False, tried),
    ):
        steps_and_vectors.session.history.undo() if undo else steps_and_vectors.session.history.redo()
        settle()
        assert _tried(steps_and_vectors, app_state) == expected
        assert _views(steps_and_vectors, app_state)[0].walk.stop == Stop(1, "softmax")


def test_stop_page_reason_and_divisor_are_restored_with_a_session(
    steps_and_vectors: MainWindow, app_state: AppState, settle: Settle, tried: Tried
) -> None:
    _, vectors = _views(steps_and_vectors, app_state)
    vectors.show_page("similar")
    vectors.show_state(0)
    settle()
    plain = snapshot_to_plain(steps_and_vectors.session.snapshot_taker.take())
    app_state.panels.open([Panel(0, 0, 0, "matrix")])
    settle()
    steps_and_vectors.session.snapshot_taker.show(snapshot_from_plain(plain))
    settle()
    assert _tried(steps_and_vectors, app_state) == tried
    assert app_state.panels.panels[1].vectors == VectorsChoice("similar", 0)
    assert (
        _views(steps_and_vectors, app_state)[1].page is _views(steps_and_vectors, app_state)[1].stack.similar
    )


def test_the_exported_picture_shows_the_reason_and_the_divisor(
    steps_and_vectors: MainWindow, app_state: AppState, tried: Tried, tmp_path: Path
) -> None:
    view, _ = _views(steps_and_vectors, app_state)
    subject = steps_and_vectors.export.subject(
        steps_and_vectors.main_area.area.cards[app_state.panels.panels[0].number]
    )
    assert subject is not None
    path = tmp_path / "steps.svg"
    write(steps_and_vectors.export.recorded(subject, PictureChoice()), path, 1.0)
    words = set(" ".join(lines_of_text(path)).split())
    reason = view.why.accessibleName()
    assert set(reason.split()) <= words, "all of the reason, also where it scrolls on screen"
    assert tried[1] is not None
    assert {f"{tried[1]:.2f}", "What", "α'"} & words == {f"{tried[1]:.2f}", "α'"}
