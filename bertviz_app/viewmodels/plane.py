"""`Plane`: a map's points on a stretch of pixels, and which of their labels have room."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float32]
Pixels = NDArray[np.float64]

_GRAIN = 2.0  # pixels: labels are kept apart on a grid this fine
_AWAY = 8.0
_MOST_TRIES = 3000
_MOST_LABELS = 400
_ZOOM = (0.2, 400.0)  # of the scale at which all is in sight


@dataclass(frozen=True)
class Plane:
    """`width` x `height` pixels, in whose middle lies the point (`x`, `y`); `scale` pixels a unit.

    Both axes have one scale, so that distances on screen are distances on the map; y grows upwards.
    """

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    whole: float = 1.0

    def pixels(self, points: Points) -> Pixels:
        """Return where `points` [..., 2] lie, in pixels from the upper left corner."""
        away = (points.astype(np.float64) - (self.x, self.y)) * (self.scale, -self.scale)
        pixels: Pixels = away + np.array((self.width / 2, self.height / 2))
        return pixels

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the map under a pixel."""
        return self.x + (x - self.width / 2) / self.scale, self.y - (y - self.height / 2) / self.scale

    def zoomed(self, factor: float, x: float, y: float) -> Plane:
        """Return this plane magnified by `factor`, with the point under a pixel staying there."""
        least, most = (limit * self.whole for limit in _ZOOM)
        scale = min(max(self.scale * factor, least), most)
        at = self.point(x, y)
        share = self.scale / scale
        return replace(
            self,
            scale=scale,
            x=at[0] + (self.x - at[0]) * share,
            y=at[1] + (self.y - at[1]) * share,
        )

    def moved(self, right: float, down: float) -> Plane:
        """Return this plane with its points moved by a number of pixels."""
        return replace(self, x=self.x - right / self.scale, y=self.y + down / self.scale)


def fitted(points: Points, width: float, height: float, margin: float) -> Plane:
    """Return the plane of this size that shows all `points` [n, 2], nan left out, within a margin."""
    there = points[~np.isnan(points).any(-1)]
    if not len(there):
        return Plane(width, height)
    low, high = there.min(0).astype(float), there.max(0).astype(float)
    room = max(20.0, width - 2 * margin), max(20.0, height - 2 * margin)
    scales = [pixels / extent for pixels, extent in zip(room, high - low, strict=True) if extent > 0]
    scale = min(scales, default=1.0)
    middle = (low + high) / 2
    return Plane(width, height, float(middle[0]), float(middle[1]), scale, scale)


def ticks(low: float, high: float, room: float, apart: float) -> list[float]:
    """Return round numbers from `low` to `high`, at least `apart` pixels from each other in `room` pixels."""
    if not high > low or room < apart:
        return []
    least = (high - low) * apart / room
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


@dataclass(frozen=True)
class LabelPlace:
    """Where the label of one point begins: the left edge and the top of its box."""

    point: int
    left: float
    top: float


def place_labels(
    pixels: Pixels,
    widths: NDArray[np.float64],
    height: float,
    size: tuple[float, float],
    first: Iterable[int] = (),
) -> list[LabelPlace]:
    """Return places for as many labels as fit beside their points, clear of each other and of all points.

    `pixels` [n, 2] (nan: no such point), `widths` [n] and `height` of the labels, `size` of the plane.
    The points `first` have the first choice, then the others in their order.
    """
    grid = _Grid(size)
    inside = np.flatnonzero(((pixels >= 0) & (pixels < np.asarray(size))).all(-1))
    for x, y in pixels[inside].tolist():
        grid.take(x - 3, y - 3, 6, 6)
    placed = []
    candidates = list(dict.fromkeys([*first, *inside.tolist()]))
    there = set(inside.tolist())
    for point in [point for point in candidates if point in there][:_MOST_TRIES]:
        x, y = pixels[point].tolist()
        width = float(widths[point])
        for left, top in _choices(x, y, width, height):
            if grid.is_free(left, top, width, height):
                grid.take(left, top, width, height)
                placed.append(LabelPlace(point, left, top))
                break
        if len(placed) == _MOST_LABELS:
            break
    return placed


def _choices(x: float, y: float, width: float, height: float) -> tuple[tuple[float, float], ...]:
    """Return the corners of the places beside a point: right, left, above, below."""
    return (
        (x + _AWAY, y - height / 2),
        (x - _AWAY - width, y - height / 2),
        (x - width / 2, y - _AWAY - height),
        (x - width / 2, y + _AWAY),
    )


class _Grid:
    """Which parts of a plane are taken, in squares of _GRAIN pixels."""

    def __init__(self, size: tuple[float, float]) -> None:
        self._size = size
        columns, rows = (math.ceil(length / _GRAIN) for length in size)
        self._taken = np.zeros((max(1, rows), max(1, columns)), bool)

    def take(self, left: float, top: float, width: float, height: float) -> None:
        self._taken[self._part(left, top, width, height)] = True

    def is_free(self, left: float, top: float, width: float, height: float) -> bool:
        is_inside = left >= 0 and top >= 0 and left + width <= self._size[0] and top + height <= self._size[1]
        return is_inside and not self._taken[self._part(left, top, width, height)].any()

    def _part(self, left: float, top: float, width: float, height: float) -> tuple[slice, slice]:
        rows = slice(max(0, math.floor(top / _GRAIN)), max(0, math.ceil((top + height) / _GRAIN)))
        columns = slice(max(0, math.floor(left / _GRAIN)), max(0, math.ceil((left + width) / _GRAIN)))
        return rows, columns
