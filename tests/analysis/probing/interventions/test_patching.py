"""Activation patching: a whole state carries the whole outcome, one head is what hooks make of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError
from tests.support.naive_bert import NaiveBert


def test_the_state_that_the_pooler_reads_carries_everything(tiny_bert: Path) -> None:
    """Only [CLS] of the last layer matters to the pooled vector; put in it makes run A's that of B."""
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate"), model.trace("the fish ate")
    found = model.analyse("patching", trace, other, target="pooled", part="hidden")
    assert isinstance(found, NamedArrays)
    assert trace.pooled is not None
    assert other.pooled is not None
    direction = trace.pooled / np.linalg.norm(trace.pooled)
    values = found.named["values"]
    # cat and fish are aligned as one token that was replaced
    assert [axis.labels for axis in found.axes] == [("0", "1"), trace.tokens.pieces]
    assert values[1, 0] == pytest.approx((other.pooled - trace.pooled) @ direction, abs=1e-5)
    assert np.abs(values[1, 1:]).max() < 1e-5
    assert np.abs(values[0]).max() > 1e-4
    assert found.facts["outcome"] == pytest.approx(np.linalg.norm(trace.pooled), rel=1e-5)


@pytest.mark.parametrize(
    ("text", "positions"), [("the fish ate", [0, 1, 2, 3, 4]), ("the hungry cat ate", [0, 1, 3, 4, 5])]
)
def test_one_head_is_put_in_at_all_aligned_tokens(tiny_bert: Path, text: str, positions: list[int]) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate"), model.trace(text)
    naive = NaiveBert(tiny_bert, trace)
    found = model.analyse("patching", trace, other, target="pooled").arrays()["values"]
    for layer in range(2):
        mixed = (other.attention(layer, 2) @ other.values[layer, 2]).astype(np.float64)[positions]
        assert found[layer, 2] == pytest.approx(naive.change_with(layer, 2, mixed), abs=1e-5)


def test_the_same_text_changes_nothing(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    for part in ("heads", "hidden"):
        found = model.analyse("patching", trace, model.trace("the cat ate"), part=part)
        assert np.abs(found.arrays()["values"]).max() < 1e-6


def test_texts_of_other_lengths_and_other_checkpoints(tiny_bert: Path, minilm: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    found = model.analyse("patching", trace, model.trace("the hungry cat ate"), part="hidden")
    assert found.arrays()["values"].shape == (2, trace.n_tokens)
    with pytest.raises(AnalysisError, match="different checkpoints"):
        model.analyse("patching", trace, open_model(str(minilm), "cpu").trace("the cat"))


def test_runs_with_other_heads_muted_are_refused(tiny_bert: Path) -> None:
    """What would be put in is run B's text through run A's heads: no vector of run B."""
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate"), model.trace("the cat ate", muted=[(0, 1)])
    with pytest.raises(AnalysisError, match="different interventions"):
        model.analyse("patching", trace, other)
