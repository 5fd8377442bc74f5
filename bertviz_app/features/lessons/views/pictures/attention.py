"""Heads in a lesson: one as arcs, two words that look at each other, and all heads, before and after."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QWidget

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import TILE, BothWays, Heads, WeightRow, both_ways_of, row_of
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import Bars, ShownBar
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnCells,
    LessonPicture,
    image_of,
    title_label,
)
from bertviz_app.types import Bytes, Floats
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.wording import share_words
from bertviz_app.views.kit.arcs import Arcs
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, ink_on, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.overview.heads_table import measure_words
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


class BothWaysPlot(DrawnCells):
    """The matrix of a head, faded but for two cells, whose weights stand large beside it.

    Its parts are the cells (query, key).
    """

    shows_words = True
    hint = 720, 460

    shown: BothWays

    def show_weights(self, shown: BothWays) -> None:
        self.shown = shown
        self.shape = len(shown.labels), len(shown.labels)
        self.setAccessibleDescription(". ".join(" ".join(self.lines_of(cell)) for cell in shown.cells))
        self.recolour()

    def recolour(self) -> None:
        if self.count:
            weights = self.shown.weights / max(float(self.shown.weights.max()), 1e-9)
            self.images = (image_of(self.look.weights[np.rint(255 * weights).astype(np.uint8)]),)
        self.draw_anew()

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        return [self._pair(part), fixed(float(self.shown.weights[part]), 4)]

    def _pair(self, cell: tuple[int, int]) -> str:
        labels = self.shown.labels
        return str(self.tr("“{0}” → “{1}”").format(labels[cell[0]], labels[cell[1]]))

    def grid(self) -> QRectF:
        labels = QFontMetricsF(self.look.font(_LABEL, bold=True))
        left = max(map(labels.horizontalAdvance, self.shown.labels)) + 16
        above = min(self.look.pixels(_CORNER), 0.8 * left + self.look.pixels(16))
        side = min(self.room.height() - above - 4, 0.62 * self.room.width() - left)
        return QRectF(left, (self.room.height() - side - above) / 2 + above, side, side)

    def draw_with(self, pencil: Pencil) -> None:
        if not self.count:
            return
        shown, look, grid = self.shown, self.look, self.grid()
        meant = {at for cell in shown.cells for at in cell}
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


_LEAST_MOVED = 0.005
"""A head that moved less of its weight is not marked: it would read as 0 %."""


class HeadTiles(DrawnCells):
    """A small picture of the attention of every head: rows are layers, columns heads.

    Its parts are the heads (layer, head). `moved` marks what has changed; `numbers` stand in their place.
    """

    usual = hint = 420, 300

    moved: Floats | None = None
    muted: tuple[tuple[int, int], ...] = ()
    numbers: Floats | None = None

    def show_heads(self, levels: Bytes, moved: Floats | None, muted: tuple[tuple[int, int], ...]) -> None:
        """Show heads by their `levels`; `moved` [L, H] is the share of its weight that each has moved."""
        n_layers, n_heads = self.shape = levels.shape[0], levels.shape[1]
        self.moved, self.muted, self.numbers = moved, muted, None
        rows = levels.transpose(0, 2, 1, 3).reshape(n_layers * TILE, n_heads * TILE)
        self.images = (image_of(self.look.weights[rows]),)
        words = self.tr("head {0}·{1}: {2} of its weight has moved")
        heads = [] if moved is None else np.argwhere(moved >= _LEAST_MOVED).tolist()
        parts = (words.format(*at, share_words(self._share(*at))) for at in heads)
        self.setAccessibleDescription(". ".join(parts))
        self.draw_anew()

    def show_all(self, levels: Bytes, numbers: Floats | None) -> None:
        """Show all heads, to choose from: by their pictures, or by a number of each."""
        self.show_heads(levels, None, ())
        self.numbers = numbers
        self.read_again()

    def _share(self, layer: int, head: int) -> float:
        return 0.0 if self.moved is None else float(self.moved[layer, head])

    def recolour(self) -> None:
        """Whoever has the levels shows them again."""

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        lines = [self.tr("Layer {0}, head {1}").format(*part)]
        if self.numbers is not None and not np.isnan(self.numbers[part]):
            lines.append(fixed(float(self.numbers[part]), 4))
        if part in self.muted:
            lines.append(self.tr("muted: its output is zero"))
        if self.moved is not None:
            lines.append(self.tr("{0} of its weight has moved").format(share_words(self._share(*part))))
        return lines

    def grid(self) -> QRectF:
        (layers, heads), room = self.shape, self.room
        left, top = self.look.pixels(24), self.look.pixels(20)
        side = min((room.width() - left) / heads, (room.height() - top) / layers)
        x = (room.width() - left - side * heads) / 2 + left
        y = top + max(0.0, (room.height() - top - side * layers) / 2)
        return QRectF(x, y, side * heads, side * layers)

    def rect_of(self, part: tuple[int, int]) -> QRectF:
        return super().rect_of(part).adjusted(1.5, 1.5, -1.5, -1.5)

    def draw_with(self, pencil: Pencil) -> None:
        look, (layers, heads) = self.look, self.shape
        font = look.number_font(12)
        for head in range(heads):
            tile = self.rect_of((0, head))
            above = QRectF(tile.left(), tile.top() - look.pixels(20), tile.width(), look.pixels(18))
            pencil.write(str(head), above, font, "secondary")
        for layer in range(layers):
            first = self.rect_of((layer, 0))
            beside = QRectF(0, first.top(), first.left() - 6, first.height())
            pencil.write(str(layer), beside, font, "secondary", RIGHT)
            for head in range(heads):
                self._draw_tile(pencil, layer, head)

    def _draw_tile(self, pencil: Pencil, layer: int, head: int) -> None:
        look, tile, share = self.look, self.rect_of((layer, head)), self._share(layer, head)
        if self.numbers is None:
            pencil.image(self.images[0], tile, part=QRectF(head * TILE, layer * TILE, TILE, TILE))
        else:
            number, full = self.numbers[layer, head], np.nanmax(self.numbers, initial=0.0) or 1.0
            if not np.isnan(number):  # as of a head that was pruned
                colour = int(look.weights[round(255 * float(number / full))])
                pencil.box(tile, fill=QColor.fromRgb(colour))
                pencil.write(fixed(float(number), 2).lstrip("0"), tile, look.number_font(13), ink_on(colour))
        pencil.box(tile, *(("accent", 3.0) if (layer, head) == self.part else ("rule", 1.0)))
        if (layer, head) in self.muted:
            pencil.box(tile, fill=look.colour("card", 0.7))
            pencil.cross(tile, "error", 3)
        elif share >= _LEAST_MOVED:
            pencil.box(tile, "sentence_b", 1.5 + 3.5 * min(1.0, share / 0.25))
            font, text = look.number_font(11, bold=True), share_words(share)
            metrics = QFontMetricsF(font)
            width, height = metrics.horizontalAdvance(text) + 6, metrics.height()
            if width <= tile.width() and height <= tile.height():
                room = QRectF(tile.right() - width, tile.bottom() - height, width, height)
                pencil.box(room, fill=look.colour("card", 0.85))
                pencil.write(text, room, font)


class HeadsPicture(LessonPicture):
    """Both pictures, and how much each layer has changed. A click on a head mutes it.

    Of a scene about all heads it shows one picture alone, and a click chooses a head.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        name = self.tr("All heads now. Enter mutes one, or unmutes it")
        self.tiles = HeadTiles(look), named(HeadTiles(look), title=name)
        self.layers = named(Bars(look), title=self.tr("How much of its weight each layer has moved"))
        titles = self.title, title_label(self.tr("Now: what has changed is framed"))
        for tiles in self.tiles:
            tiles.part_chosen.connect(self._on_chosen)
        columns = [QWidget() for _ in titles]
        for column, title, tiles in zip(columns, titles, self.tiles, strict=True):
            in_column(title, (tiles, 1), of=column, margins=0)
        row = in_row(*((column, 1) for column in columns), spacing=28)
        self.changed = columns[1], self.layers
        in_column((row, 3), self.note, (self.layers, 3), of=self, margins=AROUND, spacing=12)
        self.setFocusProxy(self.tiles[0])
        look.changed.connect(self.refresh)

    @Slot(object)
    def _on_chosen(self, head: tuple[int, int]) -> None:
        scene = self.pictures.scene
        if scene is not None and scene.part == "all":
            self.pictures.pick_head(head)
        else:
            self.pictures.editing.toggle_mute(*head)

    @Slot()
    def show_scene(self, scene: Scene) -> None:
        is_all = scene.part == "all"
        for part in self.changed:
            part.setVisible(not is_all)
        words, name = self.tr("Before: all heads, layers from the top"), self.tr("Enter mutes a head")
        if is_all:
            words, name = self.tr("All heads: layers from the top, heads from the left"), ""
        self.title.setText(words)
        self.tiles[0].setAccessibleName(f"{words}. {name}" if name else words)
        if is_all:
            if (tiles := self.pictures.tiles) is not None:
                self.tiles[0].show_all(tiles, self.pictures.head_numbers)
                words = self.tr("Each tile is a matrix: the rows look at the columns.")
                if scene.query is not None and scene.key is not None:
                    words = self.tr("How much “{0}” looks at “{1}” in each head")
                    words = words.format(scene.query, scene.key)
                elif scene.overview is not None and scene.overview != "attention":
                    words = measure_words()[scene.overview].meaning
                self.note.setText(words)
            return
        heads = self.pictures.heads
        if heads is None:
            self.note.setText(self.tr("The text is another one now, so nothing can be compared."))
            return
        self.tiles[0].show_heads(heads.before, None, ())
        self.tiles[1].show_heads(heads.now, heads.moved, heads.muted)
        self.note.setText(self._words(heads))
        shares = heads.moved.mean(1).tolist()
        layer = self.tr("layer {0}")
        bars = [
            ShownBar(layer.format(at), share, f"{100 * share:.1f} %", "sentence_b", share >= _LEAST_MOVED)
            for at, share in enumerate(shares)
        ]
        self.layers.show_bars(bars, max(0.1, *shares))

    def _words(self, heads: Heads) -> str:
        if not heads.muted:
            return self.tr(
                "Click a head to mute it. Bars: the share of its weight that each layer then moves."
            )
        first = min(layer for layer, _ in heads.muted)
        after = heads.moved[first + 1 :]
        if not after.size:
            return self.tr("There is no layer after it: no attention changes.")
        layer, head = divmod(int(after.argmax()), after.shape[1])
        words = self.tr(
            "Up to layer {0} all is as before. In the layers after it heads have moved {1} of their weight "
            "on average, head {2}·{3} the most: {4}."
        )
        most = share_words(float(after.max()))
        return words.format(first, share_words(float(after.mean())), layer + first + 1, head, most)
