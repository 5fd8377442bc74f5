"""The lines: queries on the left, keys on the right, a curve for each weight of one or several heads."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.label_columns import GAP, MARGIN, LabelColumns
from bertviz_app.views.attention.line_head_view import HeadView
from bertviz_app.views.attention.line_layers import LineLayers
from bertviz_app.views.attention.line_under import line_under
from bertviz_app.views.attention.lines_image import Frame, Strands, brush_for, gathered, least_of
from bertviz_app.views.attention.lines_values import BLOCK, draw_values, widest_number
from bertviz_app.views.kit.canvas import LaterWork, guarded
from bertviz_app.views.kit.look import Look

_LONGEST_PITCH = 56.0
_WIDEST_LABEL = 130.0
_BEHIND = 0.2
_NEW_PICTURE = 0.004
"""How many seconds all lines of a new picture are drawn for at once: those of a short text are complete then,
and do not flicker while one types.
"""

FAINT_LINES = "faint lines"
"""What of thousands of lines is drawn last; the name under which it can be held."""


class LinesView(HeadView):
    """Width and opacity of a line follow its weight, relative to the largest of the heads shown.

    All lines lie in a cached image; a highlighted token's own lines in another, which is drawn over it.
    """

    def __init__(
        self,
        look: Look,
        selection: Selection,
        viewport: Viewport,
        options: Options | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, selection, viewport, options, parent)
        self._layers: LineLayers | None = None
        self._followed: Pair | None = None
        """The highlighted pair that was painted or is going to be; None where all is painted anew."""
        selection.changed.connect(self._follow)
        self._others: tuple[HeadPicture, ...] = ()
        self.pictures: tuple[HeadPicture, ...] = ()
        self._at_once = 0.0
        self._gathered: tuple[float, Strands] | None = None  # with the threshold they were gathered for
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Attention lines: queries on the left, keys on the right"))

    def show_heads(self, pictures: tuple[HeadPicture, ...]) -> None:
        """Show several heads of one layer."""
        if pictures != self._others:
            self._others = pictures
            self._choose()
            self.rebuild()
            self.update()

    def show_picture(self, picture: HeadPicture) -> None:
        """Show the picture of a head."""
        super().show_picture(picture)
        self._choose()

    def _choose(self) -> None:
        """Draw those heads of `show_heads` that are of the same run and layer as the one in front."""
        picture = self.picture
        if picture is not None:
            same = tuple(other for other in self._others if _is_beside(other, picture))
            self.pictures = same if picture in same else (picture,)
        self._gathered = None
        self._at_once = _NEW_PICTURE

    def rebuild(self) -> None:
        """Compute the layout again."""
        super().rebuild()
        self._layers = None
        self._followed = None

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
        before, self._followed = self._followed, self.shown
        if before is None or self._layers is None:
            self.update_following()
        elif before != self._followed:
            self.update_following(self._layers.changes(before, self._followed))

    # geometry

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of queries and keys."""
        room = self.height() - 2 * MARGIN
        queries, keys = self.spans()
        # Zoomed in, the stretch in sight fills the height: beside it lines would end at no label.
        longest = self.look.pixels(_LONGEST_PITCH) if self.viewport.is_whole else room
        return fitted(queries, MARGIN, room, longest), fitted(keys, MARGIN, room, longest)

    def ends(self) -> tuple[float, float]:
        """Return where lines begin and end: the inner edges of the two columns of labels.

        The lines keep a third of the width; where that leaves no room for weights beside the
        labels, labels are shortened while weights are shown.
        """
        longest = self.look.pixels(_WIDEST_LABEL)
        widest = max(labels.widest(longest) for labels in self.labels)
        side = MARGIN + widest + self._number_room() + GAP
        side = min(side, self.width() / 3)
        return side, self.width() - side

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

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the position of a point on both axes."""
        queries, keys = self.axes()
        return queries.position(at.y()), keys.position(at.y())

    def _number_room(self) -> float:
        """Return the room for what is written beside a label: a weight, or a block for each head."""
        widest = "0.00" if self.picture is None else widest_number(self.picture)
        number = QFontMetricsF(self.look.number_font(11)).horizontalAdvance(widest) + 8
        return max(number, BLOCK * len(self.pictures) + 6) if len(self.pictures) > 1 else number

    def _clip(self) -> QRectF:
        return QRectF(0, MARGIN - 4, self.width(), self.height() - 2 * MARGIN + 8)

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        layers = self.layers
        if layers is None:
            return
        shown, opacity, as_vectors = self.shown, painter.opacity(), self.draws_vectors
        layers.show(shown)
        painter.setOpacity(opacity * (_BEHIND if shown else 1.0))
        layers.paint_all(painter, as_vectors=as_vectors)
        painter.setOpacity(opacity)
        if shown:
            layers.paint_highlighted(painter, as_vectors=as_vectors)
        elif self.options.value.writes_weights:
            draw_values(painter, self.look, layers.strands, layers.brush, layers.frame.clip)
        layers.columns.draw(painter, layers.highlight, self.pictures, self)
        if not as_vectors:
            self._draw_rest_later(layers)

    # what is cached

    def _strands(self) -> Strands:
        threshold = self.options.value.threshold
        if self._gathered is None or self._gathered[0] != threshold:
            self._gathered = threshold, gathered(self.pictures, threshold)
        return self._gathered[1].in_sight(*self.spans())

    @property
    def layers(self) -> LineLayers | None:
        """What is prepared for the picture at the size of the view now; None before there is a picture."""
        if self.picture is None:
            return None
        ratio = self.devicePixelRatioF()
        if self._layers is None or self._layers.frame.ratio != ratio:
            brush = brush_for(self.look, self.pictures, self.axes(), self.ends())
            columns = LabelColumns(self.look, self.labels, brush, self.width(), self._number_room())
            frame = Frame((self.width(), self.height()), ratio, self._clip())
            least = least_of(self.pictures, self.options.value.threshold)
            self._layers = LineLayers(self.pictures, self._strands(), brush, columns, frame, least)
            self._layers.at_once, self._at_once = self._at_once, 0.0
        return self._layers

    @guarded
    def _draw_more(self) -> None:
        if self._layers is None or self._layers.is_complete:
            return
        if self._layers.draw_slice():
            self.update_later(self._layers.rectangle)  # painting takes as long as a slice: a turn of its own
        self._draw_rest_later(self._layers)

    def _draw_rest_later(self, layers: LineLayers) -> None:
        if not layers.is_complete:
            name = FAINT_LINES if layers.may_wait else "lines"
            LaterWork.shared().add(self, name, self._draw_more)


def _is_beside(other: HeadPicture, picture: HeadPicture) -> bool:
    """Return whether two pictures are of heads of one layer of one run, read alike."""
    return (
        other.trace is picture.trace
        and other.layer == picture.layer
        and other.is_difference == picture.is_difference
        and other.quantity == picture.quantity
        and other.options.makes_picture == picture.options.makes_picture
    )
