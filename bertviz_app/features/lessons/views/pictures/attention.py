"""A head in a lesson: arcs above the words, and the weights of two words on each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QFontMetricsF

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import (
    BothWays,
    LessonPictures,
    WeightRow,
    both_ways_of,
    row_of,
)
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    CellsPlot,
    LessonPicture,
    image_of,
)
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.wording import share_words
from bertviz_app.views.kit.arcs import Arcs
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, RIGHT, Pencil
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.arcs import ArcsPlot
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.plots.plot import Line

_MOST_READ = 3


class ArcsPicture(LessonPicture):
    """What the word that is pointed at looks at, else the query of the station, as on the first screen."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = ArcsPlot(look)
        in_column(self.title, (self.plot.outer, 1), of=self, margins=AROUND)
        self.plot.arcs_of, self.plot.lines_of_word = self._arcs_of, self._lines_of
        self.plot.setAccessibleName(self.tr("Attention as arcs above the words"))
        self.setFocusProxy(self.plot)
        follow_selection(self.plot, pictures.selection, Pair)
        pictures.selection.changed.connect(self._on_selected)

    def show_scene(self, scene: Scene) -> None:
        tokens = self.pictures.tokens
        if tokens is None:
            return
        labels = tokens.labels
        if labels != self.plot.words.words:
            special = zip(labels, tokens.is_special.tolist(), strict=True)
            self.plot.show_words(
                labels, special=frozenset(label for label, is_special in special if is_special)
            )
        self._on_selected()

    @Slot()
    def _on_selected(self) -> None:
        token, tokens = self.pictures.token, self.pictures.tokens
        row = None if token is None else self._row(token)
        if row is not None and tokens is not None:
            self.plot.mark(token)
            words = self.tr("Layer {0}, head {1}: what “{2}” looks at")
            self.title.setText(words.format(row.layer, row.head, row.labels[row.query]))

    def _row(self, word: int) -> WeightRow | None:
        return self.pictures.of_now(lambda trace, scene: row_of(trace, scene, query=word))

    def _arcs_of(self, word: int) -> Sequence[Arcs]:
        row = self._row(word)
        if row is None:
            return ()
        weights = row.weights.tolist()
        return (Arcs(weights, self.look.colour("accent"), texts=[share_words(each) for each in weights]),)

    def _lines_of(self, word: int) -> Sequence[Line]:
        row = self._row(word)
        if row is None:
            return ()
        most = np.argsort(-row.weights, kind="stable")[:_MOST_READ].tolist()
        return row.labels[word], *(
            (f"→ {row.labels[at]}", share_words(float(row.weights[at]))) for at in most
        )


_LABEL, _CORNER, _NUMBER, _WORDS, _FADED = 15.0, 84.0, 44.0, 20.0, 0.3
_COLOURS = ("accent", "sentence_b")


class BothWaysPlot(CellsPlot):
    """The matrix of a head, faded but for two cells, whose weights stand large beside it.

    Its parts are the cells (query, key).
    """

    shows_words = True
    hint = 720, 460

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.shown: BothWays | None = None

    def show_weights(self, shown: BothWays) -> None:
        self.shown = shown
        self.shape = len(shown.labels), len(shown.labels)
        self.setAccessibleDescription(". ".join(" ".join(self.lines_of(cell)) for cell in shown.cells))
        self.recolour()

    def recolour(self) -> None:
        if self.shown is not None:
            weights = self.shown.weights / max(float(self.shown.weights.max()), 1e-9)
            self.images = (image_of(self.look.weights[np.rint(255 * weights).astype(np.uint8)]),)
        self.draw_anew()

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        assert self.shown is not None
        return [self._pair(part), fixed(float(self.shown.weights[part]), 4)]

    def _pair(self, cell: tuple[int, int]) -> str:
        assert self.shown is not None
        labels = self.shown.labels
        return str(self.tr("“{0}” → “{1}”").format(labels[cell[0]], labels[cell[1]]))

    def grid(self) -> QRectF:
        assert self.shown is not None
        labels = QFontMetricsF(self.look.font(_LABEL, bold=True))
        left = max(map(labels.horizontalAdvance, self.shown.labels)) + 16
        above = min(self.look.pixels(_CORNER), 0.8 * left + self.look.pixels(16))
        side = min(self.room.height() - above - 4, 0.62 * self.room.width() - left)
        return QRectF(left, (self.room.height() - side - above) / 2 + above, side, side)

    def draw_with(self, pencil: Pencil) -> None:
        shown, look = self.shown, self.look
        if shown is None:
            return
        grid, meant = self.grid(), {at for cell in shown.cells for at in cell}
        pencil.image(self.images[0], grid, opacity=_FADED)
        pencil.box(grid, "rule")
        for at, label in enumerate(shown.labels):
            font, ink = look.font(_LABEL, bold=at in meant), "text" if at in meant else "secondary"
            row, column = self.rect_of((at, 0)), self.rect_of((0, at))
            pencil.write(label, QRectF(0, row.top(), grid.left() - 8, row.height()), font, ink, RIGHT)
            pencil.painter.save()
            pencil.painter.translate(column.center().x(), grid.top() - 8)
            pencil.painter.rotate(-45)
            pencil.write(label, QRectF(0, -12, look.pixels(200), 24), font, ink, LEFT)
            pencil.painter.restore()
        if self.part is not None:
            pencil.box(self.rect_of(self.part), "text", 1.5)
        for number, (cell, colour) in enumerate(zip(shown.cells, _COLOURS, strict=True)):
            box = self.rect_of(cell)
            pencil.image(self.images[0], box, part=QRectF(cell[1], cell[0], 1, 1))
            pencil.box(box.adjusted(-1, -1, 1, 1), colour, 4)
            left, high = grid.right() + look.pixels(56), look.pixels(_NUMBER)
            middle = grid.top() + grid.height() * (0.3 + 0.4 * number)
            room = QRectF(left, middle - high * 1.1, self.room.width() - left, high * 1.3)
            pencil.way(QPointF(box.right() + 3, box.center().y()), QPointF(left - 12, middle), colour, 2)
            words, weight = self._pair(cell), float(shown.weights[cell])
            pencil.write(fixed(weight, 2), room, look.font(_NUMBER, bold=True), colour, LEFT)
            pencil.write(words, room.translated(0, high * 1.1), look.font(_WORDS, bold=True), "text", LEFT)


class BothWaysPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = BothWaysPlot(look)
        name = self.tr("The weights of two words on each other. Arrows go from cell to cell")
        self.lay_out(self.plot, name)

    def show_scene(self, scene: Scene) -> None:
        found = self.pictures.of_now(both_ways_of)
        if found is not None:
            self.plot.show_weights(found)
            words = self.tr("Layer {0}, head {1}: rows look at columns")
            self.title.setText(words.format(scene.layer, scene.head))
