"""What a stop does with a matrix: products add up to the trace's number, a row is that of its token."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.checkpoint.parameters import ParameterTable, StoredParameter
from bertviz_app.features.steps.drawn import Lookup, Product, StopMatrices
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.parameters import (
    Matrix,
    ModelMatrices,
    Region,
    RegionPicture,
    ShownMatrix,
    ShownTable,
    matrix_of,
    region_picture,
)
from bertviz_app.viewmodels.results import Coming, Ready
from bertviz_app.viewmodels.stages.stops import BELOW, Stop, StopTensors, stop_tensors
from tests.support.factories import make_details, make_trace

_QUERY, _HEAD = 2, 1


class _Known(QObject):
    """Has these arrays by their keys at once; with `is_coming` nothing yet."""

    arrived = Signal()

    def __init__(self, arrays: dict[str, Floats]) -> None:
        super().__init__()
        self.arrays = arrays
        self.is_coming = False

    def table(self, traces: object, slot: str) -> Ready[ShownTable] | Coming:
        entries = [
            StoredParameter(key, key, array.shape, "attention", (1,) if "layers" in key else ())
            for key, array in self.arrays.items()
        ]
        return Coming() if self.is_coming else Ready(ShownTable(ParameterTable(entries)))

    def matrix(self, traces: object, key: str, slot: str) -> Ready[ShownMatrix]:
        return Ready(ShownMatrix(matrix_of((self.arrays[key],)), lambda row: f"piece {row}"))

    def picture(
        self, traces: object, key: str, matrix: Matrix, region: Region, slot: str
    ) -> Ready[RegionPicture]:
        return Ready(region_picture(matrix, region))


@pytest.fixture
def trace() -> Trace:
    return make_trace(5, n_layers=2)


def _tensors(trace: Trace, stop: Stop) -> StopTensors:
    steps = head_steps(trace, 1, _HEAD, _QUERY)
    return stop_tensors(trace, stop, _HEAD, _QUERY, make_details(trace, 1), steps)


def _queries(trace: Trace) -> dict[str, Floats]:
    """Return weights and biases with which the query of the token comes out of its input."""
    given, made = trace.hidden[1][_QUERY], trace.queries[1, _HEAD, _QUERY]
    width = len(made)
    weights = np.zeros((trace.n_heads * width, len(given)), np.float32)
    bias = np.zeros(len(weights), np.float32)
    rows = slice(_HEAD * width, (_HEAD + 1) * width)
    bias[rows] = 0.5
    weights[rows] = np.outer(made - 0.5, given) / (given @ given)
    return {"layers.1.attention.query.weight": weights, "layers.1.attention.query.bias": bias}


def _of(known: _Known, tensors: StopTensors) -> Product | Lookup | None:
    return StopMatrices(cast(ModelMatrices, known)).of(tensors)


def test_the_products_of_a_line_and_the_bias_are_the_number_of_the_trace(trace: Trace) -> None:
    known = _Known(_queries(trace))
    found = _of(known, _tensors(trace, Stop(1, "queries")))
    assert isinstance(found, Product)
    assert (found.inputs == trace.hidden[1][_QUERY]).all()
    assert found.bias is not None
    for output, number in enumerate(trace.queries[1, _HEAD, _QUERY].tolist()):
        assert found.sum(output) + float(found.bias[output]) == pytest.approx(number, abs=1e-4)


def test_what_does_not_make_the_numbers_of_the_trace_is_not_drawn(trace: Trace) -> None:
    arrays = _queries(trace)
    arrays["layers.1.attention.query.bias"] += 1  # as of a query that is turned by its position
    assert _of(_Known(arrays), _tensors(trace, Stop(1, "queries"))) is None


def test_nothing_is_drawn_before_the_table_of_parameters_is_there(trace: Trace) -> None:
    known = _Known(_queries(trace))
    known.is_coming = True
    assert _of(known, _tensors(trace, Stop(1, "queries"))) is None


def test_the_row_of_a_token_is_taken_out_of_the_table(trace: Trace) -> None:
    index = trace.tokens.ids[_QUERY]
    table = np.zeros((max(trace.tokens.ids) + 10, trace.width), np.float32)
    table[index] = trace.token_embeddings[_QUERY]
    known = _Known({"embeddings.token.weight": table})
    found = _of(known, _tensors(trace, Stop(BELOW, "token")))
    assert isinstance(found, Lookup)
    assert (found.index, found.n_rows) == (index, len(table))
    assert (found.row == trace.token_embeddings[_QUERY]).all()
    assert found.name_of is not None
    assert found.name_of(index) == f"piece {index}"


def test_a_table_that_has_another_row_there_is_not_drawn(trace: Trace) -> None:
    table = np.zeros((max(trace.tokens.ids) + 10, trace.width), np.float32)
    known = _Known({"embeddings.token.weight": table})
    assert _of(known, _tensors(trace, Stop(BELOW, "token"))) is None
