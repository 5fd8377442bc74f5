"""The cosines of the vectors that stand for two texts, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.reporter import SILENT, NoParameters
from bertviz_app.analysis.vectors import text_cosines, text_vectors
from tests.support.factories import make_trace


def _vector(*numbers: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(numbers, np.float32)


def test_each_vector_that_both_texts_have_is_compared() -> None:
    one = replace(make_trace(5, seed=1), sentence_vector=_vector(1, 0, 0))
    other = replace(make_trace(7, seed=2), sentence_vector=_vector(3, 4, 0))
    found = text_cosines(one, other)
    assert list(found) == ["pooled", "cls", "mean", "sentence"]
    assert found["sentence"] == pytest.approx(0.6)
    a, b = (trace.hidden[-1].astype(float).mean(0) for trace in (one, other))
    assert found["mean"] == pytest.approx(float(a @ b) / math.hypot(*a) / math.hypot(*b), abs=1e-6)


def test_vectors_of_different_widths_and_absent_ones_are_not_compared() -> None:
    one = replace(make_trace(5), sentence_vector=_vector(1, 0), pooled=None)
    other = replace(make_trace(5), sentence_vector=_vector(1, 0, 0))
    assert list(text_vectors(one)) == ["cls", "mean", "sentence"]
    assert list(text_cosines(one, other)) == ["cls", "mean"]


def test_the_analysis_has_a_row_for_each_vector() -> None:
    one, other = make_trace(5, seed=1), make_trace(5, seed=2)
    analysis = find_analysis("text-cosines")
    result = analysis.run(Inputs(one, other=other), NoParameters(), SILENT)
    expected = text_cosines(one, other)
    rows = [row[2:] for row in result.as_table().rows]
    assert [name for name, _ in rows] == list(expected)
    assert [value for _, value in rows] == pytest.approx(list(expected.values()))
