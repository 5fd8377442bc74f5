"""Dropout at one vector: some of its numbers become 0, the others a little larger."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QSlider

from bertviz_app.viewmodels.learning.pictures import Dropped, LessonPictures
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.lessons.pictures.product import number_image
from bertviz_app.views.plots.picture import PaintedPlot, Painting

_COLUMNS, _GAP, _ABOVE = 16, 48.0, 30.0
_MOST_PERCENT = 90


class DropoutGrids(PaintedPlot[int]):
    """The numbers of a vector as squares, before dropout and after it; those that are dropped are empty."""

    along = (_COLUMNS, 1)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.dropped: Dropped | None = None
        self.images: tuple[QImage, ...] = ()
        self.drawing = _GridsDrawing(self)
        self.setAccessibleName(self.tr("The numbers of a vector before dropout and after it"))

    def show_dropped(self, dropped: Dropped) -> None:
        """Show what becomes of a vector."""
        self.dropped = dropped
        limit = usual_size(dropped.vector)
        self.images = tuple(
            number_image(self.look, _grid(part), limit) for part in (dropped.vector, dropped.result)
        )
        self.drawing.update()

    def sizeHint(self) -> QSize:
        return QSize(640, 420)

    @property
    def count(self) -> int:
        return 0 if self.dropped is None else len(self.dropped.vector)

    def part_at(self, at: QPointF) -> int | None:
        return self.drawing.number_at(at - self.box.sceneBoundingRect().topLeft())

    def rect_of(self, part: int) -> QRectF:
        return self.drawing.cell(self.drawing.grids()[0], part)

    def lines_of(self, part: int) -> list[str]:
        """Return the number before and after."""
        assert self.dropped is not None
        x, factor = float(self.dropped.vector[part]), float(self.dropped.factors[part])
        title = self.tr("number {0}").format(part)
        return [title, f"{fixed(x, 3)} × {fixed(factor, 3)} = {fixed(x * factor, 3)}"]

    def recolour(self) -> None:
        if self.dropped is not None:
            self.show_dropped(self.dropped)


class _GridsDrawing(Painting[DropoutGrids]):
    """Draws both grids of `plot` beside each other."""

    def grids(self) -> tuple[QRectF, QRectF]:
        """Return where the two grids are, of square cells, in pixels of the box."""
        dropped, room = self._plot.dropped, self.rect()
        n_rows = 1 if dropped is None else -(-len(dropped.vector) // _COLUMNS)
        gap, above = self.look.pixels(_GAP), self.look.pixels(_ABOVE)
        side = min((room.width() - gap - 4) / 2 / _COLUMNS, (room.height() - above - 4) / n_rows)
        width, height = side * _COLUMNS, side * n_rows
        left = (room.width() - 2 * width - gap) / 2
        first = QRectF(left, above, width, height)
        return first, first.translated(width + gap, 0)

    def cell(self, grid: QRectF, number: int) -> QRectF:
        """Return where a number is in one of the grids."""
        side, (row, column) = grid.width() / _COLUMNS, divmod(number, _COLUMNS)
        return QRectF(grid.left() + column * side, grid.top() + row * side, side, side)

    def number_at(self, at: QPointF) -> int | None:
        """Return which number is at a point of the box."""
        dropped = self._plot.dropped
        for grid in self.grids():
            if dropped is not None and grid.contains(at):
                side = grid.width() / _COLUMNS
                row, column = int((at.y() - grid.top()) / side), int((at.x() - grid.left()) / side)
                number = row * _COLUMNS + min(column, _COLUMNS - 1)
                return number if number < len(dropped.vector) else None
        return None

    def draw(self, painter: QPainter) -> None:
        plot, look, dropped = self._plot, self.look, self._plot.dropped
        if dropped is None:
            return
        before, after = self.grids()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        for image, grid in zip(plot.images, (before, after), strict=True):
            painter.drawImage(grid, image)
        side = before.width() / _COLUMNS
        painter.setPen(look.colour("secondary"))
        painter.setBrush(look.colour("card"))
        for number in np.flatnonzero(dropped.factors == 0).tolist():
            cell = self.cell(after, number)
            painter.drawRect(cell)
            inner = cell.adjusted(side / 4, side / 4, -side / 4, -side / 4)
            painter.drawLine(inner.topLeft(), inner.bottomRight())
            painter.drawLine(inner.topRight(), inner.bottomLeft())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if plot.part is not None:
            painter.setPen(QPen(look.colour("accent"), 2))
            painter.drawRects([self.cell(grid, plot.part) for grid in (before, after)])
        translate = QCoreApplication.translate
        names = translate("DropoutGrids", "before"), translate("DropoutGrids", "after dropout")
        painter.setFont(look.font(15, bold=True))
        for grid, name in zip((before, after), names, strict=True):
            painter.setPen(look.colour("rule"))
            painter.drawRect(grid)
            painter.setPen(look.colour("text"))
            title = QRectF(grid.left(), 0, grid.width(), look.pixels(_ABOVE) - 4)
            painter.drawText(title, Qt.AlignmentFlag.AlignCenter, name)
        between = QRectF(before.right(), before.top(), after.left() - before.right(), before.height())
        painter.drawText(between, Qt.AlignmentFlag.AlignCenter, "→")


def _grid(numbers: np.ndarray) -> np.ndarray:
    return np.concatenate([numbers, np.zeros(-len(numbers) % _COLUMNS, np.float32)]).reshape(-1, _COLUMNS)


class DropoutPicture(LessonPicture):
    """The grids, a slider for the share that is dropped, and a button that draws other numbers."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.title = named(QLabel(wordWrap=True), "pictureTitle")
        self.plot = DropoutGrids(look)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _MOST_PERCENT)
        self.slider.setAccessibleName(self.tr("The share p of the numbers that is dropped"))
        self.again = QPushButton(self.tr("Draw again"))
        self.share = named(QLabel(), "pictureTitle")
        self.note = named(QLabel(wordWrap=True), "pictureNote")
        row = in_row(self.share, (self.slider, 1), self.again, spacing=16)
        in_column(self.title, (self.plot, 1), row, self.note, of=self, margins=(24, 16, 24, 16), spacing=12)
        self.setFocusProxy(self.slider)
        self.slider.valueChanged.connect(lambda value: pictures.drop(value / 100))
        self.again.clicked.connect(lambda: pictures.drop(pictures.share, again=True))
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the vector with the share that is chosen."""
        scene = self._pictures.scene
        found = None if scene is None or scene.picture != "dropout" else self._pictures.dropped
        if found is None:
            return
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(found.share * 100))
        self.plot.show_dropped(found)
        n_numbers, factor = len(found.vector), fixed(1 / (1 - found.share), 3)
        self.title.setText(self.tr("The last vector of “{0}”: {1} numbers").format(found.token, n_numbers))
        self.share.setText(f"p = {fixed(found.share, 2)}")
        words = self.tr(
            "{0} of {1} numbers are 0 now. The others are multiplied by 1 / (1 − p) = {2}, so that all "
            "sizes together stay about the same: {3} before, {4} after."
        )
        sums = [fixed(float(np.abs(part).sum()), 1) for part in (found.vector, found.result)]
        self.note.setText(words.format(found.n_dropped, n_numbers, factor, *sums))
        self.plot.setAccessibleDescription(f"{self.title.text()}. {self.note.text()}")
