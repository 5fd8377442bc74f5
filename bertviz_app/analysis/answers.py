"""`likeliest_spans`: which parts of a text answer a question, by a head for answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.probabilities import softmax
from bertviz_app.text import Tokens
from bertviz_app.types import Doubles, Floats


@dataclass(frozen=True)
class Span:
    """An answer: the tokens from `first` to `last`, their part of the text, and its probability.

    The probability that the answer begins at `first`, times that it ends at `last`.
    """

    first: int
    last: int
    text: str
    probability: float


@dataclass(frozen=True)
class Answer:
    """The likeliest spans, in order, and the probability `nothing` that the text has no answer.

    `nothing` is the probability that the answer begins and ends at the first token, [CLS] (Devlin et al.
    2019, section 4.3). It has a meaning only if the checkpoint was trained on questions without an answer.
    """

    spans: tuple[Span, ...]
    nothing: float


def likeliest_spans(logits: Floats, tokens: Tokens, top: int) -> Answer:
    """Return the `top` likeliest answers in sentence 2, or in sentence 1 if there is no other.

    `logits` [T, 2]: for each token, the logits that the answer begins, and that it ends there. The
    probabilities of where an answer begins are a softmax over the tokens of that sentence and the first token
    of the input; those of where it ends are another (Devlin et al. 2019, arXiv:1810.04805, sections 4.2 and
    4.3).
    """
    sentence = 0 if tokens.pair is None else 1
    positions = np.flatnonzero(tokens.sentences == sentence)
    allowed = np.union1d(positions, [0])
    begins, ends = (softmax(column[allowed]) for column in logits.T)
    nothing = float(begins[0] * ends[0]) if tokens.sentences[0] != sentence else 0.0
    is_inside = np.isin(allowed, positions)
    begins, ends = begins[is_inside], ends[is_inside]
    text = tokens.text if tokens.pair is None else tokens.pair
    spans = []
    for first, last in _best(begins, ends, top):
        begin, end = int(positions[first]), int(positions[last])
        part = text[tokens.spans[begin, 0] : tokens.spans[end, 1]]
        spans.append(Span(begin, end, part, float(begins[first] * ends[last])))
    return Answer(tuple(spans), nothing)


def _best(begins: Doubles, ends: Doubles, top: int) -> list[tuple[int, int]]:
    """Return the `top` pairs (i, j), i <= j, with the largest begins[i] * ends[j], the largest first.

    Only the `top` beginnings i whose best product is largest can be among them, so at most top * n products
    are computed, not n * n.
    """
    if not len(begins):
        return []
    largest = np.maximum.accumulate(ends[::-1])[::-1]  # of ends[i:]
    firsts: NDArray[np.intp] = np.sort(np.argsort(-begins * largest, kind="stable")[:top])
    products = begins[firsts, None] * ends
    products[np.arange(len(ends)) < firsts[:, None]] = -1
    order = np.argsort(-products, axis=None, kind="stable")[:top]
    rows, lasts = np.unravel_index(order, products.shape)
    pairs = zip(firsts[rows].tolist(), lasts.tolist(), strict=True)
    return [(first, last) for first, last in pairs if first <= last]
