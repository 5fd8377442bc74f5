"""Encoders as notebooks write them, each in its own words: random weights, and their own forward pass."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.support.checkpoints import vocabulary

N_PIECES, N_POSITIONS, N_LAYERS, N_HEADS, WIDTH, INNER = len(vocabulary()), 40, 3, 4, 32, 48


class Output(NamedTuple):
    """What a model's own forward gave for one sequence."""

    hidden: list[Tensor]  # L + 1 of [B, T, D]
    attention: list[Tensor]  # L of [B, H, T, T]
    pooled: Tensor | None  # [B, D]


class NotebookModel(nn.Module):
    """A model of a notebook: `config` is in its config.json, `answers` is what the user must add."""

    config: ClassVar[dict[str, object]]
    answers: ClassVar[dict[str, object]] = {}

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        """Return what the notebook's own forward computes."""
        raise NotImplementedError


def attend(queries: Tensor, keys: Tensor, values: Tensor, n_heads: int) -> tuple[Tensor, Tensor]:
    """Return (context [B, T, H * E], weights [B, H, T, T]) of queries, keys and values [B, T, H * E]."""
    n_inputs, n_tokens, wide = queries.shape
    q, k, v = (
        x.view(n_inputs, n_tokens, n_heads, wide // n_heads).transpose(1, 2) for x in (queries, keys, values)
    )
    weights = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(wide // n_heads), -1)
    return torch.matmul(weights, v).transpose(1, 2).reshape(n_inputs, n_tokens, wide), weights


# a: convolutions of kernel 1, positions from 1, heads of a width of their own


class _AttentionA(nn.Module):
    def __init__(self, wide: int) -> None:
        super().__init__()
        self.W_Q = nn.Linear(WIDTH, wide)
        self.W_K = nn.Linear(WIDTH, wide)
        self.W_V = nn.Linear(WIDTH, wide)
        self.linear = nn.Linear(wide, WIDTH)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        context, weights = attend(self.W_Q(x), self.W_K(x), self.W_V(x), N_HEADS)
        return self.linear(context), weights


class _FeedForwardA(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(WIDTH, INNER, 1)
        self.conv2 = nn.Conv1d(INNER, WIDTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv2(functional.gelu(self.conv1(x.transpose(1, 2)))).transpose(1, 2)
        return out


class _LayerA(nn.Module):
    def __init__(self, wide: int) -> None:
        super().__init__()
        self.self_attn = _AttentionA(wide)
        self.layer_norm1 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.pos_ffn = _FeedForwardA()
        self.layer_norm2 = nn.LayerNorm(WIDTH, eps=1e-6)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.self_attn(x)
        x = self.layer_norm1(x + attended)
        return self.layer_norm2(self.pos_ffn(x) + x), weights


class _EncoderA(nn.Module):
    def __init__(self, wide: int) -> None:
        super().__init__()
        self.enc_emb = nn.Embedding(N_PIECES, WIDTH)
        self.pos_emb = nn.Embedding(N_POSITIONS + 1, WIDTH)
        self.seg_emb = nn.Embedding(2, WIDTH)
        self.layers = nn.ModuleList(_LayerA(wide) for _ in range(N_LAYERS))


class ModelA(NotebookModel):
    config: ClassVar[dict[str, object]] = {
        "n_enc_vocab": N_PIECES,
        "n_enc_seq": N_POSITIONS,
        "n_seg_type": 2,
        "n_layer": N_LAYERS,
        "d_hidn": WIDTH,
        "i_pad": 0,
        "d_ff": INNER,
        "n_head": N_HEADS,
        "d_head": 6,
        "dropout": 0.1,
        "layer_norm_epsilon": 1e-6,
    }

    def __init__(self) -> None:
        super().__init__()
        self.encoder = _EncoderA(N_HEADS * 6)
        self.linear = nn.Linear(WIDTH, WIDTH)

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        positions = (torch.arange(ids.shape[1]) + 1).expand_as(ids).masked_fill(ids.eq(0), 0)
        inner = self.encoder
        hidden = [inner.enc_emb(ids) + inner.pos_emb(positions) + inner.seg_emb(segment_ids)]
        return run(inner.layers, hidden, lambda x: torch.tanh(self.linear(x[:, 0])))


# b: the residual comes before the projection of the attention


class _LayerB(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.ModuleDict({name: nn.Linear(WIDTH, WIDTH) for name in ("query", "key", "value")})
        self.attention_output = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Dropout(0.1), nn.LayerNorm(WIDTH))
        self.intermediate = nn.Sequential(nn.Linear(WIDTH, INNER), nn.GELU())
        self.output = nn.Sequential(nn.Linear(INNER, WIDTH), nn.Dropout(0.1), nn.LayerNorm(WIDTH))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        queries, keys, values = (self.attention[name](x) for name in ("query", "key", "value"))
        context, weights = attend(queries, keys, values, N_HEADS)
        x = self.attention_output(context + x)
        return self.output[2](self.output[0](self.intermediate(x)) + x), weights


class _EmbeddingsB(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(N_PIECES, WIDTH)
        self.position_embeddings = nn.Embedding(N_POSITIONS, WIDTH)
        self.token_type_embeddings = nn.Embedding(2, WIDTH)
        self.LayerNorm = nn.LayerNorm(WIDTH)

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        position_vectors = self.position_embeddings(torch.arange(ids.shape[1]))
        out: Tensor = self.LayerNorm(
            self.word_embeddings(ids) + position_vectors + self.token_type_embeddings(segment_ids)
        )
        return out


class ModelB(NotebookModel):
    config: ClassVar[dict[str, object]] = {
        "vocab_size": N_PIECES,
        "max_position_embeddings": N_POSITIONS,
        "type_vocab_size": 2,
        "num_hidden_layers": N_LAYERS,
        "num_attention_heads": N_HEADS,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    }

    def __init__(self) -> None:
        super().__init__()
        self.embeddings = _EmbeddingsB()
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(_LayerB() for _ in range(N_LAYERS))
        self.pooler = nn.Module()
        self.pooler.dense = nn.Linear(WIDTH, WIDTH)

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        layers, dense = self.encoder.layers, self.pooler.dense
        assert isinstance(layers, nn.ModuleList)
        assert isinstance(dense, nn.Linear)
        return run(layers, [self.embeddings(ids, segment_ids)], lambda x: torch.tanh(dense(x[:, 0])))


# c: pre-norm, no final norm, no pooler; d: the same with sines and cosines for positions


class _AttentionC(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight_q = nn.Linear(WIDTH, WIDTH)
        self.weight_k = nn.Linear(WIDTH, WIDTH)
        self.weight_v = nn.Linear(WIDTH, WIDTH)
        self.concat_linear = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        context, weights = attend(self.weight_q(x), self.weight_k(x), self.weight_v(x), N_HEADS)
        return self.concat_linear(context), weights


class _FeedForwardC(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear1 = nn.Linear(WIDTH, INNER)
        self.linear2 = nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.linear2(functional.gelu(self.linear1(self.norm(x))))
        return out


class LayerC(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attn = _AttentionC()
        self.norm = nn.LayerNorm(WIDTH)
        self.feed_forward = _FeedForwardC()

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.attn(self.norm(x))
        return self.feed_forward(x + attended), weights


class EmbeddingsC(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(N_PIECES, WIDTH)
        self.segment = nn.Embedding(3, WIDTH)
        self.position = nn.Embedding(N_POSITIONS, WIDTH)
        self.layer_norm = nn.LayerNorm(WIDTH)

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        position_vectors = self.position(torch.arange(ids.shape[1]))
        out: Tensor = self.layer_norm(self.token(ids) + self.segment(segment_ids) + position_vectors)
        return out


class EmbeddingsD(nn.Module):
    def __init__(self, *, by_column: bool = False) -> None:
        super().__init__()
        self.by_column = by_column
        self.token_emb = nn.Embedding(N_PIECES, WIDTH)
        self.segment_emb = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        table = torch.zeros(ids.shape[1], WIDTH)
        for position in range(ids.shape[1]):
            for column in range(WIDTH):
                exponent = 2 * column / WIDTH if self.by_column else 2 * (column // 2) / WIDTH
                angle = position / 10000**exponent
                table[position, column] = math.cos(angle) if column % 2 else math.sin(angle)
        out: Tensor = self.norm(self.token_emb(ids) + self.segment_emb(segment_ids) + table)
        return out


class StackC(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(LayerC() for _ in range(N_LAYERS))


class ModelC(NotebookModel):
    config: ClassVar[dict[str, object]] = {"n_heads": N_HEADS, "eps": 1e-5}

    def __init__(self) -> None:
        super().__init__()
        self.embedding: nn.Module = EmbeddingsC()
        self.encoder = StackC()

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        return run(self.encoder.layers, [self.embedding(ids, segment_ids)], None)


class ModelD(ModelC):
    answers: ClassVar[dict[str, object]] = {"positions": "textbook"}

    def __init__(self) -> None:
        super().__init__()
        self.embedding = EmbeddingsD()


class ModelDByColumn(ModelC):
    answers: ClassVar[dict[str, object]] = {"positions": "columns"}

    def __init__(self) -> None:
        super().__init__()
        self.embedding = EmbeddingsD(by_column=True)


KINDS: dict[str, type[NotebookModel]] = {
    "a": ModelA,
    "b": ModelB,
    "c": ModelC,
    "d": ModelD,
    "d-columns": ModelDByColumn,
}


def random_notebook(kind: str, seed: int = 0) -> NotebookModel:
    """Return the model of a `kind`, every parameter drawn, wide enough that heads attend sharply."""
    return drawn(KINDS[kind](), seed)


def drawn(model: NotebookModel, seed: int = 0) -> NotebookModel:
    """Return `model` with every parameter drawn, wide enough that heads attend sharply."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for module in model.modules():
            for name, parameter in module.named_parameters(recurse=False):
                is_gain = (isinstance(module, nn.LayerNorm) and name == "weight") or name == "a_2"
                fan = parameter.shape[1] if parameter.dim() > 1 else 0
                width = 1.2 * fan**-0.5 if fan else 0.2
                parameter.copy_(float(is_gain) + width * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def write_notebook(
    folder: Path,
    model: NotebookModel,
    *,
    config: dict[str, object] | None = None,
    prefix: str = "",
    name: str = "model.pt",
) -> Path:
    """Save `model` to `folder` as notebooks do, with vocab.txt and a config.json: `config`, or all.

    In the second case the answers to what they leave open are there, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({prefix + key: tensor for key, tensor in model.state_dict().items()}, folder / name)
    settings = {**model.config, "do_lower_case": True} if config is None else config
    if config is None and model.answers:
        (folder / "bertviz_app.json").write_text(json.dumps(model.answers), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary()), encoding="utf-8")
    return folder


def run(layers: nn.ModuleList, hidden: list[Tensor], pooler: object) -> Output:
    attention = []
    for layer in layers:
        x, weights = layer(hidden[-1])
        hidden.append(x)
        attention.append(weights)
    return Output(hidden, attention, pooler(hidden[-1]) if callable(pooler) else None)
