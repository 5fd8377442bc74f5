"""Longformer's windows, and the models whose tokens attend to all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.checkpoint.families.longformer import longformer_fields
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import opened
from tests.support.families import write_family

SIZES = {"n_layers": 3}


@pytest.mark.parametrize(
    ("window", "reaches"), [(512, (256, 256, 256)), ([8, 4, 64], (4, 2, 32)), (2, (1, 1, 1))]
)
def test_a_window_reaches_half_its_size_to_each_side(window: object, reaches: tuple[int, ...]) -> None:
    assert longformer_fields({"attention_window": window}, SIZES) == {"reaches": reaches}


def test_the_window_left_out_is_as_transformers_has_it() -> None:
    assert longformer_fields({}, SIZES) == {"reaches": (256, 256, 256)}


@pytest.mark.parametrize("window", [3, 0, -2, True, "512", None, [8, 4], [8, 4, 5], [8, 4, "6"], 10**7])
def test_a_window_that_makes_no_sense_is_refused(window: object) -> None:
    with pytest.raises(CheckpointError, match="attention_window") as caught:
        longformer_fields({"attention_window": window}, SIZES)
    assert caught.value.hint


@pytest.mark.parametrize("task", ["SequenceClassification", "QuestionAnswering", "MultipleChoice"])
def test_global_attention_is_refused_by_name(task: str) -> None:
    with pytest.raises(CheckpointError, match="global attention") as caught:
        longformer_fields({"architectures": [f"LongformerFor{task}"]}, SIZES)
    assert "language model" in caught.value.hint


def test_nothing_beyond_a_window_is_attended_to_and_the_user_is_told_what_is_not_used(tmp_path: Path) -> None:
    write_family(tmp_path, "longformer")
    model = open_model(str(tmp_path), "cpu")
    assert any("global attention" in remark for remark in model.facts.remarks)
    trace = model.trace("the cat ate the fish because it was hungry " * 4)
    far = np.abs(np.subtract.outer(np.arange(trace.n_tokens), np.arange(trace.n_tokens)))
    for layer, reach in enumerate((4, 2, 32)):
        attention = trace.attention(layer)
        assert not attention[:, far > reach].any()
        assert (attention[:, far <= reach] > 0).all()
        assert np.isneginf(trace.scores(layer)[:, far > reach]).all()


def test_weights_of_global_attention_are_left_out(tmp_path: Path) -> None:
    write_family(tmp_path, "longformer")
    report = opened(tmp_path).report
    assert report.not_computed == report.missing == ()
