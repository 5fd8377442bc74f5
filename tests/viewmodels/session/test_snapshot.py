"""A snapshot that is shown is the one that is taken afterwards, from whatever was shown before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import CheckpointError
from bertviz_app.options import PAGES
from bertviz_app.text import Edits
from bertviz_app.text.edits import MASK, NO_EDITS
from bertviz_app.text.interventions import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels.interventions.interventions import NamedEdits, SavedInterventions
from bertviz_app.viewmodels.options import COLOURS, SCALES, SENTENCES, DrawOptions
from bertviz_app.viewmodels.overview_options import SHOWS, OverviewChoice
from bertviz_app.viewmodels.panel_choices import (
    ATTENTION,
    PARAMETERS_PAGES,
    Content,
    ParametersChoice,
    StepsChoice,
    VectorsChoice,
)
from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS
from bertviz_app.viewmodels.panels import MOST, RUNS, Panel
from bertviz_app.viewmodels.runs.requests import OtherRun
from bertviz_app.viewmodels.selection import NOTHING, Pair
from bertviz_app.viewmodels.session.snapshot import Snapshot, snapshot_from_plain, snapshot_to_plain
from tests.support.held_state import HeldHistory

LAYERS, HEADS = 2, 3  # of the fake engine
TEXTS = st.sampled_from(["the cat sat", "a dog ran off", "one more text"])
HEAD = st.tuples(st.integers(0, LAYERS - 1), st.integers(0, HEADS - 1))
EDITS = st.builds(
    Edits,
    replaced=st.sampled_from([(), ((2, MASK),), ((1, "cat"), (3, MASK))]),
    muted=st.lists(HEAD, max_size=3, unique=True).map(lambda heads: tuple(sorted(heads))),
    tokens=st.sampled_from([(), (TokenIntervention(2, "segment", 1),)]),
    cells=st.sampled_from([(), (CellIntervention(1, 2, 1, 2, 0.25),)]),
)
SETS = st.lists(st.builds(NamedEdits, st.sampled_from(["early", "late"]), EDITS), max_size=2).map(tuple)


CONTENTS = st.sampled_from(
    [
        ATTENTION,
        Content("attention-rollout", (("residual", 0.25),)),
        Content("predictions", (("positions", (1, 2)), ("top", 3))),
        Content("head-measures", part="entropy"),
        Content("of-the-future", (("name", "text"), ("is_on", True), ("nothing", None))),
    ]
)


@st.composite
def panels(draw: st.DrawFn) -> Panel:
    """Panels as they can be: of several heads, the one in front is one."""
    layer, head = draw(HEAD)
    others = draw(st.sets(st.integers(0, HEADS - 1)))
    heads = tuple(sorted(others | {head})) if others - {head} else ()
    kind = draw(st.sampled_from(list(PANEL_KINDS)))
    runs = [run for run in RUNS if run != "A-B" or PANEL_KINDS[kind].has_difference]
    steps = StepsChoice(draw(st.sampled_from(["embeddings", "layer", "top"])), "queries", "table")
    state = draw(st.none() | st.integers(0, LAYERS))
    vectors = VectorsChoice(draw(st.sampled_from(PAGES)), state)
    run = draw(st.sampled_from(runs))
    parameters = draw(
        st.builds(ParametersChoice, st.sampled_from(PARAMETERS_PAGES), st.just("a.b"), st.integers(0, 3))
    )
    return Panel(0, layer, head, kind, run, heads, steps, vectors, draw(CONTENTS), parameters)


@st.composite
def kept_interventions(draw: st.DrawFn, edits: Edits) -> SavedInterventions:
    """Sets, and what is switched off: nothing that is on, or contradicts it."""
    off = draw(EDITS)
    for one in edits.interventions:
        off = off.without_alike(one)
    return SavedInterventions(draw(SETS), off, draw(st.sampled_from(["a reference", "another one"])))


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    opened = tuple(draw(st.lists(panels(), min_size=1, max_size=MOST)))
    edits = draw(EDITS)
    pinned = draw(st.sampled_from([NOTHING, Pair(1, 2), Pair(2), Pair(None, 3)]))
    return Snapshot(
        text=draw(TEXTS),
        pair=draw(st.sampled_from([None, "of two"])),
        ref=draw(st.sampled_from([None, "other"])),
        edits=edits,
        other=draw(st.none() | st.builds(OtherRun, text=st.none() | TEXTS, edits=EDITS)),
        panels=opened,
        active=draw(st.integers(0, len(opened) - 1)),
        pinned=pinned,
        options=DrawOptions(
            threshold=draw(st.floats(0, 1)),
            sentences=draw(st.sampled_from(SENTENCES)),
            hides_special=draw(st.booleans()),
            scale=draw(st.sampled_from(SCALES)),
            colours=draw(st.sampled_from(COLOURS)),
        ),
        overview=OverviewChoice(
            draw(st.sampled_from(SHOWS)), draw(st.booleans()), shows_pair=draw(st.booleans())
        ),
        dtype=draw(st.sampled_from(["float32", "bfloat16"])),
        interventions=draw(kept_interventions(edits)),
    )


@pytest.fixture
def state(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> HeldHistory:
    monkeypatch.setattr("bertviz_app.viewmodels.runs.available.list_sources", list)
    monkeypatch.setattr("bertviz_app.viewmodels.runs.available.preload_torch", lambda: None)
    state = HeldHistory(qapp)
    state.open()
    state.type("the cat sat")
    return state


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(snapshot=snapshots())
def test_what_is_shown_again_is_what_was_taken(state: HeldHistory, snapshot: Snapshot) -> None:
    state.snapshot_taker.show(snapshot)
    assert state.snapshot_taker.take() == snapshot, "also while its text is still being encoded"
    state.work()
    assert state.snapshot_taker.take() == snapshot
    before = [panel.number for panel in state.panels.panels]
    state.snapshot_taker.show(snapshot)
    state.work()
    assert state.snapshot_taker.take() == snapshot
    assert [panel.number for panel in state.panels.panels] == before, "nothing is opened anew"
    assert snapshot_from_plain(snapshot_to_plain(snapshot)) == snapshot


MUTED = Edits.of([HeadIntervention(1, 2)])
TO_COME = Snapshot("saved", ref="other", edits=Edits.of([TokenIntervention(1, "drop"), *MUTED.interventions]))


def test_what_is_typed_while_the_checkpoint_opens_has_the_rest_of_the_snapshot(state: HeldHistory) -> None:
    state.snapshot_taker.show(replace(TO_COME, panels=(Panel(0, 1, 2, "matrix"),)))
    state.workspace.set_texts("typed", None, at_once=True)
    typed = state.snapshot_taker.take()
    assert (typed.text, typed.ref, typed.edits) == ("typed", "other", MUTED), "the token is another one"
    state.work()
    assert (state.shown_text, state.workspace.ref) == ("typed", "other")
    assert state.workspace.edits == MUTED
    assert [(panel.layer, panel.head) for panel in state.panels.panels] == [(1, 2)]


def test_what_is_typed_has_no_tokens_of_the_text_before(state: HeldHistory) -> None:
    token = TokenIntervention(1, "drop")
    off = SavedInterventions((), Edits.of([token, *MUTED.interventions]))
    state.snapshot_taker.show(replace(TO_COME, other=OtherRun(edits=Edits.of([token])), interventions=off))
    state.workspace.set_texts("typed", None, at_once=True)
    state.work()
    assert state.shown_text == "typed"
    assert state.interventions.saved.off == MUTED
    assert state.comparison.other == OtherRun()


def test_what_is_typed_before_the_first_result_of_a_checkpoint_has_the_rest(state: HeldHistory) -> None:
    other = OtherRun(text="of its own", edits=Edits.of([TokenIntervention(1, "drop")]))
    off = SavedInterventions((), MUTED)
    panels = (Panel(0, 1, 2, "matrix"),)
    state.snapshot_taker.show(replace(TO_COME, edits=NO_EDITS, other=other, interventions=off, panels=panels))
    state.wait()
    state.encoder.submitted.pop(0).run()  # the checkpoint is open, and its text is to be encoded
    state.wait()
    assert state.workspace.opening.pending is None
    assert state.shown_text != "saved"
    state.workspace.set_texts("typed", None, at_once=True)
    state.work()
    assert (state.shown_text, state.workspace.ref) == ("typed", "other")
    assert state.comparison.other == other
    assert state.interventions.saved.off == MUTED
    assert [(panel.layer, panel.head) for panel in state.panels.panels if panel.run == "A"] == [(1, 2)]


def test_what_is_typed_where_the_checkpoint_does_not_open_is_saved_with_its_name(qapp: QApplication) -> None:
    state = HeldHistory(qapp)
    state.engine.errors["other"] = CheckpointError("It is damaged.")
    state.snapshot_taker.show(TO_COME)
    state.work()
    state.workspace.set_texts("typed", None, at_once=True)
    state.work()
    typed = state.snapshot_taker.take()
    assert (typed.text, typed.ref) == ("typed", "other")


def test_interventions_of_a_checkpoint_that_did_not_open_are_not_made_to_another(qapp: QApplication) -> None:
    state = HeldHistory(qapp)
    state.engine.errors["other"] = CheckpointError("It is damaged.")
    state.snapshot_taker.show(TO_COME, opens=False)
    state.open("other")
    assert state.workspace.edits == TO_COME.edits
    state.open("another")
    assert state.workspace.edits == NO_EDITS
    assert state.shown_text == "saved"


def test_panels_of_a_larger_model_are_fitted_once_and_not_opened_again(state: HeldHistory) -> None:
    larger = (
        Panel(0, LAYERS + 3, 1, "lines", heads=(1, HEADS + 4)),
        Panel(0, 0, HEADS + 4, "lines", heads=(0, 1)),
    )
    snapshot = Snapshot(text="the cat sat", panels=larger)
    state.snapshot_taker.show(snapshot)
    state.work()
    fitted = [(panel.layer, panel.head, panel.heads) for panel in state.panels.panels]
    assert fitted == [(LAYERS - 1, 1, ()), (0, HEADS - 1, ())]
    changes: list[object] = []
    state.panels.changed.connect(lambda: changes.append(None))
    state.snapshot_taker.show(snapshot)
    state.work()
    assert changes == []
