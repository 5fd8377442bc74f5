"""Linear CKA: how alike the vectors of two layers, or of two checkpoints, are arranged over a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Annotated

import numpy as np

from bertviz_app.analysis.entry import ModelAccess, Needs
from bertviz_app.analysis.parameters import Choice, Index, Reporter
from bertviz_app.analysis.picture import Axis, Picture, Quantity
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Message, SelectionError
from bertviz_app.features.corpora.studies.study import NOTHING, Measured, Part, study
from bertviz_app.text import Tokens
from bertviz_app.types import Doubles, Longs
from bertviz_app.values import dataclass, replace

MOST_BYTES = 1 << 28
"""More than this the sums of a part do not take: each block of texts is a file of so many bytes."""
_FEWEST = 4
_NO_SPREAD = 1e-12
Pair = tuple[str, str]


@dataclass(frozen=True)
class SimilarityParameters:
    """What is compared: `vectors` of tokens or of texts, of which `states`, by which `estimator`.

    "tokens": each token that is not special; "texts": the mean of these in each text; "first": the first
    token, such as [CLS]. `states`: hidden states from 0, the embeddings; None: all.
    """

    vectors: Annotated[str, Choice(("tokens", "texts", "first")), Message("Vectors")] = "tokens"
    estimator: Annotated[str, Choice(("debiased", "biased")), Message("Estimator of CKA")] = "debiased"
    states: Annotated[tuple[int, ...] | None, Index("layer"), Message("Hidden states; empty: all")] = None


class LayerSimilarity(NamedArrays):
    """The CKA of each two hidden states, "values" [states, other states]: of one checkpoint, or of two.

    The facts are "checkpoints", 1 or 2; "vectors", over how many; "without partner", tokens of the first
    checkpoint that the second one cuts differently, which are left out; "constant", states without a CKA.
    """

    def pictures(self) -> tuple[Picture, ...]:
        values = self.named["values"]
        quantity = Quantity("", -1.0 if np.nanmin(values, initial=0.0) < 0 else 0.0, 1.0)
        return (Picture("CKA", "cells", values, self.axes, quantity, top=1.0),)

    def findings(self) -> tuple[str, ...]:
        vectors, without, constant = (
            int(self.facts[name]) for name in ("vectors", "without partner", "constant")
        )
        found = [Message("Over {0} vectors.", f"{vectors:,}")]
        if self.facts["checkpoints"] == 2:
            found.append(Message("Rows are states of this checkpoint, columns those of the other one."))
        if without:
            found.append(
                Message("{0} tokens that the other checkpoint cuts differently are left out.", f"{without:,}")
            )
        if constant:
            found.append(Message("{0} states have the same vector in every text, and no CKA.", constant))
        return tuple(found)


def _finish(
    model: ModelAccess, part: Part, parameters: SimilarityParameters, reporter: Reporter
) -> LayerSimilarity:
    """Return the CKA of each two states from the sums over the file."""
    n_vectors = int(part.sums.get("n", np.array(0)))
    if n_vectors < _FEWEST:
        message = Message("CKA needs {0} vectors or more; this file gives {1}.", _FEWEST, n_vectors)
        raise AnalysisError(message, Message("Give more texts, or compare tokens."))
    names = [name.removeprefix("total ") for name in part.sums if name.startswith("total ")]
    names.sort(key=lambda name: (name[0], int(name[1:])))
    rows = [name for name in names if name[0] == "a"]
    columns = [name for name in names if name[0] == "b"] or rows
    criterion = _Criterion(part, names, is_debiased=parameters.estimator == "debiased")
    own = {name: criterion.of(name, name) for name in names}
    values = np.full((len(rows), len(columns)), np.nan, np.float32)
    for at, row in enumerate(rows):
        reporter.check()
        for beside, column in enumerate(columns):
            if own[row] > 0 and own[column] > 0:
                shared = criterion.of(*sorted((row, column), key=names.index))
                values[at, beside] = shared / np.sqrt(own[row] * own[column])
    diagonal = np.nan_to_num(values.diagonal(), nan=1.0) if columns is rows else np.ones(1)
    axes = (Axis("state", _numbers(rows)), Axis("other state", _numbers(columns)))
    facts = {
        "checkpoints": 1 if columns is rows else 2,
        "vectors": n_vectors,
        "without partner": int(part.sums["without partner"]),
        "constant": sum(value <= 0 for value in own.values()),
    }
    return LayerSimilarity({"values": values}, {"values": axes}, facts, float(np.abs(diagonal - 1).max()))


def _numbers(names: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers of states whose names are "a0", "a1" ..., or "b0", "b1" ..."""
    return tuple(name[1:] for name in names)


class _Criterion:
    """HSIC with linear kernels, from sums over the vectors x of one state and y of another one.

    Biased: the squared Frobenius norm of the centred X^T Y, over (n - 1)^2. Debiased: the estimator of Song
    et al. 2012, whose Gram matrices have zeros on their diagonals, written with sums over vectors.
    """

    def __init__(self, part: Part, names: Sequence[str], *, is_debiased: bool) -> None:
        self._sums, self._is_debiased = part.sums, is_debiased
        self._index = {name: at for at, name in enumerate(names)}
        self._n = int(part.sums["n"])

    def of(self, a: str, b: str) -> float:
        """Return the criterion of two states; 0 for one whose vectors are all the same."""
        sums, n = self._sums, self._n
        i, j = self._index[a], self._index[b]
        products: Doubles = sums[f"products {a} {b}"]
        of_a, of_b = sums[f"total {a}"], sums[f"total {b}"]
        biased = float(np.square(products - np.outer(of_a, of_b) / n).sum())
        squares = sums["squares"]
        if a == b and biased <= _NO_SPREAD * float(squares[i]) ** 2:
            return 0.0
        if not self._is_debiased:
            return biased / (n - 1) ** 2
        fourth = float(sums["fourth"][i, j])
        trace = float(np.square(products).sum()) - fourth
        totals = (of_a @ of_a - squares[i]) * (of_b @ of_b - squares[j])
        back, forth = of_a @ sums[f"weighted {a}"][:, j], of_b @ sums[f"weighted {b}"][:, i]
        rows = of_a @ products @ of_b - back - forth + fourth
        found = trace + totals / ((n - 1) * (n - 2)) - 2 * rows / (n - 2)
        return float(found / (n * (n - 3)))


_PAPER = "Kornblith et al. 2019, arXiv:1905.00414, section 3; Song et al. 2012, JMLR 13, section 2"


@study(
    key="cka",
    title=Message("Similarity of layers (CKA)"),
    summary=Message(
        "How alike the vectors of each two layers are arranged over the texts of a file, from 0 to 1."
    ),
    limits=Message(
        "It says that two layers arrange the same vectors alike, whatever turn or scale is between them, not "
        "that they compute the same; a few very large dimensions may decide it. The biased estimator is too "
        "high where there are few vectors for the width, and tokens of one text are no independent sample."
    ),
    paper=_PAPER,
    needs=Needs.TRACE,
    reads="texts",
    finish=_finish,
)
def layer_similarity(measured: Measured, parameters: SimilarityParameters, reporter: Reporter) -> Part:
    """Return the sums from which the CKA of each two states follows.

    CKA = HSIC(X, Y) / sqrt(HSIC(X, X) HSIC(Y, Y)), with X [n, D] and Y [n, D'] the vectors of two states.
    The sums are in float64: of x, |x|^2, x y^T, x |y|^2 and |x|^2 |y|^2. A state whose vectors are all the
    same has no CKA: nan.
    """
    return _measure(replace(measured, second=None), parameters, reporter)


@study(
    key="cka-checkpoints",
    title=Message("Similarity of two checkpoints' layers (CKA)"),
    summary=Message(
        "How alike the vectors of each layer of one checkpoint and each of another one are arranged over the "
        "texts of a file, from 0 to 1."
    ),
    limits=Message(
        "As for the layers of one checkpoint. Only tokens that both checkpoints cut at the same characters "
        "are compared; how many are left out is said."
    ),
    paper=_PAPER,
    needs=Needs.SECOND_RUN,
    reads="texts",
    finish=_finish,
)
def checkpoint_similarity(measured: Measured, parameters: SimilarityParameters, reporter: Reporter) -> Part:
    """Return the sums of `layer_similarity`, of the states of two checkpoints."""
    return _measure(measured, parameters, reporter)


def _measure(measured: Measured, parameters: SimilarityParameters, reporter: Reporter) -> Part:
    second = measured.second
    vectors: dict[str, list[Doubles]] = {}
    n_without = 0
    for at, unit in enumerate(measured.units):
        reporter.check()
        rows = np.flatnonzero(~unit.tokens.is_special)
        columns = rows
        if second is not None and parameters.vectors == "tokens":
            of_a, of_b = _by_span(unit.tokens), _by_span(second.units[at].tokens)
            both = [key for key in of_a if key in of_b]
            rows, columns = (np.array([of[key] for key in both], np.intp) for of in (of_a, of_b))
            n_without += int((~unit.tokens.is_special).sum()) - len(rows)
        elif second is not None:
            columns = np.flatnonzero(~second.units[at].tokens.is_special)
        if not len(rows) or not len(columns):
            continue
        sides = [("a", measured, rows)] + ([] if second is None else [("b", second, columns)])
        for side, source, tokens in sides:
            hidden = source.record(source.units[at].tokens).hidden
            for state in _states(len(hidden), parameters.states):
                found = hidden[state, [0] if parameters.vectors == "first" else tokens].astype(np.float64)
                found = found.mean(0, keepdims=True) if parameters.vectors == "texts" else found
                vectors.setdefault(f"{side}{state}", []).append(found)
    if not vectors:
        return NOTHING
    return _sums({name: np.concatenate(some) for name, some in vectors.items()}, n_without, reporter)


def _states(n_states: int, chosen: tuple[int, ...] | None) -> Sequence[int]:
    """Return the states to compare, each once, in order. Raises SelectionError for one that is not there."""
    if not chosen:
        return range(n_states)
    if max(chosen) >= n_states:
        message = Message("There is no hidden state {0}: there are 0 to {1}.", max(chosen), n_states - 1)
        raise SelectionError(message, Message("State 0 are the embeddings."))
    return sorted(set(chosen))


def _by_span(tokens: Tokens) -> dict[tuple[int, int, int], int]:
    """Return the positions of tokens by sentence, first character and end; without those that share these."""
    found: dict[tuple[int, int, int], int] = {}
    shared = set()
    for at in np.flatnonzero(~tokens.is_special).tolist():
        first, end = tokens.spans[at].tolist()
        key = (int(tokens.sentences[at]), first, end)
        if key in found or first == end:
            shared.add(key)
        found[key] = at
    return {key: at for key, at in found.items() if key not in shared}


def _sums(vectors: dict[str, Doubles], n_without: int, reporter: Reporter) -> Part:
    """Return the part of vectors [n, D] by the names of their states."""
    names = sorted(vectors, key=lambda name: (name[0], int(name[1:])))
    pairs = list(combinations_with_replacement(names, 2))  # each two states of one checkpoint
    if any(name[0] == "b" for name in names):  # of two, each of one with each of the other
        pairs = [(a, b) for a, b in pairs if a == b or a[0] != b[0]]
    n_bytes = 8 * sum(vectors[a].shape[1] * vectors[b].shape[1] for a, b in pairs)
    if n_bytes > MOST_BYTES:
        size = f"{n_bytes / 2**30:,.1f}"
        message = Message("Comparing each two of these states takes {0} GiB of sums.", size)
        raise AnalysisError(message, Message("Choose fewer hidden states, such as 0,4,8,12."))
    squares = np.stack([np.square(vectors[name]).sum(-1) for name in names], -1)  # [n, K]
    sums: dict[str, Doubles | Longs] = {
        "n": np.array(len(squares)),
        "without partner": np.array(n_without),
        "squares": squares.sum(0),
        "fourth": squares.T @ squares,
    }
    for name in names:
        sums[f"total {name}"] = vectors[name].sum(0)
        sums[f"weighted {name}"] = vectors[name].T @ squares  # [D, K]
    for a, b in pairs:
        reporter.check()
        sums[f"products {a} {b}"] = vectors[a].T @ vectors[b]
    return Part(sums)
