"""What heads do over a corpus: distributions of their measures, and names with the share of the evidence.

A summary is made in one pass over the table of a corpus, in memory that does not grow with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import (
    BROAD_SHARE,
    LEAST_QUERIES,
    LEAST_SHARE,
    MEASURES,
    NAME_RULES,
    Head,
    MeasureKey,
    NameRule,
)
from bertviz_app.notebooks import HasTable
from bertviz_app.tables import Cell, Table, write_file, write_table_csv, write_table_json
from bertviz_app.types import Bools, Doubles, Floats, Longs
from bertviz_app.values import dataclass, field

N_BINS = 32
"""The bars of a distribution: the range from 0 to the highest value, in equal parts."""
LEAST_EVIDENCE = 0.5
"""A head gets a name over a corpus that it gets, by the rules for one text, in this share of the sentences or
more."""
Counts = Longs


@dataclass(frozen=True)
class CorpusName:
    """What a head does over a corpus: its rule, and in which share of the sentences."""

    rule: NameRule
    share: float


@dataclass(frozen=True, eq=False)
class CorpusSummary(HasTable):
    """Distributions of K measures over the sentences of a corpus.

    `means` [K, L, H]; `bars` [K, L, H, N_BINS], how many sentences have a value in each part of the range
    from 0 to `highest` [K]. `names`: of the heads that get one; they are decided over `n_named` sentences.
    """

    measures: tuple[MeasureKey, ...]
    n_sentences: int
    n_named: int
    means: Doubles
    bars: Counts
    highest: Doubles
    names: Mapping[Head, CorpusName]

    def range_of(self, measure: int, bar: int) -> tuple[float, float]:
        """Return the lower and the upper limit of the values in a bar."""
        width = float(self.highest[measure]) / N_BINS
        return bar * width, (bar + 1) * width if bar < N_BINS - 1 else float("inf")

    def as_table(self) -> Table:
        """Return a row for each head: layer, head, its name and in which share of the sentences, its means.

        The name is "" for a head that has none.
        """
        named = {head: (name.rule.key, name.share) for head, name in self.names.items()}
        rows: list[tuple[Cell, ...]] = [
            (*head, *named.get(head, ("", None)), *self.means[:, *head].tolist())
            for head in np.ndindex(self.means.shape[1:])
        ]
        return Table(("layer", "head", "name", "share", *(f"{key}_mean" for key in self.measures)), rows)

    def save(self, path: str | Path) -> Path:
        """Write the table to a file that ends in .csv or .json, and return its path. Raises FileError."""
        facts = {"n_sentences": self.n_sentences, "n_named": self.n_named}
        table = self.as_table()
        writers = {
            ".csv": lambda beside: write_table_csv(table, beside),
            ".json": lambda beside: write_table_json(table, beside, facts),
        }
        return write_file(path, writers)


@dataclass
class SummaryBuilder:
    """Adds up the sentences of a corpus; `measures` are its columns."""

    measures: tuple[MeasureKey, ...]
    shape: tuple[int, int]  # layers, heads
    _n_sentences: int = 0
    _n_named: int = 0
    _sums: Doubles = field(init=False)
    _bars: Counts = field(init=False)
    _highest: Doubles = field(init=False)
    _votes: Counts = field(init=False)

    def __post_init__(self) -> None:
        n_measures = len(self.measures)
        units = {measure.key: measure.unit for measure in MEASURES}
        self._sums = np.zeros((n_measures, *self.shape))
        self._bars = np.zeros((n_measures, *self.shape, N_BINS), np.int64)
        self._highest = np.ones(n_measures)
        self._grows = [units[key] != "weight" for key in self.measures]
        self._votes = np.zeros((len(NAME_RULES), *self.shape), np.int64)

    def add(
        self, n_tokens: NDArray[np.integer], values: Floats, n_word: NDArray[np.integer] | None = None
    ) -> None:
        """Add sentences: their numbers of tokens [N], and their measures [N, L, H, K].

        `n_word` [N] is over how many tokens "word" is the mean. Where that is not known, as in tables of
        earlier versions, no sentence says "same word": a mean over one or two tokens gives no name.
        """
        if not len(values):
            return
        self._n_sentences += len(values)
        self._sums += values.sum(0, dtype=np.float64).transpose(2, 0, 1)
        n_heads = self.shape[0] * self.shape[1]
        for measure, grows in enumerate(self._grows):
            column = values[..., measure]
            while grows and column.max() >= self._highest[measure]:
                # The range doubles: two bars become one.
                joined = self._bars[measure].reshape(*self.shape, N_BINS // 2, 2).sum(-1)
                self._bars[measure] = np.concatenate((joined, np.zeros_like(joined)), axis=-1)
                self._highest[measure] *= 2
            bars = (column.astype(np.float64) * (N_BINS / self._highest[measure])).astype(np.intp)
            np.clip(bars, 0, N_BINS - 1, out=bars)
            numbered = bars.reshape(len(column), n_heads) + N_BINS * np.arange(n_heads)
            counts = np.bincount(numbered.reshape(-1), minlength=n_heads * N_BINS)
            self._bars[measure] += counts.reshape(*self.shape, N_BINS)
        n_word = np.zeros_like(n_tokens) if n_word is None else n_word
        self._vote(np.asarray(n_tokens), values, np.asarray(n_word) >= LEAST_QUERIES)

    def summary(self) -> CorpusSummary:
        """Return the summary of what was added."""
        names = {}
        best = self._votes.argmax(0)
        for layer, head in np.ndindex(self.shape):
            rule = int(best[layer, head])
            share = float(self._votes[rule, layer, head]) / max(1, self._n_named)
            if share >= LEAST_EVIDENCE:
                names[layer, head] = CorpusName(NAME_RULES[rule], share)
        return CorpusSummary(
            self.measures,
            self._n_sentences,
            self._n_named,
            self._sums / max(1, self._n_sentences),
            self._bars.copy(),
            self._highest.copy(),
            names,
        )

    def _vote(self, n_tokens: NDArray[np.integer], values: Floats, has_words: Bools) -> None:
        """Count the names that heads get by their measures [N, L, H, K] in sentences of `n_tokens` [N].

        `has_words` [N]: whether enough tokens have their word elsewhere.
        """
        is_long = n_tokens > LEAST_QUERIES  # the measures of neighbours have one query fewer
        self._n_named += int(is_long.sum())
        values, n_tokens, has_words = values[is_long], n_tokens[is_long], has_words[is_long]
        columns = {key: values[..., at] for at, key in enumerate(self.measures)}
        if "word" in columns:
            columns["word"] = np.where(has_words[:, None, None], columns["word"], -1)
        *by_weight, broad = enumerate(NAME_RULES)
        known = [(at, columns[rule.measure]) for at, rule in by_weight if rule.measure in columns]
        has_name = np.zeros(values.shape[:-1], bool)
        if known:
            weights = np.stack([column for _, column in known])
            best, has_name = weights.argmax(0), weights.max(0) >= LEAST_SHARE
            for index, (at, _) in enumerate(known):
                self._votes[at] += (has_name & (best == index)).sum(0)
        if broad[1].measure in columns:
            least = np.log2(BROAD_SHARE * n_tokens)[:, None, None]
            self._votes[broad[0]] += (~has_name & (columns[broad[1].measure] >= least)).sum(0)


def heads_in_order(summary: CorpusSummary, measure: int | None) -> Sequence[Head]:
    """Return the heads by their mean of a measure, highest first; None: by layer and head."""
    heads = list(np.ndindex(summary.means.shape[1:]))
    if measure is not None:
        heads.sort(key=lambda head: -summary.means[(measure, *head)])
    return [(layer, head) for layer, head in heads]
