"""`Encoder`: embeddings, a stack of layers, and the pooler; the inputs of a pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bertviz_app.encoder.attention import (
    DisentangledPositions,
    NeighbourConvolution,
    SelfAttention,
    global_tokens,
)
from bertviz_app.encoder.config import Bottleneck, EncoderConfig, LanguageAdapter
from bertviz_app.encoder.dense import UNTAPPED, Dense, Embeddings, LayerTap, activation, layer_norm
from bertviz_app.encoder.output import Pooler
from bertviz_app.encoder.positions import (
    NO_POSITIONS,
    AttentionWindow,
    Blocked,
    Causal,
    DistanceBias,
    Offsets,
    Positions,
    RelativePositions,
    Rotary,
    RotaryFrequencies,
    by_rows,
    frequencies,
    linear_biases,
    rotation,
)
from bertviz_app.errors import Check, CheckpointError, Message
from bertviz_app.text import Tokens
from bertviz_app.trace.form import Point, Tap

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
        read = hidden
        if self.has_input_norm:
            read = tap(Point.INPUT_NORM, self.attention_norm(hidden))  # [B, T, D]
        attended = self.attention(read, positions, seen, tap)  # [B, T, D]
        return self.after_attention(hidden, attended, tap)

    def after_attention(self, hidden: Tensor, attended: Tensor, tap: LayerTap) -> Tensor:
        """Return the layer's output [B, T, N] for what its attention `attended` [B, T, N].

        `hidden` [B, T, N] is what is added to that.
        """
        compute = partial(self._add_after_norm if self.is_pre_norm else self._add_and_norm, tap=tap)
        return compute(hidden, attended) if tap.wants_any(_BY_TOKEN) else by_rows(compute, hidden, attended)

    def _add_and_norm(self, hidden: Tensor, attended: Tensor, tap: LayerTap) -> Tensor:
        if not self.attention.adds_before_projection:
            attended = tap(Point.ATTENTION_SUM, hidden + attended)  # [B, T, N]  add
        hidden = tap(Point.ATTENTION_NORM, self.attention_norm(attended))  # [B, T, N]   and norm
        for part in self.earlier:
            hidden = tap(Point.EARLIER_PART, part(hidden))  # [B, T, N]
        total = tap(Point.OUTPUT_SUM, hidden + self.feed_forward(hidden, tap))  # [B, T, N]
        if self.adapter is not None:
            total = self.adapter(total, self.feed_forward_norm, tap)  # [B, T, N]
        normed: Tensor = self.feed_forward_norm(total)  # [B, T, N]  add and norm
        return normed

    def _add_after_norm(self, hidden: Tensor, attended: Tensor, tap: LayerTap) -> Tensor:
        hidden = tap(Point.ATTENTION_SUM, hidden + attended)  # [B, T, D]
        normed = tap(Point.ATTENTION_NORM, self.feed_forward_norm(hidden))  # [B, T, D]
        total = tap(Point.OUTPUT_SUM, hidden + self.feed_forward(normed, tap))  # [B, T, D]
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
        inner = tap(Point.OUTPUT_NORM, self.after_attention(narrow, attended, tap))  # [B, T, N]
        wide = tap(Point.WIDENED, self.widen(inner))  # [B, T, D]
        output: Tensor = self.output_norm(tap(Point.WIDENED_SUM, wide + hidden))  # [B, T, D]
        return output


class EncoderOutput(NamedTuple):
    """The result of a forward pass."""

    hidden: Tensor  # [B, T, D]
    pooled: Tensor | None  # [B, D], None without a pooler


class Encoder(nn.Module):
    """BERT (Devlin et al. 2019, arXiv:1810.04805) and related encoders, without dropout.

    It has parameters and no buffers, so that it can be built on the meta device and given its weights
    by `load_state_dict(weights, assign=True)`.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        kind = config.disentangling
        self.disentangled = None if kind is None else DisentangledPositions(config, kind)
        self.relative = RelativePositions(config) if config.n_distance_buckets else None
        bottleneck = config.bottleneck
        self.layers = nn.ModuleList(
            Layer(config, is_first=number == 0) if bottleneck is None else BottleneckLayer(config, bottleneck)
            for number in range(config.n_stored_layers)
        )
        self.rotary = RotaryFrequencies(config) if config.has_own_frequencies else None
        convolution = config.convolution
        self.convolution = None if convolution is None else NeighbourConvolution(config, convolution)
        self.final_norm = layer_norm(config) if config.form.has_final_norm else None
        self.pooler = Pooler(config) if config.has_pooler else None

    def layer(self, number: int) -> Layer:
        """Return the module that computes layer `number`; where layers share weights it computes several."""
        stored = self.config.stored_layers
        layer = self.layers[stored[number] if stored else number]
        assert isinstance(layer, Layer)
        return layer

    def multiplied(self) -> frozenset[str]:
        """Return the names of the weights and biases of the layers' large products.

        These are the projections of the attention and the dense layers of the feed-forward parts. Where they
        are in bfloat16, embeddings, sums, norms and softmax are computed in float32 all the same.
        """
        parts = {
            f"{name}.{part}"
            for name, module in self.layers.named_modules(prefix="layers")
            if isinstance(module, SelfAttention | FeedForward)
            for part in module.PRODUCTS
        }
        return frozenset(name for name in self.state_dict() if name.rpartition(".")[0] in parts)

    def forward(
        self,
        ids: Tensor,
        segment_ids: Tensor,
        position_ids: Tensor,
        seen: Tensor | None = None,
        *,
        tap: Tap | None = None,
        check: Check = lambda: None,
    ) -> EncoderOutput:
        """Return the last hidden state and the pooled vector of ids given as int64 [B, T].

        `seen`, bool [B, T], is False for padding, which no token attends to; rows of padding hold numbers
        without a meaning. `tap` reads or replaces tensors on the way. `check` is called several times in each
        layer and may raise `errors.Cancelled`.
        """
        hidden = self.embeddings(ids, segment_ids, position_ids, LayerTap(tap, 0, check), seen)  # [B, T, D]
        positions = self.positions(ids.shape[1], ids, seen)
        for number in range(self.config.n_layers):
            hidden = self.layer_output(number, hidden, positions[number], seen, tap, check)  # [B, T, D]
        return EncoderOutput(hidden, self.pooled(hidden, tap))

    def layer_output(
        self,
        layer: int,
        hidden: Tensor,
        positions: Positions,
        seen: Tensor | None = None,
        tap: Tap | None = None,
        check: Check = lambda: None,
    ) -> Tensor:
        """Return the output of `layer` [B, T, D] for its input `hidden`, as `forward` computes it.

        To that of the first layer a convolution may be added; that of the last layer goes through the norm on
        top of the stack, if there is one.
        """
        at = LayerTap(tap, layer, check)
        given = hidden
        hidden = self.layer(layer)(given, positions, seen, at)  # [B, T, D]
        if self.convolution is not None and layer == 0:
            hidden = self.convolution(given, hidden, seen, at)  # [B, T, D]
        if self.final_norm is not None and layer == self.config.n_layers - 1:
            if not self.config.form.is_pre_norm:
                hidden = at(Point.OUTPUT_NORM, hidden)  # [B, T, D], the layer's own norm
            hidden = self.final_norm(hidden)  # [B, T, D]
        return at(Point.OUTPUT, hidden)

    def pooled(self, hidden: Tensor, tap: Tap | None = None) -> Tensor | None:
        """Return the pooled vector [B, D] of the last hidden state, None without a pooler."""
        if self.pooler is None:
            return None
        pooled: Tensor = self.pooler(hidden, LayerTap(tap, self.config.n_layers - 1))
        return pooled

    def positions(
        self, n_tokens: int, ids: Tensor | None = None, seen: Tensor | None = None
    ) -> tuple[Positions, ...]:
        """Return the position information that enters the scores of each layer, of `n_tokens` tokens.

        Where some tokens are global, `ids` [B, T] are needed to know which. `seen`, bool [B, T], is False for
        padding.
        """
        config, device = self.config, self.embeddings.token.weight.device
        if self.relative is not None:
            return (self.relative(n_tokens),) * config.n_layers
        if config.has_linear_biases:
            return (DistanceBias(linear_biases(config.n_heads, n_tokens, device)),) * config.n_layers
        if self.disentangled is not None:
            return (self.disentangled(n_tokens),) * config.n_layers
        if config.relative_keys is not None:
            return (Offsets.of(n_tokens, config.n_positions, device),) * config.n_layers
        if config.blocks is not None:
            counts = torch.tensor([n_tokens], device=device) if seen is None else seen.sum(-1)  # [B]
            return (Blocked(config.blocks, counts),) * config.n_layers
        if config.form.is_causal:
            return (Causal(),) * config.n_layers
        if not config.rotary_bases:
            kind = config.global_tokens
            chosen = None if kind is None or ids is None else global_tokens(kind, ids)  # [B, T]
            windows = tuple(AttentionWindow(reach, chosen) for reach in config.reaches)
            return windows or (NO_POSITIONS,) * config.n_layers
        if self.rotary is not None:
            return (Rotary(rotation=self.rotary(n_tokens)),) * config.n_layers
        pairs = config.rotates_pairs
        rotations = {base: self._rotation(n_tokens, base, device) for base in set(config.rotary_bases)}
        return tuple(
            Rotary(reach, rotation=rotations[base], is_interleaved=pairs)
            for base, reach in zip(config.rotary_bases, config.reaches, strict=True)
        )

    def _rotation(self, n_tokens: int, base: float, device: torch.device) -> Tensor:
        """Return the rotations of a base; those of RoFormer, as its code does, from angles in float64."""
        config = self.config
        is_exact = config.rotates_pairs and not config.rounds_angles
        where = torch.device("cpu") if is_exact else device  # some devices have no float64
        kind = torch.float64 if is_exact else torch.float32
        numbers = frequencies(config.head_width, base, where, kind) * config.rotary_factor
        return rotation(n_tokens, numbers, is_interleaved=config.rotates_pairs).to(device)


class EncoderInputs(NamedTuple):
    """B inputs of up to T tokens; `seen` is False for padding, None where all inputs have T tokens."""

    ids: Tensor  # int64 [B, T]
    segment_ids: Tensor  # int64 [B, T]
    position_ids: Tensor  # int64 [B, T]
    seen: Tensor | None  # bool [B, T]


def encoder_inputs(config: EncoderConfig, inputs: Sequence[Tokens], device: torch.device) -> EncoderInputs:
    """Return `inputs` as one batch on `device`; shorter ones repeat their last token as padding.

    Raises CheckpointError when the tokens have ids that the model has no embedding for.
    """
    names = ("ids", "segment_ids", "position_ids")
    counts = config.vocabulary_size, max(1, config.n_segments), config.n_positions  # a lone segment has id 0
    for tokens in inputs:
        for name, count in zip(names, counts, strict=True):
            ids = getattr(tokens, name)
            if len(wrong := ids[(ids < 0) | (ids >= count)]):
                ends = int(wrong[0]), count - 1
                problems = {
                    "ids": Message(
                        "The token id {0} does not exist: this model has token ids 0 to {1}.", *ends
                    ),
                    "segment_ids": Message(
                        "The segment id {0} does not exist: this model has segment ids 0 to {1}.", *ends
                    ),
                    "position_ids": Message(
                        "The position id {0} does not exist: this model has position ids 0 to {1}.", *ends
                    ),
                }
                hint = Message("Its tokenizer and its weights do not belong together.")
                raise CheckpointError(problems[name], hint)
    lengths = [len(tokens) for tokens in inputs]
    longest = max(lengths)
    indices = np.minimum(np.arange(longest), np.array(lengths)[:, None] - 1)  # [B, T]
    rows = [
        [getattr(tokens, name)[index] for tokens, index in zip(inputs, indices, strict=True)]
        for name in names
    ]
    ids, segment_ids, position_ids = torch.from_numpy(np.array(rows, np.int64)).to(device)  # each [B, T]
    seen = np.arange(longest) < np.array(lengths)[:, None]  # [B, T]
    padding = None if seen.all() else torch.from_numpy(seen).to(device)
    return EncoderInputs(ids, segment_ids, position_ids, padding)
