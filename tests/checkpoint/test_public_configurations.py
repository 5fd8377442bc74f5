"""Peculiar keys of public checkpoints' files: what they change is read, or said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bertviz_app.errors import CheckpointError
from bertviz_app.shell.commands.menus import described
from tests.support.checkpoint_folders import change_config, change_weights, copy_of, opened

NORBERT = {"AutoModel": "ltg/norbert3-base--modeling_norbert.NorbertModel"}


@pytest.mark.parametrize("architectures", [["NorbertForMaskedLM"], ...])
@pytest.mark.parametrize("model_type", ["norbert", ...])
def test_code_of_its_own_is_named_and_no_other_family_is_advised(
    architectures: Any, model_type: Any, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_config(folder, auto_map=NORBERT, architectures=architectures, model_type=model_type)
    change_weights(folder, lambda tensors: {f"transformer.{name}": tensors[name] for name in tensors})
    with pytest.raises(CheckpointError, match=r"code comes with the checkpoint \(NorbertModel\)") as caught:
        opened(folder)
    assert "model_type" not in caught.value.hint


def test_a_plain_family_in_place_of_its_own_code_is_named_in_the_bar(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    assert described(opened(folder).facts).startswith("BERT · ")
    change_config(folder, auto_map={"AutoModel": "modeling_own.MyBert"}, architectures=["MyBert"])
    facts = opened(folder).facts
    assert described(facts).startswith("computed as plain BERT · ")
    assert "config.json names code of its own, modeling_own.MyBert, which is not run." in facts.remarks


def test_colbert_s_projection_is_named(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_config(folder, architectures=["HF_ColBERT"])

    def projected(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        return {f"bert.{name}": tensors[name] for name in tensors} | {"linear.weight": torch.zeros(128, 32)}

    change_weights(folder, projected)
    remarks = opened(folder).facts.remarks
    assert any("linear.weight is ColBERT's projection of every token's vector" in each for each in remarks)
    assert not any("Unknown tensors" in each for each in remarks)


def test_splade_s_vector_is_described(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    modules = "sentence_transformers.sparse_encoder.models."
    entries = [
        {"idx": 0, "name": "0", "path": "", "type": f"{modules}MLMTransformer"},
        {"idx": 1, "name": "1", "path": "1_SpladePooling", "type": f"{modules}SpladePooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(entries), "utf-8")
    assert any("largest log(1 + relu(logit))" in remark for remark in opened(folder).facts.remarks)


@pytest.mark.parametrize(
    ("settings", "activation"),
    [
        ({"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"}}, "Sigmoid"),
        ({"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Tanh"}}, "Tanh"),
        ({"sbert_ce_default_activation_function": "torch.nn.modules.activation.Sigmoid"}, "Sigmoid"),
        ({"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}, None),
        ({"sentence_transformers": {"version": "5.1"}}, None),
    ],
)
def test_the_function_of_a_cross_encoder_s_scores_is_read(
    settings: dict[str, object], activation: str | None, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_config(folder, **settings)
    checkpoint = opened(folder)
    assert checkpoint.meaning.activation == activation
    said = [remark for remark in checkpoint.facts.remarks if remark.startswith("Scores go through")]
    assert said == (
        [f"Scores go through {activation}, as sentence-transformers computes them."] * bool(activation)
    )


def test_a_function_that_is_not_known_is_said(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_config(folder, sentence_transformers={"activation_fn": "own.Stretch"})
    assert "Scores go through own.Stretch in sentence-transformers; here they are shown without it." in (
        opened(folder).facts.remarks
    )


def test_a_loss_s_weight_of_lightning_is_named(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(
        folder,
        lambda tensors: (
            {f"model.bert.{name}": tensors[name] for name in tensors} | {"criterion.weight": torch.ones(3)}
        ),
    )
    assert any("criterion.weight" in remark for remark in opened(folder).facts.remarks)
