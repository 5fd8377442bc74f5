"""What a stop does to the followed token, as one picture above the strips of all tokens."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.features.steps.drawn import (
    ActivationCurve,
    Arrows,
    Drawn,
    Histograms,
    Joined,
    Lookup,
    Product,
    StopMatrices,
    drawn_of,
    token_of,
)
from bertviz_app.features.steps.views.sheet import StripPainter
from bertviz_app.features.steps.views.small_plots import (
    ActivationPlot,
    ArrowsPlot,
    HistogramsPlot,
    JoinedPlot,
    LookupPlot,
    ProductPlot,
    SmallPlot,
)
from bertviz_app.viewmodels.stages.stops import StopTensors
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Drawing

_MARGIN, _SENTENCE = 12.0, 20.0
_SHARE, _SHARE_OF_PRODUCT = 0.5, 0.56
_LEAST, _MOST = 150.0, 340.0
_ALONE = 90.0
_REST, _REST_IN_LESSON = 260.0, 150.0
"""What the strips need at least, in pixels at the normal text size."""


Pictured = Drawn | Product | Lookup
_PLOTS: MappingProxyType[type[Pictured], type[SmallPlot[Any]]] = MappingProxyType(
    {
        Histograms: HistogramsPlot,
        ActivationCurve: ActivationPlot,
        Arrows: ArrowsPlot,
        Joined: JoinedPlot,
        Product: ProductPlot,
        Lookup: LookupPlot,
    }
)
"""What draws the numbers of a stop."""


class StopDrawing(PicturePlot[int]):
    """Draws a `SmallPlot`, whose places are its parts; Home and End are keys of Steps."""

    has_ends = False

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.drawn: Pictured | None = None
        self.plot: SmallPlot[Any] | None = None
        self.progress = 1.0
        self.highlighted = 0
        """Of a product the line that was pointed at last; it stays when the pointer goes."""
        self._token = ""
        self._height = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._item = _PlotItem(self)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMinimumSize(120, 60)

    def show_drawn(self, drawn: Pictured | None, token: str) -> None:
        """Draw what another stop does, or the same one to another token."""
        self.drawn, self._token = drawn, token
        self.resized()
        self.forget_part()
        if self.plot is not None:
            self.setAccessibleName(self.plot.sentence)

    def take_height(self, height: int) -> None:
        """Be as high as this where there is room; a panel that becomes lower again is not kept from it."""
        if height != self._height:
            self._height = height
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(400, self._height)

    def set_progress(self, progress: float) -> None:
        """Draw it as it is during the motion of a stop, from 0 to 1."""
        self.progress = progress
        self.viewport().update()

    @property
    def sentence_box(self) -> QRectF:
        """Where the sentence stands, in as many lines as it needs."""
        width = self.width() - 2 * _MARGIN
        text = "" if self.plot is None else self.plot.sentence
        room = QRectF(0, 0, width, 10_000)
        wrap = Qt.TextFlag.TextWordWrap.value
        height = QFontMetricsF(self.look.font(13)).boundingRect(room, wrap, text).height()
        return QRectF(_MARGIN, 4, width, max(float(self.look.pixels(_SENTENCE)), height))

    def resized(self) -> None:
        self.plot = None
        if self.drawn is not None:
            whole = QRectF(self.rect()).adjusted(_MARGIN, 0, -_MARGIN, 0)
            self.plot = plot = _PLOTS[type(self.drawn)](self.look, self._token, self.drawn)
            if isinstance(plot, ProductPlot):
                plot.highlight(self.highlighted * plot.n_columns)
            top = self.sentence_box.bottom() + self.look.pixels(8)
            plot.place(QRectF(whole.left(), top, whole.width(), max(20.0, self.height() - top - 6)))
        self.viewport().update()

    def recolour(self) -> None:
        self.resized()

    @property
    def count(self) -> int:
        return 0 if self.plot is None else self.plot.n_places

    def part_at(self, at: QPointF) -> int | None:
        return None if self.plot is None else self.plot.place_at(at)

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        return None if self.plot is None else self.plot.walk(part, rows, columns)

    def place_of(self, part: int) -> QPointF:
        assert self.plot is not None
        return self.plot.point(part)

    def reveal(self, part: int) -> None:
        """All places are in sight."""

    def lines_of(self, part: int) -> list[str]:
        return [] if self.plot is None else self.plot.lines(part)

    def mark_part(self, part: int | None) -> None:
        """Draw a place as chosen; of a product read out its line from now on."""
        if isinstance(self.plot, ProductPlot) and part is not None:
            self.plot.highlight(part)
            self.highlighted = self.plot.highlighted
            self.setAccessibleName(self.plot.sentence)
        self.viewport().update()


class _PlotItem(Drawing):
    def __init__(self, picture: StopDrawing) -> None:
        super().__init__(picture.look, picture.ci)
        self._picture = picture

    def draw(self, painter: QPainter) -> None:
        picture, plot = self._picture, self._picture.plot
        if plot is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = StripPainter(painter, self.look)
        pen.prose(plot.sentence, picture.sentence_box, self.look.font(13))
        plot.draw(pen, picture.part, picture.progress)
        pen.draw_rule(QRectF(picture.rect()).adjusted(_MARGIN, 0, -_MARGIN, 0), picture.height() - 1)


class DrawnAbove(Guarded, QWidget):
    """The picture of what a stop does, above `strips`; in a low panel the strips alone."""

    def __init__(
        self, look: Look, strips: QWidget, matrices: StopMatrices | None = None, *, draws: bool = True
    ) -> None:
        """`draws`: whether there is ever a picture above the strips."""
        super().__init__()
        self._draws = draws
        self._matrices = matrices
        self._tensors: StopTensors | None = None
        if matrices is not None:
            matrices.arrived.connect(self._on_arrived)
        self._look = look
        self._strips = strips
        self.drawing = StopDrawing(look)
        in_column(self.drawing, (strips, 1), of=self, margins=0, spacing=0)
        self.drawing.hide()

    @property
    def is_waiting(self) -> bool:
        """Whether a matrix that is drawn is still being read."""
        matrices, drawn = self._matrices, self.drawing.drawn
        return matrices is not None and matrices.is_waiting and not isinstance(drawn, Drawn)

    def show_stop(self, tensors: StopTensors | None) -> None:
        """Draw what a stop does to the followed token, if there is a picture of it."""
        drawn: Pictured | None = None
        if tensors is not None:
            drawn, before = self.drawing.drawn, self._tensors
            at, at_before = (one and (one.trace, one.stop, one.head) for one in (tensors, before))
            if at != at_before or not isinstance(drawn, Histograms) or not drawn.is_of_head:
                drawn = drawn_of(tensors)  # else it is the same, whichever query is followed
                if drawn is None and self._matrices is not None:
                    drawn = self._matrices.of(tensors)
        self._tensors = tensors
        token = "" if tensors is None else tensors.trace.tokens.labels[token_of(tensors)]
        self.drawing.show_drawn(drawn, token)
        self._give_room()

    @Slot()
    def _on_arrived(self) -> None:
        if self.is_waiting:
            self.show_stop(self._tensors)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_room()

    def _give_room(self) -> None:
        """Share the height; in a low panel a lesson has the picture alone, research the strips alone."""
        pixels, room, drawing = self._look.pixels, self.height(), self.drawing
        share = _SHARE_OF_PRODUCT if isinstance(drawing.drawn, Product) else _SHARE
        is_in_lesson = self._tensors is not None and self._tensors.is_step_by_step
        rest = pixels(_REST_IN_LESSON if is_in_lesson else _REST)
        height = min(round(share * room), room - rest, pixels(_MOST))
        has_both = height >= pixels(_LEAST)
        is_alone = not has_both and is_in_lesson and room >= pixels(_ALONE)
        is_shown = self._draws and drawing.drawn is not None and (has_both or is_alone)
        if is_shown:
            drawing.take_height(height if has_both else room)
        drawing.setVisible(is_shown)
        self._strips.setVisible(not (is_shown and is_alone))
