"""`TrainingHistory`: what every head does at each checkpoint of a training, and which heads form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bertviz_app.analysis.measures import MEASURES, Head, MeasureKey
from bertviz_app.analysis.picture import Axis, Picture, Quantity
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import Message
from bertviz_app.tables import RowSource, Table
from bertviz_app.types import Floats
from bertviz_app.values import dataclass


class TrainingStage(NamedTuple):
    """One checkpoint of a training: the step after which it was saved, and what opens it."""

    step: int
    ref: str


class FormedHead(NamedTuple):
    """A head of which a measure changes: its value at the first and the last checkpoint.

    `step` is that of the first checkpoint at which half of the change is made.
    """

    head: Head
    first: float
    last: float
    step: int

    @property
    def change(self) -> float:
        """The last value less the first."""
        return self.last - self.first


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingHistory(NamedArrays):
    """The means of K measures over the same texts, "values" [S, K, L, H], at S checkpoints of a training.

    `stages` in the order of their steps; `measures` are the keys of the measures.
    """

    stages: tuple[TrainingStage, ...]
    measures: tuple[MeasureKey, ...]

    def of(self, measure: MeasureKey) -> Floats:
        """Return the means of a measure at each checkpoint [S, L, H]."""
        found: Floats = self.named["values"][:, self.measures.index(measure)]
        return found

    def pictures(self) -> tuple[Picture, ...]:
        """Return each measure of every head; colours stand for the same at all checkpoints."""
        units: dict[str, str] = {measure.key: measure.unit for measure in MEASURES}
        found = []
        for key in self.measures:
            values, unit, axes = self.of(key), units[key], (self.axes[0], *self.axes[2:])
            top = 1.0 if unit == "weight" else float(np.nanmax(values, initial=0.0))
            found.append(
                Picture(key, "cells", values, axes, Quantity(unit, 0, top), top=top, beside="checkpoint")
            )
        return tuple(found)

    def curve(self, measure: MeasureKey, head: Head) -> Picture:
        """Return a measure of a head over the steps, beside the mean of all heads."""
        values, (layer, number) = self.of(measure), head
        shown = np.stack([values[:, layer, number], values.reshape(len(values), -1).mean(1)])
        steps = Axis("training step", tuple(str(stage.step) for stage in self.stages))
        axes = Axis("head of all", (f"{layer}·{number}", "mean")), steps
        words = {"mean": Message("Mean of all heads")}
        return Picture(measure, "curves", shown, axes, Quantity(""), words=words, levels=frozenset(words))

    def formed(self, measure: MeasureKey) -> tuple[FormedHead, ...]:
        """Return all heads, those first of which the measure changes most from the first to the last step."""
        values = self.of(measure).astype(np.float64)
        found = []
        for layer, head in np.ndindex(values.shape[1:]):
            curve = values[:, layer, head]
            first, last = float(curve[0]), float(curve[-1])
            done = (curve - first) * np.sign(last - first) >= abs(last - first) / 2
            at = int(done.argmax()) if last != first else 0
            found.append(FormedHead((int(layer), int(head)), first, last, self.stages[at].step))
        return tuple(sorted(found, key=lambda one: -abs(one.change)))

    def as_table(self) -> Table:
        """Return a row for each checkpoint and head: step, layer, head, and its means of the measures."""
        values = self.named["values"]
        rows = RowSource(
            lambda: (
                (stage.step, layer, head, *values[at, :, layer, head].tolist())
                for at, stage in enumerate(self.stages)
                for layer, head in np.ndindex(values.shape[2:])
            )
        )
        return Table(("step", "layer", "head", *self.measures), rows)
