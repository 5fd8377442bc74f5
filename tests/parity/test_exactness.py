"""How equality is judged: passes that round differently are equal, and a small fault is seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from bertviz_app.encoder.recorder import record
from tests.support.checkpoint_folders import opened
from tests.support.exactness import distance, of_bound, passes
from tests.support.families import write_family
from tests.support.peers import compare, outputs, tensors

VALUES = ("value.weight", "v_proj.weight", "Wqkv.weight", "value_proj.weight", "SelfAttention.v.weight")


def _other_eps(model: nn.Module) -> None:
    for module in model.modules():
        for name in ("eps", "variance_epsilon"):
            if hasattr(module, name):
                setattr(module, name, 2e-5)


def _matrix_off_by_a_thousandth(model: nn.Module) -> None:
    weights = [weight for name, weight in model.named_parameters() if name.endswith(VALUES)]
    weights[1].data *= 1.001


def _number_off_by_a_ten_thousandth(model: nn.Module) -> None:
    norms = [weight for name, weight in model.named_parameters() if "norm" in name.lower()]
    norms[-1].data[0] += 1e-4


@pytest.mark.parametrize("change", [_other_eps, _matrix_off_by_a_thousandth, _number_off_by_a_ten_thousandth])
@pytest.mark.parametrize("family", ["bert", "eurobert", "modernbert", "deberta-v2", "t5", "longformer"])
def test_a_small_fault_is_seen(family: str, change: Callable[[nn.Module], None], tmp_path: Path) -> None:
    model = write_family(tmp_path, family)
    model = model.encoder if family == "t5" else model.base_model
    checkpoint = opened(tmp_path)
    trace = record(
        checkpoint.encoder, checkpoint.tokens("The cat ate the fish because it was hungry"), "ours"
    )
    ids = tensors(trace.tokens)[0]
    assert compare(trace, *passes(model, lambda: outputs(model, input_ids=ids))).of_bound <= 1
    change(model)
    assert compare(trace, *passes(model, lambda: outputs(model, input_ids=ids))).of_bound > 5


def test_the_second_pass_is_in_float64_and_the_model_as_before() -> None:
    model = nn.Linear(3, 2)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    given = torch.randn(4, 3)
    single, double = passes(model, lambda: model(given.to(model.weight.dtype)).float().softmax(-1))
    assert (single.dtype, double.dtype) == (torch.float32, torch.float64)
    assert 0 < (single - double).abs().max() < 1e-6
    assert torch.get_default_dtype() == torch.float32
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(tensor, before[name], rtol=0, atol=0)


def test_a_distance_is_a_share_of_the_largest_value_of_its_array() -> None:
    exact = np.array([2.0, -4.0, np.inf])
    assert distance([exact * np.float32(1), exact], [exact, exact]) == 0
    assert distance([np.array([2.0, -4.1, np.inf])], [exact]) == pytest.approx(0.025)
    assert distance([np.zeros(2), np.array([0.001])], [np.zeros(2), np.array([0.002])]) == pytest.approx(0.5)
    assert of_bound([np.array([1.0, 10.0])], [np.array([1.0 + 1e-4, 10.0])]) == pytest.approx(1)
    for wrong in ([2.0, -4.0, 1.0], [2.0, -4.0, -np.inf], [2.0, np.nan, np.inf], [2.0, -4.0]):
        with pytest.raises(AssertionError):
            assert distance([exact, np.array(wrong)], [exact, exact]) <= 1
