"""The numbers of MiniLM for one sentence, computed in float64 by other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.measures import head_measures
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import Model, open_model
from bertviz_app.features.methods.combined import average_ranks, correlations
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.factories import dense
from tests.support.peers import OTHER, S

pytestmark = pytest.mark.slow
_COSINE: dict[str, Any] = {"target": "cosine"}
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "attention-rollout": ({}, ".6978 .0265 .0179 .0134 .0141 .0181 .0117 .0206 .0194 .0146 .0431 .1028"),
    "attention-flow": (
        {"query": 0},
        ".1460 .0773 .0762 .0752 .0752 .0759 .0756 .0767 .0759 .0755 .0803 .0902",
    ),
    "globenc": ({}, ".0324 .0655 .0885 .1201 .1351 .1009 .0592 .0549 .1362 .1315 .0389 .0368"),
    "alti": ({}, ".1088 .0252 .0444 .0992 .2934 .0433 .0182 .0157 .1205 .1032 .0772 .0510"),
    "decompx": ({}, ".1938 .0160 .0542 .1141 .1706 .0425 .0356 .0126 .1383 .0902 .0861 .0461"),
    "value-zeroing": ({}, ".0968 .0758 .0658 .0855 .0969 .0912 .0489 .0443 .0938 .1805 .0599 .0606"),
    "chefer": (_COSINE, ".0812 .0678 .0850 .0735 .1512 .1069 .0522 .0537 .1075 .0927 .0693 .0589"),
    "occlusion": (_COSINE, ".0000 .0682 .1157 .1178 .2546 .1702 .1129 .0890 .1432 .1661 .1283 .0000"),
}
"""The row of [CLS] after the last layer, or a number of each token."""
PAIRS = {
    ("fox", "fox"): 0.1290,
    ("jumps", "leaps"): 0.0991,
    ("dog", "hound"): 0.0596,
    ("lazy", "sleepy"): 0.0462,
    ("fox", "hound"): 0.0373,
    ("quick", "fast"): 0.0273,
    ("brown", "auburn"): 0.0226,
}
IMPORTANCE = {(5, 2): 0.02871, (5, 11): 0.01645, (3, 7): 0.01414, (1, 0): 0.01398, (3, 3): 0.01366}
WITH_OCCLUSION = {
    "chefer": 0.867,
    "alti": 0.794,
    "globenc": 0.673,
    "integrated-gradients": 0.455,
    "attention-rollout": -0.212,
}
"""Spearman with occlusion of the cosine."""


@pytest.fixture(scope="module")
def model(minilm: Path) -> Model:
    return open_model(str(minilm), "cpu")


@pytest.fixture(scope="module")
def runs(model: Model) -> tuple[Trace, Trace]:
    return model.trace(S), model.trace(OTHER)


@pytest.mark.parametrize("key", ROWS)
def test_numbers_of_tokens(model: Model, runs: tuple[Trace, Trace], key: str) -> None:
    parameters, expected = ROWS[key]
    values = model.analyse(key, *(runs if parameters == _COSINE else runs[:1]), **parameters).arrays()[
        "values"
    ]
    found = values[-1] if values.ndim == 3 else values
    np.testing.assert_allclose(np.atleast_2d(found)[0], np.array(expected.split(), float), atol=2e-4)


def test_pairs_of_tokens(model: Model, runs: tuple[Trace, Trace]) -> None:
    found = model.analyse("similarity-pairs", *runs)
    values = found.arrays()["values"][0]
    assert values.sum() == pytest.approx(0.69959, abs=1e-5)
    for (a, b), expected in PAIRS.items():
        at = runs[0].tokens.pieces.index(a), runs[1].tokens.pieces.index(b)
        assert values[at] == pytest.approx(expected, abs=2e-4), (a, b)
    occluded = model.analyse("occlusion", *runs, target="cosine").arrays()["values"]
    ranks = np.array([average_ranks(each[1:-1].astype(np.float64)) for each in (occluded, values.sum(-1))])
    assert correlations(ranks)[0, 1] == pytest.approx(0.8182, abs=2e-4)


def test_numbers_of_layers(model: Model, runs: tuple[Trace, Trace]) -> None:
    """Of the mixing ratio, Kobayashi's fifth variant, by the released code: 21.11 % on average."""
    trace = runs[0]
    assert 100 * model.analyse("mixing-ratio", trace).arrays()["values"].mean() == pytest.approx(
        21.11, abs=0.01
    )
    rates = model.analyse("expansion-rate", trace).arrays()["values"]
    np.testing.assert_allclose(rates, (0.669, 1.067, 1.262, 1.390, 1.159, 1.074), atol=6e-4)
    norms = model.analyse("norm-attention", trace).arrays()["values"].max(2) / dense(trace).max(2)
    expected = (2.3077, 3.462, 3.6672, 4.1127, 3.6225, 3.4395)
    np.testing.assert_allclose(norms.mean((1, 2)), expected, atol=2e-4)


def test_heads_that_are_switched_off(model: Model, runs: tuple[Trace, Trace]) -> None:
    """The flavours hardly agree: Spearman of zero and uniform is 0.11, as published for this text."""
    importance = model.analyse("head-importance", *runs, target="cosine").arrays()["values"][0]
    best = sorted(np.ndindex(6, 12), key=lambda at: -importance[at])[:5]
    assert best == list(IMPORTANCE)
    np.testing.assert_allclose([importance[at] for at in best], list(IMPORTANCE.values()), atol=2e-5)
    changes: list[Doubles] = []
    for flavour, lowest in (("zero", -0.07435), ("uniform", -0.07726)):
        found = model.analyse("head-ablation", *runs, target="cosine", flavour=flavour).arrays()["values"]
        changes.append(found.reshape(-1).astype(np.float64))
        assert changes[-1].min() == pytest.approx(lowest, abs=2e-5)
    assert changes[0].max() == pytest.approx(0.01281, abs=2e-5)
    ranks = np.array([average_ranks(values) for values in changes])
    assert correlations(ranks)[0, 1] == pytest.approx(0.11, abs=0.005)


def test_distances_of_heads(model: Model, runs: tuple[Trace, Trace]) -> None:
    values = model.analyse("head-distance", runs[0]).arrays()["values"]
    pairs, layers = values[np.triu_indices(72, 1)], np.arange(72) // 12
    assert values.mean() == pytest.approx(2.1297, abs=2e-4), "zeros on the diagonal counted"
    assert pairs.max() == pytest.approx(7.2673, abs=2e-4)
    same = (layers[:, None] == layers)[np.triu_indices(72, 1)]
    assert pairs[same].mean() == pytest.approx(1.8235, abs=2e-4)
    assert pairs[~same].mean() == pytest.approx(2.2213, abs=2e-4)


def test_agreement_of_methods(model: Model, runs: tuple[Trace, Trace]) -> None:
    found = model.analyse("agreement", *runs, target="cosine")
    assert isinstance(found, NamedArrays)
    methods = found.axes_of["spearman"][0].labels
    assert methods[0] == "occlusion"
    for method, expected in WITH_OCCLUSION.items():
        assert found.named["spearman"][0, methods.index(method)] == pytest.approx(expected, abs=1e-3), method


def test_measures_of_heads(runs: tuple[Trace, Trace]) -> None:
    found = head_measures(runs[0])
    nats = (found["entropy"] * np.log(2)).mean(1)
    np.testing.assert_allclose(nats, [1.7661, 1.0984, 1.1527, 1.2711, 1.1061, 1.7122], atol=2e-4)
    largest = {
        "previous": ((0, 2), 0.9164 * 12 / 11),
        "next": ((1, 8), 0.5094 * 12 / 11),
        "same": ((0, 8), 0.2166),
        "first": ((4, 5), 0.9297),
        "separator": ((0, 5), 0.2160),
    }
    for key, (head, expected) in largest.items():
        assert found[key].max() == found[key][head] == pytest.approx(expected, abs=2e-4), key
