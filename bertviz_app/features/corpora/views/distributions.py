"""`DistributionsView`: the distribution of a measure for every head, as small plots beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF

from bertviz_app.analysis.measures import Head
from bertviz_app.features.corpora.state.corpus import Bar, CorpusStudy
from bertviz_app.features.corpora.summary import N_BINS, CorpusName
from bertviz_app.text.tokens import SpecialNames
from bertviz_app.types import Doubles
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.canvas import CachedPicture
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview import heads_table as measure_words
from bertviz_app.views.plots.axes import NumberAxis
from bertviz_app.views.plots.picture import Painting, PicturePlot

_WIDEST, _HIGHEST = 200, 130
_TITLE, _FOOT, _GAP, _PAD = 20, 22, 10, 8
_TITLE_FROM, _NAME_FROM, _FOOT_FROM = (40, 50), (110, 50), (64, 76)  # width and height of a tile
_ROUND_FROM = 60
_CLOSE = 4  # so many plots a side are in sight after a double click


@dataclass(frozen=True, eq=False)
class Tile:
    """What the plot of a head shows: bars from 0 to 1, and where mean and current value are, from 0 to 1."""

    head: Head
    title: str
    name: str
    numbers: str
    bars: Doubles
    mean: float
    current: float | None


class DistributionsView(PicturePlot[tuple[int, int]]):
    """A plot for each head: bars of the sentences by their value, the mean, and the sentence on screen.

    A row has the heads of a layer. The parts are the bars (number of the plot, number of the bar), and what
    is above the bars of a plot (number, -1). Arrows walk bars and plots, with Ctrl plots alone. `bar_chosen`
    has a head and the number of a bar; `head_chosen` the head whose plot was chosen above its bars, or with
    Ctrl.
    """

    adds = True

    bar_chosen = Signal(object, int)
    head_chosen = Signal(int, int)

    def __init__(self, look: Look, study: CorpusStudy) -> None:
        super().__init__(look)
        self._study = study
        self.tiles: tuple[Tile, ...] = ()
        self.n_columns = 1
        self.box = self.add_box(1, 1, y_down=True)
        self.box.is_snapped = True
        self.box.close = _CLOSE
        self.layers = NumberAxis(self, self.box, "left", is_of_cells=True)
        self.heads = NumberAxis(self, self.box, "top", is_of_cells=True)
        for axis, row, column in ((self.layers, 1, 0), (self.heads, 0, 1)):
            self.ci.layout.addItem(axis, row, column)
        self.add_rest(2, 2)
        self._drawing = _TilesItem(self)
        self._marks = _MarkItem(self)
        for signal in (study.changed, study.current_changed):
            signal.connect(self.refresh)
        study.sentences_changed.connect(self._marks.update)
        self.part_chosen.connect(self._on_part_chosen)
        self.part_added.connect(lambda part: self.head_chosen.emit(*self.tiles[part[0]].head))
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the state of the study as it is now."""
        study = self._study
        self.on_let_go()  # what is read out of a bar would be of the plots before
        heads, n_columns = self.shown_heads()
        self.tiles = tuple(_tile(study, head) for head in heads)
        whole = QRectF(0, 0, n_columns, max(1, -(-len(self.tiles) // n_columns)))
        self.n_columns = n_columns
        if whole != self.box.whole:
            self.box.set_whole(whole, fewest=1.0)
        self._fit()
        self._drawing.update()
        self.point_again()

    def shown_heads(self) -> tuple[Sequence[Head], int]:
        """Return the heads that have a plot, and how many plots stand beside each other."""
        corpus = self._study.corpus
        return self._study.heads, 1 if corpus is None else corpus.table.shape[1]

    def _fit(self) -> None:
        """Write the numbers of layers and heads in their order; let no plot become too large."""
        layout, whole = self.ci.layout, self.box.whole
        has_axes = len(self.tiles) > 1 and not self._study.is_by_mean
        for axis in (self.layers, self.heads):
            axis.recolour()
            axis.setPen(pg.mkPen(None))
            axis.setVisible(has_axes)
        self.layers.fit_numbers("00")
        if not has_axes:
            self.layers.setWidth(0)
            self.heads.setHeight(0)
        layout.setColumnMaximumWidth(1, whole.width() * self.look.pixels(_WIDEST))
        layout.setRowMaximumHeight(1, whole.height() * self.look.pixels(_HIGHEST))
        self.lay_out()

    def resized(self) -> None:
        self._fit()

    def recolour(self) -> None:
        self._fit()

    # where things lie, in pixels of the plot

    def tile_rect(self, tile: int) -> QRectF:
        return self.tile_rects([tile])[0]

    def tile_rects(self, tiles: list[int]) -> list[QRectF]:
        rows, columns, corner = self.box.rows(), self.box.columns(), self.box.pos()
        gap = min(float(self.look.pixels(_GAP)), 0.12 * columns.pitch, 0.12 * rows.pitch) / 2
        left, top = corner.x() + columns.edge(0) + gap, corner.y() + rows.edge(0) + gap
        width, height = columns.pitch - 2 * gap, rows.pitch - 2 * gap
        return [
            QRectF(left + column * columns.pitch, top + row * rows.pitch, width, height)
            for row, column in (divmod(tile, self.n_columns) for tile in tiles)
        ]

    def has(self, tile: QRectF, least: tuple[int, int]) -> bool:
        """Return whether a tile is so wide and high, at the normal text size."""
        return tile.width() >= self.look.pixels(least[0]) and tile.height() >= self.look.pixels(least[1])

    def bars_rect(self, tile: QRectF) -> QRectF:
        look, pad = self.look, min(float(self.look.pixels(_PAD)), 0.08 * tile.width())
        top = look.pixels(_TITLE + 4) if self.has(tile, _TITLE_FROM) else pad
        bottom = look.pixels(_FOOT + 4) if self.has(tile, _FOOT_FROM) else pad
        return tile.adjusted(pad, top, -pad, -bottom)

    # its parts are the bars of all plots

    @property
    def count(self) -> int:
        return len(self.tiles) * N_BINS

    def numbered(self, number: int) -> tuple[int, int]:
        return divmod(number, N_BINS)

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        inside = self.box.position_inside(at)
        if inside is None:
            return None
        column, row = math.floor(inside.x()), math.floor(inside.y())
        tile = row * self.n_columns + column
        if not (0 <= column < self.n_columns and 0 <= tile < len(self.tiles)):
            return None
        rect = self.tile_rect(tile)
        if not rect.contains(at):
            return None
        bars = self.bars_rect(rect)
        bar = min(max(int((at.x() - bars.left()) / bars.width() * N_BINS), 0), N_BINS - 1)
        return tile, -1 if at.y() < bars.top() else bar

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        """Return the bar beside, of the next plot after the last one, or that of the plot above or below."""
        if part is None:
            return (0, 0) if self.tiles else None
        row, column = divmod(part[0], self.n_columns)
        column, bar = divmod(column * N_BINS + max(part[1], 0) + columns, N_BINS)
        tile = (row + rows) * self.n_columns + column
        return (tile, bar) if 0 <= column < self.n_columns and 0 <= tile < len(self.tiles) else None

    def leap(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        return self.beside(part, rows, columns * N_BINS)

    def extent_of(self, part: tuple[int, int]) -> QRectF:
        row, column = divmod(part[0], self.n_columns)
        return QRectF(column, row, 1, 1)

    def place_of(self, part: tuple[int, int]) -> QPointF:
        bars = self.bars_rect(self.tile_rect(part[0]))
        return QPointF(bars.left() + (part[1] + 1) * bars.width() / N_BINS, bars.center().y())

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        tile = self.tiles[part[0]]
        words, corpus = tile.title, self._study.corpus
        if part[1] >= 0 and corpus is not None:  # how many sentences, and between which values
            low, high = corpus.summary.range_of(self._study.measure, part[1])
            lowest = measure_words.measure_number(low)
            limits = f"{lowest} – {measure_words.measure_number(high)}" if high < math.inf else f"≥ {lowest}"
            count = self._study.count_of(Bar(self._study.measure, tile.head, part[1]))
            words = QCoreApplication.translate("CorpusPage", "{0} · {1}   {2}: {3} of {4} sentences")
            words = words.format(*tile.head, limits, f"{count:,}", f"{corpus.summary.n_sentences:,}")
        return [words, f"{tile.name}   {tile.numbers}".strip()]

    def mark_part(self, part: tuple[int, int] | None) -> None:
        self._marks.update()

    @Slot(object)
    def _on_part_chosen(self, part: tuple[int, int]) -> None:
        head = self.tiles[part[0]].head
        if part[1] < 0:
            self.head_chosen.emit(*head)
        else:
            self.bar_chosen.emit(head, part[1])

    @property
    def chosen(self) -> tuple[int, int] | None:
        """The tile and the bar whose sentences are listed."""
        chosen = self._study.bar
        heads = [tile.head for tile in self.tiles]
        return (
            None if chosen is None or chosen.head not in heads else (heads.index(chosen.head), chosen.number)
        )


class _TilesItem(Painting[DistributionsView]):
    """Draws the tiles in sight: all of it is a cached picture, of which a hover copies the changed part."""

    def __init__(self, plot: DistributionsView) -> None:
        super().__init__(plot)
        self._base = CachedPicture(plot.look)
        self._rects = pg.Qt.internals.PrimitiveArray(QRectF, 4)

    def draw(self, painter: QPainter) -> None:
        plot, room = self._plot, self.rect()

        def draw(painter: QPainter) -> None:
            painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(-plot.box.pos())
            self._draw(painter)

        size = QSize(math.ceil(room.width()), math.ceil(room.height()))
        picture = self._base.picture(painter, size, (plot.tiles, plot.box.rows(), plot.box.columns()), draw)
        if picture is None:
            draw(painter)
        else:
            painter.drawPixmap(QPointF(0, 0), picture)

    def _draw(self, painter: QPainter) -> None:
        plot = self._plot
        rows, columns = plot.box.rows().tokens(), plot.box.columns().tokens()
        numbers = [row * plot.n_columns + column for row in rows for column in columns]
        numbers = [number for number in numbers if number < len(plot.tiles)]
        if not numbers:
            return
        shown = list(zip(numbers, plot.tile_rects(numbers), strict=True))
        look, tiles = self.look, [tile for _, tile in shown]
        painter.setPen(look.colour("rule"))
        painter.setBrush(look.colour("raised"))
        boxes = [tile.toAlignedRect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5) for tile in tiles]
        if tiles[0].width() < look.pixels(_ROUND_FROM):
            painter.drawRects(boxes)
        else:
            for box in boxes:
                painter.drawRoundedRect(box, 6, 6)
        around = plot.bars_rect(tiles[0])  # all tiles are alike
        inset = around.topLeft() - tiles[0].topLeft()
        rooms = [QRectF(tile.topLeft() + inset, around.size()) for tile in tiles]
        self._draw_bars(painter, [plot.tiles[number] for number in numbers], rooms)
        for number, rect in shown if plot.has(tiles[0], _TITLE_FROM) else ():
            self._write(painter, plot.tiles[number], rect)

    def _draw_bars(self, painter: QPainter, tiles: list[Tile], rooms: list[QRectF]) -> None:
        """Draw the bars of all tiles at once, the line below them, that of the mean, and the triangles."""
        look = self.look
        values = np.array([tile.bars for tile in tiles])  # [tiles, bars]
        left, top, width, height = np.array([room.getRect() for room in rooms]).T[:, :, None]
        edges = np.rint(left + np.arange(N_BINS + 1) / N_BINS * width)  # no seams between bars
        heights = np.where(values > 0, np.maximum(1.0, values * height), 0.0)
        rects = np.stack([edges[:, :-1], top + height - heights, np.diff(edges), heights], axis=-1)
        rects = rects[values > 0]
        self._rects.resize(len(rects))
        self._rects.ndarray()[:] = rects
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("accent", 0.65))
        painter.drawRects(*self._rects.drawargs())
        painter.setPen(look.colour("rule"))
        painter.drawLines([QLineF(room.bottomLeft(), room.bottomRight()) for room in rooms])
        painter.setPen(look.colour("text"))
        means = [room.left() + tile.mean * room.width() for tile, room in zip(tiles, rooms, strict=True)]
        lines = zip(means, rooms, strict=True)
        painter.drawLines([QLineF(x, room.top() - 2, x, room.bottom()) for x, room in lines])
        # The triangles stand for the sentence on screen, each below its value.
        size = look.pixels(4)
        triangle = QPolygonF([QPointF(0, 0), QPointF(-size, size), QPointF(size, size)])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("sentence_b"))
        for tile, room in zip(tiles, rooms, strict=True):
            if tile.current is not None:
                at = room.left() + tile.current * room.width(), room.bottom()
                painter.drawPolygon(triangle.translated(*at))

    def _write(self, painter: QPainter, tile: Tile, rect: QRectF) -> None:
        """Write the number of a head, and its name and its values where there is room."""
        look, plot = self.look, self._plot
        pad = min(float(look.pixels(_PAD)), 0.08 * rect.width())
        head = QRectF(rect.left() + pad, rect.top() + 2, rect.width() - 2 * pad, look.pixels(_TITLE))
        metrics = QFontMetricsF(look.font(11))
        # Where both have no room the name stands alone: the axes have the number.
        is_alone = bool(tile.name) and not plot.has(rect, _NAME_FROM) and plot.layers.width() > 0
        if not is_alone:
            painter.setFont(look.number_font(11, bold=True))
            painter.setPen(look.colour("text"))
            painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, tile.title)
        painter.setFont(look.font(11))
        if is_alone or (tile.name and plot.has(rect, _NAME_FROM)):
            painter.setPen(look.colour("accent"))
            room = head.width() - (0 if is_alone else look.pixels(40))
            name = metrics.elidedText(tile.name, Qt.TextElideMode.ElideRight, room)
            align = Qt.AlignmentFlag.AlignLeft if is_alone else Qt.AlignmentFlag.AlignRight
            painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | align, name)
        if plot.has(rect, _FOOT_FROM):
            foot = QRectF(
                head.left(), rect.bottom() - look.pixels(_FOOT), head.width(), look.pixels(_FOOT) - 2
            )
            painter.setPen(look.colour("secondary"))
            text = metrics.elidedText(tile.numbers, Qt.TextElideMode.ElideRight, foot.width())
            painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, text)


class _MarkItem(Painting[DistributionsView]):
    """Highlights the chosen bar, and the one that mouse or keys are at."""

    def __init__(self, plot: DistributionsView) -> None:
        super().__init__(plot)
        self.setZValue(1)

    def draw(self, painter: QPainter) -> None:
        plot = self._plot
        painter.translate(-plot.box.pos())
        for at, colour in ((plot.chosen, "text"), (plot.part, "accent")):
            if at is None or at[1] < 0:
                continue
            bars = plot.bars_rect(plot.tile_rect(at[0]))
            left, right = (round(bars.left() + (at[1] + n) / N_BINS * bars.width()) for n in (0, 1))
            column = QRectF(left, bars.top(), right - left, bars.height())
            share = float(plot.tiles[at[0]].bars[at[1]])
            if share > 0:
                bar = column.adjusted(0, bars.height() - max(1.0, share * bars.height()), 0, 0)
                painter.fillRect(bar, self.look.colour(colour))
            if at == plot.part:
                painter.fillRect(column, self.look.colour("accent", 0.15))


def name_words(name: CorpusName, names: SpecialNames) -> str:
    """Return what a head is called over a corpus, with the share of the sentences: "previous token 83%"."""
    return f"{translated(name.rule.title(names))} {name.share:.0%}"


def _tile(study: CorpusStudy, head: Head) -> Tile:
    corpus = study.corpus
    assert corpus is not None
    summary, measure = corpus.summary, study.measure
    highest = float(summary.highest[measure])
    bars = summary.bars[(measure, *head)]
    mean = float(summary.means[(measure, *head)])
    current = None if study.current is None else float(study.current[head])
    numbers = QCoreApplication.translate("DistributionsView", "mean {0}").format(
        measure_words.measure_number(mean)
    )
    if current is not None:
        numbers += f"   ▲ {measure_words.measure_number(current)}"
    name = summary.names.get(head)
    return Tile(
        head,
        f"{head[0]} · {head[1]}",
        "" if name is None else name_words(name, study.special_names),
        numbers,
        bars / max(1, bars.max()),
        mean / highest,
        None if current is None else min(1.0, current / highest),
    )
