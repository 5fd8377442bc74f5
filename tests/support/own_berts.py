"""Files of public BERTs that students copy: their names with random weights, and a formula in plain torch."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from tests.support.checkpoints import vocabulary

N_PIECES, WIDTH, N_HEADS, N_LAYERS, INNER, N_POSITIONS = len(vocabulary()), 32, 4, 2, 64, 64
_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
}
_PROJECTIONS = ("query", "key", "value")
_ROLES = (
    *(*_PROJECTIONS, "output", "norm1", "expand", "contract", "norm2"),
    *("token", "position", "segment", "embedding_norm", "last_norm"),
)


@dataclass(frozen=True)
class OwnBert:
    """A scheme: the names of its modules by role ({} is the layer), and what its code does.

    A name with “!” after it has no bias. `weight` and `bias` are what its norms call theirs. `heads` are
    other modules: their shapes by name. `bare` roles are parameters without “.weight”. `is_alike`: all heads
    have the same matrices [E, E], and scores are divided by the square root of D, not of E.
    """

    names: Mapping[str, str]
    norm_first: bool = False
    eps: float = 1e-5
    deviation: bool = False
    activation: str = "gelu"
    weight: str = "weight"
    bias: str = "bias"
    token_factor: float = 1.0
    first_segment: int = 0
    n_segments: int = 2
    bare: tuple[str, ...] = ()
    is_alike: bool = False
    heads: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    config: Mapping[str, object] = field(default_factory=dict)
    answers: Mapping[str, object] = field(default_factory=dict)
    prefix: str = ""

    def shape(self, role: str) -> tuple[int, ...]:
        """Return the shape of the weight of a role."""
        if self.is_alike and role in _PROJECTIONS:
            return WIDTH // N_HEADS, WIDTH // N_HEADS
        return {
            "expand": (INNER, WIDTH),
            "contract": (WIDTH, INNER),
            "token": (N_PIECES, WIDTH),
            "position": (1, N_POSITIONS, WIDTH) if "position" in self.bare else (N_POSITIONS, WIDTH),
            "segment": (self.n_segments, WIDTH),
        }.get(role, (WIDTH,) if "norm" in role else (WIDTH, WIDTH))

    def tensors(self, seed: int = 0) -> dict[str, Tensor]:
        """Return a state dict, every number drawn, in the order of the layers."""
        generator = torch.Generator().manual_seed(seed)
        found: dict[str, Tensor] = {}

        def draw(*shape: int, around: float = 0.0) -> Tensor:
            size = 1.2 * shape[-1] ** -0.5 if len(shape) > 1 else 0.2
            return around + size * torch.randn(shape, generator=generator)

        for role, name in self.names.items():
            layers = range(N_LAYERS) if "{}" in name else (0,)
            for layer in layers:
                module = name.rstrip("!").format(layer)
                is_norm, is_table = "norm" in role, role in ("token", "position", "segment")
                weight = "" if role in self.bare else f".{self.weight if is_norm else 'weight'}"
                found[module + weight] = draw(*self.shape(role), around=float(is_norm))
                if not is_table and not name.endswith("!"):
                    found[f"{module}.{self.bias if is_norm else 'bias'}"] = draw(self.shape(role)[0])
        for name, shape in self.heads.items():
            found[name] = draw(*shape, around=float(len(shape) == 1 and "norm" in name))
        return {self.prefix + name: tensor for name, tensor in found.items()}

    def write(self, folder: Path, tensors: Mapping[str, Tensor] | None = None, **config: object) -> Path:
        """Write the checkpoint with vocab.txt, config.json and the answers; return `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        torch.save(dict(self.tensors() if tensors is None else tensors), folder / "model.pt")
        settings = {"do_lower_case": True, **self.config, **config}
        (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
        text = "".join(f"{piece}\n" for piece in vocabulary())
        (folder / "vocab.txt").write_text(text, encoding="utf-8")
        return folder

    def hidden(self, tensors: Mapping[str, Tensor], ids: Tensor, segment_ids: Tensor) -> list[Tensor]:
        """Return the hidden states [T, D] of ids [T] by the formulas of Vaswani et al. 2017, section 3."""
        plain = {name.removeprefix(self.prefix): tensor for name, tensor in tensors.items()}
        return Formula(self, plain).hidden(ids, segment_ids)


@dataclass(frozen=True)
class Formula:
    """The arithmetic of a scheme with these tensors, by its own names."""

    scheme: OwnBert
    tensors: Mapping[str, Tensor]

    def part(self, role: str, layer: int = 0) -> tuple[Tensor, Tensor]:
        """Return the weight and the bias of a role."""
        scheme = self.scheme
        module = scheme.names[role].rstrip("!").format(layer)
        weight_name, bias_name = (scheme.weight, scheme.bias) if "norm" in role else ("weight", "bias")
        weight = self.tensors[module if role in scheme.bare else f"{module}.{weight_name}"]
        bias = self.tensors.get(f"{module}.{bias_name}")
        return weight, torch.zeros(weight.shape[0]) if bias is None else bias

    def norm(self, x: Tensor, role: str, layer: int = 0) -> Tensor:
        """Return [T, D] after a norm, or as it is without one."""
        if role not in self.scheme.names:
            return x
        gain, shift = self.part(role, layer)
        centred = x - x.mean(-1, keepdim=True)
        if self.scheme.deviation:
            return gain * centred / (x.std(-1, keepdim=True) + self.scheme.eps) + shift
        return gain * centred / (centred.pow(2).mean(-1, keepdim=True) + self.scheme.eps).sqrt() + shift

    def dense(self, x: Tensor, role: str, layer: int) -> Tensor:
        """Return x . W^T + b."""
        weight, bias = self.part(role, layer)
        return x @ weight.T + bias

    def attend(self, x: Tensor, layer: int) -> Tensor:
        """Return the output of the attention of a layer."""
        is_alike = self.scheme.is_alike
        source = x.view(len(x), N_HEADS, -1) if is_alike else x
        q, k, v = (self.dense(source, role, layer).view(len(x), N_HEADS, -1) for role in _PROJECTIONS)
        scores = torch.einsum("ihe,jhe->hij", q, k) / math.sqrt(WIDTH if is_alike else WIDTH // N_HEADS)
        mixed = torch.einsum("hij,jhe->ihe", scores.softmax(-1), v)
        return self.dense(mixed.flatten(1), "output", layer)

    def feed(self, x: Tensor, layer: int) -> Tensor:
        """Return the output of the feed-forward part of a layer."""
        active = _ACTIVATIONS[self.scheme.activation](self.dense(x, "expand", layer))
        return self.dense(active, "contract", layer)

    def layer(self, x: Tensor, layer: int) -> Tensor:
        """Return the output of a layer."""
        if self.scheme.norm_first:
            x = x + self.attend(self.norm(x, "norm1", layer), layer)
            return x + self.feed(self.norm(x, "norm2", layer), layer)
        x = self.norm(x + self.attend(x, layer), "norm1", layer)
        return self.norm(x + self.feed(x, layer), "norm2", layer)

    def hidden(self, ids: Tensor, segment_ids: Tensor) -> list[Tensor]:
        """Return the L + 1 hidden states [T, D]."""
        x = self.part("token")[0][ids] * self.scheme.token_factor
        if "position" in self.scheme.names:
            x = x + self.part("position")[0].reshape(-1, WIDTH)[: len(ids)]
        if "segment" in self.scheme.names:
            x = x + self.part("segment")[0][segment_ids]
        states = [self.norm(x, "embedding_norm")]
        for layer in range(N_LAYERS):
            states.append(self.layer(states[-1], layer))
        return [*states[:-1], self.norm(states[-1], "last_norm")]


def _layers(start: str, *names: str) -> dict[str, str]:
    return {role: start + name for role, name in zip(_ROLES, names, strict=False)}


def _dense(name: str, n_outputs: int, n_inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (n_outputs, n_inputs), f"{name}.bias": (n_outputs,)}


PYTORCHIC = OwnBert(
    {
        **_layers(
            "transformer.blocks.{}.",
            *("attn.proj_q", "attn.proj_k", "attn.proj_v", "proj", "norm1", "pwff.fc1", "pwff.fc2", "norm2"),
        ),
        "token": "transformer.embed.tok_embed",
        "position": "transformer.embed.pos_embed",
        "segment": "transformer.embed.seg_embed",
        "embedding_norm": "transformer.embed.norm",
    },
    eps=1e-12,
    weight="gamma",
    bias="beta",
    heads={
        **_dense("fc", WIDTH, WIDTH),
        **_dense("linear", WIDTH, WIDTH),
        "norm.gamma": (WIDTH,),
        "norm.beta": (WIDTH,),
        "decoder_bias": (N_PIECES,),
        **_dense("classifier", 2, WIDTH),
    },
    config={
        "dim": WIDTH,
        "dim_ff": INNER,
        "n_layers": N_LAYERS,
        "p_drop_attn": 0.1,
        "n_heads": N_HEADS,
        "p_drop_hidden": 0.1,
        "max_len": N_POSITIONS,
        "n_segments": 2,
        "vocab_size": N_PIECES,
    },
)
D2L = OwnBert(
    {
        **_layers(
            "encoder.blks.{}.",
            *("attention.W_q", "attention.W_k", "attention.W_v", "attention.W_o", "addnorm1.ln"),
            *("ffn.dense1", "ffn.dense2", "addnorm2.ln"),
        ),
        "token": "encoder.token_embedding",
        "segment": "encoder.segment_embedding",
        "position": "encoder.pos_embedding",
    },
    activation="relu",
    bare=("position",),
    heads={
        **_dense("hidden.0", WIDTH, WIDTH),
        **_dense("mlm.mlp.0", WIDTH, WIDTH),
        "mlm.mlp.2.weight": (WIDTH,),
        "mlm.mlp.2.bias": (WIDTH,),
        **_dense("mlm.mlp.3", N_PIECES, WIDTH),
        **_dense("nsp.output", 2, WIDTH),
    },
    config={"n_heads": N_HEADS},
)
ANNOTATED = OwnBert(
    {
        **_layers(
            "encoder.layers.{}.",
            *(f"self_attn.linears.{number}" for number in range(4)),
            *("sublayer.0.norm", "feed_forward.w_1", "feed_forward.w_2", "sublayer.1.norm"),
        ),
        "token": "src_embed.0.lut",
        "position": "src_embed.1.pe",
        "last_norm": "encoder.norm",
    },
    norm_first=True,
    eps=1e-6,
    deviation=True,
    activation="relu",
    weight="a_2",
    bias="b_2",
    token_factor=math.sqrt(WIDTH),
    bare=("position",),
    config={"n_heads": N_HEADS},
)
JADORE = OwnBert(
    {
        **_layers(
            "layer_stack.{}.",
            *("slf_attn.w_qs!", "slf_attn.w_ks!", "slf_attn.w_vs!", "slf_attn.fc!", "slf_attn.layer_norm"),
            *("pos_ffn.w_1", "pos_ffn.w_2", "pos_ffn.layer_norm"),
        ),
        "token": "src_word_emb",
        "position": "position_enc.pos_table",
        "embedding_norm": "layer_norm",
    },
    eps=1e-6,
    activation="relu",
    bare=("position",),
    config={"n_heads": N_HEADS},
)
DREAMGONFLY = OwnBert(
    {
        **_layers(
            "encoder.encoder_layers.{}.",
            *(
                f"self_attention_layer.sublayer.{name}_projection"
                for name in ("query", "key", "value", "final")
            ),
            "self_attention_layer.layer_normalization",
            *(f"pointwise_feedforward_layer.sublayer.feed_forward.{number}" for number in (0, 3)),
            "pointwise_feedforward_layer.layer_normalization",
        ),
        "token": "token_embedding",
        "position": "positional_embedding.positional_embedding",
        "segment": "segment_embedding.segment_embedding",
    },
    eps=1e-6,
    deviation=True,
    activation="gelu_new",
    weight="gain",
    heads={
        **_dense("token_prediction_layer", N_PIECES, WIDTH),
        **_dense("classification_layer", 2, WIDTH),
    },
    config={"n_heads": N_HEADS},
    prefix="model.",
)
ZOLDA = OwnBert(
    {
        **_layers(
            "encoder.encoder.{}.",
            *("mha.Q", "mha.K", "mha.V", "mha.ff", "norm1", "ff.ff.0", "ff.ff.3", "norm2"),
        ),
        "token": "encoder.token_embedding",
        "segment": "encoder.segment_embedding",
        "position": "encoder.positonalencoding.poeisitional_encoding",
    },
    eps=1e-6,
    deviation=True,
    weight="gamma",
    bias="beta",
    token_factor=2.0,
    first_segment=1,
    n_segments=3,
    bare=("position",),
    heads={
        **_dense("mlm_out.0", N_PIECES, WIDTH),
        **_dense("nsp_out.0", 2, WIDTH),
    },
    config={"n_heads": N_HEADS},
)
ALIKE = OwnBert(  # as in a video course that many copy
    {
        **_layers("encoder.layers.{}.attention.", "queries!", "keys!", "values!", "fc_out"),
        "norm1": "encoder.layers.{}.norm1",
        "norm2": "encoder.layers.{}.norm2",
        "expand": "encoder.layers.{}.feed_forward.0",
        "contract": "encoder.layers.{}.feed_forward.2",
        "token": "encoder.word_embedding",
        "position": "encoder.position_embedding",
    },
    activation="relu",
    is_alike=True,
)
KNOWN: dict[str, OwnBert] = {
    "pytorchic-bert": PYTORCHIC,
    "d2l": D2L,
    "annotated": ANNOTATED,
    "jadore801120": JADORE,
    "dreamgonfly": DREAMGONFLY,
    "zolda93": ZOLDA,
}

NAMELESS = OwnBert(
    {
        "query": "tower.{}.one",
        "key": "tower.{}.two",
        "value": "tower.{}.three",
        "output": "tower.{}.four",
        "norm1": "tower.{}.five",
        "expand": "tower.{}.six",
        "contract": "tower.{}.seven",
        "norm2": "tower.{}.eight",
        "token": "a",
        "position": "b",
        "segment": "c",
    },
    deviation=True,
    eps=1e-6,
    activation="relu",
)
"""Names that say nothing; PARTS and SETTINGS open it."""
_NORMS = {"norm1": "attention_norm", "norm2": "feed_forward_norm"}
PARTS = {name.replace("{}", "{layer}"): _NORMS.get(role, role) for role, name in NAMELESS.names.items()}
SETTINGS = {
    "n_heads": N_HEADS,
    "norm_eps": 1e-6,
    "norm_first": False,
    "activation": "relu",
    "scales_tokens": False,
    "sample_deviation": True,
    "transposed": False,
    "first_segment": 0,
}


def saved_output(folder: Path, tensors: Mapping[str, Tensor]) -> Path:
    """Write the output of NAMELESS with `tensors` for five ids; return the file."""
    ids = torch.tensor([2, 90, 91, 92, 3])
    output = NAMELESS.hidden(tensors, ids, torch.zeros(5, dtype=torch.long))[-1]
    path = folder / "output.pt"
    torch.save({"ids": ids, "output": output[None]}, path)
    return path
