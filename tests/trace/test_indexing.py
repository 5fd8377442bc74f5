"""What selects layers, heads and tokens: numbers and positions, or a sentence on what is wrong with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bertviz_app.errors import ArgumentError, SelectionError
from bertviz_app.trace.indexing import as_number, as_positions


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_a_whole_number_of_any_kind(value: object) -> None:
    found = as_number(value, "layer")
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "None"), (True, "bool"), (np.True_, "bool"), (1.0, "float"), ("1", "str"), ([1], "list")],
)
def test_anything_else_is_named(value: object, shown: str) -> None:
    with pytest.raises(ArgumentError, match=f"layer is one number, not {shown}"):
        as_number(value, "layer")


@pytest.mark.parametrize(
    ("value", "positions"),
    [
        ([0, 4], [0, 4]),
        ([-5, -1], [-5, -1]),
        (np.array([2], np.uint8), [2]),
        ([], []),
        ([True, False, False, True, False], [0, 3]),
    ],
)
def test_positions_of_a_list(value: Any, positions: list[int]) -> None:
    found = as_positions(value, "rows", 5)
    assert isinstance(found, np.ndarray)
    assert (found.tolist(), found.dtype) == (positions, np.dtype(np.intp))


def test_a_slice_is_taken_as_it_is() -> None:
    assert as_positions(slice(1, 99), "rows", 5) == slice(1, 99)


@pytest.mark.parametrize(("value", "wrong"), [([0, 5], 5), ([-6, 0], -6), ([4, -7, 9], -7)])
def test_a_token_that_there_is_not_is_named_with_the_last(value: list[int], wrong: int) -> None:
    with pytest.raises(SelectionError, match=rf"no token {wrong}: this text has tokens 0 to 4\."):
        as_positions(value, "rows", 5)


@pytest.mark.parametrize("value", [3, None, "ab", [0.5], [[0]], [[0], [1, 2]], ["a"]])
def test_what_selects_no_tokens_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match="rows selects tokens") as caught:
        as_positions(value, "rows", 5)
    assert "rows=[0, 3]" in caught.value.hint


def test_true_and_false_are_as_many_as_tokens() -> None:
    with pytest.raises(SelectionError, match="rows has 2 values for 5 tokens"):
        as_positions([True, False], "rows", 5)
