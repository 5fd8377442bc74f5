"""The token that Steps follow: the one under the pointer, else the pinned one, else the first of the text."""

from __future__ import annotations

import pytest

from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.steps.followed_query import FollowedQuery
from tests.support.factories import make_trace


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def followed(selection: Selection) -> FollowedQuery:
    made = FollowedQuery(selection)
    made.trace = make_trace(6)
    return made


def test_at_first_it_is_the_first_token_of_the_text(followed: FollowedQuery) -> None:
    assert followed.query == 1


def test_without_a_trace_it_is_the_only_position_there_is(selection: Selection) -> None:
    assert FollowedQuery(selection).query == 0


def test_what_the_pointer_rests_on_comes_before_what_is_pinned(
    followed: FollowedQuery, selection: Selection
) -> None:
    selection.pin(query=3)
    assert followed.query == 3
    selection.hover(query=4)
    assert followed.query == 4
    selection.leave()
    assert followed.query == 3


def test_a_token_that_the_text_does_not_have_is_not_followed(
    followed: FollowedQuery, selection: Selection
) -> None:
    selection.pin(query=17)
    assert followed.query == 1


def test_another_token_is_followed_by_pinning_it(followed: FollowedQuery, selection: Selection) -> None:
    selection.hover(query=4)
    followed.choose(2)
    assert (selection.pinned.query, followed.query) == (2, 2)


@pytest.mark.parametrize(("count", "expected"), [(1, 3), (-1, 1), (9, 5), (-9, 0)])
def test_a_step_ends_at_the_ends_of_the_text(followed: FollowedQuery, count: int, expected: int) -> None:
    followed.choose(2)
    followed.step(count)
    assert followed.query == expected
