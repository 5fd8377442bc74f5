"""What stands on top of the stack and turns hidden states into an answer."""

from __future__ import annotations

from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import Dense


class Pooler(nn.Module):
    """The vector of a whole input: [CLS]'s last hidden state through a dense layer and tanh."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Dense(config.width, config.width)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return [B, D] in (-1, 1) for the last hidden state [B, T, D]."""
        first = hidden[:, 0]  # [B, D], [CLS]
        pooled: Tensor = self.dense(first).tanh()  # [B, D]
        return pooled
