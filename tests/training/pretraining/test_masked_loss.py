"""The loss of masked tokens, computed a few rows at a time, is torch's own, and so is its gradient."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertviz_app.training.pretraining.network import mean_loss


def _examples(n_rows: int, dtype: torch.dtype, scale: float = 3.0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n_rows)
    scores = scale * torch.randn(n_rows, 50, generator=generator)
    answers = torch.randint(50, (n_rows,), generator=generator)
    return scores.to(dtype).requires_grad_(), answers


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("n_rows", [1, 15, 16, 17, 100])
@pytest.mark.parametrize("scale", [3.0, 300.0])
def test_loss_and_gradient_are_those_of_torch(n_rows: int, dtype: torch.dtype, scale: float) -> None:
    scores, answers = _examples(n_rows, dtype, scale)
    before = scores.detach().clone()
    loss = mean_loss(scores, answers)
    (gradient,) = torch.autograd.grad(0.25 * loss, scores)
    expected = cross_entropy(scores.float(), answers)
    (expected_gradient,) = torch.autograd.grad(0.25 * expected, scores)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, expected, rtol=1e-6, atol=1e-6)
    assert gradient.dtype == dtype
    rounding = 1e-7 if dtype == torch.float32 else 2**-8 / n_rows
    torch.testing.assert_close(gradient, expected_gradient, rtol=1e-5, atol=rounding)
    assert torch.equal(scores, before), "the scores are not written to"


def test_of_two_equal_scores_the_loss_is_the_logarithm_of_two() -> None:
    loss = mean_loss(torch.zeros(3, 2), torch.tensor([0, 1, 1]))
    assert loss.item() == pytest.approx(0.6931472)


def test_a_batch_without_masked_tokens_has_no_mean() -> None:
    assert mean_loss(torch.zeros(0, 5), torch.zeros(0, dtype=torch.int64)).isnan()
