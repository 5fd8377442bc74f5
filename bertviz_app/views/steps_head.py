"""What is said above the picture of a stop: its formula, its shapes, and a sentence for a student."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.viewmodels import step_words
from bertviz_app.viewmodels.step_tensors import Place
from bertviz_app.views.guard import Canvas
from bertviz_app.views.look import Look
from bertviz_app.views.steps_formula import fitting

_FORMULA, _SENTENCE = 40.0, 22.0
_MARGIN = 12.0


class StepsHead(Canvas):
    """The formula at the left, the shapes at the right, the sentence below if there is height for it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._place: Place | None = None
        self._lines = 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(300, self.look.pixels(_FORMULA) + self._lines * self.look.pixels(_SENTENCE))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def show_place(self, place: Place) -> None:
        """Speak of another stop, or of another query at it."""
        self._place = place
        sentence = step_words.sentence(place.stop.stage)
        self.setToolTip(sentence)
        self.setAccessibleName(step_words.title(place.stop.stage))
        self.setAccessibleDescription(f"{sentence} {step_words.shapes(place)}")
        self.update()

    def set_lines(self, lines: int) -> None:
        """Give the sentence so many lines; with none it is left to the tooltip."""
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def draw(self, painter: QPainter) -> None:
        place = self._place
        if place is None:
            return
        box = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, self.look.pixels(_FORMULA))
        shapes = step_words.shapes(place)
        painter.setFont(self.look.number_font(12))
        room = QFontMetricsF(painter.font()).horizontalAdvance(shapes)
        formulas = step_words.formulas(place)
        made = fitting(self.look, formulas, box.width(), 16)
        if made.box.width + room + 20 > box.width():
            shorter = fitting(self.look, formulas, max(40.0, box.width() - room - 20), 16)
            made = shorter if shorter.is_full_size else made
        painter.setPen(self.look.colour("text"))
        middle = box.center().y() + (made.box.above - made.box.below) / 2
        made.draw(painter, QPointF(box.left(), middle))
        if made.box.width + room + 20 <= box.width():
            painter.setFont(self.look.number_font(12))
            painter.setPen(self.look.colour("secondary"))
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shapes)
        if self._lines:
            self._draw_sentence(painter, box, step_words.sentence(place.stop.stage))

    def _draw_sentence(self, painter: QPainter, above: QRectF, sentence: str) -> None:
        painter.setFont(self.look.font(13))
        painter.setPen(self.look.colour("secondary"))
        height = self._lines * self.look.pixels(_SENTENCE) - 2
        box = QRectF(above.left(), above.bottom(), above.width(), height)
        metrics, text, wrap = QFontMetricsF(painter.font()), sentence, 0
        if self._lines == 1:
            text = metrics.elidedText(sentence, Qt.TextElideMode.ElideRight, box.width())
        elif metrics.horizontalAdvance(sentence) > box.width():
            wrap = Qt.TextFlag.TextWordWrap.value
        flags = (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value
        painter.drawText(box, flags | wrap, text)
