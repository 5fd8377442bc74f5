"""The lines: queries on the left, keys on the right, a curve for each weight of one or several heads."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

from bertviz_app.text.word_units import word_units
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import NOTHING, DrawOptions, Pair, ParseArcs
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Store
from bertviz_app.viewmodels.viewport import PixelAxis, TokenSpan, Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines_image import (
    Brush,
    Frame,
    Highlight,
    HighlightedLines,
    LinesImage,
    LineStroke,
    Strands,
    brush_for,
    draw_strokes,
    gathered,
    highlight_of,
    least_of,
    line_under,
    widest_number,
)
from bertviz_app.views.kit.canvas import CachedPicture, LaterWork, draws_pixels, guarded
from bertviz_app.views.kit.labels import SIZE, Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import ExportedPanel
from bertviz_app.views.kit.subject import NO_KEY, AxisTitles, LineKey
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.plot import Box, Drawing, DrawnBy, Plot

_LONGEST_PITCH = 56.0
_WIDEST_LABEL = 130.0
_LONGEST_LINES = 620.0
"""How far apart the two columns are at most: the eye follows no line over half a screen."""
_ROW_IN_PRINT = 20.0
_BEHIND = 0.2
_NEW_PICTURE = 0.004
"""How many seconds all lines of a new picture are drawn for at once: those of a short text are complete then,
and do not flicker while one types.
"""

FAINT_LINES = "faint lines"
"""The name of the later work that draws the faint ones of thousands of lines, see `LaterWork.hold`."""
MARGIN = 12.0
GAP = 8.0
"""Between a label and the lines."""
BLOCK = 7.0
_MOST = 16
_UNSEEN = 0.0019
"""An opacity that changes no channel of a pixel: most blocks of many heads have less."""
_SHARES = (0.5, 0.36, 0.64)
_MOST_RELATIONS = 24
_SHARES_OF_RELATIONS = (0.18, 0.3, 0.42, 0.55, 0.7)
_ARROW = 4.0  # pixels
_OUTER = (Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft)
_AROUND = 4
"""The pixels left and right of the lines that the ends of wide ones may reach into."""

_SHOWN_EVERY = 0.06  # seconds


class ParseArc(NamedTuple):
    """From the place of a query to that of a key; `relation` is that of the dependent of the two."""

    query: int
    key: int
    relation: str


def parse_arcs(item: Item | None, picture: HeadPicture, way: ParseArcs) -> tuple[ParseArc, ...]:
    """Return the arcs of a parse in a picture of the same text; none of another text or of a difference.

    A word of several pieces is at its middle piece. The root has no arc, and neither has a word that is not
    shown.
    """
    tokens = picture.trace.tokens
    if item is None or way == "hidden" or picture.is_difference:
        return ()
    if tokens.text != item.text or tokens.pair is not None or picture.trace.is_cross:
        return ()
    units = word_units(tokens, [mark[:2] for mark in item.marks])
    of_words = [units.tokens_of(word).tolist() for word in range(len(item.marks))]
    found: list[ParseArc] = []
    for dependent, head in enumerate(item.heads):
        if head == ROOT:
            continue
        ends = (dependent, head) if way == "heads" else (head, dependent)
        order, places = picture.token_order, []
        for side, word in zip((order.queries, order.keys), ends, strict=True):
            shown = [place for token in of_words[word] if (place := side.place(token)) is not None]
            places += [shown[len(shown) // 2]] if shown else []
        if len(places) == 2:
            found.append(ParseArc(places[0], places[1], item.marks[dependent][2]))
    return tuple(found)


class LinesBox(Box):
    """Its vertical axis is drawn at the left, its horizontal one at the right, from the top down, too.

    So a gesture is about the query and the key at the height of the pointer, and a drag pans both.
    """

    def rows(self) -> PixelAxis:
        """Return where the queries lie, in pixels of the box."""
        return self._axis(1)

    def columns(self) -> PixelAxis:
        """Return where the keys lie, in pixels of the box."""
        return self._axis(0)

    def _axis(self, number: int) -> PixelAxis:
        first, last = self.viewRange()[number]
        room = self.height() - 2 * MARGIN
        # Zoomed in, the stretch in sight fills the height: beside it lines would end at no label.
        longest = self.plot.look.pixels(_LONGEST_PITCH) if self.is_whole else room
        span = TokenSpan(first, last)
        return PixelAxis(span, MARGIN, min(room, span.length * longest))

    def position(self, at: QPointF) -> QPointF:
        """Return the key and the query at the height of a point of the plot."""
        y = self.mapFromScene(at).y()
        return QPointF(self.columns().position(y), self.rows().position(y))

    def wheelEvent(self, ev: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Zoom both axes."""
        factor = 1.02 ** (ev.delta() * self.state["wheelScaleFactor"])
        if ev.orientation() == Qt.Orientation.Vertical:
            self.zoom(factor, self.position(ev.scenePos()))
        ev.accept()

    def mouseDragEvent(
        self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent, axis: int | None = None
    ) -> None:
        """Pan both axes by as many pixels."""
        ev.accept()
        if ev.button() != Qt.MouseButton.LeftButton or self.is_whole:
            return
        down = ev.pos().y() - ev.lastPos().y()
        self.translateBy(x=-down / self.columns().pitch, y=-down / self.rows().pitch)
        self.range_chosen.emit()


class _NamesItem(Drawing):
    """The names at one end of the lines, with the weights of a highlighted token's lines beside them."""

    def __init__(self, view: LinesView, *, is_left: bool) -> None:
        super().__init__(view.look, view.box)
        self._view, self._is_left = view, is_left

    def draw(self, painter: QPainter) -> None:
        """Draw the labels of one column, and the weights of the highlighted token's lines beside them."""
        view, layers, is_left = self._view, self._view.layers, self._is_left
        if layers is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        layers.show(view.shown)
        column, pictures, highlight = layers.columns[not is_left], view.pictures, layers.highlight
        shown, largest = highlight.shown, max(picture.full for picture in pictures)
        token, weights = (shown.query, highlight.of_queries) if is_left else (shown.key, highlight.of_keys)
        boxes = {position: column.box(position) for position in column.tokens(token)}
        rows: list[RowWeights] = []
        if weights and boxes:
            of_rows = np.array([of_head[list(boxes)] for of_head in weights]).T  # [rows, heads]
            written_from = 0.5 * 10 ** -pictures[0].digits  # less is a zero in so many digits
            is_written = (np.abs(of_rows) >= written_from).any(axis=1).tolist()
            each = zip(boxes.items(), of_rows.tolist(), is_written, strict=True)
            rows = [RowWeights(*item, of_heads) for item, of_heads, written in each if written]
        draw_weights(painter, self.look, rows, largest, layers.brush, is_left=is_left)
        left, right = (column.number_room, 0.0) if is_left else (0.0, -column.number_room)
        narrowed = {row.position: row.box.adjusted(left, 0, right, 0) for row in rows}
        align = Qt.AlignmentFlag.AlignRight if is_left else Qt.AlignmentFlag.AlignLeft
        column.labels.draw_all(painter, {**boxes, **narrowed}, align, highlighted=token)

    def rect(self) -> QRectF:
        whole, (left, right) = super().rect(), self._view.ends()
        return (
            whole.adjusted(0, 0, left - whole.right(), 0) if self._is_left else whole.adjusted(right, 0, 0, 0)
        )


class LinesView(HeadView):
    """Width and opacity of a line follow its weight, relative to the largest of the heads shown.

    All lines lie in a cached image; a highlighted token's own lines in another, which is drawn over it.
    """

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, store: Store | None = None
    ) -> None:
        plot = Plot(look)
        box = LinesBox(plot)
        plot.place_box(box, 0, 0)
        self._layers: LineLayers | None = None
        self._followed: Pair | None = None
        """The highlighted pair that was painted or is going to be; None where all is painted anew."""
        self._ends: tuple[float, float] | None = None
        self._at_once = 0.0
        self._gathered: tuple[float, Strands] | None = None  # with the threshold they were gathered for
        super().__init__(plot, box, selection, viewport, store)
        self._lines = DrawnBy(look, box, self._draw_lines)
        self._parse = DrawnBy(look, box, self._draw_parse)
        self._parse.setZValue(5)
        self._arcs: tuple[ParseArc, ...] | None = None
        self._names = _NamesItem(self, is_left=True), _NamesItem(self, is_left=False)
        box.sigRangeChanged.connect(lambda *_: self.rebuild())
        box.sigResized.connect(lambda *_: self.rebuild())
        selection.changed.connect(self._follow)
        self.store.watch(("parsed",), self._on_options_changed)
        self.plot.setAccessibleName(self.tr("Attention lines: queries on the left, keys on the right"))

    def show_picture(self, picture: HeadPicture, others: tuple[HeadPicture, ...] = ()) -> None:
        self._gathered, self._at_once = None, _NEW_PICTURE
        super().show_picture(picture, others)

    @property
    def arcs(self) -> tuple[ParseArc, ...]:
        """The arcs of the parse of the text, where it was opened from a parsed file."""
        if self._arcs is None and self.picture is not None:
            self._arcs = parse_arcs(self.store.now.parsed, self.picture, self.store.now.options.parse)
        return self._arcs or ()

    @property
    def meaning(self) -> str:
        words = self.tr(
            "A line leads from a token to one that it looks at: the stronger, the more attention."
        )
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        words = QCoreApplication.translate("Notes", "lines from {0:.3g} on")
        return words.format(picture.threshold(options.threshold)) if options.threshold else ""

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        return AxisTitles(ends=axes, key=key_of(picture, exported.panel.shown_heads))

    def rebuild(self) -> None:
        """Lay everything out again: the picture, what is in sight, or the room for it has changed."""
        self._layers = self._followed = self._ends = self._arcs = None
        for item in (self._lines, self._parse, *self._names):
            item.prepareGeometryChange()
            item.update()

    @property
    def is_complete(self) -> bool:
        """Whether every line is drawn."""
        return self._layers is not None and self._layers.is_complete

    def complete(self) -> None:
        """Draw all lines now; for pictures that are saved."""
        layers = self.layers
        if layers is not None:
            layers.show(self.shown)
            layers.draw_rest()

    @Slot()
    def _follow(self) -> None:
        """Paint the lines and the labels with another pair highlighted."""
        before, self._followed = self._followed, self.shown
        if before != self._followed or self._layers is None:
            for item in (self._lines, *self._names, *([self._parse] if self.arcs else [])):
                self.plot.update_soon(item, (item.rect(),))

    def _draw_lines(self, painter: QPainter) -> None:
        """Draw the lines, faint behind those of a highlighted token, and the weights written on them."""
        layers = self.layers
        if layers is None:
            return
        as_vectors, opacity = not draws_pixels(painter), painter.opacity()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        layers.show(self.shown)
        painter.setOpacity(opacity * (_BEHIND if layers.highlight.shown else 1.0))
        layers.paint_all(painter, as_vectors=as_vectors)
        painter.setOpacity(opacity)
        if layers.highlight.shown:
            layers.paint_highlighted(painter, as_vectors=as_vectors)
        elif self.store.now.options.writes_weights:
            draw_values(painter, self.look, layers.strands, layers.brush, layers.frame.clip)
        if not as_vectors:
            self.draw_rest_later(layers)

    def _draw_parse(self, painter: QPainter) -> None:
        """Draw the arcs of a parse over the lines, their relations as far as these are clear."""
        layers, arcs, shown = self.layers, self.arcs, self.shown
        if layers is None or not arcs:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(layers.frame.clip, Qt.ClipOperation.IntersectClip)
        if shown:
            arcs = tuple(arc for arc in arcs if arc.query == shown.query or arc.key == shown.key)
        draw_parse(painter, self.look, arcs, layers.brush)

    # geometry

    def axes(self) -> tuple[PixelAxis, PixelAxis]:
        return self.box.rows(), self.box.columns()

    def ends(self) -> tuple[float, float]:
        """Return where lines begin and end: the inner edges of the two columns of labels.

        The lines keep a third of the width; where that leaves no room for weights beside the
        labels, labels are shortened while weights are shown. In a wide view all of it is in the middle.
        """
        if self._ends is None:  # read many times in a frame
            width, side = float(self.box.width()), self._side()
            side = max(side, (width - self.look.pixels(_LONGEST_LINES)) / 2)
            self._ends = side, width - side
        return self._ends

    def _side(self) -> float:
        """Return the width of a column of labels, with the margin beside it."""
        longest = self.look.pixels(_WIDEST_LABEL * self.look.word_size(SIZE) / SIZE)
        widest = max(labels.widest(longest) for labels in self.labels)
        return min(MARGIN + widest + self._number_room() + GAP, float(self.box.width()) / 3)

    def pair_at(self, at: QPointF) -> Pair:
        """Return the query, the key or the line under a point."""
        queries, keys = self.axes()
        left, right = self.ends()
        if at.x() <= left + 12:
            return Pair(query=queries.token(at.y()))
        if at.x() >= right - 12:
            return Pair(key=keys.token(at.y()))
        layers = self.layers
        return NOTHING if layers is None else line_under(layers.strands, layers.brush, at.x(), at.y())

    def _number_room(self) -> float:
        """Return the room for what is written beside a label: a weight, or a block for each head."""
        widest = "0.00" if self.picture is None else widest_number(self.picture)
        number = QFontMetricsF(self.look.number_font(11)).horizontalAdvance(widest) + 8
        return max(number, BLOCK * len(self.pictures) + 6) if len(self.pictures) > 1 else number

    # in print

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print, which looks as on screen."""

    @property
    def printed_height(self) -> float:
        """The height at which every token has a row."""
        n_rows = max(axis.span.length for axis in self.axes())
        beside = self.height() - self.box.height()
        return float(beside + n_rows * self.look.pixels(_ROW_IN_PRINT) + 2 * MARGIN)

    @property
    def lacks_room(self) -> bool:
        """Whether a token in sight has no label."""
        layers = self.layers
        if layers is None:
            return False
        return any(len(column.labelled) < len(column.axis.tokens()) for column in layers.columns)

    # what is cached

    @property
    def layers(self) -> LineLayers | None:
        """What is prepared for the picture at the size of the view now; None before there is a picture."""
        if self.picture is None:
            return None
        ratio = self.devicePixelRatioF()
        if self._layers is None or self._layers.frame.ratio != ratio:
            width, height = round(self.box.width()), round(self.box.height())
            brush = brush_for(self.look, self.pictures, self.axes(), self.ends())
            room, number_room, (queries, keys) = self._side() - MARGIN - GAP, self._number_room(), self.labels
            columns = (
                LabelColumn(brush.queries, queries, brush.left - GAP - room, room, number_room),
                LabelColumn(brush.keys, keys, brush.right + GAP, room, number_room),
            )
            threshold = self.store.now.options.threshold
            if self._gathered is None or self._gathered[0] != threshold:
                self._gathered = threshold, gathered(self.pictures, threshold)
            strands = self._gathered[1].in_sight(brush.queries.span, brush.keys.span)
            clip = QRectF(0, MARGIN - 4, width, height - 2 * MARGIN + 8)
            frame = Frame((width, height), ratio, clip)
            least = least_of(self.pictures, threshold)
            at_once, self._at_once = self._at_once, 0.0
            self._layers = LineLayers(self.pictures, strands, brush, columns, frame, least, at_once)
        return self._layers

    @guarded
    def _draw_more(self) -> None:
        if self._layers is None or self._layers.is_complete:
            return
        if self._layers.draw_slice():
            # Painting takes as long as a slice: a turn of its own.
            LaterWork.shared().add(self, "paint", self._lines.update)
        self.draw_rest_later(self._layers)

    def draw_rest_later(self, layers: LineLayers) -> None:
        """Draw what is missing in slices, in later turns of the event loop."""
        if not layers.is_complete:
            name = FAINT_LINES if layers.may_wait else "lines"
            LaterWork.shared().add(self, name, self._draw_more)


def key_of(picture: HeadPicture, heads: tuple[int, ...]) -> LineKey:
    """Return the key of lines of `heads`, of which `picture` is one; one head alone has one colour."""
    if picture.quantity.is_signed:
        return LineKey(signs=("A > B", "A < B") if picture.is_difference else ("> 0", "< 0"))
    return LineKey(heads=heads) if len(heads) > 1 else NO_KEY


@dataclass(eq=False)
class LineLayers:
    """All lines in one image, those of the highlighted token in another, and the labels beside them.

    `least` is the least weight that has a line. `at_once`: how many seconds all lines are drawn for in the
    first frame, besides a few.
    """

    pictures: tuple[HeadPicture, ...]
    strands: Strands
    brush: Brush
    columns: tuple[LabelColumn, LabelColumn]
    frame: Frame
    least: float
    at_once: float

    def __post_init__(self) -> None:
        self.highlight = Highlight(NOTHING, [], [])
        self._faded = CachedPicture(self.columns[0].labels.look)
        self._all: LinesImage | None = None
        self._highlighted: HighlightedLines | None = None
        self._shown_at = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether every line is in its image."""
        highlighted = self._highlighted
        return (
            self._all is not None
            and self._all.is_complete
            and (highlighted is None or highlighted.is_complete)
        )

    @property
    def may_wait(self) -> bool:
        """Whether nothing is missing but faint lines of thousands."""
        is_missing = self._highlighted is not None and not self._highlighted.is_complete
        return self._all is not None and self._all.may_wait and not is_missing

    def show(self, shown: Pair) -> None:
        if shown != self.highlight.shown:
            self.highlight = highlight_of(self.pictures, shown)
            if shown:
                if self._highlighted is None:
                    self._highlighted = HighlightedLines(self.frame, self.brush)
                self._highlighted.show(self._strokes())
            elif self._highlighted is not None:
                self._highlighted.show([])

    def paint_all(self, painter: QPainter, *, as_vectors: bool) -> None:
        """Paint all lines, as far as they are drawn."""
        if as_vectors:
            painter.save()
            painter.setClipRect(self.frame.clip, Qt.ClipOperation.IntersectClip)
            self.brush.draw(painter, self.strands, len(self.strands), is_exact=True)
            painter.restore()
            return
        lines, opacity = self._started(), painter.opacity()

        def draw(on_ground: QPainter) -> None:
            on_ground.setOpacity(opacity)
            on_ground.drawImage(QPointF(0, 0), lines.image)

        faded = None  # all lines on the ground with the opacity of `painter`: to blend them takes longer
        if opacity < 1 and lines.is_complete:
            faded = self._faded.picture(painter, QSize(*self.frame.size), (lines, opacity), draw)
        self._paint(painter, lines.image if faded is None else faded)

    def paint_highlighted(self, painter: QPainter, *, as_vectors: bool) -> None:
        if as_vectors:
            painter.save()
            painter.setClipRect(self.frame.clip, Qt.ClipOperation.IntersectClip)
            draw_strokes(painter, self.brush, reversed(list(self._strokes())), is_exact=True)
            painter.restore()
        elif self._highlighted is not None:
            self._paint(painter, self._highlighted.image)

    def draw_slice(self) -> bool:
        """Draw more lines for a part of a frame, first those of the highlighted pair.

        Returns whether they are to be shown now: all lines take hundreds of slices, and to paint the view
        takes longer than one.
        """
        if self._highlighted is not None and not self._highlighted.is_complete:
            self._highlighted.draw_slice()
            return True
        has_changed = self._started().draw_slice()
        if not self.is_complete and (not has_changed or time.perf_counter() - self._shown_at < _SHOWN_EVERY):
            return False
        self._shown_at = time.perf_counter()
        return True

    def draw_rest(self) -> None:
        """Draw all lines that are not drawn yet."""
        while not self.is_complete:
            self.draw_slice()

    def _paint(self, painter: QPainter, picture: QImage | QPixmap) -> None:
        # Lines may lie up to the tints of labels, whose edges are rounded to whole pixels, too.
        left, right = math.ceil(self.brush.left) - _AROUND, math.floor(self.brush.right) + _AROUND
        painter.save()
        painter.setClipRect(QRect(left, 0, right - left, self.frame.size[1]), Qt.ClipOperation.IntersectClip)
        if isinstance(picture, QPixmap):
            painter.setOpacity(1.0)
            painter.drawPixmap(QPointF(0, 0), picture)
        else:
            painter.drawImage(QPointF(0, 0), picture)
        painter.restore()

    def _strokes(self) -> Iterator[LineStroke]:
        return self.highlight.strokes(self.pictures, self.brush, self.least)

    def _started(self) -> LinesImage:
        if self._all is None:
            self._all = LinesImage(self.frame, self.strands, self.brush, self.at_once)
            self._all.draw_slice()
        return self._all


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """One column: `room` pixels from `left` on for its labels, `number_room` of them for a weight."""

    axis: PixelAxis
    labels: Labels
    left: float
    room: float
    number_room: float

    @cached_property
    def height(self) -> float:
        """The height of a label."""
        return self.labels.height_for(self.axis.pitch)

    @cached_property
    def labelled(self) -> tuple[int, ...]:
        """The tokens that have a label while none of this column is highlighted."""
        return tuple(self.axis.labelled(self.height, self.labels.first))

    def tokens(self, highlighted: int | None) -> list[int]:
        """Return the tokens that have a label; the highlighted one pushes its neighbours out."""
        if highlighted is None or not self.axis.shows(highlighted):
            return list(self.labelled)
        return [*self.axis.beside(self.labelled, highlighted, self.height), highlighted]

    def box(self, token: int) -> QRectF:
        """Return where the label of a token is."""
        return QRectF(self.left, self.axis.middle(token) - self.height / 2, self.room, self.height)


def draw_values(painter: QPainter, look: Look, lines: Strands, brush: Brush, bounds: QRectF) -> None:
    """Write the weights of the strongest lines on them, as far as they keep clear of each other."""
    font = look.number_font(11)
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    taken: list[QRectF] = []
    for at in range(len(lines) - 1, max(-1, len(lines) - 1 - 4 * _MOST), -1):
        text = fixed(float(lines.weights[at]), brush.digits)
        curve = brush.curve(int(lines.queries[at]), int(lines.keys[at]))
        size = metrics.boundingRect(text).size()
        for share in _SHARES:
            box = QRectF(0, 0, size.width() + 8, size.height() + 2)
            box.moveCenter(curve.pointAtPercent(share))
            if bounds.contains(box) and not any(box.intersects(other) for other in taken):
                taken.append(box)
                painter.setPen(QPen(brush.colours[int(lines.paints[at])], 1))
                painter.setBrush(look.colour("card"))
                painter.drawRoundedRect(box, 4, 4)
                painter.setPen(look.colour("text"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                break
        if len(taken) == _MOST:
            return


def draw_parse(painter: QPainter, look: Look, arcs: Sequence[ParseArc], brush: Brush) -> None:
    """Draw arcs as broken lines that end in an arrow; write the relations of a few of them."""
    colour = look.colour("text")
    font = look.font(11)
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    taken: list[QRectF] = []
    for arc in arcs:
        curve = brush.curve(arc.query, arc.key)
        pen = QPen(colour, 1.6)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(curve)
        end = curve.pointAtPercent(1.0)
        painter.setPen(QPen(colour, 1.6))
        for away in (-_ARROW, _ARROW):
            painter.drawLine(end, end + QPointF(-1.6 * _ARROW, away))
    for arc in arcs if len(arcs) <= _MOST_RELATIONS else ():
        curve = brush.curve(arc.query, arc.key)
        size = metrics.boundingRect(arc.relation).size()
        for share in _SHARES_OF_RELATIONS:
            box = QRectF(0, 0, size.width() + 8, size.height() + 2)
            box.moveCenter(curve.pointAtPercent(share))
            is_between = brush.left <= box.left() and box.right() <= brush.right
            if is_between and not any(box.intersects(other) for other in taken):
                taken.append(box)
                painter.setPen(QPen(colour, 1))
                painter.setBrush(look.colour("card"))
                painter.drawRoundedRect(box, 4, 4)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, arc.relation)
                break


class RowWeights(NamedTuple):
    """The row of a token in a column of labels, and each head's weight there."""

    position: int
    box: QRectF
    of_heads: list[float]


def draw_weights(
    painter: QPainter, look: Look, rows: list[RowWeights], largest: float, brush: Brush, *, is_left: bool
) -> None:
    """Tint the row of each label by its weight, and write the weight at its outer end.

    Of several heads draw a block each, in the colour of the head or, of differences, of the sign. `largest`
    is the weight that has full colour.
    """
    if not rows:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    if len(rows[0].of_heads) > 1:
        for _, box, of_heads in rows:
            start = box.left() if is_left else box.right() - BLOCK * len(of_heads)
            for number, weight in enumerate(of_heads):
                opacity = abs(weight) / largest
                if opacity >= _UNSEEN:
                    painter.setBrush(brush.colour(int(weight > 0) if brush.is_signed else number, opacity))
                    painter.drawRect(QRectF(start + BLOCK * number, box.top(), BLOCK, box.height()))
        return
    for _, box, (weight,) in rows:
        paint = int(weight > 0) if brush.is_signed else 0
        painter.setBrush(brush.colour(paint, 0.06 + 0.34 * min(1.0, abs(weight) / largest)))
        painter.drawRoundedRect(box.adjusted(-4, -1, 4, 1), 4, 4)
    painter.setFont(look.number_font(11))
    painter.setPen(look.colour("text"))
    align = _OUTER[is_left] | Qt.AlignmentFlag.AlignVCenter
    written = signed if brush.is_signed else fixed
    for _, box, (weight,) in rows:
        painter.drawText(box, align, written(weight, brush.digits))
