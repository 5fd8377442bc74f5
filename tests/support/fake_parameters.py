"""`FakeParameters`: random matrices of a made-up model of 2 layers, 3 heads and width 24."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bertviz_app.checkpoint.parameters import LinearProduct, ParameterTable, StoredParameter
from bertviz_app.inference.model_parameters import ModelParameters
from bertviz_app.trace import Trace
from bertviz_app.types import Floats

WIDTH, N_LAYERS, VOCABULARY = 24, 2, 300


class FakeParameters(ModelParameters):
    """A table of embeddings, and a matrix and a bias of the queries in each layer; a seed draws them."""

    def __init__(self, seed: int = 0, width: int = WIDTH) -> None:
        entries = [StoredParameter("embeddings.token.weight", "t.w", (VOCABULARY, WIDTH), "embeddings")]
        for layer in range(N_LAYERS):
            key, name = f"layers.{layer}.attention.query", f"{layer}.q"
            shape = width, WIDTH
            at = (layer,)
            entries += [
                StoredParameter(f"{key}.weight", f"{name}.w", shape, "attention", at, is_linear=True),
                StoredParameter(f"{key}.bias", f"{name}.b", (width,), "attention", at),
            ]
        self.table = ParameterTable(entries)
        random = np.random.default_rng(seed)
        self._values = {entry.key: random.normal(size=entry.shape).astype(np.float32) for entry in entries}

    def values(self, name: str) -> Floats:
        return self._values[self.table.find(name).key]

    def row_name(self, name: str) -> Callable[[int], str] | None:
        return (lambda row: f"piece{row}") if name == "embeddings.token.weight" else None

    def product(
        self, trace: Trace, name: str, token: int, output: int, layer: int | None = None
    ) -> LinearProduct:
        """Return the product with the hidden state that the layer reads."""
        assert layer is not None
        inputs, weights = trace.hidden[layer, token], self.values(name)[output]
        bias = float(self.values(name.replace("weight", "bias"))[output])
        total = float(inputs @ weights) + bias
        return LinearProduct(name, layer, token, output, inputs, weights, bias, total)
