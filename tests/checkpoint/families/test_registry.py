"""The names of BERT's parameters, in files of several ages."""

from __future__ import annotations

import pytest

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.registry import family_of
from bertviz_app.checkpoint.weights.names import head_name


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("bert.embeddings.word_embeddings.weight", "embeddings.token.weight"),
        ("embeddings.token_type_embeddings.weight", "embeddings.segment.weight"),
        ("embeddings.position_embeddings.weight", "embeddings.position.weight"),
        ("bert.embeddings.LayerNorm.gamma", "embeddings.norm.weight"),
        ("encoder.layer.11.attention.self.query.bias", "layers.11.attention.query.bias"),
        ("encoder.layer.0.attention.output.dense.weight", "layers.0.attention.output.weight"),
        ("encoder.layer.0.attention.output.LayerNorm.beta", "layers.0.attention_norm.bias"),
        ("encoder.layer.3.intermediate.dense.weight", "layers.3.feed_forward.expand.weight"),
        ("encoder.layer.3.output.dense.bias", "layers.3.feed_forward.contract.bias"),
        ("encoder.layer.3.output.LayerNorm.weight", "layers.3.feed_forward_norm.weight"),
        ("module.bert.pooler.dense.weight", "pooler.dense.weight"),
    ],
)
def test_a_parameter_gets_our_name(theirs: str, ours: str) -> None:
    assert BERT.rename(BERT.strip(theirs)) == ours


@pytest.mark.parametrize(
    ("family", "theirs", "ours"),
    [
        ("bert", "cls.predictions.transform.LayerNorm.gamma", "heads.masked.norm.weight"),
        ("bert", "cls.predictions.bias", "heads.masked.bias"),
        ("bert", "classifier.weight", "heads.classifier.output.weight"),
        ("roberta", "lm_head.layer_norm.bias", "heads.masked.norm.bias"),
        ("roberta", "classifier.weight", None),  # of tokens, not of texts
        ("distilbert", "vocab_projector.bias", "heads.masked.decoder.bias"),
        ("electra", "discriminator_predictions.dense_prediction.weight", "heads.replaced.output.weight"),
        ("albert", "sop_classifier.classifier.bias", "heads.next_sentence.bias"),
        ("bert", "qa_outputs.weight", None),
        ("deberta-v2", "cls.predictions.transform.dense.weight", "heads.masked.dense.weight"),
        ("deberta-v2", "lm_predictions.lm_head.LayerNorm.bias", "heads.masked.norm.bias"),
        ("deberta-v2", "lm_predictions.lm_head.bias", "heads.masked.bias"),
        ("deberta-v2", "pooler.dense.weight", "heads.classifier.dense.weight"),
        ("deberta-v2", "mask_predictions.dense.weight", None),
    ],
)
def test_a_head_gets_our_name(family: str, theirs: str, ours: str | None) -> None:
    assert head_name(family_of(family), theirs) == ours
