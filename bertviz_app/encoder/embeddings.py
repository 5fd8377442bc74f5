"""The input embeddings: the sum of token, segment and position embeddings, normalised."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from bertviz_app.encoder.config import EncoderConfig, TokenProjection
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.norms import layer_norm
from bertviz_app.encoder.tap import UNTAPPED, LayerTap
from bertviz_app.trace.form import Point

UNMASKED_IN_TRAINING = 1 - 0.15 * 0.8
"""The share of tokens that ESM did not see as <mask>: of 15 in 100 tokens to predict, 8 in 10 were masked."""


class Embeddings(nn.Module):
    """Token + segment + learned position embedding, then a layer norm (Devlin et al. 2019, figure 2).

    Some families have no segment embeddings (Sanh et al. 2019, arXiv:1910.01108), some no position embeddings
    (Warner et al. 2024, arXiv:2412.13663), and in some the embeddings are narrower than the layers and are
    projected (Lan et al. 2020, arXiv:1909.11942, section 3.1), or the token embeddings alone are. ERNIE adds
    an embedding of the task (Sun et al. 2019, arXiv:1907.12412, section 4.2), here the first one, as in its
    own code where no task is given.
    Models written in notebooks may have no norm, or sinusoidal positions (Vaswani et al. 2017, section 3.5),
    some with a frequency for each column.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width = config.embedding_width or config.width
        kind = config.token_projection
        self.token = nn.Embedding(config.vocabulary_size, width if kind is None else kind.width)
        self.token_projection = None if kind is None else ProjectedTokens(config, kind)
        self.segment = nn.Embedding(config.n_segments, width) if config.n_segments else None
        form = config.form
        factor = (width**0.5 if form.scales_tokens else 1.0) * (2.0 if form.doubles_tokens else 1.0)
        self.token_factor = None if factor == 1.0 else factor
        self.zeroed_id = config.zeroed_id
        self.has_sinusoids, self.by_column = form.has_sinusoids, form.has_column_sinusoids
        has_table = config.has_position_table and not form.has_sinusoids
        self.position = nn.Embedding(config.n_positions, width) if has_table else None
        self.task = nn.Embedding(config.n_tasks, width) if config.n_tasks else None
        self.norm = layer_norm(config, width) if form.has_embedding_norm else nn.Identity()
        self.projection = Dense(width, config.width) if config.embedding_width else None

    def forward(
        self,
        ids: Tensor,
        segment_ids: Tensor,
        position_ids: Tensor,
        tap: LayerTap = UNTAPPED,
        seen: Tensor | None = None,
    ) -> Tensor:
        """Return the first hidden state [B, T, D]; the ids are int64 [B, T].

        `seen`, bool [B, T], is False for padding.
        """
        token = self.token(ids) if self.token_factor is None else self.token(ids) * self.token_factor
        if self.zeroed_id is not None:
            token = token * unmasked_share(ids == self.zeroed_id, seen)
        total = tap(Point.TOKEN_EMBEDDINGS, token)  # [B, T, W]
        if self.token_projection is not None:
            total = tap(Point.TOKEN_PROJECTION, self.token_projection(total, seen))  # [B, T, D]
        if self.segment is not None:
            total = total + tap(Point.SEGMENT_EMBEDDINGS, self.segment(segment_ids))  # [B, T, W]
        position = self._position(position_ids, total.shape[-1])  # [B, T, W]
        if position is not None:
            total = total + tap(Point.POSITION_EMBEDDINGS, position)  # [B, T, W]
        if self.task is not None:
            first = self.task(torch.zeros_like(ids))  # [B, T, W]
            total = total + tap(Point.TASK_EMBEDDINGS, first)  # [B, T, W]
        normed = self.norm(tap(Point.EMBEDDING_SUM, total))  # [B, T, W]
        if self.projection is not None:
            normed = self.projection(tap(Point.EMBEDDING_NORM, normed))  # [B, T, D]
        return tap(Point.EMBEDDINGS, normed)

    def _position(self, position_ids: Tensor, width: int) -> Tensor | None:
        if self.has_sinusoids:
            return sinusoids(position_ids, width, by_column=self.by_column)
        return None if self.position is None else self.position(position_ids)


class ProjectedTokens(nn.Module):
    """Token embeddings brought to the width D, in MobileBERT those of each token and its two neighbours."""

    def __init__(self, config: EncoderConfig, kind: TokenProjection) -> None:
        super().__init__()
        self.has_neighbours = kind.has_neighbours
        self.dense = Dense(kind.width * (3 if kind.has_neighbours else 1), config.width)

    def forward(self, token: Tensor, seen: Tensor | None = None) -> Tensor:
        """Return [B, T, D] for token embeddings [B, T, W].

        Beyond the ends of a text, and in padding, which is where `seen`, bool [B, T], is False, are zeros.
        """
        if self.has_neighbours:
            if seen is not None:
                token = token * seen[..., None]
            following, before = pad(token[:, 1:], (0, 0, 0, 1)), pad(token[:, :-1], (0, 0, 1, 0))
            token = torch.cat((following, token, before), dim=-1)  # [B, T, 3 * W]
        projected: Tensor = self.dense(token)
        return projected


def unmasked_share(masked: Tensor, seen: Tensor | None) -> Tensor:
    """Return the factors of the token embeddings [B, T, 1]: 0 where `masked` [B, T].

    In all others the share of tokens that were not masked in training, divided by that in this text (Lin et
    al. 2022, doi:10.1126/science.ade2574; `token_dropout` in its code).
    """
    if seen is None:
        seen = torch.ones_like(masked)
    observed = (masked & seen).sum(-1, keepdim=True) / seen.sum(-1, keepdim=True)  # [B, 1]
    factors = UNMASKED_IN_TRAINING / (1 - observed)  # [B, 1]
    return torch.where(masked, 0.0, factors)[..., None]


def sinusoids(position_ids: Tensor, width: int, *, by_column: bool = False) -> Tensor:
    """Return [..., D] for positions [...]: sines in the even columns, cosines in the odd ones.

    Of pos / 10000^(2i / D) in the columns 2i and 2i + 1; `by_column`: of pos / 10000^(2c / D) in column c.
    """
    columns = torch.arange(width, dtype=torch.float64)  # [D]
    exponents = 2 * columns if by_column else columns - columns % 2  # [D]
    # In float64, on the CPU: for a late position float32 would be wrong in the fifth digit.
    angles = position_ids.cpu()[..., None] / 10000.0 ** (exponents / width)  # [..., D]
    numbers = torch.where(columns % 2 == 0, angles.sin(), angles.cos())  # [..., D]
    return numbers.to(position_ids.device, torch.float32)
