"""`PictureCurves`: a picture of a result as curves."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyqtgraph as pg

from bertviz_app.analysis.picture import Picture, places_of
from bertviz_app.types import Doubles, Floats
from bertviz_app.typeset import fixed, magnitude
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.table import CopiesNumbers
from bertviz_app.views.analyses.titles import COUNT, axis_word, colours_of, number_of, part_word, unit_of
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.curves import Curve, CurvePlot

_COLOURS = ("accent", "output")  # those of the first and the second series; of more each has that of a head
_BEYOND = 1.05  # times the number that is furthest from 0, at either end of the axis
_SHAPE, _LOWEST = 0.6, 260.0  # in print, of its width, or in pixels
_LEAST_WRITTEN = 0.0005  # smaller numbers are written by their power of ten


class PictureCurves(CopiesNumbers, CurvePlot):
    """Draws the last two axes of a `Picture`: a curve for each series, with intervals as bars of error."""

    def __init__(self, look: Look) -> None:
        self._errors: list[pg.ErrorBarItem] = []
        super().__init__(look)

    def show_picture(self, picture: Picture) -> None:
        self.picture = picture
        self.unit = "%" if picture.quantity.is_share else ""
        series, along = picture.axes
        steps = np.array(places_of(along))
        order = np.argsort(steps, kind="stable")
        levels = [name in picture.levels for name in series.labels]
        n_own = len(levels) - sum(levels)
        colours: Iterator[str | int] = iter(_COLOURS if n_own <= len(_COLOURS) else range(n_own))
        curves = []
        for at, is_level in enumerate(levels):
            values = picture.values[at].astype(np.float64)[order]
            is_there = np.isfinite(values)
            colour = "secondary" if is_level else next(colours)
            line = steps[order][is_there], values[is_there]
            name = part_word(picture, series, at)
            curves.append(Curve(name, colour, *line, is_marked=not is_level, is_level=is_level))
        self.setAccessibleName(colours_of(picture))
        self.show_curves(curves, axis_word(along.name))
        self._show_errors(picture, steps)

    def _show_errors(self, picture: Picture, steps: Doubles) -> None:
        for item in self._errors:
            self.item.removeItem(item)
        self._errors = []
        if picture.low is None or picture.high is None:
            return
        for curve, values, low, high in zip(
            self.curves, picture.values, picture.low, picture.high, strict=True
        ):
            there = np.isfinite(low) & np.isfinite(high) & np.isfinite(values)
            if there.any():
                below, above = (end[there].astype(np.float64) for end in (values - low, high - values))
                item = pg.ErrorBarItem(
                    x=steps[there],
                    y=values[there].astype(np.float64),
                    bottom=below,
                    top=above,
                    beam=0.012 * (self.box.whole.width() or 1.0),
                    pen=pg.mkPen(self.colour_of(curve)),
                )
                self._errors.append(item)
                self.item.addItem(item, ignoreBounds=True)

    def recolour(self) -> None:
        super().recolour()
        self._show_errors(self.picture, np.array(places_of(self.picture.axes[1])))

    # in print

    @property
    def printed_height(self) -> float:
        """The height beside the width of a figure."""
        return float(max(_LOWEST, _SHAPE * self.width()))

    def _numbers(self, picture: Picture) -> Floats:
        """Return all numbers that are drawn, the ends of intervals among them, and 0."""
        arrays = [each.ravel() for each in (picture.values, picture.low, picture.high) if each is not None]
        numbers = np.concatenate([np.zeros(1, np.float32), *arrays])
        there: Floats = numbers[np.isfinite(numbers)]
        return there

    def starts(self) -> tuple[float, float]:
        """Return 0 and 0, or the first step and a number below the least where those are below 0."""
        picture = self.picture
        least = float(self._numbers(picture).min())
        first = min([0.0, *places_of(picture.axes[1])])
        return first, -picture.top if picture.top and least < 0 else _BEYOND * least

    def ends(self) -> tuple[float, float]:
        """Return the last step, and the end of the axis of numbers that the picture names or needs."""
        picture = self.picture
        (first, low), steps = self.starts(), places_of(picture.axes[1])
        last, top = max(steps, default=first), picture.top or _BEYOND * float(self._numbers(picture).max())
        return last if last > first else first + 1, top if top > low else 1.0

    def written(self, value: float) -> str:
        """Return a number with its unit, as the legend shows it."""
        unit = "" if self.unit else unit_of(self.picture.quantity)
        return f"{self._number(value)} {unit}".rstrip()

    def _number(self, value: float) -> str:
        if self.unit:
            return super().written(value)
        if self.picture.quantity.unit == COUNT:
            return number_of(self.picture.quantity)(value)
        return magnitude(value) if 0 < abs(value) < _LEAST_WRITTEN else fixed(value, 3)

    def lines_of(self, part: float) -> list[str]:
        picture = self.picture
        series, along = picture.axes
        at = int(np.abs(np.array(places_of(along)) - part).argmin())
        title = f"{axis_word(along.name)} {along.labels[at]}"
        lines, low, high = [], picture.low, picture.high
        for one, value in enumerate(picture.values[:, at].tolist()):
            if not math.isnan(value):
                line = f"{part_word(picture, series, one)} {self.written(value)}"
                if low is not None and high is not None and not np.isnan(low[one, at]):
                    ends = (self._number(float(end[one, at])) for end in (low, high))
                    line += f" ({' … '.join(ends)})"
                lines.append(line)
        return [title, *lines, *map(translated, picture.details({along.name: at}))]
