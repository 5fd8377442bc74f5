"""Checkpoints whose code comes with them: by formulas of their authors, written down here once more."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, silu

from bertviz_app import api
from bertviz_app.encoder.positions import slopes
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from bertviz_app.trace import Trace
from tests.support.checkpoint_folders import change_config, opened
from tests.support.exactness import in_float64, of_bound, passes
from tests.support.families import write_family, write_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel

TEXT = "The cat ate the fish because it was hungry, 고양이가 배가 고파서 생선을 먹었다"
N_LAYERS, N_HEADS, WIDTH = 3, 4, 32
Weights = dict[str, Tensor]
Passed = tuple[list[Tensor], list[Tensor]]
"""The hidden states [T, D] and the weights [H, T, T] of each layer."""


def _drawn(shapes: dict[str, tuple[int, ...]]) -> Weights:
    """Return random weights: matrices about as large as their input's, norms about 1."""
    generator = torch.Generator().manual_seed(3)
    weights = {}
    for name, shape in shapes.items():
        numbers = torch.randn(shape, generator=generator)
        is_norm = len(shape) == 1 and name.endswith("weight")
        weights[name] = 1 + 0.2 * numbers if is_norm else numbers * (1.2 * shape[-1] ** -0.5)
    return weights


def _write(folder: Path, family: str, weights: Weights, config: dict[str, Any]) -> int:
    """Write a checkpoint; return the number of its pieces."""
    folder.mkdir(exist_ok=True)
    n_pieces = _n_pieces(folder, family)
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": n_pieces}), "utf-8")
    save_file(weights, folder / "model.safetensors")
    return n_pieces


def _traced(folder: Path) -> Trace:
    checkpoint = opened(folder)
    return record(checkpoint.encoder, checkpoint.tokens(TEXT), "ours")


def _heads(x: Tensor) -> Tensor:
    """Split the width [T, D] into heads [H, T, E]."""
    return x.view(len(x), N_HEADS, -1).transpose(0, 1)


def _assert_same(trace: Trace, theirs: Passed, exact: Passed) -> None:
    """Compare with what each layer gave in float32 and in float64."""
    layers = range(N_LAYERS)
    ours = [
        *trace.hidden[1:],
        *trace.attention(),
        *(trace.attention(layer, 1, slice(2, 5), slice(0, 4)) for layer in layers),
    ]
    others = (
        [tensor.numpy() for tensor in (*hidden, *weights, *(of_heads[1, 2:5, :4] for of_heads in weights))]
        for hidden, weights in (theirs, exact)
    )
    assert of_bound(ours, *others) <= 1


def _by_formula(formula: Callable[..., Passed], weights: Weights, *given: Any) -> tuple[Passed, Passed]:
    """Return what `formula` gives in float32 and in float64."""
    single = formula(weights, *given)
    with in_float64():
        return single, formula({name: tensor.double() for name, tensor in weights.items()}, *given)


def _by_model(model: PreTrainedModel, trace: Trace) -> tuple[Passed, Passed]:
    """Return what the layers of `model` give of the same tokens, in float32 and in float64."""
    ids = torch.tensor(trace.tokens.ids[None]).long()

    def run() -> Passed:
        theirs = model(ids, output_attentions=True, output_hidden_states=True)
        return [state[0] for state in theirs.hidden_states[1:]], [one[0] for one in theirs.attentions]

    return passes(model, run)


# NeoBERT (Le Breton et al. 2025, arXiv:2502.19587; `model.py` beside its weights)


def _rms(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt((x**2).mean(-1, keepdim=True) + eps) * weight


def _turned(x: Tensor) -> Tensor:
    """Turn x [H, T, E] as complex numbers of neighbouring dimensions."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    rates = 1.0 / 10_000.0 ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
    angles = torch.outer(torch.arange(x.shape[-2]).float(), rates)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def _neobert(w: Weights, ids: Tensor, eps: float) -> tuple[list[Tensor], list[Tensor]]:
    x, hidden, weights = w["encoder.weight"][ids], [], []
    for layer in range(N_LAYERS):
        name = f"transformer_encoder.{layer}."
        qkv = _rms(x, w[name + "attention_norm.weight"], eps) @ w[name + "qkv.weight"].T
        query, key, value = qkv.view(len(ids), N_HEADS, -1).transpose(0, 1).chunk(3, dim=-1)
        scores = _turned(query) @ _turned(key).transpose(-1, -2) / math.sqrt(query.shape[-1])
        weights.append(scores.softmax(-1))
        x = x + (weights[-1] @ value).transpose(0, 1).flatten(1) @ w[name + "wo.weight"].T
        wide = _rms(x, w[name + "ffn_norm.weight"], eps) @ w[name + "ffn.w12.weight"].T
        first, second = wide.chunk(2, dim=-1)
        x = x + (silu(first) * second) @ w[name + "ffn.w3.weight"].T
        hidden.append(x)
    hidden[-1] = _rms(x, w["layer_norm.weight"], eps)
    return hidden, weights


NEOBERT = {
    "model_type": "neobert",
    "hidden_size": WIDTH,
    "num_hidden_layers": N_LAYERS,
    "num_attention_heads": N_HEADS,
    "dim_head": WIDTH // N_HEADS,
    "intermediate_size": 62,  # of which two thirds are 41.3: 48 are used
    "max_length": 300,
    "norm_eps": 1e-5,
    "auto_map": {"AutoModel": "model.NeoBERT"},
    "kwargs": {"model_type": "bert", "hidden_size": 99, "hidden_act": "gelu", "rope": False},
}


def _neobert_weights(n_pieces: int) -> Weights:
    shapes: dict[str, tuple[int, ...]] = {"encoder.weight": (n_pieces, WIDTH), "layer_norm.weight": (WIDTH,)}
    for layer in range(N_LAYERS):
        name = f"transformer_encoder.{layer}."
        shapes |= {name + "qkv.weight": (3 * WIDTH, WIDTH), name + "wo.weight": (WIDTH, WIDTH)}
        shapes |= {name + "ffn.w12.weight": (96, WIDTH), name + "ffn.w3.weight": (WIDTH, 48)}
        shapes |= {name + "attention_norm.weight": (WIDTH,), name + "ffn_norm.weight": (WIDTH,)}
    return _drawn(shapes)


def _n_pieces(folder: Path, family: str) -> int:
    ids: dict[str, int] = write_tokenizer(folder, family).get_vocab()
    return max(ids.values()) + 1


def test_neobert(tmp_path: Path) -> None:
    weights = _neobert_weights(_n_pieces(tmp_path, "bert"))
    of_head = _drawn({"decoder.weight": tuple(weights["encoder.weight"].shape)})
    of_head["decoder.bias"] = torch.linspace(-1, 1, len(of_head["decoder.weight"]))
    prefixed = {f"model.{name}": tensor for name, tensor in weights.items()} | of_head
    _write(tmp_path, "bert", prefixed, NEOBERT)
    trace = _traced(tmp_path)
    _assert_same(trace, *_by_formula(_neobert, weights, torch.tensor(trace.tokens.ids).long(), 1e-5))
    assert not trace.tokens.segment_ids.any()
    config = opened(tmp_path).encoder.config
    assert (config.n_positions, config.feed_forward_width) == (300, 48)
    model = api.open_model(str(tmp_path), "cpu")
    found = model.logits(model.trace(TEXT)).masked
    expected = trace.hidden[-1] @ of_head["decoder.weight"].numpy().T + of_head["decoder.bias"].numpy()
    assert found is not None
    assert of_bound([found], [expected]) <= 1


# Jina Embeddings v2 (Günther et al. 2023, arXiv:2310.19923; its `modeling_bert.py`)

JINA_V2 = {
    "model_type": "bert",
    "hidden_size": WIDTH,
    "num_hidden_layers": N_LAYERS,
    "num_attention_heads": N_HEADS,
    "intermediate_size": 24,
    "max_position_embeddings": 8192,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
    "position_embedding_type": "alibi",
    "feed_forward_type": "geglu",
    "auto_map": {"AutoModel": "jinaai/jina-bert-implementation--modeling_bert.JinaBertModel"},
}


def _jina_v2_weights(n_pieces: int) -> Weights:
    norms = ["embeddings.LayerNorm"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (n_pieces, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    for layer in range(N_LAYERS):
        name = f"encoder.layer.{layer}."
        dense = [f"attention.self.{part}" for part in ("query", "key", "value")] + ["attention.output.dense"]
        for part in dense:
            shapes |= {f"{name}{part}.weight": (WIDTH, WIDTH), f"{name}{part}.bias": (WIDTH,)}
        shapes[f"{name}mlp.gated_layers.weight"] = (48, WIDTH)
        shapes |= {f"{name}mlp.wo.weight": (WIDTH, 24), f"{name}mlp.wo.bias": (WIDTH,)}
        norms += [f"{name}attention.output.LayerNorm", f"{name}mlp.layernorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (WIDTH,), f"{norm}.bias": (WIDTH,)}
    return _drawn(shapes)


def _separate(w: Weights) -> Weights:
    """Return weights whose queries, keys and values stand one below the other in the order of their names."""
    parts = ("query", "key", "value")
    return w | {
        name.replace("Wqkv", part): rows
        for name, tensor in w.items()
        if "Wqkv" in name
        for part, rows in zip(parts, tensor.chunk(3), strict=True)
    }


def _jina_v2(w: Weights, ids: Tensor, slopes: list[float]) -> tuple[list[Tensor], list[Tensor]]:
    w = _separate(w)

    def norm(x: Tensor, name: str) -> Tensor:
        return layer_norm(x, (WIDTH,), w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)

    def dense(x: Tensor, name: str) -> Tensor:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0]
    x, hidden, weights = norm(x, "embeddings.LayerNorm"), [], []
    places = torch.arange(len(ids))
    fall = -torch.tensor(slopes)[:, None, None] * (places[:, None] - places).abs()
    for layer in range(N_LAYERS):
        name = f"encoder.layer.{layer}."
        query, key, value = (
            _heads(dense(x, f"{name}attention.self.{part}")) for part in ("query", "key", "value")
        )
        weights.append((query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]) + fall).softmax(-1))
        mixed = (weights[-1] @ value).transpose(0, 1).flatten(1)
        x = norm(dense(mixed, f"{name}attention.output.dense") + x, f"{name}attention.output.LayerNorm")
        gated, plain = (x @ w[f"{name}mlp.gated_layers.weight"].T).chunk(2, dim=-1)
        x = norm(dense(gelu(gated) * plain, f"{name}mlp.wo") + x, f"{name}mlp.layernorm")
        hidden.append(x)
    return hidden, weights


def test_jina_v2(tmp_path: Path) -> None:
    weights = _jina_v2_weights(_n_pieces(tmp_path, "bert"))
    _write(tmp_path, "bert", weights, JINA_V2)
    trace = _traced(tmp_path)
    ids = torch.tensor(trace.tokens.ids).long()
    _assert_same(trace, *_by_formula(_jina_v2, weights, ids, [1 / 4, 1 / 16, 1 / 64, 1 / 256]))
    assert trace.position_embeddings is None
    assert trace.added == ("distance",)


# MosaicBERT (Portes et al. 2023, arXiv:2312.17482) and DNABERT-2 (Zhou et al. 2023, arXiv:2306.15006)

MOSAIC: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertForMaskedLM"],
    "hidden_size": WIDTH,
    "num_hidden_layers": N_LAYERS,
    "num_attention_heads": N_HEADS,
    "intermediate_size": 24,
    "max_position_embeddings": 512,
    "alibi_starting_size": 1024,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "attention_probs_dropout_prob": 0.0,
    "auto_map": {"AutoModel": "bert_layers.BertModel", "AutoConfig": "configuration_bert.BertConfig"},
}


def _mosaic_weights(n_pieces: int) -> Weights:
    weights = _jina_v2_weights(n_pieces)
    packed = {name: tensor for name, tensor in weights.items() if ".self." not in name}
    for layer in range(N_LAYERS):
        name = f"encoder.layer.{layer}.attention.self."
        for kind in ("weight", "bias"):
            parts = [weights[f"{name}{part}.{kind}"] for part in ("query", "key", "value")]
            packed[f"{name}Wqkv.{kind}"] = torch.cat(parts)
    return packed


def test_mosaic_bert(tmp_path: Path) -> None:
    weights = _mosaic_weights(_n_pieces(tmp_path, "bert"))
    pooler = _drawn({"pooler.dense.weight": (WIDTH, WIDTH), "pooler.dense.bias": (WIDTH,)})
    prefixed = {f"bert.{name}": tensor for name, tensor in (weights | pooler).items()}
    _write(tmp_path, "bert", prefixed, MOSAIC)
    trace = _traced(tmp_path)
    ids = torch.tensor(trace.tokens.ids).long()
    _assert_same(trace, *_by_formula(_jina_v2, weights, ids, [1 / 4, 1 / 16, 1 / 64, 1 / 256]))
    first = torch.from_numpy(trace.hidden[-1, 0].copy())
    pooled = (first @ pooler["pooler.dense.weight"].T + pooler["pooler.dense.bias"]).tanh()
    assert trace.pooled is not None
    assert of_bound([trace.pooled], [pooled.numpy()]) <= 1
    assert trace.position_embeddings is None
    facts = opened(tmp_path).facts
    assert facts.family == "MosaicBERT"
    assert facts.n_positions == 1024, "the code of these models makes its distances as far as either says"
    assert any("bert_layers.BertModel, which is not run" in remark for remark in facts.remarks)


def test_the_rates_of_a_number_of_heads_that_is_no_power_of_two() -> None:
    ratio = 2 ** (-8 / 8)
    eight = [ratio ** (head + 1) for head in range(8)]
    sixteen = [2 ** (-0.5 * (head + 1)) for head in range(16)]
    assert slopes(12) == pytest.approx(eight + sixteen[0:8:2])


def test_a_mosaic_bert_whose_config_json_does_not_say_so_is_told_what_to_write(tmp_path: Path) -> None:
    weights = _mosaic_weights(_n_pieces(tmp_path, "bert"))
    _write(tmp_path, "bert", weights, {key: MOSAIC[key] for key in MOSAIC if key != "alibi_starting_size"})
    with pytest.raises(CheckpointError, match=r"layers\.\{0\.\.2\}\.attention\.query\.weight") as caught:
        opened(tmp_path)
    assert "“alibi_starting_size”" in caught.value.hint
    change_config(tmp_path, alibi_starting_size=512)
    assert opened(tmp_path).facts.family == "MosaicBERT"


# GTE and Jina Embeddings v3: models of `transformers`, by the names of their authors


def _rewritten(folder: Path, model: PreTrainedModel, change: Callable[[Weights], Weights]) -> None:
    weights = change(dict(model.state_dict()))
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, folder / "model.safetensors")


def _replaced(name: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for ours, theirs in pairs:
        name = name.replace(ours, theirs)
    return name


GTE_NAMES = (
    ("layers.", "encoder.layer."),
    ("self_attn.o_proj", "attention.o_proj"),
    ("post_attention_layernorm", "attn_ln"),
    ("post_mlp_layernorm", "mlp_ln"),
)


def _packed_gte(weights: Weights) -> Weights:
    """Return the weights by the authors' names: queries, keys and values stacked, the gate after the rest."""
    packed = {
        name: tensor for name, tensor in weights.items() if "self_attn" not in name and "mlp." not in name
    }
    for layer in range(N_LAYERS):
        name, attention = f"layers.{layer}.", f"layers.{layer}.self_attn."
        for kind in ("weight", "bias"):
            parts = [weights[f"{attention}{letter}_proj.{kind}"] for letter in "qkv"]
            packed[f"{name}attention.qkv_proj.{kind}"] = torch.cat(parts)
            packed[f"{attention}o_proj.{kind}"] = weights[f"{attention}o_proj.{kind}"]
            packed[f"{name}mlp.down_proj.{kind}"] = weights[f"{name}mlp.down_proj.{kind}"]
        both = [weights[f"{name}mlp.{part}_proj.weight"] for part in ("up", "gate")]
        packed[f"{name}mlp.up_gate_proj.weight"] = torch.cat(both)
    return {f"new.{_replaced(name, GTE_NAMES)}": tensor for name, tensor in packed.items()}


NTK = {"type": "ntk", "factor": 8.0}


@pytest.mark.parametrize(
    ("scaling", "n_segments", "change"),
    [(None, 0, _packed_gte), (NTK, 1, _packed_gte), (None, 1, dict), (NTK, 0, dict)],
)
def test_gte_of_its_authors(
    tmp_path: Path, scaling: dict[str, Any] | None, n_segments: int, change: Callable[[Weights], Weights]
) -> None:
    model = write_family(tmp_path, "gte", type_vocab_size=n_segments)
    _rewritten(tmp_path, model, change)
    change_config(
        tmp_path,
        model_type="new",
        pack_qkv=True,
        position_embedding_type="rope",
        rope_theta=500_000,
        rope_scaling=scaling,
        rope_parameters=None,
        logn_attention_scale=False,
        unpad_inputs="true",
        use_memory_efficient_attention="true",
    )
    factor, width = 1.0 if scaling is None else 8.0, WIDTH // N_HEADS
    rates = 1.0 / (500_000.0 * factor) ** (torch.arange(0, width, 2).float() / width)
    model.rotary_emb.inv_freq = rates / factor ** (2 / width)
    trace = _traced(tmp_path)
    _assert_same(trace, *_by_model(model, trace))


GTE: dict[str, Any] = {"model_type": "new", "rope_parameters": None}
REFUSED: dict[str, tuple[Callable[[Path], object], dict[str, Any], dict[str, dict[str, Any]]]] = {
    "neobert": (
        lambda folder: _write(folder, "bert", _neobert_weights(_n_pieces(folder, "bert")), NEOBERT),
        NEOBERT,
        {
            "rms_norm": {"rms_norm": False},
            "rope": {"rope": False},
            "hidden_act": {"hidden_act": "gelu"},
            "another width than 8": {"dim_head": 9},
            "ngpt": {"ngpt": True},
        },
    ),
    "jina v2": (
        lambda folder: _write(folder, "bert", _jina_v2_weights(_n_pieces(folder, "bert")), JINA_V2),
        JINA_V2,
        {
            "qk-post-norm": {"auto_map": {"AutoModel": "jinaai/jina-bert-v2-qk-post-norm--m.JinaBertModel"}},
            "feed_forward_type": {"feed_forward_type": "swiglu"},
            "contradict": {"hidden_act": "relu"},
            "alibi": {"model_type": "ernie"},
            "rotary": {"position_embedding_type": "rotary"},
        },
    ),
    "mosaic": (
        lambda folder: _write(folder, "bert", _mosaic_weights(_n_pieces(folder, "bert")), MOSAIC),
        MOSAIC,
        {
            "hidden_act": {"hidden_act": "relu"},
            "alibi_starting_size": {"alibi_starting_size": "512"},
            "position_embedding_type": {"position_embedding_type": "r"},
        },
    ),
    "gte": (
        lambda folder: write_family(folder, "gte"),
        GTE,
        {
            "logn_attention_scale": {"logn_attention_scale": True},
            "layer_norm_type": {"layer_norm_type": "rms_norm"},
            "position_embedding_type": {"position_embedding_type": "absolute"},
            "dynamic": {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
            "mixed_b": {"rope_scaling": {"type": "ntk", "factor": 2.0, "mixed_b": 0.6}},
            "factor": {"rope_scaling": {"type": "ntk"}},
            "type_vocab_size": {"type_vocab_size": -1},
        },
    ),
}
"""Of each kind how it is written, its settings, and by the word that names them those that are refused."""


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_computed_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    write, settings, refused = REFUSED[kind]
    write(tmp_path)
    written = json.loads((tmp_path / "config.json").read_text("utf-8"))
    for words, changed in refused.items():
        (tmp_path / "config.json").write_text(json.dumps(written | settings | changed), "utf-8")
        with pytest.raises(CheckpointError, match=words) as caught:
            opened(tmp_path)
        assert caught.value.hint


JINA_V3_NAMES = (
    ("embeddings.LayerNorm", "emb_ln"),
    ("layers.", "encoder.layers."),
    ("self_attn.o_proj", "mixer.out_proj"),
    ("post_attention_layernorm", "norm1"),
    ("post_mlp_layernorm", "norm2"),
)


def _parametrized(weights: Weights) -> Weights:
    """Return the weights by the authors' names, with adapters beside two of them."""
    packed = {}
    packed = {name: tensor for name, tensor in weights.items() if "self_attn" not in name or "o_proj" in name}
    for layer in range(N_LAYERS):
        for kind in ("weight", "bias"):
            parts = [weights[f"layers.{layer}.self_attn.{letter}_proj.{kind}"] for letter in "qkv"]
            packed[f"layers.{layer}.mixer.Wqkv.{kind}"] = torch.cat(parts)
    named = {f"roberta.{_replaced(name, JINA_V3_NAMES)}": tensor for name, tensor in packed.items()}
    found = {}
    for name, tensor in named.items():
        is_adapted = "Wqkv.weight" in name or "word_embeddings" in name
        path = name.removesuffix(".weight")
        found[f"{path}.parametrizations.weight.original" if is_adapted else name] = tensor
        if is_adapted:
            found[f"{path}.parametrizations.weight.0.lora_A"] = torch.ones(5, 4, tensor.shape[1])
            found[f"{path}.parametrizations.weight.0.lora_B"] = torch.ones(5, tensor.shape[0], 4)
    return found


def test_jina_v3_of_its_authors(tmp_path: Path) -> None:
    model = write_family(tmp_path, "jina_embeddings_v3")
    _rewritten(tmp_path, model, _parametrized)
    change_config(
        tmp_path,
        model_type="xlm-roberta",
        position_embedding_type="rotary",
        rotary_emb_base=20_000.0,
        rope_parameters=None,
        lora_adaptations=["retrieval.query", "classification"],
    )
    trace = _traced(tmp_path)
    _assert_same(trace, *_by_model(model, trace))
    checkpoint = opened(tmp_path)
    remarks = [remark for remark in checkpoint.facts.remarks if "retrieval.query, classification" in remark]
    assert len(remarks) == 1
    assert checkpoint.report.unexpected == ()
