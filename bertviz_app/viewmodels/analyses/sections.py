"""A result as sections of named numbers that a student can read: why a weight, a logit, which methods agree.

The words are keys that a view translates; tokens and pieces are written as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertviz_app.analysis.results import LayerRankings, LogitParts, MethodAgreement, Result, ScoreParts
from bertviz_app.types import Floats

MOST = 8
"""So many rows of a list are shown; the rest is one row."""


@dataclass(frozen=True)
class SectionRow:
    """A label and its number. `piece`: what a click follows; `is_marked`: what everything is about."""

    label: str
    value: float
    note: str = ""
    piece: str = ""
    is_marked: bool = False


@dataclass(frozen=True)
class Section:
    """Rows of numbers under one title.

    `key` names the title and the explanation, `words` are filled into both. `top` is the number that a bar of
    full length stands for; with a `top` of 1 and no number below 0 the numbers are shares of a whole.
    """

    key: str
    rows: tuple[SectionRow, ...]
    words: tuple[str, ...] = ()
    top: float = 0.0

    @property
    def is_of_shares(self) -> bool:
        """Whether no number is below 0, so that bars begin on the left."""
        return self.top == 1.0 and not any(row.value < 0 for row in self.rows)


def sections_of(result: Result, position: int = 0) -> tuple[Section, ...]:
    """Return the sections of a result; `position` is the token that a prediction by layer is of."""
    if isinstance(result, ScoreParts):
        return _of_score(result)
    if isinstance(result, LogitParts):
        return _of_logit(result)
    if isinstance(result, LayerRankings):
        return _of_depth(result, position)
    if isinstance(result, MethodAgreement):
        return _of_agreement(result)
    raise TypeError(f"{type(result).__name__} has no sections")


def _scaled(key: str, rows: list[SectionRow], *words: str) -> Section:
    return Section(key, tuple(rows), words, max((abs(row.value) for row in rows), default=0.0))


def largest(
    labels: tuple[str, ...], values: Floats, most: int = MOST, rest: str = "rest"
) -> list[SectionRow]:
    """Return a row for each of the `most` values of largest magnitude, and one for the sum of the others."""
    order = np.argsort(-np.abs(values), kind="stable")
    rows = [SectionRow(labels[at], float(values[at])) for at in order[:most].tolist()]
    left = order[most:]
    if len(left):
        rows.append(SectionRow(f"{rest} ({len(left)})", float(values[left].sum(dtype=np.float64))))
    return rows


def _of_score(result: ScoreParts) -> tuple[Section, ...]:
    named, axes = result.named, result.axes_of
    weights, scores, keys = named["weights"], named["scores"], axes["weights"][0].labels
    at = int(result.facts["key"])
    order = np.argsort(-weights, kind="stable").tolist()
    shown = order[:MOST] if at in order[:MOST] else [*order[: MOST - 1], at]
    competitors = [
        SectionRow(keys[key], float(weights[key]), f"{scores[key]:.3f}", is_marked=key == at) for key in shown
    ]
    sum_of_parts = float(named["parts"].sum(dtype=np.float64))
    dimensions = named["dimensions"]
    sections = [
        Section(
            "competitors",
            tuple(competitors),
            (f"{sum_of_parts:.4f}", f"{weights[at]:.4f}", str(order.index(at) + 1), str(len(order))),
            1.0,
        )
    ]
    if len(named["parts"]) > 1:
        parts = [
            SectionRow(name, float(value))
            for name, value in zip(axes["parts"][0].labels, named["parts"], strict=True)
        ]
        sections.append(_scaled("parts", parts, f"{sum_of_parts:.4f}"))
    if "writers" in named:
        sections += _of_writers(result)
    rows = largest(tuple(map(str, range(len(dimensions)))), dimensions)
    total = float(dimensions.sum(dtype=np.float64))
    sections.append(_scaled("dimensions", rows, str(len(dimensions)), f"{total:.4f}"))
    return tuple(sections)


def _of_writers(result: ScoreParts) -> list[Section]:
    table = result.named["writers"]
    queries, keys = (axis.labels for axis in result.axes_of["writers"])
    total = f"{table.sum(dtype=np.float64):.4f}"
    if int(result.facts["layer"]) == 0:
        labels = tuple(f"{a} · {b}" for a in queries for b in keys)
        return [_scaled("embeddings", largest(labels, table.reshape(-1)), total)]
    by_query = table.sum(1, dtype=np.float64).astype(np.float32)
    by_key = table.sum(0, dtype=np.float64).astype(np.float32)
    return [
        _scaled("query writers", largest(queries, by_query), total),
        _scaled("key writers", largest(keys, by_key), total),
    ]


def _of_logit(result: LogitParts) -> tuple[Section, ...]:
    named, facts = result.named, result.facts
    heads, fed, biases = named["heads"], named["feed_forward"], named["biases"]
    names = tuple(f"{layer}·{head}" for layer in range(len(heads)) for head in range(heads.shape[1]))
    sums = [float(part.sum(dtype=np.float64)) for part in (heads, fed, biases)]
    others = [float(facts["embeddings"]), float(facts["task head"])]
    kinds = ("heads", "feed-forward", "biases", "embeddings", "task head")
    whole = [SectionRow(kind, value) for kind, value in zip(kinds, [*sums, *others], strict=True)]
    words = str(facts["piece"]), str(facts["token"]), f"{float(facts['logit']):.4f}"
    layers = [SectionRow(str(layer), float(value)) for layer, value in enumerate(fed)]
    return (
        _scaled(
            "logit", [*whole, SectionRow("sum", sum(row.value for row in whole), is_marked=True)], *words
        ),
        _scaled("logit heads", largest(names, heads.reshape(-1), 12)),
        _scaled("logit feed-forward", layers),
    )


def _of_agreement(result: MethodAgreement) -> tuple[Section, ...]:
    """Return the methods by their agreement with the first one, and by the means of their two curves."""
    (yardstick, *others), named = result.axes_of["spearman"][0].labels, result.named
    shown, masked = (f"{value:.4f}" for value in named["deletion"][0, [0, -1]])
    alike = _methods(others, named["spearman"][0, 1:])
    curves = {
        curve: _methods([yardstick, *others], named[curve].mean(-1)) for curve in ("deletion", "insertion")
    }
    return (
        Section("agreement", tuple(alike[::-1]), top=1.0),
        _scaled("deletion", curves["deletion"], shown, masked),
        _scaled("insertion", curves["insertion"][::-1], masked, shown),
    )


def _methods(keys: list[str], values: Floats) -> list[SectionRow]:
    """Return a row for each method, the lowest first."""
    return [SectionRow(keys[at], float(values[at])) for at in np.argsort(values, kind="stable").tolist()]


def _of_depth(result: LayerRankings, position: int) -> tuple[Section, ...]:
    at = min(position, len(result.tokens) - 1)
    last = result.ids.shape[0] - 1
    followed = int(result.ids[last, at, -1]) if result.has_followed else int(result.ids[last, at, 0])
    piece = result.pieces[followed]
    rows = []
    for state in range(last + 1):
        listed = result.ids[state, at].tolist()
        index = listed.index(followed) if followed in listed else None
        value = 0.0 if index is None else float(result.values[state, at, index])
        rows.append(SectionRow(str(state), value, "" if index is not None else "below"))
    fillers = tuple(_fillers(result, state, at, followed) for state in range(last, -1, -1))
    return (Section("by layer", tuple(rows), (piece, result.tokens[at]), 1.0), *fillers)


def _fillers(result: LayerRankings, state: int, at: int, followed: int) -> Section:
    n_top = result.ids.shape[2] - result.has_followed
    ids, values = (array[state, at, :n_top].tolist() for array in (result.ids, result.values))
    rows = (
        SectionRow(result.pieces[number], value, piece=result.pieces[number], is_marked=number == followed)
        for number, value in zip(ids, values, strict=True)
    )
    return Section("fillers", tuple(rows), (str(state),), 1.0)
