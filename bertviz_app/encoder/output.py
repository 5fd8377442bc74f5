"""The modules on top of an encoder: the pooler, the task heads, and the vector of a sentence."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bertviz_app.encoder.config import DenseHeadConfig, EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.dense import UNTAPPED, Dense, LayerTap, activation
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point
from bertviz_app.trace.provenance import Logits, Meaning
from bertviz_app.types import Floats
from bertviz_app.values import dataclass


class DenseHead(nn.Module):
    """One dense layer after the other, with an activation between them, of what `config.reads` names."""

    def __init__(self, encoder: EncoderConfig, config: DenseHeadConfig) -> None:
        super().__init__()
        sizes = zip((encoder.width, *config.widths[:-1]), config.widths, config.biases, strict=True)
        self.layers = nn.ModuleList(Dense(given, made, bias=bias) for given, made, bias in sizes)
        self.activation = None if config.activation is None else activation(config.activation)
        self.reads, self.reverses = config.reads, config.reverses

    def forward(self, hidden: Tensor, pooled: Tensor | None, seen: Tensor | None = None) -> Tensor:
        """Return logits [B, N], of tokens [B, T, N], for the last hidden state [B, T, D].

        `pooled` [B, D] is the pooled vector; `seen`, bool [B, T], is False for padding.
        """
        x = hidden[:, 0] if self.reads == "first" else hidden  # [B, D] or [B, T, D]
        if self.reads == "pooled":
            assert pooled is not None
            x = pooled
        elif self.reads == "mean":
            x = mean_of_tokens(hidden, seen)
        elif self.reads == "max":
            x = (hidden if seen is None else hidden.masked_fill(~seen[..., None], -float("inf"))).amax(1)
        for number, layer in enumerate(self.layers):
            x = layer(x if number == 0 or self.activation is None else self.activation(x))
        return x.flip(-1) if self.reverses else x


def mean_of_tokens(hidden: Tensor, seen: Tensor | None) -> Tensor:
    """Return the mean [B, D] of the hidden states [B, T, D] of all tokens that are no padding."""
    if seen is None:
        return hidden.mean(1)
    shares = seen / seen.sum(1, keepdim=True)  # [B, T]
    return (hidden * shares[..., None]).sum(1)


class Pooler(nn.Module):
    """The pooled vector of an input: the last hidden state of [CLS] through a dense layer and tanh."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Dense(config.width, config.width)

    def forward(self, hidden: Tensor, tap: LayerTap = UNTAPPED) -> Tensor:
        """Return [B, D] in (-1, 1) for the last hidden state [B, T, D]."""
        dense = tap(Point.POOLER_DENSE, self.dense(hidden[:, 0]))  # [B, D], of [CLS]
        return tap(Point.POOLED, dense.tanh())  # [B, D]


class MaskedHead(nn.Module):
    """Predicts masked tokens: a dense layer, a norm, and a product with the embedding of every piece.

    Where these embeddings are narrower than the hidden states, a table of the head has the other columns.
    """

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig) -> None:
        super().__init__()
        width = config.embedding_width or config.width  # W
        self.dense = Dense(config.width, width, bias=heads.has_dense_bias)
        self.activation = activation(heads.masked_activation)
        self.norm = nn.LayerNorm(width, eps=config.norm_eps, bias=heads.has_norm_bias)
        pieces, kind = config.vocabulary_size, config.token_projection
        narrow = width if kind is None else kind.width
        self.decoder = Dense(narrow, pieces, bias=heads.has_decoder_bias)
        self.rest = None
        if heads.multiplies_rest and kind is not None:
            self.rest = nn.Linear(pieces, max(0, width - narrow), bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return logits [B, T, V] for the last hidden state [B, T, D]."""
        x: Tensor = self.norm(self.activation(self.dense(hidden)))  # [B, T, W]
        if self.rest is None:
            logits: Tensor = self.decoder(x)
            return logits
        width = self.decoder.in_features
        narrow: Tensor = self.decoder(x[..., :width])  # [B, T, V]
        return narrow + x[..., width:] @ self.rest.weight


class OutputHead(nn.Module):
    """Makes N numbers of vectors of the width D.

    With an activation of this `name` a dense layer of its own comes first, and in some families a norm.
    """

    def __init__(
        self, config: EncoderConfig, heads: TaskHeadsConfig, n_outputs: int, name: str | None, *, norms: bool
    ) -> None:
        super().__init__()
        width, eps = config.width, config.norm_eps
        self.dense = None if name is None else Dense(width, width, bias=heads.has_dense_bias)
        self.activation = None if name is None else activation(name)
        self.norm = nn.LayerNorm(width, eps=eps, bias=heads.has_norm_bias) if norms else None
        self.output = Dense(width, n_outputs)

    def logits(self, x: Tensor) -> Tensor:
        """Return logits [..., N] for vectors [..., D]."""
        if self.dense is not None and self.activation is not None:
            x = self.activation(self.dense(x))  # [..., D]
            x = x if self.norm is None else self.norm(x)  # [..., D]
        logits: Tensor = self.output(x)
        return logits


class TokenHead(OutputHead):
    """Predicts N numbers of each token: of its labels, or whether it was replaced, or begins an answer."""

    def forward(self, hidden: Tensor) -> Tensor:
        """Return logits [B, T, N] for the last hidden state [B, T, D]."""
        return self.logits(hidden)


class Classifier(OutputHead):
    """Predicts the class of an input from the pooled vector, or through a dense layer of its own.

    That layer reads [CLS] or the mean of all tokens; in some families a norm follows it.
    """

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig) -> None:
        name = heads.classifier_activation
        norms = name is not None and heads.norms_classes
        super().__init__(config, heads, heads.n_classes, name, norms=norms)
        self.averages_tokens = heads.averages_tokens

    def forward(self, hidden: Tensor, pooled: Tensor | None, seen: Tensor | None = None) -> Tensor:
        """Return logits [B, N] for the last hidden state [B, T, D] and the pooled vector [B, D].

        `seen`, bool [B, T], is False for padding.
        """
        if self.dense is not None:
            pooled = mean_of_tokens(hidden, seen) if self.averages_tokens else hidden[:, 0]  # [B, D]
        assert pooled is not None
        return self.logits(pooled)


class TaskHeadsOutput(NamedTuple):
    """The logits of each task head, None for those that the checkpoint does not have."""

    masked: Tensor | None  # [B, T, V]
    next_sentence: Tensor | None  # [B, 2]
    replaced: Tensor | None  # [B, T]
    classes: Tensor | None  # [B, N]
    token_labels: Tensor | None  # [B, T, N]
    answer: Tensor | None  # [B, T, 2], start and end


class TaskHeads(nn.Module):
    """The task heads of one checkpoint; most have one or none."""

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig) -> None:
        super().__init__()
        self.masked = MaskedHead(config, heads) if heads.masked else None
        self.next_sentence = Dense(config.width, 2) if heads.next_sentence else None
        replaced = TokenHead(config, heads, 1, config.activation, norms=False) if heads.replaced else None
        self.replaced = replaced  # the discriminator of ELECTRA
        self.classifier = Classifier(config, heads) if heads.n_classes else None
        name = heads.classifier_activation if heads.transforms_tokens else None
        norms, n_labels = name is not None, heads.n_token_labels
        self.token_labels = TokenHead(config, heads, n_labels, name, norms=norms) if n_labels else None
        self.answer = TokenHead(config, heads, 2, name, norms=norms) if heads.answer else None
        self.dense = nn.ModuleDict({name: DenseHead(config, head) for name, head in heads.dense_heads})

    def names(self) -> tuple[str, ...]:
        """Return which fields of `TaskHeadsOutput` the heads fill."""
        of_texts = (self.masked, self.next_sentence, self.replaced, self.classifier)
        heads = zip(TaskHeadsOutput._fields, (*of_texts, self.token_labels, self.answer), strict=True)
        return tuple(name for name, head in heads if head is not None or name in self.dense)

    def forward(
        self,
        hidden: Tensor,
        pooled: Tensor | None,
        positions: list[int] | None = None,
        seen: Tensor | None = None,
    ) -> TaskHeadsOutput:
        """Return the logits of each head for the last hidden state [B, T, D] and the pooled vector [B, D].

        Those for masked tokens are of P `positions` alone, [B, P, V], where these are given. `seen`, bool
        [B, T], is False for padding.
        """
        chosen = hidden if positions is None else hidden[:, positions]
        found = TaskHeadsOutput(
            masked=None if self.masked is None else self.masked(chosen),
            next_sentence=None if self.next_sentence is None else self.next_sentence(pooled),
            replaced=None if self.replaced is None else self.replaced(hidden).squeeze(-1),
            classes=None if self.classifier is None else self.classifier(hidden, pooled, seen),
            token_labels=None if self.token_labels is None else self.token_labels(hidden),
            answer=None if self.answer is None else self.answer(hidden),
        )
        dense = {
            name: head(chosen if name == "masked" else hidden, pooled, seen)
            for name, head in self.dense.items()
        }
        return found._replace(**dense)


def task_logits(
    heads: TaskHeads, trace: Trace, meaning: Meaning, positions: Sequence[int] | None = None
) -> Logits:
    """Return the logits of `heads` for the last hidden state and the pooled vector of `trace`.

    Those for masked tokens are of `positions` alone where these are given: a vocabulary is large.
    """
    with torch.inference_mode():
        hidden = torch.from_numpy(trace.hidden[-1:].copy())  # [1, T, D]
        pooled = None if trace.pooled is None else torch.from_numpy(trace.pooled[None].copy())  # [1, D]
        found = heads(hidden, pooled, None if positions is None else list(positions))
    logits = found._asdict().items()
    arrays = {name: None if tensor is None else tensor[0].numpy().copy() for name, tensor in logits}
    return Logits(meaning=meaning, **arrays)


POOLINGS = ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")
"""The kinds of pooling, by the names that sentence-transformers gives them, in the order of older files."""

ACTIVATIONS = (
    "Identity",
    "Tanh",
    "GELU",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "ELU",
    "LeakyReLU",
    "SELU",
    "Softplus",
    "Mish",
)
"""The activations of a dense layer, by the names of their classes in `torch.nn`, with torch's defaults."""


@dataclass(frozen=True)
class Pooling:
    """How hidden states become one vector: by each of `modes`, the results one after the other.

    Without `includes_prompt` the tokens of a prompt are left out.
    """

    modes: tuple[str, ...]
    includes_prompt: bool = True


@dataclass(frozen=True)
class DenseLayer:
    """A dense layer with an activation; `is_residual` adds its input, projected if the widths differ."""

    n_inputs: int
    n_outputs: int
    activation: str
    has_bias: bool = True
    is_residual: bool = False


@dataclass(frozen=True)
class Normalised:
    """The vector divided by its length."""


@dataclass(frozen=True)
class Centred:
    """A layer norm over the vector."""

    width: int


Step = DenseLayer | Normalised | Centred


@dataclass(frozen=True)
class SentenceConfig:
    """A pooling, and the steps that follow it; without a pooling they are of each token, as in ColBERT."""

    width: int  # D
    pooling: Pooling | None
    steps: tuple[Step, ...] = ()


class SentenceVector(nn.Module):
    """Pools the last hidden states of one input (Reimers and Gurevych 2019, arXiv:1908.10084, section 3)."""

    def __init__(self, config: SentenceConfig) -> None:
        super().__init__()
        self.config = config
        self.steps = nn.ModuleList(
            _Dense(step)
            if isinstance(step, DenseLayer)
            else _Normalise()
            if isinstance(step, Normalised)
            else nn.Sequential(OrderedDict(norm=nn.LayerNorm(step.width)))
            for step in config.steps
        )

    def forward(self, hidden: Tensor, n_prompt_tokens: int = 0) -> Tensor:
        """Return the sentence vector [S] for the hidden states [T, D] of one input without padding.

        The first `n_prompt_tokens` are left out if the configuration says so. Without a pooling it is the
        vector of each token, [T, S].
        """
        pooling, vector = self.config.pooling, hidden
        if pooling is not None:
            first = 0 if pooling.includes_prompt else n_prompt_tokens
            vector = torch.cat([_pooled(mode, hidden, first) for mode in pooling.modes])
        for step in self.steps:
            vector = step(vector)
        return vector

    def of(self, hidden: Floats, n_prompt_tokens: int = 0) -> Floats:
        """Return the sentence vector [S] as an array. Raises CheckpointError if it is not finite."""
        with torch.inference_mode():
            vector: Floats = self(torch.from_numpy(hidden.copy()), n_prompt_tokens).numpy().copy()
        if not np.isfinite(vector).all():
            raise CheckpointError(
                Message("The numbers of the sentence vector are not finite."),
                Message(
                    "The weights are damaged, or too large to be computed with; fetch the checkpoint again."
                ),
            )
        return vector

    def shares(self, n_tokens: int, n_prompt_tokens: int = 0) -> Tensor | None:
        """Return [T], what each hidden state is multiplied by where the vector is the sum of them.

        It may be divided by its length afterwards. None where the vector is no such sum.
        """
        pooling, steps = self.config.pooling, self.config.steps
        is_sum = pooling is not None and len(pooling.modes) == 1 and pooling.modes[0] != "max"
        if pooling is None or not is_sum or not all(isinstance(step, Normalised) for step in steps):
            return None
        first = 0 if pooling.includes_prompt else n_prompt_tokens
        # Of the unit vectors, one for each token, the pooled vector is that of the shares.
        return _pooled(pooling.modes[0], torch.eye(n_tokens), first)


class _Dense(nn.Module):
    def __init__(self, layer: DenseLayer) -> None:
        super().__init__()
        self.linear = nn.Linear(layer.n_inputs, layer.n_outputs, bias=layer.has_bias)
        self.activation: nn.Module = getattr(nn, layer.activation)()
        self.is_residual = layer.is_residual
        is_projected = layer.is_residual and layer.n_inputs != layer.n_outputs
        self.residual = nn.Linear(layer.n_inputs, layer.n_outputs, bias=False) if is_projected else None

    def forward(self, vector: Tensor) -> Tensor:
        found: Tensor = self.activation(self.linear(vector))
        if self.is_residual:
            found = found + (vector if self.residual is None else self.residual(vector))
        return found


class _Normalise(nn.Module):
    def forward(self, vector: Tensor) -> Tensor:
        return nn.functional.normalize(vector, dim=-1)


_POOLED: Mapping[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {
        "cls": lambda rest: rest[0],
        "lasttoken": lambda rest: rest[-1],
        "max": lambda rest: rest.amax(0),
        "mean": lambda rest: rest.mean(0),
        "mean_sqrt_len_tokens": lambda rest: rest.sum(0) / math.sqrt(len(rest)),
    }
)
"""What the hidden states [T, D] become by each of POOLINGS but the mean that is weighted by positions."""


def _pooled(mode: str, hidden: Tensor, first: int) -> Tensor:
    """Return the vector [D] of the hidden states [T, D] from the token `first` on, by one of POOLINGS.

    Where all tokens are those of a prompt, the vector is that of the last token, as nothing else is left.
    """
    rest = hidden[min(first, len(hidden) - 1) :]
    if mode in _POOLED:
        return _POOLED[mode](rest)
    # The positions count from 1, those of a prompt among them (Muennighoff 2022, arXiv:2202.08904).
    weights = torch.arange(len(hidden) - len(rest) + 1, len(hidden) + 1, dtype=hidden.dtype)
    return (rest * weights[:, None]).sum(0) / weights.sum()


def widths(config: SentenceConfig) -> Sequence[int]:
    """Return the width of the vector after the pooling and after each step."""
    found = [config.width * (1 if config.pooling is None else len(config.pooling.modes))]
    for step in config.steps:
        found.append(step.n_outputs if isinstance(step, DenseLayer) else found[-1])
    return found
