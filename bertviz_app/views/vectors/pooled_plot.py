"""The vector that stands for a text, as a plot: a bar for each dimension, with a zoom of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.plane import ticks
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.gestures import Gestures
from bertviz_app.views.kit.heatmaps.heatmap import SMALL
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.vectors.bars import BarsView
from bertviz_app.views.vectors.choice import Choice

_NUMBERS = 46.0  # pixels for the values at the left
_RIGHT = 6.0
_NO_MODIFIER, _KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier
_APART = 1.6  # of the widest number of a dimension, from one to the next


class VectorPlot(QWidget):
    """The bars of one vector [D], and which vector it is: `kinds` is hidden where there is one alone."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars = PlottedBars(look)
        self.kinds = Choice(("pooled", "sentence"))
        self.kinds.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 8, 4, 6)
        column.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignRight)
        column.addWidget(self.bars, 1)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.bars.setAccessibleName(self.tr("Values of the vector, one bar each"))
        pooled = self.tr("The pooler's output, or else the last hidden state of [CLS]")
        sentence = self.tr("The sentence vector, as sentence-transformers computes it")
        texts = {
            "pooled": (self.tr("Pooled"), pooled),
            "sentence": (self.tr("Sentence"), sentence),
        }
        self.kinds.set_choices(texts, self.tr("Which vector is shown"))

    def offer_sentence(self, is_offered: bool, chosen: str) -> None:
        """Let the user choose the sentence vector, where there is one; `chosen` is what is shown."""
        self.kinds.setVisible(is_offered)
        self.kinds.choose(chosen)

    def show_values(self, values: NDArray[np.float32]) -> None:
        """Show another vector [D]; the zoom stays where the size does."""
        self.bars.show_vector(values, "")
        ends = (fixed(float(end)) for end in (values.min(), values.max()))
        described = self.tr("{0} values, from {1} to {2}").format(len(values), *ends)
        for widget in (self, self.bars):
            widget.setAccessibleDescription(described)

    def set_stale(self, is_stale: bool) -> None:
        """Dim the bars while they are out of date."""
        self.bars.set_stale(is_stale)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(180, 90)


class PlottedBars(BarsView):
    """Bars with the numbers of their dimensions below; wheel zooms, drag moves, double click shows all.

    With the focus, ← and → read out one dimension after the other, Home and End the first and the last.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.span = Span(0.0, 0.0)
        self._n_dimensions = 0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        gestures = Gestures(self, lambda: self.span.length < self._n_dimensions)
        gestures.moved.connect(self.point_at)
        gestures.left.connect(lambda: self.point_at(None))
        gestures.dragged.connect(self._on_dragged)
        gestures.scaled.connect(self._on_scaled)
        gestures.double_clicked.connect(lambda _: self.show_all())

    def show_vector(self, values: NDArray[np.float32], title: str) -> None:
        """Show another vector [D], all of it if its size is another."""
        if len(values) != self._n_dimensions:
            self._n_dimensions = len(values)
            self.show_all()
        super().show_vector(values, title)

    @Slot()
    def show_all(self) -> None:
        """Show all dimensions."""
        self.show_span(Span(0.0, float(self._n_dimensions)))

    def show_span(self, span: Span) -> None:
        """Show some dimensions, as far as there are any."""
        self.span = span.within(self._n_dimensions)
        self.set_axis(self._axis_of(self.span))

    def _axis_of(self, span: Span) -> Axis:
        left = self.look.pixels(_NUMBERS)
        return Axis(span, left, max(10.0, self.width() - left - _RIGHT))

    @Slot(float, QPointF)
    def _on_scaled(self, factor: float, at: QPointF) -> None:
        about = self._axis_of(self.span).position(at.x())
        self.show_span(self.span.zoomed(factor, about, self._n_dimensions))

    @Slot(QPointF, QPointF)
    def _on_dragged(self, start: QPointF, end: QPointF) -> None:
        axis = self._axis_of(self.span)
        self.show_span(self.span.moved(axis.position(start.x()) - axis.position(end.x())))

    def margins(self) -> tuple[float, float]:
        """Return room for half a number above the bars, and for those of the dimensions below."""
        height = QFontMetricsF(self.look.number_font(SMALL)).height()
        return height / 2, 1.3 * height

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self._n_dimensions:
            self._draw_dimensions(painter)
        super().draw(painter)

    def _draw_dimensions(self, painter: QPainter) -> None:
        painter.setFont(self.look.number_font(SMALL))
        painter.setPen(self.look.colour("secondary"))
        metrics, axis, plot = QFontMetricsF(painter.font()), self._axis_of(self.span), self.plot
        widest = _APART * metrics.horizontalAdvance(str(self._n_dimensions))
        marked = ticks(self.span.first, self.span.last - 1, plot.width(), widest)
        for dimension in sorted({round(value) for value in marked if float(value).is_integer()}):
            if axis.shows(dimension):
                middle = axis.middle(dimension)
                box = QRectF(middle - widest, plot.bottom(), 2 * widest, self.height() - plot.bottom())
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(dimension))

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Claim the keys that read out dimensions: elsewhere in the window they walk through the heads."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._dimension_by(event) is not None:
            event.accept()
            return True
        return bool(super().event(event))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Read out another dimension, and bring it into sight."""
        dimension = self._dimension_by(event)
        if dimension is None:
            event.ignore()
            return
        first, length = self.span.first, self.span.length
        self.show_span(self.span.moved(min(dimension - first, 0) + max(dimension + 1 - first - length, 0)))
        self.point_at(QPointF(self._axis_of(self.span).middle(dimension), self.plot.center().y()))

    def _dimension_by(self, event: QKeyEvent) -> int | None:
        """Return the dimension that a key leads to, None for any other key."""
        last = self._n_dimensions - 1
        if last < 0 or event.modifiers() not in (_NO_MODIFIER, _KEYPAD):
            return None
        now = self._mark
        dimensions = {
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
            Qt.Key.Key_Left: last if now is None else max(0, now - 1),
            Qt.Key.Key_Right: 0 if now is None else min(last, now + 1),
        }
        return dimensions.get(Qt.Key(event.key()))

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Read out no dimension any more."""
        self.point_at(None)
        super().focusOutEvent(event)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.show_span(self.span)

    def _on_look_changed(self) -> None:
        self.show_span(self.span)
        super()._on_look_changed()
