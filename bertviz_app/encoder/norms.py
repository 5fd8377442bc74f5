"""Layer norms: that of Ba et al. 2016, two that divide by something else, and one that only scales."""

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


class RmsNorm(nn.LayerNorm):
    """x / sqrt(mean(x^2) + eps) * weight, of x with its mean (Zhang and Sennrich 2019, arXiv:1910.07467)."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - torch's name
        """Return [..., D] for [..., D]."""
        mean_square = input.square().mean(-1, keepdim=True)
        normed: Tensor = self.weight * (input * (mean_square + self.eps).rsqrt())
        return normed if self.bias is None else normed + self.bias


class ScalingNorm(nn.LayerNorm):
    """x * weight + bias: what stands in MobileBERT where others have a norm.

    Sun et al. 2020, arXiv:2004.02984, section 3.3; `NoNorm` in its code.
    """

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - torch's name
        """Return [..., D] for [..., D]."""
        scaled: Tensor = input * self.weight
        return scaled if self.bias is None else scaled + self.bias


def layer_norm(config: EncoderConfig, width: int | None = None) -> nn.LayerNorm:
    """Return a layer norm over `width`, by default D."""
    kind = DeviationNorm if config.form.norms_by_deviation else nn.LayerNorm
    kind = RmsNorm if config.form.has_rms_norms else kind
    kind = ScalingNorm if config.form.has_scaling_norms else kind
    return kind(width or config.width, eps=config.norm_eps, bias=config.form.has_norm_biases)
