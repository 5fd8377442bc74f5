"""`Statistics`: what the numbers of a stop range over, computed once for each of its tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.tensors import StopTensors


@dataclass(frozen=True)
class Statistics:
    """`n_outside` keys are beyond the query's window: these have no scores, so that they do not count.

    They are those after the query where `is_causal`.
    """

    shape: tuple[int, ...]
    minimum: float
    maximum: float
    mean: float
    n_outside: int = 0
    is_causal: bool = False


class StatisticsCache:
    """The statistics of the newest tensor: pointing at another token changes only those of one row."""

    def __init__(self) -> None:
        self._of: Floats | None = None
        self._known: Statistics | None = None

    def get(self, tensors: StopTensors) -> Statistics | None:
        """Return the statistics of a stop's tensor; None while it is not there."""
        values = tensors.tensor()
        if values is None:
            return None
        if self._known is None or self._of is None or not _is_same(self._of, values):
            self._of, self._known = values, statistics(tensors)
        return self._known


def _is_same(one: Floats, other: Floats) -> bool:
    """Return whether both are views of the same numbers; traces and details are never written to."""
    return one.shape == other.shape and one.strides == other.strides and one.ctypes.data == other.ctypes.data


def statistics(tensors: StopTensors) -> Statistics | None:
    """Return the statistics of a stop's tensor without keys beyond the window; None if it is not there."""
    values = tensors.tensor()
    if values is None:
        return None
    outside = _outside(tensors)
    inside = values if outside is None else values[:, ~outside] if len(values) == 1 else values[~outside]
    return Statistics(
        values.shape if len(values) > 1 else values.shape[1:],
        float(inside.min()),
        float(inside.max()),
        float(inside.mean(dtype=np.float64)),
        0 if outside is None else int(outside.sum()),
        tensors.trace.form.is_causal,
    )


def _outside(tensors: StopTensors) -> NDArray[np.bool_] | None:
    """Return [T], true for keys beyond the query's window; None of a stage that is not of the keys in it."""
    if tensors.steps is None or not STAGES[tensors.stop.stage].is_windowed:
        return None
    outside: NDArray[np.bool_] = np.isneginf(tensors.steps.biased)
    return outside if outside.any() else None
