"""The steps from a query to what its head gathers for it, and how far scores spread before the softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.features.lessons.course.lesson import Scene, Stage
from bertviz_app.features.lessons.state.computed import steps_of
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnPlot,
    LargerLook,
    LessonPicture,
    title_label,
)
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.axes import NumberAxis
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.plots.plot import Box, Plot

_STAGES: tuple[Stage, ...] = ("scores", "scaled", "softmax", "mixed")
_SHARES = (0.27, 0.18, 0.18, 0.16, 0.21)
"""Of the width: the keys, the scores, the scaled ones, the weights, the weighted values."""
_LABEL, _HEAD, _NUMBER, _TALLEST, _GAP, _ABOVE, _STRIP = 18.0, 16.0, 16.0, 40.0, 18.0, 34.0, 22.0
_GROW_MS = 450


class StepsPlot(DrawnPlot[int]):
    """A row for each key, above them the query, and a column for each step as far as `stage`.

    Its parts are the keys. In the row of the one that is meant the query lies on the key, and below all rows
    are the products of the two, whose sum is its score.
    """

    shows_words = True
    usual = 780, 480
    hint = 720, 480
    steps: HeadSteps
    labels: tuple[str, ...] = ()
    n_shown = 1
    """How many steps are shown; the last of them is the new one."""
    _key = 0

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        follow_selection(self, selection, lambda part: Pair(key=part))
        selection.changed.connect(self._show_key)

    def show_steps(self, steps: HeadSteps, labels: tuple[str, ...], stage: Stage | None, key: int) -> None:
        """Show the steps of a query as far as a stage; `key` is meant while no other is pointed at."""
        n_shown = _STAGES.index(stage) + 1 if stage in _STAGES else len(_STAGES)
        is_new = n_shown > self.n_shown
        self.steps, self.labels, self.n_shown, self._key = steps, labels, n_shown, key
        self._show_key()
        self.setAccessibleDescription(". ".join(" ".join(self.lines_of(at)) for at in range(self.count)))
        self.forget_part()
        if is_new:
            self.play(_GROW_MS)

    def _show_key(self) -> None:
        if not self.labels:
            return
        steps = self.steps
        vectors = np.concatenate([steps.query_row[None], steps.keys])
        products = steps.products_with(self.key)
        of_values = [steps.gathered, *steps.values]
        rows: list[Floats] = [each / usual_size(vectors) for each in vectors]
        rows += [each / usual_size(steps.values) for each in of_values]
        self.show_numbers(*(each[None] for each in (*rows, products / np.abs(products).max())), limit=1.0)

    @property
    def key(self) -> int:
        """The key that is pointed at or pinned, else the one of the station."""
        shown = self._selection.shown.key
        return self._key if shown is None or shown >= self.count else shown

    @property
    def count(self) -> int:
        return len(self.labels)

    @property
    def current(self) -> int | None:
        return self.key if self.walked is None else self.walked

    def lines_of(self, part: int) -> list[str]:
        steps = self.steps
        words = self.tr("score {0}"), self.tr("divided {0}"), self.tr("weight {0}")
        numbers = zip(words, (steps.products, steps.biased, steps.weights), strict=True)
        return [self.labels[part], *(text.format(fixed(float(of[part]), 2)) for text, of in numbers)][
            : 1 + self.n_shown
        ]

    # where things lie

    def rect_of(self, part: int) -> QRectF:
        top, room = self.look.pixels(_ABOVE + _STRIP + 14), self.room
        pitch = min(
            (room.height() - top - self.look.pixels(_TALLEST + 12)) / self.count, self.look.pixels(_TALLEST)
        )
        return QRectF(0, top + part * pitch, room.width(), pitch)

    def _column(self, at: int, row: QRectF) -> QRectF:
        """Return the part of a row that is in a column: of the keys, or of a step."""
        labels = QFontMetricsF(self.look.font(_LABEL, bold=True))
        start = max(map(labels.horizontalAdvance, self.labels)) + self.look.pixels(_GAP)
        free = row.width() - start
        left = start + free * sum(_SHARES[:at])
        return QRectF(left, row.top(), free * _SHARES[at] - self.look.pixels(_GAP), row.height())

    def _below(self, at: int) -> QRectF:
        """Return where what comes of a column is, below the last row."""
        last = self.rect_of(self.count - 1)
        return self._column(
            at, QRectF(0, last.bottom() + self.look.pixels(12), last.width(), self.look.pixels(_STRIP))
        )

    # drawing

    def draw_with(self, pencil: Pencil) -> None:
        if not self.labels:
            return
        steps, look = self.steps, self.look
        d = fixed(float(np.sqrt(steps.radicand)), 2)
        names = (self.tr("key"), self.tr("score"), f"÷ {d}", self.tr("softmax"), self.tr("weight × value"))
        for at, name in enumerate(names):
            head = self._column(at, QRectF(0, 0, self.room.width(), look.pixels(_ABOVE)))
            is_shown, font = at <= self.n_shown, look.font(_HEAD, bold=True)
            pencil.write(name, head, font, look.colour("text", 1.0 if is_shown else 0.35))
            if not is_shown:
                column = head.united(self._column(at, self.rect_of(self.count - 1)))
                pencil.box(
                    column.adjusted(0, look.pixels(_ABOVE), 0, 0),
                    look.colour("rule"),
                    rounding=8,
                    is_broken=True,
                )
        self._draw_keys(pencil, steps)
        bars = ((steps.products, True), (steps.biased, True), (steps.weights, False))
        for at, (numbers, is_signed) in enumerate(bars[: self.n_shown], 1):
            self._draw_bars(pencil, at, numbers, is_signed=is_signed)
        if self.n_shown > 1 + len(bars[1:]):
            self._draw_values(pencil, steps)

    def _draw_keys(self, pencil: Pencil, steps: HeadSteps) -> None:
        """Draw the query, the keys, and the products of the query and the key that is meant."""
        look, key = self.look, self.key
        above = self._column(0, QRectF(0, look.pixels(_ABOVE), self.room.width(), look.pixels(_STRIP)))
        below = self._below(0)
        for box, image, name, colour in (
            (above, 0, f"q: {self.labels[steps.query]}", "query"),
            (below, -1, "q × k", "text"),
        ):
            pencil.image(self.images[image], box)
            pencil.box(box, colour, 2)
            before = QRectF(0, box.top(), box.left() - look.pixels(10), box.height())
            pencil.write(name, before, look.font(_HEAD, bold=True), colour, RIGHT)
        for at, label in enumerate(self.labels):
            row, is_meant = self.rect_of(at), at == key
            if is_meant:
                row.setRight(self._column(self.n_shown, row).right())
                pencil.box(row.adjusted(0, 1, 0, -1), fill=look.colour("accent", 0.1), rounding=6)
            strip = self._column(0, self.rect_of(at))
            before = QRectF(0, row.top(), strip.left() - look.pixels(10), row.height())
            ink = "text" if is_meant else "secondary"
            pencil.write(label, before, look.font(_LABEL, bold=is_meant), ink, RIGHT)
            strip = strip.adjusted(0, 0.16 * row.height(), 0, -0.16 * row.height())
            if is_meant:  # the query lies on it
                upper = QRectF(strip.topLeft(), strip.size())
                upper.setHeight(0.42 * strip.height())
                pencil.image(self.images[0], upper)
                pencil.box(upper, "query", 2)
                strip.setTop(upper.bottom() + 3)
            pencil.image(self.images[1 + at], strip, opacity=1.0 if is_meant else 0.6)
            pencil.box(strip, "key", 2 if is_meant else 1)
        total = self._below(1)
        words = f"Σ = {fixed(float(steps.products[key]), 2)}"
        pencil.line(
            QPointF(below.right() + 3, below.center().y()),
            QPointF(total.left() - 3, below.center().y()),
            "text",
            2,
        )
        pencil.write(words, total, look.number_font(_HEAD, bold=True), side=LEFT)

    def _draw_bars(self, pencil: Pencil, at: int, numbers: Floats, *, is_signed: bool) -> None:
        """Draw the numbers of a step; scores and scaled scores have one scale."""
        look, steps = self.look, self.steps
        scale = steps.products if is_signed else numbers
        low, high = min(0.0, float(scale.min())), float(scale.max())
        font = look.number_font(_NUMBER)
        text = QFontMetricsF(font).horizontalAdvance("−00.00") + 6
        done = self.done if at == self.n_shown else 1.0
        for key, number in enumerate(numbers.tolist()):
            box, is_meant = self._column(at, self.rect_of(key)), key == self.key
            width = box.width() - text
            zero = box.left() + width * -low / ((high - low) or 1.0)
            long = width * number / ((high - low) or 1.0) * done
            bar = QRectF(min(zero, zero + long), box.top(), max(abs(long), 1.5), box.height())
            colour = look.colour("sentence_b" if number < 0 else "accent", 1.0 if is_meant else 0.45)
            pencil.box(bar.adjusted(0, 0.22 * box.height(), 0, -0.22 * box.height()), fill=colour, rounding=3)
            room = QRectF(box.right() - text, box.top(), text, box.height())
            font = look.number_font(_NUMBER, bold=is_meant)
            pencil.write(fixed(number, 2), room, font, "text" if is_meant else "secondary", RIGHT)
        if not is_signed:
            total = self._below(at)
            pencil.write(
                f"Σ = {fixed(float(numbers.sum()), 2)}", total, look.number_font(_HEAD, bold=True), side=LEFT
            )

    def _draw_values(self, pencil: Pencil, steps: HeadSteps) -> None:
        """Draw the values, the stronger the more weight they have, and what they add up to."""
        column, look, largest = len(_SHARES) - 1, self.look, float(steps.weights.max()) or 1.0
        for key, weight in enumerate(steps.weights.tolist()):
            row = self.rect_of(key)
            strip = self._column(column, row).adjusted(0, 0.2 * row.height(), 0, -0.2 * row.height())
            pencil.image(
                self.images[2 + self.count + key], strip, opacity=self.done * (0.06 + 0.94 * weight / largest)
            )
            pencil.box(
                strip, look.colour("value", 0.25 + 0.75 * weight / largest), 2 if key == self.key else 1
            )
        below = self._below(column)
        pencil.image(self.images[1 + self.count], below, opacity=self.done)
        pencil.box(below, "output", 2)
        before = QRectF(self._below(column - 1))
        before.setRight(below.left() - look.pixels(8))
        pencil.write("Σ", before, look.font(_HEAD, bold=True), "output", RIGHT)


class StepsPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = StepsPlot(look, pictures.selection)
        self.lay_out(self.plot, self.tr("The steps from a query to its output. Arrows go from key to key"))

    def show_scene(self, scene: Scene) -> None:
        now, steps = self.pictures.now, self.pictures.of_now(steps_of)
        if now is None or steps is None:
            return
        labels: Sequence[str] = now.tokens.labels
        key = next((at for at, label in enumerate(labels) if label == scene.key), steps.query)
        self.plot.show_steps(steps, tuple(labels), scene.stage, key)
        words = self.tr("What “{0}” looks at and gathers, in layer {1}, head {2}")
        self.title.setText(words.format(labels[steps.query], steps.layer, steps.head))


class ScoresHistogram(Plot):
    """How many numbers lie in each part of a range."""

    def __init__(self, look: Look, colour: str) -> None:
        super().__init__(look)
        self._colour = colour
        self.box = Box(self)
        self.bottom = NumberAxis(self, self.box, "bottom")
        self.item = self.plot_around(self.box, bottom=self.bottom)
        self.ci.addItem(self.item, 0, 0)
        self.box.setMouseEnabled(False, False)
        self.bars = pg.BarGraphItem(x0=[], x1=[], height=[], pen=None)
        self.item.addItem(self.bars, ignoreBounds=True)
        self.recolour()

    def show_counts(self, edges: Doubles, counts: Doubles) -> None:
        """Show so many numbers between each two of `edges`."""
        self.bars.setOpts(x0=edges[:-1], x1=edges[1:], height=counts / (float(counts.max()) or 1.0))
        self.box.set_whole(QRectF(edges[0], 0, edges[-1] - edges[0], 1.05))

    def recolour(self) -> None:
        self.bottom.recolour()
        self.bars.setOpts(brush=self.look.colour(self._colour))


class ScoresPicture(LessonPicture):
    """Two histograms on one scale: of all products of the run, and of all scores."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.titles = title_label(), title_label()
        look = LargerLook(look, self)
        self.plots = products, scores = ScoresHistogram(look, "sentence_b"), ScoresHistogram(look, "accent")
        column = self.titles[0], (products, 1), self.titles[1], (scores, 1)
        in_column(*column, of=self, margins=AROUND, spacing=10)
        products.setAccessibleName(self.tr("How far the products q · k spread"))
        scores.setAccessibleName(self.tr("How far the scores spread"))

    def show_scene(self, scene: Scene) -> None:
        trace, spread = self.pictures.now, self.pictures.of_now(self.pictures.spread)
        if spread is None or trace is None:
            return
        before, after = (fixed(each, 1) for each in spread.deviations)
        words = self.tr("q · k, all pairs in all {0} heads: standard deviation {1}")
        divided = self.tr("divided by √{0} = {1}: standard deviation {2}")
        texts = (
            words.format(trace.n_layers * trace.n_heads, before),
            divided.format(round(spread.divisor**2), fixed(spread.divisor, 2), after),
        )
        counts = spread.products, spread.scores
        for title, text, plot, each in zip(self.titles, texts, self.plots, counts, strict=True):
            title.setText(text)
            plot.show_counts(spread.edges, each)
            plot.setAccessibleDescription(text)
