"""The parts of the window that stations point at, and the frame around the one that is meant."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsView, QLineEdit, QMainWindow, QWidget
from shiboken6 import isValid

from bertviz_app.shell.window.frame import WindowFrame
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look

_AROUND = 3


class Pointer(Canvas):
    """Lies over the window, follows its target and lets every click through."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._window = window
        self._target: QWidget | None = None
        self.hide()

    @property
    def target(self) -> QWidget | None:
        return self._target

    def point_at(self, target: QWidget | None) -> None:
        """Point at another widget, at none with None."""
        if self._target is not None and isValid(self._target):
            self._target.removeEventFilter(self)
        self._target = target
        if target is not None:
            target.installEventFilter(self)
        self.follow()
        self.raise_()  # only now: what covers the window later stays above

    def follow(self) -> None:
        """Lie where the target is now; hide while it is hidden."""
        target = self._target
        if target is not None and not isValid(target):  # its panel was closed
            target = self._target = None
        if target is None or not target.isVisible() or target.window() is not self.window():
            self.hide()
            return
        corner = target.mapTo(self._window, QPoint(0, 0))
        around = QRect(corner, target.size()).adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND)
        self.setGeometry(around.intersected(self._window.rect()))
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self.follow()
        return False

    def draw(self, painter: QPainter) -> None:
        painter.setPen(QPen(self.look.colour("accent"), 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 9, 9)


class Targets:
    """Finds parts of the window by their names in lesson files."""

    def __init__(self, window: QMainWindow, look: Look, frame: WindowFrame) -> None:
        self._window = window
        self._look = look
        self._frame = frame
        self._pointer: Pointer | None = None
        self._has_unfolded = False

    def point_at(self, name: str) -> None:
        """Frame a part of the window, unfolded if the user has folded it; "" frames none."""
        is_meant, predictions = name == "predictions", self._frame.main_area.inspector_page.predictions
        if is_meant and not predictions.is_open:
            predictions.open(True)
            self._has_unfolded = True
        elif not is_meant and self._has_unfolded:
            predictions.open(False)
            self._has_unfolded = False
        if self._pointer is None:
            self._pointer = Pointer(self._look, self._window)
            self._frame.destroyed.connect(self._pointer.deleteLater)  # the next language has another one
        self._pointer.point_at(self._widget(name) if name else None)

    def focus(self, name: str) -> QWidget | None:
        """Focus a part of the window, and return it: its drawing, before the buttons around."""
        found = self.taker(name)
        if found is not None:
            found.setFocus()  # without a ring, which is for those who came by a key
        return found

    def taker(self, name: str) -> QWidget | None:
        """Return what takes the keys in a part of the window."""
        target = self._widget(name)
        if target is None:
            return None
        picture = self._frame.main_area.middle.picture
        if picture is not None and target.isAncestorOf(picture) and picture.focusProxy() is not None:
            return picture.focusProxy()
        takers = [target, *target.findChildren(QWidget)]
        tab = Qt.FocusPolicy.TabFocus
        reached = [each for each in takers if each.isVisible() and each.focusPolicy() & tab]
        drawings = Canvas, QGraphicsView  # no `Plot`: pyqtgraph is imported after the first window is painted
        return next((each for each in reached if isinstance(each, drawings)), next(iter(reached), None))

    def take_keys_from_text(self) -> None:
        """Give the panels the keys that a field for sentences has, so that no key is typed into it."""
        focused = self._window.focusWidget()
        is_text = isinstance(focused, QLineEdit) and self._frame.bars.isAncestorOf(focused)
        if is_text and self._frame.has_main_area:
            self.focus("panel")

    def is_in_bars(self, name: str) -> bool:
        """Whether a part of the window is in the bars, which a presentation folds."""
        target = self._widget(name)
        return target is not None and self._frame.bars.isAncestorOf(target)

    def _widget(self, name: str) -> QWidget | None:
        frame, area = self._frame, self._frame.main_area
        widgets: dict[str, QWidget | None] = {
            "text": frame.bar.text,
            "pair": frame.bar.pair,
            "picker": frame.bar.models,
            "menu": frame.bar.menu,
            "compare": frame.compare,
            "strip": area.strip if area.strip.isVisible() else area.middle,
            "overview": area.cards.overview,
            "heads": area.cards.heads,
            "inspector": area.cards.inspector,
            "predictions": area.inspector_page.predictions,
            "vector": area.cards.pooled,
            "panel": area.middle,
        }
        return widgets.get(name)
