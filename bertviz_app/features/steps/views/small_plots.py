"""Small pictures of what a stop does: histograms, a curve with points, arrows that add."""

from __future__ import annotations

import math
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPen, QPolygonF

from bertviz_app.features.steps.drawn import ActivationCurve, Arrows, Histogram, Histograms
from bertviz_app.features.steps.views.sheets.sheet import StripPainter, along, between
from bertviz_app.types import Indices
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import CENTRE, RIGHT, Look
from bertviz_app.views.kit.words import exact, fixed, trimmed

_TICKS, _FORMULA, _BETWEEN = 18.0, 24.0, 26.0
_HEAD = 9.0
_WIDEST = 620.0
"""Of a curve: wider it would look flatter than it is."""


D = TypeVar("D")
"""What a plot draws: a value of `viewmodels.steps`."""


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
        found = (index for index, box in enumerate(self.boxes()) if box.contains(at))
        index = next(found, None)
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


def write_small(pen: StripPainter, text: str, box: QRectF, side: Qt.AlignmentFlag) -> None:
    """Write a number or a remark, in full even where the box is too narrow."""
    pen.painter.setFont(pen.look.number_font(12))
    pen.painter.setPen(pen.look.colour("secondary"))
    pen.painter.drawText(box, side, text)


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
                made_of = parts[index - 1] if progress < 0.5 else part
                self._draw_bars(pen, made_of, moving, "secondary", None)
                pen.painter.setOpacity(1.0)
            before += len(part.counts)
            if index:
                gap = self.look.pixels(_BETWEEN)
                pen.write("→", along(box, box.left() - gap, gap), self.look.font(16), "secondary")

    def _draw_head(self, pen: StripPainter, part: Histogram, box: QRectF) -> None:
        """Write the formula and the numbers of a histogram above it."""
        top = self.area.top()
        row = QRectF(box.left(), top, box.width(), self.look.pixels(_FORMULA))
        made = pen.write_formula((part.formula,), row, "text")
        if self.drawn.kind == "scores":
            words = QCoreApplication.translate("Steps", "variance {0}").format(fixed(part.variance, 3))
        else:
            words = f"μ = {fixed(part.mean, 2)}   σ = {fixed(part.deviation, 2)}"
        metrics = QFontMetricsF(self.look.number_font(12))
        if metrics.horizontalAdvance(words) + made.box.width + 12 > row.width():
            row.translate(0, self.look.pixels(_FORMULA - 6))
        write_small(pen, words, row, RIGHT)

    def _draw_axis(self, pen: StripPainter, part: Histogram, box: QRectF) -> None:
        pen.line(box.bottomLeft(), box.bottomRight(), "rule")
        low, high = float(part.edges[0]), float(part.edges[-1])
        room = self.look.pixels(60)
        for value in (0.0, *_ends(low, high)):
            x = self._x(part, value, box)
            pen.line(QPointF(x, box.bottom()), QPointF(x, box.bottom() + 4), "rule")
            label = QRectF(x - room / 2, box.bottom() + 2, room, self.look.pixels(_TICKS) - 2)
            write_small(pen, trimmed(value, 2), label, CENTRE)

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
            write_small(pen, trimmed(value, 2), label, CENTRE)
        for value in {0.0, *_ends(self._low, self._high), round(self._low, 2)}:
            y = self.at(0, value).y()
            is_free = value == 0 or abs(y - origin.y()) > line
            if is_free:
                label = QRectF(self.area.left(), y - line / 2, box.left() - self.area.left() - 8, line)
                write_small(pen, trimmed(value, 2), label, RIGHT)
        given, made = self.drawn.formulas
        row = QRectF(box.right() - room, origin.y() - line - 4, room, line)
        pen.write_formula((given,), row, "secondary", RIGHT)
        up = QRectF(max(box.left(), origin.x()) + 6, box.top(), room, line)
        pen.write_formula((made,), up, "accent")

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
