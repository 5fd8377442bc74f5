"""Analyses of panels: computed on the worker, the newest of each panel alone, of the runs on screen."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import HeadScalars, RunMatrix, Scalar, TokenMatrices
from bertviz_app.errors import AnalysisError
from bertviz_app.inference.engine import AnalysisRequest, TraceRequest
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses.analyses import (
    Analysed,
    Analyses,
    Baselines,
    compare_word,
    pictures_of_result,
)
from bertviz_app.viewmodels.inspected import HEADS, PAIRS, HeadsOfPair
from bertviz_app.viewmodels.panel import MOST, SHOWS_ATTENTION, Content, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import Coming, Failed, Ready, Results, RunsOnScreen, Tasks
from bertviz_app.viewmodels.runs.run import beside
from bertviz_app.viewmodels.state import DrawOptions, Store, change_overview
from tests.support.fakes import FakeEngine, Held, HeldJobs
from tests.support.made_up import AT_TIMES_OF_TWO, MATRICES, NAMED, made_up
from tests.support.scene import expect, not_none

__all__ = ["made_up"]
pytestmark = pytest.mark.usefixtures("made_up")
ROLLOUT = Content("attention-rollout")
SLOT = "panel 3"


class _Scene:
    """One panel, and a run A that a test can replace."""

    def __init__(self, jobs: HeldJobs) -> None:
        self.jobs, self.engine, self.panels = jobs, FakeEngine(), Panels()
        self.failures: list[Exception] = []
        tasks = Tasks(jobs)
        self.results, pictures = (Results(tasks, self.failures.append) for _ in range(2))
        self.runs = RunsOnScreen(self.results, pictures)
        self.analyses = Analyses(self.engine, self.results, pictures, self.runs, self.panels)
        self.changes: list[None] = []
        self.analyses.changed.connect(lambda: self.changes.append(None))
        self.panels.set_size(2, 3)
        self.panels.open([Panel(0, 1, 2, "matrix")])
        self.type("the cat sat")

    @property
    def panel(self) -> Panel:
        return self.panels.panels[0]

    def baselines(self) -> tuple[Baselines, Store]:
        store = Store()
        return Baselines(self.analyses, self.results, store), store

    def type(self, text: str, run: Run = "A") -> None:
        request = TraceRequest(None, "cpu", text)
        self.runs.show(run, request, self.engine.trace(request).trace)

    def choose(self, content: Content, run: Run = "A") -> Ready[Analysed] | Coming | Failed | None:
        self.panels.show_run(self.panel.number, run)
        self.panels.choose(self.panel.number, content)
        return self.get()

    def get(self) -> Ready[Analysed] | Coming | Failed | None:
        return self.analyses.get(self.panel)

    def result(self) -> Analysed:
        found = self.get()
        assert isinstance(found, Ready), found
        return found.value

    def error(self) -> Exception:
        found = expect(Failed, self.get())
        return found.error

    def compare(self, text: str) -> None:
        self.type(text, "B")
        traces = [self.engine.trace(TraceRequest(None, "cpu", one)).trace for one in ("the cat sat", text)]
        for run, trace in zip(ENCODED_RUNS, traces, strict=True):
            self.runs.show(run, TraceRequest(None, "cpu", trace.tokens.text), trace)
        self.runs.compare((traces[0], traces[1]), beside(*traces).alignment)

    def finish(self) -> list[Held]:
        """Run all that was submitted; return it."""
        held, self.jobs.submitted = self.jobs.submitted, []
        for one in held:
            one.run()
        QApplication.processEvents()
        return held


@pytest.fixture
def scene(qapp: QApplication, jobs: HeldJobs) -> _Scene:
    return _Scene(jobs)


class LinkedPanels:
    """A panel of the pairs of two texts with the link that opens the heads behind a pair."""

    def __init__(self) -> None:
        self.panels = Panels()
        self.panels.set_size(4, 6)
        pointer = Pointer()
        self.selections = pointer.selections
        HeadsOfPair(self.panels, pointer)
        self.open(Panel(0, 2, 3, "matrix", content=Content(PAIRS)), Panel(0, 2, 3, "lines"))

    def open(self, *panels: Panel) -> None:
        self.panels.open(panels)

    @property
    def contents(self) -> list[Content]:
        return [panel.content for panel in self.panels.panels]


@pytest.fixture
def linked(qapp: object) -> LinkedPanels:
    return LinkedPanels()


OTHER = ("[CLS]", "a", "fish", "sat", "[SEP]")


def _baselines(request: AnalysisRequest, trace: Trace, *_: object) -> HeadScalars:
    """Return the number of tokens as the baseline of every head."""
    values = np.full((1, trace.n_layers, trace.n_heads), trace.n_tokens, np.float32)
    return HeadScalars((Scalar("null", Quantity("weight")),), values)


def test_baselines_are_of_the_run_of_the_table_and_only_while_they_are_asked_for(
    scene: _Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene.engine, "analyse", _baselines)
    baselines, store = scene.baselines()
    shown: list[float | None] = []  # the number of tokens that the baselines are of
    baselines.changed.connect(
        lambda: shown.append(None if baselines.found is None else float(baselines.found.values.max()))
    )
    baselines.show("A")
    assert scene.jobs.submitted == []
    change_overview(store, shows_baselines=True)
    scene.finish()
    assert shown == [5]
    baselines.show("A")
    assert scene.jobs.submitted == [], "it is there already"
    scene.type("a dog ran off")
    baselines.show("A")
    assert shown == [5, None], "the numbers of another text are no baselines of this one"
    scene.finish()
    assert shown == [5, None, 6]
    scene.type("it", "B")
    baselines.show("B")
    scene.finish()
    assert shown == [5, None, 6, None, 3]
    change_overview(store, shows_baselines=False)
    assert shown == [5, None, 6, None, 3, None]


def test_baselines_that_cannot_be_had_have_a_reason(scene: _Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    error = AnalysisError("not for this model")
    baselines, store = scene.baselines()

    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(scene.engine, "analyse", refuse)
    change_overview(store, shows_baselines=True)
    scene.finish()
    assert (baselines.found, baselines.problem) == (None, error)
    scene.type("a dog ran off")
    monkeypatch.setattr(scene.engine, "analyse", _baselines)
    baselines.refresh()
    assert baselines.problem is None
    scene.finish()
    assert baselines.found is not None


@pytest.mark.parametrize("key", ["of-the-future", "jacobian-lens"])
def test_what_a_session_names_and_nobody_knows_is_refused_by_name(scene: _Scene, key: str) -> None:
    scene.choose(Content(key))
    scene.finish()
    assert (
        str(scene.error())
        == f"There is no analysis “{key}”. Choose another one by ▾ beside the title of the panel."
    )
    scene.choose(Content("attention-rollout", (("discard", 0.1),)))
    scene.finish()
    assert isinstance(scene.error(), AnalysisError)
    assert "discard" in str(scene.error())


def test_a_panel_that_shows_it_no_longer_cancels_it(scene: _Scene) -> None:
    scene.choose(ROLLOUT)
    scene.panels.open([scene.panel, scene.panel])
    scene.get()
    scene.panels.close(scene.panel.number)
    assert SLOT in scene.jobs.cancelled


def test_run_b_and_the_difference_are_computed_of_their_traces(scene: _Scene) -> None:
    scene.compare("the dog sat")
    scene.choose(Content(MATRICES.key))
    scene.finish()
    of_a = scene.result()
    scene.choose(Content(MATRICES.key), "A-B")
    scene.finish()
    difference = scene.result()
    assert len(difference.traces) == 2
    scene.choose(Content(MATRICES.key), "B")
    scene.finish()
    values = [one.result.arrays()["values"] for one in (of_a, scene.result(), difference)]
    np.testing.assert_allclose(values[0] - values[1], values[2], rtol=1e-6)


def test_an_analysis_of_one_head_is_of_that_of_its_panel(scene: _Scene) -> None:
    scene.choose(Content("score-parts", (("query", 2),)))
    assert scene.panel.shown_content.parameters == (("layer", 1), ("head", 2), ("query", 2))
    # a panel goes to the head that its new content names
    scene.choose(Content("score-parts", (("layer", 0), ("head", 1), ("query", 2))))
    assert (scene.panel.layer, scene.panel.head) == (0, 1)
    assert scene.panel.content == Content("score-parts", (("query", 2),))
    # the layer up to which an analysis goes is its own
    content = Content("attention-flow", (("layer", 0),))
    scene.choose(content)
    assert scene.panel.shown_content == content


def test_a_difference_of_results_that_cannot_be_subtracted_is_an_error(scene: _Scene) -> None:
    scene.compare("the dog sat")
    scene.choose(Content(NAMED.key), "A-B")
    scene.finish()
    assert str(scene.error()) == "There is no difference of two such results. Show run A or run B."


def test_another_run_b_leaves_what_reads_run_a_alone(scene: _Scene) -> None:
    """Only with parameters that need both runs is an analysis done again when run B changes."""
    scene.compare("the dog sat")
    of_both = (("mode", "largest"),)
    for parameters, n_again in ((), 0), (of_both, 1):
        scene.choose(Content(AT_TIMES_OF_TWO.key, parameters))
        scene.finish()
        assert isinstance(scene.result().result, HeadScalars)
        scene.type(f"the fish {n_again}", "B")
        scene.get()
        assert len(scene.jobs.submitted) == n_again
    scene.finish()
    assert isinstance(scene.choose(Content(AT_TIMES_OF_TWO.key, (("mode", "none"),))), Coming)
    scene.finish()
    assert "cannot be “none”" in str(scene.error())


def test_nothing_is_computed_of_a_difference_whose_run_a_is_another_one_already(scene: _Scene) -> None:
    scene.compare("the dog sat")
    for content in (ROLLOUT, Content(MATRICES.key)):
        scene.choose(content, "A-B")
        scene.finish()
        assert isinstance(scene.get(), Ready)
    before = scene.runs.compared
    scene.type("a dog ran off")
    assert scene.get() is None, "run B is encoded beside the new run A first"
    assert scene.jobs.submitted == []
    scene.compare("the dog sat")
    assert scene.runs.compared != before
    assert scene.get() == Coming()


def test_the_end_of_the_comparison_forgets_its_results(scene: _Scene) -> None:
    scene.compare("the dog sat")
    scene.choose(ROLLOUT, "A-B")
    scene.runs.drop("B")
    assert SLOT in scene.jobs.cancelled
    assert scene.get() is None


def test_a_pair_picked_in_the_matrix_opens_the_heads_behind_it_where_there_is_room(
    linked: LinkedPanels,
) -> None:
    linked.selections["A"].pin(4, partner=2)
    heads = Content(HEADS, (("token", 4), ("partner", 2)))
    assert linked.contents == [Content(PAIRS), heads, SHOWS_ATTENTION]
    assert linked.panels.active == linked.panels.panels[0]
    linked.selections["A"].walk_to(5, partner=1)
    assert linked.contents[1] == heads, "the arrow keys only pass"
    linked.selections["A"].pick()  # Enter
    assert linked.contents[1:] == [Content(HEADS, (("token", 5),)), SHOWS_ATTENTION]
    # six panels are the most
    linked.open(*[Panel(0, 2, 3, "matrix", content=Content(PAIRS))] * MOST)
    refused: list[bool] = []
    linked.panels.refused.connect(lambda: refused.append(True))
    linked.selections["A"].pin(4, partner=2)
    assert refused == [True]
    assert linked.contents == [Content(PAIRS)] * MOST


def test_only_a_pair_in_an_active_matrix_of_pairs_does(linked: LinkedPanels) -> None:
    linked.selections["B"].pin(4, partner=2)
    linked.selections["A"].pin(4)
    linked.selections["A"].pin(4, 2)  # two tokens of this run, as the matrix of a head has them
    linked.panels.activate(linked.panels.panels[1].number)
    linked.selections["A"].pin(4, partner=2)
    assert linked.contents == [Content(PAIRS), SHOWS_ATTENTION]


def test_between_two_texts_of_the_same_length_columns_are_of_the_other_one() -> None:
    trace = FakeEngine().trace(TraceRequest(None, "cpu", "the cat sat")).trace
    own = trace.tokens.pieces
    assert len(own) == len(OTHER)
    values = np.arange(25, dtype=np.float32).reshape(1, 5, 5)
    columns = []
    for kind in (RunMatrix, TokenMatrices):
        result = kind.dense(values.copy(), own, OTHER, Quantity(""), 0.0)
        made = pictures_of_result(result, (trace,)).make(0, 0, DrawOptions(), lambda: None)
        assert made.token_order.queries.labels == own
        columns.append(made.token_order.keys.labels)
    assert columns == [OTHER, own], "a matrix of a layer is between the tokens of the run"


def test_a_word_is_compared_in_one_panel_whichever_of_the_two_is_chosen() -> None:
    panels = Panels()
    panels.set_size(2, 3)
    compare_word(panels, 4, "A")
    assert [panel.content.analysis for panel in panels.panels].count("word-cosines") == 1
    assert len(panels.panels) == 3
    compare_word(panels, 6, "B")
    (panel,) = (panel for panel in panels.panels if panel.content.analysis)
    assert dict(panel.content.parameters) == {"token": 4, "beside": 6}
    assert panel.kind.key == "picture"
    compare_word(panels, 2, "A")  # beside the one that corresponds to it, whatever was chosen before
    (panel,) = (panel for panel in panels.panels if panel.content.analysis)
    assert dict(panel.content.parameters) == {"token": 2}
    panels.open([Panel(0, 0, 0, "matrix")] * MOST)
    compare_word(panels, 1, "B")
    assert not_none(panels.active).content == Content("word-cosines", (("beside", 1),))
