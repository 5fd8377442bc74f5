"""Vectors as a heatmap, as bars, and as points of a map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEasingCurve, QPointF, QRectF, QSize, Qt, QVariantAnimation, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.options import Run
from bertviz_app.timers import OneShot
from bertviz_app.types import Bools, Floats, Indices
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.export import Numbers, Runs, vectors_as_python
from bertviz_app.viewmodels.viewport import CLOSE, FEWEST, HeatPicture, PixelAxis
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import SegmentedChoice
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, named, signed_table
from bertviz_app.views.kit.subject import AxisTitles, ExportSubject, sheet_of
from bertviz_app.views.kit.words import MINUS, fixed, signed
from bertviz_app.views.plots.axes import SMALL, NumberAxis, Strip
from bertviz_app.views.plots.cells import BarsItem, Cells, CellsPlot, Marks, no_cells
from bertviz_app.views.plots.charts import PointsPlot
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Plot

_LONGEST_ROW_LABEL = 220.0

ReadOut = Callable[[int, int], list[str]]
"""Returns what is written beside the pointer on a cell (row, column): a title and further lines."""


@dataclass(frozen=True)
class HeatTexts:
    """What is written beside the cells: `rows` [R] labels; `columns` [C] labels, or None for dimensions.

    `is_faint` [R]: labels in secondary colour. `notes` [R]: texts at the right of the rows, or nothing.
    `full_colour` names what the ends of the colour bar are where each row has its own.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    is_faint: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()
    notes_title: str = ""
    full_colour: str = ""


class HeatView(CellsPlot):
    """Shows a `HeatPicture`.

    Over dimensions the wheel zooms these, over the names of rows it zooms the rows; between named rows and
    columns it zooms both. Its parts are the cells (row, column), and what names a row (row, -1) or a column
    (-1, column). The arrows start from the chosen row, if there is one.
    """

    def __init__(self, look: Look, read_out: ReadOut) -> None:
        super().__init__(look)
        self.picture: HeatPicture | None = None
        self._read_out = read_out
        self._texts = HeatTexts()
        self.notes = Strip(self, self.box, self._draw_notes, is_of_rows=True)
        self.ci.layout.addItem(self.notes, 1, 2)
        self.notes.set_thickness(0)
        self.setMinimumSize(120, 80)

    # what is shown

    def show_picture(self, picture: HeatPicture, texts: HeatTexts) -> None:
        """Show other numbers and what is written beside them; the zoom stays where the shape does."""
        self.picture, self._texts = picture, texts
        self.recolour()

    def recolour(self) -> None:
        picture, texts, look = self.picture, self._texts, self.look
        metrics, notes = QFontMetricsF(look.number_font(SMALL)), texts.notes
        self.right_room = math.ceil(max(map(metrics.horizontalAdvance, notes)) + 8) if notes else 0.0
        self.top_room = metrics.height() if notes else 0.0  # for the title of the notes
        shape = self.cells.colours.shape
        if picture is None or 0 in picture.shape:
            self.show_cells(no_cells(look))
            self.forget_part()
            return
        self.notes.set_thickness(self.right_room)
        full, (above, below) = texts.full_colour, ("≥", "≤") if picture.goes_beyond else ("", "")
        bar = f"≈ +{full}", "0", f"≈ {MINUS}{full}"  # each row has its own scale
        if picture.limit is not None:
            bar = above + signed(picture.limit), "0", below + signed(-picture.limit)

        def written(rows: range, columns: range) -> list[list[str]]:
            """Return these numbers as cells have them, above zero without a sign; "" where there is none."""
            part = picture.values[rows.start : rows.stop, columns.start : columns.stop].tolist()
            return [["" if value != value else signed(value).lstrip("+") for value in row] for row in part]

        # Of dimensions the wheel zooms the columns alone; over the names of rows their axis zooms these.
        self.box.zooms = (True, texts.columns is not None)
        self.box.close = CLOSE
        self.show_cells(
            Cells(
                colours=picture.pyramid,
                table=signed_table(look),
                rows=Labels(look, texts.rows, texts.is_faint),
                columns=None if texts.columns is None else Labels(look, texts.columns),
                bar=bar,
                texts=written,
                widest_text=f"{MINUS}0.00",
                longest_row_label=_LONGEST_ROW_LABEL,
            )
        )
        if picture.shape == shape:
            self.read_again()
        else:
            self.forget_part()

    def highlight(self, rows: frozenset[int], columns: frozenset[int] = frozenset()) -> None:
        self._mark(replace(self.marks, rows=rows, columns=columns))

    def choose_row(self, row: int | None) -> None:
        """Frame a row without emitting `row_chosen`."""
        self._mark(replace(self.marks, row=row))

    def mark_column(self, column: int | None) -> None:
        self._mark(replace(self.marks, column=column))

    def _mark(self, marks: Marks) -> None:
        self.show_marks(marks)
        if self._texts.notes:
            self.notes.update()

    @property
    def has_column_labels(self) -> bool:
        """Whether the columns are named; else they are dimensions, numbered below."""
        return self._texts.columns is not None

    # notes

    def _draw_notes(self, painter: QPainter, axis: PixelAxis, room: QRectF) -> None:
        """Write the notes of the rows that are named at their right ends, under a title."""
        texts, look, pencil = self._texts, self.look, Pencil(painter, self.look)
        font, notes = look.number_font(SMALL), dict(enumerate(texts.notes))
        height = QFontMetricsF(font).height()
        for row in self.left.labelled:
            box = QRectF(0, axis.middle(row) - height / 2, room.width(), height)
            pencil.write(notes.get(row, ""), box, font, side=RIGHT)
        title = QRectF(0, -height - 2, room.width(), height)
        pencil.write(texts.notes_title, title, look.font(SMALL), "secondary", RIGHT)

    # its parts

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        row, column = (-1 if at is None else at for at in self.cell_at(at))
        return None if row == column == -1 else (row, column)

    @property
    def first(self) -> tuple[int, int] | None:
        return super().first if self.marks.row is None else (self.marks.row, -1)

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        """Return the next cell; from the name of a row, the one beside the pointer, or the first in sight."""
        under = self.part
        if part is not None and part[1] < 0 and under is not None and under[0] == part[0]:
            part = under
        found = super().beside(part, rows, columns)
        if found is None or (part is not None and part[1] >= 0):
            return found
        return found[0], math.ceil(self.axes()[1].span.first)

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        return [] if min(part) < 0 else self._read_out(*part)

    def mark_part(self, part: tuple[int, int] | None) -> None:
        """Mark the column that the keys have come to."""
        self.mark_column(None if self.walked is None else self.walked[1])


_WIDTH = 0.62  # of a bar, of the distance to the next one; its outline adds a pixel
_BARS_RIGHT = 6.0
_WIDEST_NUMBER = "−0.000"


class BarsPlot(PicturePlot[int]):
    """The numbers [D] of one vector, a bar each; what is not a number has none.

    Its parts are the dimensions. `has_numbers`: of the dimensions, below the bars.
    """

    along = (0, 1)
    is_signed = True
    """Whether there are numbers below zero: then it is in the middle, and the bars have two colours."""

    def __init__(self, look: Look, *, has_numbers: bool = False) -> None:
        super().__init__(look)
        self.values: Floats = np.zeros(0, np.float32)
        self._title = ""
        self._mark: int | None = None
        self.box = Box(self)
        self.box.setMouseEnabled(y=False)
        self.left = (_SignedAxis if self.is_signed else NumberAxis)(self, self.box, "left")
        self.bottom = NumberAxis(self, self.box, "bottom", is_of_cells=True)
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.item.showAxis("bottom", has_numbers)
        self.title = Strip(self, self.box, self._draw_title, is_of_rows=False)
        self.ci.addItem(self.title, 0, 0)
        self.ci.addItem(self.item, 1, 0)
        self.zero = pg.InfiniteLine(0, angle=0)
        self.bars = BarsItem()
        self.mark_line = pg.InfiniteLine(0, angle=90)
        self.mark_line.hide()
        for part in (self.zero, self.bars, self.mark_line):
            self.item.addItem(part, ignoreBounds=True)
        self.left.setGrid(255)
        self.left.setZValue(-1)  # its lines go across the plot, below the bars
        self.setMinimumHeight(56)
        self._has_numbers = has_numbers
        self._is_aligned = False
        self.left.is_blank = self.bottom.is_blank = True
        self.recolour()

    # what is shown

    def show_vector(self, values: Floats, title: str = "") -> None:
        """Show another vector [D]; the zoom stays where its size does."""
        is_same_size = len(values) == len(self.values)
        self.values, self._title = values, title
        there = values[np.isfinite(values)]
        if len(there):
            ends = (fixed(float(end)) for end in (there.min(), there.max()))
            described = self.tr("{0}: {1} values, from {2} to {3}")
            self.setAccessibleDescription(described.format(title, len(values), *ends))
        low, height = (-self.top_value, 2 * self.top_value) if self.is_signed else (0.0, self.top_value)
        part = self.box.viewRange()[0]
        self.box.set_whole(QRectF(0, low, max(1, len(values)), height), FEWEST, shows_all=not is_same_size)
        self.box.setLimits(minYRange=height)
        if is_same_size:
            self.box.show_part(QRectF(part[0], low, part[1] - part[0], height))
        self._show_bars()
        self.left.is_blank = self.bottom.is_blank = not len(values)
        self.title.update()
        if is_same_size:
            self.read_again()
        else:
            self.forget_part()

    @property
    def top_value(self) -> float:
        """The value at the upper edge; its negative, or zero, is at the lower one."""
        return float(np.abs(self.values[np.isfinite(self.values)]).max(initial=0.0)) * 1.05 or 1.0

    def _show_bars(self) -> None:
        """Of what is 0 there is no bar; of all else something is seen, if only its outline of a pixel."""
        at = np.flatnonzero(np.isfinite(self.values) & (self.values != 0))
        middles, heights = (np.asarray(each, np.float64) for each in (at + 0.5, self.values[at]))
        ends = self.look.palette.differences if self.is_signed else (self.look.palette.accent,)
        below, above = QColor(ends[0]), QColor(ends[-1])
        bars = list(zip(middles.tolist(), heights.tolist(), strict=True))
        boxes = [QRectF(x - _WIDTH / 2, min(0.0, up), _WIDTH, abs(up)) for x, up in bars]
        self.bars.show_bars(boxes, [below if up < 0 else above for _, up in bars], (middles, heights))

    def align_with(self, cells: CellsPlot) -> None:
        """Stand below `cells` in step with its columns: one zoom, and each bar below its column."""
        self._is_aligned = True
        self.box.setXLink(cells.box)
        cells.box.geometryChanged.connect(lambda: self._align(cells))

    def _align(self, cells: CellsPlot) -> None:
        geometry = cells.box.geometry()
        self.left.setWidth(geometry.left())
        self.ci.layout.setContentsMargins(0, 0, max(0.0, cells.width() - geometry.right()), 0)
        self.lay_out()

    # its parts

    def mark(self, dimension: int | None) -> None:
        if dimension != self._mark:
            self._mark = dimension
            self.mark_line.setVisible(dimension is not None)
            if dimension is not None:
                self.mark_line.setValue(dimension + 0.5)

    @property
    def count(self) -> int:
        return len(self.values)

    @property
    def current(self) -> int | None:
        return self._mark

    def part_at(self, at: QPointF) -> int | None:
        """Return the dimension under a point of the plot; a vector may be shorter than the axis."""
        position = self.box.position_inside(at)
        dimension = -1 if position is None else math.floor(position.x())
        return dimension if 0 <= dimension < len(self.values) else None

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        """Return the next dimension; where there was none, the first one, or the last."""
        return super().beside(self.count if part is None and columns < 0 else part, rows, columns)

    def extent_of(self, part: int) -> QRectF:
        return QRectF(part, 0, 1, 0)

    def lines_of(self, part: int) -> list[str]:
        return [self.tr("dimension {0}").format(part), signed(float(self.values[part]), 6)]

    def mark_part(self, part: int | None) -> None:
        self.mark(part)

    # looks

    def _draw_title(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        box = room.adjusted(self.left.width(), 0, 0, 0)
        Pencil(painter, self.look).write(self._title, box, self.look.font(12), "secondary", LEFT)

    def recolour(self) -> None:
        look = self.look
        height = QFontMetricsF(look.font(12)).height() + 4
        self.title.set_thickness(_BARS_RIGHT if self._has_numbers else math.ceil(height))
        if self._has_numbers:
            self.ci.layout.setContentsMargins(0, 0, _BARS_RIGHT, 0)
        self.zero.setPen(pg.mkPen(look.colour("secondary")))
        self.mark_line.setPen(pg.mkPen(look.colour("text")))
        if not self._is_aligned:
            self.left.fit_numbers(_WIDEST_NUMBER)
        self._show_bars()

    def sizeHint(self) -> QSize:
        return QSize(400, 110)


class _SignedAxis(NumberAxis):
    """Numbers above zero have a sign, too."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        texts = super().tickStrings(values, scale, spacing)
        return [f"+{text}" if value > 0 else text for value, text in zip(values, texts, strict=True)]


class VectorPlot(Guarded, QWidget):
    """The bars of one vector [D], and which vector it is: `kinds` is hidden where there is one alone."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.bars = named(
            BarsPlot(look, has_numbers=True), title=self.tr("Values of the vector, one bar each")
        )
        pooled = self.tr("The pooler's output, or else the last hidden state of [CLS]")
        sentence = self.tr("The sentence vector, as sentence-transformers computes it")
        texts = {"pooled": (self.tr("Pooled"), pooled), "sentence": (self.tr("Sentence"), sentence)}
        self.kinds = SegmentedChoice(texts, self.tr("Which vector is shown"))
        self.kinds.hide()
        self._shown: tuple[Floats, str, Run] | None = None
        kinds = self.kinds, 0, Qt.AlignmentFlag.AlignRight
        in_column(kinds, (self.bars, 1), of=self, margins=(2, 8, 4, 6))

    def offer_sentence(self, is_offered: bool, chosen: str) -> None:
        """Let the user choose the sentence vector, where there is one; `chosen` is what is shown."""
        self.kinds.setVisible(is_offered)
        self.kinds.choose(chosen)

    def show_values(self, values: Floats, name: str = "pooled", run: Run = "A") -> None:
        """Show another vector [D], in files called `name`, of a run; the zoom stays where the size does."""
        self._shown = values, name, run
        self.bars.show_vector(values)
        there = values[np.isfinite(values)]
        ends = (there.min(), there.max()) if len(there) else (0.0, 0.0)
        words = self.tr("{0} values, from {1} to {2}")
        described = words.format(len(values), *(fixed(float(end)) for end in ends))
        for widget in (self, self.bars):
            widget.setAccessibleDescription(described)

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        if self._shown is None:
            return None
        values, name, run = self._shown
        translate = QCoreApplication.translate
        return ExportSubject(
            self,
            name,
            sheet_of(title, runs, run),
            runs.named(run, partial(Numbers, {}, {name: values})),
            vectors_as_python(runs.only(run)),
            AxisTitles(left=translate("AxisTitles", "value"), below=translate("AxisTitles", "dimension")),
        )

    def set_stale(self, is_stale: bool) -> None:
        self.bars.set_stale(is_stale)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 90)


GLIDE_MS = 110
SETTLE_MS = 100  # after the last turn of the wheel labels are placed anew
_FARTHEST, _CLOSEST = 5.0, 1 / 400  # of what is in sight as a whole
_MARGIN = 0.08


@dataclass(frozen=True, eq=False)
class MapPicture:
    """What is on a map: `points` [n, 2], nan where there is none, and what they are called.

    `colours` name a colour of the palette for each point; `is_ring`: points drawn as rings. `ratios` [2]:
    the explained variance of the axes.
    `extent` [m, 2] is what is in sight as a whole. `trails` [states, n, 2]: where each point is in every
    layer, or None. `partners` [k, 2]: points to be joined.
    """

    points: Floats
    labels: tuple[str, ...]
    colours: Sequence[str]
    ratios: Floats
    extent: Floats
    is_ring: Bools | None = None
    trails: Floats | None = None
    partners: Indices | None = None


class _MapBox(Box):
    """Both axes have one scale, so that distances on screen are distances on the map."""

    frames = False

    def __init__(self, plot: Plot) -> None:
        super().__init__(plot)
        self.setAspectLocked(True)

    def set_whole(self, whole: QRectF, fewest: float = 0.0, *, shows_all: bool = True) -> None:
        """Show all of `whole`, with what the shape of the box adds to it; one may go beyond it."""
        self.whole = QRectF(whole)
        size = max(whole.width(), whole.height(), 1e-9)
        self.setLimits(minXRange=_CLOSEST * size, maxXRange=_FARTHEST * size, maxYRange=_FARTHEST * size)
        if shows_all:
            self.show_all()

    @property
    def is_whole(self) -> bool:
        slack = 1e-6 * max(self.whole.width(), self.whole.height())
        return bool(self.viewRect().adjusted(-slack, -slack, slack, slack).contains(self.whole))


class MapView(PointsPlot):
    """Draws a `MapPicture`. Its parts are the points; the arrows start from the first highlighted one."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _MapBox)
        self.picture: MapPicture | None = None
        self._is_zoomed = False
        self._before: Floats | None = None
        self._settled = OneShot(self, self.names.forget_layout, SETTLE_MS)
        self._glide = QVariantAnimation(self, duration=GLIDE_MS, startValue=0.0, endValue=1.0)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.valueChanged.connect(lambda _: self._place_points())
        self._glide.finished.connect(self._on_glided)
        self.left.is_blank = self.bottom.is_blank = True
        self.left.apart = 3.0
        for axis in (self.left, self.bottom):
            axis.setGrid(255)
            axis.setZValue(-1)  # its lines go across the map, below the points
        self._across, self._up = (
            Strip(self, self.box, partial(self._draw_share, axis), is_of_rows=False) for axis in range(2)
        )
        for row, part in enumerate((self._up, self.item, self._across)):
            self.ci.addItem(part, row, 0)
        self.zeros = [pg.InfiniteLine(0, angle=angle) for angle in (0, 90)]
        self.ties = pg.PlotCurveItem(connect="pairs")
        self.ways = pg.PlotDataItem(symbol="o", symbolSize=4)
        for part in (*self.zeros, self.ties, self.ways, self.rings, self.points):
            self.item.addItem(part, ignoreBounds=True)
        self.rings.setZValue(30)  # over the labels
        self.box.range_chosen.connect(self._on_range_chosen)
        self.setMinimumSize(120, 100)
        self.recolour()

    def show_picture(self, picture: MapPicture, *, glides: bool = False) -> None:
        """Show another map; with `glides` its points, the same as before, move to their new positions."""
        shown, self._before = self.picture, None
        if glides and shown is not None and shown.points.shape == picture.points.shape:
            self._before = self.from_pixels(self.pixels())
        is_same = shown is not None and shown.labels == picture.labels
        self._is_zoomed = self._is_zoomed and (glides or is_same)
        before = self.pixels() if self._before is not None else None
        self.picture = picture
        self.left.is_blank = self.bottom.is_blank = not len(picture.points)
        if not self._is_zoomed:
            self._show_all()
        if before is not None:  # they begin where they are on the screen, whatever its scale is now
            self._before = self.from_pixels(before)
        self._glide.stop()
        if self._before is not None and self.isVisible():
            self._glide.start()
        else:
            self._before = None
        self._place_points()
        self.names.forget_layout()
        for strip in (self._up, self._across):
            strip.update()
        if is_same:
            self.read_again()
        else:
            self.forget_part()

    def _show_all(self) -> None:
        picture = self.picture
        there = np.zeros((0, 2)) if picture is None else picture.extent[~np.isnan(picture.extent).any(-1)]
        if len(there):
            low, high = there.min(0).astype(float), there.max(0).astype(float)
            margin = _MARGIN * max(*(high - low), 1e-6)
            width, height = (high - low + 2 * margin).tolist()
            self.box.set_whole(QRectF(low[0] - margin, low[1] - margin, width, height))

    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # where the points are

    @property
    def is_gliding(self) -> bool:
        return self._before is not None

    @property
    def places(self) -> Floats:
        return np.zeros((0, 2), np.float32) if self.picture is None else self.picture.points

    def now(self) -> Floats:
        if self._before is None:
            return self.places
        share = float(self._glide.currentValue() or 0.0)
        glided: Floats = self._before + (self.places - self._before) * share
        return glided

    @property
    def written(self) -> tuple[str, ...]:
        return () if self.picture is None else self.picture.labels

    def name_colour(self, point: int) -> str:
        is_faint = self.picture is not None and self.picture.colours[point] == "special"
        return "secondary" if is_faint else "text"

    # its parts

    @property
    def _placed(self) -> list[int]:
        placed: list[int] = np.flatnonzero(~np.isnan(self.places).any(-1)).tolist()
        return placed

    @property
    def count(self) -> int:
        return len(self._placed)

    def numbered(self, number: int) -> int:
        return self._placed[number]

    def number_of(self, part: int) -> int:
        return self._placed.index(part)

    @property
    def current(self) -> int | None:
        return next((point for point in self._placed if point in self.highlighted), None)

    def lines_of(self, part: int) -> list[str]:
        assert self.picture is not None
        x, y = self.picture.points[part].tolist()
        return [self.picture.labels[part], f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]

    # drawing

    @property
    def _size(self) -> float:
        return 8.0 if len(self.places) <= 1000 else 4.0

    def _place_points(self) -> None:
        """Put the points where they are now: highlighted ones over the others."""
        picture, now = self.picture, self.now()
        if picture is None:
            return
        colours = {name: self.look.colour(name) for name in set(picture.colours)}
        is_ring = [False] * len(now) if picture.is_ring is None else picture.is_ring.tolist()
        self.show_dots([colours[name] for name in picture.colours], is_ring, self._size)
        partners = picture.partners
        if partners is not None:
            ends = now[partners.reshape(-1)].astype(np.float64)
            self.ties.setData(ends[:, 0], ends[:, 1], connect="pairs")
        self.ties.setVisible(partners is not None and len(partners) > 0)
        self.place_marks()
        self.names.update()

    def place_marks(self) -> None:
        """Ring the highlighted points, and draw their way through the layers."""
        picture, now = self.picture, self.now()
        marked = [point for point in self.highlighted if point < len(now) and not np.isnan(now[point]).any()]
        pen = pg.mkPen(self.look.colour("accent"), width=2)
        self.rings.setData(pos=now[marked], size=self._size + 8, brush=None, pen=pen)
        trails = None if picture is None or self.is_gliding else picture.trails
        ways = [] if trails is None else [trails[:, point] for point in marked]
        # A gap between the ways of two points: curves are not drawn to what is not a number.
        parts = [np.vstack((way, np.full((1, 2), np.nan))) for way in ways if not np.isnan(way).any()]
        joined = np.vstack(parts) if parts else np.zeros((0, 2))
        self.ways.setData(joined[:, 0].astype(float), joined[:, 1].astype(float), connect="finite")

    def _draw_share(self, axis: int, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        """Write the share of the variance that an axis explains, at its end."""
        if self.picture is not None and len(self.picture.ratios) > axis:
            pencil, font = Pencil(painter, self.look), self.look.font(12, bold=True)
            share = f"PC{axis + 1} {fixed(100 * float(self.picture.ratios[axis]), 1)} %"
            if axis:
                pencil.write(f"↑ {share}", room.adjusted(8, 0, 0, 0), font, side=LEFT)
            else:
                pencil.write(f"{share} →", room.adjusted(0, 0, -10, 0), font, side=RIGHT)

    def recolour(self) -> None:
        look = self.look
        height = math.ceil(QFontMetricsF(look.font(12)).height()) + 8
        for strip in (self._up, self._across):
            strip.set_thickness(height)
        self.left.fit_numbers("−00.00")
        for line in self.zeros:
            line.setPen(pg.mkPen(look.colour("secondary")))
        self.ties.setPen(pg.mkPen(look.colour("special", 0.6)))
        self.ways.setPen(pg.mkPen(look.colour("accent", 0.8), width=1.5))
        self.ways.setSymbolPen(pg.mkPen(look.colour("accent", 0.8), width=1.5))
        self.ways.setSymbolBrush(pg.mkBrush(look.colour("card")))
        self._place_points()
        self.names.forget_layout()

    def on_range_changed(self) -> None:
        super().on_range_changed()
        self.names.update()  # while the map is dragged or zoomed its labels go with their points
        if not self.scene().clickEvents:
            self._settled.start()

    def _on_range_chosen(self) -> None:
        self._is_zoomed = not self.box.is_whole

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Find labels that have room where a drag ended."""
        super().mouseReleaseEvent(event)
        self.names.forget_layout()

    def resized(self) -> None:
        self._is_zoomed = False
        self._show_all()
        self.names.forget_layout()

    @Slot()
    def _on_glided(self) -> None:
        self._before = None
        self._place_points()
