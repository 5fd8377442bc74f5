"""Small pictures of what a stop does: histograms, curves, arrows that add, vectors times a matrix, tables."""

from __future__ import annotations

import math
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPen, QPolygonF

from bertviz_app.features.steps.drawn import (
    ROLES,
    ActivationCurve,
    Arrows,
    Histogram,
    Histograms,
    Joined,
    Lookup,
    Product,
)
from bertviz_app.features.steps.views.sheet import StripPainter, along, between, image_of
from bertviz_app.types import Floats, Indices
from bertviz_app.viewmodels.stages.stops import bound_of
from bertviz_app.viewmodels.viewport import Levels, signed_levels
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import CENTRE, RIGHT, Look, signed_table
from bertviz_app.views.kit.words import exact, fixed, trimmed

_TICKS, _FORMULA, _BETWEEN = 18.0, 24.0, 26.0
_HEAD = 9.0
_WIDEST = 620.0
"""Of a curve: wider it would look flatter than it is."""


D = TypeVar("D")
"""What a plot draws: one of `features.steps.drawn`."""


class SmallPlot(Generic[D]):
    """Draws into the area where it is placed. What can be read out in it are its places, from the left.

    `sentence` says what is seen, in one or two sentences with the numbers in them.
    """

    sentence = ""
    n_places = 0

    def __init__(self, look: Look, token: str, drawn: D) -> None:
        self.look = look
        self.token = token
        self.drawn = drawn
        self.area = QRectF()
        self.describe()

    def describe(self) -> None:
        """Count the places, and write the sentence."""
        raise NotImplementedError

    def place(self, area: QRectF) -> None:
        """Draw into this area from now on."""
        self.area = area

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        """Draw it; `progress` is how far the result has come out of what it is made of, from 0 to 1."""
        raise NotImplementedError

    def boxes(self) -> list[QRectF]:
        """Return where the places are; after the last one may come more boxes, of the first one on."""
        return []

    def place_at(self, at: QPointF) -> int | None:
        """Return what is read out at a point."""
        index = next((index for index, box in enumerate(self.boxes()) if box.contains(at)), None)
        return None if index is None else index % self.n_places

    def point(self, place: int) -> QPointF:
        """Return where a place is."""
        return self.boxes()[place].center()

    def lines(self, place: int) -> list[str]:
        """Return what is read out of a place."""
        raise NotImplementedError

    def walk(self, place: int | None, down: int, across: int) -> int:
        """Return the place that an arrow key leads to."""
        before = -1 if place is None else place
        return min(max(0, before + across - down), self.n_places - 1)


class HistogramsPlot(SmallPlot[Histograms]):
    """Histograms beside each other on axes that are alike, each with its mean and its standard deviation."""

    def describe(self) -> None:
        drawn = self.drawn
        self.n_places = sum(len(part.counts) for part in drawn.parts)
        translate, first, last = QCoreApplication.translate, drawn.parts[0], drawn.parts[-1]
        if drawn.kind == "scores":
            words = translate(
                "Steps",
                "{0} products of queries and keys of this head, and the same divided by {1}: the variance "
                "falls from {2} to {3}.",
            )
            variances = fixed(first.variance, 2), fixed(last.variance, 2)
            self.sentence = words.format(first.n, fixed(drawn.divisor, 2), *variances)
            return
        texts = {
            "norm": translate(
                "Steps",
                "The {0} numbers of “{1}”: mean {2} and standard deviation {3} become 0 and 1, "
                "then γ scales and β shifts them.",
            ),
            "rms": translate(
                "Steps",
                "The {0} numbers of “{1}”, mean {2} and standard deviation {3}, are divided by their root "
                "mean square, then γ scales them.",
            ),
            "scale": translate(
                "Steps",
                "The {0} numbers of “{1}”, mean {2} and standard deviation {3}: γ scales and β shifts them, "
                "nothing is normalised.",
            ),
        }
        self.sentence = texts[drawn.kind].format(
            first.n, self.token, fixed(first.mean, 2), fixed(first.deviation, 2)
        )

    def _boxes(self) -> list[QRectF]:
        """Return the room of the bars of each histogram."""
        n, gap = len(self.drawn.parts), self.look.pixels(_BETWEEN)
        width = (self.area.width() - (n - 1) * gap) / n
        top, bottom = self.look.pixels(_FORMULA + 20), self.look.pixels(_TICKS)
        room = self.area.adjusted(0, top, 0, -bottom)
        return [along(room, room.left() + index * (width + gap), width) for index in range(n)]

    def _x(self, part: Histogram, value: float, box: QRectF) -> float:
        low, high = float(part.edges[0]), float(part.edges[-1])
        return box.left() + (value - low) / (high - low) * box.width()

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        parts, boxes, before = self.drawn.parts, self._boxes(), 0
        for index, (part, box) in enumerate(zip(parts, boxes, strict=True)):
            self._draw_head(pen, part, box)
            self._draw_axis(pen, part, box)
            if index == 0 or progress >= 1:
                colour = "accent" if part is parts[-1] else "secondary"
                self._draw_bars(pen, part, box, colour, None if chosen is None else chosen - before)
                self._draw_spread(pen, part, box)
            else:
                # On its way from the one that it is made of.
                left = between(boxes[index - 1].left(), box.left(), progress)
                moving = along(boxes[index - 1], left, box.width())
                pen.painter.setOpacity(0.7)
                self._draw_bars(pen, parts[index - 1] if progress < 0.5 else part, moving, "secondary", None)
                pen.painter.setOpacity(1.0)
            before += len(part.counts)
            if index:
                gap = self.look.pixels(_BETWEEN)
                pen.write("→", along(box, box.left() - gap, gap), self.look.font(16), "secondary")

    def _draw_head(self, pen: StripPainter, part: Histogram, box: QRectF) -> None:
        """Write the formula and the numbers of a histogram above it."""
        row = QRectF(box.left(), self.area.top(), box.width(), self.look.pixels(_FORMULA))
        made = pen.write_formula((part.formula,), row, "text")
        words = (
            QCoreApplication.translate("Steps", "variance {0}").format(fixed(part.variance, 3))
            if self.drawn.kind == "scores"
            else f"μ = {fixed(part.mean, 2)}   σ = {fixed(part.deviation, 2)}"
        )
        metrics = QFontMetricsF(self.look.number_font(12))
        if metrics.horizontalAdvance(words) + made.box.width + 12 > row.width():
            row.translate(0, self.look.pixels(_FORMULA - 6))
        pen.write_number(words, row, "secondary", RIGHT)

    def _draw_axis(self, pen: StripPainter, part: Histogram, box: QRectF) -> None:
        pen.line(box.bottomLeft(), box.bottomRight(), "rule")
        low, high = float(part.edges[0]), float(part.edges[-1])
        room = self.look.pixels(60)
        for value in (0.0, *_ends(low, high)):
            x = self._x(part, value, box)
            pen.line(QPointF(x, box.bottom()), QPointF(x, box.bottom() + 4), "rule")
            label = QRectF(x - room / 2, box.bottom() + 2, room, self.look.pixels(_TICKS) - 2)
            pen.write_number(trimmed(value, 2), label, "secondary", CENTRE)

    def _draw_bars(
        self, pen: StripPainter, part: Histogram, box: QRectF, colour: str, marked: int | None
    ) -> None:
        highest = max(1, int(part.counts.max()))
        pitch = box.width() / len(part.counts)
        for index, count in enumerate(part.counts.tolist()):
            if not count:
                continue
            height = max(1.0, count / highest * box.height())
            bar = QRectF(box.left() + index * pitch, box.bottom() - height, max(1.0, pitch - 1), height)
            pen.painter.fillRect(bar, self.look.colour("warning" if index == marked else colour))

    def _draw_spread(self, pen: StripPainter, part: Histogram, box: QRectF) -> None:
        """Mark the mean by a line, and the standard deviation by a band on both sides of it."""
        middle = self._x(part, part.mean, box)
        ends = [self._x(part, part.mean + sign * part.deviation, box) for sign in (-1, 1)]
        pen.draw_band(along(box, ends[0], ends[1] - ends[0]), 0.13)
        y = box.top() + 3
        for start, end in (
            (QPointF(middle, box.top()), QPointF(middle, box.bottom())),
            (QPointF(ends[0], y), QPointF(ends[1], y)),
            *((QPointF(end, y - 3), QPointF(end, y + 3)) for end in ends),
        ):
            pen.line(start, end, "text", 1.5)

    def boxes(self) -> list[QRectF]:
        return [
            along(box, box.left() + index * box.width() / len(part.counts), box.width() / len(part.counts))
            for part, box in zip(self.drawn.parts, self._boxes(), strict=True)
            for index in range(len(part.counts))
        ]

    def lines(self, place: int) -> list[str]:
        number, index = divmod(place, len(self.drawn.parts[0].counts))
        part = self.drawn.parts[number]
        translate = QCoreApplication.translate
        low, high = fixed(float(part.edges[index]), 3), fixed(float(part.edges[index + 1]), 3)
        return [
            translate("Steps", "{0} of {1} numbers").format(int(part.counts[index]), part.n),
            translate("Steps", "from {0} to {1}").format(low, high),
        ]


def _ends(low: float, high: float) -> tuple[float, ...]:
    """Return round numbers near both ends of an axis, without those that zero is too near to."""
    size = max(-low, high) * 0.75
    step = 10.0 ** math.floor(math.log10(size)) if size > 0 else 1.0
    value = math.floor(size / step) * step
    return tuple(end for end in (-value, value) if low <= end <= high)


class ActivationPlot(SmallPlot[ActivationCurve]):
    """A function with a point for each number of the token: right what goes in, up what comes out."""

    def describe(self) -> None:
        drawn = self.drawn
        self.order: Indices = np.argsort(drawn.inputs, kind="stable")
        self.n_places = len(drawn.inputs)
        words = QCoreApplication.translate(
            "Steps",
            "{0} numbers of “{1}” go through {2}, each by itself: right what goes in, up what comes out. "
            "{3} of them come out nearly 0.",
        )
        self.sentence = words.format(self.n_places, self.token, drawn.name, drawn.n_near_zero)

    def place(self, area: QRectF) -> None:
        super().place(area)
        drawn, width = self.drawn, min(area.width(), self.look.pixels(_WIDEST))
        left, bottom = self.look.pixels(52), self.look.pixels(_TICKS)
        self.box = QRectF(area.left() + left, area.top() + 8, width - left - 8, area.height() - 8 - bottom)
        self._low = min(0.0, float(drawn.line_y.min()))
        self._high = max(0.0, float(drawn.line_y.max())) or 1.0
        self._points = self._polygon(drawn.inputs, drawn.outputs)

    def _polygon(self, xs: NDArray[np.floating], ys: NDArray[np.floating]) -> QPolygonF:
        return QPolygonF([self.at(*pair) for pair in zip(xs.tolist(), ys.tolist(), strict=True)])

    def at(self, given: float, made: float) -> QPointF:
        """Return the point of a number that goes in and what comes out."""
        first, last = float(self.drawn.line_x[0]), float(self.drawn.line_x[-1])
        x = self.box.left() + (given - first) / ((last - first) or 1.0) * self.box.width()
        y = self.box.bottom() - (made - self._low) / ((self._high - self._low) or 1.0) * self.box.height()
        return QPointF(x, y)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        self._draw_axes(pen)
        pen.painter.setPen(QPen(self.look.colour("secondary"), 1.5))
        pen.painter.drawPolyline(self._polygon(self.drawn.line_x, self.drawn.line_y))
        colour = self.look.colour("accent", 0.55)
        pen.painter.setPen(QPen(colour, self.look.pixels(5), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        points = self._points
        if progress < 1:  # on their way from the axis, where they go in, up or down to the curve
            zero = self.at(0, 0).y()
            points = QPolygonF(
                [QPointF(one.x(), between(zero, one.y(), progress)) for one in points.toList()]
            )
        pen.painter.drawPoints(points)
        if chosen is not None:
            at, origin = self.point(chosen), self.at(0.0, 0.0)
            for start in (QPointF(at.x(), origin.y()), QPointF(max(self.box.left(), origin.x()), at.y())):
                pen.line(start, at, "warning", is_broken=True)
            pen.dot(at, 5, "warning")

    def _draw_axes(self, pen: StripPainter) -> None:
        origin, box = self.at(0.0, 0.0), self.box
        pen.line(QPointF(box.left(), origin.y()), QPointF(box.right(), origin.y()), "rule")
        if box.left() <= origin.x() <= box.right():
            pen.line(QPointF(origin.x(), box.top()), QPointF(origin.x(), box.bottom()), "rule")
        room, line = self.look.pixels(60), self.look.pixels(_TICKS)
        first, last = float(self.drawn.line_x[0]), float(self.drawn.line_x[-1])
        for value in _ends(first, last):
            label = QRectF(self.at(value, 0).x() - room / 2, box.bottom() + 1, room, line)
            pen.write_number(trimmed(value, 2), label, "secondary", CENTRE)
        for value in {0.0, *_ends(self._low, self._high), round(self._low, 2)}:
            y = self.at(0, value).y()
            if value == 0 or abs(y - origin.y()) > line:
                label = QRectF(self.area.left(), y - line / 2, box.left() - self.area.left() - 8, line)
                pen.write_number(trimmed(value, 2), label, "secondary", RIGHT)
        given, made = self.drawn.formulas
        row = QRectF(box.right() - room, origin.y() - line - 4, room, line)
        pen.write_formula((given,), row, "secondary", RIGHT)
        pen.write_formula((made,), QRectF(max(box.left(), origin.x()) + 6, box.top(), room, line), "accent")

    def place_at(self, at: QPointF) -> int | None:
        if not self.box.adjusted(-6, -8, 6, 20).contains(at):
            return None
        xs = np.array([point.x() for point in self._points.toList()])
        return int(np.abs(xs[self.order] - at.x()).argmin())

    def point(self, place: int) -> QPointF:
        return self._points.at(int(self.order[place]))

    def lines(self, place: int) -> list[str]:
        dimension = int(self.order[place])
        words = QCoreApplication.translate("Steps", "dimension {0}").format(dimension)
        given, made = self.drawn.inputs[dimension], self.drawn.outputs[dimension]
        return [f"{self.drawn.name}({exact(given)}) = {exact(made)}", f"{self.token} · {words}"]


_ARROW_COLOURS = ("secondary", "output", "accent")


class ArrowsPlot(SmallPlot[Arrows]):
    """Two arrows, the second from the tip of the first, and the one from start to end: their sum."""

    n_places = 3

    def describe(self) -> None:
        first, second, total = (fixed(length, 2) for length in self.drawn.lengths)
        words = QCoreApplication.translate(
            "Steps",
            "Lengths and angles are true: an arrow of length {0} and one of {1} add up to one of {2}. The "
            "sum and what it was added to have the cosine {3}.",
        )
        self.sentence = words.format(first, second, total, fixed(self.drawn.kept, 3))

    def place(self, area: QRectF) -> None:
        super().place(area)
        pixels, corners = self.look.pixels, [(0.0, 0.0), *self.drawn.corners]
        xs, ys = zip(*corners, strict=True)
        room = area.adjusted(pixels(70), pixels(28), -pixels(70), -pixels(30))
        width, height = (max(xs) - min(xs)) or 1.0, (max(ys) - min(ys)) or 1e-9
        scale = min(room.width() / width, room.height() / height)
        left = room.center().x() - width * scale / 2 - min(xs) * scale
        bottom = room.center().y() + height * scale / 2
        start, middle, end = (QPointF(left + x * scale, bottom - y * scale) for x, y in corners)
        self.ends = start, middle, end
        """Start, tip of the first arrow, and tip of both, as large as the area allows."""
        self.sides = (start, middle), (middle, end), (start, end)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        start, middle, end = self.ends
        shift = (middle - start) * between(-1, 0, progress)
        arrows = ((start, middle), (middle + shift, end + shift), (start, end))
        for index, ((tail, tip), colour) in enumerate(zip(arrows, _ARROW_COLOURS, strict=True)):
            if index < 2 or progress >= 1:
                draw_arrow(pen, tail, tip, colour, 4 if index == chosen else 2.5)
        if progress < 1:
            return
        # Each length beside the middle of its arrow, on the outer side of the triangle.
        centre = sum(self.ends, QPointF()) / 3
        for index, ((tail, tip), colour) in enumerate(zip(self.sides, _ARROW_COLOURS, strict=True)):
            formula = f"|{self.drawn.formulas[index]}| = {fixed(self.drawn.lengths[index], 2)}"
            width, height = fitting(self.look, (formula,), math.inf, 14).box.width, self.look.pixels(20)
            middle, along = (tail + tip) / 2, tip - tail
            normal = QPointF(-along.y(), along.x()) / (math.hypot(along.x(), along.y()) or 1.0)
            if QPointF.dotProduct(normal, middle - centre) < 0:
                normal = -normal
            at = middle + normal * (abs(normal.x()) * width / 2 + abs(normal.y()) * height / 2 + 5)
            box, area = QRectF(at.x() - width / 2, at.y() - height / 2, width + 1, height), self.area
            x = min(max(box.left(), area.left()), max(area.left(), area.right() - box.width()))
            y = min(max(box.top(), area.top()), max(area.top(), area.bottom() - box.height()))
            box.moveTo(x, y)
            pen.write_formula((formula,), box, colour)

    def place_at(self, at: QPointF) -> int | None:
        distances = [_distance(at, *side) for side in self.sides]
        nearest = int(np.argmin(distances))
        return nearest if distances[nearest] <= 10 else None

    def point(self, place: int) -> QPointF:
        tail, tip = self.sides[place]
        return (tail + tip) / 2

    def lines(self, place: int) -> list[str]:
        translate = QCoreApplication.translate
        length = translate("Steps", "length {0}").format(fixed(self.drawn.lengths[place], 4))
        names = (
            translate("Steps", "what came in"),
            translate("Steps", "what is added"),
            translate("Steps", "the sum"),
        )
        cosine = self.drawn.between if place == 1 else self.drawn.kept
        angle = fixed(math.degrees(math.acos(min(1.0, max(-1.0, cosine)))), 1)
        away = translate("Steps", "cosine {0}, {1}° away from what came in").format(fixed(cosine, 4), angle)
        return [f"{self.token} · {names[place]}", length, *([away] if place else [])]


def draw_arrow(pen: StripPainter, start: QPointF, end: QPointF, colour: str, width: float) -> None:
    ink = pen.look.colour(colour)
    pen.painter.setPen(QPen(ink, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    pen.painter.drawLine(start, end)
    along = end - start
    length = math.hypot(along.x(), along.y())
    if length < 1:
        return
    size = min(pen.look.pixels(_HEAD), length / 2)
    unit = along / length
    across = QPointF(-unit.y(), unit.x())
    pen.painter.setPen(Qt.PenStyle.NoPen)
    pen.painter.setBrush(ink)
    base = end - unit * size
    pen.painter.drawPolygon(QPolygonF([end, base + across * size / 2, base - across * size / 2]))


def _distance(at: QPointF, start: QPointF, end: QPointF) -> float:
    """Return how far a point is from a line between two others."""
    along = end - start
    length = along.x() ** 2 + along.y() ** 2
    share = 0.0 if not length else QPointF.dotProduct(at - start, along) / length
    nearest = start + along * min(1.0, max(0.0, share))
    return math.hypot(at.x() - nearest.x(), at.y() - nearest.y())


_LETTERS, _RESULT = 58.0, 190.0
_STRIP, _GAP = 20.0, 5.0
_COLUMN = 20.0
_NUMBERED, _TALLEST, _CLOSE = 20.0, 46.0, 0.8
"""Of joined heads: the line of their numbers, the height of a strip, how much narrower they are then."""


class _MatrixPlot(SmallPlot[D]):
    """What those of matrices draw: pictures of many numbers."""

    def draw_levels(self, pen: StripPainter, levels: Levels | None, box: QRectF) -> None:
        """Draw the colours of a matrix; while they are on their way a plain ground."""
        pen.painter.fillRect(box, self.look.colour("raised"))
        if levels is not None:
            pen.painter.drawImage(box, image_of(signed_table(self.look)[levels]))
        pen.draw_frames([box])

    def draw_numbers(self, pen: StripPainter, values: Floats, box: QRectF, colour: str = "rule") -> None:
        """Draw a strip of numbers on a scale of their own, in a frame."""
        pen.draw_strip(box, values, bound_of(values))
        pen.box(box, colour, 1 if colour == "rule" else 2)


class ProductPlot(_MatrixPlot[Product]):
    """The vector above the matrix, whose lines lie as they are stored: each makes one number of the result.

    `highlighted` is the line read out below the grid. Up and down choose another one, left and right a
    number in it.
    """

    highlighted = 0

    def place(self, area: QRectF) -> None:
        super().place(area)
        pixels = self.look.pixels
        strip, gap = pixels(_STRIP), pixels(_GAP)
        left = area.left() + pixels(_LETTERS)
        width = area.width() - pixels(_LETTERS) - pixels(_RESULT)
        self.input_box = QRectF(left, area.top(), width, strip)
        below = 2 * (strip + gap) + gap
        top = self.input_box.bottom() + gap
        self.grid = QRectF(left, top, width, max(24.0, area.bottom() - below - top))
        self.line_box = QRectF(left, self.grid.bottom() + 2 * gap, width, strip)
        self.products_box = self.line_box.translated(0, strip + gap)
        self.result = QRectF(self.grid.right() + pixels(24), top, pixels(_COLUMN), self.grid.height())

    def highlight(self, place: int) -> None:
        self.highlighted = min(place // self.n_columns, self.n_rows - 1)
        self.describe()

    def describe(self) -> None:
        self.n_rows, self.n_columns = len(self.drawn.weights), len(self.drawn.inputs)
        self.n_places = self.n_rows * self.n_columns
        self.colour = ROLES.get(self.drawn.stage, "accent")
        letter = self.drawn.formulas[3].partition("_")[0]
        bias, total = self.drawn.bias, self.drawn.sum(self.highlighted)
        translate = QCoreApplication.translate
        made = fixed(float(self.drawn.outputs[self.highlighted]), 3)
        counts = f"{self.n_columns:,}", f"{self.n_rows:,}"
        if bias is None:
            words = translate(
                "Steps",
                "Out of {0} numbers come {1}: each line of the matrix makes one. {0} products add up to "
                "number {2} of {3}: {4}.",
            )
            self.sentence = words.format(*counts, self.highlighted, letter, made)
        else:
            words = translate(
                "Steps",
                "Out of {0} numbers come {1}: each line of the matrix makes one. {0} products add up to {2}, "
                "with the bias {3} to number {4} of {5}: {6}.",
            )
            numbers = fixed(total, 3), fixed(float(bias[self.highlighted]), 3)
            self.sentence = words.format(*counts, *numbers, self.highlighted, letter, made)

    def _row_box(self, box: QRectF) -> QRectF:
        """Return the box of the highlighted line in the grid or the result: high enough to be seen."""
        pitch = box.height() / self.n_rows
        height = max(3.0, pitch)
        top = box.top() + (self.highlighted + 0.5) * pitch - height / 2
        return QRectF(box.left(), min(max(top, box.top()), box.bottom() - height), box.width(), height)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        drawn, highlighted = self.drawn, self.highlighted
        eased = between(0, 1, progress)
        self.draw_numbers(pen, drawn.inputs, self.input_box)
        self.draw_levels(pen, drawn.levels, self.grid)
        frame = self._row_box(self.grid)
        pen.box(frame.adjusted(-2, -1, 2, 1), self.colour, 2)
        # From the highlighted line of the grid to the same line below it, where each number has its colour.
        pale = self.look.colour(self.colour, 0.5)
        pen.line(frame.bottomLeft(), self.line_box.topLeft(), pale)
        pen.line(frame.bottomRight(), self.line_box.topRight(), pale)
        self.draw_numbers(pen, drawn.weights[highlighted], self.line_box, self.colour)
        products = drawn.products(highlighted).astype(np.float32)
        if progress >= 1:
            self.draw_numbers(pen, products, self.products_box)
            outputs, box = drawn.outputs, self.result
            self.draw_levels(pen, signed_levels(np.clip(outputs / bound_of(outputs), -1, 1))[:, None], box)
            row = self._row_box(box)
            pen.box(row.adjusted(-2, -1, 2, 1), self.colour, 2)
            line = self.look.pixels(22)
            top = min(max(row.center().y() - line / 2, box.top()), box.bottom() - line)
            room = QRectF(box.right() + 8, top, self.area.right() - box.right() - 8, line)
            letter = drawn.formulas[3].partition("_")[0]
            text = f"{letter}_{{{highlighted}}} = {fixed(float(outputs[highlighted]), 3)}"
            pen.write_formula((text,), room, self.colour)
        else:
            moving = self.input_box.translated(0, (self.products_box.top() - self.input_box.top()) * eased)
            pen.draw_moving(moving, drawn.inputs, bound_of(drawn.inputs), 0.85)
        self._write_letters(pen)
        if chosen is not None:
            x = self.grid.left() + (chosen % self.n_columns + 0.5) * self.grid.width() / self.n_columns
            top, bottom = self.input_box.top(), self.products_box.bottom()
            pen.line(QPointF(x, top), QPointF(x, bottom), "warning", 2)

    def _write_letters(self, pen: StripPainter) -> None:
        given, matrix, bias, made = self.drawn.formulas
        left, width = self.area.left(), self.look.pixels(_LETTERS) - 8
        rows = (
            (given, self.input_box, "text"),
            (f"{matrix}^T", self.grid, "text"),
            (f"w_{{{self.highlighted}}}", self.line_box, self.colour),
            (f"{given.partition('_')[0]} ⊙ w", self.products_box, "secondary"),
        )
        for formula, box, colour in rows:
            pen.write_formula((formula,), along(box, left, width), colour)
        right = self.grid.right()
        pen.write_formula(("=",), along(self.grid, right + 4, self.result.left() - right - 8), "secondary")
        pen.write_formula(
            (made,), along(self.input_box, self.result.left(), self.look.pixels(60)), self.colour
        )
        total = along(self.products_box, right + 8, self.area.right() - right - 8)
        sums = f"Σ = {fixed(self.drawn.sum(self.highlighted), 3)}"
        with_bias = "" if self.drawn.bias is None else f"{sums},  + {bias}"
        pen.write_formula(tuple(filter(None, (with_bias, sums))), total, "text")

    def place_at(self, at: QPointF) -> int | None:
        if self.result.adjusted(-6, 0, 6, 0).contains(at):
            row = int((at.y() - self.result.top()) / self.result.height() * self.n_rows)
            return min(row, self.n_rows - 1) * self.n_columns
        if not self.grid.left() <= at.x() < self.grid.right():
            return None
        column = min(
            int((at.x() - self.grid.left()) / self.grid.width() * self.n_columns), self.n_columns - 1
        )
        if self.grid.top() <= at.y() < self.grid.bottom():
            row = int((at.y() - self.grid.top()) / self.grid.height() * self.n_rows)
            return min(row, self.n_rows - 1) * self.n_columns + column
        is_on_strip = self.input_box.top() <= at.y() <= self.products_box.bottom()
        return self.highlighted * self.n_columns + column if is_on_strip else None

    def walk(self, place: int | None, down: int, across: int) -> int:
        if place is None:
            return self.highlighted * self.n_columns
        row, column = divmod(place, self.n_columns)
        row = min(max(0, row + down), self.n_rows - 1)
        return row * self.n_columns + min(max(0, column + across), self.n_columns - 1)

    def point(self, place: int) -> QPointF:
        x = self.grid.left() + (place % self.n_columns + 0.5) * self.grid.width() / self.n_columns
        return QPointF(x, self._row_box(self.grid).center().y())

    def lines(self, place: int) -> list[str]:
        row, column = divmod(place, self.n_columns)
        given, weight = self.drawn.inputs[column], self.drawn.weights[row, column]
        product = fixed(float(self.drawn.products(row)[column]), 6)
        words = QCoreApplication.translate("Steps", "number {0} of the vector, line {1} of the matrix")
        return [f"{exact(given)} × {exact(weight)} = {product}", words.format(column, row)]


_TABLE_WIDTH, _NAMES, _OUT = 64.0, 150.0, 36.0


class JoinedPlot(_MatrixPlot[Joined]):
    """The outputs of the heads, each with its number; below them the same without gaps: one vector."""

    def describe(self) -> None:
        self.n_places, self.n_numbers = self.drawn.heads.shape
        words = QCoreApplication.translate(
            "Steps",
            "Each of the {0} heads wrote {1} numbers for “{2}”. Side by side they are one vector of {3} "
            "numbers.",
        )
        total = f"{self.n_places * self.n_numbers:,}"
        self.sentence = words.format(self.n_places, self.n_numbers, self.token, total)
        self._bound = bound_of(self.drawn.heads)

    def apart(self, head: int) -> QRectF:
        """Return where the numbers of a head are before they are joined."""
        gap = min(self.look.pixels(16), self.area.width() / (4 * self.n_places))
        wide = (self.area.width() - gap * (self.n_places - 1)) / self.n_places
        top = self.area.top() + self.look.pixels(_NUMBERED)
        return QRectF(self.area.left() + head * (wide + gap), top, wide, self._height())

    def joined(self, head: int) -> QRectF:
        """Return where they are afterwards."""
        wide = self.apart(0).width() * _CLOSE
        left = self.area.center().x() - wide * self.n_places / 2
        return QRectF(left + head * wide, self.area.bottom() - self._height() - 4, wide, self._height())

    def _height(self) -> float:
        return min(self.look.pixels(_TALLEST), (self.area.height() - self.look.pixels(_NUMBERED)) / 3.2)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        eased = between(0, 1, progress)
        for head, values in enumerate(self.drawn.heads):
            start, end = self.apart(head), self.joined(head)
            is_highlighted = head in (chosen, self.drawn.head)
            outline = ("output", 2) if is_highlighted else ("rule", 1)
            above = QRectF(start.left(), self.area.top(), start.width(), self.look.pixels(_NUMBERED) - 2)
            pen.write_number(str(head), above, "output" if is_highlighted else "secondary", CENTRE)
            below, over = (
                QPointF(start.center().x(), start.bottom() + 2),
                QPointF(end.center().x(), end.top() - 2),
            )
            pen.line(below, over, self.look.colour("output", 0.9 if is_highlighted else 0.3), outline[1])
            way = end.topLeft() - start.topLeft()
            shape = QRectF(start.topLeft() + way * eased, start.size() + (end.size() - start.size()) * eased)
            for box in (start, shape):
                pen.draw_strip(box, values, self._bound)
            pen.box(start, *outline)
        if progress >= 1:
            whole = self.joined(0).united(self.joined(self.n_places - 1))
            for box in (whole, self.joined(self.drawn.head)):
                pen.box(box, "output", 2)

    def boxes(self) -> list[QRectF]:
        return [box(head) for box in (self.apart, self.joined) for head in range(self.n_places)]

    def lines(self, place: int) -> list[str]:
        translate = QCoreApplication.translate
        first = place * self.n_numbers
        words = translate("Steps", "head {0}: dimensions {1} to {2}")
        length = float(np.linalg.norm(self.drawn.heads[place].astype(np.float64)))
        return [
            words.format(place, first, first + self.n_numbers - 1),
            translate("Steps", "length {0}").format(fixed(length, 4)),
        ]


class LookupPlot(_MatrixPlot[Lookup]):
    """The whole table as a tall strip with one row highlighted; beside it that row and those around it."""

    def describe(self) -> None:
        drawn = self.drawn
        self.n_places = drawn.rows.shape[1]
        words = QCoreApplication.translate(
            "Steps",
            "The table has {0} rows of {1} numbers. “{2}” has the number {3}, so row {3} is taken out: "
            "nothing is computed.",
        )
        self.sentence = words.format(f"{drawn.n_rows:,}", self.n_places, self.token, f"{drawn.index}")

    def place(self, area: QRectF) -> None:
        super().place(area)
        pixels = self.look.pixels
        self.table = QRectF(area.left() + 2, area.top(), pixels(_TABLE_WIDTH), area.height())
        n_rows = len(self.drawn.rows)
        self._pitch = min(area.height() / n_rows, float(pixels(34)))
        self._top = area.center().y() - n_rows * self._pitch / 2
        self._left = self.table.right() + pixels(_NAMES + 30)
        self._width = max(60.0, area.right() - self._left - pixels(_OUT) - 4)

    def row_box(self, row: int, out: float = 1.0) -> QRectF:
        """Return where a row of the excerpt lies; its own is drawn out to the right."""
        index = row - self.drawn.first
        shift = self.look.pixels(_OUT) * out if row == self.drawn.index else 0.0
        return QRectF(self._left + shift, self._top + index * self._pitch + 4, self._width, self._pitch - 8)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        drawn, eased = self.drawn, between(0, 1, progress)
        self.draw_levels(pen, drawn.levels, self.table)
        y = self.table.top() + (drawn.index + 0.5) / drawn.n_rows * self.table.height()
        highlighted = QRectF(self.table.left(), y - 1.5, self.table.width(), 3)
        pen.painter.fillRect(highlighted.adjusted(-2, 0, 2, 0), self.look.colour("accent"))
        side = self._left - self.look.pixels(_NAMES)
        last = self._top + len(drawn.rows) * self._pitch
        pale = self.look.colour("accent", 0.5)
        pen.line(highlighted.topRight(), QPointF(side - 6, self._top), pale)
        pen.line(highlighted.bottomRight(), QPointF(side - 6, last), pale)
        bound = bound_of(drawn.rows)
        for index, values in enumerate(drawn.rows):
            row = drawn.first + index
            box, is_own = self.row_box(row, eased), row == drawn.index
            if is_own:
                pen.draw_moving(box, values, bound)
            else:
                pen.painter.setOpacity(0.45)
                pen.draw_strip(box, values, bound)
                pen.painter.setOpacity(1.0)
                pen.draw_frames([box])
            name = along(box.adjusted(0, -2, 0, 2), side, self.look.pixels(_NAMES) - 8)
            colour = "accent" if is_own else "secondary"
            pen.write_number(str(row), along(name, side, self.look.pixels(52)), colour, bold=is_own)
            if drawn.name_of is not None:
                pen.label(
                    drawn.name_of(row), name.adjusted(self.look.pixels(62), 0, 0, 0), colour, bold=is_own
                )
        if chosen is not None:
            at = self.point(chosen)
            box = self.row_box(drawn.index)
            pen.line(QPointF(at.x(), box.top() - 2), QPointF(at.x(), box.bottom() + 2), "warning", 2)

    def boxes(self) -> list[QRectF]:
        box = self.row_box(self.drawn.index)
        width = box.width() / self.n_places
        return [along(box, box.left() + index * width, width) for index in range(self.n_places)]

    def lines(self, place: int) -> list[str]:
        words = QCoreApplication.translate("Steps", "dimension {0}").format(place)
        return [exact(self.drawn.row[place]), f"{self.token} · {words}"]
