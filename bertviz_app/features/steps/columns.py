"""What a table of Steps shows beside each other."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Slot

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import Form
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.stages.stage import EncoderPart, projection_index, source_of
from bertviz_app.viewmodels.stages.stops import STAGES, StopTensors, bound_of, quantity


@dataclass(frozen=True, eq=False)
class Column:
    """One quantity for every token.

    `kind` is how it is drawn: "strip" for a vector, "number", "tinted" for a number on its colour, "bar" for
    a weight. `sign` is the operation that leads to it from the column on its left.
    """

    name: str
    kind: str
    values: Floats  # [T, E], [T, D] or [T]
    bound: float
    formulas: tuple[str, ...]  # the fullest first
    sign: str = ""


ROLES = MappingProxyType(
    {
        "queries": "query",
        "keys": "key",
        "values": "value",
        "weighted": "value",
        "mixed": "output",
        "concat": "output",
        "projected": "output",
    }
)
"""The colour of what a stage makes, by its role in the attention; of others it is the accent."""


def columns_of(tensors: StopTensors) -> list[Column]:
    """Return the columns of a stop of one head from left to right, step by step none of later stops."""
    steps = tensors.steps
    assert steps is not None
    if STAGES[tensors.stop.stage].part is EncoderPart.PROJECTIONS:
        columns = _projection_columns(tensors)
    else:
        columns = [
            Column("keys", "strip", steps.keys, bound_of(steps.keys), ("k_j",)),
            Column("scores", "number", steps.products, 1.0, ("q_i · k_j",), "→"),
            *_score_columns(steps, tensors.trace.form),
            Column("exponential", "number", steps.exponentials, 1.0, ("e^{s_j − m}",)),
            Column("weight", "bar", steps.weights, 1.0, ("α_j = e^{s_j − m} / Σ", "α_j"), "→"),
            *([] if tensors.what_if is None else [Column("what_if", "bar", tensors.what_if, 1.0, ("α'_j",))]),
            Column("values", "strip", steps.values, bound_of(steps.values), ("v_j",), "×"),
            Column("weighted", "strip", steps.weighted, bound_of(steps.weighted), ("α_j v_j",), "="),
        ]
    if not tensors.is_step_by_step:
        return columns
    focus = columns_in_focus(tensors)
    last = max(position for position, column in enumerate(columns) if column.name in focus)
    return columns[: last + 1]


def column_word(name: str) -> str:
    """Return the word that stands above the letter of a column."""
    translate = QCoreApplication.translate
    words = {
        "input": translate("Steps", "input"),
        "input_norm": translate("Steps", "input"),
        "scores": translate("Steps", "product"),
        "scaled": translate("Steps", "score"),
        "biased": translate("Steps", "score"),
        "exponential": translate("Steps", "power of e"),
        "what_if": translate("Steps", "weight"),
        DISTANCE: translate("Steps", "distance"),
    }
    return words[name] if name in words else quantity(name)


def columns_in_focus(tensors: StopTensors) -> tuple[str, ...]:
    """Return the names of the columns that a stop is about; of a projection also of what it reads.

    Where something is added to the scores the softmax is given the sum, which is beside what it is made of.
    """
    stage, steps = STAGES[tensors.stop.stage], tensors.steps
    if stage.part is EncoderPart.PROJECTIONS:
        return (source_of(stage.key[0], tensors.absent)[0], *stage.quantities)
    names = (*stage.quantities, "what_if") if tensors.what_if is not None else stage.quantities
    is_beside = stage.key == "softmax" and steps is not None and bool(steps.added)
    is_beside = is_beside or not tensors.trace.form.divides_scores
    return tuple(name for name in names if not (is_beside and name == "scaled"))


def _projection_columns(tensors: StopTensors) -> list[Column]:
    """Return what the attention reads, as far as it is known, and what the head's three layers make of it."""
    trace = tensors.trace
    columns: list[Column] = []
    for letter, name in zip("QKV", ("queries", "keys", "values"), strict=True):
        source, symbol = source_of(name[0], tensors.absent)
        given = tensors.tensor(source)
        if given is not None and source not in {column.name for column in columns}:
            columns.append(Column(source, "strip", given, bound_of(given), (symbol,)))
        values = tensors.tensor(name)
        assert values is not None
        index = projection_index(trace, tensors.query, letter)
        product = f"{symbol}W_{index}"
        has_bias = trace.form.has_bias_of(letter)
        whole = f"{product} + b_{index}" if has_bias else product
        if trace.form.is_rotary and letter != "V":
            whole = product = f"R({whole})"
        forms = (f"{letter.lower()} = {whole}", product, letter.lower())
        columns.append(Column(name, "strip", values, bound_of(values), forms))
    return columns


def _score_columns(steps: HeadSteps, form: Form) -> list[Column]:
    """Return the scaled products, and where the encoder adds something to them that and the sum."""
    divided = f"… ÷ \\sqrt{{{steps.radicand}}}"
    if not steps.added:
        return [Column("scaled", "number", steps.scaled, 1.0, (f"s_j = {divided}", "s_j"), "→")]
    if DISTANCE in steps.added:
        bias = "b_{ij}" if form.has_blocks else "b_{j − i}"
        scaled = Column("scaled", "number", steps.scaled, 1.0, (divided, "÷"), "→")
        return [
            *((scaled,) if form.divides_scores else ()),
            Column(DISTANCE, "number", steps.added[DISTANCE], 1.0, (bias, "b"), "+"),
            Column("biased", "number", steps.biased, 1.0, ("s_j",), "="),
        ]
    forms = {CONTENT: "c → c", TO_POSITION: "c → p", TO_CONTENT: "p → c", "biased": "s_j"}
    signs = {CONTENT: "→", "biased": "="}
    parts = {CONTENT: steps.scaled} | steps.added | {"biased": steps.biased}
    bound = max(bound_of(values) for values in parts.values())
    return [
        Column(name, "tinted", values, bound, (forms[name],), signs.get(name, "+"))
        for name, values in parts.items()
    ]


@dataclass(frozen=True, eq=False)
class PairProducts:
    """The products q_d k_d [E] of two tokens, and `score`, their sum as the trace has it."""

    key: int
    query_label: str
    key_label: str
    query_row: Floats
    key_row: Floats
    products: Doubles
    score: float

    @property
    def bound(self) -> float:
        """The largest product by size, at which the colours are full."""
        return float(np.abs(self.products).max()) or 1.0


def pair_products(trace: Trace, steps: HeadSteps, key: int | None) -> PairProducts:
    """Return the products of the query and `key`; of None the key with the largest weight is taken."""
    key = int(steps.weights.argmax()) if key is None else key
    labels = trace.tokens.labels
    return PairProducts(
        key,
        labels[steps.query],
        labels[key],
        steps.query_row,
        steps.keys[key],
        steps.products_with(key),
        float(steps.products[key]),
    )


class FollowedQuery(QObject):
    """The highlighted query of `trace`, the pinned one, else the first word."""

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.trace: Trace | None = None
        self._selection = selection

    @property
    def query(self) -> int:
        """The position of the token."""
        n_tokens = 1 if self.trace is None else self.trace.n_tokens
        for pair in (self._selection.shown, self._selection.pinned):
            query = pair.within(n_tokens).query
            if query is not None:
                return query
        return min(1, n_tokens - 1)

    @property
    def first_name(self) -> str:
        """The name of the first token: [CLS] or that of another family."""
        return BERT_NAMES.first if self.trace is None else self.trace.tokens.special_names.first

    @Slot(int)
    def choose(self, query: int) -> None:
        """Follow another token on its way: pin it."""
        self._selection.leave()  # else what the pointer rests on would be shown instead
        if self._selection.pinned.query != query or self._selection.pinned.key is not None:
            self._selection.pin(query=query)

    def step(self, count: int) -> None:
        """Follow the token `count` positions on; not beyond the ends."""
        if self.trace is not None:
            self.choose(min(max(0, self.query + count), self.trace.n_tokens - 1))

    @Slot(int)
    def point_at(self, key: int) -> None:
        """Highlight a key of the query; -1: none."""
        if key < 0:
            self._selection.leave()
        else:
            self._selection.hover(self.query, key)
