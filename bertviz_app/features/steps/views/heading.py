"""The heading of a stop, and its formula."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy

from bertviz_app.features.steps.views.sheet_pen import SheetPen
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stops import StopTensors
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, named

_FORMULA, _SENTENCE, _SHAPES = 40.0, 22.0, 18.0
_TWO_CLOSE_LINES = 35.0
_MARGIN = 12.0


class StepsHead(Canvas):
    """The formula at the left, the shapes at the right, the sentence below if there is height for it."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._tensors: StopTensors | None = None
        self._sentence = ""
        self._lines = 1
        self._is_close = False
        self._has_shapes_below = False
        self.why = named(QPushButton(self), "plain", self.tr("Why there is this stage (Y)"))
        """Shows the reason for the stage."""
        self.why.setCheckable(True)
        self.why.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.place_why()

    def sizeHint(self) -> QSize:
        below = self.look.pixels(_SHAPES) if self._has_shapes_below else 0
        return QSize(300, self.look.pixels(_FORMULA) + below + round(self._room_of_lines))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.place_why()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Leave out the button, or show it again: the layout of a saved picture must not bring it back."""
        super().set_omits_hints(omits_hints=omits_hints)
        self.place_why()

    def place_why(self) -> None:
        """Lay the button at the right end of the sentence, if there is one."""
        self.why.setVisible(self._lines > 0 and not self.omits_hints)
        text, arrow = self.tr("Why?"), "▴" if self.why.isChecked() else "▾"
        self.why.setText(f"{text} {arrow}")
        height = self.look.pixels(_SENTENCE)
        width = self.why.sizeHint().width()
        top = self.sizeHint().height() - round((self._room_of_lines - 2 + height) / 2) - 2
        self.why.setGeometry(self.width() - width - 8, top, width, height)

    def show_stop(self, tensors: StopTensors, note: str = "") -> None:
        """Write the title, sentence and formulas of another stop, or of another query at it.

        A `note` stands instead of the sentence.
        """
        self._tensors = tensors
        stage, trace = tensors.stop.stage, tensors.trace
        self._sentence = sentence = note or step_words.sentence(stage, step_words.traits_of(tensors))
        title = step_words.title(stage, trace.tokens.special_names.first, trace.form)
        shapes = step_words.shapes(tensors)
        self.setToolTip(sentence)
        self.setAccessibleName(title)
        self.setAccessibleDescription(f"{sentence} {shapes}")
        self.update()

    def set_lines(self, lines: int, *, are_close: bool = False, has_shapes_below: bool = False) -> None:
        """Give the sentence `lines` lines, two of which may be close: with 0 it is only in the tool tip.

        With `has_shapes_below` the shapes have a line below the formula, which leaves no room beside it.
        """
        chosen = lines, are_close, has_shapes_below
        if chosen != (self._lines, self._is_close, self._has_shapes_below):
            self._lines, self._is_close, self._has_shapes_below = chosen
            self.updateGeometry()
            self.place_why()
            self.update()

    def draw(self, painter: QPainter) -> None:
        tensors = self._tensors
        if tensors is None:
            return
        pen = SheetPen(painter, self.look)
        box = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, self.look.pixels(_FORMULA))
        shapes = step_words.shapes(tensors)
        room = QFontMetricsF(self.look.number_font(12)).horizontalAdvance(shapes)
        formulas = step_words.formulas(tensors)
        made = fitting(self.look, formulas, box.width(), 16)
        if not self._has_shapes_below and made.box.width + room + 20 > box.width():
            shorter = fitting(self.look, formulas, max(40.0, box.width() - room - 20), 16)
            made = shorter if shorter.is_full_size else made
        pen.draw_formula(made, box, "text")
        if self._has_shapes_below:
            box = QRectF(box.left(), box.bottom(), box.width(), self.look.pixels(_SHAPES))
            pen.write(shapes, box, self.look.number_font(12), "secondary", LEFT)
        elif made.box.width + room + 20 <= box.width():
            pen.write(shapes, box, self.look.number_font(12), "secondary", RIGHT)
        if self._lines:
            width = box.width() - self.why.width()
            box = QRectF(box.left(), box.bottom(), width, self._room_of_lines - 2)
            is_one_line = self._lines == 1
            font, text = fitting_sentence(self.look, self._sentence, box.size(), is_one_line=is_one_line)
            if is_one_line:
                pen.write(text, box, font, "secondary", LEFT)
            else:
                pen.prose(text, box, font, "secondary", LEFT)

    @property
    def _room_of_lines(self) -> float:
        pixels = self.look.pixels
        return pixels(_TWO_CLOSE_LINES) if self._is_close else self._lines * pixels(_SENTENCE)


def fitting_sentence(look: Look, sentence: str, room: QSizeF, *, is_one_line: bool) -> tuple[QFont, str]:
    """Return the font and as much of a sentence as fits into `room`: a little smaller, else with an ellipsis.

    It is wrapped at words unless `is_one_line`.
    """
    fonts = [look.font(pixels) for pixels in (13, 12, 11)]
    for font in fonts:
        if _fits(QFontMetricsF(font), sentence, room, is_one_line=is_one_line):
            return font, sentence
    if is_one_line:
        metrics = QFontMetricsF(fonts[0])
        return fonts[0], metrics.elidedText(sentence, Qt.TextElideMode.ElideRight, room.width())
    words = sentence.split()
    metrics = QFontMetricsF(fonts[-1])
    while len(words) > 1 and not _fits(metrics, f"{' '.join(words)} …", room, is_one_line=False):
        words.pop()
    return fonts[-1], f"{' '.join(words)} …"


def _fits(metrics: QFontMetricsF, text: str, room: QSizeF, *, is_one_line: bool) -> bool:
    if is_one_line:
        return metrics.horizontalAdvance(text) <= room.width()
    box = QRectF(0, 0, room.width(), 10_000)
    wrapped = metrics.boundingRect(box, Qt.TextFlag.TextWordWrap.value, text)
    return wrapped.height() <= room.height() and wrapped.width() <= room.width()
