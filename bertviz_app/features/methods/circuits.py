"""What the OV and QK matrices of heads do: by themselves, to pieces of a vocabulary, to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, analysis
from bertviz_app.analysis.parameters import Index, NoParameters, Range, Reporter, reported
from bertviz_app.analysis.picture import Axis, Index as CellIndex, Picture, Quantity, counted, plain_quantity
from bertviz_app.analysis.probing.blocks import Norm, array, bias_of, refuse_blocks, refuse_whole_layers
from bertviz_app.analysis.probing.passes import worst
from bertviz_app.analysis.results import MOST_READ, HeadScalars, Result, Scalar, first_masked, freeze
from bertviz_app.errors import AnalysisError, Check, Message
from bertviz_app.tables import RowSource, Table
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats, Ints, Tensor
from bertviz_app.typeset import fixed, signed
from bertviz_app.values import dataclass, replace

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
        found: list[Doubles] = []
        for dense in (weights.query, weights.key, weights.value):
            columns = array(dense.weight).T
            matrices = columns.reshape(len(columns), *shape).transpose(1, 0, 2)
            found += [matrices, bias_of(dense, shape[0] * shape[1]).reshape(shape)]
        found.append(array(weights.output.weight).T.reshape(*shape, -1))
        return HeadFactors(*found)


def input_norm(model: ModelAccess, trace: Trace, layer: int) -> Norm | None:
    """Return the norm that stands before the attention of `layer`; None where none does."""
    norm = model.weights(layer).attention_norm
    return Norm.of(norm) if trace.form.is_pre_norm and norm is not None else None


def read_by(norm: Norm | None, vectors: Doubles) -> Doubles:
    """Return the input of the attention for vectors [n, D] that enter the layer."""
    return vectors if norm is None else norm.linear(vectors, norm.spread(vectors)) + norm.bias


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
            return table.float().cpu().numpy()
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


@dataclass(frozen=True, eq=False)
class Ranked:
    """The k pieces with the highest numbers for each of N pieces: `ids` int32 [N, k], `values` [N, k].

    `own_ranks` [N]: the rank of the piece itself, from 1.
    """

    ids: Ints
    values: Floats
    own_ranks: Floats

    def __post_init__(self) -> None:
        freeze(self.values, 2)
        freeze(self.own_ranks, 1)
        self.ids.flags.writeable = False


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadCircuit(Result):
    """What a head does to pieces, see `head_circuit`.

    `values` [2, E]: singular values of OV and QK. `chosen` int32 [N]: the pieces that `keys` and `written`
    are of, `rows` [T] which of them each token is. `pairs` [k], `pair_ids` int32 [k, 2]: scores, query and
    key.
    `pieces`: the text of each number that occurs. `n_pieces`: so many there are.
    """

    layer: int
    head: int
    rows: tuple[int, ...]
    chosen: Ints
    values: Floats
    keys: Ranked
    written: Ranked
    pairs: Floats
    pair_ids: Ints
    pieces: Mapping[int, str]
    n_pieces: int
    ov_positive: float
    qk_positive: float
    identity_error: float | None = None

    def __post_init__(self) -> None:
        freeze(self.values, 2)
        freeze(self.pairs, 1)
        for ids in (self.chosen, self.pair_ids):
            ids.flags.writeable = False

    @property
    def axes(self) -> tuple[Axis, ...]:
        return Axis("matrix", ("OV", "QK")), counted("dimension", self.values.shape[1])

    @property
    def chosen_pieces(self) -> tuple[str, ...]:
        """The texts [N] of the pieces that `keys` and `written` are of."""
        return tuple(self.pieces[number] for number in self.chosen.tolist())

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "values": self.values,
            "chosen": self.chosen,
            "keys": self.keys.values,
            "key_ids": self.keys.ids,
            "written": self.written.values,
            "written_ids": self.written.ids,
            "own_ranks": np.stack([self.keys.own_ranks, self.written.own_ranks], axis=1),
            "pairs": self.pairs,
            "pair_ids": self.pair_ids,
        }

    def pictures(self) -> tuple[Picture, ...]:
        """Return what the head looks for and what it writes, for each token; its pairs; singular values."""
        found = [
            self._of_ranking(
                "looks for",
                self.keys,
                Message("Looks for: score by key"),
                Message(
                    "The highest scores of this piece as a query, of {0} pieces as keys, without their "
                    "positions. Click a piece to see its own.",
                    f"{self.n_pieces:,}",
                ),
            ),
            self._of_ranking(
                "writes",
                self.written,
                Message("Writes: logit by piece"),
                Message(
                    "The pieces whose logit rises most where the head looks at this one, by the embeddings "
                    "of the output."
                ),
            ),
        ]
        if len(self.pairs):
            names = [" → ".join(self.pieces[number] for number in pair) for pair in self.pair_ids.tolist()]
            axis, unit = Axis("pair", tuple(names)), plain_quantity(self.pairs)
            title = Message("Strongest pairs: query → key")
            meaning = Message("Of every piece with every other one, whatever the text.")
            found.append(Picture("pairs", "bars", self.pairs, (axis,), unit, title, meaning=meaning))
        matrices, dimensions = self.axes
        singular = Picture(
            key="singular values",
            mark="curves",
            values=self.values,
            axes=(Axis("series", matrices.labels), dimensions),
            quantity=Quantity("", 0),
            title=Message("Singular values"),
            meaning=Message(
                "OV is what the head writes, QK what it pairs. Positive: the sum of the eigenvalues over "
                "that of their sizes: OV {0}, QK {1}. +1 is a head that copies, or looks for its like.",
                f"{self.ov_positive:+.2f}",
                f"{self.qk_positive:+.2f}",
            ),
        )
        return (*found, singular)

    def _of_ranking(self, key: str, ranked: Ranked, title: Message, meaning: Message) -> Picture:
        """Return the pieces with the highest numbers for each token; a click chooses one of them."""
        rows = list(self.rows)
        ids = ranked.ids[rows]
        names = np.array([self.pieces[number] for number in ids.ravel().tolist()], np.str_).reshape(ids.shape)
        own = tuple(self.chosen_pieces[row] for row in rows)
        ranks = Axis("rank", tuple(str(rank + 1) for rank in range(ids.shape[1])))

        def rank_of(at: CellIndex) -> tuple[str, ...]:
            rank = f"{ranked.own_ranks[rows[at['token']]]:,.0f}"
            return (Message("“{0}” itself has rank {1}", own[at["token"]], rank),)

        return Picture(
            key=key,
            mark="bars",
            values=ranked.values[rows],
            axes=(Axis("token", own), ranks),
            quantity=plain_quantity(ranked.values),
            title=title,
            text=names,
            marked=ids == self.chosen[rows][:, None],
            details=rank_of,
            sets=lambda at: {"piece": str(names[at["token"], at["rank"]])},
            start={"token": first_masked(own)},
            meaning=meaning,
        )

    def as_table(self) -> Table:
        """Return a row for each number: of which part, the piece, the rank, the other piece, the value."""
        return Table(("part", "piece", "rank", "other_piece", "value"), RowSource(self._lines))

    def _lines(self) -> Iterator[tuple[str, str, int, str, np.float32]]:
        for part, ranked in (("keys", self.keys), ("written", self.written)):
            for (row, rank), value in np.ndenumerate(ranked.values):
                other = self.pieces[int(ranked.ids[row, rank])]
                yield part, self.chosen_pieces[row], rank + 1, other, value
        for rank, value in enumerate(self.pairs):
            query, key = self.pair_ids[rank].tolist()
            yield "pairs", self.pieces[query], rank + 1, self.pieces[key], value
        for (matrix, rank), value in np.ndenumerate(self.values):
            yield f"singular values of {('OV', 'QK')[matrix]}", "", rank + 1, "", value


SCORES_AT_ONCE = 1 << 22
"""So many scores of pairs are in memory at once: 16 MiB of float32, of a vocabulary of any size."""


@dataclass(frozen=True)
class HeadCircuitParameters:
    """The head. `piece` None: the pieces of the text. `most`: how many are listed.

    `pairs`: whether the strongest of all pairs of the vocabulary are found, which takes longest.
    """

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0
    head: Annotated[int, Index("head"), Message("Head")] = 0
    piece: Annotated[str | None, Message("Piece; empty: those of the text")] = None
    most: Annotated[int, Range(1, 100), Message("Pieces in a list")] = 8
    pairs: Annotated[bool, Message("Find the strongest of all pairs")] = True


def _refuse_widths(trace: Trace) -> AnalysisError | None:
    """Return the error for a model whose embeddings are not as wide as its layers; None for others."""
    if trace.token_embeddings.shape[-1] == trace.width:
        return None
    message = Message(
        "The embeddings of this model are not as wide as its layers, so that what a head writes cannot be "
        "read as pieces."
    )
    return AnalysisError(message, Message("“OV and QK matrices of every head” needs no pieces."))


@analysis(
    key="head-circuit",
    place=("circuits", 2),
    title=Message("What a head pairs and writes"),
    summary=Message(
        "Which pieces of the whole vocabulary a head pairs, and which it writes where it looks at a piece, "
        "whatever the text."
    ),
    limits=Message(
        "A piece is its embedding alone, without position and segment: what later layers read is that and "
        "much else. Where positions enter scores, a score is the part of the content."
    ),
    paper=PAPER,
    needs=Needs.MODEL,
    refuses=refuse_blocks,
    refuses_trace=_refuse_widths,
)
def head_circuit(inputs: Inputs, parameters: HeadCircuitParameters, reporter: Reporter) -> HeadCircuit:
    """Return what one head does to pieces of the vocabulary by its QK and its OV matrix.

    r_p is what the attention reads of piece p alone: its token embedding after the norm of the embeddings,
    and of the layer where norms precede it. Of a query p and a key m the score is (r_p W_Q + b_Q) . (r_m W_K
    + b_K), scaled; where p is attended to, the head writes r_p W_V W_O, whose product with the output
    embedding of m is what it adds to the logit of m. b_V, and the dense layer, activation and norm of the
    head for masked tokens, are left out; without such a head m is read by its token embedding.

    "keys" and "written" [N, k]: the k highest of each of N pieces; "own_ranks" [N, 2]: the rank of the piece
    itself in both. "pairs" [k]: the highest scores of all V * V pairs, by blocks that fit into 16 MiB.
    "values" [2, E]: the singular values of W_V W_O and W_Q W_K^T; for the facts "ov_positive" and
    "qk_positive", and the `identity_error`, see `circuit_measures`.

    Raises SelectionError for a head that the model does not have, and TextError for a piece that is not in
    the vocabulary.
    """
    trace, model, at = inputs.trace, inputs.opened, parameters
    reporter.check()
    trace.scores(at.layer, at.head, slice(0, 1), slice(0, 1))  # raises SelectionError
    of_layer, norm = HeadFactors.of(model, trace, at.layer), input_norm(model, trace, at.layer)
    tokens = trace.tokens.ids.tolist() if at.piece is None else [model.piece_id(at.piece)]
    chosen = list(dict.fromkeys(tokens))
    queries, keys, values = _projected(of_layer, at.head, trace.scale, norm, piece_blocks(model, reporter))
    reporter.progress(0.1)
    table = output_embeddings(model)
    assert table is not None, "other widths are refused"
    value, output = of_layer.value[at.head], of_layer.output[at.head]
    written = _ranked(values[chosen] @ output.astype(np.float32), table, chosen, at.most, reporter.check)
    looked_at = _ranked(queries[chosen], keys, chosen, at.most, reporter.check)
    pairs, pair_ids = (
        _strongest(queries, keys, at.most, model.token_embeddings, reporter)
        if at.pairs
        else (np.zeros(0, np.float32), np.zeros((0, 2), np.int32))
    )
    reporter.progress(1)
    query, key = of_layer.query[at.head], of_layer.key[at.head].T
    singular = np.stack([singular_values(value, output), singular_values(query, key)])
    numbers = sorted(map(int, {*chosen, *pair_ids.flat, *written.ids.flat, *looked_at.ids.flat}))
    return HeadCircuit(
        layer=at.layer,
        head=at.head,
        rows=tuple(map(chosen.index, tokens)),
        chosen=np.array(chosen, np.int32),
        values=singular.astype(np.float32),
        keys=looked_at,
        written=written,
        pairs=pairs,
        pair_ids=pair_ids,
        pieces=dict(zip(numbers, model.pieces(numbers), strict=True)),
        n_pieces=len(keys),
        ov_positive=float(positive_share(output @ value)),
        qk_positive=float(positive_share(key @ query)),
        identity_error=factors_error(of_layer, trace, at.layer, norm),
    )


def _projected(
    factors: HeadFactors, head: int, scale: float, norm: Norm | None, blocks: Iterator[tuple[slice, Floats]]
) -> tuple[Floats, Floats, Floats]:
    """Return queries, keys and values of all pieces, [V, E] each; values without their bias.

    The scale of a score is in the queries.
    """
    query, query_bias, key, key_bias, value = (
        each.astype(np.float32)
        for each in (
            *(factors.query[head] * scale, factors.query_bias[head] * scale),
            *(factors.key[head], factors.key_bias[head], factors.value[head]),
        )
    )
    reads = (read_by(norm, vectors.astype(np.float64)).astype(np.float32) for _, vectors in blocks)
    parts = [(read @ query + query_bias, read @ key + key_bias, read @ value) for read in reads]
    queries, keys, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    return queries, keys, values


def _ranked(rows: Floats, table: Floats, own: list[int], most: int, check: Check) -> Ranked:
    """Return the highest products of each of `rows` [N, E] with the rows of `table` [V, E].

    `own`: the number of the piece that each row is of, whose rank is counted.
    """
    most = min(most, len(table))
    ids = np.empty((len(rows), most), np.int32)
    values, ranks = np.empty((len(rows), most), np.float32), np.empty(len(rows), np.float32)
    for at, row in enumerate(rows):
        check()
        products = table @ row  # [V]
        best = np.argpartition(-products, most - 1)[:most]
        ids[at] = best[np.lexsort((best, -products[best]))]
        values[at] = products[ids[at]]
        ranks[at] = 1 + np.count_nonzero(products > products[own[at]]) if own[at] < len(table) else np.nan
    return Ranked(ids, values, ranks)


def _strongest(
    queries: Floats, keys: Floats, most: int, like: Tensor, reporter: Reporter
) -> tuple[Floats, Ints]:
    """Return the highest scores [k] of all pairs, and the query and the key of each [k, 2].

    A block has SCORES_AT_ONCE scores. Once k are known, only rows with a higher one are looked through. They
    are computed on the device of `like`.
    """
    import torch

    device = like.device
    across = torch.from_numpy(keys).to(device).T
    best = torch.full((most,), -torch.inf, device=device)
    pairs = torch.zeros(most, 2, dtype=torch.int64, device=device)
    at_once = max(1, SCORES_AT_ONCE // len(keys))
    for first in range(0, len(queries), at_once):
        reporter.check()
        scores = torch.from_numpy(queries[first : first + at_once]).to(device) @ across  # [q, V]
        rows = (scores.amax(1) > best[-1]).nonzero()[:, 0]  # [n]
        if len(rows):
            found = scores[rows].topk(min(most, len(keys)))  # [n, k]
            both = torch.stack([(first + rows)[:, None].expand_as(found.indices), found.indices], -1)
            values, order = torch.cat([best, found.values.flatten()]).topk(most)
            best, pairs = values, torch.cat([pairs, both.flatten(0, 1)])[order]
        reporter.progress(0.1 + 0.9 * min(1.0, (first + at_once) / len(queries)))
    known = best.isfinite()  # a small vocabulary has fewer pairs
    return best[known].cpu().numpy(), pairs[known].cpu().numpy().astype(np.int32)


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

    def _read_most(self, kind: int, index: CellIndex) -> tuple[str, ...]:
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
    return written @ step.astype(np.float32)


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
