"""One layer of the stack: attention, add and norm, feed-forward, add and norm."""

from __future__ import annotations

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.attention import SelfAttention
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.norms import layer_norm
from bertviz_app.encoder.positions import NO_POSITIONS, Positions
from bertviz_app.encoder.tap import UNTAPPED, LayerTap
from bertviz_app.trace.points import Point


class FeedForward(nn.Module):
    """Two dense layers with an activation between them, applied to each token separately.

    A gated one multiplies the activation's output by that of a third dense layer (Shazeer 2020,
    arXiv:2002.05202).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        inner, has_bias = config.feed_forward_width, config.form.has_biases
        self.expand = Dense(config.width, inner, bias=has_bias)
        self.activation = activation(config.activation)
        self.gate = Dense(config.width, inner, bias=has_bias) if config.form.is_gated else None
        self.contract = Dense(inner, config.width, bias=has_bias)

    def forward(self, hidden: Tensor, tap: LayerTap = UNTAPPED) -> Tensor:
        """Return [B, T, D] for [B, T, D]."""
        wide = tap(Point.EXPANDED, self.expand(hidden))  # [B, T, F]
        active = tap(Point.ACTIVE, self.activation(wide))  # [B, T, F]
        if self.gate is not None:
            gate = tap(Point.GATE, self.gate(hidden))  # [B, T, F]
            active = tap(Point.GATED, active * gate)  # [B, T, F]
        return tap(Point.CONTRACTED, self.contract(active))  # [B, T, D]


class Layer(nn.Module):
    """One layer: in BERT the norms follow the sums (post-norm), in later encoders they precede the parts.

    The first layer of ModernBERT has no norm before its attention, since the embeddings end in one.
    """

    def __init__(self, config: EncoderConfig, *, is_first: bool = False) -> None:
        super().__init__()
        self.is_pre_norm = config.form.is_pre_norm
        self.attention = SelfAttention(config)
        self.has_input_norm = self.is_pre_norm and not (is_first and config.form.is_first_without_norm)
        has_norm = self.has_input_norm or not self.is_pre_norm
        self.attention_norm = layer_norm(config) if has_norm else nn.Identity()
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config)

    def forward(
        self,
        hidden: Tensor,
        positions: Positions = NO_POSITIONS,
        seen: Tensor | None = None,
        tap: LayerTap = UNTAPPED,
    ) -> Tensor:
        """Return the next hidden state [B, T, D]. `positions` and `seen` as `SelfAttention.forward`."""
        if self.is_pre_norm:
            return self._norms_first(hidden, positions, seen, tap)
        attended = self.attention(hidden, positions, seen, tap)  # [B, T, D]
        if not self.attention.adds_before_projection:
            attended = tap(Point.ATTENTION_SUM, hidden + attended)  # [B, T, D]  add
        hidden = tap(Point.ATTENTION_NORM, self.attention_norm(attended))  # [B, T, D]   and norm
        total = hidden + self.feed_forward(hidden, tap)  # [B, T, D]
        normed: Tensor = self.feed_forward_norm(tap(Point.OUTPUT_SUM, total))  # [B, T, D]  add and norm
        return normed

    def _norms_first(
        self, hidden: Tensor, positions: Positions, seen: Tensor | None, tap: LayerTap
    ) -> Tensor:
        """Return the next hidden state [B, T, D]: norm, attend and add; norm, feed forward and add."""
        normed = hidden
        if self.has_input_norm:
            normed = tap(Point.INPUT_NORM, self.attention_norm(hidden))  # [B, T, D]
        attended = self.attention(normed, positions, seen, tap)  # [B, T, D]
        hidden = tap(Point.ATTENTION_SUM, hidden + attended)  # [B, T, D]
        normed = tap(Point.ATTENTION_NORM, self.feed_forward_norm(hidden))  # [B, T, D]
        return tap(Point.OUTPUT_SUM, hidden + self.feed_forward(normed, tap))  # [B, T, D]
