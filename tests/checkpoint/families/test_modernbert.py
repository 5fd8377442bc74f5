"""What ModernBERT's config.json says of its heads and norms, and which heads a file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.checkpoint.families.rotary import modern_fields, modern_heads
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.form import Form
from tests.support.checkpoint_folders import change_config, opened
from tests.support.families import write_family

SIZES = {"n_layers": 2}


def test_the_published_heads() -> None:
    published = TaskHeadsConfig(
        masked_activation="gelu",
        classifier_activation="gelu",
        has_dense_bias=False,
        has_norm_bias=False,
        has_decoder_bias=True,
        norms_classes=True,
        transforms_tokens=True,
    )
    given = {
        "classifier_activation": "gelu",
        "classifier_bias": False,
        "classifier_pooling": "cls",
        "decoder_bias": True,
        "norm_bias": False,
    }
    assert modern_heads({}) == published
    assert modern_heads(given) == published
    assert modern_heads({"classifier_pooling": "mean"}).averages_tokens


def test_the_norms_may_have_biases() -> None:
    plain, biased = (modern_fields(given, SIZES)["form"] for given in ({}, {"norm_bias": True}))
    assert isinstance(plain, Form)
    assert isinstance(biased, Form)
    assert (plain.has_norm_biases, biased.has_norm_biases) == (False, True)
    assert (plain.has_biases, biased.has_biases) == (False, False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"norm_bias": 1}, "norm_bias"),
        ({"classifier_bias": "no"}, "classifier_bias"),
        ({"decoder_bias": None}, "decoder_bias"),
        ({"classifier_pooling": "max"}, "classifier_pooling"),
        ({"classifier_pooling": []}, "classifier_pooling"),
        ({"classifier_activation": 3}, "classifier_activation"),
        ({"classifier_activation": "a\nb"}, "classifier_activation"),
    ],
)
def test_heads_that_are_not_computed_are_refused_by_name(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        modern_heads(settings)
    assert caught.value.hint


def test_a_head_that_names_tokens_is_not_the_one_for_masked_tokens(tmp_path: Path) -> None:
    """Without a bias of its decoder that head has no parameter that the other lacks."""
    write_family(tmp_path, "modernbert", "AutoModelForTokenClassification", decoder_bias=False)
    checkpoint = opened(tmp_path)
    assert checkpoint.facts.task_heads == ("token_labels",)
    change_config(tmp_path, architectures=["ModernBertForMultipleChoice"])
    checkpoint = opened(tmp_path)
    assert checkpoint.facts.task_heads == ()
    assert "head.dense.weight" in checkpoint.report.task_heads
    change_config(tmp_path, architectures=["ModernBertForMaskedLM"])
    assert opened(tmp_path).facts.task_heads == ("masked",)
