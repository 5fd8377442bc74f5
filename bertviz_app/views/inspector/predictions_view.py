"""`PredictionsView`: what the task heads predict of one run, as bars; a click puts a piece into the text."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.analysis.predictions import TOP
from bertviz_app.options import Run
from bertviz_app.viewmodels.runs.shown import RunPrediction
from bertviz_app.views.inspector.line_pen import LinePen
from bertviz_app.views.inspector.prediction_lines import Line
from bertviz_app.views.inspector.shown_lines import ShownLines
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import general
from bertviz_app.views.kit.words import plain

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_NOTCH = 120  # how far a wheel turns by one notch, in Qt's unit
_ROWS_PER_NOTCH = 3


class PredictionsView(Canvas):
    """The lines of one run; arrows walk those that do something, Enter or a click does it.

    `piece_chosen` (position, piece) is to be put into the text, `token_chosen` to be pinned. The wheel and
    the arrows scroll through the labels of tokens, which follow the token that is pointed at elsewhere.
    """

    fills_ground = True

    piece_chosen = Signal(int, str)
    token_chosen = Signal(int)

    def __init__(self, look: Look, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._run = run
        self._shown = ShownLines(run)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Predictions for run {0}").format(self._run))
        self._scroll(0)
        self.updateGeometry()  # other words take other lines

    def show_prediction(
        self, prediction: RunPrediction | None, highlighted: int | None, *, is_named: bool
    ) -> None:
        """Show the predictions of a run, under its name if `is_named`; `highlighted`: a token."""
        sizes = self.sizeHint(), self.minimumSizeHint()
        self._shown.show(prediction, highlighted, is_named=is_named)
        self._scroll(0, highlighted)
        if sizes != (self.sizeHint(), self.minimumSizeHint()):
            self.updateGeometry()  # lays out the whole window anew

    def _scroll(self, by: int, into_view: int | None = None) -> bool:
        """Write the lines anew, as `ShownLines.scroll` does; return whether any moved."""
        self._shown.fit(self._pen(), self.height())
        has_moved = self._shown.scroll(by, into_view)
        does = self._shown.doing
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if does else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription(self._shown.description)
        self.update_later()
        return has_moved

    # sizes

    @property
    def desired_height(self) -> int:
        """The height in which all lists are whole."""
        return self._shown.height(self._pen(), TOP)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(120, self.desired_height)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(90, self._shown.least_height(self._pen()))

    def _pen(self) -> LinePen:
        return LinePen(self.look, self.width(), is_narrow=self._shown.is_named)

    def draw(self, painter: QPainter) -> None:
        pen, lines = self._pen(), self._shown.lines
        for index, (line, box) in enumerate(zip(lines, pen.boxes(lines), strict=True)):
            if box.bottom() > self.height() + 1:  # half a line says nothing
                return
            pen.draw(painter, line, box, is_highlighted=index == self._shown.at)

    # gestures

    def line_at(self, at: QPointF) -> int | None:
        """Return the line under a point that does something."""
        boxes = self._pen().boxes(self._shown.lines)
        return next((index for index in self._shown.doing if boxes[index].contains(at)), None)

    def _point(self, index: int | None) -> None:
        if index != self._shown.at:
            self._shown.at = index
            self.setCursor(Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor)
            if index is not None:
                self.setAccessibleDescription(self._shown.lines[index].description)
            self.update()

    def _do(self, index: int) -> None:
        line = self._shown.lines[index]
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
    def wheelEvent(self, event: QWheelEvent) -> None:
        rows = -event.angleDelta().y() * _ROWS_PER_NOTCH / _NOTCH
        event.setAccepted(self._scroll(math.ceil(rows) if rows > 0 else math.floor(rows)))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS and self._shown.doing:
            self._point(self._shown.step(_STEPS[key]))
            self.update()
        elif key in _ENTER and self._shown.at is not None:
            self._do(self._shown.at)
        else:
            event.ignore()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.line_at(QPointF(event.pos()))
            tip = "" if index is None else _tip(self._shown.lines[index])
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self._scroll(0)
        self.updateGeometry()  # sentences wrap


def _tip(line: Line) -> str:
    translate = QCoreApplication.translate
    puts, pins = (
        translate("PredictionsView", "Click: put it there"),
        translate("PredictionsView", "Click: pin this token"),
    )
    words = line.more or f"{line.text}  {general(line.value or 0.0)}"
    return plain(f"{words}\n{pins if line.piece is None else puts}")
