"""`difference_order`: which aligned tokens of two runs are drawn, and what they are called."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.trace import Trace
from bertviz_app.viewmodels.heads.token_places import TokenOrder, TokenPlaces, shown_tokens
from bertviz_app.viewmodels.options import DrawOptions


def difference_order(
    traces: tuple[Trace, Trace], positions: NDArray[np.int32], options: DrawOptions
) -> TokenOrder:
    """Return which aligned places are shown: as `options` say of A's token, of B's where A has a gap.

    Words are not joined: their pieces may be aligned differently.
    """
    at_a, at_b = positions[:, 0], positions[:, 1]
    shown = [shown_tokens(trace.tokens, options) for trace in traces]
    sides = []
    for of_a, of_b in zip(*shown, strict=True):
        is_shown = np.where(at_a >= 0, of_a[np.maximum(at_a, 0)], of_b[np.maximum(at_b, 0)])
        sides.append(is_shown if is_shown.any() else np.ones(len(positions), bool))
    queries, keys = (_aligned_places(traces, positions, np.flatnonzero(is_shown)) for is_shown in sides)
    return TokenOrder(queries, keys, len(positions))


def _aligned_places(
    traces: tuple[Trace, Trace], positions: NDArray[np.int32], shown: NDArray[np.intp]
) -> TokenPlaces:
    special = [trace.tokens.is_special for trace in traces]
    pairs = positions[shown].tolist()
    labels = _both([trace.tokens.labels for trace in traces], pairs)
    names = _both([trace.tokens.pieces for trace in traces], pairs)
    starts = shown.astype(np.int32)
    is_special = np.array([special[0][a] if a >= 0 else special[1][b] for a, b in pairs], bool)
    is_gap = np.array([a < 0 or b < 0 for a, b in pairs], bool)
    return TokenPlaces(starts, starts + 1, labels, names, is_special, is_gap)


def _both(texts: list[tuple[str, ...]], pairs: list[list[int]]) -> tuple[str, ...]:
    """Return the text of each pair of aligned tokens, both texts where they are not the same."""
    both = []
    for a, b in pairs:
        of_a, of_b = texts[0][a] if a >= 0 else "", texts[1][b] if b >= 0 else ""
        both.append(of_a if of_a == of_b else f"{of_a or '–'} | {of_b or '–'}")
    return tuple(both)
