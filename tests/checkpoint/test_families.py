"""The names of BERT's parameters, in files of several ages."""

from __future__ import annotations

import pytest

from bertviz_app.checkpoint.families import BERT


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
