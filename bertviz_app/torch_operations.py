"""Operations of torch that are not public: what each computes, whether this torch has it; and a grad mode.

A later torch may lack them, and so do some builds. Callers call the `has_...` function first; its docstring
names what to use where it returns False. `resources/docs/explanation/decisions.md` has what each gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from bertviz_app.types import Bytes


@contextmanager
def own_grad_mode() -> Iterator[None]:
    """Record gradients inside, whatever mode the caller is in; also a decorator.

    Under the caller's `torch.inference_mode()` weights that are read, too, would be tensors that no gradient
    passes through for ever after.
    """
    with torch.inference_mode(mode=False), torch.enable_grad():
        yield


def has_cpu_flash_attention() -> bool:
    """Return whether there is `cpu_flash_attention`; else: scores, softmax and product, block by block."""
    return hasattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu")


def cpu_flash_attention_takes_bfloat16() -> bool:
    """Return whether `cpu_flash_attention` can be called with bfloat16 numbers.

    Where the processor multiplies them, the operation orders them in a way that torch has compiled for
    AVX-512 only, and raises RuntimeError where the environment (ATEN_CPU_CAPABILITY) limits torch to less.
    """
    return not cpu_multiplies_bfloat16() or torch.backends.cpu.get_cpu_capability() == "AVX512"


def cpu_flash_attention(queries: Tensor, keys: Tensor, values: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    """Return softmax(Q . K^T * scale) . V [B, H, T, E], and the log-sum-exp of each row [B, H, T].

    The public `scaled_dot_product_attention` computes the former by this operation, and drops the latter.
    """
    mixed, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        queries, keys, values, scale=scale
    )
    return mixed, lse


def has_cuda_efficient_attention() -> bool:
    """Return whether there is `cuda_efficient_attention`; else: as without `cpu_flash_attention`."""
    return hasattr(torch.ops.aten, "_scaled_dot_product_efficient_attention")


def cuda_efficient_attention(
    queries: Tensor, keys: Tensor, values: Tensor, scale: float
) -> tuple[Tensor, Tensor]:
    """Return what `cpu_flash_attention` does, on CUDA; the log-sum-exp is padded to a multiple of 32 rows."""
    fused = torch.ops.aten._scaled_dot_product_efficient_attention
    mixed, lse, *_ = fused(queries, keys, values, None, True, scale=scale)
    return mixed, lse


def page_locked(n_bytes: int) -> Bytes:
    """Return memory that stays in place, so that a GPU copies into it without the processor.

    Where the system grants none it is memory as any other.
    """
    try:
        block = torch.empty(n_bytes, dtype=torch.uint8, pin_memory=True)
    except RuntimeError:
        block = torch.empty(n_bytes, dtype=torch.uint8)
    return block.numpy()


def has_mkl_products() -> bool:
    """Return whether there are `mkl_packed` and `mkl_product`; else: `nn.functional.linear`."""
    return torch._C.has_mkl and all(
        hasattr(torch.ops.mkl, name) for name in ("_mkl_reorder_linear_weight", "_mkl_linear")
    )  # the public one has no types


def mkl_packed(weight: Tensor, n_rows: int) -> Tensor:
    """Return a copy of `weight` [out, in] in the order in which MKL reads it for about `n_rows` rows."""
    packed: Tensor = torch.ops.mkl._mkl_reorder_linear_weight(weight, n_rows)
    return packed


def mkl_product(x: Tensor, packed: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x . W^T + b [..., out] of x [..., in], float32 on a CPU, by the packed copy of `weight`."""
    out: Tensor = torch.ops.mkl._mkl_linear(x, packed, weight, bias, x.numel() // x.shape[-1])
    return out


def has_onednn_product() -> bool:
    """Return whether there is `onednn_product`, which Apple's builds lack; else: `nn.functional.linear`."""
    return bool(torch.backends.mkldnn.enabled) and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def onednn_product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x . W^T + b [..., out] of x [..., in], float32 on a CPU."""
    out: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return out


def cpu_multiplies_bfloat16() -> bool:
    """Return whether the processor multiplies bfloat16 numbers; False where torch cannot tell."""
    can_tell = hasattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported")
    return can_tell and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def version_of(tensor: Tensor) -> int:
    """Return a number that grows when the numbers of `tensor` are changed in place."""
    return int(tensor._version)
