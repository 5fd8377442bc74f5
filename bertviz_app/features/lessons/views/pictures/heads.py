"""All heads as small pictures before one is muted, and beside them all heads now."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Slot
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QWidget

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import TILE, Heads, LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import Bars, ShownBar
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    CellsPlot,
    LessonPicture,
    image_of,
    title_label,
)
from bertviz_app.types import Floats
from bertviz_app.viewmodels.wording import share_words
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, ink_on
from bertviz_app.views.kit.pencil import RIGHT, Pencil
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.overview.heads_table import measure_words

_LEAST_MOVED = 0.005
"""A head that moved less of its weight is not marked: it would read as 0 %."""


class HeadTiles(CellsPlot):
    """A small picture of the attention of every head: rows are layers, columns heads.

    Its parts are the heads (layer, head). `moved` marks what has changed; `numbers` stand in their place.
    """

    usual = hint = 420, 300

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.moved: Floats | None = None
        self.muted: tuple[tuple[int, int], ...] = ()
        self.numbers: Floats | None = None

    def show_heads(
        self, levels: NDArray[np.uint8], moved: Floats | None, muted: tuple[tuple[int, int], ...]
    ) -> None:
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

    def show_all(self, levels: NDArray[np.uint8], numbers: Floats | None) -> None:
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
        self.tiles = before, now = HeadTiles(look), HeadTiles(look)
        self.layers, titles = Bars(look), (self.title, title_label())
        for tiles in self.tiles:
            tiles.part_chosen.connect(self._on_chosen)
        columns = [QWidget() for _ in titles]
        for column, title, tiles in zip(columns, titles, self.tiles, strict=True):
            in_column(title, (tiles, 1), of=column, margins=0)
        row = in_row(*((column, 1) for column in columns), spacing=28)
        self.changed = columns[1], self.layers
        in_column((row, 3), self.note, (self.layers, 3), of=self, margins=AROUND, spacing=12)
        self.layers.setAccessibleName(self.tr("How much of its weight each layer has moved"))
        titles[1].setText(self.tr("Now: what has changed is framed"))
        now.setAccessibleName(self.tr("All heads now. Enter mutes one, or unmutes it"))
        self.setFocusProxy(before)
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
