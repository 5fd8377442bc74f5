"""How much each head reads of what each earlier head writes, by their weights."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Reporter, reported
from bertviz_app.analysis.picture import (
    Axis,
    Index,
    Picture,
    Quantity,
)
from bertviz_app.analysis.probing.blocks import Norm, array
from bertviz_app.analysis.results import (
    MOST_READ,
    Result,
    freeze,
)
from bertviz_app.errors import Message
from bertviz_app.features.methods.circuits.matrices import PAPER, HeadFactors, folded, input_norm
from bertviz_app.features.methods.decomposition.decompx import refuse_whole_layers
from bertviz_app.tables import RowSource, Table
from bertviz_app.types import Doubles, Floats
from bertviz_app.typeset import fixed, signed
from bertviz_app.values import dataclass


@dataclass(frozen=True, eq=False)
class HeadPairs(Result):
    """A number of each kind for each two heads: `values` [K, N, N], rows later heads, columns earlier ones.

    `heads` [N] are their names, such as "3.7", with `n_heads` in each layer. Where the head of the column is
    in no earlier layer the number is nan. `values` are less the `baseline`.
    """

    heads: tuple[str, ...]
    n_heads: int
    kinds: tuple[str, ...]
    values: Floats
    baseline: float
    identity_error: float | None = None

    def __post_init__(self) -> None:
        freeze(self.values, 3, len(self.kinds))

    @property
    def axes(self) -> tuple[Axis, ...]:
        return Axis("kind", self.kinds), Axis("head", self.heads), Axis("earlier head", self.heads)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values}

    @property
    def _names(self) -> tuple[str, ...]:
        """The names of the heads as they are on screen."""
        return tuple(name.replace(".", "·") for name in self.heads)

    def pictures(self) -> tuple[Picture, ...]:
        axes = Axis("head of all", self._names), Axis("earlier head", self._names)
        return tuple(
            Picture(kind, "cells", values, axes, Quantity(""), details=partial(self._read_most, at))
            for at, (kind, values) in enumerate(zip(self.kinds, self.values, strict=True))
        )

    def _read_most(self, kind: int, index: Index) -> tuple[str, ...]:
        """Return which earlier heads the head of a row reads most."""
        row, names = index["head of all"], self._names
        values = self.values[kind, row, : self.earlier(row)]
        if not len(values):
            return (Message("{0} is in the first layer: no head is earlier.", names[row]),)
        order = np.argsort(-values, kind="stable")[:MOST_READ]
        most = order[~np.isnan(values[order])].tolist()
        if not most:  # a pruned head reads nothing
            return ()
        named = ", ".join(f"{names[at]} ({signed(float(values[at]), 3)})" for at in most)
        return (Message("{0} reads most of {1}", names[row], named),)

    def findings(self) -> tuple[str, ...]:
        return (Message("ratios, less {0}, that of random directions", fixed(self.baseline, 3)),)

    def earlier(self, head: int) -> int:
        """Return how many heads are in earlier layers than `head`: the first ones."""
        return head - head % self.n_heads

    def as_table(self) -> Table:
        """Return a row for each head and each earlier one: layer and head of both, the number of each kind.

        Layer and head are columns of their own: a program might read the names "0.1" and "0.10" as numbers.
        """
        lines = RowSource(
            lambda: (
                (*divmod(at, self.n_heads), *divmod(sender, self.n_heads), *self.values[:, at, sender])
                for at in range(len(self.heads))
                for sender in range(self.earlier(at))
            )
        )
        return Table(("layer", "head", "earlier_layer", "earlier_head", *self.kinds), lines)


KINDS = ("queries", "keys", "values")
"""What of the later head reads the earlier one: Q-, K- and V-composition."""


@dataclass(frozen=True)
class CompositionParameters:
    """`norms`: what a head writes goes through the norms on its way, with their spreads left out."""

    norms: Annotated[bool, Message("Norms on the way")] = True


@analysis(
    key="composition",
    place=("circuits", 3),
    title=Message("Composition of heads"),
    summary=Message(
        "How much the queries, keys and values of each head read of what each earlier head writes, beside "
        "random matrices."
    ),
    limits=Message(
        "Weights alone: a head may read another one on no text. Feed-forward parts, biases and what "
        "positions do to scores are left out."
    ),
    paper=f"{PAPER}, Composition of heads",
    needs=Needs.MODEL,
    refuses=refuse_whole_layers,
)
def composition(inputs: Inputs, parameters: CompositionParameters, reporter: Reporter) -> HeadPairs:
    """Return how much each head reads of what each earlier head writes, less what random directions would.

    With OV_s = W_V W_O of the earlier head s, on rows, and QK_r = W_Q W_K^T of the later head r: "queries"
    |OV_s N QK_r| / (|OV_s N| |QK_r|), "keys" the same with QK_r^T, "values" with OV_r, in Frobenius norms.
    N is what lies between them: for each norm its weights, and the mean that it subtracts; without `norms`
    the identity. The spread that a norm divides by depends on the token; one number for all would cancel.

    `baseline` is 1 / sqrt(D): the root of the mean square of such a ratio if the later head read in a random
    rotation of the directions, exactly, whatever both matrices are. "values" [3, N, N] are the ratios less
    that baseline: rows are the later heads, columns the earlier ones, and nan where it is not earlier.

    Elhage et al. estimate their baseline by random matrices; for matrices of this shape it tends to the same.
    """
    trace, model = inputs.trace, inputs.opened
    n_heads, baseline = trace.n_heads, trace.width**-0.5
    found = np.full((len(KINDS), trace.n_layers * n_heads, trace.n_layers * n_heads), np.nan, np.float32)
    writes: dict[int, Floats] = {}  # [H, E, D]: what the heads of each earlier layer write, where it is read
    for layer in reported(range(trace.n_layers), reporter):
        factors = HeadFactors.of(model, trace, layer)
        norm = input_norm(model, trace, layer) if parameters.norms else None
        rows = slice(layer * n_heads, (layer + 1) * n_heads)
        readers = _readers(factors)
        for sender, written in writes.items():
            reporter.check()
            columns = slice(sender * n_heads, (sender + 1) * n_heads)
            arrived = written if norm is None else _through(norm, written)
            for at, reader in enumerate(readers):
                found[at, rows, columns] = _ratios(arrived, reader) - baseline
        weights = model.weights(layer)
        after = (weights.attention_norm, weights.feed_forward_norm)
        are_applied = parameters.norms and not trace.form.is_pre_norm
        norms: list[Step] = [Norm.of(one) for one in after if one is not None and are_applied]
        steps = [array(weights.output.weight).T, *norms] if trace.form.adds_before_projection else norms
        for earlier in writes:
            for step in steps:
                writes[earlier] = _through(step, writes[earlier])
        # As long as OV is: Q of QR is orthogonal.
        writes[layer] = (np.linalg.qr(factors.value, mode="r") @ factors.output).astype(np.float32)
        for step in norms:
            writes[layer] = _through(step, writes[layer])
    pruned = ~trace.present.ravel()
    found[:, pruned] = found[:, :, pruned] = np.nan
    heads = tuple(f"{layer}.{head}" for layer in range(trace.n_layers) for head in range(n_heads))
    return HeadPairs(heads, n_heads, KINDS, found, baseline)


Step = Norm | Doubles
"""A norm, or a matrix [D, D] that rows are multiplied with."""


def _through(step: Step, written: Floats) -> Floats:
    """Return rows [H, E, D] after a norm without its spread and bias, or after a matrix."""
    if isinstance(step, Norm):
        return step.linear(written.astype(np.float64), np.ones(written.shape[:-1])).astype(np.float32)
    found: Floats = written @ step.astype(np.float32)
    return found


def _readers(factors: HeadFactors) -> list[Floats]:
    """Return matrices [H, D, E] that make any rows as long as QK, QK^T and OV of the heads do."""
    pairs = (
        (factors.query, factors.key),
        (factors.key, factors.query),
        (factors.value, factors.output.swapaxes(-1, -2)),
    )
    return [(first @ folded(last)).astype(np.float32) for first, last in pairs]


def _ratios(written: Floats, reader: Floats) -> Doubles:
    """Return |A B| / (|A| |B|) of each A of `written` [H, E, D] and each B of `reader` [H, D, E]: [B, A]."""
    n_written, n_readers = len(written), len(reader)
    rows = written.reshape(-1, written.shape[-1])
    columns = reader.transpose(1, 0, 2).reshape(reader.shape[1], -1)
    squares = np.square(rows @ columns).reshape(n_written, -1, n_readers, reader.shape[-1])
    lengths = np.sqrt(squares.sum((1, 3), dtype=np.float64)).T
    own = [np.sqrt(np.square(each).sum((1, 2), dtype=np.float64)) for each in (reader, written)]
    both = own[0][:, None] * own[1]
    found: Doubles = np.divide(lengths, both, out=np.zeros_like(lengths), where=both > 0)
    return found
