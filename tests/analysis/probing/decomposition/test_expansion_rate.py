"""The expansion rate of each layer: by hand, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bertviz_app import open_model
from bertviz_app.analysis.results import NamedArrays
from tests.support.naive_bert import NaiveBert, S, array

RATES = (0.669, 1.067, 1.262, 1.390, 1.159, 1.074)
"""Of MiniLM, in float64 by another program."""


def test_it_is_the_norm_of_the_product_of_two_matrices(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat")
    found = model.analyse("expansion-rate", trace)
    assert isinstance(found, NamedArrays)
    for layer, block in enumerate(NaiveBert(tiny_bert, trace).model.encoder.layer):
        maps = []
        for dense in (block.attention.self.value, block.attention.output.dense):
            both = np.zeros((33, 33))
            both[:32, :32], both[32, :32], both[32, 32] = array(dense.weight).T, array(dense.bias), 1
            maps.append(both)
        expected = np.linalg.norm(maps[0] @ maps[1]) / np.sqrt(33)
        np.testing.assert_allclose(found.named["values"][layer], expected, rtol=1e-6)
        of_head = maps[0][:, :8] @ maps[1][:8, :32]
        np.testing.assert_allclose(
            found.named["heads"][layer, 0], np.linalg.norm(of_head) / np.sqrt(33), rtol=1e-6
        )


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = model.analyse("expansion-rate", model.trace(S))
    assert isinstance(found, NamedArrays)
    np.testing.assert_allclose(found.named["values"], RATES, atol=6e-4)


def test_it_is_the_same_for_every_text(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    one, other = (model.analyse("expansion-rate", model.trace(text)) for text in ("the cat", "fish"))
    np.testing.assert_array_equal(one.arrays()["values"], other.arrays()["values"])
