"""Edits of run A: encoded at once, kept while they mean something, taken back where they cannot be made."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.text import Edits
from tests.support.held_state import HeldState
from tests.viewmodels.runs.test_workspace import open_state, state

__all__ = ["open_state", "state"]

MUTED = Edits(muted=((1, 2),))


def test_edits_are_encoded_at_once_and_told(open_state: HeldState) -> None:
    workspace = open_state.workspace
    told: list[Edits] = []
    workspace.edits_changed.connect(lambda: told.append(workspace.edits))
    workspace.set_edits(MUTED)
    assert not workspace.is_current
    open_state.work()
    assert workspace.is_current
    assert workspace.shown is not None
    assert workspace.shown.result.trace.muted == ((1, 2),)
    workspace.set_edits(MUTED)
    assert told == [MUTED]
    assert len(open_state.engine.requests) == 2


def test_another_text_keeps_muted_heads_and_no_replaced_token(open_state: HeldState) -> None:
    open_state.workspace.set_edits(replace(MUTED, replaced=((2, "[MASK]"),)))
    open_state.work()
    open_state.type("another text")
    assert open_state.workspace.edits == MUTED
    assert open_state.engine.requests[-1].edits == MUTED


def test_another_checkpoint_is_not_edited(open_state: HeldState) -> None:
    open_state.workspace.set_edits(MUTED)
    open_state.open("other")
    assert open_state.workspace.edits == Edits()
    assert open_state.engine.requests[-1].edits == Edits()


def test_a_checkpoint_is_opened_with_its_edits(open_state: HeldState) -> None:
    open_state.workspace.open_model("other", MUTED)
    open_state.work()
    assert (open_state.engine.requests[-1].ref, open_state.engine.requests[-1].edits) == ("other", MUTED)


def test_edits_given_before_the_first_checkpoint_stay(state: HeldState) -> None:
    state.workspace.edits = MUTED
    state.open()
    state.type("a text")
    assert state.engine.requests[-1].edits == MUTED


def test_a_piece_that_is_none_is_a_problem_and_taken_back(open_state: HeldState) -> None:
    open_state.workspace.set_edits(Edits(replaced=((2, "dog"),)))
    open_state.work()
    before = open_state.workspace.shown
    open_state.workspace.set_edits(Edits(replaced=((2, "nonsense"),)))
    open_state.work()
    assert open_state.problem is not None
    assert open_state.problem[0] == "text"
    assert open_state.workspace.edits == Edits(replaced=((2, "dog"),))
    assert open_state.workspace.shown is before
    assert open_state.workspace.is_current
