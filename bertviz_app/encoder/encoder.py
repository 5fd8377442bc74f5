"""`Encoder`: embeddings, a stack of layers, and the pooler."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from bertviz_app.encoder.attention import SelfAttention
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.convolution import NeighbourConvolution
from bertviz_app.encoder.disentangled import DisentangledPositions
from bertviz_app.encoder.embeddings import Embeddings
from bertviz_app.encoder.global_attention import global_tokens
from bertviz_app.encoder.layers import BottleneckLayer, FeedForward, Layer
from bertviz_app.encoder.norms import layer_norm
from bertviz_app.encoder.output.task_heads import Pooler
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
    frequencies,
    linear_biases,
    rotation,
)
from bertviz_app.encoder.tap import LayerTap
from bertviz_app.trace.form import Point, Tap
from bertviz_app.types import Check


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
        self.layers = nn.ModuleList(_layer(config, number) for number in range(config.n_stored_layers))
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
        return self._rotary(n_tokens, device)

    def _rotary(self, n_tokens: int, device: torch.device) -> tuple[Rotary, ...]:
        """Return the rotations and windows of all layers."""
        config = self.config
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


def _layer(config: EncoderConfig, number: int) -> Layer:
    if config.bottleneck is not None:
        return BottleneckLayer(config, config.bottleneck)
    return Layer(config, is_first=number == 0)
