"""Heads in a lesson: arcs, two words that look at each other, all heads; and bars of a row of tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QCheckBox, QSlider, QWidget

from bertviz_app.analysis.results import Result
from bertviz_app.errors import AppError
from bertviz_app.features.lessons.course.lesson import Scene, token_values
from bertviz_app.features.lessons.state.computed import (
    TILE,
    AddedLengths,
    BothWays,
    Heads,
    Padded,
    WeightRow,
    added_of,
    aligned,
    alike_of,
    both_ways_of,
    columns_of,
    row_of,
)
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    BarList,
    Bars,
    BarsPicture,
    DrawnCells,
    DrawnPlot,
    LessonPicture,
    Level,
    ShownBar,
    image_of,
    title_label,
    value_bars,
)
from bertviz_app.types import Bytes, Floats
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.wording import share_words, translated
from bertviz_app.views.kit.arcs import Arcs
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, ink_on, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.overview.heads_table import measure_words
from bertviz_app.views.plots.picture import ArcsPlot, follow_selection
from bertviz_app.views.plots.plot import Line

_MOST_READ = 3


class ArcsPicture(LessonPicture):
    """What the word that is pointed at looks at, else the query of the station, as on the first screen."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = named(ArcsPlot(look), title=self.tr("Attention as arcs above the words"))
        in_column(self.title, (self.plot.outer, 1), of=self, margins=AROUND)
        self.plot.arcs_of, self.plot.lines_of_word = self._arcs_of, self._lines_of
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


_STEPS, _FACTOR = 100, 10.0
"""The slider goes from a tenth of the model's own divisor to ten times that."""
_ADDED_COLOURS = ("accent", "value", "output")


class RowPicture(BarsPicture):
    """The row of a word in a head before the text was changed, and beside it the row now."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        self.slider = QSlider(Qt.Orientation.Horizontal)
        super().__init__(look, pictures, below=(self.slider,))
        self.slider.setRange(-_STEPS, _STEPS)
        self.slider.setAccessibleName(self.tr("Divide the scores by another number"))
        self.slider.valueChanged.connect(
            lambda value: pictures.try_divisor(pictures.own_divisor * _FACTOR ** (value / _STEPS))
        )

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        before, now = self.pictures.rows
        has_slider = scene.part == "divisor"
        self.slider.setVisible(has_slider)
        self.setFocusProxy(self.slider if has_slider else self.lists[0])
        if before is None:
            return ()
        if has_slider and now is not None:
            return self._divided(before, now)
        self.title.setText("")
        head = self.tr("layer {0}, head {1}").format(before.layer, before.head)
        looks = self.tr("Before: what “{0}” looks at ({1})").format(before.labels[before.query], head)
        full = max(0.5, float(before.weights.max()), 0.0 if now is None else float(now.weights.max()))
        n_rows = max(len(before.labels), 0 if now is None else len(now.labels))
        first = BarList(looks, row_bars(before, None), full, n_rows=n_rows)
        if now is None:
            self.note.setText("")
            words = self.tr("Now: the same, until you change the text")
            return first, BarList(words, first.bars, full)
        words = self.tr("Now: what “{0}” looks at (broken line: before)")
        places = aligned(before.labels, now.labels)
        parts = []
        for at in sorted(range(len(now.labels)), key=lambda at: -float(now.weights[at]))[:2]:
            was = places[at]
            old = "–" if was is None else fixed(float(before.weights[was]), 2)
            moved = self.tr("“{0}” {1} → {2}")
            parts.append(moved.format(now.labels[at], old, fixed(float(now.weights[at]), 2)))
        self.note.setText(" · ".join(parts))
        return first, BarList(words.format(now.labels[now.query]), row_bars(now, before), full, n_rows=n_rows)

    def _divided(self, own: WeightRow, tried: WeightRow) -> Sequence[BarList]:
        """Return the row with the model's own divisor, and the one with that of the slider."""
        divisors = self.pictures.own_divisor, self.pictures.divisor
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(math.log(divisors[1] / divisors[0], _FACTOR) * _STEPS))
        most = self.tr(
            "Entropy is 0 where one token has all weight, and {0} bits where all {1} have the same."
        )
        self.note.setText(most.format(fixed(math.log2(len(own.labels)), 2), len(own.labels)))
        names = (
            self.tr("The model divides by {0}: entropy {1} bits"),
            self.tr("Divided by {0}: entropy {1} bits"),
        )
        words = self.tr("Layer {0}, head {1}: what “{2}” looks at")
        self.title.setText(words.format(own.layer, own.head, own.labels[own.query]))
        full = max(0.5, float(own.weights.max()), float(tried.weights.max()))
        return [
            BarList(words.format(fixed(divisor, 2), fixed(row.entropy, 2)), row_bars(row, before), full)
            for words, divisor, row, before in zip(names, divisors, (own, tried), (None, own), strict=True)
        ]


def row_bars(row: WeightRow, before: WeightRow | None) -> list[ShownBar]:
    """Return a bar for each key, with its weight before, if there is a row before; new words are marked."""
    places = [None] * len(row.labels) if before is None else list(aligned(before.labels, row.labels))
    found = []
    for at, (label, weight) in enumerate(zip(row.labels, row.weights.tolist(), strict=True)):
        place = places[at]
        was = None if before is None or place is None else float(before.weights[place])
        is_new = before is not None and (place is None or before.labels[place] != label)
        name, colour = (f"→ {label}", "sentence_b") if is_new else (label, "accent")
        found.append(ShownBar(name, weight, fixed(weight, 2), colour, at == row.largest or is_new, was))
    return found


class LookedAtPicture(BarsPicture):
    """The weight of every token on the same key in two heads; the query is highlighted."""

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(columns_of) or ()
        full = max([0.5, *(float(one.weights.max()) for one in found)])
        words = self.tr("Layer {0}, head {1}: how much each token looks at “{2}”")
        note = self.tr("“{0}”: {1}. The other tokens: {2} on average.")
        return [
            BarList(
                words.format(one.layer, one.head, one.labels[one.key]),
                value_bars(one.labels, one.weights, {one.query}),
                full,
                Level(one.others, self.tr("mean of the others")),
                note=note.format(one.labels[one.query], fixed(one.weight, 2), fixed(one.others, 2)),
            )
            for one in found
        ]


class AlikePicture(BarsPicture):
    """How alike two tokens are after the embeddings and after each layer, beside the mean of all pairs."""

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(alike_of)
        if found is None:
            return ()
        titles = (
            self.tr("“{0}” and “{1}”: cosine of their vectors").format(found.query, found.key),
            self.tr("All pairs of tokens: mean cosine"),
        )
        layer = self.tr("layer {0}")
        after = [self.tr("embeddings"), *(layer.format(at) for at in range(len(found.pair) - 1))]
        full = max(0.5, float(found.pair.max()), float(found.mean.max()))
        self.title.setText(self.tr("After the embeddings, and after each layer"))
        return [
            BarList(title, value_bars(after, values, {0, len(values) - 1}, colour), full)
            for title, values, colour in zip(
                titles, (found.pair, found.mean), ("accent", "output"), strict=True
            )
        ]


class AddedPicture(BarsPicture):
    """What each token adds to a vector: its weight, times the length of its value, is how long that is.

    Of a scene with occlusion: the weight, the length that is added, and what is lost where a token is hidden.
    Each list has a scale of its own; its largest number is highlighted.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures, len(_ADDED_COLOURS), style="pictureNote")
        for each in self.lists:
            follow_selection(each.bars, pictures.selection, Pair)

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(added_of)
        if found is None:
            return ()
        row = found.row
        if "occlusion" in scene.analyses:
            return self._with_occlusion(found)
        words = self.tr("What each token adds to “{0}” in layer {1}, head {2}")
        self.title.setText(words.format(row.labels[row.query], row.layer, row.head))
        note = self.tr("“{0}” has {1} % of the weight, and {2} % of all the lengths that are added.")
        shares = 100 * float(row.weights[row.largest]), 100 * found.share(row.largest)
        self.note.setText(note.format(row.labels[row.largest], *(f"{share:.0f}" for share in shares)))
        names = self.tr("the weight"), self.tr("× length of the value"), self.tr("= length of what is added")
        lists = zip(names, (row.weights, found.lengths, found.added), _ADDED_COLOURS, strict=True)
        return [
            BarList(name, added_bars(row.labels, values, colour), float(values.max()))
            for name, values, colour in lists
        ]

    def _with_occlusion(self, found: AddedLengths) -> Sequence[BarList]:
        """Return two lists about the row, and beside them one about the vector of the whole text."""
        row, result = found.row, self.pictures.analysed("occlusion")
        words = self.tr("Which token matters? For “{0}” in layer {1}, head {2}, and for the whole text")
        self.title.setText(words.format(row.labels[row.query], row.layer, row.head))
        lost = token_values(result) if isinstance(result, Result) else None
        waits = self.tr("The tokens are being hidden one by one …") if result is None else ""
        self.note.setText(translated(result.message) if isinstance(result, AppError) else waits)
        names = (
            self.tr("the weight"),
            self.tr("the length of what is added"),
            self.tr("what is lost if it is hidden"),
        )
        lists = zip(names, (row.weights, found.added, lost), ("accent", "output", "sentence_b"), strict=True)
        return [
            BarList(name, [], n_rows=len(row.labels))
            if values is None
            else BarList(name, added_bars(row.labels, values, colour), float(np.abs(values).max()))
            for name, values, colour in lists
        ]


class AgreementPicture(BarsPicture):
    """How well methods of attribution agree with occlusion on the order of the tokens.

    The best and the worst are highlighted.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures, 1)

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        result = self.pictures.analysed("agreement")
        if not isinstance(result, Result):
            waits = self.tr("The methods are being compared …")
            self.title.setText(waits if result is None else translated(result.message))
            self.note.setText("")
            return [BarList("", [])]
        found = next(each for each in result.pictures() if each.key == "spearman")
        self.title.setText(self.tr("Does a method put the tokens in the same order as occlusion?"))
        self.note.setText(self.tr("1: the same order. 0: no relation. −1: the opposite order."))
        methods, values = found.axes[1].labels[1:], found.values[0, 1:]
        # Of a text of one word no order is known.
        ends = {int(np.nanargmax(values)), int(np.nanargmin(values))} if np.isfinite(values).any() else set()
        names = [translated(found.words[method]) for method in methods]
        return (BarList("", value_bars(names, values, ends)),)


def added_bars(labels: tuple[str, ...], values: Floats, colour: str) -> list[ShownBar]:
    """Return a bar for each token; the longest is highlighted."""
    largest = int(values.argmax())
    return [
        ShownBar(label, value, fixed(value, 3 if value < 1 else 2), colour, at == largest)
        for at, (label, value) in enumerate(zip(labels, values.tolist(), strict=True))
    ]


_ROW, _GAP, _ROUND, _SIZE, _NAME = 44.0, 6.0, 6.0, 15.0, 13.0


class BatchGrid(DrawnPlot[int]):
    """The tokens of both texts, one below the other, and below them what the mask says of the second.

    They are read, not pointed at: it has no parts.
    """

    shows_words = True
    usual = (480, 150)
    walks = False
    count = 0

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.padded: Padded | None = None
        self.is_masked = True
        self.setAccessibleName(self.tr("Two texts in one batch, the shorter filled up with [PAD]"))
        self.setFixedHeight(self.sizeHint().height())

    def show_batch(self, padded: Padded, *, is_masked: bool) -> None:
        """Show a batch with its mask, or with one that lets everything through."""
        self.padded, self.is_masked = padded, is_masked
        self.setAccessibleDescription(" / ".join(" ".join(row) for row in self.rows()))
        self.draw_anew()

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Return what is written in the three rows."""
        if self.padded is None:
            return ()
        n_tokens, n_padding = len(self.padded.alone), self.padded.n_padding
        last = "0" if self.is_masked else "1"
        return self.padded.longer, self.padded.shorter, ("1",) * n_tokens + (last,) * n_padding

    def sizeHint(self) -> QSize:
        return QSize(480, round(self.look.pixels(3 * (_ROW + _GAP) + 4)))

    def recolour(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        super().recolour()

    def draw_with(self, pencil: Pencil) -> None:
        look, rows, padded = self.look, self.rows(), self.padded
        if padded is None:
            return
        font, name_font = look.font(_SIZE, bold=True), look.font(_NAME)
        names = self.tr("text 1"), self.tr("text 2"), self.tr("mask of text 2")
        start = max(map(QFontMetricsF(name_font).horizontalAdvance, names)) + 14
        # Each column is as wide as its words need.
        of_word = QFontMetricsF(font).horizontalAdvance
        widths = [max(map(of_word, words)) + 2 * _GAP + 12 for words in zip(*rows, strict=True)]
        scale = min(1.6, (self.room.width() - start - 2) / sum(widths))
        size = _SIZE * min(1.0, scale)
        lefts = list(accumulate((width * scale for width in widths), initial=start))
        gap, height = look.pixels(_GAP), look.pixels(_ROW)
        for row, (words, name) in enumerate(zip(rows, names, strict=True)):
            top = row * (height + gap) + 2
            pencil.write(name, QRectF(0, top, start - 10, height), name_font, "secondary", LEFT)
            for at, word in enumerate(words):
                box = QRectF(lefts[at], top, max(lefts[at + 1] - lefts[at] - gap, 4.0), height)
                is_padding, is_query = row > 0 and at >= len(padded.alone), row == 1 and at == padded.query
                line, width = ("accent", 2.0) if is_query else ("rule", 1.0)
                fill = "card" if row == 2 or is_padding else "raised"
                pencil.box(box, line, width, fill=fill, rounding=_ROUND, is_broken=is_padding)
                ink = "accent" if is_query else "secondary" if is_padding else "text"
                pencil.write(
                    word,
                    box.adjusted(2, 0, -2, 0),
                    look.font(size, bold=not is_padding or row == 2),
                    "sentence_b" if row == 2 and word == "0" else ink,
                )


class PaddingPicture(BarsPicture):
    """The batch, the switch of its mask, and the row of one word read alone and in the batch."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        self.batch = BatchGrid(look)
        self.switch = QCheckBox()
        super().__init__(look, pictures, above=(self.batch, self.switch))
        self.switch.setText(self.tr("Use the mask: no token looks at [PAD]"))
        self.switch.setChecked(True)
        self.setFocusProxy(self.switch)
        self.switch.toggled.connect(self.refresh)

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(self.pictures.padded)
        if found is None:
            return ()
        is_masked = self.switch.isChecked()
        now = found.masked if is_masked else found.unmasked
        self.batch.show_batch(found, is_masked=is_masked)
        self.note.setText(self._words(found, is_masked))
        names = (
            self.tr("Read alone: what “{0}” looks at"),
            self.tr("In the batch (broken line: alone)"),
        )
        word, full = found.shorter[found.query], max(float(found.alone.max()), float(now.max()))
        lists, n_tokens = [], len(found.alone)
        for name, weights in zip(names, (found.alone, now), strict=True):
            bars = []
            for at, weight in enumerate(weights.tolist()):
                is_padding = at >= n_tokens
                before = None if len(weights) == n_tokens or is_padding else float(found.alone[at])
                colour = "sentence_b" if is_padding else "accent"
                bars.append(ShownBar(found.shorter[at], weight, fixed(weight, 2), colour, is_padding, before))
            lists.append(BarList(name.format(word), bars, full, n_rows=len(found.shorter)))
        return lists

    def _words(self, found: Padded, is_masked: bool) -> str:
        if is_masked:
            words = self.tr(
                "The weights on [PAD] are 0, and the others are those of the text alone. After all layers no "
                "number differs by more than {0}: that is rounding."
            )
            return words.format(f"{found.off:.7f}")
        words = self.tr(
            "Without the mask “{0}” puts {1} of its attention on [PAD], so less is left for the words. After "
            "all layers numbers differ by up to {2}: the text would mean something else beside another text."
        )
        share = float(found.unmasked[len(found.alone) :].sum())
        word = found.shorter[found.query]
        return words.format(word, f"{share:.0%}".replace("%", " %"), fixed(found.off_unmasked, 2))
