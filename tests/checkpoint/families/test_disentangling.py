"""What DeBERTa's config.json says of places, what it may leave out, and what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.families.roberta import disentangling, disentangling_v1
from bertviz_app.encoder.config import Convolution, Disentangling
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import change_config, change_weights, opened
from tests.support.families import write_family

SIZES = {"width": 768, "n_positions": 512}
V3 = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "max_relative_positions": -1,
    "position_biased_input": False,
    "type_vocab_size": 0,
}


def test_the_published_configuration_of_version_3() -> None:
    assert disentangling(V3, SIZES) == {
        "n_segments": 0,
        "has_position_table": False,
        "disentangling": Disentangling(span=256, farthest=512),
    }
    in_a_list = V3 | {"pos_att_type": ["c2p", "p2c"], "embedding_size": 768, "conv_kernel_size": 0}
    assert disentangling(in_a_list, SIZES) == disentangling(V3, SIZES)


def test_what_is_left_out_is_as_transformers_has_it() -> None:
    plain: dict[str, object] = {"n_segments": 0, "has_position_table": True}
    assert disentangling({}, SIZES) == plain
    assert disentangling({"relative_attention": True}, SIZES) == plain  # no part of it is there
    assert disentangling({"type_vocab_size": 2}, SIZES) == plain | {"n_segments": 2}
    found = disentangling({"relative_attention": True, "pos_att_type": " C2P | p2c"}, SIZES)
    assert found["disentangling"] == Disentangling(span=512, shares_projections=False, has_norm=False)
    distances = disentangling(V3 | {"position_buckets": -1, "max_relative_positions": 30}, SIZES)
    assert distances["disentangling"] == Disentangling(span=30)
    alone = disentangling(V3 | {"pos_att_type": ["p2c"], "max_relative_positions": 300}, SIZES)
    assert alone["disentangling"] == Disentangling(span=256, farthest=300, to_position=False)


def test_the_convolution_of_the_published_version_2() -> None:
    xlarge = V3 | {"conv_kernel_size": 3, "conv_act": "gelu"}
    assert disentangling(xlarge, SIZES)["convolution"] == Convolution(3, 1, "gelu")
    plain = disentangling(V3 | {"conv_kernel_size": 5, "conv_groups": 4}, SIZES)
    assert plain["convolution"] == Convolution(5, 4, "tanh")


def test_version_1_has_vectors_of_distances_and_layers_of_their_own() -> None:
    published = {
        "relative_attention": True,
        "max_relative_positions": -1,
        "position_biased_input": False,
        "pos_att_type": "c2p|p2c",
        "type_vocab_size": 0,
    }
    assert disentangling_v1(published, SIZES) == {
        "n_segments": 0,
        "has_position_table": False,
        "disentangling": Disentangling(span=512, shares_projections=False, has_norm=False),
    }
    of_v2 = {
        "position_buckets": 8,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "conv_kernel_size": 3,
    }
    assert disentangling_v1(published | of_v2, SIZES) == disentangling_v1(published, SIZES)


def test_rows_of_queries_keys_and_values_lie_head_by_head(tmp_path: Path) -> None:
    write_family(tmp_path, "deberta")
    change_weights(
        tmp_path,
        lambda tensors: {
            name: torch.arange(96.0)[:, None].expand(96, 32) if name.endswith("in_proj.weight") else tensor
            for name, tensor in tensors.items()
        },
    )
    attention = opened(tmp_path).encoder.layer(0).attention
    expected = {"query": [0, 7, 24, 31], "key": [8, 15, 32, 39], "value": [16, 23, 40, 47]}
    for name, rows in expected.items():
        weight = getattr(attention, name).weight[:, 0]
        assert weight[[0, 7, 8, 15]].tolist() == rows


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"conv_kernel_size": 4}, "conv_kernel_size"),
        ({"conv_kernel_size": 3, "conv_groups": 7}, "conv_groups"),
        ({"conv_kernel_size": 3, "conv_groups": 0}, "conv_groups"),
        ({"conv_kernel_size": "3"}, "conv_kernel_size"),
        ({"conv_kernel_size": 3, "conv_act": 1}, "conv_act"),
        ({"embedding_size": 128}, "embedding_size"),
        ({"embedding_size": "x"}, "embedding_size"),
        ({"pos_att_type": "c2p|p2p"}, "p2p"),
        ({"pos_att_type": 7}, "pos_att_type"),
        ({"pos_att_type": [7]}, "pos_att_type"),
        ({"relative_attention": False}, "relative_attention"),
        ({"relative_attention": 1}, "relative_attention"),
        ({"share_att_key": "yes"}, "share_att_key"),
        ({"position_biased_input": None}, "position_biased_input"),
        ({"norm_rel_ebd": 3}, "norm_rel_ebd"),
        ({"position_buckets": 1}, "position_buckets"),
        ({"position_buckets": 2000}, "position_buckets"),
        ({"position_buckets": 10**12}, "position_buckets"),
        ({"position_buckets": True}, "position_buckets"),
        ({"max_relative_positions": 2.5}, "max_relative_positions"),
        ({"type_vocab_size": 10**9}, "type_vocab_size"),
    ],
)
def test_what_makes_no_sense_or_is_not_computed_is_refused_by_name(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        disentangling(V3 | settings, SIZES)
    assert caught.value.hint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_family(tmp_path, "deberta-v2")
    return tmp_path


def test_a_convolution_of_config_json_must_be_among_the_weights(folder: Path) -> None:
    change_config(folder, conv_kernel_size=3, conv_act="gelu")
    with pytest.raises(CheckpointError, match=r"Missing: convolution\.convolution"):
        opened(folder)


def test_talking_heads_are_refused_by_name(folder: Path) -> None:
    change_config(folder, model_type="deberta", talking_head=True)
    with pytest.raises(CheckpointError, match="talking_head = true"):
        read_config(folder / "config.json")


def test_the_table_of_distances_must_be_there_in_its_size(folder: Path) -> None:
    change_config(folder, position_buckets=8)
    with pytest.raises(CheckpointError, match=r"disentangled\.table\.weight is \[32, 32\]"):
        opened(folder)
    change_config(folder, position_buckets=16)
    change_weights(folder, lambda tensors: {n: t for n, t in tensors.items() if "rel_embeddings" not in n})
    with pytest.raises(CheckpointError, match=r"Missing: disentangled\.table\.weight"):
        opened(folder)


def test_what_published_files_hold_besides_is_no_remark(folder: Path) -> None:
    change_weights(
        folder,
        lambda tensors: tensors | {"embeddings.word_embeddings._weight": torch.ones(3, 32)},
    )
    assert opened(folder).report.summary() == ""
