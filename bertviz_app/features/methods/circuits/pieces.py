"""Which pieces of the vocabulary one head pairs, and which it writes, whatever the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index, Range, Reporter
from bertviz_app.analysis.picture import (
    Axis,
    Index as CellIndex,
    Picture,
    Quantity,
    counted,
    plain_quantity,
)
from bertviz_app.analysis.probing.blocks import Norm, refuse_blocks
from bertviz_app.analysis.results import (
    Result,
    first_masked,
    freeze,
)
from bertviz_app.errors import AnalysisError, Check, Message
from bertviz_app.features.methods.circuits.matrices import (
    PAPER,
    HeadFactors,
    factors_error,
    input_norm,
    output_embeddings,
    piece_blocks,
    positive_share,
    read_by,
    singular_values,
)
from bertviz_app.tables import RowSource, Table
from bertviz_app.trace import Trace
from bertviz_app.types import Floats, Ints
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    import torch


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
    writes = values[chosen] @ output.astype(np.float32)
    written = _ranked(writes, table, chosen, at.most, reporter.check)
    looked_at = _ranked(queries[chosen], keys, chosen, at.most, reporter.check)
    pairs, pair_ids = (
        _strongest(queries, keys, at.most, model.token_embeddings.device, reporter)
        if at.pairs
        else (np.zeros(0, np.float32), np.zeros((0, 2), np.int32))
    )
    reporter.progress(1)
    query, key = of_layer.query[at.head], of_layer.key[at.head].T
    singular = np.stack([singular_values(value, output), singular_values(query, key)])
    named = {*chosen, *pair_ids.flat, *written.ids.flat, *looked_at.ids.flat}
    numbers = sorted(int(number) for number in named)
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
    queries: Floats, keys: Floats, most: int, device: torch.device, reporter: Reporter
) -> tuple[Floats, Ints]:
    """Return the highest scores [k] of all pairs, and the query and the key of each [k, 2].

    A block has SCORES_AT_ONCE scores. Once k are known, only rows with a higher one are looked through.
    """
    import torch

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
