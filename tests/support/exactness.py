"""How equality of numbers in float32 is judged: by the distance from the same pass in float64.

Two processors, or two orders of the same sum, give different last digits, and the larger the numbers within a
pass, the larger those digits. What an absolute bound allows is thus too little on one processor and too much
for small numbers; the distance of another implementation from float64 shows what float32 can give here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from tests.support.plugins import allowed

Array = NDArray[np.floating[Any]]
Arrays = Sequence[Array]
SHARE = 1e-5
"""The largest difference, as a share of the largest value, where there is no pass in float64."""

_Found = TypeVar("_Found")


class _Widened(TorchFunctionMode):
    """Every float32 that code asks for by name is float64: many models take exponentials and norms so."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if function is Tensor.float:
            function = Tensor.double
        named = {name: _wide(value) for name, value in (kwargs or {}).items()}
        return function(*map(_wide, args), **named)


def _wide(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value


def passes(model: nn.Module, run: Callable[[], _Found]) -> tuple[_Found, _Found]:
    """Return what `run` computes with `model`, whose weights are float32, and the same in float64.

    `model` is as before afterwards: each number of float32 is one of float64, too.
    """
    with torch.inference_mode():
        single = run()
    model.double()
    try:
        with in_float64():
            double = run()
    finally:
        model.float()
    return single, double


@contextmanager
def in_float64() -> Iterator[None]:
    """Have what is made without a dtype, and what is converted to float32 by name, in float64."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad(), _Widened():
            yield
    finally:
        torch.set_default_dtype(default)


def of_bound(ours: Arrays, theirs: Arrays, exact: Arrays | None = None) -> float:
    """Return the error of `ours` as a share of what it may be: 1 or less where it equals `theirs`.

    Each holds the arrays of a pass in the same order and shapes. The error is the distance from `exact`, the
    pass in float64, and may be what `allowed` says of that of `theirs`; or, where `exact` is None, the
    distance from `theirs`, which may be `SHARE`.
    """
    if exact is None:
        return distance(ours, theirs) / SHARE
    return distance(ours, exact) / allowed(distance(theirs, exact))


def distance(arrays: Arrays, exact: Arrays) -> float:
    """Return the largest error of any of `arrays` as a share of its largest value in `exact`.

    A number that is not finite must be the same. One of a whole pass, and not one for each array, since the
    largest error of few numbers is a matter of chance: for a pooled vector of 32 it varies by a factor of 4.
    """
    return max(_distance(found, best) for found, best in zip(arrays, exact, strict=True))


def _distance(found: Array, exact: Array) -> float:
    assert found.shape == exact.shape
    is_finite = np.isfinite(exact)
    np.testing.assert_array_equal(np.isfinite(found), is_finite)
    np.testing.assert_array_equal(found[~is_finite], exact[~is_finite])
    apart = float(np.abs(found[is_finite] - exact[is_finite].astype(np.float64)).max(initial=0))
    largest = float(np.abs(exact).max(where=is_finite, initial=0))
    if not largest:
        return math.inf if apart else 0.0
    return apart / largest
