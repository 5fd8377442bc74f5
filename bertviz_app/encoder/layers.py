"""One layer of the stack: attention, add and norm, feed-forward, add and norm; or a bottleneck."""

from __future__ import annotations

from functools import partial

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.attention import SelfAttention
from bertviz_app.encoder.config import Bottleneck, EncoderConfig, LanguageAdapter
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.norms import layer_norm
from bertviz_app.encoder.positions import NO_POSITIONS, Positions
from bertviz_app.encoder.rows import by_rows
from bertviz_app.encoder.tap import UNTAPPED, LayerTap
from bertviz_app.trace.form import Point

_BY_TOKEN = (
    Point.PROJECTED,
    Point.ATTENTION_SUM,
    Point.ATTENTION_NORM,
    Point.EARLIER_PART,
    Point.EXPANDED,
    Point.ACTIVE,
    Point.GATE,
    Point.GATED,
    Point.CONTRACTED,
    Point.OUTPUT_SUM,
    Point.ADAPTER_NORM,
    Point.ADAPTED,
    Point.ADAPTER_SUM,
)
"""The points from the end of the attention on, where a layer computes each token by itself."""


class FeedForward(nn.Module):
    """Two dense layers with an activation between them, applied to each token separately.

    A gated one multiplies the activation's output by that of a third dense layer (Shazeer 2020,
    arXiv:2002.05202).
    """

    PRODUCTS = ("expand", "gate", "contract")
    """Its dense layers that may have weights in bfloat16."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        wide, has_bias = config.feed_forward_width, config.form.has_biases
        has_wide_bias = has_bias and config.form.has_wide_biases
        self.expand = Dense(config.inner_width, wide, bias=has_wide_bias)
        self.activation = activation(config.activation)
        self.gate = Dense(config.inner_width, wide, bias=has_wide_bias) if config.form.is_gated else None
        self.contract = Dense(wide, config.inner_width, bias=has_bias)

    def forward(self, hidden: Tensor, tap: LayerTap = UNTAPPED) -> Tensor:
        """Return [B, T, N] for [B, T, N]; N is the width within the layer."""
        wide = tap(Point.EXPANDED, self.expand(hidden))  # [B, T, F]
        active = tap(Point.ACTIVE, self.activation(wide))  # [B, T, F]
        if self.gate is not None:
            gate = tap(Point.GATE, self.gate(hidden))  # [B, T, F]
            active = tap(Point.GATED, active * gate)  # [B, T, F]
        return tap(Point.CONTRACTED, self.contract(active))  # [B, T, N]


class EarlierPart(nn.Module):
    """A feed-forward part before the last, with its sum and norm (Sun et al. 2020, arXiv:2004.02984)."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.feed_forward = FeedForward(config)
        self.norm = layer_norm(config, config.inner_width)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return [B, T, N] for [B, T, N]."""
        normed: Tensor = self.norm(hidden + self.feed_forward(hidden))
        return normed


class AdapterPart(nn.Module):
    """Two dense layers with an activation between them, their input added, for the texts of one language."""

    def __init__(self, config: EncoderConfig, kind: LanguageAdapter) -> None:
        super().__init__()
        self.form = config.form
        self.norm = layer_norm(config) if kind.has_own_norm else None
        self.down = Dense(config.width, kind.width)
        self.activation = activation(config.activation)
        self.up = Dense(kind.width, config.width)

    def forward(self, hidden: Tensor, shared_norm: nn.Module, tap: LayerTap = UNTAPPED) -> Tensor:
        """Return [B, T, D] for [B, T, D]; `shared_norm` is used where it has no norm of its own."""
        normed = hidden
        if self.form.norms_before_adapter:
            norm = shared_norm if self.norm is None else self.norm
            normed = tap(Point.ADAPTER_NORM, norm(hidden))  # [B, T, D]
        adapted = tap(Point.ADAPTED, self.up(self.activation(self.down(normed))))  # [B, T, D]
        kept = normed if self.form.adds_normed_to_adapter else hidden
        return tap(Point.ADAPTER_SUM, adapted + kept)  # [B, T, D]


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
        width = config.inner_width
        self.attention_norm = layer_norm(config, width) if has_norm else nn.Identity()
        self.earlier = nn.ModuleList(EarlierPart(config) for _ in range(config.form.n_feed_forwards - 1))
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config, width)
        self.adapter = None if config.adapter is None else AdapterPart(config, config.adapter)

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
        return self.norms_last(hidden, self.attention(hidden, positions, seen, tap), tap)  # [B, T, D]

    def norms_last(self, hidden: Tensor, attended: Tensor, tap: LayerTap) -> Tensor:
        """Return the layer's output [B, T, N] for what its attention `attended` [B, T, N]: add, norm.

        `hidden` [B, T, N] is what is added to that.
        """
        if tap.wants_any(_BY_TOKEN):
            return self._add_and_norm(hidden, attended, tap)
        return by_rows(partial(self._add_and_norm, tap=tap), hidden, attended)

    def _add_and_norm(self, hidden: Tensor, attended: Tensor, tap: LayerTap) -> Tensor:
        if not self.attention.adds_before_projection:
            attended = tap(Point.ATTENTION_SUM, hidden + attended)  # [B, T, N]  add
        hidden = tap(Point.ATTENTION_NORM, self.attention_norm(attended))  # [B, T, N]   and norm
        for part in self.earlier:
            hidden = tap(Point.EARLIER_PART, part(hidden))  # [B, T, N]
        total = tap(Point.OUTPUT_SUM, hidden + self.feed_forward(hidden, tap))  # [B, T, N]
        normed: Tensor = self.feed_forward_norm(self._adapted(total, tap))  # [B, T, N]  add and norm
        return normed

    def _norms_first(
        self, hidden: Tensor, positions: Positions, seen: Tensor | None, tap: LayerTap
    ) -> Tensor:
        """Return the next hidden state [B, T, D]: norm, attend and add; norm, feed forward and add."""
        normed = hidden
        if self.has_input_norm:
            normed = tap(Point.INPUT_NORM, self.attention_norm(hidden))  # [B, T, D]
        attended = self.attention(normed, positions, seen, tap)  # [B, T, D]
        if tap.wants_any(_BY_TOKEN):
            return self._add_after_norm(hidden, attended, tap)
        return by_rows(partial(self._add_after_norm, tap=tap), hidden, attended)

    def _add_after_norm(self, hidden: Tensor, attended: Tensor, tap: LayerTap) -> Tensor:
        hidden = tap(Point.ATTENTION_SUM, hidden + attended)  # [B, T, D]
        normed = tap(Point.ATTENTION_NORM, self.feed_forward_norm(hidden))  # [B, T, D]
        total = tap(Point.OUTPUT_SUM, hidden + self.feed_forward(normed, tap))  # [B, T, D]
        return self._adapted(total, tap)

    def _adapted(self, total: Tensor, tap: LayerTap) -> Tensor:
        return total if self.adapter is None else self.adapter(total, self.feed_forward_norm, tap)


class Narrowing(nn.Module):
    """A dense layer from D to the width N of the bottleneck, and a norm."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Dense(config.width, config.inner_width)
        self.norm = layer_norm(config, config.inner_width)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return [B, T, N] for [B, T, D]."""
        narrow: Tensor = self.norm(self.dense(hidden))
        return narrow


class BottleneckLayer(Layer):
    """A layer whose parts are of a width N smaller than D (Sun et al. 2020, arXiv:2004.02984)."""

    def __init__(self, config: EncoderConfig, kind: Bottleneck) -> None:
        super().__init__(config)
        self.narrow = Narrowing(config)
        self.narrow_for_attention = None if kind.is_shared else Narrowing(config)
        self.widen = Dense(kind.width, config.width)
        self.output_norm = layer_norm(config)

    def forward(
        self,
        hidden: Tensor,
        positions: Positions = NO_POSITIONS,
        seen: Tensor | None = None,
        tap: LayerTap = UNTAPPED,
    ) -> Tensor:
        """Return the next hidden state [B, T, D]. `positions` and `seen` as `SelfAttention.forward`."""
        narrow = tap(Point.NARROWED, self.narrow(hidden))  # [B, T, N]
        if self.narrow_for_attention is None:
            attended = self.attention(narrow, positions, seen, tap)  # [B, T, N]
        else:
            read = tap(Point.NARROWED_FOR_ATTENTION, self.narrow_for_attention(hidden))  # [B, T, N]
            attended = self.attention(read, positions, seen, tap, source=hidden)  # [B, T, N]
        inner = tap(Point.OUTPUT_NORM, self.norms_last(narrow, attended, tap))  # [B, T, N]
        wide = tap(Point.WIDENED, self.widen(inner))  # [B, T, D]
        output: Tensor = self.output_norm(tap(Point.WIDENED_SUM, wide + hidden))  # [B, T, D]
        return output
