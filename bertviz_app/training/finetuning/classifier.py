"""The network of a fine-tuning: an encoder with a classifier of texts or of their tokens, and its loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.training.parameters import fill, position_ids_of

NOT_COUNTED = -100
"""The label of a token that is not counted in the loss."""


@dataclass(frozen=True, eq=False)
class LabelledBatch:
    """B texts or pairs as inputs of the model, int64, and the numbers of their labels, or their scores.

    Where tokens have labels, those of other tokens are NOT_COUNTED.
    """

    ids: Tensor  # [B, T]
    segment_ids: Tensor  # [B, T]
    seen: Tensor  # bool [B, T], False for padding
    labels: Tensor  # [B], int64; scores are float32; of tokens [B, T]

    @property
    def n_tokens(self) -> int:
        """Tokens without padding."""
        return int(self.seen.sum())

    def to(self, device: torch.device) -> LabelledBatch:
        """Return the batch on `device`."""
        fields = (self.ids, self.segment_ids, self.seen, self.labels)
        return LabelledBatch(*(field.to(device, non_blocking=True) for field in fields))


class Predicted(NamedTuple):
    """Of one batch: the logits of each label, and the mean cross-entropy of the labels in nats.

    Of scores: the predicted scores, and their mean squared error.
    """

    logits: Tensor  # [B, N]; of scores [B, 1]; of tokens [B, T, N]
    loss: Tensor  # []


class ClassifierNetwork(nn.Module):
    """An encoder, and the head that reads its pooled vector, or the vector of each token.

    Devlin et al. 2019, arXiv:1810.04805, sections 4.1 and 5.3.
    """

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.heads = TaskHeads(config, heads)

    def forward(self, batch: LabelledBatch, factors: Tensor | None = None) -> Predicted:
        """Return the predictions for a batch.

        `factors` multiply the vectors that the head reads, [B, D], or [B, T, D] of tokens: see `dropout`.
        """
        positions = position_ids_of(batch.ids)
        hidden, pooled = self.encoder(batch.ids, batch.segment_ids, positions, seen=batch.seen)
        if self.heads.token_labels is not None:
            hidden = hidden if factors is None else hidden * factors.to(hidden.device)  # [B, T, D]
            logits = self.heads.token_labels(hidden).float()  # [B, T, N]
        else:
            assert self.heads.classifier is not None
            assert pooled is not None
            pooled = pooled if factors is None else pooled * factors.to(pooled.device)  # [B, D]
            logits = self.heads.classifier(hidden, pooled).float()  # [B, N]
        return Predicted(logits, loss_of(logits, batch.labels))

    def freeze_encoder(self) -> None:
        """Exclude embeddings and layers from training; a pooler serves the classifier and is trained."""
        for part in (self.encoder.embeddings, self.encoder.layers):
            part.requires_grad_(requires_grad=False)


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of labels in nats, or the mean squared error of scores."""
    if labels.is_floating_point():
        return mse_loss(logits[:, 0], labels)
    return cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=NOT_COUNTED)


def accuracy_of(logits: Tensor, labels: Tensor) -> float | None:
    """Return the share of the labels that are predicted; None of scores, which are more or less near."""
    if labels.is_floating_point():
        return None
    is_counted = labels != NOT_COUNTED
    is_right = logits.argmax(-1)[is_counted] == labels[is_counted]
    return float(is_right.float().mean())


def network_on(encoder: Encoder, heads: TaskHeadsConfig, seed: int) -> ClassifierNetwork:
    """Return a network with a copy of the weights of `encoder`, and a newly initialised classifier.

    A classifier of texts reads the pooled vector: the pooler of an encoder without one is newly initialised,
    too. One of tokens has no pooler.
    """
    has_pooler = not heads.n_token_labels
    network = ClassifierNetwork(replace(encoder.config, has_pooler=has_pooler), heads)
    fill(network, seed)
    weights = {
        name: tensor
        for name, tensor in encoder.state_dict().items()
        if has_pooler or not name.startswith("pooler.")
    }
    is_whole = not has_pooler or encoder.pooler is not None
    network.encoder.load_state_dict(weights, strict=is_whole)
    return network


def dropout(shape: tuple[int, ...], share: float, seed: list[int]) -> Tensor:
    """Return the factors of dropout, [B, D] or [B, T, D]: 0 for `share` of them, else 1 / (1 - share).

    Srivastava et al. 2014, Journal of Machine Learning Research 15, section 4.

    They depend on `seed` alone, so that a resumed run draws the same.
    """
    draws = np.random.default_rng([*seed, 6]).random(shape, np.float32)
    return torch.from_numpy(draws >= share) / (1.0 - share)
