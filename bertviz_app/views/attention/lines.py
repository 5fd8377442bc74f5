"""A curve for each weight: lines from queries at the left to keys at the right, or arcs above the words."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import compress
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

from bertviz_app.analysis.compare import LayerMatrix
from bertviz_app.text.tokens import word_units
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.values import replace
from bertviz_app.viewmodels.heads.pictures import HeadPicture, faintest
from bertviz_app.viewmodels.heads.places import RunSource
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, DrawOptions, Pair, ParseArcs, Store
from bertviz_app.viewmodels.viewport import PixelAxis, TokenSpan, Viewport
from bertviz_app.viewmodels.wording import share_words, translate
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines_image import (
    CURVED_UP_TO,
    NO_HIGHLIGHT,
    Brush,
    Lines,
    LinesImage,
    highlight_of,
    line_under,
    lines_of,
    styled,
    widest_number,
)
from bertviz_app.views.kit.arcs import Arcs
from bertviz_app.views.kit.canvas import CachedPicture, FrameTexts, LaterWork, draws_pixels, guarded
from bertviz_app.views.kit.labels import SIZE, Labels
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.kit.panel_view import ExportedPanel
from bertviz_app.views.kit.subject import NO_KEY, AxisTitles, LineKey
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.axes import LabelledSide
from bertviz_app.views.plots.picture import ArcsPlot, follow_selection
from bertviz_app.views.plots.plot import Box, Drawing, DrawnBy, Line, Plot

_LONGEST_PITCH = 56.0
_WIDEST_LABEL = 130.0
# How far apart the two columns are at most: the eye follows no line over half a screen.
_LONGEST_LINES = 620.0
_ROW_IN_PRINT = 20.0
_BEHIND = 0.2
# For so many seconds all lines of a new picture are drawn at once: those of a short text are complete then,
# and do not flicker while one types.
_NEW_PICTURE = 0.004
_OWN_LINES = 0.001  # seconds, for those of a highlighted pair

FAINT_LINES = "faint lines"
"""The name of the later work that draws the faint ones of thousands of lines, see `LaterWork.hold`."""
MARGIN = 12.0
GAP = 8.0
"""Between a label and the lines."""
BLOCK = 7.0
_MOST = 24
_UNSEEN = 0.0019  # an opacity that changes no channel of a pixel: most blocks of many heads have less
_SHARES = (0.5, 0.36, 0.64)
_SHARES_OF_RELATIONS = (0.18, 0.3, 0.42, 0.55, 0.7)
_ARROW = 4.0  # pixels
_AROUND = 4  # the pixels left and right of the lines that the ends of wide ones may reach into

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
        view, layout, is_left = self._view, self._view.prepared(), self._is_left
        if layout is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side, shown = layout.columns[not is_left], view.highlight.shown
        token = shown.query if is_left else shown.key
        marked = frozenset(() if token is None else (token,))
        # As texts: their pictures would have other edges than the weights beside them.
        places, texts = side.labelled(marked), FrameTexts(painter, None, {})
        # The weights are those of one query, beside the keys, or of one key.
        if places and shown and is_left == (shown.query is None):
            of_rows = np.array([of_head[places] for of_head in view.highlight.weights]).T
            written_from = 0.5 * 10**-layout.brush.digits  # less is a zero in so many digits
            has_weight = (np.abs(of_rows) >= written_from).any(axis=1).tolist()
            written = list(compress(zip(places, of_rows.tolist(), strict=True), has_weight))
            rows = [(side.box_of(place), weights) for place, weights in written]
            self._draw_weights(painter, rows, layout.brush)
            left, right = (layout.number_room, 0.0) if is_left else (0.0, -layout.number_room)
            beside = replace(side, box=side.box.adjusted(left, 0, right, 0))
            beside.draw(texts, [place for place, _ in written], marked)
            places = [place for place, has_number in zip(places, has_weight, strict=True) if not has_number]
        side.draw(texts, places, marked)

    def _draw_weights(self, painter: QPainter, rows: list[tuple[QRectF, list[float]]], brush: Brush) -> None:
        """Tint the row of each label by its weight, and write the weight at its outer end.

        Of several heads draw a block each, in the colour of the head or, of differences, of the sign.
        """
        painter.setPen(Qt.PenStyle.NoPen)
        largest = max(picture.full for picture in self._view.pictures)
        is_of_one = len(self._view.pictures) == 1
        for box, of_heads in rows:
            start = box.left() if self._is_left else box.right() - BLOCK * len(of_heads)
            for number, weight in enumerate(of_heads):
                paint, share = int(weight > 0) if brush.is_signed else number, abs(weight) / largest
                if is_of_one:
                    painter.setBrush(brush.colour(paint, 0.06 + 0.34 * min(1.0, share)))
                    painter.drawRoundedRect(box.adjusted(-4, -1, 4, 1), 4, 4)
                elif share >= _UNSEEN:
                    painter.setBrush(brush.colour(paint, share))
                    painter.drawRect(QRectF(start + BLOCK * number, box.top(), BLOCK, box.height()))
        pencil, font = Pencil(painter, self.look), self.look.number_font(11)
        written = signed if brush.is_signed else fixed
        for box, (weight, *_) in rows if is_of_one else ():
            pencil.write(written(weight, brush.digits), box, font, side=LEFT if self._is_left else RIGHT)

    def rect(self) -> QRectF:
        whole, layout = super().rect(), self._view.laid_out
        if layout is None:
            return whole
        if self._is_left:
            return whole.adjusted(0, 0, layout.brush.left - whole.right(), 0)
        return whole.adjusted(layout.brush.right, 0, 0, 0)


class LinesLayout(NamedTuple):
    """Where everything lies in a view of this size, and what lines are drawn with."""

    brush: Brush
    columns: tuple[LabelledSide, LabelledSide]
    number_room: float
    """How much of a label's room is for a weight, where one is written."""
    lines: Lines
    """Those that cross what is in sight."""


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
        self.highlight = NO_HIGHLIGHT
        """The pair that is highlighted in what was painted last, with the weights of its lines."""
        self._layout: LinesLayout | None = None
        self._all: LinesImage | None = None
        self._own: LinesImage | None = None  # of the highlighted pair
        self._faded = CachedPicture(look)  # all lines behind those
        self._least = 0.0  # the least weight that has a line
        self._lines: Lines | None = None  # in sight or not
        self._at_once = self._painted_at = 0.0
        super().__init__(plot, box, selection, viewport, store)
        self._lines_item = DrawnBy(look, box, self._draw_lines)
        self._parse = DrawnBy(look, box, self._draw_parse)
        self._parse.setZValue(5)
        self._names = _NamesItem(self, is_left=True), _NamesItem(self, is_left=False)
        box.followers.append(self.rebuild)
        self.store.watch(("parsed",), self._on_options_changed)
        self.plot.setAccessibleName(self.tr("Attention lines: queries on the left, keys on the right"))

    def show_picture(self, picture: HeadPicture, others: tuple[HeadPicture, ...] = ()) -> None:
        self._lines, self._at_once = None, _NEW_PICTURE
        super().show_picture(picture, others)

    @property
    def meaning(self) -> str:
        words = self.tr(
            "A line leads from a token to one that it looks at: the stronger, the more attention."
        )
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        words = translate("Notes", "lines from {0:.3g} on")
        return words.format(picture.threshold(options.threshold)) if options.threshold else ""

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        return AxisTitles(ends=axes, key=key_of(picture, exported.panel.shown_heads))

    def rebuild(self) -> None:
        """Lay everything out again: the picture, what is in sight, or the room for it has changed."""
        items = self._lines_item, self._parse, *self._names
        for item in items if self._layout is not None else ():
            item.prepareGeometryChange()
        self._layout = self._all = self._own = None
        self.highlight = NO_HIGHLIGHT
        self._parse.setVisible(self.store.now.parsed is not None)
        for item in items:
            item.update()

    def show_selection(self) -> None:
        """Paint the lines and the labels with another pair highlighted."""
        if self.shown != self.highlight.shown:
            for item in (self._lines_item, self._parse, *self._names):
                self.plot.update_soon(item, (item.rect(),))

    # geometry

    def axes(self) -> tuple[PixelAxis, PixelAxis]:
        """Return where the queries and the keys lie, in pixels of the plot."""
        return self.box.rows(), self.box.columns()

    def pair_at(self, at: QPointF) -> Pair:
        layout = self.laid_out
        if layout is None:
            return NOTHING
        brush = layout.brush
        if at.x() <= brush.left + 12:
            return Pair(query=brush.queries.token(at.y()))
        if at.x() >= brush.right - 12:
            return Pair(key=brush.keys.token(at.y()))
        return line_under(layout.lines, brush, at.x(), at.y())

    @property
    def laid_out(self) -> LinesLayout | None:
        """Where everything lies at the size of the view now; None before there is a picture.

        The lines keep a third of the width; where that leaves no room for weights beside the
        labels, labels are shortened while weights are shown. In a wide view all of it is in the middle.
        """
        ratio, look, pictures = self.devicePixelRatioF(), self.look, self.pictures
        if self.picture is None or (self._layout is not None and self._layout.brush.ratio == ratio):
            return self._layout
        width, height = float(self.box.width()), float(self.box.height())
        number_room = QFontMetricsF(look.number_font(11)).horizontalAdvance(widest_number(self.picture)) + 8
        if len(pictures) > 1:  # a block for each
            number_room = max(number_room, BLOCK * len(pictures) + 6)
        longest = look.pixels(_WIDEST_LABEL * look.word_size(SIZE) / SIZE)
        widest = max(labels.widest(longest) for labels in self.labels)
        side = min(MARGIN + widest + number_room + GAP, width / 3)
        left = max(side, (width - look.pixels(_LONGEST_LINES)) / 2)
        n_colours, is_signed = len(look.palette.heads), self.picture.quantity.is_signed
        differences = look.palette.differences
        brush = Brush(
            *self.axes(),
            left,
            width - left,
            (round(width), round(height)),
            ratio,
            QRectF(0, MARGIN - 4, round(width), round(height) - 2 * MARGIN + 8),
            (QColor(differences[0]), QColor(differences[-1]))
            if is_signed
            else tuple(look.head_colour(picture.head) for picture in pictures),
            tuple(not is_signed and picture.head // n_colours % 2 == 1 for picture in (*pictures, *pictures)),
            is_signed,
            pictures[0].digits,
        )
        room = side - MARGIN - GAP

        def side_of(axis: PixelAxis, labels: Labels, start: float, align: Qt.AlignmentFlag) -> LabelledSide:
            height = labels.height_for(axis.pitch)
            box, offset = QRectF(0, 0, room, height), -height / 2
            return LabelledSide(labels, axis, height, box, align, offset=offset, across=start)

        of_queries, of_keys = self.labels
        columns = (
            side_of(brush.queries, of_queries, left - GAP - room, Qt.AlignmentFlag.AlignRight),
            side_of(brush.keys, of_keys, brush.right + GAP, Qt.AlignmentFlag.AlignLeft),
        )
        self._layout = LinesLayout(brush, columns, number_room, self._in_sight(brush))
        self._all = self._own = None
        self.highlight = NO_HIGHLIGHT
        return self._layout

    # in print

    @property
    def printed_height(self) -> float:
        """The height at which every token has a row."""
        n_rows = max(axis.span.length for axis in self.axes())
        beside = self.height() - self.box.height()
        return float(beside + n_rows * self.look.pixels(_ROW_IN_PRINT) + 2 * MARGIN)

    @property
    def lacks_room(self) -> bool:
        """Whether a token in sight has no label."""
        sides = () if self.laid_out is None else self.laid_out.columns
        return any(len(side.without_marks) < len(side.axis.tokens()) for side in sides)

    # the lines

    @property
    def arcs(self) -> tuple[ParseArc, ...]:
        """The arcs of the parse of the text, where it was opened from a parsed file."""
        now = self.store.now
        return () if self.picture is None else parse_arcs(now.parsed, self.picture, now.options.parse)

    def _in_sight(self, brush: Brush) -> Lines:
        strongest = max(self.pictures, key=attrgetter("largest"))
        least = strongest.threshold(self.store.now.options.threshold)
        least = max(least, faintest(strongest.largest, strongest.quantity))
        if self._lines is None or least != self._least:
            self._least, self._lines = least, lines_of(self.pictures, least)
        lines, queries, keys = self._lines, brush.queries.span, brush.keys.span
        above = (lines["query"] < queries.first - 1) & (lines["key"] < keys.first - 1)
        below = (lines["query"] > queries.last) & (lines["key"] > keys.last)
        seen = lines[~(above | below)]
        return styled(seen, is_curved=len(seen) <= CURVED_UP_TO)

    def prepared(self) -> LinesLayout | None:
        """Return where everything lies, with both images of lines begun."""
        laid_out, shown = self.laid_out, self.shown
        if laid_out is None:
            return None
        if self._all is None:
            self._all = LinesImage(laid_out.brush, laid_out.lines, self._at_once)
            self._at_once = 0.0
        if shown != self.highlight.shown:
            self.highlight, self._own = highlight_of(self.pictures, shown), None
            if shown:
                lines = self.highlight.lines(self.pictures, laid_out.brush.queries.pitch, self._least)
                self._own = LinesImage(laid_out.brush, lines, _OWN_LINES)
        return laid_out

    @property
    def is_complete(self) -> bool:
        is_of_pair = self.shown == self.highlight.shown
        images = [image for image in (self._all, self._own) if image is not None]
        return self._all is not None and is_of_pair and all(image.is_complete for image in images)

    def complete(self) -> None:
        self.prepared()
        for image in (self._all, self._own):
            while image is not None and not image.is_complete:
                image.draw_slice()

    def _draw_lines(self, painter: QPainter) -> None:
        """Draw the lines, faint behind those of a highlighted token, and the weights written on them."""
        layout, opacity = self.prepared(), painter.opacity()
        if layout is None or self._all is None:
            return
        brush, every, own = layout.brush, self._all, self._own
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.setOpacity(opacity * (1.0 if own is None else _BEHIND))
        if draws_pixels(painter):
            # Lines may lie up to the tints of labels, whose edges are rounded to whole pixels, too.
            left, right = math.ceil(brush.left) - _AROUND, math.floor(brush.right) + _AROUND
            painter.setClipRect(QRect(left, 0, right - left, brush.size[1]), Qt.ClipOperation.IntersectClip)
            faded, behind = None, painter.opacity()

            def draw(on_ground: QPainter) -> None:
                on_ground.setOpacity(behind)
                on_ground.drawImage(QPointF(0, 0), every.image)

            if behind < 1 and every.is_complete:  # with this opacity on the ground: to blend takes longer
                faded = self._faded.picture(painter, QSize(*brush.size), (every, behind), draw)
            if faded is None:
                painter.drawImage(QPointF(0, 0), every.image)
            else:
                painter.setOpacity(1.0)
                painter.drawPixmap(QPointF(0, 0), faded)
            painter.setOpacity(opacity)
            if own is not None:
                painter.drawImage(QPointF(0, 0), own.image)
            self._draw_rest_later()
        else:
            painter.setClipRect(brush.clip, Qt.ClipOperation.IntersectClip)
            brush.draw_curves(painter, styled(every.lines, is_curved=True), is_exact=True)
            painter.setOpacity(opacity)
            if own is not None:
                brush.draw_curves(painter, own.lines, is_exact=True)
        painter.restore()
        if own is None and self.store.now.options.writes_weights:
            draw_values(painter, self.look, layout.lines, brush)

    def _draw_rest_later(self) -> None:
        """Draw what is missing in slices, in later turns of the event loop."""
        if self._all is not None and not self.is_complete:
            is_own = self._own is not None and not self._own.is_complete
            name = FAINT_LINES if self._all.may_wait and not is_own else "lines"
            LaterWork.shared().add(self, name, self._draw_more)

    @guarded
    def _draw_more(self) -> None:
        """Draw a slice, and paint now and then: all lines take hundreds of slices."""
        image = self._all if self._own is None or self._own.is_complete else self._own
        if image is None or self.is_complete:
            return
        has_changed, now = image.draw_slice(), time.perf_counter()
        is_time = image is self._own or self.is_complete or now - self._painted_at >= _SHOWN_EVERY
        if has_changed and is_time:
            self._painted_at = now
            # Painting takes as long as a slice: a turn of its own.
            LaterWork.shared().add(self, "paint", self._lines_item.update)
        self._draw_rest_later()

    def _draw_parse(self, painter: QPainter) -> None:
        """Draw the arcs of a parse over the lines, their relations as far as these are clear."""
        arcs, shown = self.arcs, self.shown
        layout = self.prepared() if arcs else None
        if layout is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(layout.brush.clip, Qt.ClipOperation.IntersectClip)
        if shown:
            arcs = tuple(arc for arc in arcs if arc.query == shown.query or arc.key == shown.key)
        look, brush, colour = self.look, layout.brush, self.look.colour("text")
        painter.setFont(look.font(11))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        curves = [brush.curve(arc.query, arc.key) for arc in arcs]
        for curve in curves:  # a broken line that ends in an arrow
            pen = QPen(colour, 1.6)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawPath(curve)
            end = curve.pointAtPercent(1.0)
            painter.setPen(QPen(colour, 1.6))
            for away in (-_ARROW, _ARROW):
                painter.drawLine(end, end + QPointF(-1.6 * _ARROW, away))
        if len(arcs) <= _MOST:
            between = QRectF(brush.left, brush.clip.top(), brush.right - brush.left, brush.clip.height())
            named = [(curve, arc.relation, colour) for curve, arc in zip(curves, arcs, strict=True)]
            _write_on(painter, look, named, _SHARES_OF_RELATIONS, between)


def key_of(picture: HeadPicture, heads: tuple[int, ...]) -> LineKey:
    """Return the key of lines of `heads`, of which `picture` is one; one head alone has one colour."""
    if picture.quantity.is_signed:
        return LineKey(signs=("A > B", "A < B") if picture.is_difference else ("> 0", "< 0"))
    return LineKey(heads=heads) if len(heads) > 1 else NO_KEY


def draw_values(painter: QPainter, look: Look, lines: Lines, brush: Brush) -> None:
    """Write the weights of the strongest lines on them, as far as they keep clear of each other."""
    painter.setFont(look.number_font(11))
    texts = [
        (brush.curve(query, key), fixed(weight, brush.digits), brush.colours[paint])
        for query, key, weight, _, paint, *_ in lines[: -4 * _MOST - 1 : -1].tolist()
    ]
    _write_on(painter, look, texts, _SHARES, brush.clip)


def _write_on(
    painter: QPainter,
    look: Look,
    texts: Sequence[tuple[QPainterPath, str, QColor]],
    shares: Sequence[float],
    room: QRectF,
) -> None:
    """Write texts on curves, each in a frame of a colour, at a share of its length where it is in `room`.

    One that has no place clear of those before it is left out.
    """
    pencil, font, taken = Pencil(painter, look), painter.font(), list[QRectF]()
    metrics = QFontMetricsF(font)
    for curve, text, colour in texts:
        size = metrics.boundingRect(text).size()
        for share in shares:
            box = QRectF(0, 0, size.width() + 8, size.height() + 2)
            box.moveCenter(curve.pointAtPercent(share))
            if room.contains(box) and not any(box.intersects(other) for other in taken):
                taken.append(box)
                pencil.box(box, colour, fill="card", rounding=4)
                pencil.write(text, box, font)
                break
        if len(taken) == _MOST:
            return


# So many tokens that one looks at are read out, and no less than this share of the largest number.
_MOST_READ, _LEAST_READ = 3, 0.03


class WordsView(HeadView):
    """Draws what one token looks at: the one that is pointed at or pinned, else the one of `_first_query`.

    Where a key alone is pinned, such as in a matrix, arcs lead from it to the tokens that look at it.
    """

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, store: Store | None = None
    ) -> None:
        plot = ArcsPlot(look)
        self.words = plot
        self._layers: list[RunSource] = []  # the mean of the heads of each layer, where every layer is drawn
        self._is_of_key = False  # whether the arcs are those of a key
        super().__init__(plot, plot.box, selection, viewport, store)
        plot.arcs_of, plot.lines_of_word = self._arcs_of, self._lines_of
        follow_selection(plot, selection, self._tokens)
        self.plot.setAccessibleName(self.tr("Attention as arcs above the words"))

    def rebuild(self) -> None:
        picture = self.picture
        if picture is None:
            return
        order = picture.token_order.without_sinks()
        is_one_text = order.queries.labels == order.keys.labels and not order.keys_are_of_other_run
        special = frozenset(
            label
            for side in (order.queries, order.keys)
            for label, is_special in zip(side.labels, side.is_special.tolist(), strict=True)
            if is_special
        )
        self._layers = []
        if self._shows_layers:
            trace = picture.trace
            matrices = [LayerMatrix(trace, layer) for layer in range(trace.n_layers)]
            self._layers = [RunSource(trace, each, order, picture.source.quantity) for each in matrices]
        titles = tuple(self.tr("Layer {0}").format(layer) for layer in range(len(self._layers)))
        sources = None if is_one_text else order.queries.labels
        self.words.show_words(order.keys.labels, sources, special, titles)
        self.show_selection()

    @property
    def _shows_layers(self) -> bool:
        """Whether every layer is drawn: of attention itself, not of what is computed from it."""
        return self.shows_weights and self.store.now.options.every_layer

    def show_selection(self) -> None:
        """Draw the arcs of another token."""
        picture, shown = self.picture, self.shown
        if picture is None:
            return
        self._is_of_key = shown.query is None and shown.key is not None and self.words.words.sources is None
        query = _first_query(picture) if shown.query is None else shown.query
        self.words.mark(shown.key if self._is_of_key else query)

    def pair_at(self, at: QPointF) -> Pair:
        return Pair(query=self.words.part_at(at))

    def _tokens(self, word: int) -> Pair:
        return NOTHING if self.picture is None else self.picture.token_order.tokens_of(Pair(query=word))

    # the arcs, and what is said of them

    def _arcs_of(self, word: int) -> Sequence[Arcs]:
        """Return the arcs of each head, those of the one in front first: its numbers are written."""
        is_of_key = self._is_of_key and self.words.part is None
        if self._layers:
            rows = [each.column(word) if is_of_key else each.row(word) for each in self._layers]
            full, accent = max(float(np.nanmax(row)) for row in rows), self.look.colour("accent")
            numbers_of = [row.tolist() for row in rows]
            return [Arcs(row, accent, full=full, texts=list(map(share_words, row))) for row in numbers_of]
        threshold, differences = self.store.now.options.threshold, self.look.palette.differences
        found = []
        for picture in sorted(self.pictures, key=lambda one: one is not self.picture):
            numbers = picture.source.column(word) if is_of_key else picture.source.row(word)
            numbers = np.where(np.abs(numbers) < picture.threshold(threshold), np.float32(np.nan), numbers)
            colour = self.look.colour("accent")
            if picture.quantity.is_signed:
                colour = QColor(differences[-1])
            elif len(self.pictures) > 1:
                colour = self.look.head_colour(picture.head)
            values = numbers.tolist()
            texts = [_number(picture, value) for value in values]
            below = QColor(differences[0]) if picture.quantity.is_signed else None
            full = max(each.full for each in self.pictures)
            found.append(Arcs(values, colour, below, full, texts))
        return found

    def _lines_of(self, word: int) -> list[Line]:
        """Return what a token looks at most, beside what the others give to that on average."""
        picture = self.picture
        if picture is None:
            return []
        order = picture.token_order.without_sinks()
        lines: list[Line] = [order.queries.labels[word]]
        for layer, each in enumerate(self._layers):
            weights = each.row(word)
            most = int(np.nanargmax(weights))
            name = self.tr("Layer {0}").format(layer)
            lines.append((f"{name} → {order.keys.labels[most]}", share_words(float(weights[most]))))
        if self._layers:
            return lines
        row = picture.source.row(word)
        # Where some tokens cannot look at others, the mean is not over all of them: see the inspector.
        is_over_all = picture.trace.bias is None and picture.trace.mask is None
        n_others, sizes = len(order.queries) - 1 if is_over_all else 0, np.abs(np.nan_to_num(row))
        largest = np.argsort(-sizes, kind="stable")[:_MOST_READ]
        for key in largest[sizes[largest] >= _LEAST_READ * sizes.max()].tolist():
            number = float(row[key])
            of_others = (float(picture.column_sums[key]) - number) / n_others if n_others else math.nan
            words = _number(picture, number)
            if not math.isnan(of_others):
                words = self.tr("{0}; the others {1} on average").format(words, _number(picture, of_others))
            lines.append((f"→ {order.keys.labels[key]}", words))
        return lines

    @property
    def meaning(self) -> str:
        words = self.tr("An arc leads from a token to one that it looks at: the wider, the more attention.")
        if self._shows_layers:
            words = self.tr("What the token looks at in each layer, on the mean of its heads.")
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        if self._shows_layers:
            return translate("Notes", "each layer: the mean of its heads")
        words = translate("Notes", "arcs from {0:.3g} on")
        return words.format(picture.threshold(options.threshold)) if options.threshold else ""

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        return AxisTitles(key=key_of(picture, exported.panel.shown_heads))


def _first_query(picture: HeadPicture) -> int:
    """Return the query of the largest weight between two tokens, neither of them special, else of all."""
    order, queries, keys = picture.token_order, picture.queries, picture.keys
    is_special = order.queries.is_special[queries] | order.keys.is_special[keys]
    found = queries[~is_special & (order.queries.starts[queries] != order.keys.starts[keys])]
    # The lines of a picture go from the weakest to the strongest.
    return int(found[-1]) if len(found) else picture.strongest[0]


def _number(picture: HeadPicture, value: float) -> str:
    """Return a number as it stands below a word: a share of attention in percent."""
    if math.isnan(value):
        return ""
    is_signed = picture.quantity.is_signed
    if not picture.quantity.is_share:
        return signed(value, picture.digits) if is_signed else fixed(value, picture.digits)
    if not is_signed:
        return share_words(value)
    percent = 100 * value
    words = signed(percent, 0) if abs(percent) >= 0.5 else signed(round(percent, 1), 1)
    return f"{words}\N{NO-BREAK SPACE}%"
