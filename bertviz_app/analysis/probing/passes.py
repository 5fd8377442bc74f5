"""How analyses run the model again: variants in one pass, gradients, and a layer in all its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, Refusal, analysis
from bertviz_app.analysis.parameters import Index, Reporter
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.values import dataclass, fields

if TYPE_CHECKING:
    from torch import Tensor

TOKENS_AT_ONCE = 1024
"""So many tokens are in one forward pass, those of several variants together."""


def batches(n_variants: int, n_tokens: int, at_once: int = TOKENS_AT_ONCE) -> Iterator[range]:
    """Yield the ranges of `n_variants` texts, of `n_tokens` each, that are encoded in one pass."""
    size = max(1, at_once // n_tokens)
    for first in range(0, n_variants, size):
        yield range(first, min(n_variants, first + size))


class Leaf:
    """A tap that makes the tensor at a point a leaf, with respect to which gradients can be computed.

    `values` take the place of the tensor, if they are given.
    """

    def __init__(self, point: Point, values: Tensor | None = None) -> None:
        self._point, self._values = point, values
        self._leaf: Tensor | None = None

    @property
    def leaf(self) -> Tensor:
        """The leaf, after a pass; at a point that each layer has, that of the last layer.

        Its shape is that of the point, see `trace.points.Point`.
        """
        assert self._leaf is not None
        return self._leaf

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether it is the point."""
        return point is self._point

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        given = tensor if self._values is None else self._values.to(tensor)
        self._leaf = given.detach().clone().requires_grad_()
        return self._leaf


def worst(*differences: float) -> float:
    """Return the largest of some differences, for an `identity_error`; nan if one of them is nan.

    Python's `max` passes over a nan that is not its first argument.
    """
    return float(np.max(differences))


refuse_without_masked_head = Refusal(
    lambda form, task_heads: "masked" not in task_heads,
    Message("This checkpoint does not predict masked tokens."),
    Message("Open one with a head for masked tokens."),
    "task head",
)


def predicted_token(inputs: Inputs, position: int | None) -> int | None:
    """Return a position that is given, else that of the first masked token; None where no token is masked.

    Raises SelectionError for a token that the text does not have.
    """
    if position is not None:
        return token_at(inputs.trace.tokens, position)
    masked = np.flatnonzero(inputs.trace.tokens.ids == inputs.opened.mask_id)
    return int(masked[0]) if len(masked) else None


def predicted_tokens(inputs: Inputs, positions: Sequence[int] | None) -> list[int]:
    """Return the positions that are given, else that of the first masked token, if any, as a list.

    Raises SelectionError for a token that the text does not have.
    """
    if positions is None:
        first = predicted_token(inputs, None)
        return [] if first is None else [first]
    return [token_at(inputs.trace.tokens, position) for position in dict.fromkeys(positions)]


@dataclass(frozen=True)
class LayerParameters:
    """`layer`: which one, from 0."""

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0


@analysis(
    key="layer-details",
    place=("layers", 9),
    title=Message("Stages of one layer"),
    summary=Message("Every array that a layer computes on its way from its input to its output."),
    limits=Message("It shows what is computed, not what it contributes to a prediction."),
    paper="Vaswani et al. 2017, arXiv:1706.03762, section 3; Devlin et al. 2019, arXiv:1810.04805, section 3",
    needs=Needs.MODEL,
)
def layer_stages(inputs: Inputs, parameters: LayerParameters, reporter: Reporter) -> NamedArrays:
    """Return the arrays of `trace.details.LayerDetails` by their names, such as "output" [T, D].

    `identity_error` is how far its output is from the next hidden state of the trace.
    """
    trace, layer = inputs.trace, parameters.layer
    details = inputs.opened.layer_details(trace, layer)
    reporter.progress(1)
    values = ((field.name, getattr(details, field.name)) for field in fields(LayerDetails))
    named = {name: value for name, value in values if isinstance(value, np.ndarray)}
    return NamedArrays(
        named,
        {name: _axes(name, array.shape, trace) for name, array in named.items()},
        {"layer": layer, "activation": details.activation},
        float(np.abs(details.output - trace.hidden[layer + 1]).max()),
        main="output",
    )


def _axes(name: str, shape: tuple[int, ...], trace: Trace) -> tuple[Axis, ...]:
    """Return the axes of an array: [H, T, E] of heads, [parts, T, N], [T, ...], or [D] of the pooler."""
    tokens, numbers = Axis("token", trace.tokens.pieces), counted("dimension", shape[-1])
    if len(shape) == 3:
        return counted("head" if name == "mixed" else "part", shape[0]), tokens, numbers
    return (numbers,) if len(shape) == 1 else (tokens, numbers)
