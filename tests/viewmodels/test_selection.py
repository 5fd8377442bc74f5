"""What is pointed at: the hovered pair before the pinned one, told only when it changes."""

from __future__ import annotations

import pytest

from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection


class Counted(Selection):
    """A selection that counts how often it said that it changed."""

    def __init__(self) -> None:
        super().__init__()
        self.n_changes = 0
        self.changed.connect(self._count)

    def _count(self) -> None:
        self.n_changes += 1


@pytest.fixture
def selection() -> Counted:
    return Counted()


def test_at_first_nothing_is_highlighted(selection: Counted) -> None:
    assert selection.shown == NOTHING
    assert selection.highlighted == frozenset()


def test_a_hovered_pair_is_highlighted_until_the_pointer_leaves(selection: Counted) -> None:
    selection.hover(query=2, key=5)
    assert selection.shown == Pair(2, 5)
    assert selection.highlighted == {2, 5}
    selection.leave()
    assert selection.highlighted == frozenset()
    assert selection.n_changes == 2


def test_token_0_counts_as_something(selection: Counted) -> None:
    selection.hover(query=0)
    assert bool(selection.shown)
    assert selection.highlighted == {0}


def test_a_pinned_token_is_shown_unless_another_is_hovered(selection: Counted) -> None:
    selection.pin(query=1)
    selection.hover(key=3)
    assert selection.shown == Pair(key=3)
    selection.leave()
    assert selection.shown == Pair(query=1)


def test_pinning_the_same_again_lets_it_go(selection: Counted) -> None:
    selection.pin(query=1, key=2)
    selection.pin(query=1, key=2)
    assert selection.pinned == NOTHING
    selection.pin(query=1)
    selection.pin(query=4)
    assert selection.pinned == Pair(query=4)


def test_a_click_picks_and_the_arrow_keys_do_not(selection: Counted) -> None:
    picked: list[Pair] = []
    selection.picked.connect(picked.append)
    selection.pin(query=1)
    selection.walk_to(query=2, key=4)
    assert (selection.pinned, picked) == (Pair(2, 4), [Pair(1)])
    selection.pick()
    assert picked == [Pair(1), Pair(2, 4)]
    selection.pin(query=2, key=4)
    assert (selection.pinned, picked[2:]) == (NOTHING, [Pair(2, 4)])
    selection.pick()
    assert len(picked) == 3, "there is nothing to pick"


def test_clear_lets_both_go(selection: Counted) -> None:
    selection.pin(query=1)
    selection.hover(key=3)
    selection.clear()
    assert (selection.shown, selection.pinned) == (NOTHING, NOTHING)


def test_what_a_shorter_text_lacks_is_dropped(selection: Counted) -> None:
    selection.pin(query=1, key=9)
    selection.hover(query=9)
    selection.keep_within(9)
    assert selection.pinned == Pair(query=1)
    assert selection.shown == Pair(query=1)


def test_without_a_change_there_is_no_signal(selection: Counted) -> None:
    selection.hover(query=2)
    selection.n_changes = 0
    selection.hover(query=2)
    selection.keep_within(3)
    selection.leave()
    selection.leave()
    assert selection.n_changes == 1
