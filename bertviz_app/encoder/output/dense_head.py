"""`DenseHead`: a task head of dense layers alone, as notebooks write them."""

from __future__ import annotations

from torch import Tensor, nn

from bertviz_app.encoder.activations import activation
from bertviz_app.encoder.config import DenseHeadConfig, EncoderConfig
from bertviz_app.encoder.dense import Dense


class DenseHead(nn.Module):
    """One dense layer after the other, with an activation between them, of what `config.reads` names."""

    def __init__(self, encoder: EncoderConfig, config: DenseHeadConfig) -> None:
        super().__init__()
        inputs = (encoder.width, *config.widths[:-1])
        sizes = zip(inputs, config.widths, config.biases, strict=True)
        self.layers = nn.ModuleList(Dense(given, made, bias=bias) for given, made, bias in sizes)
        self.activation = None if config.activation is None else activation(config.activation)
        self.reads, self.reverses = config.reads, config.reverses

    def forward(self, hidden: Tensor, pooled: Tensor | None, seen: Tensor | None = None) -> Tensor:
        """Return logits [B, N], of tokens [B, T, N], for the last hidden state [B, T, D].

        `pooled` [B, D] is the pooled vector; `seen`, bool [B, T], is False for padding.
        """
        x = self._input(hidden, pooled, seen)  # [B, D] or [B, T, D]
        for number, layer in enumerate(self.layers):
            x = layer(x if number == 0 or self.activation is None else self.activation(x))
        return x.flip(-1) if self.reverses else x

    def _input(self, hidden: Tensor, pooled: Tensor | None, seen: Tensor | None) -> Tensor:
        if self.reads == "pooled":
            assert pooled is not None
            return pooled
        if self.reads == "mean":
            return mean_of_tokens(hidden, seen)
        if self.reads == "max":
            lowest = hidden if seen is None else hidden.masked_fill(~seen[..., None], -float("inf"))
            return lowest.amax(1)
        return hidden[:, 0] if self.reads == "first" else hidden


def mean_of_tokens(hidden: Tensor, seen: Tensor | None) -> Tensor:
    """Return the mean [B, D] of the hidden states [B, T, D] of all tokens that are no padding."""
    if seen is None:
        return hidden.mean(1)
    shares = seen / seen.sum(1, keepdim=True)  # [B, T]
    return (hidden * shares[..., None]).sum(1)
