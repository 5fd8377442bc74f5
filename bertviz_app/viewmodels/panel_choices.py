"""`Content`: what a panel shows; `StepsChoice` and others: what some views show besides its head."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from bertviz_app.options import PAGES, Page

Part = Literal["embeddings", "layer", "top"]
StepsForm = Literal["walk", "table"]


@dataclass(frozen=True)
class StepsChoice:
    """A stop of the encoder: a stage of a part, of which "layer" is the panel's layer.

    `stage` is one of `viewmodels.steps.stops`; a model that lacks it shows the nearest one that it has.
    `form`: as a picture ("walk") or as a table of the tokens. `shows_why`: the reason for the stage is
    unfolded. `divisor`: tried at a softmax instead of the model's own. `shows_products`: the products of
    query and key stand at the scores in all dimensions. Raises ValueError for a divisor of 0 or less.
    """

    part: Part = "layer"
    stage: str = "queries"
    form: StepsForm = "walk"
    shows_why: bool = False
    divisor: float | None = None
    shows_products: bool = False

    def __post_init__(self) -> None:
        if self.divisor is not None and not 0 < self.divisor < math.inf:
            raise ValueError("a divisor must be a positive number")

    @property
    def undone(self) -> StepsChoice:
        """What of it is undone step by step: what is unfolded, and that a divisor is tried; not the stop."""
        divisor = None if self.divisor is None else 1.0
        return StepsChoice(shows_why=self.shows_why, divisor=divisor, shows_products=self.shows_products)


@dataclass(frozen=True)
class VectorsChoice:
    """`page`: one of PAGES. `state`: 0 the embeddings, l + 1 after layer l; None: after the panel's layer.

    Raises ValueError for anything else.
    """

    page: Page = PAGES[0]
    state: int | None = None

    def __post_init__(self) -> None:
        if self.page not in PAGES:
            raise ValueError(f"page must be one of {', '.join(PAGES)}")
        if self.state is not None and self.state < 0:
            raise ValueError("hidden states count from 0")


ParametersPage = Literal["table", "picture", "product"]
PARAMETERS_PAGES: tuple[ParametersPage, ...] = get_args(ParametersPage)


@dataclass(frozen=True)
class ParametersChoice:
    """`page`: the table of all parameters, the picture of one, or a row of its input times a row of it.

    `key`: which one, by its name in this program, so that it is the same in another checkpoint; "": none yet.
    `output`: the row of the matrix. Raises ValueError for what there is not.
    """

    page: ParametersPage = "table"
    key: str = ""
    output: int = 0

    def __post_init__(self) -> None:
        if self.page not in PARAMETERS_PAGES:
            raise ValueError(f"page must be one of {', '.join(PARAMETERS_PAGES)}")
        if self.output < 0:
            raise ValueError("outputs count from 0")


@dataclass(frozen=True)
class DrawnParameter:
    """The chosen parameter by its key, and the product of one of its rows: for a token, in a layer."""

    key: str
    token: int
    output: int
    layer: int | None


Value = bool | int | float | str | tuple[int, ...] | None
"""A value of a parameter of an analysis."""


@dataclass(frozen=True)
class Content:
    """What a panel shows: the analysis with this key, or attention, Steps and Vectors of the run for "".

    `parameters`: names and values, those that differ from their defaults. `part`: which of several numbers
    of each head is drawn, by its key; "" for the first.
    """

    analysis: str = ""
    parameters: tuple[tuple[str, Value], ...] = ()
    part: str = ""


SHOWS_ATTENTION = Content()
PanelChoice = Content | StepsChoice | VectorsChoice | ParametersChoice
