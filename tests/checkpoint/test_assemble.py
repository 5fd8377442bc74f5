"""Tensors of unknown names: what lies inside the encoder is a part of the model, and is never left out."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bertviz_app.checkpoint.weights.report import WeightsError
from tests.support.checkpoint_folders import change_weights, opened
from tests.support.families import FAMILIES, write_family

INSIDE = {
    "roberta": "encoder.layer.1.attention.self.temperature",
    "xlm-roberta": "embeddings.language.weight",
    "distilbert": "transformer.layer.0.ffn.lin3.weight",
    "electra": "embeddings.language.weight",
    "albert": "encoder.albert_layer_groups.1.albert_layers.0.ffn.weight",
    "mpnet": "encoder.layer.3.attention.attn.q.weight",
    "modernbert": "layers.0.mlp.scale",
    "nomic_bert": "layers.0.mlp.experts.weight",
    "deberta-v2": "encoder.conv.conv.weight",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_unknown_tensor_inside_the_encoder_is_refused_by_name(family: str, tmp_path: Path) -> None:
    write_family(tmp_path, family)
    name = INSIDE.get(family, "encoder.layer.0.output.gate.weight")
    change_weights(tmp_path, lambda tensors: tensors | {name: torch.zeros(3)})
    with pytest.raises(WeightsError) as caught:
        opened(tmp_path)
    assert caught.value.report.not_computed == (name,)
    assert f"Parts of the encoder that are not computed: {name}." in caught.value.message


def test_a_layer_beyond_those_of_config_json_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "bert")
    extra = {f"encoder.layer.{layer}.output.dense.bias": torch.zeros(32) for layer in (3, 4)}
    change_weights(tmp_path, lambda tensors: tensors | extra)
    with pytest.raises(WeightsError, match=r"encoder\.layer\.\{3\.\.4\}\.output\.dense\.bias"):
        opened(tmp_path)


def test_a_table_of_positions_that_deberta_does_not_use_is_no_part_of_it(tmp_path: Path) -> None:
    write_family(tmp_path, "deberta-v2")
    table = {"embeddings.position_embeddings.weight": torch.zeros(260, 32)}
    change_weights(tmp_path, lambda tensors: tensors | table)
    assert opened(tmp_path).report.unexpected == ()


def test_a_buffer_of_numbers_is_no_part_of_a_model(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta")
    change_weights(tmp_path, lambda tensors: tensors | {"embeddings.position_ids": torch.arange(260)[None]})
    report = opened(tmp_path).report
    assert (report.not_computed, report.unexpected) == ((), ())
