"""How differently each head attends in two runs: all heads as cells, the farthest apart named."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.compare import left_out
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.viewmodels.overview_options import CellGrid
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.consequences import Consequences, consequences
from bertviz_app.viewmodels.runs.requests import Difference
from bertviz_app.viewmodels.wording.error_words import translated
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.overview import marks
from bertviz_app.views.overview.head_grid import HeadGridView

_MARGIN = 40
"""The names of the layers, and the frame, beside the sentences."""


class DivergenceView(HeadGridView):
    """Layers down and heads across, coloured by the Jensen-Shannon divergence of runs A and B in bits."""

    foot_term = "divergence"

    def __init__(self, look: Look, panels: Panels, parent: QWidget | None = None) -> None:
        super().__init__(look, panels, parent)
        self._difference: Difference | None = None
        self._pair: PairInHeads | None = None
        self._consequences: Consequences | None = None
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("How far runs A and B are apart, head by head"))
        self.setAccessibleDescription(self.sentence)

    @property
    def values(self) -> NDArray[np.float32] | None:
        """[L, H] in bits, None until they are measured."""
        return None if self._difference is None else self._difference.divergence

    @property
    def sentence(self) -> str:
        """What there is to see, in one sentence."""
        if self._difference is None or self.values is None:
            return self.tr("measuring …")
        farthest = self._difference.farthest
        if farthest is None:
            return self.tr("All heads attend identically in both runs.")
        words = self.tr("Most different head: {0}·{1}, {2:.3f} bits")
        return words.format(*farthest, float(self.values[farthest]))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What of the two runs is not compared or not shown, in sentences."""
        if self._difference is None or self.values is None:
            return ()
        one, other = self._difference.traces
        found = [] if self._consequences is None else list(consequence_words(self._consequences))
        found += [translated(text) for text in left_out(one, other, self._difference.alignment)]
        if self._pair is not None:
            words = self.tr("The weight of {0} in every head is shown of one run: choose A or B above.")
            found.append(words.format(self._pair.title))
        return tuple(found)

    def show_difference(self, difference: Difference | None) -> None:
        """Show the divergences of two other runs."""
        self._difference = difference
        self._consequences = None if difference is None else consequences(*difference.traces)
        self.hovered = None
        self._describe()

    def show_pair(self, pair: PairInHeads | None) -> None:
        """Take the pair of tokens that is pinned in run A, whose weights are not shown here."""
        self._pair = pair
        self._describe()

    def _describe(self) -> None:
        self.setAccessibleDescription(" ".join((self.sentence, *self.remarks)))
        self.updateGeometry()
        self.update()

    # drawing

    @property
    def _muted(self) -> frozenset[marks.Head]:
        """The heads that either run mutes."""
        return (
            frozenset(at for trace in self._difference.traces for at in trace.muted)
            if self._difference
            else frozenset()
        )

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        values, grid = self.values, self.cell_grid()
        if values is not None and self._difference is not None:
            marks.draw_measure(painter, self.look, grid, values, is_named=False)
            marks.draw_edges(painter, self.look, grid, self.hovered or self.active)
            self._draw_farthest(painter, grid, self._difference.farthest)
            marks.draw_frames(painter, self.look, grid, self.panels, self.hovered, self._muted)
            corner = QPointF(grid.left, grid.bottom + self.look.pixels(4))
            end = self.tr("{0:.3f} bits").format(float(values.max()))
            marks.draw_bar(painter, self.look, corner, max(60.0, self.width() - grid.left - 6), end)
        painter.setFont(self.look.font(12))
        painter.setPen(self.look.colour("text"))
        top = grid.bottom + self.look.pixels(24) if values is not None else 8
        room = QRectF(grid.left, top, self.width() - grid.left - 6, self.look.pixels(20))
        elided = painter.fontMetrics().elidedText(
            self.sentence, Qt.TextElideMode.ElideRight, round(room.width())
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)
        painter.setPen(self.look.colour("secondary"))
        below = QRectF(grid.left, room.bottom() + 2, room.width(), self.height())
        painter.drawText(below, Qt.TextFlag.TextWordWrap, " ".join(self.remarks))

    def _draw_farthest(self, painter: QPainter, grid: CellGrid, at: tuple[int, int] | None) -> None:
        rect = marks.cell_rects(grid).get(at) if at is not None else None
        if rect is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.look.colour("warning"), 2.5))
            painter.drawRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5))

    def read_out(self, layer: int, head: int) -> str:
        """Return the tooltip of a head, as rich text."""
        assert self.values is not None
        title = self.tr("Layer {0} · Head {1}").format(layer, head)
        words = self.tr("{0:.4f} bits apart (Jensen-Shannon divergence, mean over the queries)")
        return f"<b>{title}</b><br>{words.format(float(self.values[layer, head]))}"

    # geometry

    @property
    def counts(self) -> tuple[int, int]:
        """The number of positions of queries and of keys."""
        values = self.values
        return (0, 0) if values is None else (values.shape[0], values.shape[1])

    @property
    def heads(self) -> tuple[marks.Head, ...]:
        """The shape of all heads."""
        n_layers, n_heads = self.counts
        return tuple((layer, head) for layer in range(n_layers) for head in range(n_heads))

    @property
    def foot(self) -> int:
        """The height below the cells, in pixels."""
        return super().foot + self.look.pixels(22) + self._remarks_height()  # the sentences

    def _remarks_height(self) -> int:
        text = " ".join(self.remarks)
        if not text:
            return 0
        room = QRectF(0, 0, max(100, self.width() - self.look.pixels(_MARGIN)), 1000)
        metrics = QFontMetricsF(self.look.font(12))
        return math.ceil(metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()) + 6

    # gestures

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        farthest = None if self._difference is None else self._difference.farthest
        grid, at = self.cell_grid(), event.position()
        is_on_sentence = at.y() >= grid.bottom and grid.head_at(at.x(), at.y()) is None
        if farthest is not None and is_on_sentence and event.button() == Qt.MouseButton.LeftButton:
            self.head_chosen.emit(*farthest)  # its name stands there
        else:
            super().mousePressEvent(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        farthest = None if self._difference is None else self._difference.farthest
        if farthest is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.head_chosen.emit(*farthest)
        else:
            super().keyPressEvent(event)


def consequence_words(found: Consequences) -> Iterator[str]:
    """Yield in sentences what two runs differ in, where it is more than one thing, and what came of it."""
    translate = QCoreApplication.translate
    heads = ", ".join(f"{layer}·{head}" for layer, head in found.muted)
    parts = (
        translate("Divergence", "the checkpoint") if found.has_other_model else "",
        translate("Divergence", "the tokens") if found.has_other_tokens else "",
        translate("Divergence", "the muted heads ({0})").format(heads) if heads else "",
    )
    if found.n_differences > 1:
        words = translate("Divergence", "The runs differ in several things: {0}.")
        yield words.format(", ".join(part for part in parts if part))
    elif heads:
        yield translate("Divergence", "Muted in one run only: {0}.").format(heads)
    if found.cosine is not None:
        pooled = translate("Divergence", "Cosine of the pooled vectors of A and B: {0}.")
        last = translate("Divergence", "Cosine of the last vectors of {1} in A and B: {0}.")
        yield (pooled if found.is_pooled else last).format(fixed(found.cosine, 4), found.first)
