"""The ranking of heads: the numbers of its two methods, their ranks, and how far these agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.combined import HeadRanking
from bertviz_app.errors import AnalysisError
from tests.support.naive_bert import OTHER, S


def _spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's correlation of numbers without ties, by its textbook formula."""
    ranks = [values.reshape(-1).argsort().argsort() for values in (one, other)]
    count = ranks[0].size
    return 1 - 6 * float(((ranks[0] - ranks[1]) ** 2).sum()) / (count * (count**2 - 1))


@pytest.mark.parametrize("flavour", ["zero", "uniform"])
def test_both_methods_stand_side_by_side_in_the_order_of_the_changes(tiny_bert: Path, flavour: str) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate the fish")
    found = model.analyse("head-ranking", trace, flavour=flavour)
    assert isinstance(found, HeadRanking)
    change = model.analyse("head-ablation", trace, flavour=flavour).arrays()["values"][0]
    importance = model.analyse("head-importance", trace).arrays()["values"][0]
    np.testing.assert_array_equal(found.of("change"), change)
    np.testing.assert_allclose(found.of("importance"), importance, rtol=1e-6)
    rows = list(found.as_table().rows)
    assert len(rows) == change.size
    sizes = [abs(float(row[2])) for row in rows]  # type: ignore[arg-type]
    assert sizes == sorted(sizes, reverse=True)
    assert [row[4] for row in rows] == list(range(1, len(rows) + 1))
    layer, head = found.order()[0]
    assert abs(change[layer, head]) == np.abs(change).max()
    most = np.unravel_index(importance.argmax(), importance.shape)
    assert found.of("rank by importance")[most] == 1
    assert found.agreement == pytest.approx(_spearman(np.abs(change), importance), abs=1e-6)
    assert found.flavour == flavour


def test_of_minilm_the_flavours_hardly_agree(minilm: Path) -> None:
    """The ranks of changes by zeros and by equal weights agree by 0.11 on this sentence."""
    model = open_model(str(minilm), "cpu")
    runs = model.trace(S), model.trace(OTHER)
    changes = []
    for flavour in ("zero", "uniform"):
        found = model.analyse("head-ranking", *runs, target="cosine", flavour=flavour)
        assert isinstance(found, HeadRanking)
        assert found.outcome == pytest.approx(0.69959, abs=1e-4)
        changes.append(found.of("change"))
    assert changes[0].min() == pytest.approx(-0.07435, abs=2e-4)
    assert changes[0].max() == pytest.approx(0.01281, abs=2e-4)
    assert changes[1].min() == pytest.approx(-0.07726, abs=2e-4)
    assert _spearman(changes[0], changes[1]) == pytest.approx(0.11, abs=0.03)


def test_two_rankings_have_no_difference(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    found = model.analyse("head-ranking", model.trace("the cat ate"))
    assert isinstance(found, HeadRanking)
    with pytest.raises(AnalysisError, match="no difference"):
        found.minus(found)
