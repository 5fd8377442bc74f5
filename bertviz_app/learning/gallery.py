"""The gallery of analyses: the question that each answers, in both languages, and a small result of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

import numpy as np

from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words, resource
from bertviz_app.types import Floats
from bertviz_app.values import dataclass

SketchKind = Literal["cells", "bars", "points", "checks"]
ATTENTION = ""
"""The key of attention itself, which is no analysis."""


@dataclass(frozen=True)
class Sketch:
    """A result in the size of a stamp: a true one of a checkpoint that ships with the program.

    `numbers`: of cells the rows of a matrix, of bars one row, of points x and y of each, of checks by how
    much each is off as a share of its limit. They are at most 1 in magnitude. Raises ValueError for anything
    else.
    """

    kind: SketchKind
    numbers: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.numbers}
        if self.kind not in get_args(SketchKind) or len(widths) != 1 or not min(widths):
            raise ValueError("a sketch has a kind and rows of equal length")
        if not np.isfinite(self.values).all() or np.abs(self.values).max() > 1:
            raise ValueError("the numbers of a sketch are at most 1")

    @property
    def values(self) -> Floats:
        """The numbers [rows, columns]."""
        return np.array(self.numbers, np.float32)

    @property
    def is_signed(self) -> bool:
        """Whether a number is below 0, so that colours diverge from there."""
        return bool((self.values < 0).any())


@cache
def questions() -> Mapping[str, Words]:
    """Return the question that each analysis answers, by its key; of attention, too."""
    return {key: decode(Words, value) for key, value in resource("gallery", "questions.json").items()}


@cache
def sketches() -> Mapping[str, Sketch]:
    """Return a small result of each analysis, by its key; of attention, too."""
    return {key: decode(Sketch, value) for key, value in resource("gallery", "sketches.json").items()}
