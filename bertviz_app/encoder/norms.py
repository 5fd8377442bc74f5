"""Layer norms: that of Ba et al. 2016, and one that divides by the sample standard deviation."""

from __future__ import annotations

from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig


class DeviationNorm(nn.LayerNorm):
    """(x - mean) / (s + eps) * weight + bias, where s is the sample standard deviation (divided by D - 1).

    The norm of "The Annotated Transformer" and of code that follows it.
    """

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - torch's name
        """Return [..., D] for [..., D]."""
        mean, deviation = input.mean(-1, keepdim=True), input.std(-1, keepdim=True)
        normed: Tensor = self.weight * (input - mean) / (deviation + self.eps)
        return normed if self.bias is None else normed + self.bias


def layer_norm(config: EncoderConfig, width: int | None = None) -> nn.LayerNorm:
    """Return a layer norm over `width`, by default that of the layers."""
    kind = DeviationNorm if config.form.norms_by_deviation else nn.LayerNorm
    return kind(width or config.width, eps=config.norm_eps, bias=config.form.has_norm_biases)
