"""Notebooks built from `torch.nn.TransformerEncoder`, or without positions, and codertimo's BERT-pytorch."""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from tests.support.notebooks import (
    INNER,
    KINDS,
    N_HEADS,
    N_LAYERS,
    N_PIECES,
    N_POSITIONS,
    WIDTH,
    EmbeddingsC,
    EmbeddingsD,
    LayerC,
    NotebookModel,
    Output,
    attend,
    drawn,
    run,
)


def _sinusoids(n_positions: int) -> Tensor:
    """Return [N, D] as the tutorials of PyTorch compute it."""
    table = torch.zeros(n_positions, WIDTH)
    positions = torch.arange(n_positions).float().unsqueeze(1)
    factors = (torch.arange(0, WIDTH, 2).float() * -(math.log(10000.0) / WIDTH)).exp()
    table[:, 0::2], table[:, 1::2] = torch.sin(positions * factors), torch.cos(positions * factors)
    return table


# tokens alone, under layers of kind c


class ModelOfTokens(NotebookModel):
    """No positions and no segments."""

    config: ClassVar[dict[str, object]] = {"n_heads": N_HEADS, "eps": 1e-5}
    answers: ClassVar[dict[str, object]] = {"positions": "none"}

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(N_PIECES, WIDTH)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(LayerC() for _ in range(N_LAYERS))

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        layers = self.encoder.layers
        assert isinstance(layers, nn.ModuleList)
        return run(layers, [self.embedding(ids)], None)


# torch's own encoder


class _StoredPositions(nn.Module):
    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pe", _sinusoids(N_POSITIONS).unsqueeze(1))  # [N, 1, D], as in the tutorial

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.shape[1], 0]


class _TorchModel(NotebookModel):
    """Embeddings under a `torch.nn.TransformerEncoder`."""

    def __init__(self, *, norm_first: bool, activation: str, has_last_norm: bool, bias: bool = True) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            WIDTH, N_HEADS, INNER, activation=activation, batch_first=True, norm_first=norm_first, bias=bias
        )
        norm = nn.LayerNorm(WIDTH, bias=bias) if has_last_norm else None
        self.encoder = nn.TransformerEncoder(layer, N_LAYERS, norm=norm, enable_nested_tensor=False)

    def embedded(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        x = self.embedded(ids, segment_ids)
        last = self.encoder(x)
        hidden, attention = [x], []
        for layer in self.encoder.layers:
            assert isinstance(layer, nn.TransformerEncoderLayer)
            read = layer.norm1(x) if layer.norm_first else x
            attention.append(layer.self_attn(read, read, read, average_attn_weights=False)[1])
            x = layer(x)
            hidden.append(x)
        return Output([*hidden[:-1], last], attention, None)


class ModelTorch(_TorchModel):
    """As PyTorch's tutorial: scaled token embeddings, stored sines and cosines, norms after the sums."""

    config: ClassVar[dict[str, object]] = {"nhead": N_HEADS, "norm_eps": 1e-5}
    answers: ClassVar[dict[str, object]] = {
        "norm_first": False,
        "activation": "relu",
        "scales_tokens": True,
    }

    def __init__(self) -> None:
        super().__init__(norm_first=False, activation="relu", has_last_norm=False)
        self.embedding = nn.Embedding(N_PIECES, WIDTH)
        self.pos_encoder = _StoredPositions()

    def embedded(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        embedded: Tensor = self.pos_encoder(self.embedding(ids) * math.sqrt(WIDTH))
        return embedded


class ModelTorchNormFirst(_TorchModel):
    """The embeddings of kind c, norms before the parts, and a last norm."""

    config: ClassVar[dict[str, object]] = {"num_heads": N_HEADS, "eps": 1e-5}
    answers: ClassVar[dict[str, object]] = {"norm_first": True, "activation": "gelu"}

    def __init__(self) -> None:
        super().__init__(norm_first=True, activation="gelu", has_last_norm=True)
        self.embedding = EmbeddingsC()

    def embedded(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        embedded: Tensor = self.embedding(ids, segment_ids)
        return embedded


class ModelTorchTwoNorms(_TorchModel):
    """Computed positions, norms after the sums, and one more norm after the last layer."""

    config: ClassVar[dict[str, object]] = {"num_heads": N_HEADS, "eps": 1e-5, "norm_first": False}
    answers: ClassVar[dict[str, object]] = {"activation": "gelu", "positions": "columns"}

    def __init__(self) -> None:
        super().__init__(norm_first=False, activation="gelu", has_last_norm=True)
        self.embedding = EmbeddingsD(by_column=True)

    def embedded(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        embedded: Tensor = self.embedding(ids, segment_ids)
        return embedded


class ModelTorchWithoutBiases(_TorchModel):
    """Learned positions beside the tokens, and no biases."""

    config: ClassVar[dict[str, object]] = {"num_heads": N_HEADS, "eps": 1e-5}
    answers: ClassVar[dict[str, object]] = {
        "norm_first": True,
        "activation": "relu",
        "scales_tokens": False,
    }

    def __init__(self) -> None:
        super().__init__(norm_first=True, activation="relu", has_last_norm=False, bias=False)
        self.token_embedding = nn.Embedding(N_PIECES, WIDTH)
        self.pos_embedding = nn.Embedding(N_POSITIONS, WIDTH)
        self.segment_embedding = nn.Embedding(2, WIDTH)

    def embedded(self, ids: Tensor, segment_ids: Tensor) -> Tensor:
        position_vectors = self.pos_embedding(torch.arange(ids.shape[1]))
        embedded: Tensor = self.token_embedding(ids) + position_vectors + self.segment_embedding(segment_ids)
        return embedded


# codertimo's BERT-pytorch


class _DeviationNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(WIDTH))
        self.b_2 = nn.Parameter(torch.zeros(WIDTH))
        self.eps = 1e-6

    def forward(self, x: Tensor) -> Tensor:
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


class _Sublayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = _DeviationNorm()


class _HeadsOfCodertimo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear_layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.output_linear = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        queries, keys, values = (layer(x) for layer in self.linear_layers)
        context, weights = attend(queries, keys, values, N_HEADS)
        return self.output_linear(context), weights


class _FeedForwardOfCodertimo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w_1 = nn.Linear(WIDTH, INNER)
        self.w_2 = nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        wide = self.w_1(x)
        inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * torch.pow(wide, 3))
        active = 0.5 * wide * (1 + torch.tanh(inner))
        out: Tensor = self.w_2(active)
        return out


class _BlockOfCodertimo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = _HeadsOfCodertimo()
        self.feed_forward = _FeedForwardOfCodertimo()
        self.input_sublayer = _Sublayer()
        self.output_sublayer = _Sublayer()

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.attention(self.input_sublayer.norm(x))
        x = x + attended
        return x + self.feed_forward(self.output_sublayer.norm(x)), weights


class _Positions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pe", _sinusoids(N_POSITIONS).unsqueeze(0))  # [1, N, D]


class _EmbeddingOfCodertimo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(N_PIECES, WIDTH, padding_idx=0)
        self.position = _Positions()
        self.segment = nn.Embedding(3, WIDTH, padding_idx=0)

    def forward(self, ids: Tensor, segment_labels: Tensor) -> Tensor:
        table = self.position.pe
        assert isinstance(table, Tensor)
        out: Tensor = self.token(ids) + table[:, : ids.shape[1]] + self.segment(segment_labels)
        return out


class _BertOfCodertimo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = _EmbeddingOfCodertimo()
        self.transformer_blocks = nn.ModuleList(_BlockOfCodertimo() for _ in range(N_LAYERS))


class ModelCodertimo(NotebookModel):
    """Its segment labels are 1 and 2; 0 is padding."""

    config: ClassVar[dict[str, object]] = {"attn_heads": N_HEADS}

    def __init__(self) -> None:
        super().__init__()
        self.bert = _BertOfCodertimo()

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        assert segment_ids.min() == 1
        return run(self.bert.transformer_blocks, [self.bert.embedding(ids, segment_ids)], None)


TORCH_KINDS: dict[str, type[NotebookModel]] = {
    "tokens alone": ModelOfTokens,
    "torch": ModelTorch,
    "torch, norm first": ModelTorchNormFirst,
    "torch, two norms": ModelTorchTwoNorms,
    "torch, no biases": ModelTorchWithoutBiases,
    "codertimo": ModelCodertimo,
}
ALL_KINDS: dict[str, type[NotebookModel]] = KINDS | TORCH_KINDS


def random_notebook(kind: str, seed: int = 0) -> NotebookModel:
    """Return the model of any `kind`, every parameter drawn."""
    return drawn(ALL_KINDS[kind](), seed)
