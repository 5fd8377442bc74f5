"""The dense layer: x . W^T + b, by the faster of the two matrix libraries inside torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

LONG = 128
"""From this many tokens on, faster kernels are used. They sum the same products in another order, so results
differ in the last digits. Shorter texts are computed operation by operation, as in the eager pass of
`transformers`, and agree with it to the last bit on most machines.
"""


class Dense(nn.Linear):
    """`nn.Linear`, computed by oneDNN for long texts when gradients are disabled and torch has the operation.

    By default torch uses MKL for float32, which is slower on processors that are not Intel's: on an AMD with
    AVX-512 a whole pass of BERT-base takes twice as long.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return x . W^T + b: [..., out] for [..., in]."""
        if not _serves(x):
            return super().forward(x)
        out: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")  # noqa: SLF001 - not public in torch; see the decisions
        return out


def _serves(x: Tensor) -> bool:
    """Return whether oneDNN is to compute `x`. The operation is not public, and Apple's builds lack it."""
    if x.ndim < 3 or x.shape[-2] < LONG:
        return False
    if torch.is_grad_enabled() or x.device.type != "cpu" or x.dtype != torch.float32:
        return False
    return bool(torch.backends.mkldnn.enabled) and hasattr(torch.ops.mkldnn, "_linear_pointwise")
