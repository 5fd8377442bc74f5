"""`PredictionsView`: what the task heads say to one run, as bars; a click puts a piece into the text."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.analysis.predictions import TOP
from bertviz_app.viewmodels.runs.predictions import RunPrediction
from bertviz_app.views.inspector.prediction_lines import LEAST, Line, lines_of, n_fixed, n_listed, why_nothing
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look

_MARGIN = 14.0
_NARROW = 8.0  # where two runs stand side by side
_LINE = 18.0
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class PredictionsView(Canvas):
    """The lines of one run; arrows walk those that do something, Enter or a click does it.

    `piece_chosen` (position, piece) is to be put into the text, `token_chosen` to be pinned.
    """

    piece_chosen = Signal(int, str)
    token_chosen = Signal(int)

    def __init__(self, look: Look, run: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._run = run
        self._prediction: RunPrediction | None = None
        self._highlighted: int | None = None
        self._is_named = False
        self._lines: list[Line] = []
        self._at: int | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Predictions for run {0}").format(self._run))
        self._write_lines()

    def show_prediction(
        self, prediction: RunPrediction | None, highlighted: int | None, *, is_named: bool
    ) -> None:
        """Show the predictions of a run, under its name if `is_named`; `highlighted`: a token."""
        self._prediction, self._highlighted, self._is_named = prediction, highlighted, is_named
        self._write_lines()
        self.updateGeometry()

    def _write_lines(self) -> None:
        lines = (
            [] if self._prediction is None else lines_of(self._prediction, self._highlighted, self._most())
        )
        self._lines = [*((Line("run", self._run),) if self._is_named else ()), *lines]
        doing = self._doing()
        self._at = self._at if self._at in doing else None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if doing else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription(", ".join(line.description for line in self._lines if line.description))
        self.update()

    # sizes

    @property
    def desired_height(self) -> int:
        """The height in which all lists are whole."""
        return self._height(TOP)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(120, self.desired_height)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(90, self._height(LEAST))

    def _height(self, most: int) -> int:
        if self._prediction is None:
            return 0
        name, sentence = self._is_named * self._pitch(), why_nothing(self._prediction)
        if sentence:
            return math.ceil(name + self._wrapped(sentence) + 10)
        count = n_fixed(self._prediction) + min(n_listed(self._prediction), most)
        return math.ceil(name + count * self._pitch() + 10)

    def _most(self) -> int:
        """Return how many rows of a list there is room for."""
        if self._prediction is None:
            return TOP
        rest = self.height() - self._height(0)
        return min(max(int(rest / self._pitch()), LEAST), TOP)

    def _margin(self) -> float:
        return _NARROW if self._is_named else _MARGIN

    def _pitch(self) -> float:
        return self.look.pixels(_LINE)

    def _boxes(self) -> list[QRectF]:
        """Return where each line lies."""
        boxes, top, pitch, margin = [], 2.0, self._pitch(), self._margin()
        for line in self._lines:
            height = 0.5 * pitch if line.kind == "gap" else pitch
            if line.kind == "sentence":
                height = max(pitch, self._wrapped(line.text))
            boxes.append(QRectF(margin, top, self.width() - 2 * margin, height))
            top += height
        return boxes

    def _wrapped(self, text: str) -> float:
        room = QRectF(0, 0, max(1.0, self.width() - 2 * self._margin()), 1000)
        metrics = QFontMetricsF(self.look.font(12))
        return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height() + 2

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        for index, (line, box) in enumerate(zip(self._lines, self._boxes(), strict=True)):
            if box.bottom() > self.height() + 1:  # half a line says nothing
                return
            if line.kind == "bar":
                self._draw_bar(painter, line, box, is_highlighted=index == self._at)
            elif line.kind == "sentence":
                painter.setFont(self.look.font(12))
                painter.setPen(self.look.colour("secondary"))
                painter.drawText(box, Qt.TextFlag.TextWordWrap, line.text)
            elif line.kind == "number":
                self._write(painter, line.text, line.shown_value, box, ("secondary", "text"))
            elif line.kind == "run":
                colour = "accent" if line.text == "A" else "sentence_b"
                self._write(painter, line.text, "", box, (colour, "text"), self.look.font(13, bold=True))
            elif line.kind == "title":
                bold = self.look.font(13, bold=True)
                self._write(painter, line.text, line.note, box, ("text", "secondary"), bold)

    def _draw_bar(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if is_highlighted:
            painter.setBrush(self.look.colour("raised"))
            painter.drawRoundedRect(box.adjusted(-6, 0, 6, -1), 4, 4)
        colour = "secondary" if line.is_seen else "accent"
        painter.setBrush(self.look.colour(colour, 0.42 if line.is_marked else 0.22))
        length = max(2.0, box.width() * (line.value or 0.0))
        painter.drawRoundedRect(QRectF(box.left(), box.top() + 1, length, box.height() - 3), 3, 3)
        if is_highlighted:
            painter.setPen(self.look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-5.5, 0.5, 5.5, -1.5), 4, 4)
        font = self.look.font(13, bold=line.is_marked)
        self._write(painter, line.text, line.shown_value, box.adjusted(5, 0, 0, 0), ("text", "text"), font)

    def _write(
        self,
        painter: QPainter,
        text: str,
        right: str,
        box: QRectF,
        colours: tuple[str, str],
        font: QFont | None = None,
    ) -> None:
        """Write `text` at the left of `box`, shortened where `right` leaves it too little room."""
        is_number = right[-1:].isdigit()
        number = self.look.number_font(12) if is_number else self.look.font(12)
        painter.setFont(number)
        painter.setPen(self.look.colour(colours[1]))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, right)
        room = box.width() - QFontMetricsF(number).horizontalAdvance(right) - 6
        font = font or self.look.font(12)
        painter.setFont(font)
        painter.setPen(self.look.colour(colours[0]))
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, shown)

    # gestures

    def _doing(self) -> list[int]:
        """Return the lines that do something."""
        return [index for index, line in enumerate(self._lines) if line.position is not None]

    def line_at(self, at: QPointF) -> int | None:
        """Return the line under a point that does something."""
        boxes = self._boxes()
        return next((index for index in self._doing() if boxes[index].contains(at)), None)

    def _point(self, index: int | None) -> None:
        if index != self._at:
            self._at = index
            self.setCursor(Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor)
            if index is not None:
                self.setAccessibleDescription(self._lines[index].description)
            self.update()

    def _do(self, index: int) -> None:
        line = self._lines[index]
        if line.position is not None and line.piece is not None:
            self.piece_chosen.emit(line.position, line.piece)
        elif line.position is not None:
            self.token_chosen.emit(line.position)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.line_at(event.position()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.line_at(event.position())
        if index is not None and event.button() == Qt.MouseButton.LeftButton:
            self._do(index)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        doing, key = self._doing(), Qt.Key(event.key())
        if key in _STEPS and doing:
            now = doing.index(self._at) + _STEPS[key] if self._at in doing else 0
            self._point(doing[min(max(now, 0), len(doing) - 1)])
        elif key in _ENTER and self._at in doing:
            self._do(self._at)
        else:
            event.ignore()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.line_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if index is None else self._tip(index), self)
            return True
        return super().event(event)

    def _tip(self, index: int) -> str:
        line = self._lines[index]
        does = self.tr("Click: put it there") if line.piece is not None else self.tr("Click: pin this token")
        return f"{line.text}  {line.value:.6g}\n{does}"

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self._write_lines()
        self.updateGeometry()  # sentences wrap
