"""The dense layer: x . W^T + b, by the faster of the two matrix libraries inside torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

LONG = 128
"""From this many tokens on the faster kernels are taken: they add the same products in another order, so
that numbers differ in the last digits. Shorter texts are computed as `transformers`' eager pass does it,
operation by operation, and give its numbers to the last bit on most machines.
"""


class Dense(nn.Linear):
    """`nn.Linear`, computed by oneDNN for long texts where no gradient is wanted and this torch can.

    Left alone torch takes MKL for float32, which holds back on processors that are not Intel's: on an AMD
    with AVX-512 a whole pass of BERT-base takes twice as long.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return x . W^T + b: [..., out] for [..., in]."""
        if not _serves(x):
            return super().forward(x)
        out: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return out


def _serves(x: Tensor) -> bool:
    """Return whether oneDNN can take `x`. Its operation is not public, and Apple's builds go without."""
    if x.ndim < 3 or x.shape[-2] < LONG:
        return False
    if torch.is_grad_enabled() or x.device.type != "cpu" or x.dtype != torch.float32:
        return False
    return hasattr(torch.ops.mkldnn, "_linear_pointwise")
