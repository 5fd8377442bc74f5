"""The OV and QK matrices of heads by their small factors, and what they do to the pieces of a vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters, Reporter, reported
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.probing.blocks import Norm, array, bias_of, refuse_blocks
from bertviz_app.analysis.probing.passes import worst
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import DenseWeights, ModelAccess

PAPER = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits"

PIECES_AT_ONCE = 2048
"""So many pieces of the vocabulary are multiplied between two checks."""
MOST_CHECKED = 32
"""The identity is measured at this number of tokens at most, the first ones."""


@dataclass(frozen=True, eq=False)
class HeadFactors:
    """The small factors of the heads of a layer, which act on rows x: OV = value output, QK = query key^T.

    A head adds (x_j value + value_bias) output for a weight of 1 on token j, and its score of a query i and
    a key j is (x_i query + query_bias) . (x_j key + key_bias), scaled. Both matrices are [D, D] and of rank E
    at most, so that they are never multiplied out.
    """

    query: Doubles  # [H, D, E]
    query_bias: Doubles  # [H, E]
    key: Doubles  # [H, D, E]
    key_bias: Doubles  # [H, E]
    value: Doubles  # [H, D, E]
    value_bias: Doubles  # [H, E]
    output: Doubles  # [H, E, D]

    @staticmethod
    def of(model: ModelAccess, trace: Trace, layer: int) -> HeadFactors:
        """Return the factors of `layer`. Raises SelectionError for a layer that does not exist."""
        weights = model.weights(layer)
        shape = trace.n_heads, trace.head_width

        def split(dense: DenseWeights) -> tuple[Doubles, Doubles]:
            columns = array(dense.weight).T
            matrices = columns.reshape(len(columns), *shape).transpose(1, 0, 2)
            return matrices, bias_of(dense, shape[0] * shape[1]).reshape(shape)

        output = array(weights.output.weight).T.reshape(*shape, -1)
        return HeadFactors(*split(weights.query), *split(weights.key), *split(weights.value), output)


def input_norm(model: ModelAccess, trace: Trace, layer: int) -> Norm | None:
    """Return the norm that stands before the attention of `layer`; None where none does."""
    norm = model.weights(layer).attention_norm
    return Norm.of(norm) if trace.form.is_pre_norm and norm is not None else None


def read_by(norm: Norm | None, vectors: Doubles) -> Doubles:
    """Return the input of the attention for vectors [n, D] that enter the layer."""
    if norm is None:
        return vectors
    found: Doubles = norm.linear(vectors, norm.spread(vectors)) + norm.bias
    return found


def factors_error(factors: HeadFactors, trace: Trace, layer: int, norm: Norm | None) -> float:
    """Return how far values and products of queries and keys by the factors are from those of the trace.

    Rotated queries and keys are compared at the same position, where both are rotated alike.
    """
    tokens = slice(0, MOST_CHECKED)
    read = read_by(norm, trace.hidden[layer, tokens].astype(np.float64))
    queries = read @ factors.query + factors.query_bias[:, None]  # [H, t, E]
    keys = read @ factors.key + factors.key_bias[:, None]
    values = read @ factors.value + factors.value_bias[:, None]
    own, others = (each[layer, :, tokens].astype(np.float64) for each in (trace.queries, trace.keys))
    if trace.form.is_rotary:
        scores, expected = (queries * keys).sum(-1), (own * others).sum(-1)
    else:
        scores, expected = queries @ keys.swapaxes(-1, -2), own @ others.swapaxes(-1, -2)
    apart = np.abs(scores - expected).max() * trace.scale
    return worst(float(apart), float(np.abs(values - trace.values[layer, :, tokens]).max()))


def folded(matrices: Doubles) -> Doubles:
    """Return S [..., E, E] for matrices M [..., D, E], with S^T S = M^T M: |S X| = |M X| for every X.

    The symmetric root of M^T M. Numbers smaller than 1e-8 of the largest are rounding.
    """
    values, vectors = np.linalg.eigh(matrices.swapaxes(-1, -2) @ matrices)
    found: Doubles = (vectors * np.sqrt(values.clip(min=0))[..., None, :]) @ vectors.swapaxes(-1, -2)
    return found


def singular_values(left: Doubles, right: Doubles) -> Doubles:
    """Return the singular values [..., E] of left [..., D, E] times right [..., E, D], the largest first.

    The product has no others but zeros.
    """
    small = folded(left) @ folded(right.swapaxes(-1, -2))
    return np.linalg.svd(small, compute_uv=False).astype(np.float64)


def positive_share(small: Doubles) -> Doubles:
    """Return [...], the sum of the eigenvalues of matrices [..., E, E] over the sum of their absolute values.

    1: all are positive; 0: as many one way as the other; -1: all are negative. A matrix of zeros has 0.
    """
    sizes = np.abs(np.linalg.eigvals(small)).sum(-1)
    traces: Doubles = np.trace(
        small, axis1=-2, axis2=-1
    )  # the sum of the eigenvalues, without their rounding
    found: Doubles = np.divide(traces, sizes, out=np.zeros_like(traces), where=sizes > 0)
    return found.clip(-1, 1)


def effective_rank(values: Doubles) -> Doubles:
    """Return how many directions carry a matrix with singular values [..., E]: (sum s^2)^2 / sum s^4."""
    squares = values**2
    total, sizes = squares.sum(-1) ** 2, (squares**2).sum(-1)
    found: Doubles = np.divide(total, sizes, out=np.zeros_like(total), where=sizes > 0)
    return found


def output_embeddings(model: ModelAccess) -> Floats | None:
    """Return the table [V, D] by which vectors are read as pieces; None where no table has that width.

    The last matrix of the task head for masked tokens, where the checkpoint has one of that width; else the
    table of token embeddings.
    """
    head = model.masked_head
    tables = [model.token_embeddings] if head is None else [head.layers[-1].weight, model.token_embeddings]
    for table in tables:
        if table.shape[1] == model.config.width:
            found: Floats = table.float().cpu().numpy()
            return found
    return None


def piece_blocks(model: ModelAccess, reporter: Reporter) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of the vocabulary, and the vectors [n, D] of their pieces, see `piece_vectors`."""
    n_pieces = len(model.token_embeddings)
    for first in range(0, n_pieces, PIECES_AT_ONCE):
        reporter.check()
        rows = slice(first, min(n_pieces, first + PIECES_AT_ONCE))
        yield rows, model.piece_vectors(range(rows.start, rows.stop)).float().cpu().numpy()


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Products of the vocabulary's vectors, by which matrices of all pieces have their eigenvalues.

    `read` [D, D] = R_c^T R, R being what the attention reads of each piece, and R_c that less its mean.
    `written` [D, D] = U_c^T R, U being the output embeddings. A constant in all scores of a query, or in all
    logits, changes nothing: so the mean of the pieces is taken out.
    """

    read: Doubles
    written: Doubles

    def scaled(self, norm: Norm | None) -> _Pieces:
        """Return the same of a layer with this norm; `read` and `written` are those without its weight.

        Its bias is the same for all pieces and drops out of both.
        """
        if norm is None:
            return self
        return _Pieces(norm.weight[:, None] * self.read * norm.weight, self.written * norm.weight)


def _products(model: ModelAccess, norm: Norm | None, table: Floats, reporter: Reporter) -> _Pieces:
    """Return the products of all pieces, by blocks; `norm` is one of a pre-norm layer, None of others."""
    width = table.shape[1]
    read, written = np.zeros((width, width)), np.zeros((width, width))
    sums, outputs, count = np.zeros(width), np.zeros(width), 0
    plain = None if norm is None else replace(norm, weight=np.ones(width), bias=np.zeros(width))
    for rows, vectors in piece_blocks(model, reporter):
        vectors = read_by(plain, vectors.astype(np.float64)).astype(np.float32)[: len(table[rows])]
        read += vectors.T @ vectors
        reporter.check()
        written += table[rows].T @ vectors
        sums += vectors.sum(0, dtype=np.float64)
        outputs += table[rows].sum(0, dtype=np.float64)
        count += len(vectors)
    read -= np.outer(sums, sums) / count
    written -= np.outer(outputs, sums) / count
    return _Pieces(read, written)


_UNBOUND = Quantity("", 0)
_SIGNED_SHARE = Quantity("", -1, 1)
_OF_PIECES = ("copying", "matching")
_OF_VECTORS = {
    "ov positive": _SIGNED_SHARE,
    "qk positive": _SIGNED_SHARE,
    "ov norm": _UNBOUND,
    "qk norm": _UNBOUND,
    "ov rank": _UNBOUND,
    "qk rank": _UNBOUND,
}


@analysis(
    key="circuit-measures",
    place=("circuits", 1),
    title=Message("OV and QK matrices of every head"),
    summary=Message(
        "Whether each head copies what it reads and looks for its like, and how strong and how wide its two "
        "matrices are, whatever the text."
    ),
    limits=Message(
        "Matrices without biases and positions. Where positions rotate queries and keys, QK is that of one "
        "position; copying and matching take later layers to read pieces as the first one does."
    ),
    paper=PAPER,
    needs=Needs.MODEL,
    refuses=refuse_blocks,
)
def circuit_measures(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return measures of the matrices OV = W_V W_O and QK = W_Q W_K^T of every head, each of rank E at most.

    "ov positive" and "qk positive": the sum of the eigenvalues over that of their absolute values, -1 to 1.
    "ov norm" and "qk norm": the Frobenius norm. "ov rank" and "qk rank": (sum s^2)^2 / sum s^4 of the
    singular values, how many directions carry the matrix, 1 to E. "copying" and "matching": the same share
    of eigenvalues of the matrices between all pieces, R OV U^T and R QK R^T, R being what the attention reads
    of each piece alone and U the output embeddings, or the token embeddings of a checkpoint without a head
    for masked tokens. The mean over pieces is taken out of U and of the keys, since a constant changes no
    softmax. They are missing where no table of embeddings is as wide as the layers.

    [8, L, H] or [6, L, H]. Muted heads count like the others. The dense layer, activation and norm of the
    head for masked tokens are left out. `identity_error`: how far values, and products of queries and keys,
    by these factors are from those of the run.
    """
    trace, model = inputs.trace, inputs.opened
    table = output_embeddings(model)
    keys = tuple(_OF_VECTORS) if table is None else (*_OF_PIECES, *_OF_VECTORS)
    found = np.zeros((len(keys), trace.n_layers, trace.n_heads), np.float32)
    products: dict[bool, _Pieces] = {}
    error = 0.0
    for layer in reported(range(trace.n_layers), reporter):
        factors, norm = HeadFactors.of(model, trace, layer), input_norm(model, trace, layer)
        error = worst(error, factors_error(factors, trace, layer, norm))
        key, sizes = factors.key.swapaxes(-1, -2), []
        for left, right in ((factors.value, factors.output), (factors.query, key)):
            reporter.check()
            sizes.append(singular_values(left, right))
        numbers = [
            *(positive_share(factors.output @ factors.value), positive_share(key @ factors.query)),
            *(np.linalg.norm(values, axis=-1) for values in sizes),
            *(effective_rank(values) for values in sizes),
        ]
        if table is not None:
            has_norm = norm is not None
            if has_norm not in products:
                products[has_norm] = _products(model, norm, table, reporter)
            pieces = products[has_norm].scaled(norm)
            # The eigenvalues of a product A B that are not 0 are those of B A, which is [E, E] here.
            copying = positive_share(factors.output @ pieces.written @ factors.value)
            numbers = [copying, positive_share(key @ pieces.read @ factors.query), *numbers]
        found[:, layer] = numbers
    quantities = dict.fromkeys(_OF_PIECES, _SIGNED_SHARE) | _OF_VECTORS
    return HeadScalars(tuple(Scalar(key, quantities[key]) for key in keys), found, error)
