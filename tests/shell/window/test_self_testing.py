"""The self-test of the sentence on screen: it waits for a pause, yields to others, and says why it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.axes import Axis
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import NamedArrays, Result
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.inference.engine import AnalysisRequest
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses import self_testing
from bertviz_app.viewmodels.analyses.self_testing import SelfTesting
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.bars.self_test_badge import ChecksCard, SelfTestBadge
from tests.support.fakes import FakeEngine


class Answers:
    """Answers with these differences, or raises; counts how often."""

    def __init__(self) -> None:
        self.values = [2e-7, 3e-6]
        self.error: Exception | None = None
        self.count = 0

    def analyse(
        self, request: AnalysisRequest, trace: Trace, reporter: Reporter, other: Trace | None = None
    ) -> Result:
        assert request.key == "self-test"
        self.count += 1
        if self.error is not None:
            raise self.error
        axis = (Axis("check", ("rows", "parts")),)
        arrays = {"values": np.array(self.values, np.float32), "limits": np.array([1e-6, 1e-4], np.float32)}
        return NamedArrays(arrays, {"values": axis, "limits": axis})


@pytest.fixture
def tests(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> Answers:
    tests = Answers()
    monkeypatch.setattr(engine, "analyse", tests.analyse)
    monkeypatch.setattr(self_testing, "DELAY_MS", 20)
    return tests


@pytest.fixture
def testing(app_state: AppState, tests: Answers, monkeypatch: pytest.MonkeyPatch) -> SelfTesting:
    app_state.start(None)
    return app_state.shown_runs.self_testing


def type_text(app_state: AppState, text: str) -> None:
    app_state.workspace.set_texts(text, None, at_once=True)


def until(qtbot: QtBot, testing: SelfTesting, outcome: str) -> None:
    qtbot.waitUntil(lambda: testing.state.outcome == outcome, timeout=5000)


def test_what_is_within_rounding_passes_with_its_error(
    qtbot: QtBot, app_state: AppState, testing: SelfTesting
) -> None:
    badge = SelfTestBadge()
    qtbot.addWidget(badge)
    badge.follow(testing)
    assert badge.isHidden()
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "running")
    assert badge.text().startswith("…")
    until(qtbot, testing, "passed")
    assert badge.text() == "✓  Self-test passed, off by 3e-06"
    assert badge.property("tone") == "passed"


@pytest.mark.parametrize("value", [2e-3, float("nan")])
def test_what_is_off_fails_by_name(
    qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers, value: float
) -> None:
    tests.values = [1e-7, value]
    badge = SelfTestBadge()
    qtbot.addWidget(badge)
    badge.follow(testing)
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "failed")
    assert badge.text() == "✕  Self-test failed: Parts add up to the whole"
    card = ChecksCard(testing.state, "", badge)
    words = [label.text() for label in card.findChildren(QLabel)]
    assert words.count("✕") == 1
    assert words.count("✓") == 1


def test_it_says_why_it_is_not_available(
    qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers
) -> None:
    tests.error = AnalysisError(Message("The checkpoint is not here."))
    badge = SelfTestBadge()
    qtbot.addWidget(badge)
    badge.follow(testing)
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "unavailable")
    assert badge.text().startswith("–")
    assert "The checkpoint is not here." in badge.toolTip()


def test_a_long_text_is_left_to_a_panel(qtbot: QtBot, app_state: AppState, testing: SelfTesting) -> None:
    from tests.support.factories import make_trace

    testing.show(make_trace(self_testing.MOST_TOKENS + 1, n_layers=1, n_heads=1))
    assert testing.state.outcome == "unavailable"
    assert "only in a panel" in str(testing.state.reason)


def test_typing_comes_first(qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers) -> None:
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "running")
    for text in ("the cat sat d", "the cat sat do", "the cat sat dow"):
        type_text(app_state, text)
        assert tests.count == 0
    until(qtbot, testing, "passed")
    assert tests.count == 1


def test_it_begins_anew_after_another_analysis(
    qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers
) -> None:
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "running")
    tasks = app_state.workers.analyses
    tasks.busy_changed.emit("panel 1", True)
    testing._timer.stop()  # as if the other one took long
    assert tests.count == 0
    tasks.busy_changed.emit("panel 1", False)
    until(qtbot, testing, "passed")
