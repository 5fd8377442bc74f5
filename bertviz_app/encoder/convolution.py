"""Convolutions over neighbouring tokens: after DeBERTa v2's first layer, beside ConvBERT's heads."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import pad

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.config import Convolution, EncoderConfig, SpanConvolution
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.tap import UNTAPPED, LayerTap
from bertviz_app.trace.form import Point


class NeighbourConvolution(nn.Module):
    """A convolution over neighbouring tokens, an activation, and a norm of the sum with the layer's output.

    It reads the input of the first layer. The authors of DeBERTa call it n-gram induced input encoding.
    """

    def __init__(self, config: EncoderConfig, kind: Convolution) -> None:
        super().__init__()
        half = (kind.kernel_size - 1) // 2
        self.convolution = nn.Conv1d(
            config.width, config.width, kind.kernel_size, padding=half, groups=kind.n_groups
        )
        self.activation = activation(kind.activation)
        self.norm = nn.LayerNorm(config.width, eps=config.norm_eps)

    def forward(
        self, hidden: Tensor, output: Tensor, seen: Tensor | None = None, tap: LayerTap = UNTAPPED
    ) -> Tensor:
        """Return the output of the first layer [B, T, D], given its input and what it is without convolution.

        Tokens beyond the ends of a text, and padding, count as zeros. `seen` as `SelfAttention.forward`.
        """
        output = tap(Point.OUTPUT_NORM, output)  # [B, T, D]
        if seen is not None:
            hidden = hidden * seen[..., None]
        folded = self.convolution(hidden.transpose(1, 2)).transpose(1, 2)  # [B, T, D]
        active = tap(Point.CONVOLVED, self.activation(folded))  # [B, T, D]
        normed: Tensor = self.norm(tap(Point.CONVOLUTION_SUM, output + active))  # [B, T, D]
        return normed


class SpanConvolutions(nn.Module):
    """As many convolutions as there are heads, each as wide; every token makes its own kernels.

    Jiang et al. 2020, arXiv:2008.02496, section 3.3: span-based dynamic convolution. A kernel is made of the
    token's query and of a key of the tokens around it; what is added up is another projection of these.
    """

    def __init__(self, config: EncoderConfig, kind: SpanConvolution) -> None:
        super().__init__()
        width, wide, size = config.width, config.heads_width, kind.kernel_size
        self.n_heads, self.size = config.n_heads, size
        self.key_depthwise = nn.Conv1d(width, width, size, padding=size // 2, groups=width, bias=False)
        self.key_pointwise = Dense(width, wide)
        self.kernel = Dense(wide, config.n_heads * size)
        self.source = Dense(width, wide)

    def forward(self, hidden: Tensor, queries: Tensor, seen: Tensor | None = None) -> Tensor:
        """Return [B, T, H * E] for what the attention reads [B, T, D] and its queries [B, T, H * E].

        Tokens beyond the ends of a text, and padding, count as zeros. `seen` as `SelfAttention.forward`.
        """
        is_there = 1.0 if seen is None else seen[..., None].to(hidden.dtype)
        folded = self.key_depthwise((hidden * is_there).transpose(1, 2)).transpose(1, 2)  # [B, T, D]
        keys = self.key_pointwise(folded)  # [B, T, H * E]
        made = self.kernel(keys * queries.to(keys.dtype))  # [B, T, H * K]
        kernels = made.view(*made.shape[:2], self.n_heads, self.size).softmax(-1)  # [B, T, H, K]
        source = self.source(hidden) * is_there  # [B, T, H * E]
        half = self.size // 2
        spans = pad(source, (0, 0, half, half)).unfold(1, self.size, 1)  # [B, T, H * E, K]
        by_head = spans.reshape(*made.shape[:2], self.n_heads, -1, self.size)  # [B, T, H, E, K]
        sums = by_head @ kernels[..., None]  # [B, T, H, E, 1]
        found: Tensor = sums.flatten(2)
        return found
