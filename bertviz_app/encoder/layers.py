"""One layer of the stack: attention, add and norm, feed-forward, add and norm."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.attention import Heads, SelfAttention
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import Dense


class FeedForward(nn.Module):
    """Two dense layers with an activation between them, each token on its own."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.expand = Dense(config.width, config.feed_forward_width)
        self.activation = activation(config.activation)
        self.contract = Dense(config.feed_forward_width, config.width)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return [B, T, D] for [B, T, D]."""
        wide = self.expand(hidden)  # [B, T, F]
        active = self.activation(wide)  # [B, T, F]
        narrow: Tensor = self.contract(active)  # [B, T, D]
        return narrow


class Layer(nn.Module):
    """One layer of BERT: the norm comes after the sum (post-norm)."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.width, eps=config.norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.width, eps=config.norm_eps)

    def forward(
        self, hidden: Tensor, muted: Sequence[int] = (), by_distance: Tensor | None = None
    ) -> tuple[Tensor, Heads]:
        """Return the next hidden state [B, T, D] and the heads that took part, those `muted` in vain.

        `by_distance` [H, 2T - 1] is added to the scores.
        """
        attended, heads = self.attention(hidden, muted, by_distance)  # [B, T, D]
        hidden = self.attention_norm(hidden + attended)  # [B, T, D]    add and norm
        thought = self.feed_forward(hidden)  # [B, T, D]
        hidden = self.feed_forward_norm(hidden + thought)  # [B, T, D]  add and norm
        return hidden, heads
