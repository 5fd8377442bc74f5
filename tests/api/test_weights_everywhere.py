"""Weights alone in all that shows a trace: pages, figures, notebooks; what they cannot show is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bertviz_app
from bertviz_app.errors import AppError
from bertviz_app.trace import Trace
from bertviz_app.types import Floats


def _weights(*shape: int) -> Floats:
    found = np.random.default_rng(3).random(shape).astype(np.float32)
    weights: Floats = found / found.sum(-1, keepdims=True)
    return weights


CROSS: dict[str, Any] = {
    "cross_attention": _weights(2, 2, 4, 6),
    "encoder_tokens": [*"abcdef"],
    "decoder_tokens": [*"wxyz"],
}


@pytest.fixture
def trace() -> Trace:
    """Two layers with four heads and two."""
    return bertviz_app.from_arrays([_weights(4, 5, 5), _weights(2, 5, 5)], [*"abcde"])


@pytest.fixture
def cross() -> Trace:
    return bertviz_app.from_arrays(**CROSS)


def test_its_figures_and_those_of_its_analyses_are_drawn(trace: Trace) -> None:
    for figure in (
        trace.figure("matrix", layer=1, head=1),
        trace.figure("matrix"),
        trace.figure("overview"),
        bertviz_app.analyse("attention-rollout", trace).figure(layer=1),
        bertviz_app.compare(trace, trace).figure("divergence"),
    ):
        assert figure.svg.startswith("<?xml")
    with pytest.raises(AppError, match="have no vectors"):
        trace.figure("pooled")
    with pytest.raises(AppError, match="head"):
        trace.figure("matrix", layer=1, head=3)


def test_attention_to_another_text_is_a_page_and_figures(cross: Trace) -> None:
    assert '"keys":{"labels":["a","b","c","d","e","f"]' in cross.to_html()
    for view in ("matrix", "lines", "overview"):
        svg = cross.figure(view, layer=None if view == "overview" else 0).svg
        assert svg.startswith("<?xml")
    apart = bertviz_app.compare(cross, cross)
    assert apart.figure("matrix", layer=1, head=0).svg.startswith("<?xml")
    assert bertviz_app.analyse("head-distance", cross).figure().svg.startswith("<?xml")
    with pytest.raises(AppError, match="attend to another text"):
        bertviz_app.analyse("attention-rollout", cross)


def test_a_figure_of_attention_to_another_text_has_both_lists_of_tokens(cross: Trace) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    _, axes = pyplot.subplots()
    cross.figure("matrix", layer=0, head=1, axes=axes)
    np.testing.assert_array_equal(axes.images[0].get_array(), cross.attention(0, 1))
    assert [label.get_text() for label in axes.get_xticklabels()] == [*"abcdef"]
    assert [label.get_text() for label in axes.get_yticklabels()] == [*"wxyz"]
    pyplot.close("all")
