"""Interventions one by one, in both runs: switched, named, removed, undone, and part of the session."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.text import Edits
from bertviz_app.text.edits import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels.interventions import RunInterventions, TokenIds
from bertviz_app.viewmodels.session.archive import MEMBER, Session, load_session, save_session
from bertviz_app.viewmodels.state import REFERENCE, NamedEdits, SavedInterventions, WindowState
from tests.support.held_state import HeldHistory
from tests.support.scene import expect, not_none

ZERO, UNIFORM = HeadIntervention(1, 2), HeadIntervention(0, 1, "uniform")
MEAN = HeadIntervention(1, 1, "mean", REFERENCE)
DROP, CELL = TokenIntervention(2, "drop"), CellIntervention(0, 0, 1, 3, 0.5)


@pytest.fixture
def state(qapp: QApplication) -> HeldHistory:
    state = HeldHistory(qapp)
    state.start(None)
    state.work()
    state.pause()
    state.type("the cat ate the fish")
    state.work()
    return state


def _do(state: HeldHistory) -> None:
    """Let what was done be encoded, and become a step."""
    state.work()
    state.pause()


SAVED = SavedInterventions(
    (NamedEdits("a set", Edits.of([MEAN, DROP])),), Edits.of([UNIFORM, CELL]), "a text"
)


def _content(path: Path) -> dict[str, object]:
    with ZipFile(path) as archive:
        content: dict[str, object] = json.loads(archive.read(MEMBER))
    return content


@pytest.fixture
def of_b(state: HeldHistory) -> RunInterventions:
    of_b = state.interventions.of_run["B"]
    assert not of_b.run.is_editable
    of_b.put(ZERO)
    assert not of_b.edits, "there is no run B"
    state.comparison.begin()
    _do(state)
    return of_b


def test_a_head_is_one_thing_at_a_time(state: HeldHistory) -> None:
    found = state.interventions.of_run["A"]
    for kind in ("zero", "mean", "uniform"):
        found.set_head(1, 1, kind)
        assert [one.kind for one in found.edits.interventions if isinstance(one, HeadIntervention)] == [kind]
    found.set_head(1, 1, "mean")
    assert found.edits == Edits.of([MEAN])
    found.set_head(1, 1, None)
    assert not found.edits


def test_what_is_switched_off_stays_in_the_list(state: HeldHistory) -> None:
    found = state.interventions.of_run["A"]
    found.put(ZERO)
    found.put(UNIFORM)
    found.switch(ZERO, False)
    assert (found.edits.interventions, state.interventions.saved.off.interventions) == ((UNIFORM,), (ZERO,))
    found.switch(ZERO, True)
    assert (found.edits.interventions, state.interventions.saved.off.interventions) == ((UNIFORM, ZERO), ())
    found.switch(ZERO, False)
    found.put(HeadIntervention(1, 2, "uniform"))  # something else for the same head
    assert not state.interventions.saved.off
    found.remove(HeadIntervention(1, 2, "uniform"))
    assert found.edits.interventions == (UNIFORM,)
    found.remove_all()
    assert not found.edits


def test_a_set_is_switched_as_one(state: HeldHistory) -> None:
    found = state.interventions.of_run["A"]
    found.put(ZERO)
    found.put(UNIFORM)
    state.interventions.name("  two   heads ", found.edits)
    (named,) = state.interventions.saved.sets
    assert named == NamedEdits("two heads", Edits.of([ZERO, UNIFORM]))
    found.put(MEAN)
    assert named.is_within(found.edits)
    found.switch_all(named.edits, False)
    assert found.edits.interventions == (MEAN,)
    assert not named.is_within(found.edits)
    found.switch_all(named.edits, True)
    assert set(found.edits.interventions) == {ZERO, UNIFORM, MEAN}
    state.interventions.name("two heads", found.edits)  # another set of the same name
    assert [one.edits for one in state.interventions.saved.sets] == [Edits.of([ZERO, UNIFORM, MEAN])]
    state.interventions.remove_set(state.interventions.saved.sets[0])
    assert not state.interventions.saved.sets
    assert set(found.edits.interventions) == {ZERO, UNIFORM, MEAN}


def test_positions_are_those_on_screen(state: HeldHistory) -> None:
    found = state.interventions.of_run["A"]
    found.set_token(2, TokenIntervention(0, "drop"))
    _do(state)
    found.set_token(2, TokenIntervention(0, "segment", 1))
    found.set_weight((0, 1), 1, 2, 0.5)
    assert found.edits.tokens == (TokenIntervention(2, "drop"), TokenIntervention(3, "segment", 1))
    assert found.edits.cells == (CellIntervention(0, 1, 1, 3, 0.5),)


def test_a_session_with_muted_heads_alone_is_as_before(tmp_path: Path) -> None:
    path = tmp_path / "session.bva"
    edits = Edits(((1, 2),), ((2, "[MASK]"),))
    save_session(path, Session(WindowState("the cat ate", edits=edits)))
    content = _content(path)
    assert content["version"] == 2
    save_session(path, Session(WindowState("the cat ate", edits=edits, interventions=SAVED)))
    assert _content(path)["version"] == 3, "programs that know no interventions refuse it by name"
    # As it was written before there were other interventions.
    snapshot = expect(dict, content["snapshot"])
    snapshot["edits"] = {"muted": [[1, 2]], "replaced": [[2, "[MASK]"]]}
    del snapshot["interventions"]
    with ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, json.dumps(content))
    found = load_session(path).state
    assert found.edits == edits
    assert found.interventions == SavedInterventions()


def test_run_b_has_interventions_of_its_own(state: HeldHistory, of_b: RunInterventions) -> None:
    of_b.put(ZERO)
    of_b.put(DROP)
    _do(state)
    of_b.switch(ZERO, False)
    _do(state)
    assert (of_b.edits, of_b.off) == (Edits.of([DROP]), Edits.of([ZERO]))
    assert state.interventions.saved.off_in_b == Edits.of([ZERO]), "part of the session"
    assert not state.workspace.edits
    assert not state.interventions.of_run["A"].off


def test_what_is_off_in_run_b_follows_its_text_and_ends_with_it(
    state: HeldHistory, of_b: RunInterventions
) -> None:
    def switch_off() -> None:
        for one in (ZERO, DROP):
            of_b.put(one)
            _do(state)
            of_b.switch(one, False)
            _do(state)
        assert of_b.off == Edits.of([ZERO, DROP])

    switch_off()
    state.comparison.set_texts("the dog ran")
    _do(state)
    assert of_b.off == Edits.of([ZERO]), "the token is gone, the head is not"
    state.comparison.set_texts("")
    _do(state)
    switch_off()
    state.type("another text of run A")
    _do(state)
    assert of_b.off == Edits.of([ZERO]), "which run B reads, too"
    state.comparison.end()
    assert not of_b.off


@pytest.mark.parametrize("run", ENCODED_RUNS)
def test_what_is_off_ends_with_the_checkpoint(state: HeldHistory, run: Run) -> None:
    found = state.interventions.of_run[run]
    state.comparison.begin()  # which has the checkpoint of run A
    _do(state)
    found.put(ZERO)
    _do(state)
    found.switch(ZERO, False)
    _do(state)
    state.open("other")
    assert not found.off
    state.pause()
    state.store.undo()
    state.work()
    assert found.off == Edits.of([ZERO])


def test_a_new_reference_text_is_taken_in_both_runs(state: HeldHistory, of_b: RunInterventions) -> None:
    elsewhere = HeadIntervention(0, 0, "mean", "a text that the session has")
    of_b.put(elsewhere)
    state.interventions.of_run["A"].put(ZERO)
    assert of_b.edits == Edits.of([elsewhere]), "nothing but a new reference text changes it"
    of_b.set_head(1, 1, "mean")
    state.interventions.set_reference("another text")
    assert of_b.edits.references == ("another text",)
    of_b.set_head(0, 1, "mean")
    assert of_b.edits.references == ("another text",)


def test_the_last_position_is_the_last_that_the_checkpoint_has(state: HeldHistory) -> None:
    ids = state.interventions.of_run["A"].ids_at(1)
    assert ids.last_position == not_none(state.workspace.shown).result.facts.n_positions - 1
    assert not ids.is_special
    assert state.interventions.of_run["A"].ids_at(10**6) == TokenIds()
