"""How numbers are written: the same number reads the same in every view."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.views.kit import numbers

_FORMATS = (numbers.fixed, numbers.trimmed, numbers.general, numbers.signed, numbers.cell_number)


@given(st.floats(-1e6, 1e6))
def test_no_format_has_a_hyphen_for_a_minus_sign(value: float) -> None:
    for written in (form(value) for form in _FORMATS):
        assert "-" not in written
        nearly = max(0.006, abs(value) * 1e-3)
        assert abs(float(written.replace("−", "-")) - value) <= nearly


@pytest.mark.parametrize(
    ("value", "fixed", "signed", "cell"),
    [
        (0.0, "0.0000", "0", "0.000"),
        (-0.12345, "−0.1235", "−0.12", "−0.123"),
        (12.3456, "12.3456", "+12.35", "12.346"),
        (-0.00004, "0.0000", "−4.0e−05", "0.000"),
        (123.456, "123.4560", "+123.46", "123.46"),
        (-1234.4, "−1234.4000", "−1234.40", "−1234"),
        (-math.inf, "−∞", "−∞", "−∞"),
        (math.nan, "–", "–", "–"),
    ],
)
def test_a_number_reads_so(value: float, fixed: str, signed: str, cell: str) -> None:
    written = (numbers.fixed(value), numbers.signed(value), numbers.cell_number(value))
    assert written == (fixed, signed, cell)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_an_exact_number_is_read_back_as_the_same(value: float) -> None:
    written = numbers.exact(np.float32(value))
    assert np.float32(written.replace("−", "-")) == np.float32(value)


def test_a_small_weight_or_probability_is_not_called_zero() -> None:
    weights = [numbers.cell_weight(weight) for weight in (0.0, 0.004, 0.006, 1.0)]
    assert weights == ["0.00", "<.01", "0.01", "1.00"]
    probabilities = [numbers.probability(value) for value in (0.0, 2.4e-6, -2e-6, 0.125)]
    assert probabilities == ["0.0000", "2e−06", "−2e−06", "0.1250"]


def test_a_difference_in_a_cell_has_its_sign() -> None:
    written = [numbers.cell_difference(difference) for difference in (0.0, 0.004, 0.25, -0.25)]
    assert written == ["0", "0", "+0.25", "−0.25"]


def test_a_measure_in_a_cell_has_the_fewest_characters() -> None:
    values = (0, 0.004, 0.52, 0.994, 0.996, 2.04, 99.4, 100)
    written = [numbers.cell_measure(value) for value in values]
    assert written == [".00", ".00", ".52", ".99", "1.0", "2.0", "99.4", "100"]


def test_zeros_at_the_end_are_trimmed_after_a_point_only() -> None:
    written = [numbers.trimmed(value) for value in (0.25, 10.0, 0.0, 0.12345)]
    assert written == ["0.25", "10", "0", "0.1235"]
