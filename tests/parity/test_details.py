"""A layer in detail against `transformers`: what its modules hand to each other, caught on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.text import Tokens
from bertviz_app.trace.provenance import LayerDetails

LIMIT = 2e-5
TEXT = "A cat ate the fish because it was hungry"
LONG = " ".join([TEXT] * 30)


def _caught(model: nn.Module, tokens: Tokens, layer: int) -> dict[str, NDArray[np.float32]]:
    """Return what the modules of a layer gave, by the names of `LayerDetails`."""
    prefix = f"encoder.layer.{layer}."
    modules = {
        "projected": f"{prefix}attention.output.dense",
        "attention_norm": f"{prefix}attention.output.LayerNorm",
        "expanded": f"{prefix}intermediate.dense",
        "active": f"{prefix}intermediate",
        "contracted": f"{prefix}output.dense",
        "output": f"{prefix}output",
        "pooler_dense": "pooler.dense",
    }
    inputs = {
        "concat": f"{prefix}attention.output.dense",
        "attention_sum": f"{prefix}attention.output.LayerNorm",
        "output_sum": f"{prefix}output.LayerNorm",
    }
    found: dict[str, NDArray[np.float32]] = {}

    def keep(name: str, tensor: torch.Tensor) -> None:
        found[name] = tensor[0].numpy().copy()

    hooks = [
        model.get_submodule(path).register_forward_hook(lambda _, __, out, name=name: keep(name, out))
        for name, path in modules.items()
    ]
    hooks += [
        model.get_submodule(path).register_forward_hook(lambda _, given, __, name=name: keep(name, given[0]))
        for name, path in inputs.items()
    ]
    ids = {"input_ids": tokens.ids, "token_type_ids": tokens.segment_ids}
    with torch.inference_mode():
        model(**{name: torch.from_numpy(array[None].astype(np.int64)) for name, array in ids.items()})
    for hook in hooks:
        hook.remove()
    return found


@pytest.fixture(scope="module")
def real(minilm: Path) -> Any:
    """`transformers`' own MiniLM."""
    from transformers import BertModel

    return BertModel.from_pretrained(minilm, attn_implementation="eager").eval()


@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("layer", [0, 3, 5])
def test_every_station_of_a_layer_is_transformers_own(minilm: Path, real: Any, text: str, layer: int) -> None:
    engine, request = Engine(), TraceRequest(str(minilm), "cpu", text)
    trace = engine.trace(request).trace
    details = engine.details(request, trace, layer)
    expected = _caught(real, trace.tokens, layer)
    if layer < trace.n_layers - 1:
        assert details.pooler_dense is None
        del expected["pooler_dense"]
    assert len(expected) >= 9
    for name, values in expected.items():
        np.testing.assert_allclose(
            _of(details, name), values, rtol=LIMIT, atol=LIMIT * np.abs(values).max(), err_msg=name
        )
    beside = np.concatenate(list(details.mixed), axis=-1)
    np.testing.assert_array_equal(beside, details.concat)
    np.testing.assert_allclose(details.output, trace.hidden[layer + 1], atol=LIMIT)


def _of(details: LayerDetails, name: str) -> NDArray[np.float32]:
    values: NDArray[np.float32] = getattr(details, name)
    return values


def test_a_short_text_comes_out_to_the_last_bit(minilm: Path) -> None:
    engine, request = Engine(), TraceRequest(str(minilm), "cpu", TEXT)
    trace = engine.trace(request).trace
    for layer in range(trace.n_layers):
        np.testing.assert_array_equal(engine.details(request, trace, layer).output, trace.hidden[layer + 1])
