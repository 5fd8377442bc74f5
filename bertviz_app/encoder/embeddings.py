"""Where a token enters the network: what it is, which sentence it is in, and where it stands, added up."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig


class EmbeddingParts(NamedTuple):
    """The three embeddings of each token and their sum before the norm, all [B, T, D]."""

    token: Tensor
    segment: Tensor
    position: Tensor
    total: Tensor


class Embeddings(nn.Module):
    """Token + segment + learned position embedding, then a layer norm (Devlin et al. 2019, figure 2)."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.token = nn.Embedding(config.vocabulary_size, config.width)
        self.segment = nn.Embedding(config.n_segments, config.width)
        self.position = nn.Embedding(config.n_positions, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.norm_eps)

    def forward(
        self, ids: Tensor, segment_ids: Tensor, position_ids: Tensor
    ) -> tuple[Tensor, EmbeddingParts]:
        """Return the first hidden state [B, T, D] and what it was made of; the ids are int64 [B, T]."""
        token = self.token(ids)  # [B, T, D]
        segment = self.segment(segment_ids)  # [B, T, D]
        position = self.position(position_ids)  # [B, T, D]
        total = token + segment + position  # [B, T, D]
        return self.norm(total), EmbeddingParts(token, segment, position, total)
