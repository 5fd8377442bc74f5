"""Parameters of analyses: read from values and from text, and refused by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from bertviz_app.analysis.reporter import (
    Choice,
    Index,
    NoParameters,
    Range,
    allowed_values,
    parameters_of,
    read_parameters,
)
from bertviz_app.errors import AnalysisError, Message


@dataclass(frozen=True)
class Some:
    share: Annotated[float, Range(0, 1)] = 0.5
    steps: Annotated[int, Range(1, None)] = 50
    mode: Annotated[str, Choice(("mean", "largest"))] = "mean"
    layer: Annotated[int, Index("layer")] = 0
    positions: Annotated[tuple[int, ...] | None, Index("token")] = None
    is_exact: bool = False


def test_what_is_not_given_has_its_default() -> None:
    assert read_parameters(Some, {}) == Some()


def test_values_are_read_from_text_as_from_their_own_types() -> None:
    text = {"share": "0.25", "steps": "7", "mode": "largest", "layer": "3", "positions": "1,4"}
    expected = Some(0.25, 7, "largest", 3, (1, 4), True)
    assert read_parameters(Some, {**text, "is_exact": "yes"}) == expected
    values = {"share": 0.25, "steps": 7, "mode": "largest", "layer": 3, "positions": [1, 4]}
    assert read_parameters(Some, {**values, "is_exact": True}) == expected


def test_numbers_of_numpy_are_numbers() -> None:
    values = {"share": np.float32(0.25), "steps": np.int64(7), "layer": np.uint8(3)}
    assert read_parameters(Some, values) == Some(0.25, 7, layer=3)
    assert type(read_parameters(Some, values).steps) is int
    for positions in (np.array([1, 4]), range(1, 5, 3)):
        assert read_parameters(Some, {"positions": positions}).positions == (1, 4)


def test_an_optional_parameter_may_be_nothing() -> None:
    assert read_parameters(Some, {"positions": ""}).positions is None
    assert read_parameters(Some, {"positions": None}).positions is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("share", "1.5"),
        ("share", "nan"),
        ("share", "half"),
        ("share", None),
        ("share", True),
        ("share", np.float32("nan")),
        ("steps", math.inf),
        ("steps", np.float64("-inf")),
        ("positions", {1: 2}),
        ("steps", "0"),
        ("steps", 1.5),
        ("steps", "1.5"),
        ("mode", "sum"),
        ("mode", 1),
        ("layer", -1),
        ("positions", "1,x"),
        ("positions", (-1,)),
        ("positions", 3),
        ("is_exact", "perhaps"),
        ("is_exact", 1),
    ],
)
def test_a_value_that_a_parameter_cannot_be_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(AnalysisError, match=f"“{name}” cannot be"):
        read_parameters(Some, {name: value})


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(AnalysisError, match=r"no parameter “shares”\. It has: share, steps"):
        read_parameters(Some, {"shares": 1})
    with pytest.raises(AnalysisError, match="It has none"):
        read_parameters(NoParameters, {"share": 1})


def test_each_parameter_describes_its_permitted_values() -> None:
    assert [allowed_values(parameter) for parameter in parameters_of(Some)] == [
        "It is a number from 0 to 1.",
        "It is 1 or more.",
        "It is one of: mean, largest.",
        "It is the number of a layer, from 0.",
        "It is the numbers of tokens, from 0, with commas between them.",
        "It is yes or no.",
    ]


def test_a_message_among_the_annotations_is_the_label_of_a_form() -> None:
    @dataclass(frozen=True)
    class Labelled:
        share: Annotated[float, Range(0, 1), Message("Share of the rest")] = 0.5
        is_exact: Annotated[bool, Message("Exactly")] = False
        plain: int = 3

    found = parameters_of(Labelled)
    assert [parameter.label for parameter in found] == ["Share of the rest", "Exactly", "plain"]
    assert [parameter.bound for parameter in found] == [Range(0, 1), None, None]
