"""The state of a window: restored, saved, undone and redone; a typed text is one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import shiboken6
from hypothesis import HealthCheck, given, settings, strategies as st
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import CheckpointError
from bertviz_app.options import PAGES, RUNS
from bertviz_app.text import Edits
from bertviz_app.text.edits import MASK, NO_EDITS, CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.viewmodels import state as module
from bertviz_app.viewmodels.panel import (
    MOST,
    PANEL_KINDS,
    PARAMETERS_PAGES,
    SHOWS_ATTENTION,
    Content,
    Panel,
    ParametersChoice,
    StepsChoice,
    VectorsChoice,
)
from bertviz_app.viewmodels.panels import Panels, Rooms
from bertviz_app.viewmodels.runs.comparison import ComparedPanels
from bertviz_app.viewmodels.state import (
    COLOURS,
    NOTHING,
    SCALES,
    SENTENCES,
    SHOWS,
    Arrangement,
    DrawOptions,
    NamedEdits,
    OtherRun,
    OverviewChoice,
    Pair,
    SavedInterventions,
    Store,
    WindowState,
    change_options,
    change_overview,
    in_files,
    state_from_plain,
    state_to_plain,
)
from tests.support.held_state import HeldHistory
from tests.support.scene import not_none
from tests.support.window_fixtures import _collected_here

__all__ = ["_collected_here"]
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
        SHOWS_ATTENTION,
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
def states(draw: st.DrawFn) -> WindowState:
    opened = tuple(draw(st.lists(panels(), min_size=1, max_size=MOST)))
    edits = draw(EDITS)
    pinned = draw(st.sampled_from([NOTHING, Pair(1, 2), Pair(2), Pair(None, 3)]))
    return WindowState(
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
def state(qapp: QApplication) -> HeldHistory:
    state = HeldHistory(qapp)
    state.open()
    state.type("the cat sat")
    return state


MUTED = Edits.of([HeadIntervention(1, 2)])
TO_COME = WindowState(
    "saved", ref="other", edits=Edits.of([TokenIntervention(1, "drop"), *MUTED.interventions])
)


@pytest.fixture
def history(qapp: QApplication) -> HeldHistory:
    history = HeldHistory(qapp)
    history.start(None)
    history.work()
    history.pause()
    return history


def _steps_and_vectors() -> Panels:
    panels = Panels()
    panels.set_size(4, 3)
    panels.open([Panel(0, 2, 1, "steps"), Panel(0, 2, 1, "vectors")])
    return panels


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=states())
def test_what_is_shown_again_is_what_was_taken(state: HeldHistory, wanted: WindowState) -> None:
    state.store.restore(wanted)
    assert in_files(state.store.now) == wanted, "also while its text is still being encoded"
    state.work()
    assert in_files(state.store.now) == wanted
    before = [panel.number for panel in state.panels.panels]
    state.store.restore(wanted)
    state.work()
    assert in_files(state.store.now) == wanted
    assert [panel.number for panel in state.panels.panels] == before, "nothing is opened anew"
    assert state_from_plain(state_to_plain(wanted)) == wanted


def test_what_is_typed_has_no_tokens_of_the_text_before(state: HeldHistory) -> None:
    token = TokenIntervention(1, "drop")
    off = SavedInterventions((), Edits.of([token, *MUTED.interventions]))
    state.store.restore(replace(TO_COME, other=OtherRun(edits=Edits.of([token])), interventions=off))
    state.workspace.set_texts("typed", None, at_once=True)
    state.work()
    assert state.shown_text == "typed"
    assert state.interventions.saved.off == MUTED
    assert state.comparison.other == OtherRun()


def test_what_is_typed_before_the_first_result_of_a_checkpoint_has_the_rest(state: HeldHistory) -> None:
    other = OtherRun(text="of its own", edits=Edits.of([TokenIntervention(1, "drop")]))
    off = SavedInterventions((), MUTED)
    panels = (Panel(0, 1, 2, "matrix"),)
    state.store.restore(replace(TO_COME, edits=NO_EDITS, other=other, interventions=off, panels=panels))
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
    state.store.restore(TO_COME)
    state.work()
    state.workspace.set_texts("typed", None, at_once=True)
    state.work()
    typed = state.store.now
    assert (typed.text, typed.ref) == ("typed", "other")


def test_interventions_of_a_checkpoint_that_did_not_open_are_not_made_to_another(qapp: QApplication) -> None:
    state = HeldHistory(qapp)
    state.engine.errors["other"] = CheckpointError("It is damaged.")
    state.workspace.expect_model("other")  # as the program does when it starts
    state.store.restore(TO_COME)
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
    wanted = WindowState(text="the cat sat", panels=larger)
    state.store.restore(wanted)
    state.work()
    fitted = [(panel.layer, panel.head, panel.heads) for panel in state.panels.panels]
    assert fitted == [(LAYERS - 1, 1, ()), (0, HEADS - 1, ())]
    changes: list[object] = []
    state.panels.changed.connect(lambda: changes.append(None))
    state.store.restore(wanted)
    state.work()
    assert changes == []


def test_results_that_arrive_are_no_steps(history: HeldHistory) -> None:
    history.type("one two three four")
    history.selection.pin(query=5)
    history.work()
    n_steps = len(history.texts)
    history.type("one")  # the pinned token is lost with the text
    assert len(history.texts) == n_steps + 1
    assert not history.selection.pinned
    history.store.undo()
    history.work()
    assert history.workspace.text == "one two three four"
    assert history.selection.pinned == Pair(5, None)


def test_what_is_typed_and_undone_at_once_is_not_lost(history: HeldHistory) -> None:
    history.type("one")
    history.workspace.set_texts("two", None, at_once=True)
    history.store.undo()
    history.work()
    assert history.workspace.text == "one"
    history.store.redo()
    history.work()
    assert history.workspace.text == "two"


def test_what_is_typed_before_an_undone_text_is_there_is_a_step(history: HeldHistory) -> None:
    history.type("one")
    history.type("two")
    history.store.undo()
    history.workspace.set_texts("three", None, at_once=True)
    assert history.store.now.text == "three", "what would be saved"
    history.pause()
    assert history.texts == ["one", "three"]
    history.store.undo()
    history.work()
    assert history.shown_text == "one"


def test_an_edit_that_is_undone_before_it_is_encoded_is_not_shown(history: HeldHistory) -> None:
    history.type("one two three")
    history.selection.pin(query=2)
    history.work()
    history.workspace.set_edits(MUTED)
    history.wait()  # it is being encoded
    history.store.undo()
    history.work()
    assert history.workspace.is_current
    assert not_none(history.workspace.shown).result.trace.muted == ()
    assert not history.workspace.is_busy
    assert history.selection.pinned == Pair(2), "what is pinned is of the run on screen"


def test_a_file_names_no_numbers_and_no_room_of_the_window_that_reads_it() -> None:
    plain = state_to_plain(WindowState("a text"))
    others = {"saved": 1, "room": "learn", "cards": ["heads"], "arrangement": {"docks": "abc"}}
    assert state_from_plain(plain | others) == WindowState("a text")


def test_what_was_typed_is_not_lost_to_redo(history: HeldHistory) -> None:
    history.type("one")
    history.type("two")
    history.store.undo()
    history.work()
    history.workspace.set_texts("three", None, at_once=True)
    history.store.redo()
    history.work()
    assert history.shown_text == "three"
    assert history.texts == ["one", "three"]


def test_after_an_undone_text_is_refused_steps_are_taken_again(history: HeldHistory) -> None:
    history.type("one")
    history.panels.show(0, 1)
    history.pause()
    refused = replace(history.store.now, text="\ud800")
    history.store.restore(refused)
    history.work()
    assert history.problem is not None
    history.panels.show(1, 2)
    assert history.store.now.panels != refused.panels


def test_another_checkpoint_comes_back_with_its_panels(history: HeldHistory) -> None:
    history.type("one")
    history.panels.show(0, 1)
    history.work()
    history.workspace.open_model("other")
    history.work()
    history.pause()
    history.panels.show(1, 2)
    history.work()
    history.store.undo()
    history.store.undo()
    assert history.workspace.ref is None
    history.work()
    assert not_none(history.workspace.facts).name == "fake"
    assert history.panels.open_heads() == [(0, 1), (0, 1)]


def test_steps_are_bounded(history: HeldHistory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 3)
    for text in ("a", "b", "c", "d", "e"):
        history.type(text)
    assert history.texts == ["c", "d", "e"]


def test_a_comparison_is_one_step_with_the_panels_that_it_opens(history: HeldHistory) -> None:
    compared = ComparedPanels(history.comparison, history.panels)
    assert compared
    history.type("one two three")
    history.selection.pin(query=2)
    history.work()
    before = history.store.now
    edits = Edits((), ((2, "[MASK]"),))
    history.comparison.set_other(OtherRun(edits=edits))
    history.work()
    assert [panel.run for panel in history.panels.panels] == ["A", "B", "A-B"]
    history.store.undo()
    history.work()
    assert in_files(history.store.now) == in_files(before)
    assert not history.comparison.is_on
    history.store.redo()
    history.work()
    assert [panel.run for panel in history.panels.panels] == ["A", "B", "A-B"]


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (VectorsChoice, {"page": "none"}),
        (StepsChoice, {"divisor": 0.0}),
        (ParametersChoice, {"page": "none"}),
        (DrawOptions, {"sentences": "ac"}),
        (DrawOptions, {"threshold": 1.5}),
        (DrawOptions, {"parse": "both"}),
        (OverviewChoice, {"shows": "beauty"}),
        (OverviewChoice, {"filtered_by": "x"}),
        (OverviewChoice, {"most": float("nan")}),
    ],
)
def test_what_a_choice_cannot_be_is_refused(make: Callable[..., object], wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must be|count from 0|positive"):
        make(**wrong)


CHANGES: dict[str, Callable[[HeldHistory], object]] = {
    "a panel": lambda history: history.panels.add(0, 1),
    "an option": lambda history: change_options(history.store, threshold=0.5),
    "a card": lambda history: history.store.change(arrangement=Arrangement("inspector floats", False)),
    "the pair's button": lambda history: change_overview(history.store, shows_pair=False),
    "a reason": lambda history: history.panels.choose(
        history.panels.panels[0].number, StepsChoice(shows_why=True)
    ),
    "a divisor": lambda history: history.panels.choose(
        history.panels.panels[0].number, StepsChoice(shows_why=True, divisor=2.0)
    ),
    "a pin": lambda history: history.selection.pin(query=2),
    "an edit": lambda history: history.interventions.of_run["A"].put(HeadIntervention(0, 1, "uniform")),
    "a weight": lambda history: history.interventions.of_run["A"].put(CellIntervention(0, 0, 1, 3, 0.5)),
    "what is off": lambda history: history.interventions.of_run["A"].switch(
        HeadIntervention(0, 1, "uniform"), False
    ),
    "a set": lambda history: history.interventions.name("a set", history.workspace.edits),
    "a reference": lambda history: history.interventions.set_reference("another text"),
    "none": lambda history: history.interventions.of_run["A"].remove_all(),
    "run B": lambda history: history.comparison.set_other(OtherRun(text="another text")),
}


def test_each_change_is_a_step_that_is_undone_and_redone(history: HeldHistory) -> None:
    history.type("one two three")
    seen = [history.store.now]
    for change in CHANGES.values():
        change(history)
        history.work()
        history.pause()
        seen.append(history.store.now)
    assert history.comparison.shown is not None
    for name, before in zip(reversed(CHANGES), reversed(seen[:-1]), strict=True):
        history.store.undo()
        history.work()
        assert in_files(history.store.now) == in_files(before), name
        assert history.store.now.arrangement == before.arrangement, name
    for name, after in zip(CHANGES, seen[1:], strict=True):
        history.store.redo()
        history.work()
        assert in_files(history.store.now) == in_files(after), name
        assert history.store.now.arrangement == after.arrangement, name


def test_another_layer_is_followed_and_the_divisor_forgotten() -> None:
    panels = _steps_and_vectors()
    for panel in panels.panels:
        panels.choose(panel.number, StepsChoice("top", "pooled", "table"))
        panels.choose(panel.number, VectorsChoice("map", 0))
    panels.show(2, 0)
    assert {panel.steps.part for panel in panels.panels} == {"top"}, "another head of the same layer"
    panels.show(3, 0)
    for panel in panels.panels:
        assert (panel.steps.part, panel.steps.form) == ("layer", "table")
        assert panel.vectors == VectorsChoice("map", None)
    # another layer keeps the reason and forgets the divisor
    panels = _steps_and_vectors()
    first = panels.panels[0].number
    for stop in (StepsChoice("layer", "softmax"), StepsChoice("top", "pooled")):
        panels.choose(first, replace(stop, shows_why=True, divisor=2.0, shows_products=True))
        panels.show(5 - panels.panels[0].layer, 0)
        steps = panels.panels[0].steps
        assert (steps.part, steps.shows_why, steps.divisor) == ("layer", True, None)
        assert steps.shows_products


def test_choices_are_in_the_session_file_and_older_files_have_defaults() -> None:
    steps, vectors = StepsChoice("embeddings", "token", "code"), VectorsChoice("similar", 1)
    panel = Panel(0, 1, 2, "steps", steps=steps, vectors=vectors)
    plain = state_to_plain(WindowState(text="a text", panels=(panel,)))
    assert plain["panels"][0]["how"] == "steps"
    for name in ("shows_why", "divisor", "shows_products"):
        del plain["panels"][0]["steps"][name]
    assert state_from_plain(plain).panels == (panel,), "a file from before these were saved"
    for name in ("steps", "vectors"):
        del plain["panels"][0][name]
    assert state_from_plain(plain).panels == (Panel(0, 1, 2, "steps"),)
    for part, form, wrong in (("nowhere", "walk", "part"), ("layer", "prose", "form")):
        plain["panels"][0]["steps"] = {"part": part, "stage": "queries", "form": form}
        with pytest.raises(ValueError, match=wrong):
            state_from_plain(plain)
    plain = state_to_plain(WindowState(pinned=Pair(3, 2), overview=OverviewChoice(shows_pair=False)))
    del plain["overview"]["shows_pair"]
    older = state_from_plain(plain)
    assert older.overview.shows_pair
    assert older.pinned == Pair(3, 2)


def test_to_unfold_the_reason_and_to_try_a_divisor_are_undone_but_not_each_number() -> None:
    walked = StepsChoice("top", "pooled", "table").undone
    assert walked == StepsChoice().undone
    assert StepsChoice(shows_why=True).undone != walked
    assert StepsChoice(shows_products=True).undone != walked
    assert StepsChoice(divisor=2.0).undone != walked
    assert StepsChoice(divisor=2.0).undone == StepsChoice(divisor=3.0).undone


def test_a_slot_is_called_where_its_field_changed_and_in_turn_after_what_a_slot_changed(
    qapp: QApplication,
) -> None:
    store, calls = Store(), list[tuple[str, str, Pair]]()

    def pin() -> None:
        calls.append(("first", store.now.text, store.now.pinned))
        store.change("amend", pinned=Pair(1))

    def note() -> None:
        calls.append(("second", store.before.text, store.now.pinned))

    store.watch(("text",), pin)
    store.watch(("text", "pinned"), note)
    store.change(overview=OverviewChoice(is_per_head=False))
    assert calls == []
    store.change("typing", text="a")
    assert calls == [("first", "a", NOTHING), ("second", "", Pair(1)), ("second", "a", Pair(1))]
    store.change(text="a", pinned=Pair(1))
    assert len(calls) == 3, "nothing is another value"


def test_steps_are_told_apart_by_what_made_them(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=10**6)
    for text in ("a", "ab"):
        store.change("typing", text=text)
    store.change("amend", pinned=Pair(1))
    store.change(pinned=Pair(2))
    store.change(options=DrawOptions(threshold=0.5))  # in the same turn: one gesture
    qapp.processEvents()
    with store.amending():
        store.change(options=DrawOptions(threshold=0.25))
    store.change(options=DrawOptions(threshold=0.75))
    seen = [(state.text, state.pinned, state.options.threshold) for state in store.steps]
    assert seen == [("ab", Pair(1), 0.0), ("ab", Pair(2), 0.25), ("ab", Pair(2), 0.75)]


def test_what_is_not_undone_makes_no_step(history: HeldHistory) -> None:
    history.type("one")
    history.store.change(parsed=Item(1, "two", marks=((0, 3, "root"),), heads=(ROOT,)))
    history.type("two")
    rooms = Rooms(history.panels)
    rooms.enter("explore")
    history.pause()
    before = [(panel.layer, panel.head, panel.view_kind) for panel in history.panels.panels]
    rooms.enter("learn")
    history.pause()
    assert [(panel.layer, panel.head, panel.view_kind) for panel in history.panels.panels] == before
    assert history.texts == ["one", "two", "two"], "Explore has one picture, and Learn the same one"
    history.store.undo()
    history.store.undo()
    history.work()
    assert history.shown_text == "one"
    assert rooms.room == "learn"


def test_a_slot_of_an_object_that_is_gone_is_not_called(qapp: QApplication) -> None:
    store, calls = Store(), list[str]()

    class Receiver(QObject):
        @Slot()
        def note(self) -> None:
            calls.append(store.now.text)

    receiver = Receiver()
    store.watch(("text",), receiver.note)
    store.change("typing", text="seen")
    shiboken6.delete(receiver)
    store.change("typing", text="not seen")
    assert calls == ["seen"]


def test_as_many_panels_keep_the_cards_that_are_there(qapp: QApplication) -> None:
    panels = Panels()
    panels.open([Panel(0, 0, 0, "lines"), Panel(0, 0, 1, "matrix")])
    first = [panel.number for panel in panels.panels]
    panels.open([Panel(0, 1, 2, "matrix"), Panel(0, 1, 1, "lines")])
    assert [panel.number for panel in panels.panels] == first
    panels.add(0, 2)
    numbers = [panel.number for panel in panels.panels]
    assert {*first} < {*numbers}
    assert len({*numbers}) == 3
    panels.close(numbers[0])
    panels.add(1, 1)
    (new,) = {panel.number for panel in panels.panels} - {*numbers[1:]}
    assert new not in numbers, "a card that was closed does not come back as another"
