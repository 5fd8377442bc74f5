"""What is measured of the sentence on screen while nothing else is asked: self-test and rounding."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.compare import largest_difference
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.picture import Axis
from bertviz_app.analysis.results import NamedArrays, Result
from bertviz_app.errors import AnalysisError, CheckpointError, Message
from bertviz_app.inference.engine import AnalysisRequest, TraceRequest, TraceResult
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses import analyses as self_testing
from bertviz_app.viewmodels.analyses.analyses import Rounding, SelfTesting
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.views.bars.status_line import ChecksCard, RoundingLabel, SelfTestBadge
from tests.support.factories import make_trace
from tests.support.fakes import FakeEngine, HeldJobs, wait_for
from tests.support.window_fixtures import app_state, application, engine

__all__ = ["app_state", "application", "engine"]
TEXTS = ("the cat", "the cat sat")


class _Engine(FakeEngine):
    """Makes traces that are named as made with bfloat16, with other weights than those of float32."""

    def low(self, text: str) -> TraceResult:
        result = self.trace(TraceRequest(None, "cpu/bfloat16", text))
        queries = result.trace.queries * np.float32(1.05)
        return replace(result, trace=replace(result.trace, queries=queries))

    def difference(self, text: str) -> float:
        exact = self.trace(TraceRequest(None, "cpu", text)).trace
        return largest_difference(exact, self.low(text).trace)


class _Scene:
    def __init__(self, jobs: HeldJobs) -> None:
        self.jobs, self.engine = jobs, _Engine()
        self.expected = {text: self.engine.difference(text) for text in TEXTS}
        self.failures: list[Exception] = []
        self.rounding = Rounding(self.engine, Tasks(jobs), self.failures.append)
        self.label = RoundingLabel()
        self.label.follow(self.rounding)


@pytest.fixture
def scene(qapp: QApplication, jobs: HeldJobs) -> _Scene:
    return _Scene(jobs)


class Answers:
    """Answers with these differences, or raises, once it may; counts how often."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.values = [2e-7, 3e-6]
        self.error: Exception | None = None
        self.count = 0

    def analyse(
        self, request: AnalysisRequest, trace: Trace, reporter: Reporter, other: Trace | None = None
    ) -> Result:
        assert request.key == "self-test"
        self.count += 1
        wait_for(self.may_answer)
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


@pytest.fixture
def is_free(app_state: AppState) -> Iterator[threading.Event]:
    """Another analysis is under way until this is set."""
    is_free = threading.Event()
    app_state.workers.analyses.start(
        "panel 1", lambda check, progress: wait_for(is_free), lambda _: None, lambda _: None
    )
    yield is_free
    is_free.set()


def test_the_label_of_the_rounding_says_how_far_it_is(scene: _Scene) -> None:
    result = scene.engine.low("the cat")
    scene.rounding.show(result, is_here=True)
    assert (scene.label.isHidden(), scene.rounding.largest) == (False, None)
    assert scene.label.text() == "bfloat16: comparing with float32 …"
    scene.jobs.finish()
    assert scene.rounding.largest == scene.expected["the cat"] > 0
    assert scene.label.text() == f"bfloat16: largest difference of a weight {scene.rounding.largest:.1e}"
    scene.rounding.show(result, is_here=True)
    assert scene.jobs.submitted == [], "it is known"
    # a saved trace without its checkpoint is not compared
    scene.rounding.show(scene.engine.low("the cat"), is_here=False)
    assert scene.jobs.submitted == []
    assert scene.label.text() == "bfloat16: not compared, the checkpoint is not here"
    # a comparison that was given up is not announced any more
    """The text that is typed may be one that cannot be encoded: then the old one stays on screen."""
    scene.rounding.show(scene.engine.low("the cat"), is_here=True)
    scene.rounding.pause()
    assert not scene.label.isHidden()
    assert scene.label.text() == "bfloat16: not compared with float32"
    # what goes wrong is reported
    scene.rounding.show(scene.engine.low("the cat"), is_here=True)
    scene.engine.errors["the cat"] = CheckpointError("It changed.")
    scene.jobs.finish()
    assert scene.failures == [scene.engine.errors["the cat"]]
    assert scene.label.text() == "bfloat16: not compared with float32"


@pytest.mark.parametrize(
    ("values", "error", "outcome", "text", "tip", "marks"),
    [
        ([2e-7, 3e-6], None, "passed", "✓  Self-test passed", "are off by 3e−06 at most", "✓✓"),
        ([1e-7, np.nan], None, "failed", "✕  Self-test failed: Parts add up to the whole", "", "✓✕"),
        ([], AnalysisError(Message("It is not here.")), "unavailable", "–", "It is not here.", ""),
    ],
)
def test_the_badge_and_its_card_say_how_the_self_test_ended(
    qtbot: QtBot,
    app_state: AppState,
    testing: SelfTesting,
    tests: Answers,
    values: list[float],
    error: Exception | None,
    outcome: str,
    text: str,
    tip: str,
    marks: str,
) -> None:
    tests.values, tests.error = values, error
    tests.may_answer.clear()
    badge = SelfTestBadge()
    qtbot.addWidget(badge)
    badge.follow(testing)
    assert badge.isHidden()
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "running")
    assert badge.text().startswith("…")
    tests.may_answer.set()
    until(qtbot, testing, outcome)
    assert badge.text().startswith(text)
    assert tip in badge.toolTip()
    assert badge.property("tone") == outcome
    words = [label.text() for label in ChecksCard(testing.state, "", badge).findChildren(QLabel)]
    assert [words.count(mark) for mark in "✓✕"] == [marks.count(mark) for mark in "✓✕"]


def test_a_long_text_is_left_to_a_panel(testing: SelfTesting) -> None:
    testing.show(make_trace(self_testing.MOST_TOKENS + 1, n_layers=1, n_heads=1))
    assert testing.state.outcome == "unavailable"
    assert "only in a panel" in str(testing.state.reason)


def test_typing_comes_first(qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers) -> None:
    tests.may_answer.clear()
    type_text(app_state, "the cat sat")
    qtbot.waitUntil(lambda: tests.count == 1)
    type_text(app_state, "the cat sat down")
    assert not app_state.workers.analyses.is_busy("self-test")
    tests.may_answer.set()
    until(qtbot, testing, "passed")
    assert tests.count == 2


def test_it_waits_for_another_analysis(
    qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers, is_free: threading.Event
) -> None:
    type_text(app_state, "the cat sat")
    until(qtbot, testing, "running")
    qtbot.wait(4 * self_testing.DELAY_MS)
    assert not app_state.workers.analyses.is_busy("self-test")
    is_free.set()
    until(qtbot, testing, "passed")
    assert tests.count == 1


def test_it_yields_to_another_analysis_and_begins_anew(
    qtbot: QtBot, app_state: AppState, testing: SelfTesting, tests: Answers
) -> None:
    tasks = app_state.workers.analyses
    tests.may_answer.clear()
    type_text(app_state, "the cat sat")
    qtbot.waitUntil(lambda: tests.count == 1)
    answers: list[str] = []
    tasks.start("panel 1", lambda check, progress: "an answer", answers.append, lambda _: None)
    assert not tasks.is_busy("self-test")
    tests.may_answer.set()
    until(qtbot, testing, "passed")
    assert answers == ["an answer"]
    assert tests.count == 2


def test_nothing_is_compared_for_float32(scene: _Scene) -> None:
    scene.rounding.show(scene.engine.trace(TraceRequest(None, "cpu", "the cat")), is_here=True)
    assert scene.jobs.submitted == []
    assert scene.label.isHidden()
