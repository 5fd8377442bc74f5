"""What is left of texts that are too long, by hand-made counts."""

from __future__ import annotations

import pytest

from bertviz_app.text.cutter import Cut, fitted


def _cuts(count: int) -> list[Cut]:
    return [Cut(str(number), number, number + 1) for number in range(count)]


@pytest.mark.parametrize(
    ("lengths", "room", "left"),
    [
        ((5,), 3, (3,)),
        ((5,), 5, (5,)),
        ((7, 3), 8, (5, 3)),
        ((3, 7), 8, (3, 5)),
        ((7, 3), 5, (3, 2)),  # the odd piece stays with the first text, whichever was the longer one
        ((3, 7), 5, (3, 2)),
        ((4, 4), 7, (4, 3)),
        ((0, 4), 3, (0, 3)),
        ((1, 9), 1, (1, 0)),
    ],
)
@pytest.mark.parametrize("cuts_left", [False, True])
def test_the_longer_text_is_cut_first_then_both(
    lengths: tuple[int, ...], room: int, left: tuple[int, ...], cuts_left: bool
) -> None:
    found = fitted([_cuts(length) for length in lengths], room, cuts_left)
    for whole, rest, count in zip(map(_cuts, lengths), found, left, strict=True):
        assert rest == (whole[len(whole) - count :] if cuts_left else whole[:count])
