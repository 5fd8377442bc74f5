"""Edits of run A: encoded at once, kept while they mean something, taken back where they cannot be made."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.text import Edits
from tests.viewmodels.runs.test_workspace import Desk, desk, open_desk

__all__ = ["desk", "open_desk"]

MUTED = Edits(muted=((1, 2),))


def test_edits_are_encoded_at_once_and_told(open_desk: Desk) -> None:
    workspace = open_desk.workspace
    told: list[Edits] = []
    workspace.edits_changed.connect(lambda: told.append(workspace.edits))
    workspace.set_edits(MUTED)
    assert not workspace.is_current
    open_desk.work()
    assert workspace.is_current
    assert workspace.shown is not None
    assert workspace.shown.result.trace.muted == ((1, 2),)
    workspace.set_edits(MUTED)
    assert told == [MUTED]
    assert len(open_desk.engine.asked) == 2


def test_another_text_keeps_muted_heads_and_no_replaced_token(open_desk: Desk) -> None:
    open_desk.workspace.set_edits(replace(MUTED, replaced=((2, "[MASK]"),)))
    open_desk.work()
    open_desk.type("another text")
    assert open_desk.workspace.edits == MUTED
    assert open_desk.engine.asked[-1].edits == MUTED


def test_another_checkpoint_is_not_edited(open_desk: Desk) -> None:
    open_desk.workspace.set_edits(MUTED)
    open_desk.open("other")
    assert open_desk.workspace.edits == Edits()
    assert open_desk.engine.asked[-1].edits == Edits()


def test_a_checkpoint_is_opened_with_its_edits(open_desk: Desk) -> None:
    open_desk.workspace.open_model("other", MUTED)
    open_desk.work()
    assert (open_desk.engine.asked[-1].ref, open_desk.engine.asked[-1].edits) == ("other", MUTED)


def test_edits_given_before_the_first_checkpoint_stay(desk: Desk) -> None:
    desk.workspace.edits = MUTED
    desk.open()
    desk.type("a text")
    assert desk.engine.asked[-1].edits == MUTED


def test_a_piece_that_is_none_is_a_problem_and_taken_back(open_desk: Desk) -> None:
    open_desk.workspace.set_edits(Edits(replaced=((2, "dog"),)))
    open_desk.work()
    before = open_desk.workspace.shown
    open_desk.workspace.set_edits(Edits(replaced=((2, "nonsense"),)))
    open_desk.work()
    assert open_desk.problem is not None
    assert open_desk.problem[0] == "text"
    assert open_desk.workspace.edits == Edits(replaced=((2, "dog"),))
    assert open_desk.workspace.shown is before
    assert open_desk.workspace.is_current
