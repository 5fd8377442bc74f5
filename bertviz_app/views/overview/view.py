"""The overview: every head of every layer as one image; click a head to show it."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.head_names import HeadName, names_of
from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.viewmodels.head_atlas import atlas, full_colour_of_all, full_colours, thumbnails
from bertviz_app.viewmodels.heads.overview_cells import GAP, Arrangement, CellGrid, arranged
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.viewmodels.overview_options import OverviewOptions
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.wording.intervention_words import head_change_text
from bertviz_app.viewmodels.wording.stamp_words import stamp_remark
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.overview import marks, measure_words
from bertviz_app.views.overview.cell_values import end_of_bar, shown_values
from bertviz_app.views.overview.head_grid import HeadGridView
from bertviz_app.views.overview.marks import Head

_SMALLEST_NAMED = 36  # a rearranged cell holds its name
_VEIL = 0.8


class OverviewView(HeadGridView):
    """A grid of heads, layers down and heads across, or by a measure from its largest value on.

    A cell shows its head's attention, as bright as its own largest weight, or one measure of it; while a pair
    of tokens is pinned, and the options say so, the weight that the head gives that pair.
    """

    def __init__(
        self,
        look: Look,
        panels: Panels,
        options: OverviewOptions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, panels, parent)
        self.options = options or OverviewOptions(self)
        self.overview: HeadOverview | None = None
        self.pair: PairInHeads | None = None
        self.names: dict[Head, HeadName] = {}
        self.cells = Arrangement((), frozenset(), False)
        self._atlas: QImage | None = None
        self._edits = NO_EDITS
        self._beside: HeadOverview | None = None
        self.setAccessibleName(self.tr("Overview of all heads"))
        self.options.changed.connect(self._on_options_changed)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Overview of all heads"))

    def show_overview(self, overview: HeadOverview, beside: HeadOverview | None = None) -> None:
        """Show the heads of another result; `beside` is the run whose heads share their scales with them."""
        self.overview = overview
        self.names = names_of(overview.measures, overview.n_queries)
        self._beside = beside
        self.hovered = None
        self._rebuild()
        self.updateGeometry()

    def show_pair(self, pair: PairInHeads | None) -> None:
        """Take the pinned pair of tokens, or that there is none."""
        self.pair = pair
        self._rebuild()
        self.updateGeometry()

    @property
    def shown_pair(self) -> PairInHeads | None:
        """The pair whose weights the cells show; None where they show something else."""
        pair, overview = self.pair, self.overview
        fits = pair is not None and overview is not None and pair.fits(overview)
        return pair if fits and self.options.value.shows_pair else None

    def show_edits(self, edits: Edits) -> None:
        """Cross out the heads whose output is replaced by zeros or by a mean."""
        self._edits = edits
        self.update()

    # geometry

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads (layer, head) in the order of their cells."""
        return self.cells.heads

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of layers and of heads in each; (0, 0) before there is an overview."""
        return (0, 0) if self.overview is None else heads_of(self.overview)

    @property
    def grid(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        if self.overview is None or not self.cells.is_rearranged:
            return self.counts
        columns = max(1, min(self.counts[1], int((self.width() - 4) // (self.smallest + GAP))))
        return -(-len(self.heads) // columns), columns

    @property
    def corner(self) -> tuple[float, float]:
        """The left and the top edge of the first cell."""
        return (3, 4) if self.cells.is_rearranged else super().corner

    @property
    def smallest(self) -> int:
        """The smallest side of a cell, in pixels."""
        return self.look.pixels(_SMALLEST_NAMED) if self.cells.is_rearranged else super().smallest

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        # Rearranged cells go into as many columns as there is room for.
        return QSize(3 * (self.smallest + GAP) + 4, size.height()) if self.cells.is_rearranged else size

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self.overview is None:
            return
        cells, look, grid = self.cells, self.look, self.cell_grid()
        shown = self.overview, self.shown_pair, self.options.value
        values = shown_values(*shown)
        if self._atlas is not None:
            ratio = self._atlas.devicePixelRatio()
            corner = QPointF(_pixel(grid.left, ratio) / ratio, _pixel(grid.top, ratio) / ratio)
            painter.drawImage(corner, self._atlas)
        elif values is not None:
            marks.draw_measure(painter, look, grid, values, is_named=cells.is_rearranged)
        for at in cells.dimmed:
            painter.fillRect(self.cell_rect(*at), look.colour("card", _VEIL))
        current, sample = self.hovered or self.active, self.overview.sample
        if cells.is_rearranged:
            _draw_names(painter, look, grid, current)
        else:
            sampled = () if sample is None else np.flatnonzero(sample.layers).tolist()
            marks.draw_edges(painter, look, grid, current, sampled)
        marks.draw_frames(painter, look, grid, self.panels, self.hovered, self._edits.constant_heads)
        end = end_of_bar(*shown, self._beside)
        corner = QPointF(grid.left, grid.bottom + look.pixels(4))
        marks.draw_bar(painter, look, corner, max(60.0, self.width() - grid.left - 6), end)

    def read_out(self, layer: int, head: int) -> str:
        """Return the name of a head, what it does, the pinned pair's weight and its measures: the tooltip."""
        assert self.overview is not None
        title = self.tr("Layer {0} · Head {1}").format(layer, head)
        if self.overview.stamp.numbers == "residual":
            title = self.tr("Layer {0}, all heads together").format(layer)
        muted = self.tr("muted: its output is zero")
        changed = escape(head_change_text(self._edits, layer, head, muted))
        name = self.names.get((layer, head))
        lines = "" if name is None else measure_words.name_words(name, self.overview.special_names)
        pair = self.pair if self.pair is not None and self.pair.fits(self.overview) else None
        n_sampled = self.overview.n_sampled(layer)
        if n_sampled is not None:
            words = self.tr("The picture is of {0} of {1} queries; the numbers follow.")
            changed += f"<br>{words.format(f'{n_sampled:,}', f'{self.overview.n_tokens:,}')}"
        return f"<b>{title}</b> {escape(lines)} {changed}{table_of(self.overview, (layer, head), pair)}"

    def _rebuild(self) -> None:
        overview, choice = self.overview, self.options.value
        if overview is not None:
            fits = self.pair is not None and self.pair.fits(overview)
            weights = self.pair.column.weights if fits and self.pair is not None else None
            self.cells = arranged(overview.measures, choice, weights)
            has_values = shown_values(overview, self.shown_pair, choice) is not None
            self._atlas = None if has_values else _drawn_atlas(self, overview, self._beside)
        self.update()

    # gestures

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.active is not None:
            self.head_added.emit(*self.active)
        else:
            super().keyPressEvent(event)

    def walk(self, rows: int, columns: int) -> None:
        """Choose the head a number of cells from the active panel's, going round at the ends."""
        if self.cells.is_rearranged:
            super().walk(rows, columns)
        else:
            self.panels.walk(rows, columns)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._rebuild()
        if self.cells.is_rearranged:
            self.updateGeometry()  # fewer columns need more rows

    @Slot()
    def _on_options_changed(self) -> None:
        self.hovered = None
        self._rebuild()
        self.updateGeometry()

    @Slot()
    def _on_look_changed(self) -> None:
        self._rebuild()
        super()._on_look_changed()


def _drawn_atlas(view: OverviewView, overview: HeadOverview, beside: HeadOverview | None) -> QImage:
    """Return the thumbnails of all heads in one picture."""
    grid, ratio = view.cell_grid(), view.devicePixelRatioF()
    side = max(1, round(grid.side * ratio))
    is_per_head = view.options.value.is_per_head
    full = (
        full_colours(overview, beside)
        if is_per_head
        else np.array(full_colour_of_all(overview, beside), np.float32)
    )
    cells = thumbnails(overview.pictures, side, full)
    # Sides and gaps rounded each by itself would add up to another width than that of the grid.
    lefts = [_pixel(grid.corner(column)[0], ratio) for column in range(grid.columns)]
    tops = [_pixel(grid.corner(row * grid.columns)[1], ratio) for row in range(max(1, grid.rows))]
    of_columns, of_rows = ([edge - edges[0] for edge in edges] for edges in (lefts, tops))
    return _image_of(atlas(cells, grid.heads, of_columns, of_rows), view.look, ratio)


def _pixel(at: float, ratio: float) -> int:
    """Return the pixel of the screen at a coordinate of the widget."""
    return round(at * ratio)


def heads_of(overview: HeadOverview) -> tuple[int, int]:
    """Return (layers, heads) of an overview."""
    n_layers, n_heads = overview.pictures.shape[:2]
    return int(n_layers), int(n_heads)


def _draw_names(painter: QPainter, look: Look, grid: CellGrid, current: Head | None) -> None:
    """Write into each cell which head it is."""
    painter.setFont(look.number_font(10))
    for at, rect in marks.cell_rects(grid).items():
        band = QRectF(rect.left(), rect.top(), rect.width(), marks.name_height(look))
        painter.fillRect(band, look.colour("card", 0.85))
        painter.setPen(look.colour("accent" if at == current else "text"))
        painter.drawText(band, Qt.AlignmentFlag.AlignCenter, f"{at[0]}·{at[1]}")


def table_of(overview: HeadOverview, at: Head, pair: PairInHeads | None = None) -> str:
    """Return all measures of a head as lines of rich text, a pair's weight before them."""
    numbers = {key: float(values[at]) for key, values in overview.measures.items()}
    rows = [
        (words.title, measure_words.with_unit(key, numbers[key]))
        for key, words in measure_words.measure_words(overview.special_names).items()
    ]
    if pair is not None:
        rows.insert(0, (pair.title, fixed(float(pair.column.weights[at]))))
    if overview.stamp != WEIGHTS:
        rows.insert(0, (stamp_remark(overview.stamp), ""))
    lines = (
        f"<tr><td>{escape(title)}</td><td align='right'>&nbsp;&nbsp;{text}</td></tr>" for title, text in rows
    )
    return f"<table>{''.join(lines)}</table>"


def _image_of(picture: NDArray[np.int16], look: Look, ratio: float) -> QImage:
    """Return an atlas in the colours of weights."""
    # The zero of the light map is the card's own white: thumbnails need an edge to be seen.
    colours = np.append(look.weights, np.array([0, look.colour("rule").rgb()], np.uint32))
    pixels = np.ascontiguousarray(colours[picture], np.uint32)
    height, width = pixels.shape
    drawn = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied).copy()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def has_thumbnails(view: OverviewView) -> bool:
    """Return whether a cell is a small picture of the attention of its head, and no number."""
    overview = view.overview
    return overview is not None and shown_values(overview, view.shown_pair, view.options.value) is None
