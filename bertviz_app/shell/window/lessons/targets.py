"""`Targets`: the parts of the window that stations name: they are framed, and get the keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsView, QLineEdit, QMainWindow, QWidget

from bertviz_app.shell.window.frame import WindowFrame
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look
from bertviz_app.views.lessons.pointer import Pointer


class Targets:
    """Finds them by the names of lesson files."""

    def __init__(self, window: QMainWindow, look: Look, frame: WindowFrame) -> None:
        self._window = window
        self._look = look
        self._frame = frame
        self._pointer: Pointer | None = None
        self._has_unfolded = False

    def point_at(self, name: str) -> None:
        """Frame a part of the window, unfolded if the user has folded it; "" frames none."""
        self._unfold(name == "predictions")
        if self._pointer is None:
            self._pointer = Pointer(self._look, self._window)
        self._pointer.point_at(self._widget(name) if name else None)

    def _unfold(self, is_meant: bool) -> None:
        """Open the predictions while a station points at them, if they are closed."""
        predictions = self._frame.main_area.inspector_page.predictions
        if is_meant and not predictions.is_open:
            predictions.open(True)
            self._has_unfolded = True
        elif not is_meant and self._has_unfolded:
            predictions.open(False)
            self._has_unfolded = False

    def focus(self, name: str) -> QWidget | None:
        """Focus a part of the window, and return it: its drawing, before the buttons around."""
        found = self.taker(name)
        if found is not None:
            found.setFocus(Qt.FocusReason.TabFocusReason)  # so that the focus is drawn
        return found

    def taker(self, name: str) -> QWidget | None:
        """Return what takes the keys in a part of the window."""
        target = self._widget(name)
        if target is None:
            return None
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
            "strip": area.strip,
            "overview": area.cards.overview,
            "heads": area.cards.heads,
            "inspector": area.cards.inspector,
            "predictions": area.inspector_page.predictions,
            "vector": area.cards.pooled,
            "panel": area.area,
        }
        return widgets.get(name)
