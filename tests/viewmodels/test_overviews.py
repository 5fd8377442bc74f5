"""The overview: its order and filter, where cells lie, and the work on those of long texts."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.attention import overview as layered_overview
from bertviz_app.analysis.attention.overview import LayeredOverview
from bertviz_app.analysis.measures import KEYS, Measures, head_overview
from bertviz_app.errors import AppError, DeviceError
from bertviz_app.viewmodels.export import overview_numbers
from bertviz_app.viewmodels.overview import CellGrid, Refinement, arranged
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.runs.run import Shown
from bertviz_app.viewmodels.state import OtherRun, OverviewChoice, Store, change_overview
from tests.support.fakes import HeldJobs
from tests.support.held_state import HeldPanels
from tests.support.scene import not_none

ENTROPIES = np.array([[2.0, 10.0, 2.0], [0.25, 100.0, 3.0]], np.float32)
MEASURES: Measures = {**{key: np.full((2, 3), 0.5, np.float32) for key in KEYS}, "entropy": ENTROPIES}
ALL = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
GRID = CellGrid(ALL[:5], columns=2, side=20, left=30, top=24)
LONG_TEXT = "the cat sat on the mat and the dog ate fish"


class HeldRefinement(HeldPanels):
    """With what computes the overviews of long texts, on a worker of its own."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.overviews = HeldJobs()
        before = self.tasks, Tasks(self.pictures)
        self.picture_tasks = before[1]
        runs = self.workspace, self.comparison
        failed = self.failures.append
        self.refinement = Refinement(Tasks(self.overviews), before, runs, self.panels, failed)

    @property
    def shown(self) -> Shown:
        """What is shown as run A."""
        assert self.workspace.shown is not None
        return self.workspace.shown

    @property
    def missing(self) -> list[int]:
        """The layers of run A of which the overview is a sample."""
        sample = self.shown.overview.sample
        return [] if sample is None else np.flatnonzero(sample.layers).tolist()

    def compute(self) -> None:
        """Let the newest work on an overview be done."""
        self.overviews.submitted.pop().run()
        self.overviews.submitted.clear()
        self.wait()


@pytest.fixture
def state(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> HeldRefinement:
    """A state in which a text of more than 4 tokens is long; a checkpoint is open."""
    monkeypatch.setattr(layered_overview, "LONG", 4)
    state = HeldRefinement(qapp)
    assert state.refinement.is_complete
    state.open()
    state.panels.set_size(2, 3)
    state.panels.show(0, 0)
    return state


def test_heads_are_ordered_and_filtered() -> None:
    cells = arranged(MEASURES, OverviewChoice())
    assert (cells.heads, cells.dimmed, cells.is_rearranged) == (ALL, frozenset(), False)
    # a filter dims heads in their places
    cells = arranged(MEASURES, OverviewChoice(filtered_by="entropy", least=2, most=10))
    assert (cells.heads, cells.dimmed) == (ALL, frozenset({(1, 0), (1, 1)}))
    # rearranged the heads that a filter leaves out have no cell
    cells = arranged(MEASURES, OverviewChoice(ordered_by="entropy", filtered_by="entropy", least=2.5))
    assert (cells.heads, cells.dimmed) == (((1, 1), (0, 1), (1, 2)), frozenset())
    assert cells.is_rearranged
    # one may order by one measure and filter by another
    cells = arranged(MEASURES, OverviewChoice(ordered_by="entropy", filtered_by="next", least=0.51))
    assert cells.heads == ()
    cells = arranged(MEASURES, OverviewChoice(ordered_by="entropy", filtered_by="next", least=0.5))
    assert cells.heads == ((1, 1), (0, 1), (1, 2), (0, 0), (0, 2), (1, 0))


def test_neighbours_go_round_at_the_ends() -> None:
    assert GRID.neighbour((0, 0), columns=1, rows=0) == (0, 1)
    assert GRID.neighbour((0, 0), columns=0, rows=1) == (0, 2)
    assert GRID.neighbour((0, 0), columns=-1, rows=0) == (1, 1)
    assert GRID.neighbour((5, 5), columns=1, rows=0) == (0, 0)
    assert CellGrid((), 1, 20, 0, 0).neighbour((0, 0), columns=1, rows=0) is None


def test_a_long_text_is_a_sample_first_and_then_exact_layer_by_layer(state: HeldRefinement) -> None:
    state.record(state.workspace, "shown_changed")
    state.record(state.refinement, "changed")
    state.type(LONG_TEXT)
    assert state.missing == [0, 1]
    assert not state.refinement.is_complete
    assert np.isnan(state.shown.overview.measures["entropy"]).all()
    state.signals.clear()
    state.compute()
    assert state.missing == [1]
    assert state.signals == ["changed"]
    assert state.shown.numbers.sinks is not None
    state.compute()
    assert state.missing == []
    assert state.refinement.is_complete
    assert state.signals == ["changed", "shown_changed", "changed"]
    expected = head_overview(state.shown.result.trace)
    for key, values in expected.measures.items():
        np.testing.assert_allclose(state.shown.overview.measures[key], values, rtol=2e-6, atol=2e-6)
    assert expected.sinks is not None
    np.testing.assert_array_equal(state.shown.numbers.sinks, expected.sinks)
    assert state.overviews.submitted == []


def test_the_layer_that_is_looked_at_overtakes_and_the_other_goes_on_later(state: HeldRefinement) -> None:
    state.type(LONG_TEXT)
    assert len(state.overviews.submitted) == 1
    n_cancelled = len(state.overviews.cancelled)
    state.panels.show(0, 2)
    assert len(state.overviews.cancelled) == n_cancelled  # another head of the same layer
    state.panels.show(1, 0)
    assert state.overviews.cancelled[-1] == "refine"
    assert state.missing == [0, 1]
    state.compute()
    assert state.missing == [0]
    state.panels.show(0, 2)
    state.compute()
    assert state.missing == []


def test_a_text_that_is_encoded_and_a_picture_come_first(state: HeldRefinement) -> None:
    state.type(LONG_TEXT)
    state.overviews.submitted.clear()
    state.picture_tasks.start("picture", lambda check, _: None, lambda _: None, lambda _: None)
    assert state.overviews.cancelled[-1] == "refine"
    assert state.overviews.submitted == []
    state.work(state.pictures)
    assert len(state.overviews.submitted) == 1
    state.overviews.submitted.clear()
    state.workspace.set_texts(LONG_TEXT + " too", None, at_once=True)
    state.wait()
    assert state.overviews.cancelled[-1] == "refine"
    assert state.overviews.submitted == []
    state.work(state.encoder)
    state.compute()
    assert state.missing == [1]


def test_who_stops_it_keeps_the_sample_until_it_goes_on(state: HeldRefinement) -> None:
    state.type(LONG_TEXT)
    state.compute()
    state.refinement.stop()
    assert state.refinement.is_stopped
    state.overviews.submitted.clear()
    state.panels.show(1, 1)
    assert state.overviews.submitted == []
    assert state.missing == [1]
    state.refinement.go_on()
    state.compute()
    assert state.missing == []
    state.type(LONG_TEXT + " too")  # another text was never stopped
    assert not state.refinement.is_stopped
    state.compute()
    assert state.missing == [0]


def test_run_b_is_computed_too_the_run_of_the_active_panel_first(state: HeldRefinement) -> None:
    state.type(LONG_TEXT)
    state.compare(OtherRun(text=LONG_TEXT + " too"))
    state.compute()
    assert state.missing == [1]
    state.panels.show_run(not_none(state.panels.active).number, "B")
    state.compute()
    other = not_none(state.comparison.shown)
    assert other.overview.n_sampled(0) is None
    assert other.overview.n_sampled(1) is not None
    for _ in range(2):
        state.compute()
    assert state.refinement.is_complete


def test_numbers_of_a_sample_are_not_written(state: HeldRefinement) -> None:
    state.type(LONG_TEXT)
    state.compute()
    with pytest.raises(AppError, match="1 of 2 layers are still being computed"):
        overview_numbers(state.shown.overview)
    state.compute()
    assert set(overview_numbers(state.shown.overview).arrays) == set(KEYS)


def test_work_that_fails_is_reported_once_and_not_tried_again(
    state: HeldRefinement, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise DeviceError("There is no memory left.", "Write a shorter text.")

    state.type(LONG_TEXT)
    monkeypatch.setattr(LayeredOverview, "finish", fail)
    state.compute()
    (error,) = state.failures
    assert isinstance(error, DeviceError)
    assert error.args[0] == "There is no memory left."
    assert state.overviews.submitted == []
    assert state.refinement.is_stopped


def test_another_filter_forgets_the_ends_of_the_one_before() -> None:
    store, notified = Store(), []
    store.watch(("overview",), lambda: notified.append(store.now.overview))
    store.change(overview=store.now.overview.filtered("entropy"))
    change_overview(store, least=1.0)
    store.change(overview=store.now.overview.filtered("distance"))
    assert store.now.overview == OverviewChoice(filtered_by="distance")
    store.change(overview=store.now.overview.filtered("distance"))
    assert len(notified) == 3
