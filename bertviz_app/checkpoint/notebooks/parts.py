"""The parts that models in notebooks are made of, as tables of names: embeddings, layers, poolers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from bertviz_app.checkpoint.questions import ClassifierInput


@dataclass(frozen=True)
class Part:
    """The names used by one part of a notebook's model: embeddings, layers, or pooler.

    A model has the part if each of `marks` is found in one of its names; `form` is then how it is put
    together. `first_position` and `first_segment` are the ids that its code begins with, `eps` and
    `activation` what its code fixes: None where the configuration or the user has them. `questions` are
    those that its files always leave open.
    """

    marks: tuple[str, ...]
    renames: tuple[tuple[str, str], ...]
    form: Mapping[str, bool] = field(default_factory=dict)
    first_position: int = 0
    first_segment: int = 0
    eps: float | None = None
    activation: str | None = None
    questions: tuple[str, ...] = ()
    classifier_reads: ClassifierInput | None = None  # by its own code
    follows: int | None = None

    def is_in(self, names: Collection[str]) -> bool:
        """Return whether a model with parameters of these `names` has the part."""
        return all(any(re.search(mark, name) for name in names) for mark in self.marks)


_LAYER = r"^(?:encoder\.)?layers\.(\d+)\."
_EMBEDDING = r"^(?:embeddings?\.)?"
_TARGET = r"layers.\1."
_ANYWHERE = r"^(?:[\w.]+\.)?"
_TORCH = _ANYWHERE + r"layers\.(\d+)\."
_BLOCK = r"^transformer_blocks\.(\d+)\."
_TABLE = r"_?(?:embeddings?|embed|emb)\."

STORED_SINUSOIDS = (_ANYWHERE + r"pe$", "embeddings.position.weight")
"""Positions that are computed once and stored with the weights: [N, D], [1, N, D] or [N, 1, D]."""


def _layer(pairs: Mapping[str, str], start: str = _LAYER) -> tuple[tuple[str, str], ...]:
    """Return renames of what a layer's modules are called there to what they are here."""
    return tuple((f"{start}{theirs}\\.", f"{_TARGET}{ours}.") for theirs, ours in pairs.items())


def _embeddings(start: str, pairs: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{start}{theirs}\\.", f"embeddings.{ours}.") for theirs, ours in pairs.items())


EMBEDDINGS = (
    Part(  # positions count from 1, and 0 is that of padding; no norm
        (r"^encoder\.enc_emb\.", r"^encoder\.pos_emb\."),
        _embeddings(r"^encoder\.", {"enc_emb": "token", "pos_emb": "position", "seg_emb": "segment"}),
        first_position=1,
    ),
    Part(
        (r"^embeddings\.word_embeddings\.", r"^embeddings\.position_embeddings\."),
        _embeddings(
            r"^embeddings\.",
            {
                "word_embeddings": "token",
                "position_embeddings": "position",
                "token_type_embeddings": "segment",
                "LayerNorm": "norm",
            },
        ),
    ),
    Part(
        (_EMBEDDING + r"token\.", _EMBEDDING + r"position\.", _EMBEDDING + r"layer_norm\."),
        _embeddings(
            _EMBEDDING,
            {"token": "token", "segment": "segment", "position": "position", "layer_norm": "norm"},
        ),
    ),
    Part(
        (_EMBEDDING + r"token_emb\.", _EMBEDDING + r"norm\."),
        _embeddings(
            _EMBEDDING,
            {
                "token_emb": "token",
                "segment_emb": "segment",
                r"pos(?:ition)?_emb": "position",
                "norm": "norm",
            },
        ),
    ),
    Part(  # codertimo's: segment 0 is that of padding; no norm
        (_EMBEDDING + r"token\.", _EMBEDDING + r"position\.pe$"),
        _embeddings(_EMBEDDING, {"token": "token", "segment": "segment"}),
        first_segment=1,
    ),
    Part(
        (_ANYWHERE + rf"(?:tok(?:en)?|word)?{_TABLE}weight$",),
        (
            (_ANYWHERE + rf"(?:tok(?:en)?|word)?{_TABLE}weight$", "embeddings.token.weight"),
            (_ANYWHERE + rf"(?:pos|position|positional){_TABLE}weight$", "embeddings.position.weight"),
            (_ANYWHERE + rf"(?:seg|segment|token_type){_TABLE}weight$", "embeddings.segment.weight"),
            (_ANYWHERE + r"(?:embeddings?|embed|emb)_(?:layer_?)?norm\.", "embeddings.norm."),
        ),
        questions=("scales_tokens",),
    ),
)
"""The first that a model has is its own."""

LAYERS = (
    Part(
        (_LAYER + r"self_attn\.W_Q\.", _LAYER + r"pos_ffn\.conv1\."),
        _layer(
            {
                r"self_attn\.W_Q": "attention.query",
                r"self_attn\.W_K": "attention.key",
                r"self_attn\.W_V": "attention.value",
                r"self_attn\.linear": "attention.output",
                "layer_norm1": "attention_norm",
                r"pos_ffn\.conv1": "feed_forward.expand",
                r"pos_ffn\.conv2": "feed_forward.contract",
                "layer_norm2": "feed_forward_norm",
            }
        ),
    ),
    Part(  # the norms have torch's own epsilon, whatever the configuration says of BERT's
        (_LAYER + r"attention\.query\.", _LAYER + r"attention_output\.0\."),
        _layer(
            {
                r"attention\.query": "attention.query",
                r"attention\.key": "attention.key",
                r"attention\.value": "attention.value",
                r"attention_output\.0": "attention.output",
                r"attention_output\.2": "attention_norm",
                r"intermediate(?:\.(?:0|dense))?": "feed_forward.expand",
                r"output\.0": "feed_forward.contract",
                r"output\.2": "feed_forward_norm",
            }
        ),
        {"adds_before_projection": True},
        eps=1e-5,
    ),
    Part(
        (_LAYER + r"attn\.weight_q\.", _LAYER + r"feed_forward\.linear1\."),
        _layer(
            {
                r"attn\.weight_q": "attention.query",
                r"attn\.weight_k": "attention.key",
                r"attn\.weight_v": "attention.value",
                r"attn\.concat_linear": "attention.output",
                r"norm": "attention_norm",
                r"feed_forward\.linear1": "feed_forward.expand",
                r"feed_forward\.linear2": "feed_forward.contract",
                r"feed_forward\.norm": "feed_forward_norm",
            }
        ),
        {"is_pre_norm": True},
    ),
    Part(  # torch.nn.TransformerEncoder
        (_TORCH + r"self_attn\.in_proj_weight$", _TORCH + r"linear1\."),
        (
            (_TORCH + r"self_attn\.in_proj_(weight|bias)$", rf"{_TARGET}attention.in_proj.\2"),
            *_layer(
                {
                    r"self_attn\.out_proj": "attention.output",
                    "linear1": "feed_forward.expand",
                    "linear2": "feed_forward.contract",
                    "norm1": "attention_norm",
                    "norm2": "feed_forward_norm",
                },
                _TORCH,
            ),
        ),
        questions=("norm_first", "activation"),
    ),
    Part(  # codertimo's BERT-pytorch
        (_BLOCK + r"attention\.linear_layers\.0\.", _BLOCK + r"input_sublayer\.norm\.a_2$"),
        (
            *_layer(
                {
                    r"attention\.linear_layers\.0": "attention.query",
                    r"attention\.linear_layers\.1": "attention.key",
                    r"attention\.linear_layers\.2": "attention.value",
                    r"attention\.output_linear": "attention.output",
                    r"feed_forward\.w_1": "feed_forward.expand",
                    r"feed_forward\.w_2": "feed_forward.contract",
                    r"input_sublayer\.norm": "attention_norm",
                    r"output_sublayer\.norm": "feed_forward_norm",
                },
                _BLOCK,
            ),
            (r"_norm\.a_2$", "_norm.weight"),
            (r"_norm\.b_2$", "_norm.bias"),
        ),
        {"is_pre_norm": True, "norms_by_deviation": True},
        eps=1e-6,
        activation="gelu_new",
        classifier_reads="first",
        follows=1,
    ),
)

POOLERS = (
    Part((r"^linear\.weight$", r"^encoder\.enc_emb\."), ((r"^linear\.", "pooler.dense."),)),
    Part((r"^pooler\.dense\.",), ()),
)

STACK = re.compile(r"^((?:[\w.]+\.)?)layers\.0\.self_attn\.in_proj_weight$")
"""The first tensor of a `torch.nn.TransformerEncoder`; its last norm begins like this up to `layers`."""
DECODER = re.compile(r"\.multihead_attn\.in_proj_weight$")
"""A tensor that only `torch.nn.TransformerDecoder` has."""
