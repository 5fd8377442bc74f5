"""What stands in a file of a result beside its arrays."""

from __future__ import annotations

import math

import numpy as np

from bertviz_app.analysis.entry import facts_of
from bertviz_app.analysis.results import Axis, HeadScalars, NamedArrays, Quantity, Scalar


def test_single_numbers_and_words_are_facts_and_arrays_are_not() -> None:
    changes = HeadScalars((Scalar("change", Quantity("")),), np.zeros((1, 2, 3), np.float32), outcome=0.75)
    assert facts_of(changes) == {"outcome": 0.75}
    assert facts_of(HeadScalars(changes.scalars, changes.values)) == {}
    axes = {"values": (Axis("step", ("0",)),)}
    chosen: dict[str, str | int | float] = {"piece": "fish", "logit": 2.5, "unknown": math.nan}
    named = NamedArrays({"values": np.zeros(1, np.float32)}, axes, chosen, identity_error=1e-7)
    assert facts_of(named) == {"piece": "fish", "logit": 2.5, "unknown": "nan"}
