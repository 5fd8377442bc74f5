"""Analyses and norms that are made up, as somebody's own would be."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from bertviz_app.analysis import catalogue
from bertviz_app.analysis.compare import AttentionMatrix, DenseMatrix
from bertviz_app.analysis.entry import Analysis, Inputs, Needs, compares_nothing
from bertviz_app.analysis.parameters import Choice, Range, Reporter
from bertviz_app.analysis.picture import Quantity, counted
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    LayerRankings,
    NamedArrays,
    Result,
    Scalar,
    TokenMatrices,
    TokenScalars,
)
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.inference.engine import AnalysisRequest
from bertviz_app.trace import Trace
from bertviz_app.types import Floats

LENGTHS = 5.0


@dataclass(frozen=True)
class MadeUp:
    """Parameters of all of them."""

    factor: Annotated[float, Range(0, 10), Message("Factor")] = 1.0
    mode: Annotated[str, Choice(("mean", "largest"))] = "mean"
    is_exact: Annotated[bool, Message("Exactly")] = False


Run = Callable[[Trace, MadeUp], Result]


def entry(
    kind: type[Result],
    run: Run,
    needs: Needs = Needs.TRACE,
    key: str = "",
    compares: Callable[[MadeUp], bool] = compares_nothing,
) -> Analysis[Any, Any]:
    """Return an entry whose key is "made-up-" and the name of the kind of its result."""

    def reported(inputs: Inputs, parameters: MadeUp, reporter: Reporter) -> Result:
        reporter.progress(0.5)
        reporter.check()
        if made.reads_second_run(parameters):
            assert inputs.second is not inputs.trace
        return run(inputs.trace, parameters)

    made: Analysis[Any, Any] = Analysis(
        key=key or f"made-up-{kind.__name__.lower()}",
        paper="Nobody et al. 2024",
        needs=needs,
        parameters=MadeUp,
        result=kind,
        title=Message(key.capitalize() or f"Made-up {kind.__name__}"),
        summary=Message("It is made up."),
        limits=Message("It says nothing."),
        run=reported,
        compares=compares,
    )
    return made


def _head_matrices(trace: Trace, parameters: MadeUp) -> HeadMatrices:
    return HeadMatrices(
        n_layers=trace.n_layers,
        n_heads=trace.n_heads,
        queries=trace.tokens.pieces,
        keys=trace.tokens.pieces,
        quantity=Quantity("norm", 0),
        source=lambda layer, head: DenseMatrix(
            (trace.attention(layer, head) * np.float32(LENGTHS * parameters.factor)).astype(np.float32)
        ),
    )


def _head_scalars(trace: Trace, parameters: MadeUp) -> HeadScalars:
    shape = 2, trace.n_layers, trace.n_heads
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) * np.float32(parameters.factor)
    scalars = Scalar("entropy", Quantity("bits", 0)), Scalar("balance", Quantity("", -100, 100))
    return HeadScalars(scalars, values)


def _token_scalars(trace: Trace, parameters: MadeUp) -> TokenScalars:
    values = np.linspace(-1, 1, trace.n_layers * trace.n_tokens, dtype=np.float32)
    shape = trace.n_layers, trace.n_tokens
    return TokenScalars(trace.tokens.pieces, values.reshape(shape), Quantity("", -1, 1), states="layer")


def _rankings(trace: Trace, parameters: MadeUp) -> LayerRankings:
    shape = trace.n_layers + 1, trace.n_tokens, 2
    ids = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    values = np.broadcast_to(np.array([0.75, 0.25], np.float32), shape).copy()
    return LayerRankings(
        trace.tokens.pieces, ids, values, {number: f"p{number}" for number in ids.ravel().tolist()}
    )


def _named(trace: Trace, parameters: MadeUp) -> NamedArrays:
    hidden = trace.hidden.copy()
    axes = (counted("state", len(hidden)), counted("token", trace.n_tokens), counted("width", trace.width))
    return NamedArrays({"hidden": hidden}, {"hidden": axes}, main="hidden")


def _failing(trace: Trace, parameters: MadeUp) -> TokenScalars:
    raise AnalysisError(Message("This cannot be done."), Message("Do something else."))


def _exact(trace: Trace, parameters: MadeUp) -> TokenScalars:
    values = np.arange(trace.n_tokens, dtype=np.float32)
    return TokenScalars(trace.tokens.pieces, values, Quantity("", 0), identity_error=2e-6)


MATRICES = entry(HeadMatrices, _head_matrices)
GRID = entry(HeadScalars, _head_scalars)
BARS = entry(TokenScalars, _token_scalars)
PIECES = entry(LayerRankings, _rankings)
NAMED = entry(NamedArrays, _named)
FAILING = entry(TokenScalars, _failing, key="made-up-failing")
EXACT = entry(TokenScalars, _exact, key="made-up-exact")
OF_TWO = entry(HeadScalars, _head_scalars, Needs.SECOND_RUN, key="made-up-of-two")
AT_TIMES_OF_TWO = entry(
    HeadScalars,
    _head_scalars,
    key="made-up-at-times-of-two",
    compares=lambda chosen: chosen.mode == "largest",
)
ALL = (MATRICES, GRID, BARS, PIECES, NAMED, FAILING, EXACT, OF_TWO, AT_TIMES_OF_TWO)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The made-up entries stand behind those of the catalogue."""
    monkeypatch.setattr(catalogue, "CATALOGUE", (*catalogue.CATALOGUE, *ALL))


NORM = Quantity("norm", 0)


class Norms:
    """Answers for the analyses of the switch: weights times 1, 2, 3 ... by key; `gate` holds them up."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.refusal: AnalysisError | None = None

    def analyse(
        self, request: AnalysisRequest, trace: Trace, reporter: Reporter, other: Trace | None = None
    ) -> Result:
        assert self.gate.wait(120)
        if self.refusal is not None:
            raise self.refusal
        pieces = trace.tokens.pieces
        if request.key == "norm-attention":

            def source(layer: int, head: int) -> AttentionMatrix:
                return AttentionMatrix(trace, layer, head, lengths(trace))

            return HeadMatrices(trace.n_layers, pieces, pieces, NORM, source, n_heads=trace.n_heads)
        assert request.key == "norm-attention-residual"
        return TokenMatrices.dense(of_layers(trace), pieces, pieces, NORM, 0.0)


def lengths(trace: Trace) -> Floats:
    return np.arange(1, trace.n_tokens + 1, dtype=np.float32)


def of_layers(trace: Trace) -> Floats:
    shape = trace.n_layers, trace.n_tokens, trace.n_tokens
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
