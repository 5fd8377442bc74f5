"""What each head looks at over a file: its usual and its strongest pairs, its pieces, its distances."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import ModelAccess, Needs
from bertviz_app.analysis.measures import Head
from bertviz_app.analysis.parameters import Range, Reporter
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Index, Picture, Quantity, counted
from bertviz_app.analysis.probing.baselines import EndOfPassError
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Check, FileError, Message
from bertviz_app.features.corpora.studies.study import (
    NO_ENTRY,
    NOTHING,
    Measured,
    Part,
    Summary,
    Unit,
    counted_off,
    hashed,
    heaviest,
    study,
    with_lowest,
)
from bertviz_app.tables import Cell, RowSource, Table
from bertviz_app.trace.form import Point
from bertviz_app.types import Bools, Doubles, Floats, Longs, Tensor
from bertviz_app.values import dataclass, field

N_TENTHS = 10
_TOKENS_AT_ONCE = 1024  # the most tokens of one forward pass, unless a single text has more
_NEAR = 16  # distances up to this one are counted one by one
_FAR = (17, 33, 65, 129)  # where the ranges of greater distances begin
_COUNTERS = 1024
"""How many pieces are counted of each head; with more, some are counted off: see `merged`."""
_PIECES = 4096
"""The same of how often pieces occur, which is counted once for all heads."""
_ENTRY = np.dtype(
    [
        ("priority", np.uint64),
        ("line", np.int64),
        ("weight", np.float32),
        ("query", np.int32),
        ("key", np.int32),
        ("query_id", np.int32),
        ("key_id", np.int32),
    ]
)
"""The pair of tokens with a sentence's largest weight in a head, and the sentence's line."""
_COLUMNS = ("weight", "line", "query", "key", "query_id", "key_id")


@dataclass(frozen=True)
class ExamplesParameters:
    """`per_tenth`: how many sentences of each tenth are sampled. `seed` chooses them."""

    per_tenth: Annotated[int, Range(1, 100), Message("Sentences sampled of each tenth")] = 20
    strongest: Annotated[int, Range(1, 100), Message("Strongest pairs")] = 20
    pieces: Annotated[int, Range(1, 100), Message("Pieces listed")] = 20
    leaves_out_special: Annotated[bool, Message("Leave out special tokens")] = True
    seed: Annotated[int, Range(0, 2**31 - 1), Message("Seed")] = 0


class HeadExample(NamedTuple):
    """A pair of tokens by their positions, in the sentence of which it is the strongest pair."""

    weight: float
    line: int
    query: int
    key: int
    query_piece: str
    key_piece: str


class HeavyPiece(NamedTuple):
    """A piece, its total weight over the file, and its weight each time it occurs (nan: not known)."""

    piece: str
    total: float
    each: float


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadExamples(NamedArrays):
    """What heads look at over a file, see `head_examples`; `pieces` are the texts of the ids that occur."""

    pieces: Mapping[int, str] = field(default_factory=dict)

    def pictures(self) -> tuple[Picture, ...]:
        """Return, for each head, its strongest pairs, its heaviest pieces, and how far away it looks."""
        pairs, (*heads, rank, _) = self.named["strongest"], self.axes_of["strongest"]
        ids = (row[4:] for row in pairs.reshape(-1, pairs.shape[-1]).tolist())
        words = [
            "" if pair[0] != pair[0] else " → ".join(self.pieces[int(one)] for one in pair) for pair in ids
        ]
        found = [
            Picture(
                key="pairs",
                mark="bars",
                values=pairs[..., 0].astype(np.float32),
                axes=(*heads, rank),
                quantity=SHARE_OF_ONE,
                title=Message("Strongest pairs: query → key"),
                text=np.array(words, np.str_).reshape(pairs.shape[:-1]),
                top=1.0,
                details=self._line_at,
            )
        ]
        titles = {"query": Message("Heaviest pieces as query"), "key": Message("Heaviest pieces as key")}
        for role, title in titles.items():
            rows, (*heads, rank, _) = self.named[f"{role}_pieces"], self.axes_of[f"{role}_pieces"]
            names = [
                self.pieces.get(int(number), "") if number == number else "" for number in rows[..., 0].flat
            ]
            found.append(
                Picture(
                    key=role,
                    mark="bars",
                    values=rows[..., 1].astype(np.float32),
                    axes=(*heads, rank),
                    quantity=Quantity("", 0),
                    title=title,
                    text=np.array(names, np.str_).reshape(rows.shape[:-1]),
                    details=partial(self._each_time, role),
                )
            )
        values, axes = self.named["distances"].astype(np.float32), self.axes_of["distances"]
        title = Message("Weight by the distance from query to key")
        return (*found, Picture("distances", "bars", values, axes, SHARE_OF_ONE, title))

    def _each_time(self, role: str, index: Index) -> Sequence[str]:
        each = float(self.named[f"{role}_pieces"][tuple(index.values())][2])
        return [] if each != each else [Message("each time {0}", f"{each:.2f}")]

    def _line_at(self, index: Index) -> Sequence[str]:
        line = float(self.named["strongest"][tuple(index.values())][1])
        return [] if line != line else [Message("line {0}", f"{int(line):,}")]

    def strongest(self, head: Head) -> list[HeadExample]:
        """Return the strongest pairs of a head, the strongest first, one a sentence at most."""
        return self._examples(self.named["strongest"][head])

    def of_tenth(self, head: Head, tenth: int) -> list[HeadExample]:
        """Return the sample of a tenth of the sentences, from 0, those with the weakest pairs."""
        return self._examples(self.named["examples"][head][tenth])

    def heaviest(self, head: Head, role: str) -> list[HeavyPiece]:
        """Return the heaviest pieces as "query" or as "key", the heaviest first."""
        return [
            HeavyPiece(self.pieces[int(number)], total, each)
            for number, total, each in self.named[f"{role}_pieces"][head].tolist()
            if number == number
        ]

    def distances(self, head: Head) -> list[tuple[str, float]]:
        """Return the share of the weight on keys at each distance: negative ones stand before."""
        labels = self.axes_of["distances"][-1].labels
        return list(zip(labels, self.named["distances"][head].tolist(), strict=True))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, with the ids and the texts of the pieces that occur."""
        own = super().arrays()
        return own | {"piece_ids": np.array([*self.pieces]), "piece_texts": np.array([*self.pieces.values()])}

    def as_table(self) -> Table:
        """Return a row for each example, piece and distance of each head."""
        columns = ("layer", "head", "of", "rank", "value", "line", "query", "key", "query_piece", "key_piece")
        return Table(columns, RowSource(self._rows))

    def _rows(self) -> Iterator[tuple[Cell, ...]]:
        for head in np.ndindex(self.named["values"].shape[:2]):
            lists = [("strongest", self.strongest(head))]
            lists += [(f"tenth {tenth + 1}", self.of_tenth(head, tenth)) for tenth in range(N_TENTHS)]
            for name, examples in lists:
                for rank, (weight, line, query, key, *pieces) in enumerate(examples, 1):
                    yield (*head, name, rank, weight, line, query, key, *pieces)
            for role in ("query", "key"):
                for rank, heavy in enumerate(self.heaviest(head, role), 1):
                    own = (heavy.piece, "") if role == "query" else ("", heavy.piece)
                    yield (*head, f"{role} pieces", rank, heavy.total, "", "", "", *own)
            for rank, (label, share) in enumerate(self.distances(head), 1):
                yield (*head, f"distance {label}", rank, share, "", "", "", "", "")

    def _examples(self, rows: Doubles | Floats) -> list[HeadExample]:
        return [
            HeadExample(
                weight, int(line), int(query), int(key), *(self.pieces[int(number)] for number in ids)
            )
            for weight, line, query, key, *ids in rows.tolist()
            if weight == weight
        ]


def read_examples(path: Path) -> HeadExamples:
    """Return the result that was saved as an `.npz` file. Raises FileError for another file."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            facts = json.loads(str(saved["facts"]))
            named = {name: saved[name] for name in _SHAPES}
            pieces = dict(zip(saved["piece_ids"].tolist(), saved["piece_texts"].tolist(), strict=True))
        if facts["analysis"] != head_examples.key:
            raise ValueError(facts["analysis"])
        found = _made(named, facts["result"], pieces)
        for rows in (named["examples"], named["strongest"]):
            if not set(np.unique(rows[..., 4:][~np.isnan(rows[..., 4:])]).tolist()) <= set(pieces):
                raise ValueError("a piece is missing")
        about = {name: facts[name] for name in ("model", "fingerprint", "files")}
        found.remember_file(about, head_examples.key, head_examples.title, head_examples.paper)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        message = Message("{0} has no examples of heads.", path.name)
        raise FileError(message, Message("Remove it: the examples are collected again.")) from error
    return found


def _made(
    named: Mapping[str, NDArray[Any]], facts: Mapping[str, str | int | float], pieces: Mapping[int, str]
) -> HeadExamples:
    """Return the result with these arrays. Raises ValueError where their shapes do not belong together."""
    n_layers, n_heads = named["values"].shape[:2]
    heads = counted("layer", n_layers), counted("head", n_heads)
    sizes = {name: array.shape for name, array in named.items()}
    if any(len(shape) < 3 for shape in sizes.values()) or len(sizes["examples"]) < 4:
        raise ValueError("too few axes")
    numbers, of_piece = Axis("number", _COLUMNS), Axis("number", ("id", "total", "each"))
    edges = Axis("edge", ("least", *(str(at + 1) for at in range(N_TENTHS - 1)), "largest"))
    of_tenth = (counted("tenth", N_TENTHS), counted("example", sizes["examples"][3]), numbers)
    axes = {
        "values": (*heads, edges),
        "examples": (*heads, *of_tenth),
        "strongest": (*heads, counted("rank", sizes["strongest"][2]), numbers),
        "distances": (*heads, Axis("distance", DISTANCES)),
        **{name: (*heads, counted("rank", sizes[name][2]), of_piece) for name in _PIECES_OF},
    }
    return HeadExamples(dict(named), axes, dict(facts), pieces=pieces)


def finish(
    model: ModelAccess, part: Part, parameters: ExamplesParameters, reporter: Reporter
) -> HeadExamples:
    """Return the examples of the whole file. Raises AnalysisError where no text has a pair of tokens."""
    if not part.kept or not part.sums["n_sentences"]:
        message = Message("No text of the file has a token that is not a special one.")
        raise AnalysisError(message, Message("Give a file with a sentence a line."))
    tenths, examples = _by_tenths(part.kept["sample"])
    strongest = _numbers(part.kept["strongest"])
    weight = part.sums["weight"]  # [L, H]
    n_occurrences = dict(part.kept["occurrences"].tolist())
    of_pieces = {
        f"{role}_pieces": _heaviest(part.kept[role], n_occurrences, parameters.pieces)
        for role in ("query", "key")
    }
    ids = [examples[..., 4:], strongest[..., 4:], *(rows[..., 0] for rows in of_pieces.values())]
    known = np.unique(np.concatenate([array[~np.isnan(array)] for array in ids])).astype(int).tolist()
    distances = part.sums["distances"]
    shares = distances / np.maximum(distances.sum(-1, keepdims=True), 1e-300)
    least = np.maximum(weight, 1e-300)
    off = max(float((counted_off(part.kept[role], weight) / least).max()) for role in _ROLES)
    facts: dict[str, str | int | float] = {
        "sentences": int(part.sums["n_sentences"]),
        "sampled": int((part.kept["sample"]["priority"] != NO_ENTRY).sum(-1).max()),
        "special tokens": "left out" if parameters.leaves_out_special else "included",
        "a total may be too low by": f"{off:.2%} of the head's weight",
    }
    named = {"values": tenths, "examples": examples, "strongest": strongest, "distances": shares, **of_pieces}
    return _made(named, facts, dict(zip(known, model.pieces(known), strict=True)))


_ROLES = ("query", "key")
_PIECES_OF = tuple(f"{role}_pieces" for role in _ROLES)
_SHAPES = ("values", "examples", "strongest", "distances", *_PIECES_OF)


@study(
    key="head-examples",
    title=Message("Examples of each head"),
    summary=Message(
        "The token pairs that each head looks at over a file: the usual beside the strongest, with the "
        "pieces and distances that get most of its weight."
    ),
    limits=Message(
        "A sentence stands for its strongest pair; tenths are those of a sample of sentences, and a weight "
        "says how much is read, not what it does."
    ),
    paper=(
        "After the neuron pages of Bills et al. 2023 (examples by deciles beside the strongest), of heads; "
        "totals of pieces by Misra & Gries 1982, doi:10.1016/0167-6423(82)90012-0"
    ),
    needs=Needs.MODEL | Needs.ALL_HEADS,
    reads="texts",
    finish=finish,
    block=1024,
    reads_traces=False,
)
def head_examples(measured: Measured, parameters: ExamplesParameters, reporter: Reporter) -> Part:
    """Return what the units of a block show of each head.

    Of each sentence and head the pair of tokens with the largest weight is found: of all pairs most have
    hardly any weight, so that tenths of pairs would show nothing in nine of ten; a sentence's largest weight
    says how strongly the head does there what it does.

    "values" [L, H, 11] are the least, the nine inner edges and the largest of the tenths, of the sentences
    that are sampled: those whose hashed line has the lowest number, the same for all heads. "examples" [L, H,
    10, N, 6] are the sampled pairs by tenths, "strongest" [L, H, N, 6] those with the largest weight of the
    whole file, exactly. "distances" [L, H, 41] are the shares of the weight that goes to keys so far after
    the query. "query_pieces" and "key_pieces" [L, H, N, 3] are the pieces with the largest total of weights
    as query and as key, by id, total, and total for each time that the piece occurs in the file; with a
    vocabulary of more than 1,024 pieces a total may be too low by what the facts say.

    With special tokens left out, pairs with one are not counted, so that the weights of a row add up to less
    than 1; shares are of what is counted.
    """
    units = [unit for unit in measured.units if np.flatnonzero(_inside(unit, parameters)).size]
    if not units:
        return NOTHING
    config = measured.model.config
    found, n_done = _Found.of(units, (config.n_layers, config.n_heads), parameters), 0
    for batch in _batches(units, parameters):
        reporter.check()
        tap = _PairsTap(len(batch), (config.n_layers, config.n_heads), found.inside[batch[0]], reporter.check)
        with suppress(EndOfPassError):
            measured.model.forward([units[at].tokens for at in batch], tap)
        found.add(batch, tap)
        n_done += len(batch)
        reporter.progress(n_done / len(units))
    return found.part(parameters)


def _inside(unit: Unit, parameters: ExamplesParameters) -> Bools:
    """Return which tokens [T] count."""
    is_special = unit.tokens.is_special
    return ~is_special if parameters.leaves_out_special else np.ones_like(is_special)


def _batches(units: Sequence[Unit], parameters: ExamplesParameters) -> Iterator[list[int]]:
    """Yield which units are encoded together: they have the same length, and special tokens at the same."""
    kinds: dict[bytes, list[int]] = {}
    for number, unit in enumerate(units):
        kinds.setdefault(_inside(unit, parameters).tobytes(), []).append(number)
    for kind, numbers in sorted(kinds.items(), key=lambda item: (len(item[0]), item[0])):
        at_once = max(1, _TOKENS_AT_ONCE // len(kind))
        for first in range(0, len(numbers), at_once):
            yield numbers[first : first + at_once]


class _PairsTap:
    """A tap that reads the weights between the tokens of B texts that count: a range of M, with gaps or not.

    `weights`, `queries` and `keys` [B, L, H] are the largest weight of a text and its pair, by their places
    in the range; `by_query` and `by_key` [B, L, H, M] and `by_distance` [B, L, H, 2M - 1] are sums of
    weights. It raises EndOfPassError after the attention of the last layer.
    """

    def __init__(self, n_inputs: int, shape: tuple[int, int], inside: Bools, check: Check) -> None:
        import torch

        there = np.flatnonzero(inside)
        self._first, self._end = int(there[0]), int(there[-1]) + 1
        self._gaps = torch.from_numpy(np.flatnonzero(~inside[self._first : self._end]))
        self._n_layers, self._check, self._row = shape[0], check, 0
        size = self._end - self._first
        self.by_query, self.by_key = torch.zeros(2, n_inputs, *shape, size, dtype=torch.float64)
        self.by_distance = torch.zeros(n_inputs, *shape, 2 * size - 1, dtype=torch.float64)
        self.weights = torch.full((n_inputs, *shape), -1.0)
        self.queries, self.keys = torch.zeros(2, n_inputs, *shape, dtype=torch.int64)

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether the tensor is needed: rows of weights, and what comes after all of a layer's."""
        return point is Point.WEIGHT_ROWS or point is Point.LSE

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Read the rows [B, H, r, T] and return them."""
        if point is Point.WEIGHT_ROWS:
            first, end = (min(max(at - self._row, 0), tensor.shape[-2]) for at in (self._first, self._end))
            if first < end:
                self._read(layer, tensor[..., first:end, self._first : self._end], self._row + first)
            self._row += tensor.shape[-2]
            return tensor
        self._row = 0
        self._check()
        if layer == self._n_layers - 1:
            raise EndOfPassError
        return tensor

    def _read(self, layer: int, weights: Tensor, first: int) -> None:
        """Add rows [B, H, r, M] of weights; `first` is the position of the first row."""
        n_inputs, n_heads, n_rows, size = weights.shape
        row = first - self._first
        if len(self._gaps):
            weights = weights.clone()
            weights[..., self._gaps] = 0
            of_rows = self._gaps - row
            weights[..., of_rows[(of_rows >= 0) & (of_rows < n_rows)], :] = 0
        at = slice(None), layer, slice(n_heads)
        self.by_query[*at, row : row + n_rows] = weights.sum(-1).double().cpu()
        self.by_key[at] += weights.sum(-2).double().cpu()
        begin = size - row - n_rows
        self.by_distance[*at, begin : begin + n_rows + size - 1] += _by_distance(weights).double().cpu()
        best, of_best = weights.amax(-1).max(-1)  # [B, H]
        chosen = weights.gather(2, of_best[..., None, None].expand(n_inputs, n_heads, 1, size))
        keys = chosen[:, :, 0].argmax(-1).cpu()
        best, of_best = best.float().cpu(), of_best.cpu()
        is_better = best > self.weights[at]
        for found, new in ((self.weights, best), (self.queries, of_best + row), (self.keys, keys)):
            found[at] = new.where(is_better, found[at])


def _by_distance(weights: Tensor) -> Tensor:
    """Return [B, H, r + M - 1], the sums of the diagonals of weights [B, H, r, M], the lowest left one first.

    Rows laid end to end with r zeros between them, and cut one number shorter, stand one column further to
    the right each.
    """
    n_rows, size = weights.shape[-2:]
    wide = weights.new_zeros(*weights.shape[:-1], size + n_rows)
    wide[..., :size] = weights.flip(-2)
    width = size + n_rows - 1
    return wide.flatten(-2)[..., : n_rows * width].reshape(*weights.shape[:-2], n_rows, width).sum(-2)


@dataclass(frozen=True, eq=False)
class _Found:
    """The results for N units of a block, whose texts have U different pieces."""

    units: Sequence[Unit]
    inside: Sequence[Bools]  # of each unit, which of its tokens count
    ids: Longs  # [U]
    columns: Sequence[Longs]  # of each unit, of the tokens from the first that counts: where in ids
    entries: Summary  # [L, H, N]
    totals: Mapping[str, Tensor]  # "query", "key": [L * H, U]
    distances: Tensor  # [L * H, len(DISTANCES)]
    occurrences: Longs  # [U]

    @classmethod
    def of(cls, units: Sequence[Unit], shape: tuple[int, int], parameters: ExamplesParameters) -> _Found:
        import torch

        inside = [_inside(unit, parameters) for unit in units]
        ends_of = [np.flatnonzero(counts)[[0, -1]] for counts in inside]
        hulls = [
            unit.tokens.ids[first : last + 1].astype(np.int64)
            for unit, (first, last) in zip(units, ends_of, strict=True)
        ]
        ids, columns = np.unique(np.concatenate(hulls), return_inverse=True)
        ends = np.cumsum([len(hull) for hull in hulls])
        n_heads = shape[0] * shape[1]
        entries = np.zeros((*shape, len(units)), _ENTRY)
        entries["line"] = [unit.item.line for unit in units]
        counted_ids = np.concatenate([unit.tokens.ids[own] for unit, own in zip(units, inside, strict=True)])
        return cls(
            units,
            inside,
            ids,
            np.split(columns, ends[:-1]),
            entries,
            {role: torch.zeros(n_heads, len(ids), dtype=torch.float64) for role in _ROLES},
            torch.zeros(n_heads, len(DISTANCES), dtype=torch.float64),
            np.bincount(np.searchsorted(ids, counted_ids), minlength=len(ids)),
        )

    def add(self, batch: list[int], tap: _PairsTap) -> None:
        """Add the numbers that a tap has read for the units of a batch."""
        import torch

        columns = torch.from_numpy(np.concatenate([self.columns[at] for at in batch]))
        for role, sums in ((_ROLES[0], tap.by_query), (_ROLES[1], tap.by_key)):
            flat = sums.permute(1, 2, 0, 3).reshape(len(self.distances), -1)  # [L * H, B * M]
            self.totals[role].index_add_(1, columns, flat)
        size = tap.by_query.shape[-1]
        ranges = torch.from_numpy(range_of(np.arange(1 - size, size)))
        self.distances.index_add_(1, ranges, tap.by_distance.sum(0).reshape(len(self.distances), -1))
        first = int(np.flatnonzero(self.inside[batch[0]])[0])
        ids = np.stack([self.units[at].tokens.ids for at in batch])  # [B, T]
        for name, positions in (("query", tap.queries.numpy()), ("key", tap.keys.numpy())):
            of_heads = np.moveaxis(positions, 0, -1) + first  # [L, H, B]
            self.entries[name][..., batch] = of_heads
            self.entries[f"{name}_id"][..., batch] = ids[np.arange(len(batch)), of_heads]
        self.entries["weight"][..., batch] = np.moveaxis(tap.weights.numpy(), 0, -1)

    def part(self, parameters: ExamplesParameters) -> Part:
        """Return the part of the block."""
        shape = self.entries.shape[:2]
        is_none = self.entries["weight"] < 0  # of a head that a layer lacks
        hashes = hashed(self.entries["line"], parameters.seed)
        sample, strongest = self.entries, self.entries.copy()
        sample["priority"] = np.where(is_none, NO_ENTRY, hashes)
        bits = np.maximum(self.entries["weight"], 0).view(np.uint32).astype(np.uint64)
        priority = ((np.uint64(2**32 - 1) - bits) << np.uint64(32)) | (hashes >> np.uint64(32))
        strongest["priority"] = np.where(is_none, NO_ENTRY, np.minimum(priority, np.uint64(NO_ENTRY - 1)))
        totals = {role: found.numpy().reshape(*shape, -1) for role, found in self.totals.items()}
        return Part(
            {
                "n_sentences": np.array(len(self.units)),
                "weight": totals["key"].sum(-1),
                "distances": self.distances.numpy().reshape(*shape, -1),
            },
            kept={
                "sample": with_lowest(sample, N_TENTHS * parameters.per_tenth),
                "strongest": with_lowest(strongest, parameters.strongest),
                "occurrences": heaviest(self.ids, self.occurrences.astype(np.float64), _PIECES),
                **{role: heaviest(self.ids, found, _COUNTERS) for role, found in totals.items()},
            },
        )


def range_of(distances: Longs) -> Longs:
    """Return the index in DISTANCES of each of `distances`, counted from the query to its key."""
    away = np.abs(distances)
    far = np.searchsorted(np.array(_FAR), away, side="right")
    beyond = np.where(away > _NEAR, _NEAR + far, away)
    return _NEAR + len(_FAR) + np.sign(distances) * beyond


def _labels() -> tuple[str, ...]:
    near = [str(away) for away in range(1, _NEAR + 1)]
    far = [*(f"{first} to {end - 1}" for first, end in pairwise(_FAR)), f"{_FAR[-1]} or more"]
    before = *(f"{label} before" for label in reversed(far)), *(f"−{label}" for label in reversed(near))
    return *before, "0", *(f"+{label}" for label in near), *(f"{label} after" for label in far)


DISTANCES = _labels()
"""The distances that are counted, from the query to its key: the key stands before it, or after."""


def _numbers(entries: Summary) -> Doubles:
    """Return the numbers [..., 6] of entries, nan for empty ones."""
    numbers = np.stack([entries[name].astype(np.float64) for name in _COLUMNS], axis=-1)
    numbers[entries["priority"] == NO_ENTRY] = np.nan
    return numbers


def _by_tenths(sample: Summary) -> tuple[Doubles, Doubles]:
    """Return the edges [L, H, 11] of the tenths of a sample [L, H, N], and its entries [L, H, 10, N / 10, 6].

    Of n sentences with a weight, that of rank r, from 0, is in tenth r * 10 // n.
    """
    numbers = _numbers(sample)
    order = np.argsort(numbers[..., 0], axis=-1, kind="stable")  # nan stands last
    numbers = np.take_along_axis(numbers, order[..., None], axis=-2)
    n_each = sample.shape[-1] // N_TENTHS
    edges = np.full((*sample.shape[:-1], N_TENTHS + 1), np.nan)
    examples = np.full((*sample.shape[:-1], N_TENTHS, n_each, len(_COLUMNS)), np.nan)
    for head in np.ndindex(sample.shape[:-1]):
        rows = numbers[head]
        rows = rows[~np.isnan(rows[:, 0])]
        if len(rows):
            edges[head] = np.quantile(rows[:, 0], np.linspace(0, 1, N_TENTHS + 1))
        tenths = np.arange(len(rows)) * N_TENTHS // max(1, len(rows))
        for tenth in range(N_TENTHS):
            own = rows[tenths == tenth][::-1]  # the strongest first
            examples[head][tenth, : len(own)] = own
    return edges, examples


def _heaviest(summary: Summary, n_occurrences: Mapping[int, float], n_pieces: int) -> Doubles:
    """Return id, total, and total for each occurrence of the heaviest pieces of each head, [L, H, N, 3]."""
    summary = summary[..., :n_pieces]
    numbers = np.full((*summary.shape[:-1], n_pieces, 3), np.nan)
    times = np.vectorize(lambda number: n_occurrences.get(number, np.nan), otypes=[float])(summary["id"])
    is_counted = summary["total"] > 0
    each = np.divide(summary["total"], times, out=np.full(times.shape, np.nan), where=is_counted)
    found = np.stack((summary["id"], summary["total"], each), axis=-1)
    found[~is_counted] = np.nan
    numbers[..., : summary.shape[-1], :] = found
    return numbers
