"""The sheet of a stop in pyqtgraph's scene, and the textbook's table of one query."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QWheelEvent
from PySide6.QtWidgets import QScrollBar

from bertviz_app.features.steps.views.sheet import MARGIN, Hit, Sheet, StripPainter
from bertviz_app.features.steps.views.stop_sheets import (
    EquationSheet,
    FlowSheet,
    ProductsSheet,
    draw_statistics,
    statistics_texts,
    with_left_out,
)
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stops import StopTensors, statistics
from bertviz_app.views.kit.canvas import CachedTexts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import exact
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Drawing

_STATISTICS = 26.0
_PRINTED_ROW = 24.0
_STATISTICS_FROM = 170.0  # of a lower picture the rows need all the height


class StepsPicture(PicturePlot[Hit]):
    """The picture of a stop. Rows scroll by the wheel; the numbers written follow the pointer's dimension.

    It takes the keyboard focus by Tab alone: a click leaves it to the panel, whose arrows walk the stops.
    With the focus arrows walk the rows and numbers of the picture, Enter does what a click does there.
    """

    query_chosen = Signal(int)
    products_requested = Signal()
    has_ends = False

    def __init__(self, look: Look, selection: Selection, bar: QScrollBar) -> None:
        super().__init__(look)
        self._selection = selection
        self.bar = bar
        """At the offset of the rows, in pixels."""
        self._set_offset = 0  # another one is that of the user
        self.texts = CachedTexts(look)
        self.omits_links = False
        self._tensors: StopTensors | None = None
        self.sheet: Sheet | None = None
        """What is drawn now; None where the numbers are not there."""
        self._first = 0
        self.statistics: tuple[str, ...] = ("",)
        """What is written below the rows, the longest form first."""
        self.message = ""
        self._has_products = False
        self.progress = 1.0
        self._framed = QRectF()
        self.dirty: QRegion | None = None
        """What is being painted anew; None: everything, as in a file."""
        self.setMinimumSize(200, 120)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._drawing = _SheetItem(self)
        bar.valueChanged.connect(lambda _: self.viewport().update())
        self.part_pointed.connect(self._on_part_pointed)
        self.part_chosen.connect(self._on_part_chosen)

    @property
    def offset(self) -> int:
        """How many pixels of the rows are scrolled away."""
        return self.bar.value()

    @property
    def needed_height(self) -> float:
        """How high it is with all rows in sight, none of them higher than its letters need."""
        sheet, pixels = self.sheet, self.look.pixels
        if sheet is None:
            return float(self.height())
        return sheet.head + sheet.n_rows * pixels(_PRINTED_ROW) + sheet.foot + pixels(_STATISTICS)

    def show_stop(self, tensors: StopTensors, message: str) -> None:
        """Draw another stop, or `message` where its numbers are not there."""
        before = self._tensors
        self._tensors, self.message = tensors, message
        has_followed = before is not None and self.sheet is not None and self.sheet.follow(tensors)
        if not has_followed:  # else the tensor is the same one, and what is said of it
            self._rebuild()
            self.statistics = statistics_texts(statistics(tensors))
        moved = before is None or (before.stop, before.query) != (tensors.stop, tensors.query)
        sheet, description = self.sheet, message
        if sheet is not None:
            is_in_use = self.underMouse() or self.walked is not None  # its row must not be scrolled away
            if sheet.is_alone and (before is None or before.stop != tensors.stop):
                self._scroll_to(0)
            elif moved and not tensors.stop.is_of_a_head and not sheet.is_alone and not is_in_use:
                self._show_row(sheet, tensors.query)
            description = self.statistics[0]
        tokens = tensors.trace.tokens
        self.setAccessibleName(
            step_words.title(tensors.stop.stage, tokens.special_names.first, tensors.trace.form)
        )
        self.setAccessibleDescription(f"{tokens.labels[tensors.query]}: {description}")
        if before is None or not has_followed:
            self.viewport().update()
        elif before.query != tensors.query:
            self._update_rows((before.query, tensors.query))

    def show_message(self, message: str) -> None:
        """Draw no stop, but say why."""
        self._tensors, self.message = None, message
        self._rebuild()
        self.setAccessibleDescription(message)
        self.viewport().update()

    def set_progress(self, progress: float) -> None:
        """Draw the stop as it is during its motion, from 0 to 1."""
        self.progress = progress
        self.viewport().update()

    def highlight(self) -> None:
        """Highlight the token that is highlighted in every view."""
        sheet = self.sheet
        if sheet is None:
            return
        before, now = sheet.highlighted, self._selection.shown.within(sheet.tensors.trace.n_tokens).key
        if now == before:
            return
        sheet.highlight(now)
        if sheet.is_alone:
            self.viewport().update()
        else:
            self._update_rows(tuple(row for row in (before, now) if row is not None))

    def _update_rows(self, rows: tuple[int, ...]) -> None:
        """Draw some rows anew, and head and foot: there are the query's vectors, and a pair's products."""
        assert self.sheet is not None
        inner = self.sheet.rows_area.toAlignedRect()
        between = QRegion(0, inner.top() + 1, self.width(), inner.height() - 2)
        around = QRegion(QRect(QPoint(0, 0), self.size())) - between
        for row in rows:
            around += self.sheet.row_box(row, self.offset).toAlignedRect()
        self.viewport().update(around)

    def _rebuild(self) -> None:
        tensors = self._tensors
        self.sheet = self.part = self.walked = None
        if tensors is None or tensors.tensor() is None:
            self.bar.hide()
            self.read_out.hide_lines()
            return
        kind: type[Sheet] = FlowSheet if tensors.stop.is_of_a_head else EquationSheet
        if self._has_products and tensors.stop.stage == "scores":
            kind = ProductsSheet
        highlighted = self._selection.shown.within(tensors.trace.n_tokens).key

        def sheet_above(foot: float) -> Sheet:
            area = QRectF(MARGIN, 0, self.width() - MARGIN - 6, self.height() - foot)
            return kind(self.look, tensors, area, self._first, highlighted)

        self.sheet = sheet_above(self.look.pixels(_STATISTICS))
        if self.height() < self.look.pixels(_STATISTICS_FROM) and not self.sheet.left_out:
            self.sheet = sheet_above(0.0)
        # The bar scrolls the rows that are out of sight.
        self.bar.setRange(0, self.sheet.hidden_height)
        self.bar.setPageStep(max(1, round(self.sheet.rows_area.height())))
        self.bar.setSingleStep(round(self.sheet.row_height))
        self.bar.setVisible(self.sheet.hidden_height > 0)

    def _scroll_to(self, offset: int) -> None:
        self._set_offset = offset
        self.bar.setValue(offset)

    def _show_row(self, sheet: Sheet, row: int) -> None:
        """Bring a row into sight, from where the user scrolled to, else from the top.

        What was scrolled for a smaller picture does not stay scrolled in a larger one.
        """
        is_by_user = self.offset != min(self._set_offset, self.bar.maximum())
        self._scroll_to(sheet.offset_showing(row, self.offset if is_by_user else 0))

    def show_products(self, are_shown: bool) -> None:
        """Show the products of query and key in all dimensions, or all keys again."""
        if are_shown != self._has_products:
            self._has_products = are_shown
            self._rebuild()
            self._scroll_to(0)
            self.viewport().update()

    # what is pointed at

    @property
    def count(self) -> int:
        return 0 if self.sheet is None else self.sheet.n_lines

    def part_at(self, at: QPointF) -> Hit | None:
        return None if self.sheet is None else self.sheet.hit(at, self.offset)

    def beside(self, part: Hit | None, rows: int, columns: int) -> Hit | None:
        return None if self.sheet is None else self.sheet.beside(part, rows, columns)

    def place_of(self, part: Hit) -> QPointF:
        assert self.sheet is not None
        return self.sheet.extent(part, self.offset).center()

    def reveal(self, part: Hit) -> None:
        assert self.sheet is not None
        row = part.line - len(self.sheet.above())
        if 0 <= row < self.sheet.n_rows:
            self._scroll_to(self.sheet.offset_showing(row, self.offset))

    def lines_of(self, part: Hit) -> list[str]:
        """Return what is read out of a number: whose it is, and all its digits; by keys also a name."""
        tensors = self._tensors
        assert tensors is not None
        token = "" if part.token is None else tensors.trace.tokens.labels[part.token]
        if part.value is None:
            return [part.name or token] if part == self.walked else []
        is_sum_of_parts = part.name == "biased" and "disentangled" not in tensors.absent
        name = step_words.quantity("disentangled" if is_sum_of_parts else part.name)
        lines = [f"{token} · {name}", exact(part.value)]
        if part.dimension is not None:
            lines.append(self.tr("dimension {0}").format(part.dimension))
        return lines

    def mark_part(self, part: Hit | None) -> None:
        is_link = part is not None and bool(part.action)
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        before, self._framed = self._framed, self.cursor_rect()
        if self._framed != before:
            self.viewport().update()

    @Slot(object)
    def _on_part_pointed(self, part: Hit | None) -> None:
        """Highlight the token of a number, and write the numbers about its dimension."""
        sheet = self.sheet
        if sheet is None or part is None or part.token is None or sheet.is_alone:
            self._selection.leave()
        elif sheet.is_mixing:
            self._selection.hover(sheet.tensors.query, part.token)
        else:
            self._selection.hover(query=part.token)
        if sheet is not None and part is not None and part.dimension is not None and not part.is_written:
            # The numbers in sight stay while one of them is pointed at.
            first = max(0, part.dimension - 1)
            if first != self._first:
                self._first = sheet.first = first
                sheet.place_columns()
                self.viewport().update()

    @Slot(object)
    def _on_part_chosen(self, part: Hit) -> None:
        """Choose the query, pin its pair, or unfold the products."""
        sheet = self.sheet
        if part.action:
            self.products_requested.emit()
        elif sheet is None or sheet.is_alone or part.token is None:
            return
        elif part.is_label or not sheet.is_mixing:
            self.query_chosen.emit(part.token)
        else:
            self._selection.pin(sheet.tensors.query, part.token)

    def cursor_rect(self) -> QRectF:
        """Return what the keys are at, in pixels of the plot."""
        if self.walked is None or self.sheet is None:
            return QRectF()
        return self.sheet.extent(self.walked, self.offset).adjusted(-1, 0, 1, 0)

    # changes around it

    def paintEvent(self, event: QPaintEvent) -> None:
        self.dirty = event.region()
        try:
            super().paintEvent(event)
        finally:
            self.dirty = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps, bar = event.angleDelta().y() / 120, self.bar
        bar.setValue(round(bar.value() - steps * 3 * bar.singleStep()))
        event.accept()

    def resized(self) -> None:
        """Keep the row of the followed token in sight."""
        self._rebuild()
        sheet = self.sheet
        if sheet is not None and not sheet.is_alone:
            self._show_row(sheet, sheet.tensors.query)

    def recolour(self) -> None:
        self._rebuild()


class _SheetItem(Drawing):
    """Draws the sheet, its motion, and below it the line of statistics, if there is room for one."""

    def __init__(self, picture: StepsPicture) -> None:
        super().__init__(picture.look, picture.ci)
        self._picture = picture

    def draw(self, painter: QPainter) -> None:
        """Draw what is to be painted anew of them, or why there is no sheet."""
        picture, sheet = self._picture, self._picture.sheet
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen, dirty = StripPainter(painter, self.look, picture.texts), picture.dirty
        pen.omits_links = picture.omits_links
        room = QRectF(picture.rect())
        if sheet is None:
            inner, font = room.adjusted(24, 12, -24, -12), self.look.font(14)
            pen.prose(picture.message, inner, font, "secondary", Qt.AlignmentFlag.AlignCenter)
            return
        sheet.draw(pen, picture.offset, lambda box: dirty is None or dirty.intersects(box.toAlignedRect()))
        if picture.progress < 1.0:
            painter.save()
            sheet.draw_motion(pen, picture.progress, picture.offset)
            painter.restore()
        top = sheet.area.bottom()
        if top < room.height():
            box = QRectF(MARGIN, top, room.width() - 2 * MARGIN, room.height() - top)
            draw_statistics(pen, with_left_out(picture.statistics, sheet.left_out), box, sheet.bound)
        # A frame around what the keys are at.
        box = picture.cursor_rect()
        if not box.isEmpty():
            pen.box(box, "accent", 2, rounding=3)
