"""The divergence of two runs as an analysis: that of the comparison, in bits from 0 to 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bertviz_app.analysis.compare import align_tokens, divergence
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.api import open_model


def test_it_is_that_of_the_comparison_in_bits(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate"), model.trace("the cat ate", muted=[(0, 1)])
    found = model.analyse("divergence", trace, other)
    assert isinstance(found, HeadScalars)
    (scalar,) = found.scalars
    assert (scalar.quantity.unit, scalar.quantity.lowest, scalar.quantity.highest) == ("bits", 0, 1)
    np.testing.assert_array_equal(
        found.arrays()["values"][0], divergence(trace, other, align_tokens(trace.tokens, other.tokens))
    )
    assert found.arrays()["values"][0][1].max() > 0, "the muted head changes what layer 1 attends to"
