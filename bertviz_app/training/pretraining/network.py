"""The network of a pre-training: an encoder with the heads of both tasks, and the losses of a batch."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.dense import sinusoids
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.training.parameters import position_ids_of
from bertviz_app.training.pretraining.masked_loss import mean_loss

NO_PAIR = -100
"""In place of the answer where there is no second segment: torch's own `ignore_index`."""
PRETRAINING_HEADS = TaskHeadsConfig(masked=True, next_sentence=True)


@dataclass(frozen=True, eq=False)
class Batch:
    """B texts or pairs as inputs of the model, int64, and the correct answers."""

    ids: Tensor  # [B, T]
    segment_ids: Tensor  # [B, T]
    seen: Tensor  # bool [B, T], False for padding
    masked_positions: Tensor  # [M], positions of the masked tokens in the flattened batch
    answers: Tensor  # [M], their ids
    not_next: Tensor  # [B], 0 where B follows A, 1 where it does not (BERT's order), NO_PAIR without B

    @property
    def n_tokens(self) -> int:
        """Tokens without padding."""
        return int(self.seen.sum())

    @property
    def n_pairs(self) -> int:
        """Examples with a second segment."""
        return int((self.not_next != NO_PAIR).sum())

    def to(self, device: torch.device) -> Batch:
        """Return the batch on `device`."""
        fields = (self.ids, self.segment_ids, self.seen, self.masked_positions, self.answers, self.not_next)
        return Batch(*(field.to(device, non_blocking=True) for field in fields))


class Losses(NamedTuple):
    """Of one batch: mean cross-entropies in nats, 0 without any pair."""

    masked: Tensor  # []
    next_sentence: Tensor  # []

    @property
    def total(self) -> Tensor:
        """The training loss: the sum of both (Devlin et al. 2019, appendix A.2)."""
        return self.masked + self.next_sentence


class NetworkScores(NamedTuple):
    """What the network answers to one batch."""

    masked: Tensor  # [M, V], in autocast's type
    next_sentence: Tensor  # float32 [B, 2]

    def losses(self, batch: Batch) -> Losses:
        return Losses(mean_loss(self.masked, batch.answers), _mean_of_pairs(self.next_sentence, batch))

    def n_right(self, batch: Batch) -> tuple[int, int]:
        """Return how many tokens of M, and how many pairs, were answered correctly."""
        found = zip((self.masked, self.next_sentence), (batch.answers, batch.not_next), strict=True)
        masked, pairs = (int((scores.argmax(-1) == answer).sum()) for scores, answer in found)
        return masked, pairs


class PretrainingNetwork(nn.Module):
    """An encoder, the head for masked tokens (tied to the token embeddings), and the head for pairs."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        heads = replace(PRETRAINING_HEADS, masked_activation=config.activation)  # as config.json says of both
        self.heads = TaskHeads(config, heads)
        tie(self.encoder, self.heads)
        self.encoder.embeddings.register_forward_hook(_lower_on_cpu)

    def forward(self, batch: Batch) -> Losses:
        return self.scores(batch).losses(batch)

    def scores(self, batch: Batch) -> NetworkScores:
        positions = position_ids_of(batch.ids)
        hidden, pooled = self.encoder(batch.ids, batch.segment_ids, positions, seen=batch.seen)
        assert self.heads.masked is not None
        assert self.heads.next_sentence is not None
        # Of the masked tokens only: the product of all tokens would take most of the time.
        return NetworkScores(
            masked=self.heads.masked(hidden.flatten(0, 1)[batch.masked_positions]),  # [M, V]
            next_sentence=self.heads.next_sentence(pooled).float(),  # [B, 2]
        )


def tie(encoder: Encoder, heads: TaskHeads) -> None:
    """Make the masked head multiply with the encoder's own table of token embeddings."""
    assert heads.masked is not None
    heads.masked.decoder.weight = encoder.embeddings.token.weight


def _lower_on_cpu(module: nn.Module, inputs: object, hidden: Tensor) -> Tensor:
    """Give the hidden states autocast's type on a CPU, which otherwise converts them before every product."""
    if hidden.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return hidden
    return hidden.to(torch.get_autocast_dtype("cpu"))


def _mean_of_pairs(scores: Tensor, batch: Batch) -> Tensor:
    total = cross_entropy(scores, batch.not_next, reduction="sum", ignore_index=NO_PAIR)
    return total / max(1, batch.n_pairs)


def fill_positions(encoder: Encoder, std: float) -> None:
    """Initialise the position embeddings as sinusoids (Vaswani et al. 2017, section 3.5) scaled to `std`.

    They are trained like any other parameter; a head finds the token before or after from the first step on.
    """
    table = encoder.embeddings.position
    assert table is not None
    n_positions, width = table.weight.shape
    with torch.no_grad():
        table.weight.copy_(std * math.sqrt(2) * sinusoids(torch.arange(n_positions), width))
