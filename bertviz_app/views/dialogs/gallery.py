"""The gallery of analyses: a card with a question and a small picture for each, theme by theme."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QImage, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from bertviz_app.types import Doubles
from bertviz_app.viewmodels.analyses.gallery import GalleryItem, remedy_words
from bertviz_app.viewmodels.name_search import Names, NameSearch
from bertviz_app.views.kit.canvas import Canvas, Guarded
from bertviz_app.views.kit.look import Look, Pencil, colour_table, grid_of, in_column, in_row, named
from bertviz_app.views.kit.widgets import ComposingEdit, TitledDialog, close_button
from bertviz_app.views.kit.words import plain

_CARD, _GAP, _PICTURE = 214, 12, 84


class SketchPicture(Canvas):
    """Draws the small result of a card; where it has none, the kind of its picture in grey."""

    def __init__(self, look: Look, item: GalleryItem) -> None:
        super().__init__(look)
        self._sketch, self._kind = item.sketch, item.kind
        self._image = QImage()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedHeight(look.pixels(_PICTURE))
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        sketch, look = self._sketch, self.look
        if sketch is None or sketch.kind != "cells":
            return
        levels: Doubles = np.asarray(sketch.values, np.float64)
        table = look.weights
        if sketch.is_signed:
            levels, table = (levels + 1) / 2, colour_table(look.palette.differences, 256)
        pixels = np.ascontiguousarray(table[np.rint(levels * 255).astype(int)])
        height, width = pixels.shape  # a pixel for each cell of a matrix
        self._image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()

    def draw(self, painter: QPainter) -> None:
        room, pencil = QRectF(self.rect()), Pencil(painter, self.look)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._sketch is None:
            self._draw_kind(painter, room)
        elif self._sketch.kind == "cells":
            size = self._image.size().scaled(room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            corner = QPointF((room.width() - size.width()) / 2, (room.height() - size.height()) / 2)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
            painter.drawImage(QRectF(corner, size), self._image)
            pencil.box(QRectF(corner, size), "rule")
        elif self._sketch.kind == "points":
            inner = room.adjusted(room.width() / 5, 5, -room.width() / 5, -5)
            for x, y in self._sketch.values.tolist():
                at = QPointF(inner.left() + x * inner.width(), inner.bottom() - y * inner.height())
                pencil.dot(at, 3, self.look.colour("accent", 0.6))
        else:
            values, is_of_levels = self._sketch.values[0].tolist(), self._sketch.kind != "bars"
            lowest, wide = min(0.0, *values), min(22.0, room.width() / len(values))
            left, span = (room.width() - wide * len(values)) / 2, max(1.0, max(values)) - lowest
            zero = room.height() - 1 + lowest / span * (room.height() - 2)
            for number, value in enumerate(values):
                height = value / span * (room.height() - 2)
                bar = QRectF(left + number * wide + 1, zero - height, wide - 2, height).normalized()
                name = "right" if is_of_levels else "accent" if value >= 0 else "sentence_b"
                painter.fillRect(bar, self.look.colour(name))
            # Levels are below the line of 1, which is the limit.
            line, colour = (1.0, "secondary") if is_of_levels else (zero, "rule")
            pencil.line(QPointF(left, line), QPointF(room.width() - left, line), colour)

    def _draw_kind(self, painter: QPainter, room: QRectF) -> None:
        """Draw empty cells, bars, or the lines of a table: no numbers."""
        rule = self.look.colour("rule")
        painter.setPen(rule)
        side, middle = (room.height() - 2) / 6, room.width() / 2
        if self._kind == "cells":
            for at in range(6 * 8):
                painter.drawRect(QRectF(middle + (at % 8 - 4) * side, 1 + at // 8 * side, side, side))
        elif self._kind == "bars":
            for at, height in enumerate((3, 5, 2, 4, 6, 3, 1, 4)):
                left, top = middle + (at - 4) * side, room.height() - height * side
                painter.fillRect(QRectF(left + 1, top, side - 2, height * side), rule)
        else:
            for at, length in enumerate((0.8, 0.5, 0.65, 0.3)):
                line = QRectF(room.left(), 10 + at * room.height() / 4.5, length * room.width(), 6)
                painter.fillRect(line, rule)


class _CardButton(Guarded, QPushButton):
    """The picture, the question and the name of an analysis; as high as these are."""

    def __init__(self, look: Look, item: GalleryItem) -> None:
        super().__init__()
        named(self, "big", plain(item.about), f"{item.question} {item.title}. {item.obstacle}".strip())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.question = named(QLabel(item.question, wordWrap=True), "title")
        name = named(QLabel(item.title, wordWrap=True), "secondary")
        for label in (self.question, name):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        sketch = SketchPicture(look, item)
        parts = sketch, self.question, name, 1
        self._column = in_column(*parts, of=self, margins=(12, 12, 12, 10), spacing=6)
        self.setEnabled(not item.obstacle)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self._column.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class GalleryCard(QFrame):
    """A card, a `button`; what cannot be done says why, above the `remedy`, which makes it possible."""

    def __init__(self, look: Look, item: GalleryItem) -> None:
        super().__init__()
        self.item = item
        self.button = _CardButton(look, item)
        self.button.setFixedWidth(look.pixels(_CARD))
        self.remedy: QPushButton | None = None
        column = in_column((self.button, 1), of=self, margins=0, spacing=4)
        if item.obstacle:
            column.addWidget(named(QLabel(item.obstacle, wordWrap=True), "secondary"))
        if words := remedy_words(item.remedy):
            self.remedy = named(QPushButton(words), "link", title=f"{words}: {item.question}")
            column.addWidget(self.remedy)
        self.setFixedWidth(look.pixels(_CARD))


class AnalysisGallery(Guarded, TitledDialog):
    """Opens over the window; Escape closes it. `problems`: a sentence about each analysis that was left out.

    `chosen` has the `Content` that the panel is to show, `remedy_requested` that and what makes it possible.
    """

    chosen = Signal(object)
    remedy_requested = Signal(object, str)

    def __init__(
        self, look: Look, items: Sequence[GalleryItem], parent: QWidget, problems: Sequence[str] = ()
    ) -> None:
        super().__init__(parent, self.tr("What would you like to know?"))
        self._look = look
        self._items = tuple(items)
        names = [Names(f"{item.question} {item.title}", f"{item.theme} {item.also}") for item in items]
        self._search = NameSearch(names)
        self.field = named(ComposingEdit(self.tr("Find a question …")), "entry")
        self._area = named(QScrollArea(widgetResizable=True), title=self.tr("Analyses by theme"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self.cards: list[GalleryCard] = []
        room = parent.size()
        width = min(look.pixels(1000), room.width() - 60)
        self._n_columns = max(1, (width - 60) // look.pixels(_CARD + _GAP))
        words = self.tr("Pictures: results of the model that comes with the program, for one sentence.")
        if any(item.sketch is None for item in items):
            words += " " + self.tr("Grey ones show the kind of picture alone.")
        note = QLabel("\n".join((words, *problems)), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.note = named(note, "note")
        close = close_button(self, self.tr("Close"))
        close.setAutoDefault(False)
        foot = in_row((self.note, 1), close)
        head = named(QLabel(self.windowTitle()), "headline")
        in_column(head, self.field, (self._area, 1), foot, of=self, margins=(18, 16, 18, 14), spacing=10)
        self.resize(width, min(look.pixels(860), room.height() - 60))
        self.field.read.connect(self._fill)
        self.field.installEventFilter(self)
        self._fill("")

    @Slot(str)
    def _fill(self, typed: str) -> None:
        """Show the cards that fit: theme by theme, or the best first."""
        found = [self._items[number] for number in self._search.find(typed)]
        sheet = named(QWidget(), "clear")
        column = in_column(of=sheet, margins=(0, 4, 12, 4), spacing=_GAP)
        self.cards = []
        groups = [("", found)] if typed.strip() else groupby(found, key=lambda item: item.theme)
        for theme, items in groups:
            if theme:
                column.addWidget(named(QLabel(theme), "title"))
            grid = grid_of(spacing=(_GAP, _GAP))
            grid.setColumnStretch(self._n_columns, 1)
            for at, item in enumerate(items):
                card = GalleryCard(self._look, item)
                card.button.clicked.connect(lambda _=False, item=item: self._end(self.chosen, item.content))
                if card.remedy is not None:
                    card.remedy.clicked.connect(
                        lambda _=False, item=item: self._end(self.remedy_requested, item.content, item.remedy)
                    )
                grid.addWidget(card, at // self._n_columns, at % self._n_columns)
                self.cards.append(card)
            column.addLayout(grid)
        if not found:
            column.addWidget(named(QLabel(self.tr("No question fits."), wordWrap=True), "secondary"))
        column.addStretch(1)
        self._area.setWidget(sheet)

    def _end(self, signal: SignalInstance, *carried: object) -> None:
        self.accept()
        signal.emit(*carried)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Let Enter in the field choose the best card, and the down key go to it."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress or not self.cards:
            return False
        first, is_down = self.cards[0], event.key() == Qt.Key.Key_Down
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter:
            first.button.click()
        elif is_down:
            (first.remedy or first.button).setFocus(Qt.FocusReason.TabFocusReason)
        return is_enter or is_down

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from card to card with the arrows."""
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._n_columns,
            Qt.Key.Key_Down: self._n_columns,
        }
        step = steps.get(Qt.Key(event.key()))
        at = next((at for at, card in enumerate(self.cards) if card.isAncestorOf(self.focusWidget())), None)
        if step is None or at is None:
            super().keyPressEvent(event)
            return
        card = self.cards[min(max(at + step, 0), len(self.cards) - 1)]
        (card.button if card.button.isEnabled() else card.remedy or card.button).setFocus()
        self._area.ensureWidgetVisible(card)
