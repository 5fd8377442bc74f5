"""The operations and bytes of a forward pass, counted by hand for a small encoder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.trace.form import Form
from tests.bench.stages import Stage, forward_stages, least_seconds, overview_stages, table_of

SMALL = EncoderConfig(100, 20, 2, n_layers=3, n_heads=2, width=8, feed_forward_width=16)
T = 10


def _operations(config: EncoderConfig) -> dict[str, float]:
    return {stage.name: stage.operations for stage in forward_stages(config, T)}


def test_a_product_counts_a_multiplication_and_an_addition_for_each_weight_and_token() -> None:
    found = _operations(SMALL)
    assert found["queries, keys and values"] == 3 * 2 * T * 8 * 24
    assert found["output of the attention"] == 3 * 2 * T * 8 * 8
    assert found["feed-forward, first product"] == 3 * 2 * T * 8 * 16
    assert found["scores, softmax and weighted sum"] == 3 * 2 * (2 * T * T * 8)


def test_a_gate_doubles_the_first_product_and_a_window_shortens_its_layers_rows() -> None:
    found = _operations(replace(SMALL, form=Form(is_gated=True), reaches=(None, 2, 2)))
    assert found["feed-forward, first product"] == 2 * _operations(SMALL)["feed-forward, first product"]
    assert found["feed-forward, second product"] == _operations(SMALL)["feed-forward, second product"]
    assert found["scores, softmax and weighted sum"] == 4 * 8 * (T * T + 2 * T * 5)


def test_weights_are_read_once_and_numbers_written_and_read_once() -> None:
    by_name = {stage.name: stage.n_bytes for stage in forward_stages(SMALL, T)}
    assert by_name["output of the attention"] == 3 * 4 * (8 * 8 + T * 16)
    (weights,) = overview_stages(SMALL, T)
    assert (weights.operations, weights.n_bytes) == (3 * 2 * T * T * 8, 3 * 4 * 2 * T * 8)


def test_a_stage_takes_at_least_the_longer_of_its_operations_and_its_bytes() -> None:
    computed, copied = Stage("computed", 100, 10), Stage("copied", 0, 60)
    assert computed.seconds(product=10, copy=20) == 10
    assert copied.seconds(product=10, copy=20) == 3
    assert least_seconds([computed, copied], 10, 20) == pytest.approx(13)
    assert table_of([computed, copied], 10, 20)[-1].split() == ["sum", "13000.00"]
