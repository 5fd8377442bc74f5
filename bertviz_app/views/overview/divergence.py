"""How far two runs are from each other in each head."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.analysis.attention.stamp import WEIGHTS, Stamp
from bertviz_app.analysis.compare import left_out
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.export import Numbers, Runs, divergence_as_python, with_remark
from bertviz_app.viewmodels.inspected import PairDifference, PairInHeads
from bertviz_app.viewmodels.overview import CellGrid
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.comparison import Consequences, consequences
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.viewmodels.wording import intervention_text, stamp_line, stamp_remark, translated
from bertviz_app.views.kit.look import LEFT, Look, Pencil, colour_table
from bertviz_app.views.kit.subject import AxisTitles, ExportSubject, sheet_of
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.overview.head_grid import (
    Head,
    HeadGridView,
    Rects,
    draw_differences,
    draw_measure,
    room_of_bar,
)
from bertviz_app.views.plots.axes import draw_bar, signed_ends
from bertviz_app.views.plots.plot import Line

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
        translate = QCoreApplication.translate
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
            translate, metrics = QCoreApplication.translate, QFontMetricsF(look.font(12))
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
    words = QCoreApplication.translate("DivergenceView", "{0}: A {1} − B {2} = {3}")
    return words.format(pair.title, fixed(one), fixed(other), signed(one - other, 4))


def pair_sentence(pair: PairDifference) -> str:
    """Return which head gives a pair the most different weights in two runs."""
    translate = QCoreApplication.translate
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
    translate, of_run = QCoreApplication.translate, dict(zip("AB", traces, strict=True))
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
