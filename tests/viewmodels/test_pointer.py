"""What is pointed at, pinned and zoomed into is one thing in all runs, and only a pin is in the state."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.viewmodels.options import NOTHING, Pair
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.state import Store

# A: w0 w1 w2, B: w0 x w1; "x" is new and w2 is gone
ALIGNED = np.array([[0, 0], [-1, 1], [1, 2], [2, -1]], np.int32)


@pytest.fixture
def pointer(qapp: QApplication) -> Pointer:
    return Pointer(Store(typing_ends_ms=0))


def test_a_gesture_in_one_run_is_told_once(pointer: Pointer) -> None:
    pointer.align(ALIGNED, ALIGNED)
    told: list[dict[str, Pair]] = []
    pointer.changed.connect(lambda: told.append({run: pointer.selections[run].shown for run in ("A", "B")}))
    pointer.selections["A"].hover(1, 0)
    pointer.selections["A"].hover(1, 0)
    pointer.selections["B"].pin(2)
    pointer.selections["A"].leave()
    assert told == [
        {"A": Pair(1, 0), "B": Pair(2, 0)},
        {"A": Pair(1, 0), "B": Pair(2, 0)},
        {"A": Pair(1), "B": Pair(2)},
    ]


def test_a_hover_takes_nothing_from_a_pin_on_a_token_that_the_other_run_lacks(pointer: Pointer) -> None:
    a, b = pointer.selections["A"], pointer.selections["B"]
    pointer.align(ALIGNED, ALIGNED)
    a.pin(2, 1)
    b.hover(0)
    assert (a.shown, a.pinned, b.pinned) == (Pair(0), Pair(2, 1), Pair(None, 2))
    b.leave()
    b.pin(1, 2)
    a.hover(0)
    assert (b.shown, b.pinned, a.pinned) == (Pair(0), Pair(1, 2), Pair(None, 1))


def test_what_is_hovered_and_pinned_in_run_a_is_so_in_a_new_run_b(pointer: Pointer) -> None:
    a, b = pointer.selections["A"], pointer.selections["B"]
    a.pin(1, 0)
    a.hover(1)
    pointer.align(ALIGNED, ALIGNED)
    assert (b.pinned, b.hovered) == (Pair(2, 0), Pair(2))
    same = ALIGNED[ALIGNED[:, 0] >= 0][:, :1].repeat(2, 1)
    pointer.align(same, same)
    assert (b.pinned, b.hovered) == (Pair(1, 0), Pair(1))


def test_a_hover_and_the_end_of_a_restoring_are_notified(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=0)
    pointer = Pointer(store)
    store.change(text="w1 w2", pinned=Pair(1))
    for text in ("w1", "w1 w2"):
        store.restore(store.now.with_texts(text, None))
    shown: list[Pair] = []
    a = pointer.selections["A"]
    pointer.changed.connect(lambda: shown.append(a.shown))
    a.hover(0)
    a.leave()
    store.settle(store.now)
    assert shown == [Pair(0), NOTHING, Pair(1)], "the pin is that of the run that comes back"


def test_undo_moves_the_pin_of_every_run(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=0)
    pointer = Pointer(store)
    store.change(text="w1 w2")
    pointer.align(ALIGNED, ALIGNED)
    for token in (0, 1):
        store.end_typing()
        pointer.selections["A"].pin(token)
    assert pointer.pinned("B") == Pair(2)
    store.undo()
    assert (pointer.pinned("A"), pointer.pinned("B"), pointer.pinned("A-B")) == (Pair(0), Pair(0), Pair(0))
    store.undo()
    assert (pointer.pinned("A"), pointer.pinned("B")) == (NOTHING, NOTHING)


def test_the_pin_of_a_text_that_is_being_restored_waits_for_it(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=0)
    pointer = Pointer(store)
    store.change(text="w1 w2", pinned=Pair(1))
    store.end_typing()
    store.assign(store.now.with_texts("w1", None))
    store.change("amend", pinned=NOTHING)
    store.undo()
    assert pointer.pinned("A") == NOTHING, "the text on screen is still the other one"
    pointer.selections["A"].hover(0)
    pointer.selections["A"].leave()
    assert store.now.pinned == Pair(1), "to point at the old text takes nothing from the one that comes back"
    store.settle(store.now)
    assert pointer.pinned("A") == Pair(1)


def test_the_end_of_a_comparison_drops_what_was_of_run_b(pointer: Pointer) -> None:
    pointer.align(ALIGNED, ALIGNED)
    pointer.selections["A"].pin(1, partner=2)
    assert pointer.pinned("B") == Pair(2, partner=1)
    pointer.part()
    assert (pointer.pinned("A"), pointer.pinned("B")) == (Pair(1), NOTHING)
    pointer.selections["B"].hover(1)
    assert pointer.hovered["A"] == NOTHING


def test_a_shorter_text_of_run_b_takes_no_pin_from_run_a(pointer: Pointer) -> None:
    a, b = pointer.selections["A"], pointer.selections["B"]
    pointer.align(ALIGNED, ALIGNED)
    a.pin(1, 0)
    b.hover(2)
    pointer.keep_within("B", 1)
    assert (a.pinned, b.pinned) == (Pair(1, 0), Pair(None, 0))
    assert (a.hovered, b.hovered) == (NOTHING, NOTHING), "the token under the pointer is gone"
    shorter = np.array([[0, 0], [1, -1], [2, -1]], np.int32)
    pointer.align(shorter, shorter)
    assert (a.pinned, b.pinned) == (Pair(1, 0), Pair(None, 0))
