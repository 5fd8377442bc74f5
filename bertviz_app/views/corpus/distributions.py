"""`DistributionsView`: the distribution of a measure for every head, as small plots beside each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.head_names import Head
from bertviz_app.analysis.pure.corpus_summary import N_BINS, CorpusName
from bertviz_app.text.tokens import SpecialNames
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.corpus.study import CorpusStudy
from bertviz_app.viewmodels.wording.error_words import translated
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview import measure_words

_WIDTH, _HEIGHT = 168, 108
_TITLE, _FOOT = 20, 22
_GAP = 10
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


@dataclass(frozen=True)
class Tile:
    """What the plot of a head shows: bars from 0 to 1, and where mean and current value are, from 0 to 1."""

    head: Head
    title: str
    name: str
    numbers: str
    bars: Doubles
    mean: float
    current: float | None


class DistributionsView(Canvas):
    """A plot for each head: bars of the sentences by their value, the mean, and the sentence on screen.

    `bar_chosen` and `bar_hovered` have a head and the number of a bar; -1 where the mouse is over none.
    """

    bar_chosen = Signal(object, int)
    bar_hovered = Signal(object, int)

    def __init__(self, look: Look, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._study = study
        self.tiles: tuple[Tile, ...] = ()
        self._under: tuple[int, int] | None = None  # the tile and the bar that mouse or keys are at
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for signal in (study.changed, study.current_changed):
            signal.connect(self.refresh)
        study.sentences_changed.connect(self.update)
        look.changed.connect(self._fit)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the state of the study as it is now."""
        study = self._study
        self._go_to(None)  # what is read out of a bar would be of the plots before
        self.tiles = tuple(_tile(study, head) for head in study.heads)
        self._fit()
        self.update()

    @Slot()
    def _fit(self) -> None:
        rows = -(-len(self.tiles) // self._n_columns)
        self.setMinimumHeight(rows * self.look.pixels(_HEIGHT + _GAP) + self.look.pixels(_GAP))

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(self.look.pixels(4 * (_WIDTH + _GAP)), self.minimumHeight())

    @property
    def _n_columns(self) -> int:
        return max(1, (self.width() - self.look.pixels(_GAP)) // self.look.pixels(_WIDTH + _GAP))

    def tile_rect(self, tile: int) -> QRect:
        """Return where a tile is."""
        row, column = divmod(tile, self._n_columns)
        width, height = self.look.pixels(_WIDTH), self.look.pixels(_HEIGHT)
        gap = self.look.pixels(_GAP)
        return QRect(gap + column * (width + gap), gap + row * (height + gap), width, height)

    def _bars_rect(self, tile: int) -> QRectF:
        rect = QRectF(self.tile_rect(tile))
        return rect.adjusted(
            self.look.pixels(8),
            self.look.pixels(_TITLE + 4),
            -self.look.pixels(8),
            -self.look.pixels(_FOOT + 4),
        )

    def bar_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the tile and the bar at a position, None where there is none."""
        for tile in range(len(self.tiles)):
            if self.tile_rect(tile).contains(int(x), int(y)):
                bars = self._bars_rect(tile)
                bar = int((x - bars.left()) / bars.width() * N_BINS)
                return tile, min(max(bar, 0), N_BINS - 1)
        return None

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the plots within the part that is painted."""
        clip = painter.clipBoundingRect()
        for number, tile in enumerate(self.tiles):
            rect = self.tile_rect(number)
            if clip.intersects(QRectF(rect)):
                self._draw_tile(painter, number, tile, rect)

    def _draw_tile(self, painter: QPainter, at: int, tile: Tile, rect: QRect) -> None:
        look, pad = self.look, self.look.pixels(8)
        painter.setPen(look.colour("rule"))
        painter.setBrush(look.colour("raised"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        head = QRect(rect.left() + pad, rect.top() + 2, rect.width() - 2 * pad, look.pixels(_TITLE))
        painter.setFont(look.number_font(11, bold=True))
        painter.setPen(look.colour("text"))
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, tile.title)
        painter.setFont(look.font(11))
        painter.setPen(look.colour("accent"))
        room = head.width() - look.pixels(40)
        name = painter.fontMetrics().elidedText(tile.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, name)
        self._draw_bars(painter, at, tile)
        foot = QRect(head.left(), rect.bottom() - look.pixels(_FOOT), head.width(), look.pixels(_FOOT) - 2)
        painter.setFont(look.font(11))
        painter.setPen(look.colour("secondary"))
        painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, tile.numbers)

    def _draw_bars(self, painter: QPainter, at: int, tile: Tile) -> None:
        bars, look = self._bars_rect(at), self.look
        width = bars.width() / N_BINS
        chosen = self._study.bar
        painter.setPen(Qt.PenStyle.NoPen)
        for number in np.flatnonzero(tile.bars).tolist():
            height = max(1.0, bars.height() * float(tile.bars[number]))
            is_chosen = chosen is not None and (chosen.head, chosen.number) == (tile.head, number)
            colour = look.colour("text") if is_chosen else look.colour("accent", 0.65)
            painter.setBrush(look.colour("accent") if self._under == (at, number) else colour)
            painter.drawRect(QRectF(bars.left() + number * width, bars.bottom() - height, width, height))
        painter.setPen(look.colour("rule"))
        painter.drawLine(bars.bottomLeft(), bars.bottomRight())
        if self._under is not None and self._under[0] == at:
            left = bars.left() + self._under[1] * width
            painter.fillRect(QRectF(left, bars.top(), width, bars.height()), look.colour("accent", 0.15))
        x = bars.left() + tile.mean * bars.width()
        painter.setPen(look.colour("text"))
        painter.drawLine(QPointF(x, bars.top() - 2), QPointF(x, bars.bottom()))
        if tile.current is not None:
            self._draw_current(painter, QPointF(bars.left() + tile.current * bars.width(), bars.bottom()))

    def _draw_current(self, painter: QPainter, tip: QPointF) -> None:
        """Draw the triangle that stands for the sentence on screen, below its value."""
        size = self.look.pixels(4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("sentence_b"))
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-size, size), tip + QPointF(size, size)]))

    # mouse and keys

    def _go_to(self, under: tuple[int, int] | None) -> None:
        if under == self._under:
            return
        for position in (self._under, under):
            if position is not None:
                self.update(self.tile_rect(position[0]))
        self._under = under
        if under is None:
            self.bar_hovered.emit((0, 0), -1)
        else:
            self.bar_hovered.emit(self.tiles[under[0]].head, under[1])

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        self._go_to(self.bar_at(position.x(), position.y()))

    @guarded
    def leaveEvent(self, event: object) -> None:
        self._go_to(None)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        found = self.bar_at(position.x(), position.y())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self.bar_chosen.emit(self.tiles[found[0]].head, found[1])

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk bars and heads by the arrows; Enter lists the sentences of a bar."""
        step = _STEPS.get(Qt.Key(event.key()))
        if not self.tiles:
            event.ignore()
        elif step is not None:
            tile, bar = self._under or (0, 0)
            rows, bars = step
            tile = min(max(tile + rows, 0), len(self.tiles) - 1)
            self._go_to((tile, min(max(bar + bars, 0), N_BINS - 1)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._under is not None:
            self.bar_chosen.emit(self.tiles[self._under[0]].head, self._under[1])
        else:
            event.ignore()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()


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
