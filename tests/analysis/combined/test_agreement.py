"""Agreement of attributions: ranks by hand, curves at their ends, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.combined import average_ranks, correlations
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError
from tests.support.naive_bert import OTHER, S

WITH_OCCLUSION = {
    "chefer": 0.867,
    "alti": 0.794,
    "globenc": 0.673,
    "integrated-gradients": 0.455,
    "attention-rollout": -0.212,
}
"""Spearman with occlusion of the cosine of MiniLM, by another program."""


def test_equal_numbers_share_their_ranks() -> None:
    np.testing.assert_allclose(average_ranks(np.array([3.0, 1.0, 3.0, 7.0])), [2.5, 1, 2.5, 4])


def test_correlations_by_hand() -> None:
    rows = np.array([[1.0, 2, 3], [3.0, 2, 1], [2.0, 2, 2], [1.0, 3, 2]])
    found = correlations(rows)
    np.testing.assert_allclose(found[0], [1, -1, 0, 0.5])
    np.testing.assert_allclose(found, found.T)


def test_ranks_without_relation_correlate_with_0_and_no_rounding() -> None:
    ranks = np.array([np.arange(1.0, 10), [8.0, 2, 9, 3, 1, 4, 5, 7, 6]])
    assert correlations(ranks)[0, 1] == 0


def test_curves_begin_and_end_where_they_must(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate fish")
    found = model.analyse("agreement", trace, target="pooled")
    assert isinstance(found, NamedArrays)
    assert trace.pooled is not None
    whole = np.linalg.norm(trace.pooled)
    deletion, insertion = found.named["deletion"], found.named["insertion"]
    np.testing.assert_allclose(deletion[:, 0], whole, rtol=1e-5)
    np.testing.assert_allclose(insertion[:, -1], whole, rtol=1e-5)
    np.testing.assert_allclose(deletion[:, -1], insertion[:, 0], rtol=1e-5)
    drops = model.analyse("occlusion", trace, target="pooled").arrays()["values"][1:5]
    np.testing.assert_allclose(deletion[0, 0] - deletion[0, 1], drops.max(), atol=1e-5)
    np.testing.assert_allclose(found.named["scores"][0], drops, atol=1e-6)


@pytest.mark.parametrize(("chosen", "n_steps"), [({}, 5), ({"steps": 10}, 10), ({"steps": 100}, 20)])
def test_steps_of_a_curve_of_many_tokens_name_how_many_are_masked(
    chosen: dict[str, Any], n_steps: int, tiny_bert: Path
) -> None:
    model = open_model(str(tiny_bert), "cpu")
    text = " ".join(["the cat ate fish"] * 5)
    found = model.analyse("agreement", model.trace(text), target="pooled", **chosen)
    assert isinstance(found, NamedArrays)
    n_methods = len(found.named["spearman"])
    for curve in ("deletion", "insertion"):
        assert found.axes_of[curve][1].labels == tuple(map(str, range(0, 21, 20 // n_steps)))
        assert found.named[curve].shape == (n_methods, n_steps + 1)


@pytest.mark.parametrize(
    ("bytes_of_pair", "left_out"), [(24 * 32 - 1, {"decompx"}), (63, {"decompx", "chefer"})]
)
def test_methods_that_a_text_is_too_long_for_are_left_out(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch, bytes_of_pair: int, left_out: set[str]
) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    whole = model.analyse("agreement", trace, target="pooled")
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", bytes_of_pair * trace.n_tokens**2)
    found = model.analyse("agreement", trace, target="pooled")
    assert isinstance(whole, NamedArrays)
    assert isinstance(found, NamedArrays)
    methods = (whole.axes_of["spearman"][0].labels, found.axes_of["spearman"][0].labels)
    assert set(methods[0]) - set(methods[1]) == left_out
    for key in left_out:
        with pytest.raises(AnalysisError, match="memory"):
            model.analyse(key, trace)


@pytest.mark.slow
def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = model.analyse("agreement", model.trace(S), model.trace(OTHER), target="cosine")
    assert isinstance(found, NamedArrays)
    methods = found.axes_of["spearman"][0].labels
    assert methods[0] == "occlusion"
    for method, expected in WITH_OCCLUSION.items():
        assert found.named["spearman"][0, methods.index(method)] == pytest.approx(expected, abs=1e-3), method


def test_decompx_of_the_cosine_itself_agrees_best_with_occlusion(minilm: Path) -> None:
    """The sums of the rows of the pairs know the outcome; 0.818 by another program."""
    model = open_model(str(minilm), "cpu")
    runs = model.trace(S), model.trace(OTHER)
    occluded = model.analyse("occlusion", *runs, target="cosine").arrays()["values"]
    pairs = model.analyse("similarity-pairs", *runs).arrays()["values"][0].sum(-1)
    ranks = np.array([average_ranks(values[1:-1].astype(np.float64)) for values in (occluded, pairs)])
    assert correlations(ranks)[0, 1] == pytest.approx(0.8182, abs=2e-4)
