"""What a stop shows, as numbers to be drawn: what it does to one token, its matrix, columns of all tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.pairs import WHOLE, HeadSteps
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import Form
from bertviz_app.types import Doubles, Floats, Indices
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.parameters import Matrix, ModelMatrices, Region, ShownMatrix
from bertviz_app.viewmodels.results import Coming, Failed, R, Ready
from bertviz_app.viewmodels.stages.stage import (
    EncoderPart,
    NormStage,
    SumStage,
    activation,
    projection_index,
    source_of,
)
from bertviz_app.viewmodels.stages.stops import STAGES, StopTensors, bound_of, equation, quantity, symbol
from bertviz_app.viewmodels.viewport import Levels

_BINS = 48
_DEVIATIONS = 4.0
"""How many standard deviations around the mean an axis has; what is beyond is counted in the last bars."""
_FINE, _MOST_POINTS = 400, 20_000
_AROUND_ZERO = 4.0
"""How far on both sides of 0 a function is drawn, though no number of the token may go in there."""
NEAR_ZERO = 0.1


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many of `n` numbers lie between each two of `edges`; those beyond the axis count at its ends."""

    formula: str
    counts: Indices  # [bins]
    edges: Doubles  # [bins + 1]
    mean: float
    deviation: float
    n: int

    @property
    def variance(self) -> float:
        return self.deviation * self.deviation


@dataclass(frozen=True, eq=False)
class Histograms:
    """Several sets of numbers on one axis: each is what is made of the one before it.

    `kind`: "norm" of a layer norm, "rms", "scale" where nothing is normalised, "scores" of a head.
    `is_of_head`: they are of all queries, not of the followed one.
    """

    kind: str
    parts: tuple[Histogram, ...]
    divisor: float = 1.0
    is_of_head: bool = False


@dataclass(frozen=True, eq=False)
class ActivationCurve:
    """A function, and the numbers of one token on it: `inputs` [F] become `outputs` [F].

    `line_x`, `line_y`: the function there and around 0, by the numbers of all tokens.
    """

    name: str
    formulas: tuple[str, str]
    inputs: Floats
    outputs: Floats
    line_x: Doubles
    line_y: Doubles

    @property
    def n_near_zero(self) -> int:
        """How many numbers come out smaller than a tenth."""
        return int((np.abs(self.outputs) < NEAR_ZERO).sum())


@dataclass(frozen=True)
class Arrows:
    """Two vectors that add: their letters and that of the sum, the three lengths, and two cosines.

    `between`: of the two. `kept`: of the first one and the sum.
    """

    formulas: tuple[str, str, str]
    lengths: tuple[float, float, float]
    between: float
    kept: float

    @property
    def corners(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where the first arrow ends, which lies on the horizontal axis, and where the second one does.

        In the plane of both vectors: so all lengths and angles are true.
        """
        first, second, _ = self.lengths
        across = math.sqrt(max(0.0, 1 - self.between * self.between))
        return (first, 0.0), (first + second * self.between, second * across)


@dataclass(frozen=True, eq=False)
class Joined:
    """The outputs [H, E] of the heads of a layer, put side by side; `head` is the panel's own."""

    heads: Floats
    head: int


Drawn = Histograms | ActivationCurve | Arrows | Joined


def drawn_of(tensors: StopTensors) -> Drawn | None:
    """Return what a stop does to the followed token; None where strips say it, or numbers are missing."""
    stage = STAGES[tensors.stop.stage]
    if isinstance(stage, NormStage):
        return _norm(tensors)
    if isinstance(stage, SumStage):
        return _sum(tensors)
    if stage.key in ("active", "pooled"):
        return _curve(tensors)
    if stage.key == "concat":
        row, n_heads = tensors.row("concat"), tensors.trace.n_heads
        if row is None or n_heads < 2 or len(row) % n_heads:
            return None
        return Joined(row.reshape(n_heads, -1), tensors.head)
    return _scores(tensors) if stage.key == "scaled" else None


def token_of(tensors: StopTensors) -> int:
    """Return the token whose vector it is: the followed one, on top of the layers the first."""
    return 0 if STAGES[tensors.stop.stage].part is EncoderPart.TOP else tensors.query


def read_by(tensors: StopTensors) -> str:
    """Return the stage that the stop's stage reads."""
    return equation(tensors.stop.stage, 0, tensors.absent, tensors.trace.form)[0].name


def _norm(tensors: StopTensors) -> Histograms | None:
    name, form = read_by(tensors), tensors.trace.form
    before, after = tensors.row(name), tensors.row(tensors.stop.stage)
    if before is None or after is None:
        return None
    letter, own = (symbol(one, tensors.absent) for one in (name, tensors.stop.stage))
    given = before.astype(np.float64)
    if form.has_scaling_norms:
        return Histograms("scale", histograms(((letter, given), (own, after))))
    if form.has_rms_norms:
        normed = given / (math.sqrt(float((given * given).mean())) or 1.0)
        formula = f"{letter} / \\t{{RMS}}"
    else:
        normed = (given - given.mean()) / (float(given.std()) or 1.0)
        formula = f"({letter} − μ) / σ"
    kind = "rms" if form.has_rms_norms else "norm"
    return Histograms(kind, histograms(((letter, given), (formula, normed), (own, after))))


def histograms(sets: Iterable[tuple[str, NDArray[np.floating]]]) -> tuple[Histogram, ...]:
    """Return the histogram of each set of numbers, with its formula, all on one axis."""
    known = [(formula, values, float(values.mean()), float(values.std())) for formula, values in sets]
    low = min(mean - _DEVIATIONS * deviation for _, _, mean, deviation in known)
    high = max(mean + _DEVIATIONS * deviation for _, _, mean, deviation in known)
    low, high = (low, high) if high > low else (low - 1, high + 1)
    edges = np.linspace(low, high, _BINS + 1)
    counts = (np.histogram(np.clip(values, low, high), edges)[0] for _, values, _, _ in known)
    return tuple(
        Histogram(formula, of_bins, edges, mean, deviation, values.size)
        for of_bins, (formula, values, mean, deviation) in zip(counts, known, strict=True)
    )


def _scores(tensors: StopTensors) -> Histograms | None:
    """Return the products of all queries and keys of the head, and these divided; of a long text one row."""
    trace, steps = tensors.trace, tensors.steps
    if steps is None or not trace.form.divides_scores or trace.added:
        return None
    is_whole = trace.n_tokens <= WHOLE
    rows = slice(None) if is_whole else slice(tensors.query, tensors.query + 1)
    products = trace.scores(tensors.layer, tensors.head, rows, scaled=False)
    products = products[np.isfinite(products)].astype(np.float64)
    divisor = math.sqrt(steps.radicand)
    parts = histograms(
        (("q_i · k_j", products), (f"q_i · k_j ÷ \\sqrt{{{steps.radicand}}}", products / divisor))
    )
    return Histograms("scores", parts, divisor, is_whole)


def _curve(tensors: StopTensors) -> ActivationCurve | None:
    stage, name = tensors.stop.stage, read_by(tensors)
    given, made = tensors.tensor(name), tensors.tensor(stage)
    inputs, outputs, details = tensors.row(name), tensors.row(stage), tensors.details
    if given is None or made is None or inputs is None or outputs is None or details is None:
        return None
    if given.shape != made.shape:
        return None
    low, high = min(float(inputs.min()), -_AROUND_ZERO), max(float(inputs.max()), _AROUND_ZERO)
    if stage == "pooled":
        line_x = np.linspace(low, high, _FINE)
        line_y = np.tanh(line_x)
    else:
        pairs = ((inputs, given), (outputs, made))
        # It is one function of all tokens; of a long text a part of its numbers draws it as well.
        sample = slice(None, None, max(1, given.size // _MOST_POINTS))
        some = [np.concatenate([own, of_all.reshape(-1)[sample]]) for own, of_all in pairs]
        known, positions = np.unique(some[0], return_index=True)
        line_x = np.linspace(max(float(known[0]), low), min(float(known[-1]), high), _FINE)
        line_y = np.interp(line_x, known.astype(np.float64), some[1][positions].astype(np.float64))
    letters = symbol(name, tensors.absent), symbol(stage, tensors.absent)
    written = "tanh" if stage == "pooled" else activation(details.activation).name
    return ActivationCurve(written, letters, inputs, outputs, line_x, line_y)


def _sum(tensors: StopTensors) -> Arrows | None:
    lines = equation(tensors.stop.stage, 0, tensors.absent, tensors.trace.form)
    names = next(line.name for line in lines if line.sign == "+"), lines[0].name, tensors.stop.stage
    rows = [tensors.row(name) for name in names]
    vectors = [row.astype(np.float64) for row in rows if row is not None]
    if len(vectors) < len(rows) or len({vector.shape for vector in vectors}) > 1:
        return None
    first, second, total = vectors
    lengths = tuple(float(np.linalg.norm(vector)) for vector in vectors)
    letters = tuple(symbol(name, tensors.absent) for name in names)
    return Arrows(
        (letters[0], letters[1], letters[2]),
        (lengths[0], lengths[1], lengths[2]),
        _cosine(first, second),
        _cosine(first, total),
    )


def _cosine(one: Doubles, other: Doubles) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0


_MODULES = MappingProxyType(
    {
        "queries": ("attention.query", "W_Q", "b_Q"),
        "keys": ("attention.key", "W_K", "b_K"),
        "values": ("attention.value", "W_V", "b_V"),
        "projected": ("attention.output", "W_O", "b_O"),
        "expanded": ("feed_forward.expand", "W_1", "b_1"),
        "gate": ("feed_forward.gate", "W_G", "b_G"),
        "contracted": ("feed_forward.contract", "W_2", "b_2"),
        "dense": ("pooler.dense", "W_P", "b_P"),
    }
)
"""By stage the module whose matrix it multiplies by, and the letters of matrix and bias."""
_TABLES = MappingProxyType({"token": "ids", "segment": "segment_ids", "position": "position_ids"})
"""By stage of an embedding which numbers of the tokens are its rows."""
_OF_HEAD = ("queries", "keys", "values")
_ROUNDING = 1e-2
_GRID, _TABLE = (240, 720), (240, 48)
_AROUND = 2


@dataclass(frozen=True, eq=False)
class Product:
    """One token's vector times a matrix: `outputs` [n] of the trace are `inputs` [C] times its rows, plus b.

    `weights` are the rows as stored, [n, C]: the columns of W in x W. `formulas`: the letters of input,
    matrix, bias and output. `levels`: the colours of the weights, None while they are on their way.
    """

    stage: str
    formulas: tuple[str, str, str, str]
    inputs: Floats
    weights: Floats
    bias: Floats | None
    outputs: Floats
    levels: Levels | None

    def products(self, output: int) -> Doubles:
        """Return the products [C] that add up to an output."""
        products: Doubles = self.inputs.astype(np.float64) * self.weights[output]
        return products

    def sum(self, output: int) -> float:
        """Return the sum of the products, without the bias."""
        return float(self.products(output).sum())

    @property
    def is_exact(self) -> bool:
        """Whether the products make the numbers of the trace, and nothing else is done to them."""
        made = self.weights @ self.inputs
        made = made if self.bias is None else made + self.bias
        return bool(np.abs(made - self.outputs).max() <= _ROUNDING * bound_of(self.outputs))


@dataclass(frozen=True, eq=False)
class Lookup:
    """Row `index` of a table of `n_rows`, the embedding of the token; `name_of` a row, if it has a name.

    `rows` are those around it, from `first` on.
    """

    index: int
    n_rows: int
    first: int
    rows: Floats  # [n, C]
    name_of: Callable[[int], str] | None
    levels: Levels | None

    @property
    def row(self) -> Floats:
        found: Floats = self.rows[self.index - self.first]
        return found


class StopMatrices:
    """Has the matrices of a stop read on the workers of `matrices`; what is on its way is None until then."""

    def __init__(self, matrices: ModelMatrices) -> None:
        self._matrices = matrices
        self.arrived = matrices.arrived
        self._slot = f"steps {id(self)}"
        self.is_waiting = False
        """Whether something of the stop that was asked for last is still on its way."""

    def of(self, tensors: StopTensors) -> Product | Lookup | None:
        """Return what a stop does with a matrix; None of one that does nothing with one, or not yet."""
        stage, self.is_waiting = tensors.stop.stage, False
        if stage in _MODULES:
            return self._product(tensors)
        return self._lookup(tensors) if stage in _TABLES else None

    def _product(self, tensors: StopTensors) -> Product | None:
        stage = tensors.stop.stage
        module, *letters = _MODULES[stage]
        if stage in _OF_HEAD:
            source, letter = source_of(stage[0], tensors.absent)
            letter = f"{letter}_i"
        else:
            source = "attention_norm" if stage == "gate" else read_by(tensors)
            letter = symbol(source, tensors.absent)
        inputs, outputs = tensors.row(source), tensors.row(stage)
        key = self._key(tensors, f"{module}.weight")
        weights = self._matrix(tensors.trace, key, "weight")
        if inputs is None or outputs is None or weights is None:
            return None
        bias_key = self._key(tensors, f"{module}.bias")
        bias = self._matrix(tensors.trace, bias_key, "bias")
        if bias_key and bias is None:
            return None
        first = tensors.head * len(outputs) if stage in _OF_HEAD else 0
        rows = slice(first, first + len(outputs))
        array = weights.matrix.arrays[0][rows]
        if array.shape != (len(outputs), len(inputs)):
            return None
        own_bias = None if bias is None else bias.matrix.arrays[0][0, rows]
        levels = self._levels(tensors.trace, key, weights.matrix, (first, rows.stop), _GRID)
        formulas = letter, letters[0], letters[1], symbol(stage, tensors.absent)
        product = Product(stage, formulas, inputs, array, own_bias, outputs, levels)
        return product if product.is_exact else None

    def _lookup(self, tensors: StopTensors) -> Lookup | None:
        stage, tokens = tensors.stop.stage, tensors.trace.tokens
        key, own = self._key(tensors, f"embeddings.{stage}.weight"), tensors.row(stage)
        table = self._matrix(tensors.trace, key, "weight")
        if table is None or own is None:
            return None
        index, n_rows = int(getattr(tokens, _TABLES[stage])[tensors.query]), table.matrix.shape[0]
        if not 0 <= index < n_rows or not np.array_equal(table.matrix.arrays[0][index], own):
            return None  # scaled, or computed in another way
        first = max(0, min(index - _AROUND, n_rows - 2 * _AROUND - 1))
        rows = table.matrix.block(slice(first, first + 2 * _AROUND + 1), slice(None))
        levels = self._levels(tensors.trace, key, table.matrix, (0, n_rows), _TABLE)
        return Lookup(index, n_rows, first, rows, table.row_name, levels)

    def _key(self, tensors: StopTensors, ending: str) -> str:
        """Return the key of the parameter of the stop's layer with this ending; "" if there is none yet."""
        shown = self._ready(self._matrices.table((tensors.trace,), self._slot))
        for entry in () if shown is None else shown.table:
            is_own = entry.key == ending or entry.key.endswith(f".{ending}")
            is_of_layer = not entry.layers or tensors.layer in entry.layers
            if is_own and is_of_layer and "earlier" not in entry.key and "beside" not in entry.key:
                return entry.key
        return ""

    def _matrix(self, trace: Trace, key: str, what: str) -> ShownMatrix | None:
        return self._ready(self._matrices.matrix((trace,), key, f"{self._slot} {what}")) if key else None

    def _levels(
        self, trace: Trace, key: str, matrix: Matrix, rows: tuple[int, int], size: tuple[int, int]
    ) -> Levels | None:
        region = Region(rows, (0, matrix.shape[1]), *size)
        picture = self._ready(self._matrices.picture((trace,), key, matrix, region, self._slot))
        return None if picture is None else picture.levels

    def _ready(self, state: Ready[R] | Coming | Failed) -> R | None:
        self.is_waiting = self.is_waiting or isinstance(state, Coming)
        return state.value if isinstance(state, Ready) else None


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
        whole = f"{product} + b_{index}" if trace.form.has_bias_of(letter) else product
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
