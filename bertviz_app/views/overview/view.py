"""All heads of every layer as one picture: of one run, or how far two runs are from each other in each."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QResizeEvent

from bertviz_app.analysis.attention.stamp import WEIGHTS, Stamp
from bertviz_app.analysis.compare import left_out
from bertviz_app.analysis.measures import NEEDS_ONE_TEXT, HeadName, HeadOverview, names_of
from bertviz_app.options import Run
from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.export import Numbers, Runs, divergence_as_python, with_remark
from bertviz_app.viewmodels.inspected import PairDifference, PairInHeads
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
from bertviz_app.viewmodels.runs.comparison import Consequences, consequences
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.viewmodels.state import ATTENTION, OverviewChoice
from bertviz_app.viewmodels.wording import (
    head_change_text,
    intervention_text,
    stamp_line,
    stamp_remark,
    translate,
    translated,
)
from bertviz_app.views.kit.canvas import draws_pixels
from bertviz_app.views.kit.look import LEFT, Look, Pencil, colour_table
from bertviz_app.views.kit.subject import AxisTitles, ExportSubject, sheet_of
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.overview.head_grid import (
    Head,
    HeadGridView,
    Rects,
    draw_differences,
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
from bertviz_app.views.plots.axes import draw_bar, signed_ends
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
    def pair_of_heads(self) -> PairInHeads | None:
        """The pinned pair; None without one, and while it is of another run's heads."""
        return self.pair if self.pair is not None and self.pair.fits(self.overview) else None

    @property
    def shown_pair(self) -> PairInHeads | None:
        """The pair whose weights the cells show; None where they show something else."""
        return self.pair_of_heads if self.choice.shows_pair else None

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        """Return what is exported of all heads; they have no axes where they stand in another order."""
        if self.overview is NO_HEADS:
            return None
        below = ""
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
            pair = self.pair_of_heads
            weights = None if pair is None else pair.column.weights
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
        lines = [text for text in (about, changed, sampled) if text]
        return (title, *lines, *numbers_of(self.overview, (layer, head), self.pair_of_heads))

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
            words = translate("OverviewView", "the other tokens, mean")
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


_SMALLEST = 16
_MARGIN = 40  # the room beside the sentences: for the names of the layers, and the frame
_LEAST_BAR = 60  # the colours are at least so wide where something longer than a number stands beside them
_MOST_INTERVENTIONS = 3  # so many interventions of one run alone are named; the rest are counted


class DivergenceView(HeadGridView):
    """Layers down and heads across, coloured by the Jensen-Shannon divergence of runs A and B in bits.

    While a pair of tokens is pinned that both runs have, and the options say so, a cell shows how much more
    weight the head gives that pair in run A than in run B.
    """

    foot_term = "divergence"

    def __init__(self, look: Look, panels: Panels) -> None:
        self._difference: Difference | None = None
        self._pair: PairInHeads | None = None
        self.pair_difference: PairDifference | None = None
        self._stamp = WEIGHTS
        self._consequences: Consequences | None = None
        super().__init__(look, panels)
        panels.store.watch(("overview",), self._describe)
        self.setAccessibleName(self.tr("How far runs A and B are apart, head by head"))
        self._describe()

    @property
    def values(self) -> Floats | None:
        """[L, H] in bits, None until they are measured."""
        return None if self._difference is None else self._difference.divergence

    @property
    def pair_of_heads(self) -> PairDifference | None:
        """The pair with a difference in each head; None where all heads of a layer have one together."""
        pair, values = self.pair_difference, self.values
        fits = pair is not None and values is not None and pair.values.shape == values.shape
        return pair if fits else None

    @property
    def shown_pair(self) -> PairDifference | None:
        """The pair whose differences the cells show; None where they show divergences."""
        return self.pair_of_heads if self.panels.store.now.overview.shows_pair else None

    @property
    def farthest(self) -> Head | None:
        """The head in which the runs are farthest apart in what the cells show; None where they are equal."""
        if self.shown_pair is not None:
            return self.shown_pair.farthest
        return None if self._difference is None else self._difference.farthest

    @property
    def sentence(self) -> str:
        """What there is to see, in one sentence."""
        if self.values is None:
            return str(self.tr("measuring …"))
        farthest, pair = self.farthest, self.shown_pair
        if pair is not None:
            return pair_sentence(pair)
        if farthest is None:
            return str(self.tr("All heads attend identically in both runs."))
        words: str = self.tr("Most different head: {0}·{1}, {2:.3f} bits")
        return words.format(*farthest, float(self.values[farthest]))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What of the two runs is not compared or not shown, in sentences."""
        if self._difference is None or self.values is None:
            return ()
        one, other = self._difference.traces
        shown = self._consequences
        if shown is not None and self.shown_pair is not None:  # the pair's numbers need the room
            shown = replace(shown, cosine=None, sentence_cosine=None)
        found = [] if shown is None else list(consequence_words(shown, (one, other)))
        found += [translated(text) for text in left_out(one, other, self._difference.alignment)]
        if self._pair is not None and self.pair_difference is None:
            words = self.tr("Run B has no counterpart of {0}: choose A above to see its weights.")
            found.append(words.format(self._pair.title))
        if self._stamp != WEIGHTS:
            words = self.tr(
                "Measured on the attention weights of all tokens, whatever other views show: {0}."
            )
            remark = stamp_remark(self._stamp)
            found.append(words.format(remark) if self.shown_pair is None else remark)
        return tuple(found)

    def show_difference(self, difference: Difference | None) -> None:
        """Show the divergences of two other runs."""
        self._difference = difference
        self._consequences = None if difference is None else consequences(*difference.traces)
        self._describe()

    def show_pair(
        self, pair: PairInHeads | None, difference: PairDifference | None = None, stamp: Stamp = WEIGHTS
    ) -> None:
        """Take the pair of tokens that is pinned in run A, and its difference if run B has it, too.

        `stamp`: which numbers the other views show.
        """
        self._pair, self.pair_difference, self._stamp = pair, difference, stamp
        self._describe()

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        found = {} if self.values is None else {"divergence": self.values}
        pair = self.pair_difference
        if pair is not None:
            of_what = "" if pair.one.stamp == WEIGHTS else f", {pair.one.stamp.text}"
            found[f"{pair.title}, A - B{of_what}"] = pair.values
        drawn = WEIGHTS if self.shown_pair is None else self.shown_pair.one.stamp
        return ExportSubject(
            self,
            "divergence",
            sheet_of(title, runs, "A-B", stamp_line(drawn)),
            runs.named("A-B", partial(Numbers, {"unit": "bits", **WEIGHTS.facts}, found)),
            with_remark(divergence_as_python(runs), self._stamp),
            AxisTitles(translate("AxisTitles", "layer"), translate("AxisTitles", "head")),
        )

    @Slot()
    def _describe(self) -> None:
        self.setAccessibleDescription(" ".join((self.sentence, *self.remarks)))
        self.refresh()
        self.updateGeometry()

    # drawing

    def draw_cells(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        if self.shown_pair is not None:
            draw_differences(painter, self.look, rects, self.shown_pair.values)
        elif self.values is not None:
            draw_measure(self, painter, rects, self.values, is_named=False)

    def draw_marks(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        """Frame the head in which the runs are farthest apart, and those in panels; cross out muted ones."""
        rect = None if self.farthest is None else rects.get(self.farthest)
        if rect is not None:
            Pencil(painter, self.look).box(rect.adjusted(-1.5, -1.5, 1.5, 1.5), "warning", 2.5)
        traces = () if self._difference is None else self._difference.traces
        self.draw_frames(painter, grid, rects, {at for trace in traces for at in trace.muted})

    def draw_foot(self, painter: QPainter) -> None:
        """Draw the colours, and below them the sentence and the remarks."""
        grid, look, pair = self.whole, self.look, self.shown_pair
        bar, room = room_of_bar(self, grid), self._room_of_sentence()
        if self.values is not None and pair is None:
            # The end of the scale, and as much of what it is as leaves the bar room.
            metrics = QFontMetricsF(look.font(12))
            texts = (
                translate("DivergenceView", "{0:.3f} bits of Jensen–Shannon divergence"),
                translate("DivergenceView", "{0:.3f} bits (Jensen–Shannon)"),
                translate("DivergenceView", "{0:.3f} bits"),
            )
            ends = [text.format(float(np.nanmax(self.values))) for text in texts]
            most = bar.width() - look.pixels(_LEAST_BAR) - metrics.horizontalAdvance("0") - 2 * 6
            end = next((end for end in ends if metrics.horizontalAdvance(end) <= most), ends[-1])
            draw_bar(painter, look, bar, ("0", end), look.weights)
        elif self.values is not None and pair is not None and pair.farthest is not None:
            # Else all differences are zero: there is no scale to show.
            both = signed_ends(fixed(float(np.nanmax(np.abs(pair.values)))))
            draw_bar(painter, look, bar, both, colour_table(look.palette.differences))
        pencil, font = Pencil(painter, look), look.font(12)
        pencil.write(self.sentence, room, font, side=LEFT)
        below = QRectF(grid.left, room.bottom() + 2, room.width(), self.height())
        pencil.prose(" ".join(self.remarks), below, font, "secondary")

    def _room_of_sentence(self) -> QRectF:
        grid, look = self.whole, self.look
        top = grid.bottom + look.pixels(24) if self.values is not None else 8
        return QRectF(grid.left, top, self.width() - grid.left - 6, look.pixels(20))

    def lines_of(self, part: Head) -> tuple[Line, ...]:
        """Return how far the runs are apart in a head, and what it gives the pinned pair in both."""
        assert self.values is not None
        title = self.tr("Layer {0} · Head {1}").format(*part)
        words = self.tr("{0:.4f} bits apart (Jensen-Shannon divergence, mean over the queries)")
        lines = [title, words.format(float(self.values[part]))]
        if self.pair_of_heads is not None:
            lines.append(pair_numbers(self.pair_of_heads, part))
        return tuple(lines)

    # geometry

    @property
    def shape(self) -> tuple[int, int]:
        n_layers, n_heads = (0, 0) if self.values is None else self.values.shape
        return n_layers, n_heads

    @property
    def smallest(self) -> int:
        """The smallest side of a cell: the sentences below the cells are to be in sight."""
        return _SMALLEST

    def foot(self, width: int) -> int:
        """Return the height below the cells: of the colours and the sentences at a width."""
        text, height = " ".join(self.remarks), super().foot(width) + self.look.pixels(22)
        if not text:
            return height
        room = QRectF(0, 0, max(100, width - self.look.pixels(_MARGIN)), 1000)
        metrics = QFontMetricsF(self.look.font(12))
        return height + math.ceil(metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()) + 6

    # its parts

    def part_at(self, at: QPointF) -> Head | None:
        """Return the head under a point; on the sentence, the head that it names."""
        room = self._room_of_sentence()
        room.setWidth(min(room.width(), QFontMetricsF(self.look.font(12)).horizontalAdvance(self.sentence)))
        return self.farthest if room.contains(at) else super().part_at(at)

    def on_entered(self) -> None:
        """Show the head in which the runs are farthest apart."""
        if self.farthest is not None:
            self.part_chosen.emit(self.farthest)


def pair_numbers(pair: PairDifference, at: Head) -> str:
    """Return the weights of a pair in one head of both runs, and their difference, as a line."""
    one, other = pair.weights(*at)
    words = translate("DivergenceView", "{0}: A {1} − B {2} = {3}")
    return words.format(pair.title, fixed(one), fixed(other), signed(one - other, 4))


def pair_sentence(pair: PairDifference) -> str:
    """Return which head gives a pair the most different weights in two runs."""
    if pair.farthest is None:
        same = translate("DivergenceView", "{0}: the same weight in both runs")
        if pair.one.stamp.numbers != "weight":
            same = translate("DivergenceView", "{0}: the same norm in both runs")
        return same.format(pair.title)
    change = signed(float(pair.values[pair.farthest]), 4)
    words = translate("DivergenceView", "A − B of {0}: the most in head {1}·{2}, {3}")
    return words.format(pair.title, *pair.farthest, change)


def consequence_words(found: Consequences, traces: tuple[Trace, Trace]) -> Iterator[str]:
    """Yield sentences on how two runs differ besides their tokens, and how far their vectors are apart."""
    of_run = dict(zip("AB", traces, strict=True))
    texts = [
        f"{run}: {intervention_text(one, of_run[run].edits, of_run[run].tokens, is_short=True)}"
        for run, one in found.others[:_MOST_INTERVENTIONS]
    ]
    others, more = "; ".join(texts), len(found.others) - len(texts)
    if more:
        others = translate("Divergence", "{0}; {1} more").format(others, more)
    heads = ", ".join(f"{layer}·{head}" for layer, head in found.muted)
    parts = (
        translate("Divergence", "the checkpoint") if found.has_other_model else "",
        translate("Divergence", "the tokens") if found.has_other_tokens else "",
        translate("Divergence", "the muted heads ({0})").format(heads) if heads else "",
        translate("Divergence", "interventions ({0})").format(others) if others else "",
    )
    if found.n_differences > 1:
        words = translate("Divergence", "The runs differ in several things: {0}.")
        yield words.format(", ".join(part for part in parts if part))
    elif heads:
        yield translate("Divergence", "Muted in one run only: {0}.").format(heads)
    elif others:
        yield translate("Divergence", "One run only: {0}.").format(others)
    if found.cosine is not None:
        pooled = translate("Divergence", "Cosine of the pooled vectors of A and B: {0}.")
        last = translate("Divergence", "Cosine of the last vectors of {1} in A and B: {0}.")
        yield (pooled if found.is_pooled else last).format(fixed(found.cosine, 4), found.first)
    if found.sentence_cosine is not None:
        words = translate("Divergence", "Cosine of the sentence vectors of A and B: {0}.")
        yield words.format(fixed(found.sentence_cosine, 4))
