"""One number out of a linear map: input times matrix plus bias, equal to the number in the trace."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.errors import CheckpointError, SelectionError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.model_parameters import _read_module
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Floats
from tests.support.families import FAMILIES, write_family

TEXT = "the cat ate the fish"
ROTATED = {"modernbert", "nomic_bert", "esm", "roformer", "eurobert", "gte", "jina_embeddings_v3"}
LIMIT = 1e-6


def _worst(found: LinearProduct) -> float:
    """Return the difference between the sum and the number of the forward pass, in proportion if large."""
    return abs(found.total - found.computed) / max(1.0, abs(found.computed))


def _by_token(heads: Floats) -> Floats:
    """Return [H, T, E] as [T, H * E]."""
    return np.concatenate(heads, axis=-1)


def _in_trace(key: str, trace: Trace, details: LayerDetails, layer: int) -> Floats | None:
    """Return the tensor [T, out] of the trace that a matrix makes, None where it has none."""
    tensors = {
        "attention.query": _by_token(trace.queries[layer]),
        "attention.key": _by_token(trace.keys[layer]),
        "attention.value": _by_token(trace.values[layer]),
        "attention.output": details.projected,
        "feed_forward.expand": details.expanded,
        "feed_forward.gate": details.gate,
        "feed_forward.contract": details.contracted,
    }
    return tensors.get(key.removeprefix(f"layers.{layer}.").removesuffix(".weight"))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sum_is_the_number_in_the_trace(family: str, tmp_path: Path) -> None:
    write_family(tmp_path, family)
    engine = Engine()
    request = TraceRequest(str(tmp_path), "cpu", TEXT, None, Edits(muted=((1, 0),)))
    trace = engine.trace(request).trace
    parameters = engine.parameters(request.ref, trace)
    token, n_compared = 2, 0
    for entry in parameters.table:
        if not entry.is_linear or (family == "longformer" and "everywhere" in entry.key):
            continue
        output = entry.shape[0] - 1
        for layer in entry.layers or (None,):
            found = parameters.product(trace, entry.key, token, output, layer)
            assert _worst(found) < LIMIT, entry.key
            assert found.sum == pytest.approx(float((found.inputs.astype(float) * found.weights).sum()))
            if layer is None:
                continue
            details = engine.details(request, trace, layer)
            stored = entry.layers[0] if len(entry.layers) > 1 else layer
            tensor = _in_trace(
                entry.key.replace(f"layers.{stored}.", f"layers.{layer}."), trace, details, layer
            )
            is_rotated = family in ROTATED and ("query" in entry.key or "key" in entry.key)
            is_shared = family == "eurobert" and "value" in entry.key  # stands once for each query in a trace
            if tensor is not None and not (is_rotated or is_shared):
                n_compared += 1
                assert found.computed == pytest.approx(float(tensor[token, output]), abs=LIMIT), entry.key
    assert n_compared >= 3 * trace.n_layers


def test_the_pooler_and_task_heads_read_what_they_read(tmp_path: Path) -> None:
    write_family(tmp_path, "bert", "AutoModelForPreTraining")
    engine = Engine()
    request = TraceRequest(str(tmp_path), "cpu", TEXT)
    trace = engine.trace(request).trace
    parameters = engine.parameters(request.ref, trace)
    pooled = parameters.product(trace, "pooler.dense.weight", 4, 7)
    assert trace.pooled is not None
    assert pooled.token is None
    np.testing.assert_array_equal(pooled.inputs, trace.hidden[-1, 0])
    assert np.tanh(pooled.total) == pytest.approx(trace.pooled[7], abs=LIMIT)
    piece = parameters.product(trace, "heads.masked.decoder.weight", 4, 9)
    logits = engine.with_model(request, trace, lambda model: model.logits(trace, [4]), lambda: None)
    assert logits.masked is not None
    assert piece.token == 4
    assert piece.total == pytest.approx(float(logits.masked[0, 9]), rel=LIMIT, abs=LIMIT)
    follows = parameters.product(trace, "heads.next_sentence.weight", 0, 1)
    np.testing.assert_array_equal(follows.inputs, trace.pooled)


def test_real_weights_of_minilm_agree_in_every_layer(minilm: Path) -> None:
    engine = Engine()
    trace = engine.trace(TraceRequest(str(minilm), "cpu", "A cat ate the fish because it was hungry")).trace
    parameters = engine.parameters(str(minilm), trace)
    for layer in range(trace.n_layers):
        for name, tensor in (("query", trace.queries), ("key", trace.keys), ("value", trace.values)):
            key = f"layers.{layer}.attention.{name}.weight"
            for output in (0, 100, 383):
                found = parameters.product(trace, key, 3, output)
                assert found.total == pytest.approx(
                    float(_by_token(tensor[layer])[3, output]), rel=LIMIT, abs=LIMIT
                )


def test_what_there_is_no_product_of_is_refused(tiny_bert: Path) -> None:
    engine = Engine()
    trace = engine.trace(TraceRequest(str(tiny_bert), "cpu", TEXT)).trace
    parameters = engine.parameters(str(tiny_bert), trace)
    refused = [
        ("embeddings.token.weight", 0, 0, None, "not the matrix of a linear map"),
        ("layers.0.attention.query.bias", 0, 0, None, "not the matrix of a linear map"),
        ("layers.0.attention.query.weight", 99, 0, None, "no token 99"),
        ("layers.0.attention.query.weight", 0, 32, None, "no output 32"),
        ("layers.0.attention.query.weight", 0, 0, 1, "Layer 1 does not use"),
    ]
    for name, token, output, layer, words in refused:
        with pytest.raises(SelectionError, match=words):
            parameters.product(trace, name, token, output, layer)


def test_a_trace_of_another_checkpoint_is_refused(tiny_bert: Path) -> None:
    engine = Engine()
    trace = engine.trace(TraceRequest(str(tiny_bert), "cpu", TEXT)).trace
    with pytest.raises(CheckpointError, match="another checkpoint"):
        engine.parameters(None, trace)


def test_a_text_that_is_encoded_meanwhile_has_no_part_in_a_product() -> None:
    module, own, others = nn.Linear(2, 2), torch.ones(1, 2), torch.zeros(1, 2)

    def run() -> None:
        encoding = threading.Thread(target=module, args=(others,))
        encoding.start()
        encoding.join()
        module(own)

    found = _read_module(module, run)
    assert found is not None
    torch.testing.assert_close(found[0], own)
    torch.testing.assert_close(found[1], module(own))
