"""`Picture`: how numbers of a result are drawn, as a value without Qt; the axes and the unit of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_app.errors import Message
from bertviz_app.tables import Cell, RowSource, Table
from bertviz_app.types import Bools, Floats
from bertviz_app.values import dataclass, field, replace


@dataclass(frozen=True)
class Axis:
    """One axis of an array: what it counts, such as "layer", and the label of each index."""

    name: str
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def counted(name: str, count: int) -> Axis:
    """Return an axis whose labels are the numbers from 0."""
    return Axis(name, tuple(map(str, range(count))))


@dataclass(frozen=True)
class Quantity:
    """The unit of numbers, and their range (None: no bound).

    `unit` is "weight" (a share of 1), "share" (the same of a sum of norms), "bits", "tokens", "norm" (a
    vector's length), "count" (of what the title names), "" for a plain number. `noise`: what is nearer to 0
    may be rounding alone.
    """

    unit: str
    lowest: float | None = None
    highest: float | None = None
    noise: float = 0.0

    @property
    def is_share(self) -> bool:
        """Whether numbers are shares of 1, or differences of such."""
        return self.unit in ("weight", "share")

    @property
    def is_signed(self) -> bool:
        """Whether numbers below 0 occur."""
        return self.lowest is None or self.lowest < 0

    def minus(self) -> Quantity:
        """Return what differences of two such numbers are."""
        if self.lowest is None or self.highest is None:
            return Quantity(self.unit, noise=2 * self.noise)
        width = self.highest - self.lowest
        return Quantity(self.unit, -width, width, 2 * self.noise)


SHARE_OF_ONE = Quantity("weight", 0, 1)

Mark = Literal["cells", "bars", "curves", "points", "words", "arcs"]
"""A cell for each number; a bar for each; a curve over the last axis for each of the axis before it; a point
for each row of two numbers; texts whose words carry numbers; arcs between words."""

_DRAWN = {"cells": 2, "bars": 1, "curves": 2, "points": 2, "words": 2, "arcs": 2}
"""How many of the last axes each mark draws."""

_ARRAYS = ("values", "low", "high", "baseline", "marked", "text")
"""The attributes with an entry for each part."""

Index = Mapping[str, int]
"""The index of a part on each axis, by the name of the axis."""


@dataclass(frozen=True, eq=False)
class Picture:
    """How numbers of a result are drawn.

    The last axes are drawn, as many as the mark has: of cells the rows and the columns, of bars the bars, of
    curves the series and what they go over, of points the points and their two coordinates, of words the
    texts and their words, of arcs the words that they start from and those that they lead to. Of the axes
    before them one index at a time is drawn, which a menu chooses.

    Attributes
    ----------
    key : str
        Names it among the pictures of a result, in sessions and on the command line.
    mark : Mark
        What it is drawn as.
    values : float32 array
        The numbers; nan where there is none.
    axes : tuple of Axis
        The axes of `values`, in order.
    quantity : Quantity
        Their unit and range.
    title : Message, optional
        What the numbers are; None for what is known by its `key`, such as a measure of heads, and by the
        unit where the key is "value".
    words : mapping
        What is written for a label that is no name of the user's, such as that of a series.
    low, high : float32 arrays, optional
        The ends of the interval of each number, nan where it has none.
    baseline : float32 array, optional
        What each number is compared with, nan where it is with nothing: a line across a bar.
    levels : frozenset of str
        The labels of the series that the others are compared with, such as chance: broken lines.
    marked : bool array, optional
        Which parts have a dot; which bars stand out, and which points are rings.
    text : array of str, optional
        What is written for each part: in a cell instead of its number, beside a bar instead of its label; the
        words of texts, "" behind the last one of a shorter text.
    categories : tuple of (Message, Message)
        Where numbers stand for categories, the short and the full name of each.
    top : float
        What full colour, or the end of the axis of numbers, stands for; 0: the largest of the numbers.
    details : callable
        `details(index)` returns further lines of what is read out of a part.
    stands_for : callable
        `stands_for(index)` returns what else a part stands for, as indices of axes: the layer and the head of
        a bar, which a click on it shows; the position of the token that a point is as "query" or "key".
    opens : callable
        `opens(index)` returns the text of a file (`text_tables.items.Item`) that a click on a part opens;
        None: it opens none.
    sets : callable
        `sets(index)` returns parameters of the analysis, by their names, that a click on a part sets; "part"
        among them is the key of the picture to be shown then.
    lists : callable, optional
        `lists(index)` returns the texts of a file that a part stands for, each as a line and an `Item`, which
        are listed below the picture; of {} all of them.
    start : mapping
        The index on axes of a menu, or of a token, that is chosen at first.
    meaning : Message, optional
        What is seen, in a sentence or two.
    above : Picture, optional
        A picture of words that stands above this one.
    groups : tuple of str
        Of points: the group of each, which has a colour and a name in the legend. Of texts: what stands above
        those of a group.
    beside : str
        Of the axes before those that are drawn, the one whose indices are drawn side by side in one scale;
        "": none.
    positions : tuple of int
        Where the tokens of an axis are in the text, if they are not all of it: the axis of as many tokens.
    """

    key: str
    mark: Mark
    values: Floats
    axes: tuple[Axis, ...]
    quantity: Quantity
    title: Message | None = None
    words: Mapping[str, Message] = field(default_factory=dict)
    low: Floats | None = None
    high: Floats | None = None
    baseline: Floats | None = None
    levels: frozenset[str] = frozenset()
    marked: Bools | None = None
    text: NDArray[np.str_] | None = None
    categories: tuple[tuple[Message, Message], ...] = ()
    top: float = 0.0
    details: Callable[[Index], Sequence[str]] = lambda index: ()
    stands_for: Callable[[Index], Index] = lambda index: {}
    opens: Callable[[Index], Any] = lambda index: None
    sets: Callable[[Index], Mapping[str, Any]] = lambda index: {}
    lists: Callable[[Index], Sequence[tuple[str, Any]]] | None = None
    start: Index = field(default_factory=dict)
    meaning: Message | None = None
    above: Picture | None = None
    groups: tuple[str, ...] = ()
    beside: str = ""
    positions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        shape = tuple(map(len, self.axes))
        for name in _ARRAYS:
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise ValueError(f"{name} of the picture “{self.key}” are {array.shape}, its axes {shape}")
        if self.mark not in _DRAWN or len(self.axes) < _DRAWN[self.mark]:
            raise ValueError(f"the picture “{self.key}” has too few axes for {self.mark}: {shape}")
        if self.mark == "points" and shape[-1] != 2:
            raise ValueError(f"the points of the picture “{self.key}” have {shape[-1]} coordinates, not 2")
        if self.beside and self.beside not in {axis.name for axis in self.menus}:
            raise ValueError(f"the picture “{self.key}” has no axis “{self.beside}” to draw side by side")
        if self.groups and len(self.groups) != shape[-2]:
            raise ValueError(f"the picture “{self.key}” has {len(self.groups)} groups for {shape[-2]} points")

    @property
    def menus(self) -> tuple[Axis, ...]:
        """The axes of which one index at a time is drawn."""
        return self.axes[: -_DRAWN[self.mark]]

    @property
    def drawn(self) -> tuple[Axis, ...]:
        """The axes that are drawn."""
        return self.axes[-_DRAWN[self.mark] :]

    def at(self, chosen: Index) -> Picture:
        """Return the picture of one index on each axis of the menus: the first one where none is chosen."""
        fixed = {axis.name: min(chosen.get(axis.name, 0), len(axis) - 1) for axis in self.menus}
        parts: dict[str, Any] = {
            name: None if array is None else array[tuple(fixed.values())]
            for name in _ARRAYS
            for array in (getattr(self, name),)
        }
        return replace(
            self,
            axes=self.drawn,
            beside="",
            details=lambda index: self.details({**fixed, **index}),
            stands_for=lambda index: self.stands_for({**fixed, **index}),
            opens=lambda index: self.opens({**fixed, **index}),
            sets=lambda index: self.sets({**fixed, **index}),
            **parts,
        )

    def as_table(self) -> Table:
        """Return a row for each part with a number or a text: its labels, the number, what is beside it."""
        named = {name: getattr(self, name) for name in ("low", "high", "baseline", "text")}
        beside = {name: array for name, array in named.items() if array is not None}

        def rows() -> Iterator[tuple[Cell, ...]]:
            for at in np.ndindex(self.values.shape):
                value = float(self.values[at])
                text = "" if self.text is None else str(self.text[at])
                if value == value or text:
                    labels: list[Cell] = []
                    for axis, index in zip(self.axes, at, strict=True):
                        labels += [index] if axis.name == "token" else []
                        labels.append(str(self.words.get(axis.labels[index], axis.labels[index])))
                    more = (array[at].item() for array in beside.values())
                    yield (*labels, None if value != value else value, *more)

        columns: list[str] = []
        for axis in self.axes:  # a piece may occur twice
            columns += ["position", "token"] if axis.name == "token" else [axis.name]
        return Table((*columns, "value", *beside), RowSource(rows))

    @property
    def axis_beside(self) -> Axis | None:
        """The axis whose indices are drawn side by side."""
        return next((axis for axis in self.menus if axis.name == self.beside), None)

    @property
    def labels_beside(self) -> tuple[str, ...]:
        """What stands side by side."""
        return () if self.axis_beside is None else self.axis_beside.labels

    def side_by_side(self, chosen: Index) -> tuple[tuple[int, Picture], ...]:
        """Return the pictures of the indices that are drawn side by side, each with its index.

        Of many indices they are some, the first and the last among them. Of a picture without them it is one.
        """
        axis = self.axis_beside
        if axis is None:
            return ((0, self.at(chosen)),)
        at = np.linspace(0, len(axis) - 1, min(len(axis), 6)).round().astype(int).tolist()
        top = self.top or self.largest
        return tuple((index, replace(self.at({**chosen, axis.name: index}), top=top)) for index in at)

    @property
    def largest(self) -> float:
        """The number furthest from 0, with the ends of intervals and baselines; 0 where there is none."""
        arrays = [each for each in (self.values, self.low, self.high, self.baseline) if each is not None]
        there = [np.abs(each[np.isfinite(each)]).max(initial=0.0) for each in arrays]
        return float(max(there, default=0.0)) or 0.0


def picture_named(pictures: Sequence[Picture], key: str) -> Picture | None:
    """Return the picture with a key, or one that draws what has this key beside others; else the first."""
    parts = {label: one for one in pictures for label in one.labels_beside}
    named = {one.key: one for one in pictures}
    return named.get(key) or parts.get(key) or next(iter(pictures), None)


def places_of(axis: Axis) -> list[float]:
    """Return where the labels of an axis lie: at the numbers that they are, else one after the other."""
    try:
        found = [float(label) for label in axis.labels]
    except ValueError:
        return list(map(float, range(len(axis))))
    return found if all(map(math.isfinite, found)) else list(map(float, range(len(axis))))


def plain_quantity(values: Floats) -> Quantity:
    """Return the quantity of numbers without a unit: signed where one of them is below 0."""
    there = values[np.isfinite(values)]
    return Quantity("", 0.0 if not there.size or there.min() >= 0 else None)


MOST_LISTED = 10
"""So many numbers of a ranking are drawn; the others are one bar."""


def largest_first(values: Floats, axis: Axis) -> tuple[Floats, Axis, dict[str, Message]]:
    """Return the numbers [N] furthest from 0 in their order, then the sum of the others, called "rest".

    Beside them the axis of what is returned, and the words for "rest".
    """
    order = np.argsort(-np.abs(values), kind="stable")
    first, left = order[:MOST_LISTED], order[MOST_LISTED:]
    labels = [axis.labels[at] for at in first.tolist()]
    if not len(left):
        return values[first], Axis(axis.name, tuple(labels)), {}
    rest = values[left].sum(dtype=np.float64)
    shown = np.append(values[first], np.float32(rest)).astype(np.float32)
    return shown, Axis(axis.name, (*labels, "rest")), {"rest": Message("all others ({0})", len(left))}


def picture_by_axes(key: str, values: Floats, axes: tuple[Axis, ...]) -> Picture:
    """Return the picture of numbers of which nothing but the axes is known.

    Of one axis it is bars, or a curve where they are many or follow on each other; of more it is cells of the
    last two, or bars where there is one row alone.
    """
    quantity = plain_quantity(values)
    # Numbers on these axes follow on each other: a curve goes along them.
    is_in_order = axes[0].name in ("layer", "state", "step", "checkpoint", "dimension")
    if len(axes) == 1 and (is_in_order or len(axes[0]) > 40):
        return Picture(key, "curves", values[None], (Axis("series", (key,)), *axes), quantity)
    if len(axes) == 1 or len(axes[-2]) == 1:
        return Picture(key, "bars", values, axes, quantity)
    return Picture(key, "cells", values, axes, quantity)
