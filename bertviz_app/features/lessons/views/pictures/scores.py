"""How far the products of queries and keys spread, before they are divided by √d and after it."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    LargerLook,
    LessonPicture,
    title_label,
)
from bertviz_app.types import Doubles
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.axes import NumberAxis
from bertviz_app.views.plots.plot import Box, Plot


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
