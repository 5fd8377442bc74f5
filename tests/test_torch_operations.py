"""Tests of the operations of torch that are not public: each computes what the public one does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch.nn.functional import linear, scaled_dot_product_attention

from bertviz_app.torch_operations import (
    cpu_flash_attention,
    has_cpu_flash_attention,
    has_mkl_products,
    has_onednn_product,
    mkl_packed,
    mkl_product,
    onednn_product,
    page_locked,
    version_of,
)
from tests.support.module_facts import ROOT

N_TOKENS, N_IN, N_OUT = 150, 24, 40


@pytest.mark.skipif(not has_cpu_flash_attention(), reason="this torch has no such operation")
def test_fused_attention_is_the_public_one_with_the_log_sum_exp() -> None:
    queries, keys, values = (torch.randn(1, 3, N_TOKENS, 16) for _ in range(3))
    mixed, lse = cpu_flash_attention(queries, keys, values, 0.25)
    assert torch.equal(mixed, scaled_dot_product_attention(queries, keys, values, scale=0.25))
    scores = queries.double() @ keys.double().transpose(-1, -2) * 0.25
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=1e-5)


_IN_BFLOAT16 = """
import torch
from bertviz_app.torch_operations import cpu_flash_attention, cpu_flash_attention_takes_bfloat16

if cpu_flash_attention_takes_bfloat16():
    queries = torch.randn(1, 3, 150, 16, dtype=torch.bfloat16)
    mixed, lse = cpu_flash_attention(queries, queries, queries, 0.25)
    scores = queries.double() @ queries.double().transpose(-1, -2) * 0.25
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=0.02)
"""


@pytest.mark.slow  # imports torch anew
@pytest.mark.skipif(not has_cpu_flash_attention(), reason="this torch has no such operation")
@pytest.mark.parametrize("kind", ["default", "avx2"])
def test_where_fused_attention_takes_bfloat16_it_computes_it(kind: str) -> None:
    """`kind`: of which processor torch may use the instructions."""
    environment = os.environ | {"ATEN_CPU_CAPABILITY": kind}
    subprocess.run([sys.executable, "-c", _IN_BFLOAT16], check=True, cwd=ROOT, env=environment, timeout=120)


def _by_mkl(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return mkl_product(x, mkl_packed(weight, N_TOKENS), weight, bias)


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize(
    ("product", "is_there"), [(_by_mkl, has_mkl_products), (onednn_product, has_onednn_product)]
)
def test_products_are_those_of_a_dense_layer(
    product: Callable[..., torch.Tensor], is_there: Callable[[], bool], *, has_bias: bool
) -> None:
    if not is_there():
        pytest.skip("this torch has no such operation")
    x, weight = torch.randn(2, N_TOKENS, N_IN), torch.randn(N_OUT, N_IN)
    bias = torch.randn(N_OUT) if has_bias else None
    with torch.inference_mode():
        torch.testing.assert_close(product(x, weight, bias), linear(x, weight, bias), rtol=0, atol=1e-4)


def test_a_change_in_place_raises_the_version() -> None:
    tensor = torch.zeros(3)
    before = version_of(tensor)
    tensor.add_(1)
    assert version_of(tensor) > before


def test_no_other_module_names_what_is_not_public() -> None:
    private = re.compile(r"torch\.(ops|_[A-Z])")
    modules = (ROOT / "bertviz_app").rglob("*.py")
    naming = {path.name for path in modules if private.search(path.read_text(encoding="utf-8"))}
    assert naming == {"torch_operations.py"}


def test_page_locked_memory_is_ordinary_where_the_system_grants_none() -> None:
    block = page_locked(1000)
    block[:] = 7
    assert (block.nbytes, int(block.sum())) == (1000, 7000)
    assert torch.from_numpy(block).is_pinned() == torch.cuda.is_available()
