"""What a stop does to one token, as numbers to be drawn: points on a curve, histograms, arrows that add."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.pairs import WHOLE
from bertviz_app.types import Doubles, Floats, Indices
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages.stage import EncoderPart, NormStage, SumStage, activation
from bertviz_app.viewmodels.stages.stops import STAGES, StopTensors, equation, symbol

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
    found = []
    for formula, values, mean, deviation in known:
        counts = np.histogram(np.clip(values, low, high), edges)[0]
        found.append(Histogram(formula, counts, edges, mean, deviation, values.size))
    return tuple(found)


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
