"""The dense layer: x . W^T + b, by the faster of the two matrix libraries inside torch.

`arrange_weights` makes a second copy of weights, in the layout in which long texts are faster.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import torch
from torch import Tensor, nn

from bertviz_app.torch_operations import (
    has_mkl_products,
    has_onednn_product,
    mkl_packed,
    mkl_product,
    onednn_product,
    version_of,
)

LONG = 128
"""From this many tokens on, faster kernels are used. They sum the same products in another order, so results
differ in the last digits. Shorter texts are computed operation by operation, as in the eager pass of
`transformers`, and agree with it to the last bit on most machines.
"""

LONGEST_PACKED = 2048
"""Up to this many tokens packed weights are held; beyond, they save little time, and memory is scarce."""


class PackedWeight:
    """A copy of `weight` [out, in] in the order in which MKL's matrix product reads it."""

    def __init__(self, weight: Tensor) -> None:
        self._weight, self._version = weight, version_of(weight)
        self.numbers = mkl_packed(weight, LONG)

    def is_of(self, weight: Tensor) -> bool:
        """Return whether `weight` is the tensor that was copied, with the numbers that it had then."""
        return weight is self._weight and version_of(weight) == self._version

    def __deepcopy__(self, memo: Mapping[int, object]) -> None:
        """Return None: the copy of a module has other weights, and MKL forbids copies of packed numbers."""


class Dense(nn.Linear):
    """`nn.Linear`, for long texts computed by the faster library when gradients are disabled.

    Packed weights serve batches of short texts, too, on one thread: there they give the same last digits.

    On Intel's processors that is MKL, which torch uses for float32 by default; it is faster still if the
    weight was packed. On others it is oneDNN: on an AMD with AVX-512 a whole pass of BERT-base takes twice as
    long with MKL.
    """

    packed: PackedWeight | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Return x . W^T + b: [..., out] for [..., in], in bfloat16 where the weight is."""
        if self.weight.dtype == torch.bfloat16:
            return super().forward(x.to(torch.bfloat16))
        n_rows = x.numel() // x.shape[-1]
        is_long = x.ndim > 2 and (x.shape[-2] >= LONG or (n_rows >= LONG and torch.get_num_threads() == 1))
        if not is_long or torch.is_grad_enabled() or not _is_plain(x):
            return super().forward(x)
        if self.packed is not None and self.packed.is_of(self.weight):
            return mkl_product(x, self.packed.numbers, self.weight, self.bias)
        if x.shape[-2] >= LONG and not packs() and has_onednn_product():
            return onednn_product(x, self.weight, self.bias)
        return super().forward(x)


def arrange_weights(layers: nn.Module, n_tokens: int) -> None:
    """Pack the weights of `layers` where that helps a text of `n_tokens`.

    The copy takes as much memory as the weights: 340 MB for those of BERT-base. A short text leaves it as it
    is, a very long one removes it. On other devices and in bfloat16 nothing is packed.
    """
    if n_tokens < LONG or not packs():
        return
    for dense in _dense_layers(layers):
        if dense.weight.device.type != "cpu" or dense.weight.dtype != torch.float32:
            continue
        if n_tokens > LONGEST_PACKED:
            dense.packed = None
        elif dense.packed is None or not dense.packed.is_of(dense.weight):
            dense.packed = PackedWeight(dense.weight)


def packed_bytes(layers: nn.Module) -> int:
    """Return how many bytes the packed weights of `layers` take."""
    return sum(dense.weight.nbytes for dense in _dense_layers(layers) if dense.packed is not None)


def _dense_layers(layers: nn.Module) -> Iterator[Dense]:
    return (module for module in layers.modules() if isinstance(module, Dense))


@cache
def packs() -> bool:
    """Return whether packing weights helps: on Intel's processors, if torch has the operations of MKL."""
    return _is_intel() and has_mkl_products()


def _is_intel() -> bool:
    if sys.platform == "linux":
        return "GenuineIntel" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    return "GenuineIntel" in platform.processor()


def _is_plain(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float32
