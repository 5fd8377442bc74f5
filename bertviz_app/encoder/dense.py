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
        self._weight, self._version = weight, weight._version  # noqa: SLF001 - documented by torch as internal
        self.numbers: Tensor = torch.ops.mkl._mkl_reorder_linear_weight(weight, LONG)  # noqa: SLF001 - not public in torch; see the decisions

    def is_of(self, weight: Tensor) -> bool:
        """Return whether `weight` is the tensor that was copied, with the numbers that it had then."""
        return weight is self._weight and weight._version == self._version  # noqa: SLF001 - documented by torch as internal

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
        out: Tensor
        if self.packed is not None and self.packed.is_of(self.weight):
            out = torch.ops.mkl._mkl_linear(x, self.packed.numbers, self.weight, self.bias, n_rows)  # noqa: SLF001 - not public in torch; see the decisions
        elif x.shape[-2] >= LONG and not packs() and _has_onednn():
            out = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")  # noqa: SLF001 - not public in torch; see the decisions
        else:
            out = super().forward(x)
        return out


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
    """Return whether packing weights helps: on Intel's processors, if torch has MKL and the operations.

    The operations are not public.
    """
    return _is_intel() and torch._C.has_mkl and hasattr(torch.ops.mkl, "_mkl_linear")  # noqa: SLF001 - the public function has no types


def _is_intel() -> bool:
    if sys.platform == "linux":
        return "GenuineIntel" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    return "GenuineIntel" in platform.processor()


def _is_plain(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float32


def _has_onednn() -> bool:
    """Return whether torch has oneDNN's product. The operation is not public, and Apple's builds lack it."""
    return bool(torch.backends.mkldnn.enabled) and hasattr(torch.ops.mkldnn, "_linear_pointwise")
