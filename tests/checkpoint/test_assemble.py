"""Tensors of unknown names: what lies inside the encoder is a part of the model, and is never left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from bertviz_app.checkpoint.weights.tensors import WeightsError
from tests.support.checkpoint_folders import change_weights, opened
from tests.support.families import write_family

INSIDE = {
    "roberta": "encoder.layer.1.attention.self.temperature",
    "xlm-roberta": "embeddings.language.weight",
    "distilbert": "transformer.layer.0.ffn.lin3.weight",
    "electra": "embeddings.language.weight",
    "albert": "encoder.albert_layer_groups.1.albert_layers.0.ffn.weight",
    "mpnet": "encoder.layer.3.attention.attn.q.weight",
    "modernbert": "layers.0.mlp.scale",
    "nomic_bert": "layers.0.mlp.experts.weight",
    "gte": "layers.0.mlp.scale",
    "jina_embeddings_v3": "layers.0.mlp.scale",
    "eurobert": "layers.0.mlp.scale",
    "deberta-v2": "encoder.conv.conv.weight",
}


@pytest.mark.parametrize("family", ["bert", *INSIDE])
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


def test_a_table_of_positions_beside_the_rotations_of_esm_is_no_part_of_it(tmp_path: Path) -> None:
    write_family(tmp_path, "esm")
    before = opened(tmp_path).encoder.state_dict()
    table = {"esm.embeddings.position_embeddings.weight": torch.zeros(260, 32)}
    change_weights(tmp_path, lambda tensors: tensors | table)
    found = opened(tmp_path)
    assert found.report.unexpected == ()
    assert found.encoder.state_dict().keys() == before.keys()


DECODER, BIAS = "cls.predictions.decoder.weight", "cls.predictions.decoder.bias"


def _logits(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits of masked tokens, ours and those of transformers."""
    text = "the cat ate the [MASK]"
    tokens = transformers.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    found = opened(folder)
    ids = found.tokens(text).ids
    assert ids.tolist() == tokens["input_ids"][0].tolist()
    with torch.no_grad():
        hidden = theirs(**tokens, output_hidden_states=True)
        head = found.task_heads.masked
        assert head is not None
        ours = head(hidden.hidden_states[-1])
    return ours[0].numpy(), hidden.logits[0].numpy()


@pytest.mark.parametrize("case", ["same", "other decoder", "other bias", "decoder alone"])
def test_the_decoder_of_masked_tokens_is_that_of_the_file(case: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert", "AutoModelForMaskedLM")
    table = model.get_input_embeddings().weight.detach()
    generator = torch.Generator().manual_seed(5)
    added = {
        "same": {DECODER: table.clone()},
        "other decoder": {DECODER: torch.randn(table.shape, generator=generator)},
        "other bias": {BIAS: torch.randn(len(table), generator=generator)},
        "decoder alone": {DECODER: table.clone()},
    }[case]

    def change(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        gone = {"bert.embeddings.word_embeddings.weight"} if case == "decoder alone" else set()
        return {name: tensor for name, tensor in (tensors | added).items() if name not in gone}

    change_weights(tmp_path, change)
    ours, theirs = _logits(tmp_path)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    assert opened(tmp_path).report.not_computed == ()


def test_a_buffer_of_numbers_is_no_part_of_a_model(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta")
    change_weights(tmp_path, lambda tensors: tensors | {"embeddings.position_ids": torch.arange(260)[None]})
    report = opened(tmp_path).report
    assert (report.not_computed, report.unexpected) == ((), ())
