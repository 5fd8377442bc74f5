"""Made-up norms, which the switch of numbers shows in place of weights."""

from __future__ import annotations

import threading

import numpy as np

from bertviz_app.analysis.compare import AttentionMatrix
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import HeadMatrices, Quantity, Result, TokenMatrices
from bertviz_app.errors import AnalysisError
from bertviz_app.inference.engine import AnalysisRequest
from bertviz_app.trace import Trace
from bertviz_app.types import Floats

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
