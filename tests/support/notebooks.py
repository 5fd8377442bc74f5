"""Checkpoints of notebooks and of torch's own modules, with and without heads."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
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


class _Stack(nn.Module):
    def __init__(self, layer: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layer() for _ in range(N_LAYERS))


class _Attention(nn.Module):
    """Heads whose four maps have `names` in their order: queries, keys, values, and that of the sum."""

    def __init__(self, names: str, wide: int) -> None:
        super().__init__()
        self.names = names.split()
        for name in self.names[:3]:
            self.add_module(name, nn.Linear(WIDTH, wide))
        self.add_module(self.names[3], nn.Linear(wide, WIDTH))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        *of_input, last = (self.get_submodule(name) for name in self.names)
        queries, keys, values = (linear(x) for linear in of_input)
        context, weights = attend(queries, keys, values, N_HEADS)
        return last(context), weights


# a: convolutions of kernel 1, positions from 1, heads of a width of their own


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
        self.self_attn = _Attention("W_Q W_K W_V linear", wide)
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
        self.encoder = _Stack(_LayerB)
        self.pooler = nn.ModuleDict({"dense": nn.Linear(WIDTH, WIDTH)})

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        embedded = self.embeddings(ids, segment_ids)
        return run(self.encoder.layers, [embedded], lambda x: torch.tanh(self.pooler["dense"](x[:, 0])))


# c: pre-norm, no final norm, no pooler; d: the same with sines and cosines for positions


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
        self.attn = _Attention("weight_q weight_k weight_v concat_linear", WIDTH)
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


class ModelC(NotebookModel):
    config: ClassVar[dict[str, object]] = {"n_heads": N_HEADS, "eps": 1e-5}

    def __init__(self) -> None:
        super().__init__()
        self.embedding: nn.Module = EmbeddingsC()
        self.encoder = _Stack(LayerC)

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
        self.encoder = _Stack(LayerC)

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        return run(self.encoder.layers, [self.embedding(ids)], None)


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
    answers: ClassVar[dict[str, object]] = {"norm_first": False, "activation": "relu", "scales_tokens": True}

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
    answers: ClassVar[dict[str, object]] = {"norm_first": True, "activation": "relu", "scales_tokens": False}

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
        self.input_sublayer = nn.ModuleDict({"norm": _DeviationNorm()})
        self.output_sublayer = nn.ModuleDict({"norm": _DeviationNorm()})

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.attention(self.input_sublayer["norm"](x))
        x = x + attended
        return x + self.feed_forward(self.output_sublayer["norm"](x)), weights


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


class WithHeads(NotebookModel):
    """A model with task heads beside `bert`; `logits` has what they make of its output."""

    kind = "a"

    def __init__(self) -> None:
        super().__init__()
        self.bert = KINDS[self.kind]()

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        output = self.bert(ids, segment_ids)
        assert isinstance(output, Output)
        return output

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return [1, N] of each task head, [1, T, V] of masked tokens."""
        raise NotImplementedError


class Pretrained(WithHeads):
    """The two heads of pre-training; "it follows" is output 1."""

    config: ClassVar[dict[str, object]] = KINDS["a"].config
    answers: ClassVar[dict[str, object]] = {"follows": 1}

    def __init__(self) -> None:
        super().__init__()
        self.projection_cls = nn.Linear(WIDTH, 2, bias=False)
        self.projection_lm = nn.Linear(WIDTH, N_PIECES, bias=False)

    def logits(self, output: Output) -> dict[str, Tensor]:
        assert output.pooled is not None
        of_pair = self.projection_cls(output.pooled)
        return {"next_sentence": of_pair.flip(-1), "masked": self.projection_lm(output.hidden[-1])}


class OfPooled(WithHeads):
    """A classifier of the pooled vector, with names for its classes."""

    kind = "b"
    config: ClassVar[dict[str, object]] = KINDS["b"].config
    answers: ClassVar[dict[str, object]] = {"labels": ["bad", "fair", "good"]}

    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Linear(WIDTH, 3)

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.classifier(output.pooled)}


class OfPooledWithoutPretraining(WithHeads):
    """The name of a head for next sentences, here of classes: there is none for masked tokens."""

    config: ClassVar[dict[str, object]] = KINDS["a"].config

    def __init__(self) -> None:
        super().__init__()
        self.projection_cls = nn.Linear(WIDTH, 2, bias=False)

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.projection_cls(output.pooled)}


class TwoLayers(WithHeads):
    """Two dense layers of the mean of all tokens."""

    kind = "c"
    config: ClassVar[dict[str, object]] = KINDS["c"].config
    answers: ClassVar[dict[str, object]] = {"classifier_reads": "mean", "classifier_activation": "relu"}

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(WIDTH, 20)
        self.fc2 = nn.Linear(20, 5)

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.fc2(torch.relu(self.fc1(output.hidden[-1].mean(1))))}


class InSequence(WithHeads):
    """A `torch.nn.Sequential` of the first token."""

    kind = "c"
    config: ClassVar[dict[str, object]] = KINDS["c"].config
    answers: ClassVar[dict[str, object]] = {"classifier_reads": "first", "classifier_activation": "tanh"}

    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Sequential(
            nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Dropout(0.1), nn.Linear(WIDTH, 4)
        )

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.classifier(output.hidden[-1][:, 0])}


class OfTokens(ModelOfTokens):
    """Tokens alone, their mean, and one dense layer."""

    config: ClassVar[dict[str, object]] = {"n_heads": N_HEADS, "eps": 1e-5}
    answers: ClassVar[dict[str, object]] = {"positions": "none", "classifier_reads": "mean"}

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(WIDTH, 2)

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return [1, N] of the classes."""
        return {"classes": self.fc(output.hidden[-1].mean(1))}


class OfTorch(ModelTorch):
    """A head for masked tokens, and a classifier of the largest numbers."""

    answers: ClassVar[dict[str, object]] = {**ModelTorch.answers, "classifier_reads": "max"}

    def __init__(self) -> None:
        super().__init__()
        self.decoder = nn.Linear(WIDTH, N_PIECES)
        self.fc = nn.Linear(WIDTH, 3)

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return the logits of both."""
        last = output.hidden[-1]
        return {"masked": self.decoder(last), "classes": self.fc(last.max(1).values)}


class OfCodertimo(ModelCodertimo):
    """Its own two heads of the first token and of all tokens; "it follows" is output 1."""

    def __init__(self) -> None:
        super().__init__()
        self.next_sentence = nn.ModuleDict({"linear": nn.Linear(WIDTH, 2)})
        self.mask_lm = nn.ModuleDict({"linear": nn.Linear(WIDTH, N_PIECES)})

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return the logits of both."""
        last = output.hidden[-1]
        return {
            "next_sentence": self.next_sentence["linear"](last[:, 0]).flip(-1),
            "masked": self.mask_lm["linear"](last),
        }


HeadedModel = WithHeads | OfTokens | OfTorch | OfCodertimo
HEADED: dict[str, type[HeadedModel]] = {
    "a, pre-training": Pretrained,
    "a, classes": OfPooledWithoutPretraining,
    "b, classes": OfPooled,
    "c, two layers": TwoLayers,
    "c, in sequence": InSequence,
    "tokens alone, classes": OfTokens,
    "torch": OfTorch,
    "codertimo": OfCodertimo,
}


def random_headed(name: str, seed: int = 0) -> HeadedModel:
    """Return the model `name`, every parameter drawn."""
    model = HEADED[name]()
    drawn(model, seed)
    return model
