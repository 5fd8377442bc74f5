"""The difference from float32 is measured once a text was encoded with bfloat16, of the newest text alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.compare import largest_difference
from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.viewmodels.analyses.rounding import Rounding
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.views.bars.rounding_label import RoundingLabel
from tests.support.fakes import FakeEngine, HeldJobs

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


def test_nothing_is_compared_for_float32(scene: _Scene) -> None:
    scene.rounding.show(scene.engine.trace(TraceRequest(None, "cpu", "the cat")), is_here=True)
    assert scene.jobs.submitted == []
    assert scene.label.isHidden()


def test_the_difference_is_shown_once_it_is_measured(scene: _Scene) -> None:
    result = scene.engine.low("the cat")
    scene.rounding.show(result, is_here=True)
    assert (scene.label.isHidden(), scene.rounding.largest) == (False, None)
    assert scene.label.text() == "bfloat16: comparing with float32 …"
    scene.jobs.finish()
    assert scene.rounding.largest == scene.expected["the cat"] > 0
    assert scene.label.text() == f"bfloat16: largest difference of a weight {scene.rounding.largest:.1e}"
    scene.rounding.show(result, is_here=True)
    assert scene.jobs.submitted == [], "it is known"


def test_only_the_newest_text_counts(scene: _Scene) -> None:
    scene.rounding.show(scene.engine.low("the cat"), is_here=True)
    scene.rounding.show(scene.engine.low("the cat sat"), is_here=True)
    newer, older = reversed(scene.jobs.submitted)
    newer.run()
    older.run()
    QApplication.processEvents()
    assert scene.rounding.largest == scene.expected["the cat sat"] != scene.expected["the cat"]
    scene.rounding.show(scene.engine.low("the"), is_here=True)
    scene.rounding.pause()
    scene.jobs.finish()
    assert scene.rounding.largest is None


def test_float32_again_hides_it(scene: _Scene) -> None:
    scene.rounding.show(scene.engine.low("the cat"), is_here=True)
    scene.jobs.finish()
    scene.rounding.show(scene.engine.trace(TraceRequest(None, "cpu", "the cat")), is_here=True)
    assert (scene.rounding.largest, scene.label.isHidden()) == (None, True)


def test_a_saved_trace_without_its_checkpoint_is_not_compared(scene: _Scene) -> None:
    scene.rounding.show(scene.engine.low("the cat"), is_here=False)
    assert scene.jobs.submitted == []
    assert scene.label.text() == "bfloat16: not compared, the checkpoint is not here"


def test_what_goes_wrong_is_reported(scene: _Scene) -> None:
    scene.rounding.show(scene.engine.low("the cat"), is_here=True)
    scene.engine.errors["the cat"] = CheckpointError("It changed.")
    scene.jobs.finish()
    assert scene.failures == [scene.engine.errors["the cat"]]
    assert scene.label.text() == "bfloat16: not compared with float32"


def test_a_comparison_that_was_given_up_is_not_announced_any_more(scene: _Scene) -> None:
    """The text that is typed may be one that cannot be encoded: then the old one stays on screen."""
    scene.rounding.show(scene.engine.low("the cat"), is_here=True)
    scene.rounding.pause()
    assert not scene.label.isHidden()
    assert scene.label.text() == "bfloat16: not compared with float32"
