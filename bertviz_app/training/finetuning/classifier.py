"""The network of a fine-tuning: an encoder with a classifier of whole texts, and its loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output.task_heads import TaskHeads
from bertviz_app.training.parameters import fill, position_ids_of


@dataclass(frozen=True, eq=False)
class LabelledBatch:
    """B texts or pairs as inputs of the model, int64, and the numbers of their labels, or their scores."""

    ids: Tensor  # [B, T]
    segment_ids: Tensor  # [B, T]
    seen: Tensor  # bool [B, T], False for padding
    labels: Tensor  # [B], int64; scores are float32

    @property
    def n_tokens(self) -> int:
        """Tokens without padding."""
        return int(self.seen.sum())

    def to(self, device: torch.device) -> LabelledBatch:
        """Return the batch on `device`."""
        fields = (self.ids, self.segment_ids, self.seen, self.labels)
        return LabelledBatch(*(field.to(device, non_blocking=True) for field in fields))


class Predicted(NamedTuple):
    """Of one batch: the logits of each label, and their mean cross-entropy in nats.

    Of scores: the predicted scores, and their mean squared error.
    """

    logits: Tensor  # [B, N]; of scores [B, 1]
    loss: Tensor  # []


class ClassifierNetwork(nn.Module):
    """An encoder, and the head that reads its pooled vector (Devlin et al. 2019, section 4.1)."""

    def __init__(self, config: EncoderConfig, n_classes: int) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.heads = TaskHeads(config, TaskHeadsConfig(n_classes=n_classes))

    def forward(self, batch: LabelledBatch, factors: Tensor | None = None) -> Predicted:
        """Return the predictions for a batch. `factors` [B, D] multiply the pooled vectors: see `dropout`."""
        positions = position_ids_of(batch.ids)
        hidden, pooled = self.encoder(batch.ids, batch.segment_ids, positions, seen=batch.seen)
        assert self.heads.classifier is not None
        assert pooled is not None
        pooled = pooled if factors is None else pooled * factors.to(pooled.device)  # [B, D]
        logits = self.heads.classifier(hidden, pooled).float()  # [B, N]
        if batch.labels.is_floating_point():
            return Predicted(logits, mse_loss(logits[:, 0], batch.labels))
        return Predicted(logits, cross_entropy(logits, batch.labels))

    def freeze_encoder(self) -> None:
        """Exclude embeddings and layers from training; the pooler serves the classifier and is trained."""
        for part in (self.encoder.embeddings, self.encoder.layers):
            part.requires_grad_(requires_grad=False)


def network_on(encoder: Encoder, n_classes: int, seed: int) -> ClassifierNetwork:
    """Return a network with a copy of the weights of `encoder`, and a newly initialised classifier.

    The pooler of an encoder without one is newly initialised, too.
    """
    network = ClassifierNetwork(replace(encoder.config, has_pooler=True), n_classes)
    fill(network, seed)
    network.encoder.load_state_dict(encoder.state_dict(), strict=encoder.pooler is not None)
    return network


def dropout(n_rows: int, width: int, share: float, seed: list[int]) -> Tensor:
    """Return the factors of dropout [B, D]: 0 for `share` of them, else 1 / (1 - share).

    Srivastava et al. 2014, Journal of Machine Learning Research 15, section 4.

    They depend on `seed` alone, so that a resumed run draws the same.
    """
    draws = np.random.default_rng([*seed, 6]).random((n_rows, width), np.float32)
    return torch.from_numpy(draws >= share) / (1.0 - share)
