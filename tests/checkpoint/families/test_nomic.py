"""NomicBERT's files: in the words of its authors' code and of `transformers`, and what of them is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import api
from bertviz_app.checkpoint.config import read_config
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import Tensors, change_config, change_weights, opened
from tests.support.families import write_family

PUBLISHED = {
    "model_type": "nomic_bert",
    "auto_map": {"AutoModel": "modeling_hf_nomic_bert.NomicBertModel"},
    "activation_function": "swiglu",
    "architectures": ["NomicBertModel"],
    "causal": False,
    "layer_norm_epsilon": 1e-12,
    "max_trained_positions": 2048,
    "mlp_fc1_bias": False,
    "mlp_fc2_bias": False,
    "n_embd": 768,
    "n_head": 12,
    "n_inner": 3072,
    "n_layer": 12,
    "n_positions": 8192,
    "prenorm": False,
    "qkv_proj_bias": False,
    "rotary_emb_base": 1000,
    "rotary_emb_fraction": 1.0,
    "rotary_emb_interleaved": False,
    "rotary_emb_scale_base": None,
    "rotary_scaling_factor": None,
    "type_vocab_size": 2,
    "use_rms_norm": False,
    "vocab_size": 30528,
}
NEW_KEYS = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "hidden_act",
    "layer_norm_eps",
    "max_position_embeddings",
    "head_dim",
    "rope_parameters",
)
NEW_NAMES = (
    ("encoder.layers.", "layers."),
    ("emb_ln", "embeddings.LayerNorm"),
    ("attn.out_proj", "self_attn.o_proj"),
    ("fc11", "up_proj"),
    ("fc12", "gate_proj"),
    ("fc2", "down_proj"),
    ("norm1", "post_attention_layernorm"),
    ("norm2", "post_mlp_layernorm"),
)
TEXT = ("The cat ate the fish", "It was hungry.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


def _write(path: Path, **changes: object) -> None:
    settings = PUBLISHED | changes
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not ...}), "utf-8")


def test_the_published_configuration(path: Path) -> None:
    _write(path)
    encoder = read_config(path).encoder
    sizes = (encoder.n_layers, encoder.n_heads, encoder.width, encoder.feed_forward_width)
    assert sizes == (12, 12, 768, 3072)
    assert (encoder.vocabulary_size, encoder.n_segments, encoder.max_tokens) == (30528, 2, 8192)
    assert encoder.rotary_bases == (1000.0,) * 12
    assert encoder.reaches == (None,) * 12
    assert (encoder.activation, encoder.norm_eps) == ("silu", 1e-12)
    assert (encoder.form.has_biases, encoder.form.has_norm_biases) == (False, True)
    assert not encoder.has_position_table


@pytest.mark.parametrize(
    ("changes", "n_positions"),
    [
        ({"rotary_scaling_factor": 2}, 2048),
        ({"rotary_scaling_factor": 2, "n_positions": 512}, 512),
        ({"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}}, 2048),
        ({"rope_parameters": {"rope_type": "default"}, "max_position_embeddings": 1024}, 1024),
        (
            {"rope_parameters": {"rope_type": "dynamic"}, "n_positions": 99, "max_trained_positions": ...},
            99,
        ),
    ],
)
def test_texts_whose_rotations_would_be_scaled_are_cut(
    path: Path, changes: dict[str, object], n_positions: int
) -> None:
    _write(path, **changes)
    assert read_config(path).encoder.max_tokens == n_positions


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("prenorm", True),
        ("parallel_block", True),
        ("causal", True),
        ("use_rms_norm", True),
        ("qkv_proj_bias", True),
        ("mlp_fc1_bias", True),
        ("mlp_fc2_bias", True),
        ("moe_every_n_layers", 2),
        ("num_heads_kv", 4),
        ("rotary_emb_fraction", 0.5),
        ("rotary_emb_interleaved", True),
        ("rotary_emb_scale_base", 512),
        ("rotary_head_dim", True),
        ("activation_function", "glu"),
        ("activation_function", ["swiglu"]),
        ("head_dim", 32),
        ("rotary_emb_base", "x"),
        ("n_embd", 0),
        ("layer_norm_epsilon", 2),
        ("hidden_act", 4),
    ],
)
def test_what_is_not_computed_is_refused_by_name(path: Path, key: str, value: object) -> None:
    _write(path, **{key: value})
    with pytest.raises(CheckpointError, match=key) as caught:
        read_config(path)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rope_parameters": {"rope_type": "yarn"}}, "yarn"),
        ({"rope_parameters": {"rope_theta": 0}}, "rotary_emb_base"),
        ({"rotary_scaling_factor": 2, "max_trained_positions": 0}, "max_trained_positions"),
        ({"rotary_scaling_factor": 2, "max_trained_positions": True}, "max_trained_positions"),
        ({"n_embd": ...}, "hidden_size"),
    ],
)
def test_a_configuration_that_is_none_is_refused(
    path: Path, changes: dict[str, object], message: str
) -> None:
    _write(path, **changes)
    with pytest.raises(CheckpointError, match=message):
        read_config(path)


def test_older_words_and_newer_names_give_the_same(tmp_path: Path) -> None:
    write_family(tmp_path, "nomic_bert")
    before = opened(tmp_path)
    trace = api.open_model(str(tmp_path), "cpu").trace(*TEXT)
    sizes = {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_inner": 64, "n_positions": 260}
    given = PUBLISHED | sizes | {"vocab_size": before.encoder.config.vocabulary_size}
    change_config(tmp_path, **dict.fromkeys(NEW_KEYS, ...), **given)
    change_weights(tmp_path, _renamed)
    after = opened(tmp_path)
    assert after.encoder.config == before.encoder.config
    again = api.open_model(str(tmp_path), "cpu").trace(*TEXT)
    assert np.array_equal(again.hidden, trace.hidden)


def _renamed(tensors: Tensors) -> Tensors:
    """Return the tensors by the names of the classes of `transformers`: queries, keys and values apart."""
    named: Tensors = {}
    for name, tensor in tensors.items():
        for older, newer in NEW_NAMES:
            name = name.replace(older, newer)
        if "attn.Wqkv" not in name:
            named[name] = tensor
            continue
        for letter, part in zip("qkv", tensor.chunk(3), strict=True):
            named[name.replace("attn.Wqkv", f"self_attn.{letter}_proj")] = part
    return named


def test_learned_positions_are_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "nomic_bert")
    learned = "embeddings.position_embeddings.weight"
    change_weights(
        tmp_path, lambda tensors: tensors | {learned: tensors["embeddings.word_embeddings.weight"].clone()}
    )
    with pytest.raises(CheckpointError, match="position_embeddings"):
        opened(tmp_path)


def test_a_head_without_biases_is_read(tmp_path: Path) -> None:
    """So it is in the files of the authors' own code, whose decoder has none either."""
    write_family(tmp_path, "nomic_bert", "AutoModelForMaskedLM")
    text = "The cat ate the fish"
    model = api.open_model(str(tmp_path), "cpu")
    biased = model.logits(model.trace(text)).masked
    zero = ("cls.predictions.bias", "cls.predictions.transform.dense.bias")
    change_weights(
        tmp_path,
        lambda tensors: {name: tensor * (name not in zero) for name, tensor in tensors.items()},
    )
    model = api.open_model(str(tmp_path), "cpu")
    zeroed = model.logits(model.trace(text)).masked
    change_weights(
        tmp_path,
        lambda tensors: {name: tensor for name, tensor in tensors.items() if name not in zero},
    )
    model = api.open_model(str(tmp_path), "cpu")
    assert model.facts.task_heads == ("masked",)
    bare = model.logits(model.trace(text)).masked
    assert bare is not None
    assert zeroed is not None
    assert biased is not None
    assert np.abs(bare - zeroed).max() <= 1e-6
    assert np.abs(bare - biased).max() > 0.1
