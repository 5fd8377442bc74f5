"""One layer of the stack: attention, add and norm, feed-forward, add and norm."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.attention import Heads, SelfAttention
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.positions import NOWHERE, Positions


class FeedForward(nn.Module):
    """Two dense layers with an activation between them, each token on its own.

    A gated one multiplies what is active with a third layer's numbers (Shazeer 2020, arXiv:2002.05202).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        inner, has_bias = config.feed_forward_width, config.form.has_biases
        self.expand = Dense(config.width, inner, bias=has_bias)
        self.activation = activation(config.activation)
        self.gate = Dense(config.width, inner, bias=has_bias) if config.form.is_gated else None
        self.contract = Dense(inner, config.width, bias=has_bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return [B, T, D] for [B, T, D]."""
        wide = self.expand(hidden)  # [B, T, F]
        active = self.activation(wide)  # [B, T, F]
        if self.gate is not None:
            active = active * self.gate(hidden)  # [B, T, F]
        narrow: Tensor = self.contract(active)  # [B, T, D]
        return narrow


def layer_norm(config: EncoderConfig) -> nn.LayerNorm:
    """Return a layer norm over the width."""
    return nn.LayerNorm(config.width, eps=config.norm_eps, bias=config.form.has_norm_biases)


class Layer(nn.Module):
    """One layer: in BERT the norms come after the sums (post-norm), in later encoders before the parts.

    Of those the first layer of ModernBERT leaves out the norm before its attention: the embeddings end in
    one.
    """

    def __init__(self, config: EncoderConfig, *, is_first: bool = False) -> None:
        super().__init__()
        self.is_pre_norm = config.form.is_pre_norm
        self.attention = SelfAttention(config)
        has_norm = not (is_first and config.form.is_first_without_norm)
        self.attention_norm = layer_norm(config) if has_norm else nn.Identity()
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config)

    def forward(
        self, hidden: Tensor, muted: Sequence[int] = (), positions: Positions = NOWHERE
    ) -> tuple[Tensor, Heads]:
        """Return the next hidden state [B, T, D] and the heads that took part, those `muted` in vain.

        `positions`: what the attention knows of where the tokens stand.
        """
        if self.is_pre_norm:
            attended, heads = self.attention(self.attention_norm(hidden), muted, positions)  # [B, T, D]
            hidden = hidden + attended  # [B, T, D]                             norm, attend and add
            thought = self.feed_forward(self.feed_forward_norm(hidden))  # [B, T, D]
            return hidden + thought, heads  # [B, T, D]                         norm, think and add
        attended, heads = self.attention(hidden, muted, positions)  # [B, T, D]
        if not self.attention.adds_before_projection:
            attended = hidden + attended  # [B, T, D]                   add
        hidden = self.attention_norm(attended)  # [B, T, D]             and norm
        thought = self.feed_forward(hidden)  # [B, T, D]
        hidden = self.feed_forward_norm(hidden + thought)  # [B, T, D]  add and norm
        return hidden, heads
