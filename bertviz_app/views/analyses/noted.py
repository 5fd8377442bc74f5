"""`NotedView`: pictures of a result with a note below them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.plots.plot import Plot


class NotedView(PanelView):
    """Pictures one above the other, and a note in words below them."""

    def __init__(self, tools: PanelTools, *drawn: Plot) -> None:
        super().__init__(tools.look)
        self.dimmed = drawn
        self.note = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "note")
        pictures = ((picture, 1) for picture in drawn)
        self.column = in_column(*pictures, self.note, of=self, margins=(0, 6, 0, 0), spacing=2)

    def put_above(self, *choices: QWidget) -> None:
        """Put what chooses among the pictures in a row above them."""
        self.column.insertLayout(0, in_row(*choices, 1, margins=(8, 0, 8, 0)))
