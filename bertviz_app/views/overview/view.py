"""The overview: every head of every layer as one picture; click a head to show it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QImage, QPainter, QResizeEvent

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.measures import NEEDS_ONE_TEXT, HeadName, HeadOverview, names_of
from bertviz_app.options import Run
from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.types import Floats
from bertviz_app.viewmodels.export import Runs
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.overview import (
    GAP,
    CellGrid,
    HeadOrder,
    Thumbnails,
    arranged,
    atlas,
    full_colour_of_all,
    full_colours,
    largest,
    least_full,
)
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.state import ATTENTION, OverviewChoice
from bertviz_app.viewmodels.wording import head_change_text, stamp_remark, translated
from bertviz_app.views.kit.canvas import draws_pixels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.subject import AxisTitles, ExportSubject
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.overview.head_grid import (
    Head,
    HeadGridView,
    Rects,
    draw_measure,
    name_height,
    room_of_bar,
)
from bertviz_app.views.overview.heads_table import (
    NO_HEADS,
    blank_measures,
    measure_words,
    name_words,
    subject_of_heads,
    with_unit,
)
from bertviz_app.views.plots.axes import draw_bar
from bertviz_app.views.plots.plot import Line

_VEIL = 0.8


class OverviewView(HeadGridView):
    """A grid of heads, layers down and heads across, or by a measure from its largest value on.

    A cell shows its head's attention, as bright as its own largest weight, or one measure of it; while a pair
    of tokens is pinned, and the options say so, the weight that the head gives that pair.
    """

    def __init__(self, look: Look, panels: Panels) -> None:
        self.overview = NO_HEADS
        self.pair: PairInHeads | None = None
        self.names: dict[Head, HeadName] = {}
        self.cells = HeadOrder((), frozenset(), False)
        self._thumbnails: Thumbnails | None = None
        self._atlas: tuple[tuple[object, ...], QImage] | None = None
        self._edits = NO_EDITS
        self._beside: HeadOverview | None = None
        self._run: Run = "A"
        super().__init__(look, panels)
        self.setAccessibleName(self.tr("Overview of all heads"))
        panels.store.watch(("overview",), self._rebuild)
        panels.store.watch(("included",), self._rebuild)

    def show_overview(
        self, overview: HeadOverview, beside: HeadOverview | None = None, run: Run = "A"
    ) -> None:
        """Show the heads of another result; `beside` is the run whose heads share their scales with them."""
        self.overview, self._run = overview, run
        self.names = names_of(overview.measures, overview.n_queries, overview.n_cross_keys)
        self._beside = beside
        self._rebuild()

    def show_pair(self, pair: PairInHeads | None) -> None:
        self.pair = pair
        self._rebuild()

    @property
    def choice(self) -> OverviewChoice:
        """What the cells show, how they are ordered and filtered."""
        return self.panels.store.now.overview

    @property
    def shown_pair(self) -> PairInHeads | None:
        """The pair whose weights the cells show; None where they show something else."""
        pair = self.pair
        fits = pair is not None and pair.fits(self.overview)
        return pair if fits and self.choice.shows_pair else None

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        """Return what is exported of all heads; they have no axes where they stand in another order."""
        if self.overview is NO_HEADS:
            return None
        translate, below = QCoreApplication.translate, ""
        if shown_values(self.overview, self.shown_pair, self.choice) is None:  # thumbnails
            below = translate("AxisTitles", "in each cell: queries down, keys across")
        titles = AxisTitles(below=below)
        if not self.choice.order(has_pair=self.pair is not None):
            titles = AxisTitles(translate("AxisTitles", "layer"), translate("AxisTitles", "head"), below)
        of_heads = subject_of_heads(self, title, runs, self._run, self.overview, self.pair)
        return replace(of_heads, titles=titles)

    def show_edits(self, edits: Edits) -> None:
        """Cross out the heads whose output is replaced by zeros or by a mean."""
        self._edits = edits
        self.cells_item.update()

    @Slot()
    def _rebuild(self) -> None:
        if self.overview is not NO_HEADS:
            fits = self.pair is not None and self.pair.fits(self.overview)
            weights = self.pair.column.weights if fits and self.pair is not None else None
            cells = arranged(self.overview.measures, self.choice, weights)
            layers, heads = self.included
            shown = tuple(at for at in cells.heads if at[0] in layers and at[1] in heads)
            self.cells = replace(cells, heads=shown)
            self.is_rearranged = cells.is_rearranged
        self._thumbnails = self._atlas = None
        self.refresh()
        self.updateGeometry()

    # geometry

    @property
    def heads(self) -> tuple[Head, ...]:
        return self.cells.heads

    @property
    def shape(self) -> tuple[int, int]:
        n_layers, n_heads = self.overview.pictures.shape[:2]
        return n_layers, n_heads

    @property
    def grid(self) -> tuple[int, int]:
        if not self.is_rearranged:
            return self.counts
        columns = max(1, min(self.counts[1], int((self.width() - 4) // (self.smallest + GAP))))
        return -(-len(self.heads) // columns), columns

    @property
    def sampled_layers(self) -> Container[int]:
        sample = self.overview.sample
        return () if sample is None else np.flatnonzero(sample.layers).tolist()

    @property
    def unknown(self) -> str:
        return super().unknown if self.overview.sample is None else "…"

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        # Rearranged cells go into as many columns as there is room for.
        return QSize(3 * (self.smallest + GAP) + 4, size.height()) if self.is_rearranged else size

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_rearranged:
            self.updateGeometry()  # fewer columns need more rows

    # drawing

    def draw_cells(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        """Draw pictures or values, pale where the filter leaves a head out, and names of rearranged cells."""
        self._draw_contents(painter, grid, rects)
        if self.is_rearranged:
            # On screen all of this is a cached picture, in which no head is under the pointer.
            self._draw_names(painter, rects, None if draws_pixels(painter) else self.highlighted)

    def _draw_contents(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        values = shown_values(self.overview, self.shown_pair, self.choice)
        if values is None:
            self._draw_thumbnails(painter, self.overview, grid)
        else:
            draw_measure(self, painter, rects, values, is_named=self.is_rearranged)
        for at in self.cells.dimmed:
            if at in rects:
                painter.fillRect(rects[at], self.look.colour("card", _VEIL))

    def _draw_names(self, painter: QPainter, rects: Rects, current: Head | None) -> None:
        look = self.look
        painter.setFont(look.number_font(10))
        height, middle = name_height(look), Qt.AlignmentFlag.AlignCenter
        bands = {at: QRectF(rect.left(), rect.top(), rect.width(), height) for at, rect in rects.items()}
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("card", 0.85))
        painter.drawRects(list(bands.values()))
        painter.setPen(look.colour("text"))
        for at, band in bands.items():
            if at != current:
                painter.drawText(band, middle, f"{at[0]}·{at[1]}")
        if current in bands:
            painter.setPen(look.colour("accent"))
            painter.drawText(bands[current], middle, f"{current[0]}·{current[1]}")

    def draw_marks(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        """Draw the name of the current head in another colour, and the frames and crosses."""
        current = self.highlighted
        if self.is_rearranged and current in rects and draws_pixels(painter):
            cell = {current: rects[current]}
            painter.save()
            painter.setClipRect(cell[current], Qt.ClipOperation.IntersectClip)
            self._draw_contents(painter, grid, cell)
            self._draw_names(painter, cell, current)
            painter.restore()
        self.draw_frames(painter, grid, rects, self._edits.constant_heads)

    def draw_foot(self, painter: QPainter) -> None:
        overview, pair, choice = self.overview, self.shown_pair, self.choice
        if overview is NO_HEADS:
            return
        values = shown_values(overview, pair, choice)
        if values is not None and pair is not None:
            end = f"{fixed(float(np.nanmax(values)))}  {pair.title}"
        elif values is not None and choice.shows != ATTENTION:
            end = with_unit(choice.shows, largest(values))
        elif not choice.is_per_head:
            end = f"{full_colour_of_all(overview, self._beside):.3g}"
        elif not overview.stamp.is_share:
            end = self.tr("the largest norm of each cell")
        else:
            end = self.tr("each head's largest, {0} or more").format(f"{least_full(overview):.2g}")
        draw_bar(painter, self.look, room_of_bar(self, self.whole), ("0", end), self.look.weights)

    def _draw_thumbnails(self, painter: QPainter, overview: HeadOverview, grid: CellGrid) -> None:
        """Draw the thumbnails in sight as one picture, in the pixels of the screen."""
        (rows, columns), ratio = grid.in_sight(self.box.geometry()), self.devicePixelRatioF()
        # Sides and gaps rounded each by itself would add up to another width than that of the grid.
        lefts = [round(grid.corner(column)[0] * ratio) for column in columns]
        tops = [round(grid.corner(row * grid.columns)[1] * ratio) for row in rows]
        if not lefts or not tops:
            return
        offsets = [[edge - edges[0] for edge in edges] for edges in (lefts, tops)]
        side = max(1, round(grid.side * ratio))
        key = rows, columns, offsets, side, ratio, self.look.palette  # moved a little it is the same picture
        if self._thumbnails is None:
            is_per_head = self.choice.is_per_head
            of_all = np.array(full_colour_of_all(overview, self._beside), np.float32)
            full = full_colours(overview, self._beside) if is_per_head else of_all
            self._thumbnails = Thumbnails(overview.pictures, full)
        if self._atlas is None or self._atlas[0] != key:
            heads = {
                (row - rows.start, column - columns.start): grid.heads[row * grid.columns + column]
                for row in rows
                for column in columns
                if row * grid.columns + column < len(grid.heads)
            }
            cells = self._thumbnails.cells(list(heads.values()), side)
            # The zero of the light map is the card's own white: thumbnails need an edge to be seen.
            colours = np.append(self.look.weights, np.array([0, self.look.colour("rule").rgb()], np.uint32))
            levels = atlas(cells, list(heads), *offsets)
            pixels = colours.take(levels, mode="wrap").astype(np.uint32, copy=False)  # EDGE is -1, CLEAR -2
            height, width = pixels.shape
            # QImage does not copy the pixels: it keeps a reference to the array.
            image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)
            image.setDevicePixelRatio(ratio)
            self._atlas = key, image
        painter.drawImage(QPointF(lefts[0] / ratio, tops[0] / ratio), self._atlas[1])

    # words

    def lines_of(self, part: Head) -> tuple[Line, ...]:
        """Return the name of a head, what it does, the pinned pair's weight and its measures."""
        layer, head = part
        title = self.tr("Layer {0} · Head {1}").format(layer, head)
        if self.overview.stamp.numbers == "residual":
            title = self.tr("Layer {0}, all heads together").format(layer)
        name = self.names.get((layer, head))
        about = "" if name is None else name_words(name, self.overview.special_names)
        changed = head_change_text(self._edits, layer, head, self.tr("muted: its output is zero"))
        sampled, n_sampled = "", self.overview.n_sampled(layer)
        if n_sampled is not None:
            words = self.tr("The picture is of {0} of {1} queries; the numbers follow.")
            sampled = words.format(f"{n_sampled:,}", f"{self.overview.n_tokens:,}")
        pair = self.pair if self.pair is not None and self.pair.fits(self.overview) else None
        lines = [text for text in (about, changed, sampled) if text]
        return (title, *lines, *numbers_of(self.overview, (layer, head), pair))

    def head_of(self, cell: Head) -> Head:
        """Return the head that a cell stands for: of a whole layer that of the active panel."""
        is_of_layer = self.overview.stamp.numbers == "residual"
        return (cell[0], self.active[1]) if is_of_layer and self.active is not None else cell

    def walk_to(self, head: Head) -> None:
        self.panels.show(*self.head_of(head), is_picked=False)


def numbers_of(overview: HeadOverview, at: Head, pair: PairInHeads | None = None) -> list[Line]:
    """Return all measures of a head as lines of a name and a number, a pair's weight before them."""
    numbers = {key: float(values[at]) for key, values in overview.measures.items()}
    blank = blank_measures(overview)
    rows: list[Line] = [
        (words.title, with_unit(key, numbers[key]))
        for key, words in measure_words(overview.special_names).items()
        if key not in blank
    ]
    if pair is not None:
        if pair.column.others is not None:
            words = QCoreApplication.translate("OverviewView", "the other tokens, mean")
            rows.insert(0, (words, fixed(float(pair.column.others[at]))))
        rows.insert(0, (pair.title, fixed(float(pair.column.weights[at]))))
    if overview.stamp != WEIGHTS:
        rows.insert(0, stamp_remark(overview.stamp))
    return [*rows, translated(NEEDS_ONE_TEXT)] if blank else rows


def shown_values(overview: HeadOverview, pair: PairInHeads | None, choice: OverviewChoice) -> Floats | None:
    """Return the numbers [L, H] of the cells; None where they show attention. `pair`: the one shown."""
    if pair is not None:
        return pair.column.weights
    return None if choice.shows == ATTENTION else overview.measures[choice.shows]
