"""What a change of the text or of a head does: a row of weights, or all heads, before and after it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtWidgets import QLabel, QSlider

from bertviz_app.types import Floats
from bertviz_app.viewmodels.learning.pictures import TILE, Heads, LessonPictures, WeightRow, aligned
from bertviz_app.viewmodels.runs.comparison import Editing
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.lessons.pictures.bars import Bars, ShownBar
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.plots.picture import PaintedPlot, Painting
from bertviz_app.views.plots.plot import stepped

_STEPS, _FACTOR = 100, 10.0
"""The slider goes from a tenth of the model's own divisor to ten times that."""
_LEAST_MOVED = 0.005
"""A head that moved less of its weight is not marked: it would read as 0 %."""


class RowPicture(LessonPicture):
    """The row of a word in a head before the text was changed, and beside it the row now."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.titles = [named(QLabel(wordWrap=True), "pictureTitle") for _ in range(2)]
        self.bars = [Bars(look), Bars(look)]
        self.note = named(QLabel(wordWrap=True), "pictureNote")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(-_STEPS, _STEPS)
        self.slider.setAccessibleName(self.tr("Divide the scores by another number"))
        columns = (in_column(title, (bars, 1)) for title, bars in zip(self.titles, self.bars, strict=True))
        row = in_row(*((column, 1) for column in columns), spacing=28)
        in_column((row, 1), self.slider, self.note, of=self, margins=(24, 16, 24, 16), spacing=12)
        self.setFocusProxy(self.bars[0])
        self.slider.valueChanged.connect(
            lambda value: pictures.try_divisor(pictures.own_divisor * _FACTOR ** (value / _STEPS))
        )
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the row with which the station began, and that of the text now."""
        scene = self._pictures.scene
        if scene is None or scene.picture != "row":
            return
        before, now = self._pictures.rows
        for bars, words in zip(self.bars, (self.tr("Weights before"), self.tr("Weights now")), strict=True):
            bars.setAccessibleName(words)
        has_slider = scene.part == "divisor"
        self.slider.setVisible(has_slider)
        self.setFocusProxy(self.slider if has_slider else self.bars[0])
        if before is None:
            return
        if has_slider and now is not None:
            self._show_divisor(before, now)
            return
        head = self.tr("layer {0}, head {1}").format(before.layer, before.head)
        looks = self.tr("Before: “{0}” looks at … ({1})").format(before.labels[before.query], head)
        full = max(0.5, float(before.weights.max()), 0.0 if now is None else float(now.weights.max()))
        self.titles[0].setText(looks)
        n_rows = len(before.labels if now is None else max(before.labels, now.labels, key=len))
        self.bars[0].show_bars(row_bars(before, None), full, n_rows=n_rows)
        if now is None:
            self.titles[1].setText(self.tr("Now: the same, until you change the text"))
            self.bars[1].show_bars(row_bars(before, None), full)
            self.note.setText("")
            return
        words = self.tr("Now: “{0}” looks at … (broken line: before)")
        self.titles[1].setText(words.format(now.labels[now.query]))
        self.bars[1].show_bars(row_bars(now, before), full, n_rows=n_rows)
        self.note.setText(self._words(before, now))

    def _show_divisor(self, own: WeightRow, tried: WeightRow) -> None:
        """Show the row with the model's own divisor, and beside it with the one of the slider."""
        factor = self._pictures.divisor / self._pictures.own_divisor
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(math.log(factor, _FACTOR) * _STEPS))
        names = (
            self.tr("the model divides by {0}: entropy {1} bits"),
            self.tr("divided by {0}: entropy {1} bits"),
        )
        divisors = self._pictures.own_divisor, self._pictures.divisor
        full = max(0.5, float(own.weights.max()), float(tried.weights.max()))
        shown = zip(self.titles, self.bars, names, divisors, (own, tried), strict=True)
        for title, bars, words, divisor, row in shown:
            title.setText(words.format(fixed(divisor, 2), fixed(row.entropy, 2)))
            bars.show_bars(row_bars(row, None if row is own else own), full)
        most = self.tr(
            "Entropy is 0 where one token has all weight, and {0} bits where all {1} have the same."
        )
        self.note.setText(most.format(fixed(math.log2(len(own.labels)), 2), len(own.labels)))

    def _words(self, before: WeightRow, now: WeightRow) -> str:
        places = aligned(before.labels, now.labels)
        largest = sorted(range(len(now.labels)), key=lambda at: -float(now.weights[at]))[:2]
        parts = []
        for at in largest:
            was = places[at]
            old = "–" if was is None else fixed(float(before.weights[was]), 2)
            parts.append(f"“{now.labels[at]}” {old} → {fixed(float(now.weights[at]), 2)}")
        return " · ".join(parts)


def row_bars(row: WeightRow, before: WeightRow | None) -> list[ShownBar]:
    """Return a bar for each key, with its weight before, if there is a row before; new words are marked."""
    places = [None] * len(row.labels) if before is None else list(aligned(before.labels, row.labels))
    found = []
    for at, (label, weight) in enumerate(zip(row.labels, row.weights.tolist(), strict=True)):
        place = places[at]
        was = None if before is None or place is None else float(before.weights[place])
        is_new = before is not None and (place is None or before.labels[place] != label)
        name = f"→ {label}" if is_new else label
        is_highlighted = at == row.largest or is_new
        found.append(
            ShownBar(
                name, weight, fixed(weight, 2), "sentence_b" if is_new else "accent", is_highlighted, was
            )
        )
    return found


class HeadTiles(PaintedPlot[tuple[int, int]]):
    """A small picture of the attention of every head: rows are layers, columns heads.

    Its parts are the heads (layer, head). `moved` marks what has changed.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.moved: Floats | None = None
        self.muted: tuple[tuple[int, int], ...] = ()
        self.image = QImage()
        self.shape = (0, 0)
        self.drawing = _TilesDrawing(self)

    def show_heads(
        self, levels: NDArray[np.uint8], moved: Floats | None, muted: tuple[tuple[int, int], ...]
    ) -> None:
        """Show heads by their `levels`; `moved` [L, H] is the share of its weight that each has moved."""
        n_layers, n_heads = self.shape = levels.shape[0], levels.shape[1]
        self.moved, self.muted = moved, muted
        rows = levels.transpose(0, 2, 1, 3).reshape(n_layers * TILE, n_heads * TILE)
        colours = np.ascontiguousarray(self.look.weights[rows])
        height, width = colours.shape
        self.image = QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()
        self.setAccessibleDescription(self._description())
        self.drawing.update()

    def _description(self) -> str:
        if self.moved is None:
            return ""
        words = self.tr("head {0}·{1}: {2} of its weight has moved")
        heads = np.argwhere(self.moved >= _LEAST_MOVED).tolist()
        return ". ".join(words.format(*at, share_words(float(self.moved[tuple(at)]))) for at in heads)

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    @property
    def count(self) -> int:
        return self.shape[0] * self.shape[1]

    def numbered(self, number: int) -> tuple[int, int]:
        return divmod(number, self.shape[1])

    def rect_of(self, part: tuple[int, int]) -> QRectF:
        return self.drawing.tile(*part)

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        (layer, head), (n_layers, n_heads) = part or (None, None), self.shape
        return (stepped(layer, rows, n_layers), stepped(head, columns, n_heads)) if self.count else None

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        lines = [self.tr("Layer {0}, head {1}").format(*part)]
        if part in self.muted:
            lines.append(self.tr("muted: its output is zero"))
        if self.moved is not None:
            moved = share_words(float(self.moved[part]))
            lines.append(self.tr("{0} of its weight has moved").format(moved))
        return lines


class _TilesDrawing(Painting[HeadTiles]):
    """Draws the picture of all heads, and what is marked on it."""

    def tile(self, layer: int, head: int) -> QRectF:
        """Return where a head is, in pixels of the box."""
        layers, heads = self._plot.shape
        room, left = self.rect(), self.look.pixels(24)
        top = self.look.pixels(20)
        side = min((room.width() - left) / heads, (room.height() - top) / layers)
        x = (room.width() - left - side * heads) / 2 + left
        y = top + max(0.0, (room.height() - top - side * layers) / 2)
        return QRectF(x + head * side, y + layer * side, side, side).adjusted(1.5, 1.5, -1.5, -1.5)

    def draw(self, painter: QPainter) -> None:
        plot, look = self._plot, self.look
        layers, heads = plot.shape
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(look.number_font(12))
        painter.setPen(look.colour("secondary"))
        centre = Qt.AlignmentFlag.AlignCenter
        for head in range(heads):
            tile = self.tile(0, head)
            above = QRectF(tile.left(), tile.top() - look.pixels(20), tile.width(), look.pixels(18))
            painter.drawText(above, centre, str(head))
        for layer in range(layers):
            first = self.tile(layer, 0)
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.setFont(look.number_font(12))
            painter.setPen(look.colour("secondary"))
            painter.drawText(QRectF(0, first.top(), first.left() - 6, first.height()), side, str(layer))
            for head in range(heads):
                self._draw_tile(painter, layer, head)

    def _draw_tile(self, painter: QPainter, layer: int, head: int) -> None:
        plot, look, tile = self._plot, self.look, self.tile(layer, head)
        painter.drawImage(tile, plot.image, QRectF(head * TILE, layer * TILE, TILE, TILE))
        share = 0.0 if plot.moved is None else float(plot.moved[layer, head])
        is_at = (layer, head) == plot.part
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.colour("accent" if is_at else "rule"), 3 if is_at else 1))
        painter.drawRect(tile)
        if (layer, head) in plot.muted:
            painter.fillRect(tile, look.colour("card", 0.7))
            painter.setPen(QPen(look.colour("error"), 3))
            painter.drawLine(tile.topLeft(), tile.bottomRight())
            painter.drawLine(tile.topRight(), tile.bottomLeft())
        elif share >= _LEAST_MOVED:
            painter.setPen(QPen(look.colour("sentence_b"), 1.5 + 3.5 * min(1.0, share / 0.25)))
            painter.drawRect(tile)
            self._write_share(painter, tile, share)

    def _write_share(self, painter: QPainter, tile: QRectF, share: float) -> None:
        font = self.look.number_font(11, bold=True)
        metrics, text = QFontMetricsF(font), share_words(share)
        width, height = metrics.horizontalAdvance(text) + 6, metrics.height()
        if width > tile.width() or height > tile.height():
            return
        room = QRectF(tile.right() - width, tile.bottom() - height, width, height)
        painter.fillRect(room, self.look.colour("card", 0.85))
        painter.setFont(font)
        painter.setPen(self.look.colour("text"))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


def share_words(share: float) -> str:
    """Return a share of weight as a whole percentage."""
    return f"{100 * share:.0f} %"


class HeadsPicture(LessonPicture):
    """All heads before one is muted, and beside them all heads now. A click on a head mutes it."""

    def __init__(self, look: Look, pictures: LessonPictures, editing: Editing) -> None:
        super().__init__(pictures)
        self.tiles = [HeadTiles(look), HeadTiles(look)]
        self.layers = Bars(look)
        self.titles = [named(QLabel(wordWrap=True), "pictureTitle") for _ in range(2)]
        self.note = named(QLabel(wordWrap=True), "pictureNote")
        for tiles in self.tiles:
            tiles.part_chosen.connect(lambda head: editing.toggle_mute(*head))
        columns = (in_column(title, (tiles, 1)) for title, tiles in zip(self.titles, self.tiles, strict=True))
        row = in_row(*((column, 1) for column in columns), spacing=28)
        in_column((row, 3), self.note, (self.layers, 3), of=self, margins=(24, 16, 24, 16), spacing=12)
        self.layers.setAccessibleName(self.tr("How much of its weight each layer has moved"))
        self.titles[0].setText(self.tr("Before: all heads, layers from the top"))
        self.titles[1].setText(self.tr("Now: what has changed is framed"))
        self.tiles[0].setAccessibleName(self.tr("All heads before. Enter mutes one"))
        self.tiles[1].setAccessibleName(self.tr("All heads now. Enter mutes one, or unmutes it"))
        self.setFocusProxy(self.tiles[0])
        look.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what muting has changed."""
        scene = self._pictures.scene
        if scene is None or scene.picture != "heads":
            return
        heads = self._pictures.heads
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
            return self.tr("Click a head to mute it.")
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
