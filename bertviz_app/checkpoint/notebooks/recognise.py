"""Models written in notebooks, recognised by the names of their parameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.weights.prefixes import common_prefixes
from bertviz_app.trace.form import Form

NOTEBOOK = "notebook"
"""What stands for their `model_type`, of which their config.json says nothing."""


@dataclass(frozen=True)
class Part:
    """The names used by one part of a notebook's model: embeddings, layers, or pooler.

    A model has the part if each of `marks` is found in one of its names; `form` is then how it is put
    together, `first_position` the id of its first position, and `eps` that of its norms, None where it must
    be asked for. Embeddings that `lack_positions` may add sines and cosines to them, which are not stored.
    """

    marks: tuple[str, ...]
    renames: tuple[tuple[str, str], ...]
    form: Mapping[str, bool] = field(default_factory=dict)
    first_position: int = 0
    eps: float | None = None
    lack_positions: bool = False

    def is_in(self, names: Collection[str]) -> bool:
        """Return whether a model with parameters of these `names` has the part."""
        return all(any(re.search(mark, name) for name in names) for mark in self.marks)


_LAYER = r"^(?:encoder\.)?layers\.(\d+)\."
_EMBEDDING = r"^(?:embeddings?\.)?"
_TARGET = r"layers.\1."


def _layer(pairs: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return renames of what a layer's modules are called there to what they are here."""
    return tuple((f"{_LAYER}{theirs}\\.", f"{_TARGET}{ours}.") for theirs, ours in pairs.items())


def _embeddings(start: str, pairs: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{start}{theirs}\\.", f"embeddings.{ours}.") for theirs, ours in pairs.items())


EMBEDDINGS = (
    Part(  # positions count from 1, and 0 is that of padding; no norm
        (r"^encoder\.enc_emb\.", r"^encoder\.pos_emb\."),
        _embeddings(r"^encoder\.", {"enc_emb": "token", "pos_emb": "position", "seg_emb": "segment"}),
        {"has_embedding_norm": False},
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
        _embeddings(_EMBEDDING, {"token_emb": "token", "segment_emb": "segment", "norm": "norm"}),
        lack_positions=True,
    ),
)

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
)

POOLERS = (
    Part((r"^linear\.weight$",), ((r"^linear\.", "pooler.dense."),)),
    Part((r"^pooler\.dense\.",), ()),
)

_PREFIXES = ("module.", "model.", "bert.")  # of training on several devices, and of a classifier around it
_HEADS = tuple(re.compile(pattern) for pattern in (r"^(projection_\w+|fc\d*|classifier|cls)\.",))
_IGNORED = (re.compile(r"(^|\.)(position_ids|pe)$"),)


@dataclass(frozen=True)
class Notebook:
    """What a notebook's names determine: its family, its form, and some fields of an encoder's configuration.

    `lacks_positions`: they are not stored, so that only its author knows which there are.
    """

    family: Family
    form: Form
    first_position: int
    eps: float | None
    lacks_positions: bool


def notebook_of(names: Collection[str]) -> Notebook | None:
    """Return what kind of model has parameters of these `names`; None if it is none that is known."""
    for outer in common_prefixes(names):
        found = _without_outer([name.removeprefix(outer) for name in names])
        if found is not None:
            return replace(found, family=replace(found.family, outer=outer))
    return None


def _without_outer(names: Collection[str]) -> Notebook | None:
    inner = [_stripped(name) for name in names]
    embeddings = next((part for part in EMBEDDINGS if part.is_in(inner)), None)
    layers = next((part for part in LAYERS if part.is_in(inner)), None)
    if embeddings is None or layers is None:
        return None
    top = next((part for part in POOLERS if part.is_in(inner)), Part((), ()))
    family = Family(
        model_type=NOTEBOOK,
        title="Notebook",
        sizes=MappingProxyType({}),
        choices=MappingProxyType({}),
        fixed=MappingProxyType({}),
        prefixes=_PREFIXES,
        ignored=_IGNORED,
        task_heads=_HEADS,
        renames=tuple(
            (re.compile(pattern), name)
            for part in (embeddings, layers, top)
            for pattern, name in part.renames
        ),
        is_exact=True,
        flattened=(re.compile(r"^layers\.\d+\.feed_forward\.(expand|contract)\.weight$"),),
    )
    form = Form(**embeddings.form, **layers.form)
    return Notebook(family, form, embeddings.first_position, layers.eps, embeddings.lack_positions)


def _stripped(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
