"""The measures of a real checkpoint, held against figures computed beforehand in float64 by other code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.measures import head_measures
from bertviz_app.api import open_model


def test_minilm_on_the_quick_brown_fox(minilm: Path) -> None:
    found = head_measures(open_model(str(minilm)).trace("The quick brown fox jumps over the lazy dog."))
    nats = (found["entropy"] * np.log(2)).mean(1)
    np.testing.assert_allclose(nats, [1.7661, 1.0984, 1.1527, 1.2711, 1.1061, 1.7122], atol=2e-4)
    assert found["previous"].max() == found["previous"][0, 2] == pytest.approx(0.9164 * 12 / 11, abs=2e-4)
    assert found["next"].max() == found["next"][1, 8] == pytest.approx(0.5094 * 12 / 11, abs=2e-4)
    assert found["same"].max() == found["same"][0, 8] == pytest.approx(0.2166, abs=2e-4)
    assert found["first"].max() == found["first"][4, 5] == pytest.approx(0.9297, abs=2e-4)
    assert found["separator"].max() == found["separator"][0, 5] == pytest.approx(0.2160, abs=2e-4)
