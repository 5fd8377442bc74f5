"""The convolution that DeBERTa v2 adds to the output of its first layer."""

from __future__ import annotations

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.config import Convolution, EncoderConfig
from bertviz_app.encoder.tap import UNTAPPED, LayerTap
from bertviz_app.trace.points import Point


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
