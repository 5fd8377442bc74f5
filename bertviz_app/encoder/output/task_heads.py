"""The modules on top of an encoder: the pooler, and the task heads."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.output.dense_head import DenseHead, mean_of_tokens
from bertviz_app.encoder.tap import UNTAPPED, LayerTap
from bertviz_app.trace.form import Point


class Pooler(nn.Module):
    """The pooled vector of an input: the last hidden state of [CLS] through a dense layer and tanh."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Dense(config.width, config.width)

    def forward(self, hidden: Tensor, tap: LayerTap = UNTAPPED) -> Tensor:
        """Return [B, D] in (-1, 1) for the last hidden state [B, T, D]."""
        first = hidden[:, 0]  # [B, D], [CLS]
        dense = tap(Point.POOLER_DENSE, self.dense(first))  # [B, D]
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


class ReplacedHead(nn.Module):
    """Predicts which tokens were replaced: the discriminator of ELECTRA."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Dense(config.width, config.width)
        self.activation = activation(config.activation)
        self.output = Dense(config.width, 1)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return logits [B, T], above 0 for replaced, for the last hidden state [B, T, D]."""
        logits: Tensor = self.output(self.activation(self.dense(hidden))).squeeze(-1)
        return logits


class Classifier(nn.Module):
    """Predicts the class of an input from the pooled vector, or through a dense layer of its own.

    That layer reads [CLS] or the mean of all tokens; in some families a norm follows it.
    """

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig) -> None:
        super().__init__()
        name = heads.classifier_activation
        has_bias, norms = heads.has_dense_bias, name is not None and heads.norms_classes
        self.averages_tokens = heads.averages_tokens
        self.dense = None if name is None else Dense(config.width, config.width, bias=has_bias)
        self.activation = None if name is None else activation(name)
        self.norm = (
            nn.LayerNorm(config.width, eps=config.norm_eps, bias=heads.has_norm_bias) if norms else None
        )
        self.output = Dense(config.width, heads.n_classes)

    def forward(self, hidden: Tensor, pooled: Tensor | None, seen: Tensor | None = None) -> Tensor:
        """Return logits [B, N] for the last hidden state [B, T, D] and the pooled vector [B, D].

        `seen`, bool [B, T], is False for padding.
        """
        if self.dense is not None and self.activation is not None:
            whole = mean_of_tokens(hidden, seen) if self.averages_tokens else hidden[:, 0]  # [B, D]
            pooled = self.activation(self.dense(whole))  # [B, D]
            pooled = pooled if self.norm is None else self.norm(pooled)  # [B, D]
        assert pooled is not None
        logits: Tensor = self.output(pooled)
        return logits


class TokenHead(nn.Module):
    """Predicts N numbers of each token: its labels, or whether an answer begins or ends there.

    In some families a dense layer, an activation and a norm come first.
    """

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig, n_outputs: int) -> None:
        super().__init__()
        name = heads.classifier_activation if heads.transforms_tokens else None
        width, eps = config.width, config.norm_eps
        self.dense = None if name is None else Dense(width, width, bias=heads.has_dense_bias)
        self.activation = None if name is None else activation(name)
        self.norm = None if name is None else nn.LayerNorm(width, eps=eps, bias=heads.has_norm_bias)
        self.output = Dense(width, n_outputs)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return logits [B, T, N] for the last hidden state [B, T, D]."""
        if self.dense is not None and self.activation is not None and self.norm is not None:
            hidden = self.norm(self.activation(self.dense(hidden)))  # [B, T, D]
        logits: Tensor = self.output(hidden)
        return logits


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
        self.replaced = ReplacedHead(config) if heads.replaced else None
        self.classifier = Classifier(config, heads) if heads.n_classes else None
        n_labels = heads.n_token_labels
        self.token_labels = TokenHead(config, heads, n_labels) if n_labels else None
        self.answer = TokenHead(config, heads, 2) if heads.answer else None
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
            replaced=None if self.replaced is None else self.replaced(hidden),
            classes=None if self.classifier is None else self.classifier(hidden, pooled, seen),
            token_labels=None if self.token_labels is None else self.token_labels(hidden),
            answer=None if self.answer is None else self.answer(hidden),
        )
        dense = {
            name: head(chosen if name == "masked" else hidden, pooled, seen)
            for name, head in self.dense.items()
        }
        return found._replace(**dense)
