"""The dense layer: x . W^T + b, by the faster of the two matrix libraries inside torch.

`arrange_weights` makes a second copy of weights, in the layout in which long texts are faster.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
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

BFLOAT16_ROWS = 16
"""On a CPU the rows of a product in bfloat16 are filled up to a multiple of this: oneDNN compiles a product
for each number of rows, which takes a fifth of the time of a short text.
"""

LONGEST_PACKED = 2048
"""Up to this many tokens packed weights are held; beyond, they save little time, and memory is scarce."""

_CPU_INFO = Path("/proc/cpuinfo")


class PackedWeight:
    """A copy of `weight` [out, in] in the order in which MKL's matrix product reads it.

    Copied or pickled it becomes None: MKL's numbers cannot be, and the copy of a module has other weights.
    """

    def __init__(self, weight: Tensor) -> None:
        self._weight, self._version = weight, version_of(weight)
        self._storage = weight.untyped_storage()  # as long as it is held, no other has its address
        self.numbers = mkl_packed(weight, LONG)

    def is_of(self, weight: Tensor) -> bool:
        """Return whether `weight` is the tensor that was copied, with the numbers that it had then.

        `Module.to` gives a weight another storage, which torch does not count as a change. Changes in place
        through `weight.data` and `weight.numpy()` are not counted either, and are not noticed here.
        """
        is_counted = weight is self._weight and version_of(weight) == self._version
        return is_counted and weight.untyped_storage().data_ptr() == self._storage.data_ptr()

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()


class Dense(nn.Linear):
    """`nn.Linear`, for long texts computed by the faster library when gradients are disabled.

    On Intel's processors that is MKL, which torch uses for float32 by default; it is faster still if the
    weight was packed. On others it is oneDNN: on an AMD with AVX-512 a whole pass of BERT-base takes twice as
    long with MKL.

    A batch of short texts with LONG tokens in all: a packed weight is used on one thread only, where it gives
    the results of the plain product to the last digit; oneDNN's product on several only, where it takes a
    tenth to a third less time.
    """

    packed: PackedWeight | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Return x . W^T + b: [..., out] for [..., in], in bfloat16 where the weight is."""
        if self.weight.dtype == torch.bfloat16:
            return self._in_bfloat16(x.to(torch.bfloat16))
        if self.packed is not None and torch.is_grad_enabled() and self.weight.requires_grad:
            self.packed = None  # it may be trained: torch does not count the steps of a fused optimizer
        n_rows = x.numel() // x.shape[-1]
        if x.ndim < 3 or n_rows < LONG or torch.is_grad_enabled() or not _is_plain(x):
            return super().forward(x)
        is_long, is_alone = x.shape[-2] >= LONG, torch.get_num_threads() == 1
        if self.packed is not None and (is_long or is_alone) and self.packed.is_of(self.weight):
            return mkl_product(x, self.packed.numbers, self.weight, self.bias)
        if (is_long or not is_alone) and not packs() and has_onednn_product():
            return onednn_product(x, self.weight, self.bias)
        return super().forward(x)

    def _in_bfloat16(self, x: Tensor) -> Tensor:
        n_rows = x.numel() // x.shape[-1]
        n_missing = -n_rows % BFLOAT16_ROWS
        if not n_missing or x.device.type != "cpu" or torch.is_grad_enabled():
            return super().forward(x)
        rows = nn.functional.pad(x.reshape(n_rows, -1), (0, 0, 0, n_missing))
        return super().forward(rows)[:n_rows].view(*x.shape[:-1], -1)


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
    description = platform.processor()
    if sys.platform == "linux":
        try:
            description = _CPU_INFO.read_text(encoding="utf-8", errors="replace")
        except OSError:  # some sandboxes hide it
            description = ""
    return "GenuineIntel" in description


def _is_plain(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float32
