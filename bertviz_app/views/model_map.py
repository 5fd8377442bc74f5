"""`ModelMap`: a map of the whole model above the panels, of which this base draws nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look


class ModelMap(Canvas):
    """A room brings the one that draws.

    `heads_requested`: the predictions of the task heads are to be shown. `text_requested`: the text is to be
    edited. `lesson_requested(key)`: the lesson about a block is to be opened. `went`: the user went to a
    stop.
    """

    heads_requested = Signal()
    text_requested = Signal()
    lesson_requested = Signal(str)
    went = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.lesson_named: Callable[[str], str] = lambda key: ""
        """Returns what the lesson with a key is called, "" where there is none."""

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def highlight(self, *keys: str) -> None:
        """Highlight the blocks with these keys."""
