"""`StepsPicture`: draws the sheet of a stop, scrolls it, and says the exact value under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.statistics import StatisticsCache
from bertviz_app.viewmodels.steps.tensors import StopTensors
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import exact
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.steps.equation_sheet import EquationSheet
from bertviz_app.views.steps.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheet import MARGIN, Sheet, Spot
from bertviz_app.views.steps.statistics import draw_statistics, statistics_texts
from bertviz_app.views.steps.strips import Ink

_STATISTICS = 26.0


class StepsPicture(Canvas):
    """The picture of a stop. Rows scroll by the wheel; the numbers written follow the pointer's dimension."""

    query_chosen = Signal(int)

    def __init__(
        self, look: Look, selection: Selection, bar: QScrollBar, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._selection = selection
        self._bar = bar
        self._ink = Ink(look)
        self._tensors: StopTensors | None = None
        self._sheet: Sheet | None = None
        self._first = 0
        self._pointer: QPointF | None = None
        self._known = StatisticsCache()
        self._statistics: tuple[str, ...] = ("",)
        self.message = ""
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
        return self._bar.value()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(420, 320)

    def show_stop(self, tensors: StopTensors, message: str) -> None:
        """Draw another stop, or `message` where its numbers are not there."""
        before = self._tensors
        self._tensors, self.message = tensors, message
        self._statistics = statistics_texts(self._known.get(tensors))
        self._rebuild()
        moved = before is None or (before.stop, before.query) != (tensors.stop, tensors.query)
        if (
            moved
            and isinstance(self._sheet, EquationSheet)
            and not self._sheet.is_alone
            and not self.underMouse()
        ):
            self.reveal(tensors.query)
        self._describe()
        self.update()

    def show_message(self, message: str) -> None:
        """Draw no stop, but say why."""
        self._tensors, self.message = None, message
        self._rebuild()
        self.setAccessibleDescription(message)
        self.update()

    def reveal(self, row: int) -> None:
        """Scroll a row into sight."""
        if self._sheet is not None:
            self._bar.setValue(self._sheet.offset_showing(row, self._bar.value()))

    def light(self) -> None:
        """Light the token that is lit in every view."""
        if self._sheet is not None:
            self._sheet.lit = self._lit_row()
            self.update()

    def _lit_row(self) -> int | None:
        tensors = self._tensors
        if tensors is None:
            return None
        shown = self._selection.shown.within(tensors.trace.n_tokens)
        return shown.key if shown.key is not None else None

    def _rebuild(self) -> None:
        tensors = self._tensors
        self._sheet = None
        if tensors is None or tensors.tensor() is None:
            self._bar.hide()
            return
        kind = FlowSheet if tensors.stop.is_of_a_head else EquationSheet
        area = QRectF(MARGIN, 0, self.width() - MARGIN - 6, self.height() - self._foot)
        self._sheet = kind(self._ink, tensors, area, self._first, self._lit_row())
        self._bar.setRange(0, self._sheet.hidden_height)
        self._bar.setPageStep(max(1, round(self._sheet.rows_area.height())))
        self._bar.setSingleStep(round(self._sheet.row_height))
        self._bar.setVisible(self._sheet.hidden_height > 0)

    @property
    def _foot(self) -> float:
        return float(self.look.pixels(_STATISTICS))

    # drawing

    def draw(self, painter: QPainter) -> None:
        if self._sheet is None or self._tensors is None:
            self._draw_message(painter)
            return
        self._sheet.draw(painter, self._bar.value())
        box = QRectF(MARGIN, self.height() - self._foot, self.width() - 2 * MARGIN, self._foot)
        draw_statistics(painter, self._ink, self._statistics, box, self._sheet.bound)
        self._draw_read_out(painter)

    def _draw_message(self, painter: QPainter) -> None:
        painter.setFont(self.look.font(14))
        painter.setPen(self.look.colour("secondary"))
        box = QRectF(self.rect()).adjusted(24, 12, -24, -12)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.message)

    def _draw_read_out(self, painter: QPainter) -> None:
        spot = None if self._pointer is None else self._spot(self._pointer)
        if spot is None or spot.value is None or self._pointer is None:
            return
        lines = self.read_out(spot)
        draw_pill(painter, self.look, lines, self._pointer, QRectF(self.rect()))

    def read_out(self, spot: Spot) -> list[str]:
        """Return what is said of a number under the pointer: whose it is, and all its digits."""
        assert self._tensors is not None
        assert spot.value is not None
        token = "" if spot.token is None else self._tensors.trace.tokens.labels[spot.token]
        lines = [f"{token} · {step_words.quantity(spot.name)}", exact(spot.value)]
        if spot.dimension is not None:
            lines.append(self.tr("dimension {0}").format(spot.dimension))
        return lines

    def _describe(self) -> None:
        tensors = self._tensors
        if tensors is None:
            return
        title = step_words.title(tensors.stop.stage, tensors.trace.tokens.special_names.first)
        said = self.message if self._sheet is None else self._statistics[0]
        self.setAccessibleName(title)
        self.setAccessibleDescription(f"{tensors.trace.tokens.labels[tensors.query]}: {said}")

    # gestures

    def _spot(self, at: QPointF) -> Spot | None:
        return None if self._sheet is None else self._sheet.spot(at, self._bar.value())

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        spot = self._spot(self._pointer)
        self._light(spot)
        if spot is not None and spot.dimension is not None and self._sheet is not None:
            self._follow(spot.dimension)
        self.update()

    def _light(self, spot: Spot | None) -> None:
        """Light the token under the pointer: of a head's stages as key of the query."""
        tensors = self._tensors
        if tensors is None or spot is None or spot.token is None or self._is_alone:
            self._selection.leave()
        elif self._is_of_pairs:
            self._selection.hover(tensors.query, spot.token)
        else:
            self._selection.hover(query=spot.token)

    @property
    def _is_alone(self) -> bool:
        return isinstance(self._sheet, EquationSheet) and self._sheet.is_alone

    @property
    def _is_of_pairs(self) -> bool:
        return isinstance(self._sheet, FlowSheet) and self._sheet.is_mixing

    def _follow(self, dimension: int) -> None:
        """Write the numbers about a dimension; those in sight stay while the pointer is on them."""
        assert self._sheet is not None
        first = max(0, dimension - 1)
        spot_in_window = self._pointer is not None and self._is_in_window(self._pointer.x())
        if first != self._first and not spot_in_window:
            self._first = first
            self._sheet.write_from(first)

    def _is_in_window(self, x: float) -> bool:
        return self._sheet is not None and self._sheet.is_in_window(x)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if (
            event.button() != Qt.MouseButton.LeftButton
            or spot is None
            or spot.token is None
            or self._is_alone
        ):
            return
        if spot.is_label or not self._is_of_pairs:
            self.query_chosen.emit(spot.token)
        elif self._tensors is not None:
            self._selection.pin(self._tensors.query, spot.token)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        self._bar.setValue(round(self._bar.value() - steps * 3 * self._bar.singleStep()))
        event.accept()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._selection.leave()
        self.update()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._rebuild()

    def _on_look_changed(self) -> None:
        self._ink = Ink(self.look)
        self._rebuild()
        super()._on_look_changed()
