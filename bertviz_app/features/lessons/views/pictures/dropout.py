"""Dropout at one vector: some of its numbers become 0, the others a little larger."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt
from PySide6.QtWidgets import QPushButton, QSlider

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import Dropped, LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnPlot,
    LessonPicture,
    title_label,
)
from bertviz_app.types import Floats
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import Pencil
from bertviz_app.views.kit.words import fixed

_COLUMNS, _GAP, _ABOVE = 16, 48.0, 30.0
_MOST_PERCENT = 90


class DropoutGrids(DrawnPlot[int]):
    """The numbers of a vector as squares, before dropout and after it; those that are dropped are empty."""

    along = (_COLUMNS, 1)
    usual = (640, 420)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.dropped: Dropped | None = None
        self.setAccessibleName(self.tr("The numbers of a vector before dropout and after it"))

    def show_dropped(self, dropped: Dropped) -> None:
        """Show what becomes of a vector."""
        self.dropped = dropped
        self.show_numbers(_grid(dropped.vector), _grid(dropped.result), limit=usual_size(dropped.vector))

    @property
    def count(self) -> int:
        return 0 if self.dropped is None else len(self.dropped.vector)

    def grids(self) -> tuple[QRectF, QRectF]:
        """Return where the two grids are, of square cells, in pixels of the box."""
        room, n_rows = self.room, max(-(-self.count // _COLUMNS), 1)
        gap, above = self.look.pixels(_GAP), self.look.pixels(_ABOVE)
        side = min((room.width() - gap - 4) / 2 / _COLUMNS, (room.height() - above - 4) / n_rows)
        width, height = side * _COLUMNS, side * n_rows
        first = QRectF((room.width() - 2 * width - gap) / 2, above, width, height)
        return first, first.translated(width + gap, 0)

    def part_at(self, at: QPointF) -> int | None:
        for grid in map(self.in_plot, self.grids()):
            if self.count and grid.contains(at):
                side = grid.width() / _COLUMNS
                row, column = int((at.y() - grid.top()) / side), int((at.x() - grid.left()) / side)
                number = row * _COLUMNS + min(column, _COLUMNS - 1)
                return number if number < self.count else None
        return None

    def rect_of(self, part: int) -> QRectF:
        return _cell(self.grids()[0], part)

    def lines_of(self, part: int) -> list[str]:
        """Return the number before and after."""
        assert self.dropped is not None
        x, factor = float(self.dropped.vector[part]), float(self.dropped.factors[part])
        title = self.tr("number {0}").format(part)
        return [title, f"{fixed(x, 3)} × {fixed(factor, 3)} = {fixed(x * factor, 3)}"]

    def draw_with(self, pencil: Pencil) -> None:
        if self.dropped is None:
            return
        look, (before, after) = self.look, self.grids()
        names = self.tr("before"), self.tr("after dropout")
        for image, grid, name in zip(self.images, (before, after), names, strict=True):
            pencil.image(image, grid)
            pencil.box(grid, "rule")
            title = QRectF(grid.left(), 0, grid.width(), look.pixels(_ABOVE) - 4)
            pencil.write(name, title, look.font(15, bold=True))
        side = before.width() / _COLUMNS
        for number in np.flatnonzero(self.dropped.factors == 0).tolist():
            cell = _cell(after, number)
            pencil.box(cell, "secondary", fill="card")
            pencil.cross(cell.adjusted(side / 4, side / 4, -side / 4, -side / 4), "secondary")
        if self.part is not None:
            for grid in (before, after):
                pencil.box(_cell(grid, self.part), "accent", 2)
        between = QRectF(before.right(), before.top(), after.left() - before.right(), before.height())
        pencil.write("→", between, look.font(15, bold=True))


def _cell(grid: QRectF, number: int) -> QRectF:
    """Return where a number is in one of the grids."""
    side, (row, column) = grid.width() / _COLUMNS, divmod(number, _COLUMNS)
    return QRectF(grid.left() + column * side, grid.top() + row * side, side, side)


def _grid(numbers: Floats) -> Floats:
    return np.concatenate([numbers, np.zeros(-len(numbers) % _COLUMNS, np.float32)]).reshape(-1, _COLUMNS)


class DropoutPicture(LessonPicture):
    """The grids, a slider for the share that is dropped, and a button that draws other numbers."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.share = DropoutGrids(look), title_label()
        self.share.setWordWrap(False)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _MOST_PERCENT)
        self.slider.setAccessibleName(self.tr("The share p of the numbers that is dropped"))
        self.again = QPushButton(self.tr("Draw again"))
        row = in_row(self.share, (self.slider, 1), self.again, spacing=16)
        in_column(self.title, (self.plot, 1), row, self.note, of=self, margins=AROUND, spacing=12)
        self.setFocusProxy(self.slider)
        self.slider.valueChanged.connect(lambda value: pictures.drop(value / 100))
        self.again.clicked.connect(lambda: pictures.draw_again())

    def show_scene(self, scene: Scene) -> None:
        found = self.pictures.of_now(self.pictures.dropped)
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
