"""Where a token enters the network: what it is, which sentence it is in, and where it stands, added up."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import Dense


class EmbeddingParts(NamedTuple):
    """The embeddings of each token, their sum, and its norm where that is not the first hidden state.

    All [B, T, D], or of the embeddings' own width where a projection follows.
    """

    token: Tensor
    segment: Tensor | None  # None in a family without segments
    position: Tensor | None  # None where the attention alone knows places
    total: Tensor  # before the norm
    normed: Tensor | None  # None without a projection


class Embeddings(nn.Module):
    """Token + segment + learned position embedding, then a layer norm (Devlin et al. 2019, figure 2).

    Some families have no segments (Sanh et al. 2019, arXiv:1910.01108), some no positions (Warner et al.
    2024, arXiv:2412.13663), some make the embeddings narrower than the layers and project them (Lan et al.
    2020, arXiv:1909.11942, section 3.1).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width = config.embedding_width or config.width
        self.token = nn.Embedding(config.vocabulary_size, width)
        self.segment = nn.Embedding(config.n_segments, width) if config.n_segments else None
        self.position = nn.Embedding(config.n_positions, width) if config.has_position_table else None
        self.norm = nn.LayerNorm(width, eps=config.norm_eps, bias=config.form.has_biases)
        self.projection = Dense(width, config.width) if config.embedding_width else None

    def forward(
        self, ids: Tensor, segment_ids: Tensor, position_ids: Tensor
    ) -> tuple[Tensor, EmbeddingParts]:
        """Return the first hidden state [B, T, D] and what it was made of; the ids are int64 [B, T]."""
        token = self.token(ids)  # [B, T, D]
        segment = None if self.segment is None else self.segment(segment_ids)  # [B, T, D]
        position = None if self.position is None else self.position(position_ids)  # [B, T, D]
        total = token if segment is None else token + segment  # [B, T, D]
        total = total if position is None else total + position  # [B, T, D]
        normed = self.norm(total)  # [B, T, D]
        if self.projection is None:
            return normed, EmbeddingParts(token, segment, position, total, None)
        return self.projection(normed), EmbeddingParts(token, segment, position, total, normed)
