"""Run B: what is other in it, that it follows A, what differs, and that nothing stale is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.errors import TextError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.options import ENCODED_RUNS, RUNS, Run
from bertviz_app.text import Edits
from bertviz_app.text.edits import MASK, CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels.heads.pictures import Pictures, picture_of
from bertviz_app.viewmodels.heads.places import difference_order, difference_source
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import Results, Tasks
from bertviz_app.viewmodels.runs import workspace as module
from bertviz_app.viewmodels.runs.comparison import Editing, consequences
from bertviz_app.viewmodels.runs.run import pair_in, saved_result
from bertviz_app.viewmodels.runs.shown import RunStates
from bertviz_app.viewmodels.state import (
    NOTHING,
    DrawOptions,
    OtherRun,
    Pair,
    Scale,
    Store,
    WindowState,
    change_options,
)
from bertviz_app.viewmodels.viewport import GAP, ZERO, TokenSpan
from tests.support.factories import dense, make_trace
from tests.support.fakes import HeldJobs
from tests.support.held_state import HeldPanels
from tests.support.scene import not_none

MASKED = Edits(replaced=((2, "[MASK]"),))
MUTED = Edits(muted=((1, 2),))


@pytest.fixture
def state(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> HeldPanels:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 0)
    state = HeldPanels(qapp)
    state.open()
    state.type("the cat sat")
    state.panels.set_size(2, 3)
    state.record(state.comparison, "changed", "shown_changed", "measured", "problem_changed")
    state.engine.requests.clear()
    return state


# the panels
def _heads(panels: Panels) -> list[tuple[str, int, int, str]]:
    return [(panel.run, panel.layer, panel.head, panel.view_kind) for panel in panels.panels]


class _Scene(HeldPanels):
    """Runs A, “the cat sat”, and B, “the cat slept”, each in a panel of its own."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        pointer = Pointer()
        self.selections = pointer.selections
        self.editing = Editing(self.workspace, self.comparison, self.panels, pointer)
        self.replacements: list[tuple[int, str]] = []
        self.editing.replacement_requested.connect(lambda *of: self.replacements.append(of))
        self.record(self.editing, "prediction_requested")
        self.open()
        self.type("the cat sat")

    def compare_texts(self) -> None:
        self.compare(OtherRun(text="the cat slept"))
        self.panels.open(
            [Panel(0, 0, 1, "matrix"), Panel(0, 1, 2, "matrix", "B"), Panel(0, 1, 2, "matrix", "A-B")]
        )

    def activate(self, index: int) -> None:
        self.panels.activate(self.panels.panels[index].number)


@pytest.fixture
def scene(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> _Scene:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 0)
    return _Scene(qapp)


# A: w0 w1 w2 w3 w4, B: w0 x w1 w3 w4; "x" is new and w2 is gone
ALIGNED = np.array([[0, 0], [-1, 1], [1, 2], [2, -1], [3, 3], [4, 4]], np.int32)


@pytest.fixture
def store(qapp: QApplication) -> Store:
    return Store()


@pytest.fixture
def sides(jobs: HeldJobs, store: Store) -> RunStates:
    tasks = Tasks(jobs)
    results = Results(tasks)
    pictures = {run: Pictures(results, store, run) for run in RUNS}
    made_sides = RunStates(pictures, Pointer(parent=tasks), store, tasks)
    made_sides.show("A", AttentionNumbers(make_trace(5)))
    return made_sides


@pytest.fixture
def compared(sides: RunStates) -> RunStates:
    other = make_trace(5, seed=1)
    sides.show("B", AttentionNumbers(other))
    sides.compare((AttentionNumbers(make_trace(5)), AttentionNumbers(other)), ALIGNED)
    return sides


def _is_signed_and_scaled(level: NDArray[np.uint8], expected: NDArray[np.float64], scale: Scale) -> None:
    known = np.nan_to_num(expected)
    assert (level[np.isnan(expected)] == GAP).all()
    level = np.where(np.isnan(expected), ZERO, level).astype(np.uint8)
    assert (np.sign(level.astype(int) - 128) * np.sign(known) >= 0).all()
    sizes = np.abs(known)
    if scale == "linear":
        np.testing.assert_allclose(level.astype(int) - 128, known / sizes.max() * 127, atol=0.51)
    if scale == "row":
        shares = np.abs(level.astype(int) - 128).max(1)
        assert set(shares[sizes.max(1) > 0].tolist()) == {127}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (OtherRun(text="it", pair="slept"), TraceRequest(None, "auto", "it", "slept")),
        (OtherRun(ref="large"), TraceRequest("large", "auto", "the cat sat")),
        (
            OtherRun("large", "it slept", None, MASKED),
            TraceRequest("large", "auto", "it slept", None, MASKED),
        ),
    ],
)
def test_run_b_is_run_a_but_for_what_is_other(
    state: HeldPanels, other: OtherRun, expected: TraceRequest
) -> None:
    state.compare(other)
    assert state.compared_with == expected
    assert state.comparison.is_other
    assert state.comparison.is_current
    assert state.signals.count("shown_changed") == 1
    assert state.signals.count("measured") == 1


def test_a_comparison_begins_with_the_edits_of_a(state: HeldPanels) -> None:
    state.workspace.set_edits(MUTED)
    state.work()
    state.comparison.begin()
    state.work()
    assert state.edits == (MUTED, MUTED)
    state.workspace.set_edits(Edits())
    state.work()
    assert state.edits == (Edits(), MUTED)
    assert state.comparison.is_other


def test_it_follows_run_a_and_a_text_of_its_own_stays(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.type("a dog")
    assert state.compared_with == TraceRequest(None, "auto", "a dog", None, MUTED)
    state.type("a dog", "ran")
    assert state.compared_with == TraceRequest(None, "auto", "a dog", "ran", MUTED)
    assert state.comparison.is_current
    # a text of its own stays
    state.compare(OtherRun(text="it slept"))
    state.type("a dog")
    assert state.compared_with == TraceRequest(None, "auto", "it slept")
    assert not_none(state.comparison.difference).traces[0] is not_none(state.workspace.shown).result.trace


def test_all_that_names_tokens_goes_with_them_and_stays_while_the_text_does(state: HeldPanels) -> None:
    """The tokens of B are numbered as they are typed: what A leaves out does not move them."""
    drop, segment = TokenIntervention(3, "drop"), TokenIntervention(2, "segment", 1)
    cells = CellIntervention(0, 0, 1, 2, 0.5), CellIntervention(0, 0, 1, 3, 0.5)
    state.compare(OtherRun(edits=Edits(((1, 2),), ((1, "[MASK]"),), (), (drop, segment), cells)))
    before = state.comparison.other
    state.workspace.set_edits(Edits.of([TokenIntervention(1, "drop")]))
    state.work()
    assert state.comparison.other == before
    state.workspace.set_edits(Edits())
    state.work()
    state.type("the cat slept")
    assert state.comparison.other == OtherRun(
        edits=Edits(((1, 2),), ((1, "[MASK]"),), (), (segment,), cells[:1])
    )


def test_going_back_to_the_shown_run_cancels_the_requested_one(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.comparison.set_other(OtherRun(edits=MASKED))
    state.wait()
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.wait()
    assert state.encoder.cancelled[-1] == "encode B"
    assert not state.comparison.is_busy
    state.work()
    assert state.edits[1] == MUTED


def test_while_another_a_is_coming_b_waits_for_it(state: HeldPanels) -> None:
    state.workspace.set_texts("a dog", None, at_once=True)
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.wait()
    assert state.encoder.of("encode B") == []
    state.work()
    assert [(request.text, request.edits) for request in state.engine.requests] == [
        ("a dog", Edits()),
        ("a dog", MUTED),
    ]


def test_a_problem_leaves_the_last_good_b(state: HeldPanels) -> None:
    state.compare(OtherRun(text="it slept"))
    before = state.comparison.shown
    state.engine.errors["bad"] = TextError("Bad.", "Be good.")
    state.compare(OtherRun(text="bad"))
    comparison = state.comparison
    assert comparison.problem is not None
    assert (comparison.problem.field, comparison.problem.error.message) == ("text", "Bad.")
    assert comparison.shown is before
    assert not comparison.is_current
    state.compare(OtherRun(text="it slept"))
    assert comparison.problem is None
    state.compare(OtherRun(edits=Edits(replaced=((2, "nonsense"),))))
    assert comparison.problem is not None
    comparison.end()
    assert comparison.problem is None


def test_what_is_typed_into_run_b_is_its_own(state: HeldPanels) -> None:
    comparison = state.comparison
    comparison.set_texts("it slept", "well")
    assert comparison.other == OtherRun(text="it slept", pair="well")
    comparison.set_texts("", "well")
    assert comparison.other == OtherRun(pair="well")
    state.work()
    assert state.compared_with == TraceRequest(None, "auto", "the cat sat", "well")
    comparison.set_texts("", "")
    assert comparison.other == OtherRun()
    # another text has no replaced tokens and another checkpoint no edits
    comparison = state.comparison
    comparison.set_edits(Edits(MUTED.muted, MASKED.replaced))
    comparison.set_texts("it slept")
    assert comparison.other == OtherRun(text="it slept", edits=MUTED)
    comparison.open_model("large")
    assert comparison.other == OtherRun("large", "it slept")


def test_a_token_and_a_head_are_compared(state: HeldPanels) -> None:
    comparison = state.comparison
    comparison.compare_token(2, "[MASK]")
    comparison.compare_head(1, 2)
    assert comparison.other == OtherRun(edits=Edits(MUTED.muted, MASKED.replaced))
    comparison.set_texts("it slept")
    comparison.compare_token(2, "dog")
    assert comparison.other == OtherRun(edits=Edits(replaced=((2, "dog"),)))


def test_a_head_that_a_mutes_is_compared_with_it_heard(state: HeldPanels) -> None:
    state.workspace.set_edits(MUTED)
    state.work()
    state.comparison.compare_head(1, 2)
    state.work()
    assert state.edits == (MUTED, Edits())
    state.comparison.compare_head(1, 2)
    assert state.comparison.other == OtherRun()


@pytest.mark.parametrize(
    "other", [OtherRun(edits=MUTED), OtherRun("large", "it ran", edits=Edits(replaced=((1, "dog"),)))]
)
def test_swapped_twice_all_is_as_it_was(state: HeldPanels, other: OtherRun) -> None:
    state.compare(other)
    assert state.workspace.shown is not None
    before = (state.workspace.shown.result.request, state.compared_with)
    state.comparison.swap()
    state.work()
    swapped = (state.workspace.shown.result.request, state.compared_with)
    assert swapped[0] == before[1]
    assert swapped[1] is not None
    assert swapped[1].ref == ("fake" if other.ref else None)
    assert (swapped[1].text, swapped[1].edits) == (before[0].text, before[0].edits)
    state.comparison.swap()
    state.work()
    assert state.workspace.shown.result.request.text == before[0].text
    assert state.compared_with == before[1]


@pytest.mark.parametrize(("before", "then"), [("lines", "matrix"), ("words", "words")])
def test_the_first_other_run_opens_panels_and_the_end_puts_back_what_was_there(
    state: HeldPanels, before: str, then: str
) -> None:
    state.panels.open([Panel(0, 1, 0, before), Panel(0, 0, 2, "matrix")], active=0)
    state.comparison.begin()
    state.work()
    assert [panel.run for panel in state.panels.panels] == ["A", "A"]
    state.comparison.compare_head(1, 2)
    state.work()
    assert _heads(state.panels) == [(run, 1, 0, then) for run in ("A", "B", "A-B")]
    state.panels.show(0, 1)
    state.comparison.end()
    assert _heads(state.panels) == [("A", 0, 1, before), ("A", 0, 2, "matrix")]
    assert state.panels.active == state.panels.panels[0]


def test_an_analysis_of_two_runs_is_shown_once_beside_their_difference(state: HeldPanels) -> None:
    state.panels.open([Panel(0, 1, 0, "matrix", content=Content("divergence"))])
    state.comparison.compare_head(1, 2)
    state.work()
    shown = [(panel.run, panel.content.analysis) for panel in state.panels.panels]
    assert shown == [("A", "divergence"), ("A-B", "")]
    state.comparison.end()
    assert [panel.content.analysis for panel in state.panels.panels] == ["divergence"]


def test_panels_that_the_user_arranged_stay(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.panels.close(state.panels.panels[1].number)
    state.compare(OtherRun(edits=MASKED))
    assert [panel.run for panel in state.panels.panels] == ["A", "A-B"]
    state.comparison.end()
    assert [panel.run for panel in state.panels.panels] == ["A"]


@pytest.mark.parametrize(
    ("other", "runs"), [(OtherRun(text="the cat slept"), ["A", "A"]), (OtherRun(), ["A", "B", "A-B"])]
)
def test_panels_of_a_session_with_a_run_b_stay(state: HeldPanels, other: OtherRun, runs: list[str]) -> None:
    panels = Panel(0, 1, 0, "lines"), Panel(0, 0, 2, "grid", content=Content("patching"))
    state.store.restore(WindowState("the cat sat", panels=panels, other=other))
    state.work()
    assert [panel.content.analysis for panel in state.panels.panels] == ["", "patching"]
    state.compare(OtherRun(text="the dog slept"))
    assert [panel.run for panel in state.panels.panels] == runs, "a run B that was as A opens them"
    state.comparison.end()
    assert [panel.content.analysis for panel in state.panels.panels] == ["", "patching"]


def test_what_two_runs_differ_in() -> None:
    one = make_trace(5)
    assert one.pooled is not None
    other = replace(one, muted=((1, 2),), pooled=np.roll(one.pooled, 1))
    found = consequences(one, other)
    assert found.muted == ((1, 2),)
    assert found.n_differences == 1
    a, b = one.pooled.astype(float), np.roll(one.pooled, 1).astype(float)
    assert found.cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    # heads that both runs mute are no difference
    one = replace(make_trace(5), muted=((0, 1),))
    assert consequences(one, replace(one, muted=((0, 1), (1, 0)))).muted == ((1, 0),)
    # several differences are counted
    one = make_trace(5)
    assert consequences(one, one).n_differences == 0
    assert consequences(one, replace(make_trace(6), muted=((1, 2),), model="another")).n_differences == 3


def test_what_one_run_alone_does_to_heads_weights_and_ids_is_named_with_that_run() -> None:
    one = make_trace(5)
    both, of_a = HeadIntervention(0, 1, "uniform"), HeadIntervention(1, 0, "mean", "a text")
    segment, cell = TokenIntervention(2, "segment", 1), CellIntervention(0, 0, 1, 3, 0.5)
    a = replace(one, heads=(both, of_a))
    b = replace(one, heads=(both,), cells=(cell,), provenance=replace(one.provenance, tokens=(segment,)))
    found = consequences(a, b)
    assert found.others == (("A", of_a), ("B", segment), ("B", cell))
    assert found.n_differences == 1
    assert not consequences(a, a).others


def test_how_far_vectors_were_moved() -> None:
    one = replace(make_trace(5), pooled=None)
    found = consequences(one, one)
    assert not found.is_pooled
    assert found.cosine == pytest.approx(1)
    # other widths have no cosine
    assert consequences(make_trace(5), make_trace(5, n_heads=2)).cosine is None
    # sentence vectors have a cosine where both runs have one
    one = make_trace(5)
    assert consequences(one, one).sentence_cosine is None
    a, b = (replace(one, sentence_vector=np.array(x, np.float32)) for x in ([1, 0], [3, 4]))
    assert consequences(a, b).sentence_cosine == pytest.approx(0.6)
    assert consequences(a, one).sentence_cosine is None


@pytest.mark.parametrize(("panel", "run"), [(0, "A"), (1, "B"), (2, "A")])
def test_keys_act_on_the_run_of_the_active_panel_and_on_run_a_of_a_difference(
    scene: _Scene, panel: int, run: str
) -> None:
    scene.compare_texts()
    scene.activate(panel)
    scene.selections["A"].pin(query=1)
    scene.selections["B"].pin(query=3)
    assert (scene.editing.run, scene.editing.pinned) == (run, 3 if run == "B" else 1)


def test_a_token_and_a_head_of_run_b_are_edited_there_alone(scene: _Scene) -> None:
    scene.compare_texts()
    for piece in (MASK, "cat", None):
        scene.editing.put("B", 3, piece)
        scene.work()
        replaced = () if piece is None else ((3, piece),)
        assert scene.comparison.other == OtherRun(text="the cat slept", edits=Edits(replaced=replaced))
    assert scene.workspace.edits == Edits()
    # the head of a panel of run b is muted there
    scene.compare_texts()
    scene.activate(1)
    scene.editing.toggle_mute_active()
    scene.work()
    assert scene.comparison.other == OtherRun(text="the cat slept", edits=Edits(((1, 2),)))
    scene.activate(2)
    scene.editing.toggle_mute_active()
    scene.work()
    assert scene.workspace.edits == Edits(((1, 2),)), "of a difference it is run A"


@pytest.mark.parametrize("position", [-1, 5])
def test_a_special_token_and_none_at_all_are_not_edited(scene: _Scene, position: int) -> None:
    scene.engine.task_heads = ("masked",)
    scene.type("the cat ate")
    for edit in (
        scene.editing.toggle_mask,
        scene.editing.compare_token,
        scene.editing.predict,
        scene.editing.ask_for_replacement,
    ):
        edit(position)
    scene.work()
    assert (scene.workspace.edits, scene.comparison.other) == (Edits(), None)
    assert (scene.replacements, scene.signals) == ([], [])


def test_a_prediction_masks_the_token_pins_it_and_is_to_be_shown(scene: _Scene) -> None:
    scene.editing.predict(2)
    assert (scene.workspace.edits, scene.signals) == (Edits(), []), "this model has no such head"
    scene.engine.task_heads = ("masked",)
    scene.type("the cat ate")
    scene.editing.predict(2)
    scene.work()
    assert scene.workspace.edits == Edits(replaced=((2, "[MASK]"),))
    assert scene.selections["A"].pinned == Pair(2)
    assert scene.signals == ["prediction_requested"]


def test_runs_are_linked_while_they_are_compared(compared: RunStates) -> None:
    assert compared["A-B"].viewport.counts == (6, 6)
    compared["A"].viewport.show(TokenSpan(0.0, 3.0), TokenSpan(2.0, 5.0))
    assert compared["B"].viewport.queries == TokenSpan(0.0, 3.0)
    assert compared["A-B"].viewport.queries.length == pytest.approx(3.6)
    compared["A-B"].viewport.fit()
    assert compared["A"].viewport.is_whole
    # the end of the comparison unties the runs
    compared["A"].selection.pin(1, 1)
    compared.end_comparison()
    assert compared["B"].selection.shown == NOTHING
    compared["A"].selection.pin(2, 2)
    assert compared["A-B"].selection.shown == NOTHING
    assert compared["B"].pictures.get(0, 0) is None


def test_a_pin_stays_only_where_a_new_text_has_the_same_tokens() -> None:
    before, longer = make_trace(5), make_trace(7)  # w1, w2 and w3 where they were; [SEP] was the last of five
    other = replace(longer, tokens=replace(longer.tokens, pieces=("[CLS]", "w1", "x", *"defg"), text="w1 x"))
    assert pair_in(Pair(1, 2), before, longer) == Pair(1, 2)
    assert pair_in(Pair(1, 2), longer, other) == NOTHING  # not w1 -> x
    assert pair_in(Pair(1), longer, other) == Pair(1)
    assert pair_in(Pair(4), before, longer) == NOTHING  # [SEP] of five tokens, w4 of seven
    pieces = ("[CLS]", "w1", "[MASK]", *longer.tokens.pieces[3:])
    masked = replace(longer, tokens=replace(longer.tokens, pieces=pieces))
    assert pair_in(Pair(2, 1), longer, masked) == Pair(2, 1)  # the text is the same


def test_a_reading_with_fewer_places_is_shown_whole(sides: RunStates, store: Store) -> None:
    assert sides["A"].viewport.counts == (5, 5)
    change_options(store, hides_special=True)
    assert sides["A"].viewport.counts == (3, 3)
    change_options(store, hides_special=False)
    assert sides["A"].viewport.counts == (5, 5)


@pytest.mark.parametrize("scale", ["linear", "row"])
def test_the_difference_is_a_minus_b_between_aligned_tokens_and_nothing_at_gaps(scale: Scale) -> None:
    traces = make_trace(5), make_trace(5, seed=1)
    options = DrawOptions(scale=scale)
    token_order = difference_order(traces, ALIGNED, options)
    source = difference_source(
        (AttentionNumbers(traces[0]), AttentionNumbers(traces[1])), ALIGNED, 1, 2, token_order
    )
    weights = [dense(trace)[1, 2] for trace in traces]
    expected = np.full((6, 6), np.nan)
    for row, (a, b) in enumerate(ALIGNED.tolist()):
        for column, (c, d) in enumerate(ALIGNED.tolist()):
            if min(a, b, c, d) >= 0:
                expected[row, column] = weights[0][a, c] - weights[1][b, d]
    np.testing.assert_allclose(source.rows(0, 6), expected, atol=2e-6)
    np.testing.assert_allclose(source.row(2), expected[2], atol=2e-6)
    np.testing.assert_allclose(source.column(4), expected[:, 4], atol=2e-6)
    assert source.parts(2, 4) == pytest.approx((weights[0][1, 3], weights[1][2, 3]), abs=2e-6)
    picture = picture_of(source, 1, 2, options, lambda: None)
    _is_signed_and_scaled(picture.pyramid.levels[0], expected, scale)
    assert picture.largest == pytest.approx(np.nanmax(np.abs(expected)), abs=2e-6)
    sums = [np.where(np.isnan(expected).all(axis), np.nan, np.nansum(expected, axis)) for axis in (1, 0)]
    np.testing.assert_allclose(picture.row_sums, sums[0], atol=1e-5)
    np.testing.assert_allclose(picture.column_sums, sums[1], atol=1e-5)
    assert not_none(token_order.queries.is_gap).tolist() == [False, True, False, True, False, False]


def test_the_end_takes_everything_away(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.signals.clear()
    state.comparison.end()
    assert (state.comparison.shown, state.comparison.difference, state.comparison.is_on) == (
        None,
        None,
        False,
    )
    assert state.signals == ["changed", "shown_changed"]
    state.type("a dog")
    assert state.compared_with is None


@pytest.mark.parametrize("run", ENCODED_RUNS)
def test_other_numbers_wait_for_a_text_that_is_under_way(scene: _Scene, run: Run) -> None:
    scene.compare_texts()
    changed = scene.editing.runs[run]
    assert changed.shown is not None
    changed.set_texts("it slept", at_once=True)
    scene.wait()
    assert not changed.prepare_as(replace(changed.shown.overview.stamp, special_tokens="removed"))
    scene.work()
    assert changed.shown.result.request.text == "it slept"


def test_nothing_can_be_edited_beside_saved_numbers(scene: _Scene) -> None:
    scene.compare_texts()
    a = not_none(scene.workspace.shown)
    assert all(scene.editing.can_replace(1, run) for run in ENCODED_RUNS)
    scene.workspace.show_saved(saved_result(a.result.trace, SavedCheckpoint.of(a.result.facts)))
    assert not any(scene.editing.can_replace(1, run) for run in ENCODED_RUNS)
