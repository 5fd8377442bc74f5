"""`Encoder`: embeddings, a stack of layers, and the pooler."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

from torch import Tensor, nn

from bertviz_app.encoder.attention import Heads
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.disentangled import DisentangledPositions
from bertviz_app.encoder.embeddings import EmbeddingParts, Embeddings
from bertviz_app.encoder.layers import Layer, layer_norm
from bertviz_app.encoder.positions import NOWHERE, Positions, RelativePositions, rotation
from bertviz_app.encoder.task_heads import Pooler


class EncoderOutput(NamedTuple):
    """What comes out at the top."""

    hidden: Tensor  # [B, T, D]
    pooled: Tensor | None  # [B, D], None without a pooler


class Witness(Protocol):
    """What a forward pass tells as it goes, if asked: `recorder.Recorder` keeps it."""

    def keep_embeddings(self, hidden: Tensor, parts: EmbeddingParts) -> None: ...

    def keep_positions(self, positions: tuple[Positions, ...]) -> None: ...

    def keep_layer(self, layer: int, hidden: Tensor, heads: Heads) -> None: ...

    def keep_pooled(self, pooled: Tensor | None) -> None: ...


class Encoder(nn.Module):
    """BERT (Devlin et al. 2019, arXiv:1810.04805) and its next of kin, without dropout.

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
        n_own = 1 if config.shares_layers else config.n_layers
        self.layers = nn.ModuleList(Layer(config, is_first=number == 0) for number in range(n_own))
        self.final_norm = layer_norm(config) if config.form.has_final_norm else None
        self.pooler = Pooler(config) if config.has_pooler else None

    def layer(self, number: int) -> Layer:
        """Return what computes layer `number`: every one of them where they share their weights."""
        layer = self.layers[0 if self.config.shares_layers else number]
        assert isinstance(layer, Layer)
        return layer

    def forward(
        self,
        ids: Tensor,
        segment_ids: Tensor,
        position_ids: Tensor,
        recorder: Witness | None = None,
        muted: Collection[tuple[int, int]] = (),
        seen: Tensor | None = None,
    ) -> EncoderOutput:
        """Return the last hidden state and the pooled vector of ids given as int64 [B, T].

        A `recorder` is told what is computed on the way. `muted` names the heads, (layer, head), that
        hand over nothing. `seen`, bool [B, T], says of several texts in training what is no padding; the
        encoder must have learned positions, and nobody records.
        """
        hidden, parts = self.embeddings(ids, segment_ids, position_ids)  # [B, T, D]
        if recorder is not None:
            recorder.keep_embeddings(hidden, parts)
        positions = self.positions(ids.shape[1], seen)
        if recorder is not None:
            recorder.keep_positions(positions)
        for number in range(self.config.n_layers):
            silent = [head for at, head in muted if at == number]
            hidden, heads = self.layer(number)(hidden, silent, positions[number])  # [B, T, D]
            hidden = self.finished(number, hidden)  # [B, T, D]
            if recorder is not None:
                recorder.keep_layer(number, hidden, heads)
        pooled = None if self.pooler is None else self.pooler(hidden)  # [B, D]
        if recorder is not None:
            recorder.keep_pooled(pooled)
        return EncoderOutput(hidden, pooled)

    def finished(self, layer: int, hidden: Tensor) -> Tensor:
        """Return what a layer hands up: of the last one through the norm on top of the stack, if any."""
        if self.final_norm is None or layer < self.config.n_layers - 1:
            return hidden
        normed: Tensor = self.final_norm(hidden)
        return normed

    def positions(self, n_tokens: int, seen: Tensor | None = None) -> tuple[Positions, ...]:
        """Return what the attention of each layer knows of the places of `n_tokens` tokens."""
        if seen is not None:
            return (Positions(seen=seen),) * self.config.n_layers
        config, device = self.config, self.embeddings.token.weight.device
        if self.relative is not None:
            return (Positions(by_distance=self.relative(n_tokens)),) * config.n_layers
        if self.disentangled is not None:
            return (self.disentangled(n_tokens),) * config.n_layers
        if not config.rotary_bases:
            return (NOWHERE,) * config.n_layers
        turns = {
            base: rotation(n_tokens, config.head_width, base, device) for base in set(config.rotary_bases)
        }
        return tuple(
            Positions(rotation=turns[base], reach=reach)
            for base, reach in zip(config.rotary_bases, config.reaches, strict=True)
        )
