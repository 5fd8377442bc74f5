"""`StepsPicture`: draws the sheet of a stop, scrolls it, and says the exact value under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QRegion, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.statistics import StatisticsCache
from bertviz_app.viewmodels.steps.tensors import StopTensors
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import exact
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.steps.row_scroll import RowScroll
from bertviz_app.views.steps.sheets.equation_sheet import EquationSheet
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheets.followed import follow
from bertviz_app.views.steps.sheets.motion import draw_motion
from bertviz_app.views.steps.sheets.products import ProductsSheet
from bertviz_app.views.steps.sheets.sheet import MARGIN, Sheet, Spot
from bertviz_app.views.steps.sheets.statistics import draw_statistics, statistics_texts, with_left_out
from bertviz_app.views.steps.sheets.strips import Ink

_STATISTICS = 26.0
_STATISTICS_FROM = 170.0  # of a lower picture the rows need all the height


class StepsPicture(Canvas):
    """The picture of a stop. Rows scroll by the wheel; the numbers written follow the pointer's dimension."""

    fills_ground = True

    query_chosen = Signal(int)
    products_requested = Signal()

    def __init__(
        self, look: Look, selection: Selection, bar: QScrollBar, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._selection = selection
        self.scrolling = RowScroll(bar)
        self._ink = Ink(look)
        self._tensors: StopTensors | None = None
        self._sheet: Sheet | None = None
        self._first = 0
        self._pointer: QPointF | None = None
        self._known = StatisticsCache()
        self._statistics: tuple[str, ...] = ("",)
        self.message = ""
        self._has_products = False
        self._progress = 1.0
        self.setMouseTracking(True)
        self.setMinimumSize(200, 120)
        bar.valueChanged.connect(lambda _: self.update())

    @property
    def sheet(self) -> Sheet | None:
        """What is drawn now; None where the numbers are not there."""
        return self._sheet

    @property
    def offset(self) -> int:
        """How many pixels of the rows are scrolled away."""
        return self.scrolling.bar.value()

    def show_stop(self, tensors: StopTensors, message: str) -> None:
        """Draw another stop, or `message` where its numbers are not there."""
        before = self._tensors
        self._tensors, self.message = tensors, message
        self._statistics = statistics_texts(self._known.get(tensors))
        has_followed = before is not None and self._sheet is not None and follow(self._sheet, tensors)
        if not has_followed:
            self._rebuild()
        moved = before is None or (before.stop, before.query) != (tensors.stop, tensors.query)
        sheet, description = self._sheet, message
        if sheet is not None:
            if sheet.is_alone and (before is None or before.stop != tensors.stop):
                self.scrolling.to(0)
            elif moved and not tensors.stop.is_of_a_head and not sheet.is_alone and not self.underMouse():
                self.scrolling.show_row(sheet, tensors.query)
            description = self._statistics[0]
        tokens = tensors.trace.tokens
        self.setAccessibleName(
            step_words.title(tensors.stop.stage, tokens.special_names.first, tensors.trace.form)
        )
        self.setAccessibleDescription(f"{tokens.labels[tensors.query]}: {description}")
        if before is None or not has_followed:
            self.update()
        elif before.query != tensors.query:
            assert self._sheet is not None
            self.update(_around(self._sheet, self.size(), self.offset, (before.query, tensors.query)))

    def show_message(self, message: str) -> None:
        """Draw no stop, but say why."""
        self._tensors, self.message = None, message
        self._rebuild()
        self.setAccessibleDescription(message)
        self.update()

    def set_progress(self, progress: float) -> None:
        """Draw the stop as it is during its motion, from 0 to 1."""
        self._progress = progress
        self.update()

    def highlight(self) -> None:
        """Highlight the token that is highlighted in every view."""
        sheet = self._sheet
        if sheet is None:
            return
        before, now = sheet.highlighted, self._selection.shown.within(sheet.tensors.trace.n_tokens).key
        if now == before:
            return
        sheet.highlight(now)
        if sheet.is_alone:
            self.update()
        else:
            rows = tuple(row for row in (before, now) if row is not None)
            self.update(_around(sheet, self.size(), self.offset, rows))

    def _rebuild(self) -> None:
        tensors = self._tensors
        self._sheet = None
        if tensors is None or tensors.tensor() is None:
            self.scrolling.bar.hide()
            return
        kind = _kind_of_sheet(tensors, has_products=self._has_products)
        highlighted = self._selection.shown.within(tensors.trace.n_tokens).key

        def sheet_above(foot: float) -> Sheet:
            area = QRectF(MARGIN, 0, self.width() - MARGIN - 6, self.height() - foot)
            return kind(self._ink, tensors, area, self._first, highlighted)

        self._sheet = sheet_above(self.look.pixels(_STATISTICS))
        if self.height() < self.look.pixels(_STATISTICS_FROM) and not self._sheet.left_out:
            self._sheet = sheet_above(0.0)
        self.scrolling.fit(self._sheet)

    def show_products(self, are_shown: bool) -> None:
        """Show the products of query and key in all dimensions, or all keys again."""
        self._has_products = are_shown
        self._rebuild()
        self.scrolling.to(0)
        self.update()

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self._sheet is None or self._tensors is None:
            _draw_message(painter, self.look, self.message, QRectF(self.rect()))
            return
        self._sheet.draw(painter, self.scrolling.bar.value(), self.is_dirty)
        draw_motion(painter, self._sheet, self._progress, self.scrolling.bar.value())
        top = self._sheet.area.bottom()  # below it is the line of statistics, if there is room for one
        if top < self.height():
            box = QRectF(MARGIN, top, self.width() - 2 * MARGIN, self.height() - top)
            forms = with_left_out(self._statistics, self._sheet.left_out)
            draw_statistics(painter, self._ink, forms, box, self._sheet.bound)
        spot = None if self._pointer is None else self._spot(self._pointer)
        if self._pointer is not None and spot is not None and spot.value is not None:
            draw_pill(painter, self.look, self.read_out(spot), self._pointer, QRectF(self.rect()))

    def read_out(self, spot: Spot) -> list[str]:
        """Return what is written about a number under the pointer: whose it is, and all its digits."""
        assert self._tensors is not None
        assert spot.value is not None
        token = "" if spot.token is None else self._tensors.trace.tokens.labels[spot.token]
        is_sum_of_parts = spot.name == "biased" and "disentangled" not in self._tensors.absent
        name = step_words.quantity("disentangled" if is_sum_of_parts else spot.name)
        lines = [f"{token} · {name}", exact(spot.value)]
        if spot.dimension is not None:
            lines.append(self.tr("dimension {0}").format(spot.dimension))
        return lines

    # gestures

    def _spot(self, at: QPointF) -> Spot | None:
        return None if self._sheet is None else self._sheet.spot(at, self.scrolling.bar.value())

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        spot = self._spot(self._pointer)
        is_link = self._sheet is not None and bool(self._sheet.action_at(self._pointer))
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        self._point_at(spot)
        if spot is not None and spot.dimension is not None and self._sheet is not None:
            self._follow(spot.dimension)
        self.update()

    def _point_at(self, spot: Spot | None) -> None:
        """Highlight the token under the pointer: of a head's stages as key of the query."""
        sheet = self._sheet
        if sheet is None or spot is None or spot.token is None or sheet.is_alone:
            self._selection.leave()
        elif sheet.is_mixing:
            self._selection.hover(sheet.tensors.query, spot.token)
        else:
            self._selection.hover(query=spot.token)

    def _follow(self, dimension: int) -> None:
        """Write the numbers about a dimension; those in sight stay while the pointer is on them."""
        assert self._sheet is not None
        first = max(0, dimension - 1)
        is_in_window = self._pointer is not None and self._sheet.is_in_window(self._pointer.x())
        if first != self._first and not is_in_window:
            self._first = first
            self._sheet.write_from(first)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        sheet, spot = self._sheet, self._spot(event.position())
        if event.button() != Qt.MouseButton.LeftButton or sheet is None:
            return
        if sheet.action_at(event.position()) == "products":
            self.products_requested.emit()
            return
        if sheet.is_alone:
            return
        if spot is None or spot.token is None:
            return
        if spot.is_label or not sheet.is_mixing:
            self.query_chosen.emit(spot.token)
        else:
            self._selection.pin(sheet.tensors.query, spot.token)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        self.scrolling.bar.setValue(
            round(self.scrolling.bar.value() - steps * 3 * self.scrolling.bar.singleStep())
        )
        event.accept()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._selection.leave()
        self.update()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the row of the followed token in sight."""
        self._rebuild()
        sheet = self._sheet
        if sheet is not None and not sheet.is_alone:
            self.scrolling.show_row(sheet, sheet.tensors.query)

    def _on_look_changed(self) -> None:
        self._ink = Ink(self.look)
        self._rebuild()
        super()._on_look_changed()


def _around(sheet: Sheet, size: QSize, offset: int, rows: tuple[int, ...]) -> QRegion:
    """Return where some rows are, and head and foot: there are the query's vectors, and a pair's products."""
    inner = sheet.rows_area.toAlignedRect()
    around = QRegion(QRect(QPoint(0, 0), size)) - QRegion(
        0, inner.top() + 1, size.width(), inner.height() - 2
    )
    for row in rows:
        around += sheet.row_box(row, offset).toAlignedRect()
    return around


def _kind_of_sheet(tensors: StopTensors, *, has_products: bool) -> type[Sheet]:
    """Return the painter of a stop; at the scores that of the products of a pair, if they are unfolded."""
    if has_products and tensors.stop.stage == "scores":
        return ProductsSheet
    return FlowSheet if tensors.stop.is_of_a_head else EquationSheet


def _draw_message(painter: QPainter, look: Look, message: str, area: QRectF) -> None:
    painter.setFont(look.font(14))
    painter.setPen(look.colour("secondary"))
    box = area.adjusted(24, 12, -24, -12)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, message)
