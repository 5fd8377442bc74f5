"""`BarLayout`: where the sections of the encoder, and the stops of one, lie on the bar of a narrow panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF

from bertviz_app.viewmodels.steps.stage import Part
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, Walk
from bertviz_app.views.kit.look import Look

_Key = TypeVar("_Key")

SECTIONS = 18.0
_STAGES, _WRAPPED = 26.0, 23.0
_MARGIN = 12.0
_AROUND = 6.0
"""What is free beside a sign, and beside the name of a section."""
_LEAST_LAYER = 14.0
_OF_HEAD = (Part.BEFORE, Part.PROJECTIONS, Part.MIXING)
"""The parts of a layer that its heads compute: the upper row where the signs take two."""


@dataclass(frozen=True)
class Widths:
    """How wide the texts of the bar are, in pixels: signs of stages, their brief forms, sections."""

    of_sign: Callable[[str], float]
    of_brief: Callable[[str], float]
    of_section: Callable[[int], float]


def n_rows(look: Look, walk: Walk, widths: Widths, width: float) -> int:
    """Return 1 if the signs of every layer fit beside each other into `width`, else 2."""
    layers = {tuple(stop.stage for stop in walk.section(number)) for number in range(walk.n_layers)}
    around, room = look.pixels(_AROUND), width - 2 * _MARGIN
    return 1 if all(sum(widths.of_sign(one) + around for one in each) <= room for each in layers) else 2


def height(look: Look, rows: int) -> int:
    """Return the height of the bar with this many rows of stages."""
    return look.pixels(SECTIONS) + (look.pixels(_STAGES) if rows == 1 else rows * look.pixels(_WRAPPED))


class BarLayout:
    """A row of sections, and below it the stops of the section that is shown, in one row or in two.

    Each cell is as wide as its sign and an equal share of what is left, so that none is cut where all fit.
    Embeddings and top, which have few stops, have one row of the height of all.
    """

    def __init__(self, look: Look, walk: Walk, widths: Widths, width: float, rows: int) -> None:
        self._look, self._width = look, width
        self.sections = self._lay_out_sections(walk.n_layers, widths)
        self.stops: dict[Stop, QRectF] = {}
        here = walk.section(walk.stop.section)
        upper = tuple(stop for stop in here if STAGES[stop.stage].part in _OF_HEAD)
        lower = here[len(upper) :]
        wrapped = (upper, lower) if rows > 1 and upper and lower else (here,)
        top = look.pixels(SECTIONS)
        row_height = (height(look, rows) - top) / len(wrapped)
        for number, row in enumerate(wrapped):
            self._lay_out_row(row, widths, top + number * row_height, row_height)

    def _lay_out_sections(self, n_layers: int, widths: Widths) -> Mapping[int, QRectF]:
        """Give embeddings and top the room of their names, the layers equal shares of what is left."""
        room, around = self._width - 2 * _MARGIN, self._look.pixels(_AROUND)
        first, last = (widths.of_section(number) + around for number in (BELOW, n_layers))
        pitch = (room - first - last) / n_layers
        equal = room / (n_layers + 4)
        if pitch < self._look.pixels(_LEAST_LAYER) or 2 * equal >= max(first, last):
            first, pitch, last = 2 * equal, equal, 2 * equal
        return self._placed(
            dict(zip(range(BELOW, n_layers + 1), (first, *[pitch] * n_layers, last), strict=True)),
            QRectF(0, 1, 0, self._look.pixels(SECTIONS) - 3),
        )

    def _lay_out_row(self, row: tuple[Stop, ...], widths: Widths, top: float, row_height: float) -> None:
        room, around = self._width - 2 * _MARGIN, self._look.pixels(_AROUND)
        needed = {stop: widths.of_sign(stop.stage) + around for stop in row}
        if sum(needed.values()) > room:
            needed = {stop: widths.of_brief(stop.stage) + around for stop in row}
        free = (room - sum(needed.values())) / len(row)
        wide = {stop: each + free if free >= 0 else room / len(row) for stop, each in needed.items()}
        self.stops.update(self._placed(wide, QRectF(0, top, 0, row_height - 4)))

    @staticmethod
    def _placed(widths: Mapping[_Key, float], row: QRectF) -> dict[_Key, QRectF]:
        """Return boxes of these widths from left to right in a row."""
        lefts = accumulate(widths.values(), initial=_MARGIN)
        return {
            key: QRectF(left, row.top(), width, row.height())
            for (key, width), left in zip(widths.items(), lefts, strict=False)
        }

    def stop_at(self, at: QPointF) -> Stop | None:
        """Return the stop of the cell under a point."""
        return next((stop for stop, box in self.stops.items() if box.contains(at)), None)

    def section_at(self, at: QPointF) -> int | None:
        """Return the section of the cell under a point."""
        return next((number for number, box in self.sections.items() if box.contains(at)), None)
